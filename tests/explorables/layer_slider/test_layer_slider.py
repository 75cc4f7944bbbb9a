"""What the layer slider takes, how small it stays, and how it refuses what is wrong."""

import gzip
import json
import re

import numpy as np
import pytest
import torch

from bottomup.explorables import layer_slider
from bottomup.explorables.shared.bundle import entry, modules, read
from tests.explorables.layer_slider_demo import ARGUMENTS, LAYER_SLIDER

# Three stations, two networks, two tokens: "b" loses its neighbours of its own type in LM.
POINTS = [[[0.0, 1.0], [2.0, 3.123456]], [[0.5, 1.0], [2.0, 3.0]], [[1.0, 1.0], [2.0, 5.0]]]
KEPT = [[[("a", 0.7)], [("b", 1.0)]]] * 3
LOST = [
    [[("c", 0.25), ("a", 0.75)], [("b", 0.9)]],
    [[("a", 0.5)], [("b", 0.4), ("d", 0.6)]],
    [[("a", 0.75)], [("d", 0.123456)]],
]
SMALL = {
    "stations": 3,
    "networks": ["LM", "MT"],
    "information": {"MT": [2.5, 2.0, 1.5], "LM": [2.5, 1.123456, 0.0]},
    "entropy": 3.0,
    "distances": {"LM–MT": [0.0, 0.25, 1.0]},
    "sentence": ["a", "b"],
    "points": {"LM": POINTS, "MT": POINTS},
    "neighbours": {"LM": LOST, "MT": KEPT},
}


def payload(**changes) -> dict:
    return json.loads(layer_slider(**{**SMALL, **changes}).data)


def test_payload_holds_the_numbers_in_the_order_of_the_networks():
    made = payload()
    assert made["networks"] == ["LM", "MT"]
    assert made["information"] == [[2.5, 1.1235, 0], [2.5, 2, 1.5]]
    assert made["entropy"] == 3
    assert (made["pairs"], made["distances"]) == (["LM–MT"], [[0, 0.25, 1]])
    assert made["tokens"] == ["a", "b"]
    assert made["points"][0][0] == [[0, 1], [2, 3.1235]]


def test_stations_are_called_by_number_or_as_given():
    assert payload()["stations"] == ["embedding", "layer 1", "layer 2"]
    assert payload(stations=["in", "middle", "out"])["stations"] == ["in", "middle", "out"]


def test_neighbours_are_numbers_of_types_with_the_largest_share_first():
    made = payload()
    assert made["types"] == ["a", "c", "b", "d"]
    first, second, third = made["neighbours"][0]
    assert first == [[[0, 0.75], [1, 0.25]], [[2, 0.9]]]
    assert second == [[[0, 0.5]], [[3, 0.6], [2, 0.4]]]
    assert third == [[[0, 0.75]], [[3, 0.1235]]]
    assert made["neighbours"][1] == [[[[0, 0.7]], [[2, 1]]]] * 3


@pytest.mark.parametrize("networks, token", [(["LM", "MT"], 1), (["MT", "LM"], 0)])
def test_token_shown_first_is_the_one_that_changes_most_in_the_first_network(networks, token):
    assert payload(networks=networks)["start"] == {"token": token}


def test_lists_arrays_and_tensors_give_the_same_figure():
    names = ("information", "distances", "points")
    html = {
        layer_slider(
            **{
                **SMALL,
                **{
                    name: {key: form(value) for key, value in SMALL[name].items()} for name in names
                },
            }
        )._repr_html_()
        for form in (list, np.array, lambda values: torch.tensor(values, dtype=torch.float64))
    }
    assert len(html) == 1


