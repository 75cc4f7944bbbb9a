"""Cases of the copying score of a head, from eigenvalues (Elhage et al., 2021)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Inputs, case, tensor
from bottomup.exercises.engine.scalars import compare_scalar
from bottomup.i18n import _


def head(
    vocabulary: int, d_model: int, d_head: int, *, copies: float = 0.0
) -> Callable[[torch.Generator], Inputs]:
    """A head of some width; with `copies`, its map is moved so far towards copying."""

    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=torch.float64)

        W_E, W_U = draw(vocabulary, d_model), draw(vocabulary, d_model)
        reads = draw(d_model, d_head)
        writes = draw(d_head, d_model) + copies * reads.T @ W_E.T @ W_U / d_model
        return {"W_E": W_E, "W_OV": reads @ writes / d_model, "W_U": W_U}

    return make


ONE_HOT = torch.eye(3, dtype=torch.float64)  # so that W_OV is the matrix from token to token

CASES = (
    case(
        _("three tokens, one of them copied and one suppressed"),
        W_E=ONE_HOT,
        W_OV=tensor([[4, 1, 0], [0, -1, 0], [0, 2, 0]], dtype=torch.float64),
        W_U=ONE_HOT,
        gives=(4 - 1) / (4 + 1),
    ),
    case(
        _("a head that turns three tokens into each other"),
        W_E=ONE_HOT,
        W_OV=tensor([[1, 3, 0], [0, 1, 3], [3, 0, 1]], dtype=torch.float64),
        W_U=ONE_HOT,
        # eigenvalues 1 + 3 w for the three cube roots w of 1: 4 and -1/2 ± (3/2) sqrt(3) i
        gives=3 / (4 + 2 * 7**0.5),
    ),
    case(
        _("a head that writes the opposite of what it reads"),
        W_E=ONE_HOT,
        W_OV=tensor([[-2, 1, 0], [0, -1, 1], [0, 0, -3]], dtype=torch.float64),
        W_U=ONE_HOT,
        gives=-1.0,
    ),
    case(
        _("a head that writes very little"),
        W_E=1e-17 * ONE_HOT,
        W_OV=tensor([[4e-17, 1e-17, 0], [0, -1e-17, 0], [0, 2e-17, 0]], dtype=torch.float64),
        W_U=1e-17 * ONE_HOT,
        gives=(4 - 1) / (4 + 1),  # of eigenvalues of 1e-51, which float32 has not
    ),
    Case(_("seven tokens in five numbers, a head of width three"), head(7, 5, 3), seed=1),
    Case(_("a head that copies"), head(11, 7, 5, copies=1.0), seed=2),
    Case(_("a head that suppresses"), head(11, 5, 3, copies=-1.0), seed=3),
    Case(_("as many tokens as numbers"), head(5, 5, 2), seed=4),
    Case(_("fewer tokens than numbers"), head(3, 7, 5), seed=5),
    Case(_("a head as wide as the stream"), head(5, 7, 7), seed=6),
)

compare = compare_scalar
