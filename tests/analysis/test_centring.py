"""Vectors without the mean of their type: by hand, what stays zero, bad input."""

import pytest
import torch

from bottomup.analysis import centred_by_type
from tests.analysis.representations import draw

STATES = torch.tensor([[1.0, 2.0], [5.0, 7.0], [3.0, 4.0], [11.0, 13.0]])
TOKENS = torch.tensor([5, 2, 5, 2])


def test_by_hand():
    # type 5 has the mean (2, 3), type 2 the mean (8, 10)
    wanted = torch.tensor([[-1.0, -1.0], [-3.0, -3.0], [1.0, 1.0], [3.0, 3.0]])
    assert torch.equal(centred_by_type(STATES, TOKENS), wanted)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_equal_vectors_of_a_type_become_exactly_zero(generator, dtype):
    vectors = draw(generator, 3, 5).to(dtype)
    tokens = torch.arange(22) % 3
    found = centred_by_type(vectors[tokens], tokens)
    assert found.dtype == dtype
    if dtype == torch.float64:
        assert found.abs().max() < 1e-15
    else:
        assert not found.any()


def test_centring_twice_changes_nothing(generator):
    states, tokens = draw(generator, 211, 7), torch.randint(13, (211,), generator=generator)
    once = centred_by_type(states, tokens)
    assert (once - states).abs().max() > 0.1
    torch.testing.assert_close(centred_by_type(once, tokens), once, rtol=0, atol=1e-14)


def test_float32_keeps_its_digits_where_a_mean_is_large():
    # the sum of 1003 numbers near 8192 would lose the thousandths in float32
    states = 8192 + (torch.arange(1003) % 2)[:, None] / 512
    found = centred_by_type(states, torch.full((1003,), 3))
    assert found[1].item() == pytest.approx(502 / 1003 / 512, rel=1e-4)
    assert found[0].item() == pytest.approx(-501 / 1003 / 512, rel=1e-4)


@pytest.mark.parametrize(
    ("states", "tokens", "error", "text"),
    [
        (STATES, TOKENS.int(), TypeError, "tokens: expected dtype torch.int64, got torch.int32"),
        (STATES, TOKENS - 3, ValueError, "tokens: expected numbers of at least 0, got -1"),
        (STATES / 0, TOKENS, ValueError, "states: expected finite numbers, got inf"),
    ],
)
def test_bad_input_is_refused(states, tokens, error, text):
    with pytest.raises(error, match=text):
        centred_by_type(states, tokens)
