"""Drawings of chapter 05: what five questions find, worked by hand."""

import pytest

from bottomup.data import by_hand
from bottomup.drawings import encoder_decoder
from bottomup.drawings.engine.tables import where_it_looks
from tests.drawings.words import written

CAT, ATE, MEAT, IT, LAST = range(5)


@pytest.mark.parametrize("last, takes", [("hungry", [3.30, 0.59]), ("fresh", [0.59, 3.30])])
def test_equal_weights_take_another_thing(last, takes):
    found = encoder_decoder.crossed(last)
    assert found.weights.argmax(axis=1).tolist() == [CAT, IT, LAST, MEAT, ATE]
    assert found.weights[encoder_decoder.WHO].round(2).tolist() == [0.02, 0.02, 0.02, 0.93, 0.02]
    assert found.takes[encoder_decoder.WHO].round(2).tolist() == takes


def test_the_memory_is_written_as_it_is():
    words = written(encoder_decoder.memory())
    assert words.count("3.30") == 2 and words.count("fresh") == 1
    keys = written(encoder_decoder.cross_attention())
    assert "−3.59" in keys and set(by_hand.QUESTIONS) <= set(keys)


def test_a_decoders_token_looks_and_the_word_stays_marked():
    drawn = where_it_looks([["cat", "it"]], [[[0.9, 0.1]]], asker="-TOP")
    assert "-TOP gives 90% of its weight to cat" in drawn.says
    with pytest.raises(ValueError, match="word: expected a word of"):
        where_it_looks([["cat"]], [[[1.0]]], asker="-TOP")
