"""What context adds to a token's vector: the vector without its type's mean."""

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.analysis.samples import (
    check_finite,
    check_numbers,
    check_vectors,
)
from bottomup.training.device import in_float64


def centred_by_type(
    states: Float[Tensor, "token d_model"], tokens: Int64[Tensor, " token"]
) -> Float[Tensor, "token d_model"]:
    """Take from each state the mean of the states of its type.

    ``h_n - mean of the h_m with t_m = t_n``

    The mean of a type says what its occurrences have in common. What remains
    says how each of them differs from the others: by context and by position. A
    type that occurs once is its own mean, so its vector becomes zero, which has
    no direction; leave such types out before anything that divides by a length.
    A type that occurs n times keeps ``(n - 1) / n`` of its variance on average,
    so rare types come out too small.

    The means are taken in float64. The result has the dtype and the device of
    the states, and no gradient.

    Args:
        states: one vector h for each token.
        tokens: the type t of each token, at least 0.

    Chapter 08 derives it.
    """
    check_vectors("states", states, "token d_model")
    check_finite("states", states)
    check_numbers("tokens", tokens, "token", token=len(states))
    h = in_float64(states.detach())  # [token, d_model]
    names, t = tokens.to(h.device).unique(return_inverse=True)
    sums = h.new_zeros(len(names), h.shape[1]).index_add_(0, t, h)
    means = sums / torch.bincount(t)[:, None]  # [type, d_model]
    return (h - means[t]).to(states)