def test_table_shows_information_and_distances_at_every_station():
    table = layer_slider(**SMALL).fallback
    assert re.findall(r'scope="col"[^>]*>([^<]*)', table) == ["embedding", "layer 1", "layer 2"]
    names = ["information: MT", "information: LM", "distance: LM–MT"]
    assert re.findall(r'scope="row"[^>]*>([^<]*)', table) == names
    numbers = "2.50 2.00 1.50 2.50 1.12 0.00 0.00 0.25 1.00".split()
    assert re.findall(r">([\d.]+)</td>", table) == numbers
    shades = re.findall(r"rgba\(0, 114, 178, ([\d.]+)\)", table)
    assert shades == "0.38 0.30 0.23 0.38 0.17 0.00 0.00 0.11 0.45".split()
    assert "H(T) = 3.00" in table


def test_four_networks_seven_stations_and_twelve_tokens_stay_light():
    assert len(LAYER_SLIDER.data.encode()) < 30_000
    assert len(gzip.compress(LAYER_SLIDER._repr_html_().encode())) < 20_000


def test_longest_words_and_most_neighbours_stay_below_sixty_kilobytes():
    words = [f"{number:b}".rjust(16, "w") for number in range(96)]
    one = [[(words[8 * token + rank], 0.1234) for rank in range(8)] for token in range(12)]
    made = layer_slider(
        **{
            **ARGUMENTS,
            "sentence": words[:12],
            "neighbours": {name: [one] * 7 for name in ARGUMENTS["networks"]},
        }
    )
    assert len(made.data.encode()) < 60_000


def test_scripts_use_every_label():
    own = [
        module for module in modules(entry("layer_slider")) if module.startswith("layer_slider/")
    ]
    script = "".join(map(read, own))
    labels = json.loads(LAYER_SLIDER.data)["labels"]
    assert set(re.findall(r"labels\.(\w+)", script)) == set(labels) - {"title"}


