"""Drawings of chapter 10: who may look at whom, what is computed."""

import numpy as np
import pytest

from bottomup.drawings import after_2017, after_2017_memory, after_2017_orders
from bottomup.models import longest_reach
from tests.drawings.words import written

WORDS = after_2017.SENTENCE


@pytest.mark.parametrize(
    "system, before, looked_at",
    [
        ("2017", False, "the cat ate the meat because it"),
        ("BERT", False, "the cat ate the meat because it was hungry"),
        ("Transformer-XL", True, "the cat ate the meat because it"),
        ("XLNet", False, "cat ate meat hungry"),
    ],
)
def test_which_words_it_may_look_at(system, before, looked_at):
    text, *may = after_2017.looked_at(system)
    assert text == before
    assert [word for word, free in zip(WORDS, may, strict=True) if free] == looked_at.split()


def test_without_a_mask_every_prediction_changes():
    marks = written(after_2017.exchange())
    assert marks.count("=") == 8 and marks.count("\N{NOT EQUAL TO}") == 1 + 9


def test_from_both_sides_a_network_names_the_cat():
    left, both = (list(after_2017.named(network)) for network in ("lm", "mlm"))
    assert both[0] == "cat" and "dog" in both[:3]
    assert not {"cat", "dog"} & set(left)
    assert len(left) == len(both) == after_2017.SHOWN


def test_only_in_plain_view_the_losses_differ():
    hidden, seen = after_2017.losses().values()
    assert hidden["100/0/0"] == pytest.approx(hidden["80/10/10"], abs=0.1)
    assert seen["100/0/0"] - seen["80/10/10"] == pytest.approx(2.0, abs=0.1)


def test_two_layers_and_a_memory_reach_two_segments_back():
    states = after_2017_memory.known()
    assert states == {2: [6], 1: [3, 4, 5, 6], 0: [0, 1, 2, 3, 4, 5, 6]}
    last = after_2017_memory.known(query=8)[0]  # the end of a segment, as formula (6) asks
    assert 8 - min(last) == longest_reach(layers=2, segment=3, memory=3)


def test_cat_and_meat_have_one_place_and_two_distances():
    words = written(after_2017_memory.how_far())
    assert words[9:].count("2") == 3 + 1  # the second of each segment, and the distance of meat
    assert after_2017_memory.CAT % 3 == after_2017_memory.MEAT % 3
    assert "5 words back from it, and meat 2" in after_2017_memory.how_far().says


def test_what_is_asked_for_lies_twelve_places_before():
    text, words = after_2017_memory.symbols(), written(after_2017_memory.delay())
    asked = [text[place] for place in (0, 5, 11)]
    assert [word for word in words if len(word) == 1] == [*text, *asked]


def test_a_window_computes_every_position_of_it_again():
    window, memory = after_2017_memory.window_and_memory().panels
    blue = [panel.svg.count('class="box lit"') for panel in (window, memory)]
    assert blue == [4 * 8, 4]
    assert "32" in window.words[-1] and "4" in memory.words[-1]


def test_a_memory_helps_at_the_head_of_a_segment():
    head, rest = after_2017_memory.gained().values()
    assert head == pytest.approx(0.99, abs=0.005) and rest == pytest.approx(0.004, abs=0.005)


def test_words_that_are_named_apart_make_pairs_that_never_come():
    true, apart = (after_2017_orders.pairs(apart=each) for each in (False, True))
    assert np.outer([0.5, 0.3, 0.2], [0.3, 0.2, 0.3, 0.2]) == pytest.approx(apart)
    assert apart[true == 0].sum() == pytest.approx(0.62)
    assert "62%" in written(after_2017_orders.two_words())[-1]


def test_an_order_says_who_is_predicted_when():
    times = [word for word in written(after_2017_orders.orders()) if word.isdigit()]
    assert times == list("12345") + list("45123")
