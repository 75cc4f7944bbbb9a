"""Drawings of chapter 05: what five questions find, worked by hand, and what is left open."""

import re

import pytest

from bottomup.data import by_hand
from bottomup.drawings import Drawing, encoder_decoder
from bottomup.drawings.engine.tables import where_it_looks

CAT, ATE, MEAT, IT, LAST = range(5)


def written(drawing: Drawing) -> list[str]:
    """Return the words of all panels in the order in which they were drawn."""
    return [word for panel in drawing.panels for word in panel.words]


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


@pytest.mark.parametrize(
    "name, open_cells, answers",
    [
        ("cross_attention", 25, {"86%", "93%", "100%"}),
        ("who_is_it", 11, {"0.59", "leaves it out", "writes meat"}),
    ],
)
def test_an_open_drawing_keeps_its_answer(name, open_cells, answers):
    drawn = getattr(encoder_decoder, f"{name}_open")()
    solved = getattr(encoder_decoder, name)()
    assert written(drawn).count("?") == open_cells and "?" not in written(solved)
    heard = set(re.findall(r"[\d.]*\d%?", drawn.says)) | set(written(drawn))
    assert not answers & heard - {"93%"} and answers & set(written(solved))


def test_the_sum_of_word_and_place_is_open_first():
    drawn, solved = encoder_decoder.words_and_places_open(), encoder_decoder.words_and_places()
    assert drawn.panels[0].svg.count("<polygon") == 2
    assert solved.panels[0].svg.count("<polygon") == 3


def test_a_decoders_token_looks_and_the_word_stays_marked():
    drawn = where_it_looks([["cat", "it"]], [[[0.9, 0.1]]], asker="-TOP")
    assert "-TOP gives 90% of its weight to cat" in drawn.says
    with pytest.raises(ValueError, match="word: expected a word of"):
        where_it_looks([["cat"]], [[[1.0]]], asker="-TOP")
