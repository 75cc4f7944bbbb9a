"""Exercise: the penalty of Lin et al. (2017) on hops that read the same."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


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


# ---- Mistakes

ONE_HOT = _("three hops that all read the same position")
CUBE = _("as many sentences as hops and positions")
Answer = Callable[[Tensor], Tensor]
BOTH = (-2, -1)


def _difference(weights: Tensor) -> Tensor:
    return weights @ weights.mT - _identity(weights)


def _identity(weights: Tensor) -> Tensor:
    return torch.eye(weights.shape[1])


def _all_axes_turned(weights: Tensor) -> Tensor:
    return weights.permute(2, 1, 0)  # as weights.T


def _reduced(reduce: Callable[[Tensor], Tensor]) -> Answer:
    """Right up to A A^T - I, which is turned into a number in another way."""
    return lambda weights: reduce(_difference(weights))


def _compared(compare: Callable[[Tensor], Tensor]) -> Answer:
    """A wrong matrix, whose squares are summed as they should be."""
    return lambda weights: compare(weights).square().sum(BOTH)


def _of_positions(weights: Tensor) -> Tensor:
    return weights.mT @ weights - torch.eye(weights.shape[2])


def _off_diagonal(weights: Tensor) -> Tensor:
    products = weights @ weights.mT
    return products - torch.diag_embed(products.diagonal(dim1=-2, dim2=-1))


def _cosines(weights: Tensor) -> Tensor:
    return _difference(torch.nn.functional.normalize(weights, dim=-1))


MISTAKES = (
    Mistake("identity-missing", _compared(lambda weights: weights @ weights.mT)),
    Mistake("ones-for-identity", _compared(lambda weights: weights @ weights.mT - 1), case=ONE_HOT),
    Mistake(
        "diagonal-left-out",
        _compared(_off_diagonal),
        (_compared(lambda weights: _off_diagonal(weights).triu()),),
    ),
    Mistake(
        "diagonal-alone",
        _compared(lambda weights: _difference(weights).diagonal(dim1=-2, dim2=-1)[..., None]),
        case=ONE_HOT,
    ),
    Mistake(
        "axes-counted-from-the-front",
        _compared(lambda weights: weights @ _all_axes_turned(weights) - _identity(weights)),
        (_compared(lambda weights: weights @ weights.transpose(0, 1) - _identity(weights)),),
        case=CUBE,
    ),
    Mistake("each-pair-once", _compared(lambda weights: _difference(weights).triu())),
    Mistake("positions-compared", _compared(_of_positions)),
    Mistake("norm-not-squared", _reduced(lambda difference: difference.square().sum(BOTH).sqrt())),
    Mistake("entries-not-squared", _reduced(lambda difference: difference.sum(BOTH))),
    Mistake("square-of-the-sum", _reduced(lambda difference: difference.sum(BOTH).square())),
    Mistake(
        "row-sums-squared",
        _reduced(lambda difference: difference.sum(-1).square().sum(-1)),
        (_reduced(lambda difference: (difference @ difference).sum(BOTH)),),
    ),
    Mistake("absolute-values", _reduced(lambda difference: difference.abs().sum(BOTH))),
    Mistake(
        "another-norm",
        _reduced(lambda difference: torch.linalg.matrix_norm(difference, ord=2) ** 2),
    ),
    Mistake(
        "mean-over-hops",
        _reduced(lambda difference: difference.square().mean(BOTH)),
        (_reduced(lambda difference: difference.square().sum(-1).mean(-1)),),
    ),
    Mistake(
        "one-number-for-each-hop",
        _reduced(lambda difference: difference.square().sum(-1)),
        (
            _reduced(lambda difference: difference.square().mean(-1)),
            _reduced(lambda difference: difference.norm(dim=-1)),
            _reduced(lambda difference: difference.sum(-1).square()),
        ),
    ),
    Mistake(
        "one-number-for-all",
        _reduced(lambda difference: difference.square().sum()),
        (
            _reduced(lambda difference: difference.square().sum(BOTH).mean()),
            _reduced(lambda difference: difference.square().mean()),
            _reduced(lambda difference: difference.norm()),
        ),
    ),
    Mistake("rows-made-unit", _compared(_cosines)),
)


# ---- Cases


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

ANSWERS = Answers(
    solution=overlap_penalty,
    alternatives=(with_loops, multiplied_out, with_the_norm),
    mistakes=MISTAKES,
    cases=CASES,
)
