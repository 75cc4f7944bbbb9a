"""Drawings of chapter 00: the numbers of the example, worked by hand."""

import math

import pytest

from bottomup.data import by_hand
from bottomup.drawings import warm_up
from tests.drawings.words import written


@pytest.mark.parametrize(
    "word, expected", [("hungry", [2, 0, 0]), ("it", [0, 0, 0]), ("fresh", [0, 0, 2])]
)
def test_scores_for_cat_ate_and_meat(word, expected):
    assert warm_up.scores(word) == expected
    rows = by_hand.rows(*warm_up.FOUND)
    assert (rows @ by_hand.rows(word)[0]).tolist() == expected


def test_the_softmax_of_hungry_is_as_worked_by_hand():
    html = warm_up.softmax()._repr_html_()
    power = math.exp(2)
    assert f"{power:.2f}" == "7.39"
    assert f"{power / (power + 2):.0%}" == "79%"
    assert all(each in html for each in ("7.39", "9.39", "79%", "11%"))


def test_rows_divided_by_the_wrong_sums_do_not_add_up_to_one():
    power = math.exp(2)
    hungry = power / (power + 2) + 1 / 3 + 1 / (power + 2)
    it = 2 / (power + 2) + 1 / 3
    shown = [word for word in written(warm_up.one_sum_a_row()) if word.endswith("%")]
    assert shown == [f"{hungry:.0%}", f"{it:.0%}", f"{hungry:.0%}", *["100%"] * 3]
    assert shown[:2] == ["123%", "55%"]
    assert written(warm_up.one_sum_a_row_open()).count("?") == 3


def test_the_two_models_cost_as_much_as_the_chapter_says():
    costs = [-sum(map(math.log, given)) / 2 for given in warm_up.TWO_MODELS.values()]
    assert [round(cost, 2) for cost in costs] == [0.69, 3.45]
    assert math.prod(warm_up.TWO_MODELS["model A"]) == 0.25
    assert round(math.prod(warm_up.TWO_MODELS["model B"]), 3) == 0.001


def test_the_slopes_are_left_open_before_they_are_shown():
    assert written(warm_up.slopes_open()).count("slope ?") == 2
    assert sum(warm_up.INTO_A) == 1
