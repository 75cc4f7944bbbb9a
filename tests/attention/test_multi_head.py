import math

import pytest
import torch
from torch import Tensor

from bottomup.attention import (
    MultiHeadAttention,
    attention_for,
    merge_heads,
    split_heads,
)
from bottomup.masks import causal_mask
from tests.attention.heads import multi_head_attention
from tests.drawn import global_seed, learned, randn, seeded

BATCH, QUERY, KEY, HEADS, D_HEAD, D_VALUE = 2, 5, 7, 3, 2, 5
D_MODEL = 11


def layer_of(num_heads: int = HEADS, d_model: int = D_MODEL, **options) -> MultiHeadAttention:
    """A module whose biases are not zero."""
    options = {"d_head": D_HEAD, "d_value": D_VALUE, **options}
    with global_seed(1):
        return learned(MultiHeadAttention(d_model, num_heads, **options)).double()


def inputs() -> tuple[Tensor, Tensor, Tensor]:
    return (
        randn(BATCH, QUERY, D_MODEL, seed=2),
        randn(BATCH, KEY, D_MODEL, seed=3),
        randn(BATCH, KEY, D_MODEL, seed=4),
    )


# ---- Splitting and merging


def test_the_heads_lie_beside_each_other_in_the_width():
    x = torch.tensor([[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]])
    heads = [[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]
    assert split_heads(x, 2).tolist() == [heads]
    assert merge_heads(torch.tensor([heads])).tolist() == x.tolist()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: split_heads(torch.ones(2, 6), 4), "num_heads: expected a divisor of width=6,"),
        (lambda: split_heads(torch.ones(2, 6), 0), "num_heads: expected an integer of at least"),
    ],
)
def test_what_cannot_be_split_or_merged_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- Values


def test_two_heads_by_hand():
    # Head 1 looks at the first number of a position, head 2 at the second; both are one wide.
    x = torch.tensor([[[0.0, math.log(3)], [1.0, 0.0]]])
    identity = torch.eye(2)
    output, weights = multi_head_attention(
        x, x, x, num_heads=2, W_Q=identity, W_K=identity, W_V=identity,
        W_O=torch.tensor([[1.0, 0.0], [10.0, 100.0]]),
    )  # fmt: skip
    e, three = math.e, 3 ** math.log(3)  # the scores are 1 for e and ln 3 · ln 3 for three
    head_1 = [[0.5, 0.5], [1 / (1 + e), e / (1 + e)]]
    head_2 = [[three / (1 + three), 1 / (1 + three)], [0.5, 0.5]]
    assert torch.allclose(weights, torch.tensor([[head_1, head_2]]))
    read_1, read_2 = [0.5, e / (1 + e)], [math.log(3) * row[0] for row in head_2]
    expected = [[a, 10 * a + 100 * b] for a, b in zip(read_1, read_2, strict=True)]
    assert torch.allclose(output, torch.tensor([expected]))


@pytest.mark.parametrize("need_weights", [True, False])
def test_causal_said_is_the_causal_mask_given(need_weights):
    layer, (x, *_), attend = layer_of(), inputs(), attention_for(need_weights)
    said, _ = layer(x, x, x, causal=True, attend=attend)
    given, _ = layer(x, x, x, causal_mask(QUERY), attend=attend)
    assert torch.allclose(said, given, atol=1e-12)
    mask = allowed(BATCH, QUERY, QUERY)
    both, _ = layer(x, x, x, mask, causal=True, attend=attend)
    assert torch.allclose(both, layer(x, x, x, mask & causal_mask(QUERY))[0], atol=1e-12)


# ---- Masks


def allowed(*shape: int) -> Tensor:
    """A mask that forbids about a third, and never the first key."""
    mask = torch.rand(shape, generator=seeded(9)) < 0.67
    mask[..., 0] = True
    return mask


@pytest.mark.parametrize(
    "mask, four_axes",
    [
        (allowed(KEY), lambda mask: mask[None, None, None]),
        (allowed(QUERY, KEY), lambda mask: mask[None, None]),
        (allowed(BATCH, QUERY, KEY), lambda mask: mask[:, None]),
        (allowed(BATCH, 1, KEY), lambda mask: mask[:, None]),
        (allowed(1, QUERY, KEY), lambda mask: mask[:, None]),
        (allowed(1, HEADS, QUERY, KEY), lambda mask: mask),
        (allowed(BATCH, 1, QUERY, KEY), lambda mask: mask),
    ],
    ids=lambda value: "x".join(map(str, value.shape)) if isinstance(value, Tensor) else "",
)
def test_a_mask_counts_for_the_heads_it_names(mask, four_axes):
    layer, tensors = layer_of(), inputs()
    weights = layer(*tensors, mask)[1]
    full = four_axes(mask).expand(BATCH, HEADS, QUERY, KEY)
    assert torch.equal(weights > 0, full)
    assert torch.allclose(layer(*tensors, full)[1], weights, atol=1e-12)


