"""What the patching board takes, what its table says, and what it refuses."""

import json
import re
from dataclasses import replace

import pytest

from bottomup.explorables import PatchedPair, patching_board

# One layer of one head, two words: the head brings 0.8 back of the first word, the second harms.
EFFECTS = [[0.8, -0.125, 0.7], [0.9, 0.004, 1.0]]
PAIR = PatchedPair(
    "noun",
    ["cat", "."],
    ["dog", "."],
    [],
    ("kat", "hund"),
    effects={"denoising": {"m": EFFECTS}, "noising": {"m": [[0.0] * 3] * 2}},
    weights={"clean": [[[0.75, 0.25]]], "corrupted": [[[0.5, 0.5]]]},
)
METRIC = {"m": "logit"}


def payload(*pairs: PatchedPair) -> dict:
    return json.loads(patching_board(list(pairs), METRIC).data)


def test_payload_holds_hundredths_by_head_and_position():
    board = payload(PAIR)
    [pair] = board["sentences"]
    assert board["heads"] == ["0.0"]
    assert pair["effects"]["denoising"]["m"] == [[80, -12, 70], [90, 0, 100]]
    assert pair["weights"] == {"clean": [[75, 25]], "corrupted": [[50, 50]]}
    assert (pair["clean"], pair["answers"], pair["written"]) == (["cat", "."], ["kat", "hund"], [])


def test_table_shows_denoising_by_the_first_metric():
    shown = patching_board([PAIR], METRIC).fallback
    assert re.findall(r">(-?[\d.]+)</td>", shown) == "0.80 -0.12 0.70 0.90 0.00 1.00".split()
    assert re.findall(r'scope="row"[^>]*>([^<]*)', shown) == ["0.0", "all"]
    assert "Denoising “dog .” with “cat .”: share of the logit" in shown


def effects(denoising: dict, noising: dict) -> dict:
    return {"effects": {"denoising": denoising, "noising": noising}}


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"clean": "cat"}, TypeError, r"pairs\[0\].clean: expected a list of strings"),
        ({"clean": ["cat"]}, ValueError, "clean: expected 2 to 10, got 1"),
        ({"corrupted": ["a"] * 3}, ValueError, "corrupted: expected 2 words as in clean, got 3"),
        ({"corrupted": ["cat", "."]}, ValueError, "corrupted: expected another sentence"),
        ({"written": ["a" * 15]}, ValueError, "written: .* 1 to 14 letters, got 'aaa"),
        ({"answers": ("a",)}, ValueError, "answers: expected 2, got 1"),
        ({"kind": 3}, TypeError, "kind: expected a string, got 3"),
        ({"effects": {"denoising": {}}}, ValueError, "effects: .* each of .'denoising', 'noising'"),
        (effects({"m": EFFECTS}, {"p": EFFECTS}), ValueError, r"\['noising'\]: expected an entry"),
        (effects({"m": EFFECTS}, {"m": EFFECTS[:1]}), ValueError, r"\[head\+1=2, source\+1=3\]"),
        ({"weights": {"clean": [[[1, 0]]]}}, ValueError, "weights: expected an entry for each"),
        (
            {"weights": {"clean": [[[1, 1]]], "corrupted": [[[1, 0]]]}},
            ValueError,
            r"weights\['clean'\]: expected rows that sum to at most 1, got 2",
        ),
    ],
)
def test_a_wrong_pair_is_refused_by_name(changes, error, message: str):
    with pytest.raises(error, match=message):
        payload(replace(PAIR, **changes))


def test_pairs_and_metrics_are_counted():
    with pytest.raises(ValueError, match="pairs: expected 1 or more, got 0"):
        patching_board([], METRIC)
    with pytest.raises(ValueError, match="metrics: expected 1 to 3, got 0"):
        patching_board([PAIR], {})