def near(one: object, *, network: str = "LM", station: int = 1, token: int = 0) -> dict:
    """The neighbours with those of one token replaced."""
    changed = [list(tokens) for tokens in SMALL["neighbours"][network]]
    changed[station][token] = one
    return {"neighbours": {**SMALL["neighbours"], network: changed}}


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"stations": 1}, ValueError, "stations: expected an integer of at least 2, got 1"),
        ({"stations": 14}, ValueError, "stations: expected 2 to 13, got 14"),
        ({"stations": 2.0}, TypeError, "stations: expected an integer, got 2.0"),
        ({"stations": "abc"}, TypeError, "stations: expected a list of strings, got 'abc'"),
        ({"stations": ["in"]}, ValueError, "stations: expected 2 to 13, got 1"),
        ({"stations": ["a", "b", "b"]}, ValueError, "stations: expected each once"),
        ({"networks": []}, ValueError, "networks: expected 1 to 4, got 0"),
        ({"networks": "LM"}, TypeError, "networks: expected a list of strings, got 'LM'"),
        ({"networks": ["LM", 7]}, TypeError, "networks: expected a string, got 7"),
        ({"networks": ["LM", "LM"]}, ValueError, "networks: expected each once"),
        ({"networks": ["LM", "m" * 13]}, ValueError, "networks: expected a word of 1 to 12"),
        ({"networks": list("abcde")}, ValueError, "networks: expected 1 to 4, got 5"),
        (
            {"networks": ["LM", "MLM"]},
            ValueError,
            r"information: .* each of \['LM', 'MLM'\], got \['MT', 'LM'\]",
        ),
        ({"information": [1, 2]}, TypeError, "information: expected a mapping .*, got list"),
        (
            {"information": {"LM": [1, 1], "MT": [1, 1, 1]}},
            ValueError,
            r"information\['LM'\]: expected axes \[station=3\], got shape \(2,\)",
        ),
        (
            {"information": {"LM": [1, 1, 1], "MT": [1, 1, 3.01]}},
            ValueError,
            r"information\['MT'\]: expected numbers in \[0, 3.001\], got 3.01",
        ),
        (
            {"information": {"LM": [1, -0.5, 1], "MT": [1, 1, 1]}},
            ValueError,
            r"information\['LM'\]: expected numbers in \[0, 3.001\], got -0.5",
        ),
        (
            {"information": {"LM": [1, np.nan, 1], "MT": [1, 1, 1]}},
            ValueError,
            r"information\['LM'\]: expected finite numbers",
        ),
        ({"entropy": 0}, ValueError, "entropy: expected a number > 0 and < inf, got 0"),
        ({"entropy": np.inf}, ValueError, "entropy: expected a number > 0 and < inf, got inf"),
        ({"entropy": "much"}, TypeError, "entropy: expected a number, got 'much'"),
        ({"distances": {}}, ValueError, "distances: expected 1 to 6, got 0"),
        ({"distances": [[0, 0, 0]]}, TypeError, "distances: expected a mapping .*, got list"),
        (
            {"distances": {str(number): [0, 0, 0] for number in range(7)}},
            ValueError,
            "distances: expected 1 to 6, got 7",
        ),
        (
            {"distances": {"LM–MT": [0, 0.5, 1.1]}},
            ValueError,
            r"distances\['LM–MT'\]: expected numbers in \[0, 1.001\], got 1.1",
        ),
        ({"sentence": "a b"}, TypeError, "sentence: expected a list of strings, got 'a b'"),
        ({"sentence": ["a"]}, ValueError, "sentence: expected 2 to 12, got 1"),
        ({"sentence": ["a"] * 13}, ValueError, "sentence: expected 2 to 12, got 13"),
        ({"sentence": ["a", ""]}, ValueError, "sentence: .* 1 to 16 letters, got ''"),
        (
            {"points": {"LM": POINTS, "MT": POINTS[:2]}},
            ValueError,
            r"points\['MT'\]: expected axes \[station=3, token=2, coordinate=2\], "
            r"got shape \(2, 2, 2\)",
        ),
        (
            {"points": {"LM": POINTS[0], "MT": POINTS}},
            ValueError,
            r"points\['LM'\]: expected axes \[station=3, token=2, coordinate=2\]",
        ),
        (
            {"neighbours": {"LM": LOST[:2], "MT": KEPT}},
            ValueError,
            r"neighbours\['LM'\]: expected 3 entries, one a station, got 2",
        ),
        (
            {"neighbours": {"LM": LOST, "MT": [*KEPT[:2], KEPT[0][:1]]}},
            ValueError,
            r"neighbours\['MT'\]\[2\]: expected 2 entries, one a token, got 1",
        ),
        (
            {"neighbours": {"LM": LOST, "MT": "near"}},
            TypeError,
            r"neighbours\['MT'\]: expected a sequence, one entry a station, got 'near'",
        ),
        (near([]), ValueError, r"neighbours\['LM'\]\[1\]\[0\]: expected 1 to 8, got 0"),
        (near("a"), TypeError, r"\[1\]\[0\]: expected a sequence of pairs \(type, share\)"),
        (near(["ab"]), TypeError, r"expected pairs \(type, share\), got 'ab'"),
        (near([("a", 0.5, 1)]), TypeError, r"expected pairs \(type, share\), got \('a', 0.5, 1\)"),
        (near([("a", 0)]), ValueError, "share of 'a': expected a number > 0 and <= 1, got 0"),
        (near([("a", "all")]), TypeError, "share of 'a': expected a number, got 'all'"),
        (near([("a", 0.2), ("a", 0.3)]), ValueError, "expected each once"),
        (near([("a", 0.6), ("b", 0.5)]), ValueError, "sum to at most 1, got 1.1"),
        (near([(3, 0.6)]), TypeError, "expected a string, got 3"),
        (near([("w" * 17, 0.6)]), ValueError, "expected a word of 1 to 16 letters"),
    ],
)
def test_wrong_arguments_are_refused_by_name(changes, error, message):
    with pytest.raises(error, match=message):
        payload(**changes)


def test_numbers_may_exceed_their_bounds_by_rounding():
    made = payload(information={"LM": [3.0004, 1, 1], "MT": [1, 1, 1]}, **near([("a", 1.0)]))
    assert made["information"][0][0] == 3.0004
    sixths = [(kind, 0.1667) for kind in "abcdef"]
    assert len(payload(**near(sixths))["neighbours"][0][1][0]) == 6
