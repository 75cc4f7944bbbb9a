"""Where local attention looks (Luong et al., 2015): a centre p_t and a window around it.

Positions are counted from 0: the words of a sentence of length S stand at s = 0, ..., S - 1, and
the first query has t = 0. The paper counts words from 1. That moves s and t alike, so the
monotonic centre ``p_t = t`` is the same in both. The formula of the predicted centre is kept as
the paper prints it. Its values lie between 0 and S: with positions from 0 the centre can come up to
one position behind the last word, with positions from 1 up to one before the first.

The window holds every integer s with ``|s - p_t| <= D``, both ends included: 2 D + 1 positions
around a whole number, 2 D around any other. At the sentence's edges it is cut (footnote 8).
"""

import torch
from jaxtyping import Bool, Float, Int64, Real
from torch import Tensor

from bottomup.checks import (
    check_axes,
    check_integer,
    check_same_kind,
    check_tensor,
)


def window_around(
    center: Real[Tensor, "*leading query"], key_count: int, half_width: int
) -> Bool[Tensor, "*leading query key"]:
    """Allow the positions near the centre: ``window[i, s] = |s - center[i]| <= half_width``.

    The result is a mask, True = may attend. A row is all False where the centre lies more than
    `half_width` outside the sentence. No gradient passes through it to the centre.

    Args:
        center: p_t for each query, any real number.
        key_count: number of source positions s = 0, ..., key_count - 1.
        half_width: D, in positions.

    Source: Luong et al. (2015), section 3.2, the window [p_t - D, p_t + D]. Chapter 01b derives it.
    """
    return _distance(center, key_count, half_width).abs() <= half_width


def gaussian_around(
    center: Real[Tensor, "*leading query"], key_count: int, half_width: int
) -> Float[Tensor, "*leading query key"]:
    """Return ``exp(-(s - center[i])^2 / (2 sigma^2))`` with ``sigma = half_width / 2``.

    It is 1 at the centre, e^-0.5 = 0.61 half-way to the window's ends and e^-2 = 0.14 at them. It
    is neither normalised nor cut to the window.

    Args:
        center: p_t for each query, any real number; whole numbers of an integer dtype count as
            torch's default floating-point dtype.
        key_count: number of source positions s = 0, ..., key_count - 1.
        half_width: D, in positions.

    Source: Luong et al. (2015), section 3.2, equation 10. Chapter 01b derives it.
    """
    distance, sigma = _distance(center, key_count, half_width), half_width / 2
    return torch.exp(-distance.square() / (2 * sigma**2))


def predicted_center(
    query: Float[Tensor, "*leading query d_query"],
    lengths: Int64[Tensor, "*leading #query"],
    W_p: Float[Tensor, "d_position d_query"],
    v_p: Float[Tensor, " d_position"],
) -> Float[Tensor, "*leading query"]:
    """Predict where each query should look, ``center[i] = S sigmoid(v_p · tanh(W_p query[i]))``.

    The values lie between 0 and S, counted in source positions from 0.

    Args:
        query: in translation the decoder state h_t.
        lengths: S, the sentence's length without padding, for each query or, with a last axis of
            1, for all queries of a sentence: ``mask.sum(-1)`` of a padding mask [batch, 1, key].
        W_p, v_p: the parameters of the prediction.

    Source: Luong et al. (2015), section 3.2, equation 9. Chapter 01b derives it.
    """
    d_query = check_axes("query", query, "... query d_query")["d_query"]
    d_position = check_axes("v_p", v_p, "d_position")["d_position"]
    check_axes(
        "W_p", W_p, "d_position d_query", d_position=d_position, d_query=d_query
    )
    check_same_kind("W_p", W_p, "query", query)
    check_same_kind("v_p", v_p, "query", query)
    _check_lengths(lengths, query)
    return lengths * torch.sigmoid(torch.tanh(query @ W_p.T) @ v_p)


def check_center(center: Tensor) -> None:
    """Raise `TypeError` unless `center` is a tensor of positions, whole or real."""
    check_tensor("center", center)
    if not (center.is_floating_point() or center.dtype == torch.int64):
        raise TypeError(
            "center: expected positions of a floating-point dtype or torch.int64, "
            f"got dtype {center.dtype}"
        )


def _distance(center: Tensor, key_count: int, half_width: int) -> Tensor:
    """Return ``s - center[i]``, [..., query, key]."""
    check_center(center)
    if center.dim() == 0 or center.numel() == 0:
        raise ValueError(
            f"center: expected non-empty axes [..., query], got {tuple(center.shape)}"
        )
    check_integer("key_count", key_count, at_least=1)
    check_integer("half_width", half_width, at_least=1)
    real = (
        center
        if center.is_floating_point()
        else center.to(torch.get_default_dtype())
    )
    return (
        torch.arange(key_count, device=center.device, dtype=real.dtype)
        - real[..., None]
    )


def _check_lengths(lengths: Tensor, query: Tensor) -> None:
    check_tensor("lengths", lengths)
    if lengths.dtype != torch.int64:
        raise TypeError(
            f"lengths: expected dtype torch.int64, got {lengths.dtype}"
        )
    wanted = tuple(query.shape[:-1])
    if tuple(lengths.shape) not in (wanted, (*wanted[:-1], 1)):
        raise ValueError(
            f"lengths: expected the shape {wanted} of the queries, or 1 in its last axis, "
            f"got {tuple(lengths.shape)}"
        )
    if lengths.device != query.device:
        raise ValueError(
            f"lengths: expected the device {query.device}, got {lengths.device}"
        )
    if int(lengths.min()) < 0:
        raise ValueError(
            f"lengths: expected lengths of at least 0, got {lengths.tolist()}"
        )
