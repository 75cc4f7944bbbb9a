"""What multi-head attention, pruning and the conversions refuse, and in which words."""

import pytest
import torch
from torch import Tensor

from bottomup.attention import MultiHeadAttention, multi_head_attention

BATCH, QUERY, KEY, HEADS, D_MODEL = 2, 5, 7, 3, 6


def call(**changes: object) -> object:
    """Call the function with arguments that fit, but for the changes."""
    arguments: dict[str, object] = {
        "query": torch.ones(BATCH, QUERY, D_MODEL),
        "key": torch.ones(BATCH, KEY, D_MODEL),
        "value": torch.ones(BATCH, KEY, D_MODEL),
        "num_heads": HEADS,
        **{f"W_{role}": torch.ones(D_MODEL, D_MODEL) for role in "QKVO"},
    }
    return multi_head_attention(**{**arguments, **changes})  # type: ignore[arg-type]


def true(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.bool)


def test_the_arguments_that_the_others_change_do_fit():
    output, weights = call()
    assert output.shape == (BATCH, QUERY, D_MODEL)
    assert weights.shape == (BATCH, HEADS, QUERY, KEY)


@pytest.mark.parametrize(
    "changes, message",
    [
        (
            {"query": torch.ones(QUERY, 6)},
            r"query: expected axes \[batch, query, d_model\], got shape \(5, 6\)",
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
            {"W_Q": torch.ones(6, 5)},
            r"W_Q: expected axes \[heads\*d_head, d_model=6\], got shape \(6, 5\)",
        ),
        (
            {"W_K": torch.ones(9, 6)},
            r"W_K: expected axes \[heads\*d_head=6, d_model=6\], got shape \(9, 6\)",
        ),
        (
            {"W_O": torch.ones(6, 9)},
            r"W_O: expected axes \[d_model=6, heads\*d_value=6\], got shape \(6, 9\)",
        ),
        (
            {"num_heads": 4},
            "W_Q: expected a multiple of num_heads=4 as number of rows, got 6",
        ),
        (
            {"W_V": torch.ones(7, 6), "W_O": torch.ones(6, 7)},
            "W_V: expected a multiple of num_heads=3 as number of rows, got 7",
        ),
        ({"num_heads": 0}, "num_heads: expected an integer of at least 1, got 0"),
        ({"b_V": torch.ones(5)}, r"b_V: expected axes \[heads\*d_value=6\], got shape \(5,\)"),
        ({"b_O": torch.ones(7)}, r"b_O: expected axes \[d_model=6\], got shape \(7,\)"),
        ({"dropout": 1.0}, "dropout: expected a number >= 0 and < 1, got 1.0"),
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
        call(**changes)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"query": [[1.0]]}, "query: expected a torch.Tensor, got list"),
        ({"query": true(2, 5, 6)}, "query: expected a floating-point tensor"),
        ({"key": torch.ones(2, 7, 6).double()}, "key: expected the dtype torch.float32 of query"),
        (
            {"value": torch.ones(2, 7, 6).double()},
            "value: expected the dtype torch.float32 of query",
        ),
        ({"W_O": torch.ones(6, 6).double()}, "W_O: expected the dtype torch.float32 of query"),
        ({"b_K": torch.ones(6).double()}, "b_K: expected the dtype torch.float32 of query"),
        ({"num_heads": 2.0}, "num_heads: expected an integer, got 2.0"),
        ({"mask": torch.ones(5, 7)}, "mask: expected a boolean mask"),
        ({"mask": "causal"}, "mask: expected a torch.Tensor, got str"),
        ({"head_mask": torch.ones(3)}, "head_mask: expected a boolean mask"),
        ({"dropout": "0.1"}, "dropout: expected a number, got '0.1'"),
    ],
)
def test_arguments_of_another_kind_are_refused(changes, message):
    with pytest.raises(TypeError, match=message):
        call(**changes)


@pytest.mark.parametrize("name, shape", [("mask", (5, 7)), ("head_mask", (3,))])
def test_a_mask_on_another_device_is_refused(name, shape):
    elsewhere = torch.ones(shape, dtype=torch.bool, device="meta")
    with pytest.raises(ValueError, match=f"{name}: expected the device cpu of query, got meta"):
        call(**{name: elsewhere})


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
    x = torch.ones(BATCH, QUERY, D_MODEL + 1)
    with pytest.raises(ValueError, match=r"query: expected axes \[batch, query, d_model=6\]"):
        MultiHeadAttention(D_MODEL, HEADS)(x, x, x)
