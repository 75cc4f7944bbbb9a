"""Drawings of chapter 03: what heads take, worked by hand."""

import re

import numpy as np
import pytest

from bottomup.data import by_hand
from bottomup.drawings import multi_head_attention as drawings
from bottomup.drawings.engine.tables import column_names
from tests.drawings.words import written


def test_the_last_column_is_the_place():
    assert column_names(place=True) == [*by_hand.COLUMNS, "place"]
    cells = [word for word in written(drawings.rows_with_place()) if word.isdigit()]
    assert cells[-5:] == list("12345")


def test_one_head_takes_the_same_whoever_eats():
    """Scores 4, 0, 4, 0, 2: the query (4, 4, 0, 0) on the keys, over the root of 4."""
    four, two = np.exp([4.0, 2.0])
    animal, food = np.array([2 * four + two, 2 * four]) / (2 * four + two + 2)
    for words in drawings.ORDERS:
        assert drawings.takes(words, by_hand.FIRST) == pytest.approx([animal, food])
    shown = written(drawings.one_head())
    assert [shown.count(each) for each in ("46%", "6%", "0.98", "0.92")] == [4, 2, 2, 2]


@pytest.mark.parametrize("kind, scores", [(0, [4, 0, 0, 0, 2]), (1, [0, 0, 4, 0, 0])])
def test_asking_for_an_animal_and_for_a_food_loses_the_order_too(kind, scores):
    powers = np.exp(scores)
    animal, food = powers @ [[2, 0], [0, 0], [0, 2], [0, 0], [1, 0]] / powers.sum()
    for words in drawings.ORDERS:
        assert drawings.takes(words, drawings.asks(kind)) == pytest.approx([animal, food])


@pytest.mark.parametrize(
    "head, scores, took",
    [
        ("early", [6, -4, 2, -8, -10], [(1.96, 0.04), (0.04, 1.96)]),
        ("late", [10, 4, 14, 8, 10], [(0.05, 1.92), (1.94, 0.04)]),
    ],
)
def test_a_head_that_knows_the_place_tells_who_comes_first(head, scores, took):
    for words, expected in zip(drawings.ORDERS, took, strict=True):
        made = drawings.layer(words, drawings.HEADS[head], place=True)
        assert drawings.scores_of_ate(made).tolist() == scores
        assert made.output[drawings.ATE] == pytest.approx(expected, abs=0.005)


def test_early_less_late_says_who_eats_and_their_sum_does_not():
    cells = [word for word in written(drawings.who_eats())
             if re.fullmatch(r"−?\d\.\d\d|eats|is eaten", word)]  # fmt: skip
    assert cells[8:12] == ["2.02", "1.96", "1.98", "2.00"]
    assert cells[12:] == ["1.91", "eats", "−1.89", "is eaten", "−1.91", "is eaten", "1.93", "eats"]
