import math

import pytest

from bottomup.metrics import bits_per_character, bits_per_token, perplexity


def test_a_uniform_guess_has_the_perplexity_of_its_choices():
    assert perplexity(5 * math.log(7), tokens=5) == pytest.approx(7)


def test_one_bit_for_each_of_eleven_characters():
    assert bits_per_character(11 * math.log(2), characters=11) == pytest.approx(1)


def test_bits_of_three_pixels_by_hand():
    # One in four, one in eight and certain: 2, 3 and 0 bits.
    nats = -math.log(1 / 4) - math.log(1 / 8) - math.log(1)
    assert bits_per_token(nats, tokens=3) == pytest.approx(5 / 3)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: perplexity(-1.0, tokens=1), ValueError, "nats: expected a number"),
        (lambda: bits_per_character(-1.0, characters=1), ValueError, "nats: expected a number"),
        (lambda: bits_per_token(-1.0, tokens=1), ValueError, "nats: expected a number >= 0"),
    ],
)
def test_bad_numbers_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
