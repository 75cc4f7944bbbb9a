"""What context adds to a token's vector: the vector without the mean of its type."""

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.analysis.contingency import check_numbers
from bottomup.checks import check_axes


def centred_by_type(
    states: Float[Tensor, "token d_model"], tokens: Int64[Tensor, " token"]
) -> Float[Tensor, "token d_model"]:
    """Take from each state the mean of the states of its type.

    ``h_n - mean of the h_m with t_m = t_n``

    The mean of a type says what its occurrences have in common. What remains says how each of them
    differs from the others: by context and by position. A type that occurs once is its own mean,
    so its vector becomes zero, which has no direction; leave such types out, with `most_frequent`
    say, before anything that divides by a length. A type that occurs n times keeps
    ``(n - 1) / n`` of its variance on average, so rare types come out too small.

    The means are taken in float64. The result has the dtype and the device of the states, and no
    gradient.

    Args:
        states: one vector h for each token.
        tokens: the type t of each token, at least 0.

    Chapter 08 derives it.
    """
    check_states(states, tokens)
    values = states.detach().double()
    names, numbers = tokens.to(states.device).unique(return_inverse=True)
    sums = values.new_zeros(len(names), values.shape[1]).index_add_(
        0, numbers, values
    )
    means = sums / torch.bincount(numbers)[:, None]
    return (values - means[numbers]).to(states.dtype)


def check_states(states: Tensor, tokens: Tensor) -> None:
    """Check finite vectors [token, d_model] and one number of a type for each of them."""
    check_axes("states", states, "token d_model")
    check_numbers("tokens", tokens)
    check_length("tokens", tokens, states)
    finite = states.isfinite()
    if not finite.all():
        raise ValueError(
            f"states: expected finite numbers, got {states[~finite][0].item()}"
        )


def check_length(name: str, numbers: Tensor, states: Tensor) -> None:
    """Check that there is one number for each state."""
    if len(numbers) != len(states):
        raise ValueError(
            f"{name}: expected one for each of the {len(states)} states, got {len(numbers)}"
        )
