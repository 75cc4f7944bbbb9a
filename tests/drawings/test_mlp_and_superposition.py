"""Drawings of chapter 04: the stream of *it*, two neurons and two cuts, worked by hand."""

import numpy as np
import pytest

from bottomup.data import by_hand
from bottomup.drawings import mlp_and_superposition as drawings
from bottomup.drawings.mlp_and_superposition import fact, fits, number, stations
from tests.drawings.words import written

CAT, ATE, MEAT, IT, LAST = range(5)
EATS = 2


@pytest.mark.parametrize(
    "value, words", [(2, "2"), (-0.5, "−0.50"), (-0.0001, "0"), (0.966, "0.97"), (-2, "−2")]
)
def test_a_number_is_written_with_its_sign(value, words):
    assert number(value) == words


def test_the_stream_of_it_is_a_sum():
    x0, x1, x2, x3 = stations()[:, IT].round(2).tolist()
    assert x0 == [0, 0, 0, 0, 2]
    assert x1 == [0.97, 0.03, 0, 0, 2]
    assert x2 == [3.30, 0.48, 0, 0, 2]
    assert x3 == [3.30, 0.48, 0.82, 0, 2]
    assert stations("fresh")[3, IT].round(2).tolist() == [0.48, 3.30, -0.82, 0, 2]


@pytest.mark.parametrize(
    "last, added", [("hungry", [2.39, 0, -1.59, 0.82, 0]), ("fresh", [1.59, 0, -2.39, -0.82, 0])]
)
def test_two_neurons_add_to_eats(last, added):
    x2 = stations(last)[2]
    assert fact(x2)[:, EATS].round(2).tolist() == added
    assert not np.delete(fact(x2), EATS, axis=1).any()


def test_neuron_1_counts_animal_less_food_less_state_less_two():
    assert fits(np.array([[5.0, 1, 9, 1, 9]])).tolist() == [[1, -7]]


def test_hungry_and_fresh_change_places_as_the_two_it_do():
    for place in (IT, LAST):
        one, other = (stations(last)[2, place, :2] for last in by_hand.LAST)
        assert one == pytest.approx(other[::-1])


def test_the_lens_finds_the_pronoun_and_then_the_noun():
    shown = written(drawings.lens_of_it())
    assert {"6.60", "1.64", "−1.64"} <= set(shown)
    assert "it with 4, then it with 4, then cat with 6.60" in drawings.lens_of_it().says


def test_both_cuts_leave_nothing_under_eats():
    for last in by_hand.LAST:
        whole, *cut = drawings._left_of_it(last)
        assert whole[EATS]
        assert [row[EATS] for row in cut] == [0, 0]
    assert drawings._left_of_it("hungry")[1].tolist() == list(by_hand.ROWS["it"])


def test_the_norm_of_a_row_is_that_of_the_same_row_made_longer():
    said = drawings.layer_norm_of_cat().says
    assert said.count("(2, −0.50, −0.50, −0.50, −0.50)") == 2


def test_the_unembedding_times_the_last_row_of_it_gives_the_logits():
    drawn = drawings.from_word_to_logits()
    logits = [float(word) for word in written(drawn) if word.replace(".", "").isdigit()]
    table = by_hand.rows(*by_hand.ROWS).double().numpy()
    assert logits == pytest.approx((table @ stations()[-1, IT]).round(2))
    assert "the highest is that of cat, 6.60" in drawn.says
