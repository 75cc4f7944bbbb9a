"""Exercise: the copying score of a head, from eigenvalues (Elhage et al., 2021)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.scalars import compare_scalar
from bottomup.i18n import _


def copying(W_E: torch.Tensor, W_OV: torch.Tensor, W_U: torch.Tensor) -> float:
    raised = W_E @ W_OV @ W_U.T  # by each token read, the logit of each token
    values = torch.linalg.eigvals(raised)
    return float(values.real.sum() / values.abs().sum())


def with_the_smaller_matrix(W_E: Tensor, W_OV: Tensor, W_U: Tensor) -> float:
    """A B and B A have the same eigenvalues but for zeros: d_model numbers, not a vocabulary."""
    values = torch.linalg.eigvals(W_U.T @ W_E @ W_OV)
    return float(values.real.sum() / values.abs().sum())


def with_a_trace(W_E: Tensor, W_OV: Tensor, W_U: Tensor) -> Tensor:
    raised = torch.einsum("ad,de,be->ab", W_E, W_OV, W_U)
    values, _vectors = torch.linalg.eig(raised)
    return raised.trace() / values.abs().sum()


def with_loops(W_E: Tensor, W_OV: Tensor, W_U: Tensor) -> float:
    rows = [[float(a @ W_OV @ b) for b in W_U] for a in W_E]
    values = torch.linalg.eigvals(torch.tensor(rows, dtype=torch.float64)).tolist()
    return sum(value.real for value in values) / sum(abs(value) for value in values)


# ---- One step in another way: what the mistakes are made of

Answer = Callable[[Tensor, Tensor, Tensor], float]


def _eigenvalues(raised: Tensor) -> Tensor:
    return torch.linalg.eigvals(raised)


@dataclass(frozen=True)
class Steps:
    """The steps of the score; a mistake replaces some of them.

    Args:
        raised: from W_E, W_OV and W_U to the matrix whose eigenvalues are taken.
        values: from that matrix to numbers.
        above: from those to what is divided.
        below: from those to what divides.
    """

    raised: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda W_E, W_OV, W_U: W_E @ W_OV @ W_U.T
    values: Callable[[Tensor], Tensor] = _eigenvalues
    above: Callable[[Tensor], Tensor] = lambda values: values.real.sum()
    below: Callable[[Tensor], Tensor | float] = lambda values: values.abs().sum()

    def __call__(self, W_E: Tensor, W_OV: Tensor, W_U: Tensor) -> float:
        """Return the score."""
        values = self.values(self.raised(W_E, W_OV, W_U))
        return float(self.above(values) / self.below(values))


RIGHT = Steps()


def with_step(**changed: Any) -> Answer:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


# ---- Mistakes

TURNS = _("a head that turns three tokens into each other")
OPPOSITE = _("a head that writes the opposite of what it reads")


def by_singular_values(W_E: Tensor, W_OV: Tensor, W_U: Tensor) -> float:
    raised = W_E @ W_OV @ W_U.T
    return float(raised.trace() / torch.linalg.svdvals(raised).sum())


def by_entries(below: Callable[[Tensor], Tensor]) -> Answer:
    """The diagonal is set against numbers of the whole matrix."""

    def answer(W_E: Tensor, W_OV: Tensor, W_U: Tensor) -> float:
        raised = W_E @ W_OV @ W_U.T
        return float(raised.trace() / below(raised))

    return answer


MISTAKES = (
    Mistake("eigenvalues-of-the-map", with_step(raised=lambda W_E, W_OV, W_U: W_OV)),
    Mistake("embedding-as-readout", with_step(raised=lambda W_E, W_OV, W_U: W_E @ W_OV @ W_E.T)),
    Mistake("readout-as-embedding", with_step(raised=lambda W_E, W_OV, W_U: W_U @ W_OV @ W_U.T)),
    Mistake(
        "never-negative",
        with_step(values=torch.linalg.svdvals),
        (
            with_step(above=lambda values: values.abs().sum()),
            with_step(above=lambda values: values.real.abs().sum()),
            with_step(values=lambda raised: torch.linalg.svdvals(raised).square()),
        ),
        case=OPPOSITE,
    ),
    Mistake("diagonal-only", with_step(values=torch.diagonal), case=TURNS),
    Mistake(
        "positive-ones-counted",
        with_step(above=lambda values: (values.real > 1e-9).sum(), below=len),
        (
            with_step(above=lambda values: (values.real > 1e-5).sum(), below=len),
            with_step(
                above=lambda values: values.real.sign().sum(), below=lambda values: len(values)
            ),
            with_step(above=lambda values: (values.real > 0).double().mean(), below=lambda _: 1.0),
        ),
    ),
    Mistake(
        "real-parts-below", with_step(below=lambda values: values.real.abs().sum()), case=TURNS
    ),
    Mistake(
        "symmetric-part",
        with_step(values=torch.linalg.eigvalsh),
        (with_step(values=lambda raised: torch.linalg.eigvalsh((raised + raised.T) / 2)),),
    ),
    Mistake("map-transposed", with_step(raised=lambda W_E, W_OV, W_U: W_E @ W_OV.T @ W_U.T)),
    Mistake("not-divided", with_step(below=lambda values: 1.0)),
    Mistake(
        "another-sum-below",
        by_singular_values,
        (
            with_step(below=lambda values: values.sum().abs()),
            with_step(below=lambda values: values.abs().square().sum().sqrt()),
            with_step(below=lambda values: values.abs().max()),
            with_step(below=len),
        ),
    ),
    Mistake(
        "entries-for-eigenvalues",
        by_entries(lambda raised: raised.abs().sum()),
        (by_entries(torch.linalg.norm), by_entries(lambda raised: raised.sum())),
    ),
    Mistake(
        "share-from-zero-to-one",
        with_step(above=lambda values: values.real.clamp(min=0).sum()),
        (
            with_step(
                above=lambda values: (values.real.sum() + values.abs().sum()) / 2,
            ),
        ),
        case=OPPOSITE,
    ),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _on_one_hot_tokens(rows: list[list[float]]) -> Make:
    """Tokens are the axes of the stream, so that the map is the matrix from token to token."""
    W_OV = torch.tensor(rows, dtype=torch.float64)
    return lambda generator: {
        "W_E": torch.eye(len(rows), dtype=torch.float64),
        "W_OV": W_OV.clone(),
        "W_U": torch.eye(len(rows), dtype=torch.float64),
    }


def _random(
    vocabulary: int, d_model: int, d_head: int, *, copies: float = 0.0
) -> Make:  # fmt: skip
    """A head of some width; with `copies`, its map is moved so far towards copying."""

    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=torch.float64)

        W_E, W_U = draw(vocabulary, d_model), draw(vocabulary, d_model)
        reads = draw(d_model, d_head)
        writes = draw(d_head, d_model) + copies * reads.T @ W_E.T @ W_U / d_model
        return {"W_E": W_E, "W_OV": reads @ writes / d_model, "W_U": W_U}

    return make


CASES = (
    Case(
        _("three tokens, one of them copied and one suppressed"),
        _on_one_hot_tokens([[4, 1, 0], [0, -1, 0], [0, 2, 0]]),
    ),
    Case(TURNS, _on_one_hot_tokens([[1, 3, 0], [0, 1, 3], [3, 0, 1]])),
    Case(OPPOSITE, _on_one_hot_tokens([[-2, 1, 0], [0, -1, 1], [0, 0, -3]])),
    Case(_("seven tokens in five numbers, a head of width three"), _random(7, 5, 3), seed=1),
    Case(_("a head that copies"), _random(11, 7, 5, copies=1.0), seed=2),
    Case(_("a head that suppresses"), _random(11, 5, 3, copies=-1.0), seed=3),
    Case(_("as many tokens as numbers"), _random(5, 5, 2), seed=4),
    Case(_("fewer tokens than numbers"), _random(3, 7, 5), seed=5),
    Case(_("a head as wide as the stream"), _random(5, 7, 7), seed=6),
)

ANSWERS = Answers(
    solution=copying,
    alternatives=(with_the_smaller_matrix, with_a_trace, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_scalar,
)
