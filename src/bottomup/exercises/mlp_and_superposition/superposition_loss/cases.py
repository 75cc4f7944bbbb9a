"""Cases of the loss of the toy model of superposition."""

from typing import Any

import torch

from bottomup.exercises.engine import case, tensor, uniform
from bottomup.i18n import _


def random(
    samples: int,
    dimensions: int,
    features: int,
    *,
    sparsity: float = 0.3,
    dtype: torch.dtype | None = None,
) -> dict[str, Any]:
    """Features between 0 and 1, of which a share `sparsity` is off."""
    two = uniform(2, samples, features, dtype=dtype)  # the first says which are on
    return {
        "x": two.then(lambda drawn: drawn[1] * (drawn[0] >= sparsity)),
        "W": uniform(dimensions, features, low=-0.8, high=1.2, dtype=dtype),
        "b": uniform(features, low=-0.6, high=0.4, dtype=dtype),
        "importance": tensor([1.5 * 0.9**feature for feature in range(features)], dtype=dtype),
    }


SMALL = random(3, 2, 5)

CASES = (
    case(
        _("an antipodal pair: one feature on, then both"),
        x=tensor([[1.0, 0.0], [1.0, 1.0]]),
        W=tensor([[1.0, -1.0]]),
        b=tensor([0.0, 0.0]),
        importance=tensor([1.0, 0.5]),
        # one on: exact; both on: the hidden number is 0, both come out 0, errors 1 and 1
        gives=tensor((0 + 1 * 1 + 0.5 * 1) / 2),
    ),
    case(
        _("one sample, two dimensions, a bias"),
        x=tensor([[1.0, 0.0, 0.5]]),
        W=tensor([[2.0, 1.0, 0.0], [0.0, -1.0, 1.0]]),
        b=tensor([-3.0, -2.0, 0.5]),
        importance=tensor([2.0, 1.0, 0.5]),
        # hidden (2, .5); back (4, 1.5, .5); with the bias (1, -.5, 1); the ReLU leaves (1, 0, 1)
        gives=tensor(0.5 * (1 - 0.5) ** 2),
    ),
    case(_("five features in two dimensions"), seed=1, **random(7, 2, 5)),
    case(_("sparse samples"), seed=2, **random(11, 3, 7, sparsity=0.9)),
    case(
        _("as many dimensions as features"),
        x=tensor([[1.0, 0.5]]),
        W=tensor([[1.0, 1.0], [0.0, 1.0]]),
        b=tensor([0.0, -0.5]),
        importance=tensor([1.0, 0.5]),
        # hidden (1.5, .5); back (1.5, 2); with the bias (1.5, 1.5)
        gives=tensor(0.5**2 + 0.5 * 1**2),
    ),
    case(_("as many samples as features"), seed=4, **random(5, 2, 5)),
    case(_("samples, dimensions and features equally many"), seed=5, **random(3, 3, 3)),
    case(
        _("no feature is on"),
        x=tensor([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
        W=tensor([[1.0, 0.5, -1.0]]),
        b=tensor([0.5, 1.0, -2.0]),
        importance=tensor([1.0, 2.0, 4.0]),
        gives=tensor(1 * 0.5**2 + 2 * 1**2),  # what the bias lets through
    ),
    case(_("more dimensions than features"), seed=6, **random(2, 7, 3)),
    case(
        _("a feature below zero, and a large one"),
        x=tensor([[-1.0, 20.0]]),
        W=tensor([[1.0, 0.0], [0.0, 1.0]]),
        b=tensor([0.0, -2.0]),
        importance=tensor([3.0, 0.5]),
        # back (-1, 20); with the bias (-1, 18); the ReLU leaves (0, 18)
        gives=tensor(3 * (-1 - 0) ** 2 + 0.5 * (20 - 18) ** 2),
    ),
    case(_("float64"), seed=7, **random(3, 2, 5, dtype=torch.float64)),
    case(
        _("gradients for W and b"),
        seed=8,
        **{**SMALL, "W": SMALL["W"].with_gradient(), "b": SMALL["b"].with_gradient()},
    ),
)
