"""Chapter 08's quantities by hand on made-up networks, and what its claims say of a record."""

from typing import Any

import pytest

from bottomup.experiments import Record
from bottomup.experiments.engine.entries import Filled
from bottomup.experiments.representation_analysis import quantities
from tests.experiments.records import record_of
from tests.experiments.representation_analysis import made_up_layers as layers

NAME = "representation_analysis"


def made_up(changes: layers.Numbers | None = None) -> Record:
    runs = [{"networks": layers.metrics(changes, factor=factor)} for factor in layers.FACTORS]
    return record_of(NAME, runs, layers.CONFIG)


ACROSS = "distances.across.all"
BY_HAND: list[tuple[str, dict[str, Any], float]] = [
    ("fall(untrained_causal)", {}, 5.6 - 4.9),
    ("gain(mlm.exchanged.read)", {}, 0.9 - 3.4),
    ("over_layers(networks.lm.change.all)", {}, 0.25),
    ("over_layers(networks.lm.information.layer_3.plug_in)", {}, 4.0),
    ("smaller(neighbours.{top}.position, lm, mlm, mt)", {}, 0.3),
    ("larger(change.all, mlm, mt)", {}, 0.16),
    ("ends(mlm)", {"mlm.change.all.*": (0.05, 0.11, 0.18)}, 0.05 - 0.11),
    ("frequent_less_rare(change_by_group, lm)", {}, 1 / 3),
    ("frequent_less_rare(change_by_group, mt, lm)", {}, 0.5 / 3),
    ("rare_less_frequent(influence_by_group, lm)", {}, 0.2),
    ("rare_less_frequent(influence_by_group, mt, lm)", {}, 0.1),
    # at the embedding they stand apart by 0, which is no layer; then by 0.26, 0.24333 and 0.28
    ("apart(all, across)", {}, 0.73 / 3),
    ("apart(all, across)", {f"{ACROSS}.mt_mt.*": (0.5, 0.07, 0.89, 0.19)}, (1.21 - 1.26) / 3),
    # 0.41 - 0.35 and 0.52 - 0.43; layer 1, with 0.31 - 0.40, does not count
    ("nearest(all, across)", {}, (0.06 + 0.09) / 2),
    # the nearer of LM's two others counts, whichever it is
    ("nearest(all, across)", {f"{ACROSS}.lm_mt.*": (0.5, 0.37, 0.38, 0.5)}, (0.03 + 0.07) / 2),
    ("farthest(all)", {f"{ACROSS}.mlm_mt.*": (0.5, 0.4, 0.35, 0.67)}, 0.61 - 0.67),
]


@pytest.mark.parametrize(("quantity", "changes", "value"), BY_HAND)
def test_a_quantity_by_hand(quantity: str, changes: dict[str, Any], value: float):
    filled = Filled(made_up(changes), quantities)
    found = filled.values(quantity.format_map(filled.names))
    assert found == pytest.approx([factor * value for factor in layers.FACTORS], abs=1e-12)


@pytest.mark.parametrize(("number", "middle"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)])
def test_the_middle_layer_of_an_odd_number_is_the_one_below(number: int, middle: int):
    table = {f"layer_{layer}": {} for layer in range(number + 1)}
    record = record_of(NAME, [{"networks": {"mlm": {"information": table}}}], layers.CONFIG)
    names = quantities.names(record)
    assert (names["middle"], names["top"]) == (f"layer_{middle}", f"layer_{number}")


VALUES = {
    "08.1a": 1.3,  # 5.3 - 4.0
    "08.1b": 0.5,  # 1.3 - 0.8
    "08.1c": 0.5,  # 5.2 - 4.7
    "08.1d": 0.4,  # 5.1 - 4.7
    "08.1e": 0.6,  # 1.3 - 0.7
    "08.1f": 0.3,  # 4.6 of MT - 4.3
    "08.1g": 0.93,
    "08.1h": 0.7,  # 4.4 of MT - 3.7
    "08.1i": 0.02,  # 0.95 of MT - 0.93
    "08.2a": 0.6,  # 2.4 - 1.8
    "08.2b": 1.3,  # 2.0 - 0.7
    "08.2c": 2.6,  # 3.7 - 1.1
    "08.2d": 1.4,  # 1.9 - 0.5
    "08.2e": 0.8,  # 1.9 - 1.1
    "08.2f": 0.4,  # 0.7 - 0.3
    "08.2g": 1.5,  # 1.4 + 0.1
    "08.2h": 0.9,  # 1.1 - 0.2
    "08.2i": 1.7,  # 2.5 - 0.8
    "08.3a": 0.73 / 3,
    "08.3b": 0.73 / 6,
    "08.3c": 0.073 / 3,
    "08.3d": 0.075,
    "08.3e": 0.0375,
    "08.3f": 0.0075,
    "08.3g": 0.045,  # half of 0.61 - 0.52
    "08.3h": 0.09,  # 0.40 - 0.31
    "08.3i": 0.18,  # 0.42 - 0.24
    "08.3j": 0.1,  # at layer 1: 0.2 less the mean of 0.10, 0.13 and 0.07
    "08.3k": 0.015,  # 0.03 at layer 3; at layer 2 all three are level
    "08.4a": 0.09,  # 0.25 - 0.16
    "08.4b": 0.05,  # 0.16 - 0.11
    "08.4c": 0.09,  # 0.15 - 0.06
    "08.4d": 0.07,  # 0.18 - 0.11
    "08.4e": 0.5 / 3,  # of MT; 1 / 3 of LM
    "08.4f": 0.3,  # 0.5 - 0.2
    "08.4g": 0.1,  # of MT; 0.2 of LM
    "08.4h": -0.2,  # mean of -0.1 and -0.3
    "08.5a": 0.05,  # 0.95 - 0.90
    "08.5b": 0.2,  # 0.90 - 0.70
    "08.5c": 0.2,  # 0.50 - 0.30
}


def test_the_claims_by_hand():
    found = layers.claims(made_up())
    assert list(found) == list(VALUES)
    for name, value in VALUES.items():
        assert found[name].values[0] == pytest.approx(value, abs=1e-12), name


def test_claims_name_the_choices_of_the_record():
    found = layers.claims(made_up())
    # the last group begins at rank 41, counted from 0, and has 19 types as every group
    assert "types of rank 42 to 60 less the 19 most frequent types" in found["08.4f"].measured
    assert "ranks 1–19, 24–42, 42–60 that may read it" in found["08.4g"].measured
    assert "0.3000 in LM, 0.1500 in MT" in found["08.4g"].measured  # of three seeds


def test_without_a_second_start_nothing_is_claimed_of_distances():
    table = {name: part for name, part in layers.metrics().items() if name != "distances"}
    found = layers.claims(record_of(NAME, [{"networks": table}], layers.CONFIG))
    assert list(found) == [name for name in VALUES if not name.startswith("08.3")]
