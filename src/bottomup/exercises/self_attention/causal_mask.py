"""Exercise: the mask that hides the future."""

from collections.abc import Callable
from math import inf

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def causal_mask(n: int) -> torch.Tensor:
    query = torch.arange(n).unsqueeze(1)  # [n, 1]
    key = torch.arange(n).unsqueeze(0)  # [1, n]
    return key <= query


def with_tril(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()


def with_triu(n: int) -> Tensor:
    return ~torch.ones(n, n).triu(diagonal=1).bool()


def with_loops(n: int) -> Tensor:
    return torch.tensor([[j <= i for j in range(n)] for i in range(n)])


def _where(allowed: Callable[[Tensor, Tensor], Tensor]) -> Callable[[int], Tensor]:
    """A mask that lets query i read key j where `allowed` says so."""
    return lambda n: allowed(torch.arange(n)[:, None], torch.arange(n)[None, :])


def _additive(hidden: Callable[[Tensor, Tensor], Tensor], value: float) -> Callable[[int], Tensor]:
    """Zeros, and `value` where a key is hidden."""
    return lambda n: torch.zeros(n, n).masked_fill(_where(hidden)(n), value)


MISTAKES = (
    Mistake("strict", _where(lambda i, j: j < i)),
    Mistake("one-too-many", _where(lambda i, j: j <= i + 1)),
    Mistake("transposed", _where(lambda i, j: j >= i)),
    Mistake("inverted", _where(lambda i, j: j > i), (_where(lambda i, j: j > i + 1),)),
    Mistake(
        "additive",
        _additive(lambda i, j: j > i, -inf),
        (
            _additive(lambda i, j: j > i, -1e9),
            _additive(lambda i, j: j > i, torch.finfo(torch.float32).min),
            _additive(lambda i, j: j >= i, -inf),
            _additive(lambda i, j: j < i, -inf),
        ),
    ),
    Mistake("nothing-hidden", lambda n: torch.ones(n, n, dtype=torch.bool)),
    Mistake(
        "axis-missing",
        lambda n: torch.arange(n) <= torch.arange(n),
        (lambda n: torch.ones(n, dtype=torch.bool), lambda n: torch.arange(n) < torch.arange(n)),
    ),
)


def _positions(n: int) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"n": n}


CASES = (
    Case(_("four positions"), _positions(4)),
    Case(_("one position"), _positions(1)),
    Case(_("two positions"), _positions(2)),
    Case(_("seven positions"), _positions(7)),
    Case(_("thirteen positions"), _positions(13)),
)

ANSWERS = Answers(
    solution=causal_mask,
    alternatives=(with_tril, with_triu, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
