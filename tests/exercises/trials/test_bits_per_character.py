"""Bits per character: the library's function, and what is said about a power that overflows."""

import math

import pytest

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from bottomup.metrics import bits_per_character

EXERCISE = catalog()["bits-per-character"]


@pytest.mark.parametrize("case", EXERCISE.cases, ids=lambda case: case.name)
def test_the_library_gives_the_same(case):
    perplexity, tokens, text = case.inputs.values()
    nats = tokens * math.log(perplexity)
    expected = bits_per_character(nats, characters=len(text))
    assert EXERCISE.solution(perplexity, tokens, text) == pytest.approx(expected)


def test_a_power_that_overflows_is_shown_with_its_line():
    report = examine(EXERCISE, lambda p, n, text: math.log2(p**n) / len(text))
    assert "OverflowError" in report.message
    assert report.mistake is None
