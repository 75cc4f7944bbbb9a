"""What layers compute, as functions: the weights are handed in."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import kind_name, lengths
from smalltorch.autograd import record
from smalltorch.distances import cosine_similarity
from smalltorch.dtypes import c_name, class_name
from smalltorch.gathering import spread
from smalltorch.geometry import positions
from smalltorch.inplace import overwrite
from smalltorch.names import lacking
from smalltorch.nn.activations import (
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    relu,
    relu6,
    sigmoid,
    silu,
    softmax,
    softplus,
    tanh,
)
from smalltorch.nn.losses import cross_entropy, kl_div, mse_loss, nll_loss
from smalltorch.nn.normalization import batch_norm, layer_norm, rms_norm
from smalltorch.overrides import operation
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor, made, seen, values

__all__ = [
    "batch_norm", "cosine_similarity", "cross_entropy", "dropout", "elu", "embedding", "gelu",
    "hardtanh", "kl_div", "layer_norm", "leaky_relu", "linear", "log_softmax", "logsigmoid",
    "mse_loss", "nll_loss", "normalize", "one_hot", "pad", "relu", "relu6", "rms_norm",
    "scaled_dot_product_attention", "sigmoid", "silu", "softmax", "softplus", "tanh",
]  # fmt: skip


# ---- Linear maps, and tables of vectors


@operation
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input weight^T + bias."""
    if bias is not None:
        _refuse_two_kinds("self", bias, weight)
        _refuse_two_kinds("mat1", input, weight)
    if input.ndim and weight.ndim == 2 and input.shape[-1] != weight.shape[1]:
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({math.prod(input.shape[:-1])}x{input.shape[-1]} and "
            f"{weight.shape[1]}x{weight.shape[0]})"
        )
    product = input.matmul(weight.t())
    if bias is None:
        return product
    if weight.ndim == 2 and bias.shape not in ((), (1,), (weight.shape[0],)):
        raise RuntimeError(
            f"The expanded size of the tensor ({weight.shape[0]}) must match the existing size "
            f"({bias.shape[-1]}) at non-singleton dimension 1.  Target sizes: "
            f"{[math.prod(input.shape[:-1]), weight.shape[0]]}.  Tensor sizes: {list(bias.shape)}"
        )
    return product + bias


def _refuse_two_kinds(name: str, first: Tensor, second: Tensor) -> None:
    if first.dtype is not second.dtype:
        raise RuntimeError(
            f"{name} and mat2 must have the same dtype, but got {class_name(first.dtype)} and "
            f"{class_name(second.dtype)}"
        )


@operation
def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Return the rows of a table that the input names; the row `padding_idx` gets no gradient."""
    if input.dtype not in (dtypes.int64, dtypes.int32):
        name = (
            "CPUBoolType"
            if input.dtype is dtypes.bool_
            else f"torch.{class_name(input.dtype)}Tensor"
        )
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {name} instead (while checking arguments for embedding)"
        )
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    rows, width = weight.shape
    if not all(0 <= row < rows for row in values(input)):
        raise IndexError("index out of range in self")
    places = [place for row in values(input) for place in range(row * width, (row + 1) * width)]
    numbers = values(weight)
    result = made([numbers[place] for place in places], (*input.shape, width), weight.dtype)
    hidden = None if padding_idx is None else padding_idx % rows

    def back(gradient: Tensor, input: Tensor) -> Tensor:
        if hidden is not None:
            gradient = gradient.masked_fill(input.eq(hidden).unsqueeze(-1), 0.0)
        return spread(gradient, places, weight.shape)

    return record(result, "Embedding", (weight, back, input))


@operation
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return a row for each number: 1 at its place, 0 elsewhere."""
    if tensor.dtype is not dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    classes = values(tensor)
    if not classes and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if classes and min(classes) < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = max(classes) + 1
    elif classes and max(classes) >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    numbers = [0] * (len(classes) * num_classes)
    for row, place in enumerate(classes):
        numbers[row * num_classes + place] = 1
    return made(numbers, (*tensor.shape, num_classes), dtypes.int64)


# ---- Padding


