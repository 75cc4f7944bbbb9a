import math

import pytest

from bottomup.metrics import bits_per_character, bits_per_token, perplexity


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


def test_bits_of_three_pixels_by_hand():
    # One in four, one in eight and certain: 2, 3 and 0 bits.
    nats = -math.log(1 / 4) - math.log(1 / 8) - math.log(1)
    assert bits_per_token(nats, tokens=3) == pytest.approx(5 / 3)


def test_a_uniform_guess_among_grey_levels_needs_the_logarithm_of_their_number():
    assert bits_per_token(5 * math.log(17), tokens=5) == pytest.approx(4.087463)


def test_bits_and_perplexity_of_a_token_say_the_same():
    bits = bits_per_token(7.3, tokens=11)
    assert 2**bits == pytest.approx(perplexity(7.3, tokens=11))


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
        (lambda: bits_per_token(-1.0, tokens=1), ValueError, "nats: expected a number >= 0"),
        (lambda: bits_per_token(math.nan, tokens=1), ValueError, "nats: expected a number >= 0"),
        (lambda: bits_per_token(1.0, tokens=0), ValueError, "tokens: expected an integer of at le"),
        (lambda: bits_per_token(1.0, tokens=2.0), TypeError, "tokens: expected an integer, got 2"),
    ],
)
def test_bad_numbers_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
