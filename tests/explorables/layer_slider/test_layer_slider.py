"""What the layer slider takes, how small it stays, and how it refuses what is wrong."""

import json
import re

import numpy as np
import pytest

from bottomup.explorables import layer_slider

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
    assert made["stations"] == ["embedding", "layer 1", "layer 2"]
    assert made["networks"] == ["LM", "MT"]
    assert made["information"] == [[2.5, 1.1235, 0], [2.5, 2, 1.5]]
    assert made["entropy"] == 3
    assert (made["pairs"], made["distances"]) == (["LM–MT"], [[0, 0.25, 1]])
    assert made["tokens"] == ["a", "b"]
    assert made["points"][0][0] == [[0, 1], [2, 3.1235]]


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


def information(curve: list[float]) -> dict:
    return {"information": {"LM": curve, "MT": [1, 1, 1]}}


def near(one: object, *, network: str = "LM", station: int = 1, token: int = 0) -> dict:
    """The neighbours with those of one token replaced."""
    changed = [list(tokens) for tokens in SMALL["neighbours"][network]]
    changed[station][token] = one
    return {"neighbours": {**SMALL["neighbours"], network: changed}}


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"stations": 1}, ValueError, "stations: expected an integer of at least 2, got 1"),
        ({"stations": 14}, ValueError, "stations: expected an integer below 14, got 14"),
        ({"stations": 2.0}, TypeError, "stations: expected an integer, got 2.0"),
        ({"networks": ["LM", "LM"]}, ValueError, "networks: expected each once"),
        ({"networks": ["LM", "m" * 13]}, ValueError, "networks: expected a word of 1 to 12"),
        ({"networks": list("abcde")}, ValueError, "networks: expected 1 to 4, got 5"),
        ({"networks": ["LM", "MLM"]}, ValueError, r"information: .* each of \['LM', 'MLM'\], got"),
        (information([1, 1]), ValueError, r"\['LM'\]: .* axes \[station=3\], got shape \(2,\)"),
        (information([1, 1, 3.01]), ValueError, r"numbers in \[0, 3.001\], got 3.01"),
        ({"entropy": 0}, ValueError, "entropy: expected a number > 0 and < inf, got 0"),
        ({"entropy": np.inf}, ValueError, "entropy: expected a number > 0 and < inf, got inf"),
        ({"distances": dict.fromkeys("abcdefg", [0] * 3)}, ValueError, "expected 1 to 6, got 7"),
        ({"distances": {"a": [0, 0.5, 1.1]}}, ValueError, r"\['a'\]: .* in \[0, 1.001\], got 1.1"),
        ({"sentence": ["a"] * 13}, ValueError, "sentence: expected 2 to 12, got 13"),
        ({"sentence": ["a", "b" * 17]}, ValueError, "sentence: .* 1 to 16 letters, got 'bbbb"),
        ({"points": {"LM": POINTS, "MT": POINTS[:2]}}, ValueError, "points.*expected axes"),
        ({"neighbours": {"LM": LOST[:2], "MT": KEPT}}, ValueError, "3 entries, one a station"),
        (
            {"neighbours": {"LM": LOST, "MT": [*KEPT[:2], KEPT[0][:1]]}},
            ValueError,
            r"neighbours\['MT'\]\[2\]: expected 2 entries, one a token, got 1",
        ),
        ({"neighbours": {"LM": LOST, "MT": "near"}}, TypeError, "expected a sequence, one entry a"),
        (near([]), ValueError, r"neighbours\['LM'\]\[1\]\[0\]: expected 1 to 8, got 0"),
        (near("a"), TypeError, r"\[1\]\[0\]: expected \(type, share\), got 'a'"),
        (near(["ab"]), TypeError, r"expected \(type, share\), got 'ab'"),
        (near([("a", 0.5, 1)]), TypeError, r"expected \(type, share\), got \('a', 0.5, 1\)"),
        (near([("a", 0)]), ValueError, "share of 'a': expected a number > 0 and <= 1, got 0"),
        (near([("a", 0.2), ("a", 0.3)]), ValueError, "expected each once"),
        (near([("a", 0.6), ("b", 0.5)]), ValueError, "sum to at most 1, got 1.1"),
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
