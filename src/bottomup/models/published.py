"""What all models have in common that take the weights of another library."""

from collections.abc import Callable, Mapping
from functools import reduce

import torch
from torch import Tensor, nn

from bottomup.checks import check_weights


def check_kind(name: str, value: object, kind: type) -> None:
    """Check that an argument is of a class."""
    if not isinstance(value, kind):
        wanted, got = kind.__name__, type(value).__name__
        raise TypeError(f"{name}: expected a {wanted}, got {got}")


def size(
    weights: Mapping[str, Tensor], name: str, axis: int, missing: int
) -> int:
    """Return a size of a matrix [out, in]; `missing` where it is not there."""
    x = weights.get(name)
    return missing if x is None or x.dim() != 2 else x.shape[axis]


def load_named(
    model: nn.Module,
    weights: Mapping[str, Tensor],
    theirs: Callable[[str], str],
) -> None:
    """Load weights, in a dtype that holds all of them.

    Every weight finds its place and every place its weight, or a `ValueError`
    names those that do not.

    Args:
        model: gets them.
        weights: by the names of the other library, each shaped as ours.
        theirs: gives the other library's name of a parameter of ours.
    """
    ours = model.state_dict()
    wanted = {theirs(name): x for name, x in ours.items()}
    check_weights("weights", weights, wanted)
    model.to(reduce(torch.promote_types, (x.dtype for x in weights.values())))
    model.load_state_dict({name: weights[theirs(name)] for name in ours})
