"""Self-attention with a pattern: by hand, against the dense layer under its mask, its start."""

import math

import pytest
import torch
from torch import Tensor

from bottomup.attention import (
    SparsePattern,
    SparseSelfAttention,
)
from bottomup.attention.sparse.patterns import KINDS, WAYS
from tests.attention.heads import multi_head_attention
from tests.drawn import global_seed

BATCH, N, D_MODEL, HEADS = 3, 11, 14, 2
PATTERNS = [(kind, merge) for kind in KINDS for merge in WAYS]
every_pattern = pytest.mark.parametrize("kind, merge", PATTERNS)
in_each_layer = pytest.mark.parametrize("layer", [0, 1])


def layer_of(kind: str = "strided", merge: str = "union", layer: int = 0, d_model: int = D_MODEL):
    """A layer whose biases are not zero, in float64."""
    pattern = SparsePattern(kind=kind, width=3, summary=2, merge=merge)
    with global_seed(2):
        attention = SparseSelfAttention(d_model, HEADS, pattern=pattern, layer=layer)
        for parameter in attention.parameters():
            torch.nn.init.normal_(parameter, std=0.6)
    return attention.double()


def stream(generator: torch.Generator, n: int = N) -> Tensor:
    return torch.randn(BATCH, n, D_MODEL, generator=generator, dtype=torch.float64)


def maps(attention: SparseSelfAttention) -> dict[str, Tensor]:
    """The maps as multi-head attention names them."""
    found = {"W_O": attention.W_P.weight, "b_O": attention.W_P.bias}
    for number, name in enumerate("QKV"):
        rows = slice(number * D_MODEL, (number + 1) * D_MODEL)
        found[f"W_{name}"] = attention.W_QKV.weight[rows]
        found[f"b_{name}"] = attention.W_QKV.bias[rows]
    return found


# ---- What is computed


def test_by_hand():
    attention = SparseSelfAttention(2, 1, pattern=SparsePattern(kind="strided", width=2))
    with torch.no_grad():
        # Queries and keys of zeros: every read position counts alike.
        attention.W_QKV.weight.copy_(torch.cat([torch.zeros(4, 2), torch.eye(2)]))
        attention.W_P.weight.copy_(torch.tensor([[0.0, 1.0], [3.0, 0.0]]))
        attention.W_P.bias.copy_(torch.tensor([10.0, 100.0]))
    x = torch.tensor([[[1.0, 0], [2, 0], [4, 5], [8, 0], [16, 0]]])
    # {0}, {0, 1}, {0, 1, 2}, {1, 2, 3}, {0, 2, 3, 4}
    first, second = [1, 3 / 2, 7 / 3, 14 / 3, 29 / 4], [0, 0, 5 / 3, 5 / 3, 5 / 4]
    output = attention(x)[0]
    assert output[:, 0].tolist() == pytest.approx([10 + each for each in second])
    assert output[:, 1].tolist() == pytest.approx([100 + 3 * each for each in first])
    weights = attention.weights(x)[0, 0]
    assert weights[4].tolist() == [1 / 4, 0, 1 / 4, 1 / 4, 1 / 4]


@every_pattern
@in_each_layer
@pytest.mark.parametrize("n", [1, 2, N])
def test_equals_multi_head_attention_under_the_mask(kind, merge, layer, n, generator):
    attention, x = layer_of(kind, merge, layer), stream(generator, n).requires_grad_()
    mask = attention.pattern.mask(n, num_heads=HEADS, layer=layer)
    dense, weights = multi_head_attention(x, x, x, mask[None], num_heads=HEADS, **maps(attention))
    output = attention(x)
    torch.testing.assert_close(output, dense, rtol=0, atol=1e-12)
    torch.testing.assert_close(attention.weights(x), weights, rtol=0, atol=1e-12)
    weigh = torch.linspace(-1, 2, dense.numel(), dtype=dense.dtype).reshape(dense.shape)
    wanted = [x, *attention.parameters()]
    mine, theirs = (torch.autograd.grad(each, wanted, weigh) for each in (output, dense))
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-11)


def test_as_many_sequences_as_heads_are_not_taken_for_a_mask_of_padding():
    """Layer 1 reads the ends of blocks: at length 1 no head reads, as if all were padding."""
    pattern = SparsePattern(kind="fixed", width=2, summary=1, merge="layers")
    attention = SparseSelfAttention(D_MODEL, HEADS, pattern=pattern, layer=1)
    assert attention.weights(torch.ones(HEADS, 1, D_MODEL)).shape == (HEADS, HEADS, 1, 1)


# ---- Parameters


def test_it_starts_as_the_paper_says():
    d_model = 128
    with global_seed(5):
        attention = SparseSelfAttention(d_model, 4, pattern=SparsePattern(kind="dense", width=1))
    for name, rows in (("W_QKV", 3), ("W_P", 1)):
        linear = getattr(attention, name)
        assert linear.weight.shape == (rows * d_model, d_model)
        std = 0.125 / math.sqrt(d_model)
        assert linear.weight.std().item() == pytest.approx(std, rel=0.03)
        assert linear.weight.mean().item() == pytest.approx(0, abs=std / 30)
        assert not linear.bias.any()


# ---- What is refused

GOOD = {"d_model": 14, "num_heads": 2, "pattern": SparsePattern(kind="strided", width=3)}
HALVED = SparsePattern(kind="fixed", width=3, merge="heads")


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"num_heads": 3}, ValueError, "num_heads: expected a divisor of d_model=14, got 3"),
        ({"pattern": "strided"}, TypeError, "pattern: expected a SparsePattern, got 'strided'"),
        ({"pattern": HALVED, "num_heads": 7}, ValueError, "merge: expected an even number of"),
    ],
)
def test_bad_choices_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        SparseSelfAttention(**{**GOOD, **options})
