"""Multi-head attention with one step in another way: what the named mistakes are made of."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from torch import Tensor

Pair = tuple[Tensor, Tensor]
Answer = Callable[..., Pair]


def split(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def apply(x: Tensor, matrix: Tensor) -> Tensor:
    return x @ matrix.T


def project(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    return split(x @ matrix.T, num_heads)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask[:, None], -inf)


@dataclass(frozen=True)
class Steps:
    """The steps of multi-head attention; a mistake replaces one of them.

    Args:
        project: from positions and a map to heads, for queries, keys and values.
        sources: chooses what queries, keys and values are made of.
        divisor: the number by which the scores are divided, from d_model, num_heads and d_head.
        mask_scores: what a mask does to the scores.
        normalise: from scores to weights.
        merge: from heads to one width.
        mix: applies W_O.
        returned: what of the weights is returned.
    """

    project: Callable[[Tensor, Tensor, int], Tensor] = project
    sources: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]] = (
        lambda query, key, value: (query, key, value)
    )
    divisor: Callable[[int, int, int], float] = lambda d_model, num_heads, d_head: d_head**0.5
    mask_scores: Callable[[Tensor, Tensor], Tensor] = mask_scores
    normalise: Callable[[Tensor], Tensor] = lambda scores: scores.softmax(-1)
    merge: Callable[[Tensor], Tensor] = merge
    mix: Callable[[Tensor, Tensor], Tensor] = apply
    returned: Callable[[Tensor], Tensor] = lambda weights: weights

    def __call__(
        self, query: Tensor, key: Tensor, value: Tensor,
        W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor,
        num_heads: int, mask: Tensor | None = None,
    ) -> Pair:  # fmt: skip
        """Return output and weights."""
        sources = self.sources(query, key, value)
        q, k, v = (
            self.project(x, matrix, num_heads)
            for x, matrix in zip(sources, (W_Q, W_K, W_V), strict=True)
        )
        scores = q @ k.mT / self.divisor(query.shape[-1], num_heads, q.shape[-1])
        if mask is not None:
            scores = self.mask_scores(scores, mask)
        weights = self.normalise(scores)
        return self.mix(self.merge(weights @ v), W_O), self.returned(weights)


RIGHT = Steps()


def with_step(**changed: Callable[..., object]) -> Answer:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)  # type: ignore[arg-type]
