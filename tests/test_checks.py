"""Each check names the argument, the value and what was expected, and passes what is right."""

import pytest
import torch

from bottomup.checks import (
    check_axes,
    check_choice,
    check_device,
    check_divisor,
    check_generator,
    check_integer,
    check_leading,
    check_mask,
    check_number,
    check_same_kind,
    check_tensor,
    check_token_ids,
)


def test_check_axes_returns_sizes_by_name():
    query = torch.zeros(2, 3, 5)
    assert check_axes("query", query, "batch query d_query") == {
        "batch": 2,
        "query": 3,
        "d_query": 5,
    }
    assert check_axes("query", query, "... query d_query") == {"query": 3, "d_query": 5}
    assert check_axes("query", query[0], "... query d_query") == {"query": 3, "d_query": 5}


@pytest.mark.parametrize(
    ("shape", "axes", "expected", "message"),
    [
        (
            (3, 5),
            "batch query d",
            {},
            r"query: expected axes \[batch, query, d\], got shape \(3, 5\)",
        ),
        ((5,), "... query d", {}, r"query: expected axes \[\.\.\., query, d\], got shape \(5,\)"),
        (
            (3, 5),
            "... query d",
            {"d": 7},
            r"expected axes \[\.\.\., query, d=7\], got shape \(3, 5\)",
        ),
        ((0, 5), "query d", {}, r"query: axis query must not be empty, got shape \(0, 5\)"),
    ],
)
def test_check_axes_names_the_expected_axes(shape, axes, expected, message):
    with pytest.raises(ValueError, match=message):
        check_axes("query", torch.zeros(shape), axes, **expected)


def test_check_tensor_refuses_other_types_and_integer_tensors():
    with pytest.raises(TypeError, match="key: expected a torch.Tensor, got list"):
        check_tensor("key", [1.0])
    with pytest.raises(
        TypeError, match="key: expected a floating-point tensor, got dtype torch.int64"
    ):
        check_tensor("key", torch.zeros(2, dtype=torch.int64), floating=True)


def test_check_leading_compares_all_axes_before_the_last_two():
    check_leading("key", torch.zeros(2, 3, 5, 7), "query", torch.zeros(2, 3, 11, 13))
    with pytest.raises(
        ValueError, match=r"key: expected the leading axes \(3,\) of query, got \(2,\)"
    ):
        check_leading("key", torch.zeros(2, 5, 7), "query", torch.zeros(3, 5, 7))


def test_check_same_kind_compares_dtype_and_device():
    key, query = torch.zeros(2, dtype=torch.float64), torch.zeros(3)
    check_same_kind("key", key.float(), "query", query)
    with pytest.raises(TypeError, match=r"key: expected the dtype torch.float32 of query, got"):
        check_same_kind("key", key, "query", query)
    with pytest.raises(ValueError, match="key: expected the device cpu of query, got meta"):
        check_same_kind("key", query.to("meta"), "query", query)


def test_check_token_ids_names_the_worst_number():
    ids = torch.tensor([[1, 7]])
    check_token_ids("source", ids, "batch source", vocabulary=8)
    with pytest.raises(ValueError, match=r"source: expected token numbers in \[0, 7\), got 7"):
        check_token_ids("source", ids, "batch source", vocabulary=7)
    with pytest.raises(ValueError, match="got -1"):
        check_token_ids("source", -ids[:, :1], "batch source", vocabulary=8)
    with pytest.raises(TypeError, match="dtype torch.int64, got torch.float32"):
        check_token_ids("source", ids.float(), "batch source", vocabulary=8)
    with pytest.raises(ValueError, match=r"non-empty axes \[batch, source\], got \(2,\)"):
        check_token_ids("source", ids[0], "batch source", vocabulary=8)


@pytest.mark.parametrize("shape", [(2, 3, 5), (1, 3, 5), (3, 5), (5,), (2, 1, 5), ()])
def test_check_mask_passes_what_broadcasts(shape):
    check_mask("mask", torch.ones(shape, dtype=torch.bool), (2, 3, 5))


@pytest.mark.parametrize("shape", [(3, 3, 5), (2, 5, 3), (7,), (1, 2, 3, 5)])
def test_check_mask_refuses_what_does_not_broadcast(shape):
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(2, 3, 5\)"):
        check_mask("mask", torch.ones(shape, dtype=torch.bool), (2, 3, 5))


def test_check_mask_tells_how_to_convert_a_float_mask():
    additive = torch.tensor([0.0, -torch.inf])
    with pytest.raises(TypeError, match="convert an additive mask of 0 and -inf with `mask == 0`"):
        check_mask("mask", additive, (2,))
    assert (additive == 0).tolist() == [True, False]


def test_check_integer():
    check_integer("n", 3, at_least=3)
    with pytest.raises(ValueError, match="n: expected an integer of at least 3, got 2"):
        check_integer("n", 2, at_least=3)
    for wrong in (True, 3.0, "3"):
        with pytest.raises(TypeError, match="n: expected an integer"):
            check_integer("n", wrong, at_least=3)


@pytest.mark.parametrize(
    ("bounds", "good", "bad"),
    [
        ({"above": 0}, 0.1, 0),
        ({"at_least": 0}, 0, -0.1),
        ({"below": 1}, 0.9, 1),
        ({"at_most": 1}, 1, 1.1),
        ({}, -5, float("nan")),
    ],
)
def test_check_number_holds_its_bounds(bounds, good, bad):
    check_number("rate", good, **bounds)
    with pytest.raises(ValueError, match="rate: expected a number"):
        check_number("rate", bad, **bounds)


def test_check_number_refuses_other_types():
    for wrong in (True, "1", None):
        with pytest.raises(TypeError, match="rate: expected a number, got"):
            check_number("rate", wrong, at_least=0)


def test_check_choice_lists_the_choices():
    check_choice("score", "dot", ("dot", "general"))
    with pytest.raises(ValueError, match="score: expected one of 'dot', 'general', got 'cosine'"):
        check_choice("score", "cosine", ("dot", "general"))
    with pytest.raises(ValueError, match=r"score: expected one of 'dot', got \['dot'\]"):
        check_choice("score", ["dot"], {"dot": 1})  # a list is no key of a dict


def test_check_device_names_both_devices():
    query = torch.zeros(2)
    check_device("mask", torch.ones(3, dtype=torch.bool), "query", query)
    with pytest.raises(ValueError, match="mask: expected the device cpu of query, got meta"):
        check_device("mask", torch.ones(3, device="meta"), "query", query)


def test_check_generator_asks_for_a_generator_on_the_device(generator):
    check_generator("generator", generator)
    check_generator("generator", generator, "weights", torch.zeros(2))
    with pytest.raises(TypeError, match="generator: expected a torch.Generator, got int"):
        check_generator("generator", 7)
    with pytest.raises(ValueError, match="generator: expected the device meta of weights, got cpu"):
        check_generator("generator", generator, "weights", torch.zeros(2, device="meta"))


def test_check_divisor_names_both_numbers():
    check_divisor("num_heads", 3, "d_model", 12)
    with pytest.raises(ValueError, match="num_heads: expected a divisor of d_model=12, got 5"):
        check_divisor("num_heads", 5, "d_model", 12)
