import math

import pytest
import torch
from torch import Tensor

from bottomup.attention import (
    MultiHeadAttention,
    attention_for,
    fused_attention,
    merge_heads,
    scaled_dot_product_attention,
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


def maps() -> dict[str, Tensor]:
    return {
        "W_Q": randn(HEADS * D_HEAD, D_MODEL, seed=5),
        "W_K": randn(HEADS * D_HEAD, D_MODEL, seed=6),
        "W_V": randn(HEADS * D_VALUE, D_MODEL, seed=7),
        "W_O": randn(D_MODEL, HEADS * D_VALUE, seed=8),
    }


# ---- Splitting and merging


def test_the_heads_lie_beside_each_other_in_the_width():
    x = torch.tensor([[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]])
    heads = [[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]
    assert split_heads(x, 2).tolist() == [heads]
    assert merge_heads(torch.tensor([heads])).tolist() == x.tolist()


def test_splitting_copies_nothing():
    x = randn(BATCH, QUERY, HEADS * D_HEAD)
    split = split_heads(x, HEADS)
    assert split.shape == (BATCH, HEADS, QUERY, D_HEAD)
    assert split.data_ptr() == x.data_ptr()


@pytest.mark.parametrize("leading", [(), (BATCH,), (2, BATCH)], ids=str)
def test_merging_undoes_splitting_whatever_stands_in_front(leading):
    x = randn(*leading, QUERY, HEADS * D_HEAD)
    assert torch.equal(merge_heads(split_heads(x, HEADS)), x)


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda: split_heads(torch.ones(2, 6), 4),
            "num_heads: expected a divisor of width=6, got 4",
        ),
        (
            lambda: split_heads(torch.ones(2, 6), 0),
            "num_heads: expected an integer of at least 1, got 0",
        ),
        (lambda: split_heads(torch.ones(6), 3), r"x: expected axes \[..., n, width\]"),
        (lambda: merge_heads(torch.ones(2, 6)), r"x: expected axes \[..., head, n, d_head\]"),
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


def test_each_head_is_an_attention_of_its_own_slices():
    query, key, value = inputs()
    given = maps()
    output, weights = multi_head_attention(query, key, value, num_heads=HEADS, **given)
    heads = []
    for h in range(HEADS):
        narrow = slice(h * D_HEAD, (h + 1) * D_HEAD)
        wide = slice(h * D_VALUE, (h + 1) * D_VALUE)
        read, of_head = scaled_dot_product_attention(
            query @ given["W_Q"][narrow].T,
            key @ given["W_K"][narrow].T,
            value @ given["W_V"][wide].T,
        )
        heads.append(read)
        assert torch.allclose(weights[:, h], of_head, atol=1e-12)
    assert torch.allclose(output, torch.cat(heads, dim=-1) @ given["W_O"].T, atol=1e-12)


def test_each_map_adds_its_bias():
    layer, (query, key, value) = layer_of(), inputs()
    output, weights = layer(query, key, value)
    read, expected = scaled_dot_product_attention(
        split_heads(query @ layer.W_Q.weight.T + layer.W_Q.bias, HEADS),
        split_heads(key @ layer.W_K.weight.T + layer.W_K.bias, HEADS),
        split_heads(value @ layer.W_V.weight.T + layer.W_V.bias, HEADS),
    )
    assert torch.allclose(weights, expected, atol=1e-12)
    merged = merge_heads(read) @ layer.W_O.weight.T + layer.W_O.bias
    assert torch.allclose(output, merged, atol=1e-12)
    assert output.shape == (BATCH, QUERY, D_MODEL)
    assert weights.shape == (BATCH, HEADS, QUERY, KEY)


@pytest.mark.parametrize("need_weights", [True, False])
def test_causal_said_is_the_causal_mask_given(need_weights):
    layer, (x, *_), attend = layer_of(), inputs(), attention_for(need_weights)
    said, _ = layer(x, x, x, causal=True, attend=attend)
    given, _ = layer(x, x, x, causal_mask(QUERY), attend=attend)
    assert torch.allclose(said, given, atol=1e-12)
    mask = allowed(BATCH, QUERY, QUERY)
    both, _ = layer(x, x, x, mask, causal=True, attend=attend)
    assert torch.allclose(both, layer(x, x, x, mask & causal_mask(QUERY))[0], atol=1e-12)


def test_without_weights_the_output_is_the_same(device):
    layer = layer_of().to(device)
    moved = [tensor.to(device) for tensor in inputs()]
    output, weights = layer(*moved, attend=fused_attention)
    assert weights is None
    assert torch.allclose(output, layer(*moved)[0], atol=1e-12)


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


def test_a_query_that_may_attend_to_nothing_reads_zeros_in_every_head():
    layer, tensors = layer_of(), inputs()
    mask = torch.ones(BATCH, QUERY, KEY, dtype=torch.bool)
    mask[1, 3] = False
    for need_weights in (True, False):
        output, weights = layer(*tensors, mask, attend=attention_for(need_weights))
        assert torch.allclose(output[1, 3], layer.W_O.bias, atol=1e-12)
        assert weights is None or weights[1, :, 3].abs().sum() == 0
    without_bias = layer_of(bias=False)
    assert without_bias(*tensors, mask)[0][1, 3].tolist() == [0.0] * D_MODEL


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


def test_with_every_head_off_only_the_last_bias_is_left():
    layer = layer_of()
    output, _ = layer(*inputs(), head_mask=torch.zeros(HEADS, dtype=torch.bool))
    assert torch.allclose(output, layer.W_O.bias.expand_as(output), atol=1e-12)


def test_no_gradient_reaches_a_head_that_is_off():
    layer = layer_of()
    output, _ = layer(*inputs(), head_mask=torch.tensor([True, True, False]))
    output.sum().backward()
    gradients = layer.W_Q.weight.grad, layer.W_V.weight.grad, layer.W_O.weight.grad.T
    for gradient, width in zip(gradients, (D_HEAD, D_VALUE, D_VALUE), strict=True):
        assert gradient[2 * width :].abs().sum() == 0
        assert gradient[: 2 * width].abs().sum() > 0


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


def test_every_parameter_gets_a_gradient():
    layer = layer_of()
    output, _ = layer(*inputs())
    output.sin().sum().backward()
    reached = {name for name, p in layer.named_parameters() if p.grad.abs().max() > 1e-9}
    # A bias of the keys adds the same number to all scores of a query: the softmax cancels it.
    assert reached == {name for name, _ in layer.named_parameters()} - {"W_K.bias"}


def test_the_widths_are_as_asked():
    layer = MultiHeadAttention(12, 3)
    assert (layer.d_head, layer.d_value) == (4, 4)
    assert MultiHeadAttention(12, 3, d_head=5).d_value == 5
    narrow = layer_of(bias=False)
    assert [tuple(p.shape) for p in narrow.parameters()] == [(6, 11), (6, 11), (15, 11), (11, 15)]


def test_the_printout_shows_the_sizes():
    assert "d_model=11, num_heads=3, d_head=2, d_value=5, dropout=0.0" in repr(layer_of())


# ---- Bad input

WIDTH = 6  # of the model, divisible by the number of heads


def call_with(**changes: object) -> object:
    """Call the module with arguments that fit, but for the changes."""
    arguments: dict[str, object] = {
        "query": torch.ones(BATCH, QUERY, WIDTH),
        "key": torch.ones(BATCH, KEY, WIDTH),
        "value": torch.ones(BATCH, KEY, WIDTH),
    }
    return MultiHeadAttention(WIDTH, HEADS)(**{**arguments, **changes})


def true(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.bool)


def test_the_arguments_that_the_others_change_do_fit():
    output, weights = call_with()
    assert output.shape == (BATCH, QUERY, WIDTH)
    assert weights.shape == (BATCH, HEADS, QUERY, KEY)


@pytest.mark.parametrize(
    "changes, message",
    [
        (
            {"query": torch.ones(QUERY, 6)},
            r"query: expected axes \[batch, query, d_model=6\], got shape \(5, 6\)",
        ),
        (
            {"key": torch.ones(BATCH, KEY, 5)},
            r"key: expected axes \[batch=2, key, d_model=6\], got shape \(2, 7, 5\)",
        ),
        ({"key": torch.ones(3, KEY, 6)}, r"key: expected axes \[batch=2, key, d_model=6\]"),
        (
            {"value": torch.ones(BATCH, 4, 6)},
            r"value: expected axes \[batch=2, key=7, d_model=6\], got shape \(2, 4, 6\)",
        ),
        (
            {"mask": true(BATCH, 4, QUERY, KEY)},
            r"mask: expected a shape that broadcasts to \(2, 3, 5, 7\), got \(2, 4, 5, 7\)",
        ),
        (
            {"mask": true(HEADS, QUERY, KEY)},
            r"mask: expected three axes \[batch=2, query=5, key=7\], got \(3, 5, 7\); a mask for "
            r"each head has four, \[batch, head=3, query, key\]",
        ),
        (
            {"mask": true(BATCH, QUERY, 6)},
            r"mask: expected a shape that broadcasts to \(2, 5, 7\), got \(2, 5, 6\)",
        ),
        (
            {"mask": true(KEY, QUERY)},
            r"mask: expected a shape that broadcasts to \(2, 3, 5, 7\), got \(7, 5\)",
        ),
        (
            {"head_mask": true(4)},
            r"head_mask: expected a shape that broadcasts to \(2, 3\), got \(4,\)",
        ),
    ],
)
def test_sizes_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        call_with(**changes)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"query": [[1.0]]}, "query: expected a torch.Tensor, got list"),
        ({"query": true(2, 5, 6)}, "query: expected a floating-point tensor"),
        (
            {"key": torch.ones(2, 7, 6).double()},
            "key: expected the dtype torch.float32 of W_Q",
        ),
        (
            {"value": torch.ones(2, 7, 6).double()},
            "value: expected the dtype torch.float32 of W_Q",
        ),
        ({"mask": torch.ones(5, 7)}, "mask: expected a boolean mask"),
        ({"mask": "causal"}, "mask: expected a torch.Tensor, got str"),
        ({"head_mask": torch.ones(3)}, "head_mask: expected a boolean mask"),
    ],
)
def test_arguments_of_another_kind_are_refused(changes, message):
    with pytest.raises(TypeError, match=message):
        call_with(**changes)


