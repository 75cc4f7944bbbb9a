"""One run's numbers by name: each by hand on made-up networks."""

from statistics import StatisticsError
from typing import Any

import pytest

from bottomup.experiments.representation_analysis.findings import OBJECTIVES, Findings
from tests.experiments.representation_analysis.made_up_layers import metrics

RUN = Findings(metrics())


def near(value: Any) -> Any:
    return pytest.approx(value, abs=1e-12)


def test_a_series_has_a_number_for_each_station():
    assert RUN.series("lm", "next") == [1.8, 1.9, 2.1, 2.4]
    assert RUN.series("mt", "information", name="held_out") == [5.3, 5.0, 4.7, 4.4]
    assert RUN.series("mlm", "exchanged", "read") == [3.7, 3.1, 2.2, 1.1]


def test_information_and_its_bound():
    assert RUN.information("mlm") == [5.2, 4.7, 4.6, 5.1]
    assert RUN.bound("mlm") == [5.0, 4.5, 4.6, 4.8]
    assert RUN.top("untrained") == 4.3


def test_fall_and_gain_compare_the_last_station_with_the_first():
    assert RUN.fall("lm") == near(5.3 - 4.0)
    assert RUN.fall("untrained_causal") == near(5.6 - 4.9)
    assert RUN.gain("lm", "next") == near(2.4 - 1.8)
    assert RUN.gain("lm", "next", name="held_out") == near(2.2 - 1.5)
    assert RUN.gain("mlm", "exchanged", "read") == near(1.1 - 3.7)


@pytest.mark.parametrize(("layers", "middle"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)])
def test_the_middle_layer_of_an_odd_number_is_the_one_below(layers: int, middle: int):
    table = {f"layer_{number}": {"plug_in": 100 - number} for number in range(layers + 1)}
    assert Findings({"mt": {"information": table}}).middle("mt") == 100 - middle


@pytest.mark.parametrize(
    ("values", "recovered"),
    [
        ((5.2, 4.7, 4.6, 5.1), 5.1 - 4.7),  # not from the lowest layer
        ((5.2, 5.0, 4.9, 4.8), 4.8 - 5.0),
        ((3.5, 5.0, 4.9, 5.3), 5.3 - 5.0),
    ],
)
def test_recovery_is_from_the_middle_layer_on(values: tuple[float, ...], recovered: float):
    changed = metrics({"mlm.information.*.plug_in": values})
    assert Findings(changed).recovery() == near(recovered)


def test_learned_is_the_gain_less_the_controls_in_the_held_out_bound():
    assert RUN.learned("lm", "untrained_causal", "next") == near(0.7 - 0.3)
    assert RUN.learned("mlm", "untrained", "masked", "original") == near(1.4 + 0.1)
    assert RUN.learned("mlm", "untrained", "exchanged", "original") == near(1.1 - 0.2)
    assert RUN.learned("mlm", "untrained", "exchanged", "read") == near(-2.5 + 0.8)


def test_where_a_token_was_exchanged_the_original_is_compared_with_the_token_read():
    assert RUN.crossed() == near(1.9 - 1.1)


def test_probe_and_neighbours():
    assert RUN.probe("lm") == [0.99, 0.98, 0.93]
    assert [RUN.same(name) for name in OBJECTIVES] == [0.70, 0.95, 0.90]
    assert [RUN.position(name) for name in OBJECTIVES] == [0.70, 0.50, 0.30]


def test_change_has_a_number_for_each_layer():
    assert RUN.change("lm") == [0.30, 0.20, 0.25]
    assert RUN.changed("lm") == near(0.25)
    assert RUN.changed("mt") == near(0.11)
    views = {"change": {"all": {"layer_1": 2, "layer_2": 5}, "within": {"layer_1": 11}}}
    assert Findings({"lm": views}).change("lm", "within") == [11]
    assert Findings({"lm": views}).changed("lm") == 3.5


def test_the_ends_are_compared_with_the_mean_between_them():
    assert RUN.ends("mlm") == near(0.18 - 0.11)
    # neither the least of the layers between counts, 0.2, nor the larger end, 0.9
    table = {"change": {"all": {"layer_1": 0.9, "layer_2": 0.2, "layer_3": 0.6, "layer_4": 0.7}}}
    assert Findings({"lm": table}).ends("lm") == near(0.7 - 0.4)


def test_two_layers_have_nothing_between_their_ends():
    table = {"change": {"all": {"layer_1": 0.9, "layer_2": 0.7}}}
    with pytest.raises(StatisticsError):
        Findings({"lm": table}).ends("lm")


def test_groups_are_the_rarest_less_the_most_frequent():
    assert RUN.groups("lm", "change_by_group") == near([-0.2, -0.3, -0.5])
    assert RUN.groups("mlm", "influence_by_group") == near([-0.1, -0.3, 0.8])
    assert RUN.rare_less_frequent("lm", "change_by_group") == near(-1 / 3)
    two = {"lm": {"change_by_group": {"layer_1": {"group_0": 2, "group_1": 7}}}}
    assert Findings(two).groups("lm", "change_by_group") == [5]


def test_distances_are_means_over_pairs_at_each_station():
    assert RUN.across("all", "lm_mt") == [0.5, 0.37, 0.45, 0.61]
    assert RUN.starts("all") == near([0.5, 0.3 / 3, 0.48 / 3, 0.72 / 3])
    assert RUN.objectives("all") == near([0.5, 1.08 / 3, 1.21 / 3, 1.56 / 3])
    assert RUN.objectives("all", "shared") == near([0, 0.2, 0.3, 1.26 / 3])
    assert RUN.objectives("within") == near([0.05, 0.108 / 3, 0.121 / 3, 0.156 / 3])


def test_objectives_stand_apart_by_the_least_of_all_layers():
    # at the embedding they would by 0, which is no layer; then by 0.26, 0.24333 and 0.28
    assert RUN.apart("all") == near((1.21 - 0.48) / 3)
    assert RUN.apart("frequent") == near(0.5 * (1.21 - 0.48) / 3)


def test_shared_less_starts_has_a_number_for_each_station():
    assert RUN.shared_less_starts("all") == near([-0.5, 0.1, 0.14, 0.18])


def test_nearest_is_a_mean_from_layer_2_on():
    # 0.41 - 0.35 and 0.52 - 0.43; layer 1, with 0.31 - 0.40, does not count
    assert RUN.nearest("all") == near((0.06 + 0.09) / 2)
    # the nearer of LM's two others counts, whichever it is
    other = metrics({"distances.across.all.lm_mt.*": (0.5, 0.37, 0.38, 0.5)})
    assert Findings(other).nearest("all") == near((0.03 + 0.07) / 2)


def test_farthest_is_about_the_last_layer():
    assert RUN.farthest("all") == near(0.61 - 0.52)
    other = metrics({"distances.across.all.mlm_mt.*": (0.5, 0.4, 0.35, 0.67)})
    assert Findings(other).farthest("all") == near(0.61 - 0.67)
