"""Drawings of chapter 02: the numbers of the example, worked by hand."""

import numpy as np
import pytest

from bottomup.data import by_hand
from bottomup.drawings import self_attention
from bottomup.drawings.engine.tables import column_names, table, where_it_looks
from tests.drawings.words import written

CAT, ATE, MEAT, IT, LAST = range(5)


def test_columns_have_the_names_of_the_example():
    assert column_names() == list(by_hand.COLUMNS)


def test_the_first_layer_is_as_worked_by_hand():
    layer = self_attention.first()
    assert layer.query[IT].tolist() == [0, 0, 0, 4]
    assert layer.key[LAST].tolist() == [1, 0, 0, 2]
    assert layer.dots[IT].tolist() == [0, 0, 0, 0, 8]
    power = np.exp(4)  # 8 divided by the root of 4
    assert layer.weights[IT] == pytest.approx([1 / (power + 4)] * 4 + [power / (power + 4)])
    new = {last: self_attention.first(last) for last in by_hand.LAST}
    rows = {last: layer.x[IT] + layer.output[IT] for last, layer in new.items()}
    assert rows["hungry"].round(2).tolist() == [0.97, 0.03, 0, 0, 2]
    assert rows["fresh"].round(2).tolist() == [0.03, 0.97, 0, 0, 2]


@pytest.mark.parametrize("last, noun", [("hungry", CAT), ("fresh", MEAT)])
def test_the_second_layer_finds_the_noun(last, noun):
    weights = self_attention.second(last).weights[IT]
    assert weights.argmax() == noun
    assert weights[noun] == pytest.approx(0.80, abs=0.005)


def test_under_the_causal_mask_it_looks_at_four_words_alike():
    assert written(self_attention.causal_mask()).count("25%") == 4
    layer = self_attention.attend(self_attention.rows(*self_attention.WORDS["hungry"]),
                                  by_hand.FIRST, causal=True)  # fmt: skip
    assert layer.weights[IT].tolist() == [0.25, 0.25, 0.25, 0.25, 0]


def test_dot_products_are_largest_on_the_diagonal():
    shown = [word for word in written(self_attention.dot_products()) if word.isdigit()]
    dots = np.array(shown, float).reshape(5, 5)
    assert dots.tolist() == [
        [4, 0, 0, 0, 2], [0, 4, 0, 0, 0], [0, 0, 4, 0, 0], [0, 0, 0, 4, 0], [2, 0, 0, 0, 5],
    ]  # fmt: skip


def test_one_point_more_changes_the_smaller_scores_only():
    assert {"99.87% → 99.95%", "93%", "97%"} <= set(written(self_attention.scaling_down()))


def test_four_coins_are_typically_two_from_zero():
    words = written(self_attention.four_coins())
    assert sum(len(word) == 7 for word in words) == 16  # four signs, three spaces
    assert "typical size: 2" in words


def test_order_is_lost_after_one_layer():
    """Each word has the same new row in *cat ate meat* and in *meat ate cat*."""
    new = []
    for words in (["cat", "ate", "meat"], ["meat", "ate", "cat"]):
        layer = self_attention.attend(self_attention.rows(*words), by_hand.FIRST)
        new.append(dict(zip(words, (layer.x + layer.output).round(12).tolist(), strict=True)))
    assert new[0] == new[1]
    assert new[0]["cat"] == pytest.approx([8 / 3, 2 / 3, 0, 0, 0])  # asks for nothing: thirds


def test_cells_may_be_wider_than_high_and_a_zero_stays_in_the_background():
    canvas = self_attention.Canvas(100, 60)
    made = table(canvas, 10, 20, [[0.5, None]], cell=(30, 11), written=[["2", "0"]], look="second")
    assert (made.width, made.height) == (60, 11)
    assert canvas.marks[0] == (
        '<rect class="cell second" x="10" y="20" width="30" height="11" style="--part:0.5"/>'
    )
    assert 'class="masked second"' in canvas.marks[2] and 'class="quiet"' in canvas.marks[3]


TEN = "the dog ran to the cat because it was hungry".split()


def shares(words: list[str], most: int) -> list[float]:
    return [0.82 if place == most else 0.02 for place in range(len(words))]


def test_two_sentences_of_ten_words_and_two_layers_stand_side_by_side():
    layers = [shares(TEN, 9), shares(TEN, 1)]
    drawn = where_it_looks([TEN, TEN], [layers, [layers[0], None]])
    assert len(drawn.panels) == 1
    words = written(drawn)
    assert [words.count(each) for each in ("82%", "2%", "?", "layer 2")] == [3, 27, 10, 2]
    assert "layer 2: it gives 82% of its weight to dog." in drawn.says


def test_more_layers_stand_below_each_other_and_too_many_are_refused():
    drawn = where_it_looks([TEN, TEN], [[shares(TEN, 9)] * 5] * 2)
    assert len(drawn.panels) == 2
    with pytest.raises(ValueError, match="weights: expected fewer layers than 9"):
        where_it_looks([TEN], [[shares(TEN, 9)] * 9])


@pytest.mark.parametrize(
    "sentences, weights, options, says",
    [
        ([["it"], ["it"]], [[[1.0]]], {}, "weights: expected one entry for each of 2 sentences"),
        ([["it", "ran"]], [[[1.0]]], {}, "weights: expected 2, one for each word, got 1"),
        ([["it"]], [[[93.0]]], {}, r"weights: expected numbers from 0 to 1, got \[93.0\]"),
        ([["it"], ["it"]], [[[1.0]], [[1.0]] * 2], {}, "weights: expected as many layers"),
        ([["it"]], [[]], {}, "weights: expected as many layers"),
        ([["dog"]], [[[1.0]]], {}, r"word: expected a word of \['dog'\], got 'it'"),
        ([["it"]], [[[1.0]]], {"names": ("a", "b")}, "names: expected 1, one for each layer"),
    ],
)
def test_where_it_looks_refuses_what_does_not_fit(sentences, weights, options, says):
    with pytest.raises(ValueError, match=says):
        where_it_looks(sentences, weights, **options)
