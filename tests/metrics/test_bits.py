import math

import pytest

from bottomup.metrics import bits_per_character, perplexity


def test_a_uniform_guess_has_the_perplexity_of_its_choices():
    assert perplexity(5 * math.log(7), tokens=5) == pytest.approx(7)


def test_a_certain_model_has_perplexity_one():
    assert perplexity(0.0, tokens=3) == 1.0


def test_one_bit_for_each_of_eleven_characters():
    assert bits_per_character(11 * math.log(2), characters=11) == pytest.approx(1)


def test_more_tokens_for_the_same_text_lower_the_perplexity_alone():
    nats = 13 * math.log(2)
    assert perplexity(nats, tokens=13) == pytest.approx(2)
    assert perplexity(nats, tokens=26) == pytest.approx(math.sqrt(2))
    assert bits_per_character(nats, characters=26) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: perplexity(-1.0, tokens=1), ValueError, "nats: expected a number"),
        (
            lambda: perplexity(1.0, tokens=0),
            ValueError,
            "tokens: expected an integer of at least 1",
        ),
        (lambda: perplexity("1", tokens=1), TypeError, "nats: expected a number"),
        (lambda: bits_per_character(-1.0, characters=1), ValueError, "nats: expected a number"),
        (lambda: bits_per_character(1.0, characters=1.5), TypeError, "characters: expected an int"),
    ],
)
def test_bad_numbers_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