# ---- Heads that are off


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_a_head_that_is_off_leaves_its_term_out_of_the_sum(masked, need_weights):
    layer, tensors = layer_of(), inputs()
    mask = allowed(BATCH, QUERY, KEY) if masked else None
    on = torch.tensor([True, False, True])
    output, weights = layer(*tensors, mask, head_mask=on, attend=attention_for(need_weights))
    _, all_weights = layer(*tensors, mask)
    columns = slice(D_VALUE, 2 * D_VALUE)
    read = all_weights[:, 1] @ layer.W_V(tensors[2])[..., columns]
    term = read @ layer.W_O.weight[:, columns].T
    assert torch.allclose(output, layer(*tensors, mask)[0] - term, atol=1e-12)
    if weights is not None:
        assert weights[:, 1].abs().sum() == 0
        assert torch.equal(weights[:, on], all_weights[:, on])


def test_each_sequence_may_have_other_heads_off():
    layer, (query, key, value) = layer_of(), inputs()
    on = torch.tensor([[True, False, True], [False, True, False]])
    together, _ = layer(query, key, value, head_mask=on)
    for number in range(BATCH):
        one = slice(number, number + 1)
        alone, _ = layer(query[one], key[one], value[one], head_mask=on[number])
        assert torch.allclose(together[one], alone, atol=1e-12)


# ---- Training


def test_dropout_acts_during_training_only():
    layer, tensors = layer_of(dropout=0.6), inputs()
    with global_seed(0):
        dropped, weights = layer(*tensors)
        assert not torch.allclose(layer(*tensors)[0], dropped)
    layer.eval()
    output, kept = layer(*tensors)
    assert torch.equal(layer(*tensors)[0], output)
    assert not torch.allclose(output, dropped)
    assert torch.equal(weights, kept)  # before dropout


def test_the_maps_start_as_glorot_draws_them_and_the_biases_as_zeros():
    with global_seed(3):
        layer = MultiHeadAttention(97, 7, d_head=5, d_value=11)
    for linear in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O):
        bound = math.sqrt(6 / sum(linear.weight.shape))
        assert 0.95 * bound < linear.weight.abs().max() <= bound
        assert linear.bias.abs().sum() == 0


def test_the_widths_are_as_asked():
    layer = MultiHeadAttention(12, 3)
    assert (layer.d_head, layer.d_value) == (4, 4)
    assert MultiHeadAttention(12, 3, d_head=5).d_value == 5
    narrow = layer_of(bias=False)
    assert [tuple(p.shape) for p in narrow.parameters()] == [(6, 11), (6, 11), (15, 11), (11, 15)]


# ---- Bad input


def call_with(**options: object) -> object:
    query, key = torch.ones(BATCH, QUERY, 6), torch.ones(BATCH, KEY, 6)
    return MultiHeadAttention(6, HEADS)(query, key, key, **options)


def true(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.bool)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"mask": true(BATCH, 4, QUERY, KEY)}, r"mask: expected a shape that broadcasts to \(2,"),
        (
            {"mask": true(HEADS, QUERY, KEY)},
            r"mask: expected three axes \[batch=2, query=5, key=7\], got \(3, 5, 7\); a mask for "
            r"each head has four, \[batch, head=3, query, key\]",
        ),
        ({"head_mask": true(4)}, r"head_mask: expected a shape that broadcasts to \(2, 3\), got"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        call_with(**changes)


def test_heads_that_do_not_divide_the_width_are_refused():
    message = "num_heads: expected a divisor of d_model=7, got 3; with d_head given"
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(7, 3)


@pytest.mark.parametrize("need_weights", [True, False])
def test_causality_needs_as_many_queries_as_keys(need_weights):
    with pytest.raises(ValueError, match="causal: expected as many queries as keys, got 5 and 7"):
        call_with(causal=True, attend=attention_for(need_weights))
