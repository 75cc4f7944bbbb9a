"""Masks: boolean tensors that say which query may attend to which key.

True = may attend, everywhere in this package. A mask broadcasts to
``[..., query, key]``. The softmax that obeys one stands here, too.
"""

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.checks import (
    ask_which_axes,
    check_causal,
    check_device,
    check_integer,
    check_mask,
    check_switch,
    checked,
    is_traced,
)
from bottomup.precision import in_float32

__all__ = [
    "and_causal",
    "causal_mask",
    "empty_rows",
    "masked_softmax",
    "padding_mask",
    "window_mask",
]


@checked
def padding_mask(
    lengths: Int64[Tensor, " batch"], width: int | None = None
) -> Bool[Tensor, "batch 1 key"]:
    """Let every query attend to the first `lengths[b]` keys of sequence `b`.

    ``mask[b, 0, j] = j < lengths[b]``

    Args:
        lengths: number of real tokens in each sequence, from 0 to `width`; 0
            gives a row that may read nothing.
        width: number of keys; by default the largest length.

    Chapter 01 needs it.

    Example:
        >>> import torch
        >>> from bottomup.masks import padding_mask
        >>> padding_mask(torch.tensor([3, 1])).int().tolist()
        [[[1, 1, 1]], [[1, 0, 0]]]
    """
    if width is None:
        width = max(int(lengths.max()), 1)
    check_integer("width", width, at_least=1)
    fits = (lengths >= 0) & (lengths <= width)
    if not is_traced() and not fits.all():
        raise ValueError(
            f"lengths: expected lengths in [0, {width}], got {lengths.tolist()}"
        )
    keys = torch.arange(width, device=lengths.device)
    return (keys < lengths[:, None])[:, None, :]


def causal_mask(
    n: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "query key"]:
    """Let position i attend to itself and to what stands before it.

    ``mask[i, j] = j <= i``

    Source: Vaswani et al. (2017), section 3.2.3. Chapter 02 derives it.

    Example:
        >>> causal_mask(3).int()
        tensor([[1, 0, 0],
                [1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """
    check_integer("n", n, at_least=1)
    check_device("device", device)
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def window_mask(
    n: int, width: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "query key"]:
    """Let position i attend to positions at most `width` away.

    ``mask[i, j] = |i - j| <= width``

    Chapter 07 uses it.

    Example:
        >>> window_mask(4, 1).int()
        tensor([[1, 1, 0, 0],
                [1, 1, 1, 0],
                [0, 1, 1, 1],
                [0, 0, 1, 1]], dtype=torch.int32)
    """
    check_integer("n", n, at_least=1)
    check_integer("width", width, at_least=0)
    check_device("device", device)
    position = torch.arange(n, device=device)
    return (position[:, None] - position).abs() <= width


@checked
@in_float32
def masked_softmax(
    scores: Float[Tensor, "*leading query key"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    causal: bool = False,
    in_place: bool = False,
) -> Float[Tensor, "*leading query key"]:
    """Turn scores into weights that sum to one over each query's allowed keys.

    ``weights[i, j] = exp(scores[i, j]) / sum_k exp(scores[i, k])``, where j and
    k run over the keys allowed for query i; every other weight is zero.

    A query that may attend to no key gets zero weights, and its gradient is
    zero, not NaN.

    Args:
        scores: any real numbers, one for each pair of query and key.
        mask: True = may attend; broadcasts to the shape of `scores`.
        causal: whether query i may attend to no key behind position i.
        in_place: whether the scores may be overwritten, because nobody needs
            them any more. Where no gradient is asked for, the weights take
            their place in memory.

    Source: Bahdanau et al. (2015), section 3.1, the equation for alpha_ij;
    padding is left implicit there. Chapter 01 derives it.

    Example:
        >>> scores = torch.tensor([[0.0, 0.0, 5.0], [0.0, 0.0, 5.0]])
        >>> mask = torch.tensor([[True, True, False], [False, False, False]])
        >>> masked_softmax(scores, mask)
        tensor([[0.5000, 0.5000, 0.0000],
                [0.0000, 0.0000, 0.0000]])
    """
    check_mask("mask", mask, scores.shape)
    ask_which_axes("mask", mask, scores.shape)
    check_switch("causal", causal)
    check_switch("in_place", in_place)
    if causal:
        mask = and_causal(mask, scores.shape, scores.device)
    in_place = in_place and not is_traced()
    if mask is None:
        return _softmax(scores, in_place)
    empty = empty_rows(mask)  # [..., query, 1]
    # A row of -inf alone would give 0/0, so empty rows keep their scores here.
    blocked = ~mask if empty is None else ~(mask | empty)
    if in_place:
        _block(scores, blocked)
    else:
        scores = scores.masked_fill(blocked, -torch.inf)
    weights = _softmax(scores, in_place)  # [..., query, key]
    return weights if empty is None else weights.masked_fill(empty, 0.0)


def _softmax(scores: Tensor, in_place: bool) -> Tensor:
    spare = scores if in_place and not scores.requires_grad else None
    return torch.softmax(scores, dim=-1, out=spare)


def _block(scores: Tensor, blocked: Tensor) -> None:
    """Overwrite blocked scores with -inf.

    The clamp takes a quarter of the time of `masked_fill_`. `detach` hides it
    from autograd, and the gradient stays right: where the weight is zero, the
    softmax passes a gradient of zero to the score.
    """
    bound = scores.new_full(blocked.shape, torch.inf)
    scores.detach().clamp_(max=bound.masked_fill_(blocked, -torch.inf))


def and_causal(
    mask: Bool[Tensor, "..."] | None,
    shape: tuple[int, ...],
    device: torch.device,
) -> Bool[Tensor, "..."]:
    """Join a mask to the causal one of scores [..., query, key].

    Chapter 02 derives the causal one.
    """
    check_causal(shape)
    triangle = causal_mask(shape[-1], device=device)  # [query, key]
    return triangle if mask is None else mask & triangle


def empty_rows(mask: Bool[Tensor, "*leading key"]) -> Tensor | None:
    """Return which queries may attend to no key, [..., query, 1].

    None where every query may attend to some key. Only a CPU is asked for that:
    for a GPU's answer the program would have to wait, and a traced program has
    none. Chapter 01 meets such queries.
    """
    empty = ~mask.any(dim=-1, keepdim=True)
    asked = empty.is_cpu and not is_traced()
    return None if asked and not empty.any() else empty


def __dir__() -> list[str]:
    return __all__
