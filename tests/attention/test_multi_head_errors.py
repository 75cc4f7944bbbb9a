"""What multi-head attention, pruning and the conversions refuse, and in which words."""

import pytest
import torch
from torch import Tensor

from bottomup.attention import MultiHeadAttention, attention_for

BATCH, QUERY, KEY, HEADS, D_MODEL = 2, 5, 7, 3, 6


def call(**changes: object) -> object:
    """Call the module with arguments that fit, but for the changes."""
    arguments: dict[str, object] = {
        "query": torch.ones(BATCH, QUERY, D_MODEL),
        "key": torch.ones(BATCH, KEY, D_MODEL),
        "value": torch.ones(BATCH, KEY, D_MODEL),
    }
    return MultiHeadAttention(D_MODEL, HEADS)(**{**arguments, **changes})


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
        call(**changes)


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
        call(**changes)


@pytest.mark.parametrize("name, shape", [("mask", (5, 7)), ("head_mask", (3,))])
def test_a_mask_on_another_device_is_refused(name, shape):
    elsewhere = torch.ones(shape, dtype=torch.bool, device="meta")
    with pytest.raises(ValueError, match=f"{name}: expected the device cpu of W_Q.weight"):
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


@pytest.mark.parametrize("need_weights", [True, False])
def test_causality_needs_as_many_queries_as_keys(need_weights):
    with pytest.raises(ValueError, match="causal: expected as many queries as keys, got 5 and 7"):
        call(causal=True, attend=attention_for(need_weights))
