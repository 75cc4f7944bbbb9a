"""What the alignment explorer takes, what it makes of it, and how it refuses what is wrong."""

import json
from dataclasses import replace

import pytest
import torch

from bottomup.data import minilang
from bottomup.explorables import AlignedSentence, alignment_explorer
from tests.explorables.demo import CAT, CURVES, LETTER


def payload(sentences=(CAT, LETTER), curves=CURVES) -> dict:
    return json.loads(alignment_explorer(list(sentences), curves).data)


def test_payload_holds_sentences_scores_and_curves():
    made = payload()
    assert [score["name"] for score in made["scores"]] == ["dot", "bahdanau"]
    assert [sentence["title"] for sentence in made["sentences"]] == [
        "the cat ate two apples.", "the letter is short.",
    ]  # fmt: skip
    cat = made["sentences"][0]
    assert cat["target"][:2] == ["고양이", "-는"]
    assert cat["links"][:2] == [[0, 1, 1], [1, 0, 0]]
    assert cat["weights"]["dot"][6] == [0, 0, 0.75, 0.1235, 0, 0.1]
    curves = made["curves"]
    assert curves["bins"] == [[4, 4], [5, 5], [6, 6], [7, 8], [9, 10], [11, 12]]
    assert curves["scores"]["dot"]["mean"] == [0.89, 0.86, 0.85, 0.79, 0.68, 0.47]
    assert curves["scores"]["dot"]["low"][-1] == 0.44
    assert curves["fixed"]["high"][0] == 0.85
    assert (curves["seeds"], curves["trained"]) == (2, 10)


@pytest.mark.parametrize(
    "seeds, fixed, note",
    [
        (2, [[0.5] * 6] * 2, "Lines: mean over 2 seeds. Bands: minimum to maximum."),
        (2, [[0.5] * 6], "Lines: mean over seeds. Bands: minimum to maximum."),
        (1, [[0.5] * 6], "One seed each."),
    ],
)
def test_note_says_over_how_many_seeds_where_all_curves_agree(seeds, fixed, note):
    runs = {score: each[:seeds] for score, each in CURVES.accuracy.items()}
    curves = replace(CURVES, accuracy=runs, fixed_vector=fixed)
    assert payload(curves=curves)["labels"]["spread"] == note


def test_sentences_of_the_mini_language_fit_as_they_are():
    pair = minilang.load(20, seed=0).train[0]
    uniform = torch.full((len(pair.target), len(pair.source)), 1 / (len(pair.source) + 1))
    sentence = AlignedSentence(
        source=pair.source,
        target=pair.target,
        romanised=[minilang.romanise(token) for token in pair.target],
        glosses=[minilang.gloss(token) for token in pair.target],
        links=pair.links,
        weights={"dot": uniform, "bahdanau": uniform},
    )
    shown = payload([sentence])["sentences"][0]
    assert len(shown["links"]) == len(pair.links)
    assert shown["source"] == list(pair.source)


def test_table_shows_rows_columns_and_gold_links():
    table = alignment_explorer([CAT], CURVES).fallback
    assert table.count("<tr>") == 1 + len(CAT.target)
    assert table.count('scope="col"') == len(CAT.source)
    assert table.count("<b><u>") == sum(sure for _, _, sure in CAT.links)
    assert table.count("<b>") == len(CAT.links)
    assert "<b><u>0.75</u></b>" in table and ">0.12</td>" in table
    assert "“the cat ate two apples.”" in table


ROWS = CAT.weights["dot"]


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"romanised": ["a"]}, ValueError, r"\[0\].romanised: expected 10 strings, got 1"),
        ({"glosses": ["a"] * 11}, ValueError, r"\[0\].glosses: expected 10 strings, got 11"),
        ({"source": []}, ValueError, r"\[0\].source: expected 1 or more, got 0"),
        ({"target": "먹다"}, TypeError, r"\[0\].target: expected a list of strings"),
        ({"links": [(0, 6, True)]}, ValueError, r"links: source: .* an integer below 6, got 6"),
        ({"links": [(-1, 0, True)]}, ValueError, r"links: target: .* at least 0, got -1"),
        ({"links": [(0, 1)]}, TypeError, r"expected \(target, source, sure\), got \(0, 1\)"),
        ({"links": [(0.0, 1, True)]}, TypeError, "expected an integer, got 0.0"),
        ({"links": [(0, 1, True), (0, 1, False)]}, ValueError, r"got \(0, 1\) twice"),
        ({"weights": {}}, ValueError, r"\[0\].weights: expected 1 or more, got 0"),
        ({"weights": {"cosine": ROWS}}, ValueError, "expected one of 'bahdanau', .* got 'cosine'"),
        ({"weights": {"dot": ROWS[:9]}}, ValueError, r"axes \[target=10, source=6\], got"),
        ({"weights": {"dot": [[-0.1] * 6] * 10}}, ValueError, "of at least 0, got -0.1"),
    ],
)
def test_a_wrong_sentence_is_refused_by_name(change, error, message):
    runs = {"dot": CURVES.accuracy["dot"]} if "weights" in change else CURVES.accuracy
    with pytest.raises(error, match=message):
        payload([replace(CAT, **change)], replace(CURVES, accuracy=runs))


def test_sentences_with_other_scores_and_none_are_refused():
    fewer = replace(LETTER, weights={"dot": LETTER.weights["dot"]})
    with pytest.raises(ValueError, match=r"sentences\[1\].weights: .* each of \['dot'"):
        payload([CAT, fewer])
    with pytest.raises(ValueError, match="sentences: expected 1 or more, got 0"):
        payload([])


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"bins": [(4, 7), (7, 9)]}, ValueError, "increase and do not overlap, got"),
        ({"bins": [(7, 4), (8, 9)]}, ValueError, "increase and do not overlap, got"),
        ({"bins": [(4, 7)]}, ValueError, "bins: expected 2 or more, got 1"),
        ({"bins": [4, 7]}, TypeError, r"expected \(shortest, longest\), got 4"),
        ({"bins": [(4,), (7,)]}, TypeError, r"expected \(shortest, longest\), got \(4,\)"),
        ({"bins": [(0, 1), (2, 3)]}, ValueError, "bins: expected an integer of at least 1, got 0"),
        ({"bins": [(4, 7), (8, 9)]}, ValueError, r"\['dot'\]: .* axes \[seeds, bins=2\], got"),
        ({"accuracy": {"dot": [[0.5] * 6]}}, ValueError, "accuracy: expected an entry for each"),
        ({"fixed_vector": [0.5] * 6}, ValueError, r"fixed_vector: .* axes \[seeds, bins=6\]"),
        ({"fixed_vector": [[1.5] * 6]}, ValueError, r"numbers in \[0, 1\], got 1.5"),
        ({"longest_trained": 0}, ValueError, "longest_trained: expected an integer of at least 1"),
    ],
)
def test_wrong_curves_are_refused_by_name(change, error, message):
    with pytest.raises(error, match=message):
        payload([CAT], replace(CURVES, **change))