@operation
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Return a tensor with more entries before and behind, or with fewer.

    Args:
        input: of any shape.
        pad: how many before and behind along the last axis, then along the one before it, …;
            a negative number takes away.
        mode: "constant".
        value: of the new entries; 0 where it is None.
    """
    pad = lengths("pad", "pad", pad)
    if mode in ("reflect", "replicate", "circular"):
        raise not_here(f"nn.functional.pad(mode={mode!r})")
    if mode != "constant":
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(pad)} and input of dimension {input.ndim}"
        )
    return _padded(input, pad, value or 0)


def _padded(input: Tensor, pad: Sequence[int], value: float) -> Tensor:
    ends = [(0, 0)] * (input.ndim - len(pad) // 2) + list(zip(pad[::2], pad[1::2], strict=True))[
        ::-1
    ]
    shape = [
        size + before + behind for size, (before, behind) in zip(input.shape, ends, strict=True)
    ]
    if min(shape, default=0) < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    result = made([value] * math.prod(shape), shape, input.dtype)
    # The entries that stay, where they are and where they go.
    kept = [
        max(0, size + min(before, 0) + min(behind, 0))
        for size, (before, behind) in zip(input.shape, ends, strict=True)
    ]
    source = _window(input, kept, [max(0, -before) for before, _behind in ends])
    target = _window(result, kept, [max(0, before) for before, _behind in ends])
    places = positions(target.shape, target._strides, target._offset)
    for place, number in zip(places, values(source), strict=True):
        result.storage.data[place] = number
    back = [-number for number in pad]
    return record(result, "ConstantPadNd", (input, lambda gradient: _padded(gradient, back, 0)))


def _window(tensor: Tensor, shape: Sequence[int], start: Iterable[int]) -> Tensor:
    strides = tensor._strides
    first = sum(at * stride for at, stride in zip(start, strides, strict=True))
    return seen(tensor, shape, strides, tensor._offset + first)


# ---- Dropout


@operation
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return the input with each entry 0 with probability p, and else divided by 1 - p."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0 or not input.numel():
        return input
    noise = input.new_zeros(()) if p == 1 else _noise(input, 1 - p)
    result = input * noise
    return overwrite(input, result) if inplace else result


def _noise(input: Tensor, keep: float) -> Tensor:
    from smalltorch.creation import empty_like

    noise: Tensor = empty_like(input).bernoulli_(keep)
    return noise.div_(keep)


# ---- Lengths


@operation
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Return vectors of length 1; those that are shorter than `eps` are divided by `eps`."""
    lengths = input.norm(p, dim, keepdim=True).clamp(min=eps)
    return input / lengths.expand_as(input)


# ---- Attention


@operation
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return softmax(scale query key^T + mask) value; zeros where nothing may be read.

    Args:
        query, key, value: [..., position, width].
        attn_mask: True = may be read; or numbers that are added to the scores.
        dropout_p: with which probability a weight is dropped.
        is_causal: whether a query reads only keys at its own place and before.
        scale: 1 / sqrt(width) where it is None.
        enable_gqa: whether several heads of queries share one of keys.
    """
    _check_attention(query, key, value, attn_mask, is_causal)
    if enable_gqa:
        key, value = (_shared(each, query) for each in (key, value))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = (query * scale) @ key.mT
    if is_causal:
        attn_mask = scores.new_ones(scores.shape[-2:]).tril().bool()
    if attn_mask is not None and attn_mask.dtype is dtypes.bool_:
        attn_mask = scores.new_zeros(attn_mask.shape).masked_fill(~attn_mask, -math.inf)
    if attn_mask is not None:
        scores = scores + attn_mask
    empty = (scores.detach() == -math.inf).all(-1, keepdim=True)
    # Twice, as the gradient of a softmax of nothing but -inf would be nan.
    weights = scores.masked_fill(empty, 0.0).softmax(-1).masked_fill(empty, 0.0)
    return dropout(weights, dropout_p) @ value


def _shared(each: Tensor, query: Tensor) -> Tensor:
    if query.shape[-3] % each.shape[-3]:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return each.repeat_interleave(query.shape[-3] // each.shape[-3], -3)


def _check_attention(query: Tensor, key: Tensor, value: Tensor, mask: Any, is_causal: bool) -> None:
    if not (mask is None or isinstance(mask, Tensor)):
        raise TypeError(
            "scaled_dot_product_attention(): argument 'attn_mask' must be Tensor, not "
            f"{kind_name(mask)}"
        )
    kinds = [each.dtype for each in (query, key, value)]
    if min(each.ndim for each in (query, key, value)) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
    names = list(map(c_name, kinds))
    if len(set(kinds)) > 1:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{names[0]} key.dtype: {names[1]} and value.dtype: {names[2]} instead."
        )
    if kinds[0].kind < dtypes.FLOAT:
        raise RuntimeError(f"expected scalar type Float but found {class_name(kinds[0])}")
    if mask is not None and mask.dtype not in (dtypes.bool_, dtypes.float32, kinds[0]):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {c_name(mask.dtype)} and  query.dtype: {names[0]} instead."
        )
    if is_causal and mask is not None:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True"
        )


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.nn.functional")
