"""Exercise: the prefix-matching score of a head (Olsson et al., 2022)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def prefix_matching(weights: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    same = tokens[:, :, None] == tokens[:, None, :]  # [batch, query, key]
    matches = same.roll(1, dims=2).tril()  # the key before holds the query's token
    matches[:, :, 0] = False  # nothing stands before the first
    queries = matches.any(dim=-1).sum()
    return (weights * matches[:, None]).sum(dim=(0, 2, 3)) / queries


def with_loops(weights: Tensor, tokens: Tensor) -> Tensor:
    total, queries = weights.new_zeros(weights.shape[1]), 0
    for row, sequence in enumerate(tokens.tolist()):
        for i, token in enumerate(sequence):
            keys = [j for j in range(1, i + 1) if sequence[j - 1] == token]
            queries += bool(keys)
            for j in keys:
                total = total + weights[row, :, i, j]
    return total / queries


def with_padding(weights: Tensor, tokens: Tensor) -> Tensor:
    before = torch.nn.functional.pad(tokens, (1, -1), value=-1)  # [batch, key]
    place = torch.arange(tokens.shape[1])
    matches = (before[:, None, :] == tokens[:, :, None]) & (place <= place[:, None])
    read = torch.einsum("bhqk,bqk->bhq", weights, matches.to(weights.dtype))
    return read.transpose(0, 1)[:, matches.any(dim=-1)].mean(dim=-1)


def with_slices(weights: Tensor, tokens: Tensor) -> Tensor:
    same = (tokens[:, :, None] == tokens[:, None, :]).tril(-1)[:, :, :-1]  # key j - 1, j from 1
    read = weights[..., 1:].masked_fill(~same[:, None], 0).sum(dim=-1)  # [batch, head, query]
    counts = same.any(dim=-1, keepdim=True).transpose(1, 2).expand_as(read)
    return read.sum(dim=(0, 2)) / counts.sum(dim=(0, 2))


# ---- One step in another way: what the mistakes are made of

Answer = Callable[[Tensor, Tensor], Tensor]


def same_token(tokens: Tensor) -> Tensor:
    return tokens[:, :, None] == tokens[:, None, :]


def moved(table: Tensor, keys: int) -> Tensor:
    """Give each key what the one so many before it has; False where there is none."""
    return F.pad(table, (keys, -keys), value=False)


def followed(tokens: Tensor) -> Tensor:
    return moved(same_token(tokens), 1).tril()


def sum_over_keys(read: Tensor, matches: Tensor) -> Tensor:
    return (read * matches[:, None]).sum(dim=-1)


def mean_over_matching(read: Tensor, matches: Tensor) -> Tensor:
    """From [batch, head, query] to [head]."""
    return read.sum(dim=(0, 2)) / matches.any(dim=-1).sum()


@dataclass(frozen=True)
class Steps:
    """The steps of the score; a mistake replaces some of them.

    Args:
        matches: from the tokens to where a query matches a key, [batch, query, key].
        read: from weights and matches to one number a query, [batch, head, query].
        mean: from those and the matches to [head].
    """

    matches: Callable[[Tensor], Tensor] = followed
    read: Callable[[Tensor, Tensor], Tensor] = sum_over_keys
    mean: Callable[[Tensor, Tensor], Tensor] = mean_over_matching

    def __call__(self, weights: Tensor, tokens: Tensor) -> Tensor:
        """Return the score of each head."""
        matches = self.matches(tokens)
        return self.mean(self.read(weights, matches), matches)


RIGHT = Steps()


def with_step(**changed: Any) -> Answer:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


# ---- Mistakes

TWICE = _("a token twice in a row")
UNMASKED = _("weights that are not causal")
SEVERAL = _("a token that stands there three times")


def _last_of(matches: Tensor) -> Tensor:
    behind = matches.flip(-1).cumsum(dim=-1).flip(-1)
    return matches & (behind == 1)


def _first_of(matches: Tensor) -> Tensor:
    return matches & (matches.cumsum(dim=-1) == 1)


def _per_sequence(read: Tensor, matches: Tensor) -> Tensor:
    queries = matches.any(dim=-1).sum(dim=-1)  # [batch]
    return (read.sum(dim=2) / queries[:, None]).mean(dim=0)


def _per_sequence_without_nan(read: Tensor, matches: Tensor) -> Tensor:
    queries = matches.any(dim=-1).sum(dim=-1).clamp(min=1)
    return (read.sum(dim=2) / queries[:, None]).mean(dim=0)


def _all_positions(read: Tensor, matches: Tensor) -> Tensor:
    return read.mean(dim=(0, 2))


def _largest(weights: Tensor, matches: Tensor) -> Tensor:
    return (weights * matches[:, None]).amax(dim=-1)


def _looks_there(weights: Tensor, matches: Tensor) -> Tensor:
    best = F.one_hot(weights.argmax(-1), weights.shape[-1])
    return (best * matches[:, None]).sum(-1).to(weights)


def _next_query(tokens: Tensor) -> Tensor:
    return moved(same_token(tokens).mT, 1).mT


def _rolled(tokens: Tensor) -> Tensor:
    return same_token(tokens).roll(1, dims=2).tril()


MISTAKES = (
    Mistake(
        "same-token-instead-of-the-next",
        with_step(matches=lambda tokens: same_token(tokens).tril(-1)),
        (
            with_step(matches=lambda tokens: same_token(tokens).tril()),
            with_step(matches=same_token),
        ),
    ),
    Mistake(
        "one-before-instead-of-the-next",
        with_step(matches=lambda tokens: moved(same_token(tokens).tril(-1), -1)),
        (with_step(matches=lambda tokens: moved(same_token(tokens), -1).tril()),),
    ),
    Mistake(
        "moved-along-the-queries",
        with_step(matches=lambda tokens: _next_query(tokens).tril(-1)),
        (
            with_step(matches=lambda tokens: _next_query(tokens).tril()),
            with_step(matches=_next_query),
        ),
    ),
    Mistake("queries-without-a-match-counted", with_step(mean=_all_positions)),
    Mistake(
        "averaged-over-the-keys",
        with_step(mean=lambda read, matches: read.sum(dim=(0, 2)) / matches.sum()),
        case=SEVERAL,
    ),
    Mistake("not-divided", with_step(mean=lambda read, matches: read.sum(dim=(0, 2)))),
    Mistake(
        "last-occurrence-only",
        with_step(matches=lambda tokens: _last_of(followed(tokens))),
        case=SEVERAL,
    ),
    Mistake(
        "first-occurrence-only",
        with_step(matches=lambda tokens: _first_of(followed(tokens))),
        case=SEVERAL,
    ),
    Mistake(
        "largest-weight-instead-of-the-sum",
        with_step(read=_largest),
        (with_step(read=_looks_there),),
    ),
    Mistake(
        "future-counted",
        with_step(matches=lambda tokens: moved(same_token(tokens), 1)),
        (with_step(matches=lambda tokens: moved(same_token(tokens), 1).tril(1)),),
        case=UNMASKED,
    ),
    Mistake(
        "first-key-after-the-last",
        with_step(matches=_rolled),
        (with_step(matches=lambda tokens: same_token(tokens).roll(1, dims=2)),),
    ),
    Mistake(
        "own-place-left-out",
        with_step(matches=lambda tokens: moved(same_token(tokens), 1).tril(-1)),
        case=TWICE,
    ),
    Mistake(
        "query-and-key-exchanged",
        with_step(read=lambda weights, matches: sum_over_keys(weights.mT, matches)),
        (with_step(read=lambda weights, matches: sum_over_keys(weights, matches.mT)),),
        case=UNMASKED,
    ),
    Mistake(
        "heads-averaged",
        with_step(mean=lambda read, matches: mean_over_matching(read, matches).mean()),
        (
            with_step(
                mean=lambda read, matches: (
                    mean_over_matching(read, matches).mean().expand(read.shape[1])
                )
            ),
        ),
    ),
    Mistake(
        "mean-of-the-sequences",
        with_step(mean=_per_sequence),
        (with_step(mean=_per_sequence_without_nan),),
    ),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _random(
    batch: int, heads: int, length: int, symbols: int, *, causal: bool = True,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    def make(generator: torch.Generator) -> Inputs:
        shape = (batch, heads, length, length)
        scores = 2 * torch.randn(shape, generator=generator, dtype=dtype)
        if causal:
            ahead = torch.ones(length, length).triu(1).bool()
            scores = scores.masked_fill(ahead, -torch.inf)
        tokens = torch.randint(symbols, (batch, length), generator=generator)
        return {"weights": scores.softmax(dim=-1), "tokens": tokens}

    return make


def _uniform(*tokens: list[int]) -> Make:
    """One head that reads all that it may alike."""

    def make(generator: torch.Generator) -> Inputs:
        length = len(tokens[0])
        allowed = torch.ones(length, length).tril()
        weights = (allowed / allowed.sum(dim=-1, keepdim=True)).expand(len(tokens), 1, -1, -1)
        return {"weights": weights.clone(), "tokens": torch.tensor(tokens)}

    return make


def _repeated(generator: torch.Generator) -> Inputs:
    """Two heads on a half of seven symbols and the same once more; the second sequence differs."""
    inputs = _random(2, 2, 14, 11)(generator)
    half = torch.randperm(11, generator=generator)[:7]
    fresh = torch.arange(14)  # no token twice
    return {**inputs, "tokens": torch.stack([half.repeat(2), fresh])}


CASES = (
    Case(
        _("three tokens, the first of them again"),
        lambda generator: {
            "weights": torch.tensor(
                [[[[1, 0, 0], [0.5, 0.5, 0], [0.125, 0.75, 0.125]]]], dtype=torch.float32
            ),
            "tokens": torch.tensor([[5, 7, 5]]),
        },
    ),
    Case(TWICE, _uniform([3, 3, 4, 3, 3])),
    Case(SEVERAL, _uniform([1, 2, 1, 2, 1, 1])),
    Case(_("a half repeated, beside a sequence in which nothing comes twice"), _repeated, seed=1),
    Case(_("five heads, thirteen tokens"), _random(3, 5, 13, 7), seed=2),
    Case(_("as many heads as sequences"), _random(3, 3, 11, 5), seed=3),
    Case(UNMASKED, _random(2, 3, 7, 3, causal=False), seed=4),
    Case(_("float64"), _random(2, 2, 5, 2, dtype=torch.float64), seed=5),
)

ANSWERS = Answers(
    solution=prefix_matching,
    alternatives=(with_loops, with_padding, with_slices),
    mistakes=MISTAKES,
    cases=CASES,
)
