"""Exercise: the penalty of Lin et al. (2017) on hops that read the same."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.multi_head_attention.lin_penalty_mistakes import (
    CUBE,
    MISCONCEPTIONS,
    ONE_HOT,
)
from bottomup.i18n import _

STUB = '''\
def overlap_penalty(weights):
    """Lin's penalty: how much the hops of each sentence read the same.

    P = ||A A^T - I||_F^2, the sum of the squares of all entries.
    weights [batch, hop, position] holds one matrix A for each sentence.
    Returns one number for each sentence, [batch].
    """
    ...
'''


def overlap_penalty(weights: torch.Tensor) -> torch.Tensor:
    products = weights @ weights.mT  # [batch, hop, hop]
    difference = products - torch.eye(weights.shape[1])
    return difference.square().sum(dim=(1, 2))


def with_loops(weights: Tensor) -> Tensor:
    penalties = []
    for A in weights:
        hops = range(len(A))
        terms = [(A[i] @ A[j] - float(i == j)) ** 2 for i in hops for j in hops]
        penalties.append(torch.stack(terms).sum())
    return torch.stack(penalties)


def multiplied_out(weights: Tensor) -> Tensor:
    products = torch.einsum("bin,bjn->bij", weights, weights)
    return products.pow(2).sum((1, 2)) - 2 * weights.pow(2).sum((1, 2)) + weights.shape[1]


def with_the_norm(weights: Tensor) -> Tensor:
    identity = torch.eye(weights.shape[1], dtype=weights.dtype)
    return torch.linalg.matrix_norm(weights @ weights.transpose(1, 2) - identity) ** 2


def _hand(generator: torch.Generator) -> Inputs:
    apart, same = [[1.0, 0, 0], [0, 1, 0]], [[0.5, 0.5, 0], [0.5, 0.5, 0]]
    return {"weights": torch.tensor([apart, same])}


def _one_hot(generator: torch.Generator) -> Inputs:
    return {"weights": torch.tensor([[1.0, 0.0]]).expand(1, 3, 2).clone()}


def _random(
    *sizes: int, double: bool = False, read: int | None = None
) -> Callable[[torch.Generator], Inputs]:
    """Weights of random scores; only the first `read` positions are allowed."""
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        weights = (2 * torch.randn(sizes, generator=generator, dtype=dtype)).softmax(-1)
        if read is not None:
            weights[0, :, read:] = 0
            weights[0] /= weights[0].sum(-1, keepdim=True).clamp(min=1e-9)
        return {"weights": weights}

    return make


def _with_gradient(generator: torch.Generator) -> Inputs:
    return {"weights": _random(1, 2, 3)(generator)["weights"].requires_grad_()}


CASES = (
    Case(_("two hops apart, and two hops that read alike"), _hand),
    Case(ONE_HOT, _one_hot),
    Case(_("a small batch"), _random(2, 3, 5), seed=1),
    Case(_("one sentence"), _random(1, 5, 7), seed=2),
    Case(CUBE, _random(3, 3, 3), seed=3),
    Case(_("one hop"), _random(2, 1, 5), seed=4),
    Case(_("more hops than positions"), _random(2, 5, 3), seed=5),
    Case(_("a sentence with padding"), _random(2, 3, 7, read=4), seed=6),
    Case(_("a sentence without words: its weights are zero"), _random(2, 3, 5, read=0), seed=7),
    Case(_("float64"), _random(5, 2, 11, double=True), seed=8),
    Case(_("a gradient for the weights"), _with_gradient, seed=9),
)

LIN_PENALTY = Exercise(
    slug="lin-penalty",
    title=_("The penalty on hops that read alike"),
    chapter="03",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Take one sentence and two hops. What is A A^T if each hop reads a word of its own, "
            "and what if both read the same word?"
        ),
        _(
            "Entry (i, j) of A A^T is the dot product of the rows i and j, so the matrix is "
            "[hop, hop]. The identity has the same size."
        ),
        _(
            "`(weights @ weights.mT - torch.eye(hops)).square()`, summed over the last two axes; "
            "the first axis, the batch, stays."
        ),
    ),
    solution=overlap_penalty,
    alternatives=(with_loops, multiplied_out, with_the_norm),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
