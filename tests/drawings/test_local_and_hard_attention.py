"""Drawings of chapter 01b: the numbers worked by hand."""

import math

import pytest

from bottomup.drawings import local_and_hard_attention as drawings
from bottomup.drawings.attention import ENGLISH, KOREAN, NEEDS, SECOND


def test_the_other_sentence_has_the_words_that_its_steps_need():
    pairs = {"girl": "girls", "book": "books"}
    for english, korean, needs in (
        (ENGLISH, KOREAN, NEEDS),
        (drawings.OTHER, drawings.OTHER_KOREAN, drawings.OTHER_NEEDS),
    ):
        assert [english[j] for j in needs] == [pairs.get(word, word) for word in korean]


def test_a_score_by_place_is_right_in_the_sentence_it_was_made_for_alone():
    share = math.exp(3) / (math.exp(3) + 3)
    rows = drawings.by_place()
    assert [row[needed] for row, needed in zip(rows, NEEDS, strict=True)] == [share] * 4
    looked = [row.index(max(row)) for row in rows]
    assert not any(a == b for a, b in zip(looked, drawings.OTHER_NEEDS, strict=True))
    assert drawings.found_by_hand()["location"] == (4, 8)


def test_two_steps_do_not_see_their_word_through_the_window():
    rows = drawings.in_window()
    assert [rows[i][needed] is None for i, needed in enumerate(NEEDS)] == [False, True, False, True]
    assert rows[SECOND - 2] == [pytest.approx(1 / 3)] * 3 + [None]
    assert drawings.found_by_hand()["general-local_m"] == (2, 4)


def test_the_gaussian_takes_weight_away():
    # The distances from "three" are 2, 1, 0 and 1, and the width is 1.
    heights = [math.exp(-2), math.exp(-0.5), 1, math.exp(-0.5)]
    assert drawings.bells() == pytest.approx(heights)
    product = drawings.under_the_bell()
    assert [round(100 * share) for share in product] == [1, 3, 5, 51]
    assert round(100 * sum(product)) == 60


def test_without_a_baseline_every_draw_lowers_its_own_word_and_with_it_books_rises():
    rewards = [math.log(share) for share in drawings.RIGHT]
    middle = sum(rewards) / 4
    plain = [drawings.pushes_of(drawn) for drawn in range(4)]
    calmer = [drawings.pushes_of(drawn, middle) for drawn in range(4)]
    assert all(plain[j][j] < 0 for j in range(4))
    assert plain[SECOND][SECOND] == pytest.approx(0.75 * math.log(0.8))
    assert calmer[SECOND][SECOND] == pytest.approx(0.75 * (math.log(0.8) - middle))
    for first, second in zip(zip(*plain, strict=True), zip(*calmer, strict=True), strict=True):
        assert sum(first) == pytest.approx(sum(second))