@pytest.mark.parametrize("name, shape", [("mask", (5, 7)), ("head_mask", (3,))])
def test_a_mask_on_another_device_is_refused(name, shape):
    elsewhere = torch.ones(shape, dtype=torch.bool, device="meta")
    with pytest.raises(ValueError, match=f"{name}: expected the device cpu of W_Q.weight"):
        call_with(**{name: elsewhere})


@pytest.mark.parametrize(
    "sizes, options, message",
    [
        ((7, 3), {}, "num_heads: expected a divisor of d_model=7, got 3; with d_head given"),
        ((0, 1), {}, "d_model: expected an integer of at least 1, got 0"),
        ((6, 0), {}, "num_heads: expected an integer of at least 1, got 0"),
        ((6, 3), {"d_head": 0}, "d_head: expected an integer of at least 1, got 0"),
        ((6, 3), {"d_value": -1}, "d_value: expected an integer of at least 1, got -1"),
        ((6, 3), {"dropout": 1}, "dropout: expected a number >= 0 and < 1, got 1"),
        ((6, 3), {"dropout": -0.1}, "dropout: expected a number >= 0 and < 1, got -0.1"),
        ((6, 3), {"dropout": float("nan")}, "dropout: expected a number >= 0 and < 1, got nan"),
    ],
)
def test_a_module_of_impossible_sizes_is_refused(sizes, options, message):
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(*sizes, **options)


def test_with_a_width_for_each_head_any_number_of_heads_will_do():
    assert MultiHeadAttention(7, 3, d_head=2).W_Q.weight.shape == (6, 7)


def test_the_module_blames_the_query_and_not_its_own_weights():
    x = torch.ones(BATCH, QUERY, WIDTH + 1)
    with pytest.raises(ValueError, match=r"query: expected axes \[batch, query, d_model=6\]"):
        MultiHeadAttention(WIDTH, HEADS)(x, x, x)


@pytest.mark.parametrize("need_weights", [True, False])
def test_causality_needs_as_many_queries_as_keys(need_weights):
    with pytest.raises(ValueError, match="causal: expected as many queries as keys, got 5 and 7"):
        call_with(causal=True, attend=attention_for(need_weights))
