"""States as points in a plane, the same plane for all stations of a network."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.checks import check_axes


def principal_plane(
    states: Sequence[Float[Tensor, "token d_model"]],
) -> Float[Tensor, "station token 2"]:
    """Project the states of all stations on the two directions in which they vary most.

    ``p_ln = B^T (h_ln - mean_n h_ln)``, B [d_model, 2] the first two right singular vectors of the
    centred states of all stations together

    Each station is centred by itself, so that a shift of the whole cloud does not take a direction.
    With one basis for all stations a point moves because its state does. The sign of an axis is
    set so that its largest coordinate is positive.

    Args:
        states: the same tokens at each station, at least two of them.

    Chapter 08 draws a sentence with it.
    """
    if not len(states):
        raise ValueError("states: expected at least one station, got none")
    for number, h in enumerate(states):
        sizes = check_axes(f"states[{number}]", h, "token d_model")
        if tuple(h.shape) != tuple(states[0].shape):
            expected = tuple(states[0].shape)
            raise ValueError(
                f"states[{number}]: expected shape {expected} as the first, got {tuple(h.shape)}"
            )
        if min(sizes.values()) < 2:
            raise ValueError(
                f"states[{number}]: expected at least 2 tokens and features, got {tuple(h.shape)}"
            )
        if not h.isfinite().all():
            raise ValueError(
                f"states[{number}]: expected finite numbers, got NaN or infinity"
            )
    values = torch.stack([h.detach().double() for h in states])
    centred = values - values.mean(dim=1, keepdim=True)
    basis = (
        torch.linalg.svd(centred.flatten(0, 1), full_matrices=False).Vh[:2].T
    )
    points = centred @ basis  # [station, token, 2]
    flat = points.flatten(0, 1)
    largest = flat.gather(0, flat.abs().argmax(dim=0, keepdim=True))
    return (points * torch.where(largest < 0, -1.0, 1.0)).to(states[0].dtype)
