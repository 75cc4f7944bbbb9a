"""Scaled dot-product attention: what it says to arguments that do not fit."""

import math

import pytest
import torch
from torch import Tensor

from bottomup.attention import attention_for, scaled_dot_product_attention, scaled_dot_scores

BATCH, HEAD, QUERY, KEY, D_KEY, D_VALUE = 2, 3, 5, 7, 11, 13
PATHS = {"explicit": True, "fused": False}


@pytest.fixture
def tensors() -> dict[str, Tensor]:
    shapes = {"query": (QUERY, D_KEY), "key": (KEY, D_KEY), "value": (KEY, D_VALUE)}
    return {
        name: torch.ones(BATCH, HEAD, *shape, dtype=torch.float64) for name, shape in shapes.items()
    }


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize(
    "name, value, message",
    [
        ("query", torch.zeros(D_KEY), r"query: expected axes \[\.\.\., query, d_key\], got"),
        (
            "key",
            torch.zeros(BATCH, HEAD, KEY, D_KEY + 1),
            r"key: expected axes \[\.\.\., key, d_key=11\], got shape \(2, 3, 7, 12\)",
        ),
        (
            "key",
            torch.zeros(HEAD, KEY, D_KEY),
            r"key: expected the leading axes \(2, 3\) of query, got \(3,\)",
        ),
        (
            "value",
            torch.zeros(BATCH, HEAD, KEY + 1, D_VALUE),
            r"value: expected axes \[\.\.\., key=7, d_value\], got shape \(2, 3, 8, 13\)",
        ),
        (
            "value",
            torch.zeros(1, HEAD, KEY, D_VALUE),
            r"value: expected the leading axes \(2, 3\) of query, got \(1, 3\)",
        ),
        (
            "mask",
            torch.ones(KEY, QUERY).bool(),
            r"mask: expected a shape that broadcasts to \(2, 3, 5, 7\), got \(7, 5\)",
        ),
        (
            "mask",
            torch.ones(1, BATCH, HEAD, QUERY, KEY).bool(),
            r"mask: expected a shape that broadcasts to \(2, 3, 5, 7\), got \(1, 2, 3, 5, 7\)",
        ),
        ("scale", math.nan, "scale: expected a number > 0 and < inf, got nan"),
        ("scale", 0.0, "scale: expected a number > 0 and < inf, got 0.0"),
        ("scale", -0.5, "scale: expected a number > 0 and < inf, got -0.5"),
        ("scale", math.inf, "scale: expected a number > 0 and < inf, got inf"),
        ("dropout", 1.0, "dropout: expected a number >= 0 and < 1, got 1.0"),
        ("dropout", -0.1, "dropout: expected a number >= 0 and < 1, got -0.1"),
        ("dropout", math.nan, "dropout: expected a number >= 0 and < 1, got nan"),
    ],
)
def test_a_bad_value_is_named(need_weights, tensors, name, value, message):
    arguments = {**{name: tensor.float() for name, tensor in tensors.items()}, name: value}
    with pytest.raises(ValueError, match=message):
        attention_for(need_weights)(**arguments)


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize(
    "name, value, message",
    [
        ("query", [[1.0]], "query: expected a torch.Tensor, got list"),
        ("key", torch.ones(2, 3, 7, 11).long(), "key: expected a floating-point tensor, got dtype"),
        (
            "key",
            torch.zeros(BATCH, HEAD, KEY, D_KEY),
            "key: expected the dtype torch.float64 of query, got torch.float32",
        ),
        (
            "value",
            torch.zeros(BATCH, HEAD, KEY, D_VALUE),
            "value: expected the dtype torch.float64 of query, got torch.float32",
        ),
        (
            "mask",
            torch.zeros(QUERY, KEY),
            "mask: expected a boolean mask .* got dtype torch.float32; convert .* `mask == 0`",
        ),
        ("mask", True, "mask: expected a torch.Tensor, got bool"),
        ("scale", "small", "scale: expected a number, got 'small'"),
        ("scale", torch.tensor(1.0), r"scale: expected a number, got tensor\(1\.\)"),
        ("dropout", None, "dropout: expected a number, got None"),
    ],
)
def test_a_bad_type_is_named(need_weights, tensors, name, value, message):
    with pytest.raises(TypeError, match=message):
        attention_for(need_weights)(**{**tensors, name: value})


@pytest.mark.parametrize("name", ["key", "value", "mask"])
def test_another_device_is_named(name, tensors):
    tensors["mask"] = torch.ones(QUERY, KEY, dtype=torch.bool)
    tensors[name] = tensors[name].to("meta")
    with pytest.raises(ValueError, match=f"{name}: expected the device cpu of query, got meta"):
        scaled_dot_product_attention(**tensors)


def test_what_is_no_generator_is_named(tensors):
    with pytest.raises(TypeError, match="generator: expected a torch.Generator, got int"):
        scaled_dot_product_attention(**tensors, generator=7)


def test_a_generator_of_another_device_is_named(tensors, generator):
    elsewhere = {name: tensor.to("meta") for name, tensor in tensors.items()}
    with pytest.raises(ValueError, match="generator: expected the device meta of query, got cpu"):
        scaled_dot_product_attention(**elsewhere, dropout=0.5, generator=generator)


def test_scores_check_their_own_arguments(tensors):
    query, key = tensors["query"], tensors["key"]
    with pytest.raises(ValueError, match=r"key: expected axes \[\.\.\., key, d_key=11\]"):
        scaled_dot_scores(query, key[..., 1:])
    with pytest.raises(ValueError, match="scale: expected a number > 0 and < inf, got nan"):
        scaled_dot_scores(query, key, scale=math.nan)
    with pytest.raises(TypeError, match="key: expected the dtype torch.float64 of query"):
        scaled_dot_scores(query, key.float())
