"""States as points in a plane, the same for all stations of a network."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.analysis.samples import check_finite, check_vectors
from bottomup.training.device import in_float64


def principal_plane(
    states: Sequence[Float[Tensor, "token d_model"]],
) -> Float[Tensor, "station token 2"]:
    """Project all states on the two directions in which they vary most.

    ``p_ln = B^T (h_ln - mean_n h_ln)``, B [d_model, 2] the first two right
    singular vectors of the centred states of all stations together

    Each station is centred by itself, so that a shift of the whole cloud does
    not take a direction. With one basis for all stations a point moves because
    its state does. An axis has the sign that makes its largest coordinate
    positive.

    Args:
        states: the same tokens at each station, at least two of them.

    Chapter 08 draws a sentence with it.

    Example:
        >>> stations = [torch.randn(7, 12), torch.randn(7, 12)]
        >>> principal_plane(stations).shape
        torch.Size([2, 7, 2])
    """
    if not len(states):
        raise ValueError("states: expected at least one station, got none")
    sizes: dict[str, int] = {}
    for number, h in enumerate(states):
        check_vectors(f"states[{number}]", h, "token d_model", **sizes)
        check_finite(f"states[{number}]", h)
        sizes["token"], sizes["d_model"] = h.shape
        if min(h.shape) < 2:
            raise ValueError(
                f"states[{number}]: expected at least 2 tokens and features, "
                f"got {tuple(h.shape)}"
            )
    h = torch.stack([in_float64(station.detach()) for station in states])
    h = h - h.mean(dim=1, keepdim=True)  # [station, token, d_model]
    B = torch.linalg.svd(h.flatten(0, 1), full_matrices=False).Vh[:2].T
    points = h @ B  # [station, token, 2]
    flat = points.flatten(0, 1)
    largest = flat.gather(0, flat.abs().argmax(dim=0, keepdim=True))
    return (points * torch.where(largest < 0, -1.0, 1.0)).to(states[0])
