"""Cases of the penalty on hops that read alike."""

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.i18n import _


def attention(*shape: int, dtype: torch.dtype | None = None) -> Drawn:
    """Weights of random scores."""
    return normal(*shape, scale=2.0, dtype=dtype).then(lambda scores: scores.softmax(dim=-1))


def with_padding(weights: Tensor) -> Tensor:
    weights[0, :, 4:] = 0  # the first sentence has four words
    weights[0] /= weights[0].sum(dim=-1, keepdim=True)
    return weights


def with_an_empty_sentence(weights: Tensor) -> Tensor:
    weights[0] = 0
    return weights


CASES = (
    case(
        _("two hops apart, and two hops that read alike"),
        weights=tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]]),
        # apart: A A^T = I; alike: all four products are one half
        gives=tensor([0.0, 2 * 0.5**2 + 2 * 0.5**2]),
    ),
    case(
        _("three hops that all read the same position"),
        weights=tensor([[[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]]),
    ),
    case(_("a small batch"), seed=1, weights=attention(2, 3, 5)),
    case(_("one sentence"), seed=2, weights=attention(1, 5, 7)),
    case(_("as many sentences as hops and positions"), seed=3, weights=attention(3, 3, 3)),
    case(_("one hop"), seed=4, weights=attention(2, 1, 5)),
    case(_("more hops than positions"), seed=5, weights=attention(2, 5, 3)),
    case(_("a sentence with padding"), seed=6, weights=attention(2, 3, 7).then(with_padding)),
    case(
        _("a sentence without words: its weights are zero"),
        seed=7,
        weights=attention(2, 3, 5).then(with_an_empty_sentence),
    ),
    case(_("float64"), seed=8, weights=attention(5, 2, 11, dtype=torch.float64)),
    case(_("a gradient for the weights"), seed=9, weights=attention(1, 2, 3).with_gradient()),
    case(  # the least of a sum of squares: the gradient is zero
        _("two hops apart, and the gradient there"),
        weights=tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]).with_gradient(),
    ),
)
