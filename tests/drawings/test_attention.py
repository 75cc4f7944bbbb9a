"""Drawings of chapter 01: the numbers of the example, worked by hand."""

import math

import pytest

from bottomup.drawings import attention
from bottomup.drawings.engine.alignments import where_steps_look
from tests.drawings.words import written

GRANDMOTHER, READ, THREE, BOOKS = range(4)


def test_step_2_is_as_worked_by_hand():
    assert attention.hidden(BOOKS, READ) == [0, math.tanh(2), 0, math.tanh(2)]
    assert attention.hidden(BOOKS, BOOKS) == [0, 0, 0, math.tanh(4)]
    scores = [attention.score(BOOKS, key) for key in range(4)]
    assert scores == pytest.approx([-5.784] * 3 + [-2.998], abs=0.001)
    power = math.exp(6 * math.tanh(2) - 3 * math.tanh(4))
    other = 1 / (power + 3)
    assert attention.weights_of(BOOKS) == pytest.approx([other] * 3 + [power * other])
    assert round(power * other, 2) == 0.84


def test_each_step_looks_at_the_word_that_it_needs():
    for role, target in zip(attention.NEEDS, attention.KOREAN, strict=True):
        weights = attention.weights_of(role)
        assert attention.ENGLISH[weights.index(max(weights))].startswith(target)


def test_padding_gets_more_than_two_thirds_and_nothing_once_it_is_masked():
    unmasked, late, early = attention._masked_rows().values()
    assert sum(unmasked[2:]) > 2 / 3
    assert sum(late) == pytest.approx(1 - sum(unmasked[2:]))
    assert early[2:] == [0, 0] and sum(early) == pytest.approx(1)


def test_without_the_tanh_all_rows_are_the_same():
    assert written(attention.no_bend()).count("64%") == 3


def test_what_padding_gets_is_left_open():
    assert "?" in written(attention.padded_batch())


def test_the_error_rate_of_the_links():
    hits = len(attention.LINKED & attention.SURE) + len(attention.LINKED & attention.POSSIBLE)
    error = 1 - hits / (len(attention.LINKED) + len(attention.SURE))
    assert f"{error:.2f}" in attention.links_on_a_grid().says


def test_tables_of_weights_say_at_which_word_each_step_looks_most():
    rows = [[0.1, 0.9], [0.6, 0.4]]
    drawing = where_steps_look([[[1.0]], rows], [["a"], ["b", "c"]], ["x", "y"],
                               headings=["one", "two"])  # fmt: skip
    assert drawing.says == ("Each step, and the word that it looks at most: b → y 90%, c → x 60%.")
    assert {"one", "two", "100%", "90%"} <= set(written(drawing))
    assert where_steps_look([rows], [["b", "c"]], ["x", "y"], says="Said.").says == "Said."
