"""What the names board takes, how it stores scores, what its table says, and what it refuses."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from bottomup.explorables import names_board
from bottomup.results.pretrained import NameScores, name_scores
from tests.explorables.demo import NAME_SCORES, NAMES

MOST_BYTES = 170_000  # in a notebook


def payload(scores: NameScores, examples: list[str] | None = None) -> dict:
    return json.loads(names_board(scores, examples=examples or ["Anna Fischer"]).data)


def test_payload_holds_places_stations_and_lines():
    board = json.loads(NAMES.data)
    assert board["people"] == [[0, 0, 0], [1, 2, 1]]
    assert board["examples"] == [[0, 0], [1, 2], [0, 1]]
    assert board["stations"] == [
        "after the embedding",
        "after attention in layer 1",
        "after layer 1",
    ]
    assert board["ticks"][0] <= board["low"] / board["step"] and 0 in board["ticks"]


def test_table_shows_each_persons_own_profession_after_the_last_layer():
    shown = NAMES.fallback
    people = re.findall(r'scope="row"[^>]*>([^<]*)', shown)
    assert people == ["Anna Fischer", "Bartholomews Featherstone"]
    intact, frozen = NAME_SCORES.intact, NAME_SCORES.frozen
    wanted = [
        array[place] for place in ((0, 0, -1, 0), (1, 2, -1, 1)) for array in (intact, frozen)
    ]
    assert re.findall(r">(-?\d.\d\d)</td>", shown) == [f"{score:.2f}" for score in wanted]
    assert "made for a test" in shown


def test_what_chapter_12_shows_is_light_and_loses_nothing_on_its_way():
    scores = name_scores()
    board = names_board(scores, examples=["Stephen King"])
    assert len(board.data) < MOST_BYTES
    again = replace(scores, intact=scores.intact + 1e-9)  # not a whole step
    assert json.loads(board.data)["scores"] == payload(again, ["Stephen King"])["scores"]


HIGH = np.full((2, 3, 3, 3), 0.9)


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"first": "Anna"}, TypeError, "scores.first: expected a list of strings, got 'Anna'"),
        ({"last": ["Fischer", "King", "King"]}, ValueError, "last: .* each once, got 'King' twice"),
        ({"professions": ["acting"]}, ValueError, "scores.professions: expected 2 to 8, got 1"),
        ({"intact": HIGH[:1]}, ValueError, r"scores.intact: expected axes \[first=2, last=3, stat"),
        ({"frozen": HIGH * 2}, ValueError, r"scores.frozen: .* in \[-1, 1\], got 1.8"),
        ({"frozen": HIGH[:, :, :1]}, ValueError, "scores: expected twice one station and two a la"),
        ({"intact": HIGH, "frozen": -HIGH}, ValueError, "scores: expected them within 1.0"),
        ({"people": [(0, 3, 0)]}, ValueError, r"scores.people\[0\]: .*, got 3"),
        ({"people": [(0, 0)]}, TypeError, r"people\[0\]: expected \(first, last, profession\)"),
    ],
)
def test_wrong_scores_are_refused_by_name(changes, error, message: str):
    with pytest.raises(error, match=message):
        payload(replace(NAME_SCORES, **changes))


def test_examples_are_names_of_the_board():
    with pytest.raises(ValueError, match="examples: .* a last name .* got 'Anna Smith'"):
        payload(NAME_SCORES, ["Anna King", "Anna Smith"])
    with pytest.raises(ValueError, match="examples: expected 1 to 8, got 0"):
        names_board(NAME_SCORES, examples=[])
