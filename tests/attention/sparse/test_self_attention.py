"""Self-attention with a pattern: by hand, against the dense layer under its mask, its start."""

import math

import pytest
import torch
from torch import Tensor

from bottomup.attention import (
    SparsePattern,
    SparseSelfAttention,
    merge_heads,
    split_heads,
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


@every_pattern
@in_each_layer
def test_weights_sum_to_one_over_the_pattern_and_reproduce_the_output(
    kind, merge, layer, generator
):
    attention, x = layer_of(kind, merge, layer), stream(generator)
    weights, mask = attention.weights(x), attention.pattern.mask(N, num_heads=HEADS, layer=layer)
    assert weights.shape == (BATCH, HEADS, N, N)
    assert torch.equal(weights > 0, mask.expand_as(weights))
    wanted = mask.any(dim=-1).double().expand(BATCH, HEADS, N)  # 0 where nothing can be read
    torch.testing.assert_close(weights.sum(dim=-1), wanted, rtol=0, atol=1e-12)
    values = split_heads(attention.W_QKV(x)[..., 2 * D_MODEL :], HEADS)
    torch.testing.assert_close(
        attention(x), attention.W_P(merge_heads(weights @ values)), rtol=0, atol=1e-12
    )


def test_a_position_without_a_summary_writes_the_bias_alone(generator):
    attention, x = layer_of("fixed", "layers", layer=1), stream(generator)
    assert torch.equal(attention(x)[:, 0], attention.W_P.bias.expand(BATCH, -1))
    assert attention.weights(x)[:, :, 0].abs().max() == 0
    assert (attention(x)[:, 1] != attention.W_P.bias).any()


@every_pattern
@in_each_layer
def test_the_future_changes_nothing_bit_for_bit(kind, merge, layer, generator):
    attention, x = layer_of(kind, merge, layer).float(), stream(generator).float()
    before, weights = attention(x), attention.weights(x)
    for first in range(1, N):
        changed = x.clone()
        changed[:, first:] = torch.randn(BATCH, N - first, D_MODEL, generator=generator) * 9
        assert torch.equal(attention(changed)[:, :first], before[:, :first])
        assert torch.equal(attention.weights(changed)[:, :, :first], weights[:, :, :first])


def test_runs_on_every_device(device, generator):
    attention, x = layer_of(), stream(generator)
    wanted, atol = attention(x), 1e-12 if device.type == "cpu" else 1e-9
    attention, x = attention.to(device), x.to(device)
    torch.testing.assert_close(attention(x).cpu(), wanted, rtol=0, atol=atol)
    assert attention.weights(x).device.type == device.type


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


@every_pattern
def test_under_one_seed_all_patterns_start_alike(kind, merge):
    started = []
    for pattern in (SparsePattern(kind="dense", width=1), SparsePattern(kind=kind, width=5)):
        with global_seed(3):
            started.append(SparseSelfAttention(14, 2, pattern=pattern).state_dict())
    assert list(started[0]) == ["W_QKV.weight", "W_QKV.bias", "W_P.weight", "W_P.bias"]
    assert all(torch.equal(one, started[1][name]) for name, one in started[0].items())


# ---- What is refused

GOOD = {"d_model": 14, "num_heads": 2, "pattern": SparsePattern(kind="strided", width=3)}
HALVED = SparsePattern(kind="fixed", width=3, merge="heads")


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"d_model": 0}, ValueError, "d_model: expected an integer of at least 1, got 0"),
        ({"d_model": 14.0}, TypeError, "d_model: expected an integer, got 14.0"),
        ({"num_heads": 0}, ValueError, "num_heads: expected an integer of at least 1, got 0"),
        ({"num_heads": 3}, ValueError, "num_heads: expected a divisor of d_model=14, got 3"),
        ({"layer": -1}, ValueError, "layer: expected an integer of at least 0, got -1"),
        ({"pattern": "strided"}, TypeError, "pattern: expected a SparsePattern, got 'strided'"),
        (
            {"pattern": HALVED, "num_heads": 7},
            ValueError,
            "merge: expected an even number of heads .*, got 7",
        ),
    ],
)
def test_bad_choices_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        SparseSelfAttention(**{**GOOD, **options})


@pytest.mark.parametrize("call", [SparseSelfAttention.forward, SparseSelfAttention.weights])
@pytest.mark.parametrize(
    "x, error, message",
    [
        (torch.zeros(2, 5, 13), ValueError, r"x: expected axes \[batch, n, d_model=14\]"),
        (torch.zeros(5, 14), ValueError, r"x: expected axes \[batch, n, d_model=14\]"),
        (torch.zeros(2, 0, 14), ValueError, "x: axis n must not be empty"),
        (torch.zeros(2, 5, 14).long(), TypeError, "x: expected a floating-point tensor"),
        (torch.zeros(2, 5, 14).double(), TypeError, "x: expected the dtype torch.float32 of W_QKV"),
    ],
)
def test_a_bad_stream_is_refused(call, x, error, message):
    with pytest.raises(error, match=message):
        call(SparseSelfAttention(**GOOD), x)
