"""Chapter 11's attentions: healthy they are the package's, ill they are ill in one step."""

import pytest
import torch

from bottomup.attention import MultiHeadAttention
from bottomup.experiments.clinic.attention import (
    HeadsReshaped,
    MaskAfterSoftmax,
    NoCausalMask,
    NoRoot,
    SteppedAttention,
    with_attention,
)

BATCH, N, WIDTH, HEADS = 3, 5, 14, 2
MASK = torch.ones(BATCH, 1, N, dtype=torch.bool)
MASK[1, 0, 3:] = False


@pytest.fixture
def attention() -> MultiHeadAttention:
    torch.manual_seed(0)
    return MultiHeadAttention(WIDTH, HEADS)


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(BATCH, N, WIDTH, generator=torch.Generator().manual_seed(1))


def of_kind(kind: type[SteppedAttention], attention: MultiHeadAttention) -> SteppedAttention:
    network = torch.nn.ModuleDict({"attention": attention})
    with_attention(network, kind)
    return network["attention"]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [None, MASK])
def test_step_by_step_it_is_multi_head_attention(attention, x, mask, causal):
    stepped = of_kind(SteppedAttention, attention)
    for got, expected in zip(
        stepped(x, x, x, mask, causal=causal), attention(x, x, x, mask, causal=causal), strict=True
    ):
        torch.testing.assert_close(got, expected)


def test_without_the_causal_mask_only_padding_is_masked(attention, x):
    _, got = of_kind(NoCausalMask, attention)(x, x, x, MASK, causal=True)
    _, expected = attention(x, x, x, MASK)
    torch.testing.assert_close(got, expected)


def test_a_mask_behind_the_softmax_takes_weight_away(attention, x):
    _, got = of_kind(MaskAfterSoftmax, attention)(x, x, x, MASK, causal=True)
    _, free = attention(x, x, x)
    allowed = MASK[:, None] & torch.ones(N, N, dtype=torch.bool).tril()
    torch.testing.assert_close(got, free * allowed)


def test_without_the_root_scores_are_larger_by_it(attention, x):
    _, got = of_kind(NoRoot, attention)(x, x, x)
    with torch.no_grad():
        attention.W_Q.weight *= (WIDTH / HEADS) ** 0.5
        attention.W_Q.bias *= (WIDTH / HEADS) ** 0.5
    _, expected = attention(x, x, x)
    torch.testing.assert_close(got, expected)


def test_reshaped_heads_hold_numbers_of_other_positions(attention):
    ill = of_kind(HeadsReshaped, attention)
    x = torch.arange(4.0 * 6).reshape(1, 4, 6)  # four positions of width six, two heads
    split = ill.split(x)
    assert split[0, 0].tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    torch.testing.assert_close(ill.merge(split), x)
