"""Exercise: attention whose heads share keys and values (Ainslie et al., 2023)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def grouped(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    heads, n, d_key = query.shape
    each = heads // len(key)
    key = key.repeat_interleave(each, dim=0)  # [head, n, d_key]
    value = value.repeat_interleave(each, dim=0)
    scores = query @ key.mT / d_key**0.5
    ahead = torch.ones(n, n, dtype=torch.bool).triu(1)
    return scores.masked_fill(ahead, -torch.inf).softmax(dim=-1) @ value


def without_copies(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    heads, n, d_key = query.shape
    groups = len(key)
    asked = query.view(groups, heads // groups, n, d_key)
    scores = torch.einsum("grqc,gkc->grqk", asked, key) * d_key**-0.5
    scores = scores + torch.full((n, n), -torch.inf, dtype=query.dtype).triu(1)
    read = torch.einsum("grqk,gkv->grqv", torch.softmax(scores, dim=3), value)
    return read.flatten(0, 1)


def with_torch(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    attention = torch.nn.functional.scaled_dot_product_attention
    query, key, value = (x[None] for x in (query, key, value))
    return attention(query, key, value, is_causal=True, enable_gqa=True)[0]


def with_loops(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    each = len(query) // len(key)
    heads = []
    for h, head in enumerate(query):
        k, v, rows = key[h // each], value[h // each], []
        for i, q in enumerate(head):
            weights = torch.softmax(k[: i + 1] @ q / len(q) ** 0.5, dim=0)
            rows.append(weights @ v[: i + 1])
        heads.append(torch.stack(rows))
    return torch.stack(heads)


# ---- The steps, some of which a mistake replaces

Choose = Callable[[int, int], Tensor]  # from heads and groups to the group of each head


def in_blocks(heads: int, groups: int) -> Tensor:
    return torch.arange(heads) // (heads // groups)


def in_turns(heads: int, groups: int) -> Tensor:
    return torch.arange(heads) % groups


def by_groups(heads: int, groups: int) -> Tensor:
    """Divide by the number of groups; what lies beyond the last one is its own error."""
    return torch.arange(heads) // groups


def by_groups_within(heads: int, groups: int) -> Tensor:
    return by_groups(heads, groups).clamp(max=groups - 1)


def by_groups_around(heads: int, groups: int) -> Tensor:
    return by_groups(heads, groups) % groups


def first(heads: int, groups: int) -> Tensor:
    return torch.zeros(heads, dtype=torch.int64)


def last(heads: int, groups: int) -> Tensor:
    return torch.full((heads,), groups - 1)


def before(scores: Tensor) -> Tensor:
    ahead = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(ahead, -torch.inf)


@dataclass(frozen=True)
class Steps:
    """The steps of grouped attention; a mistake replaces some of them.

    Args:
        keys, values: which group's each head reads.
        scale: from heads and d_key to what the scores are divided by.
        mask: what is done to the scores before the softmax.
        weights: from masked scores to weights.
    """

    keys: Choose = in_blocks
    values: Choose = in_blocks
    scale: Callable[[int, int], float] = lambda heads, d_key: d_key**0.5
    mask: Callable[[Tensor], Tensor] = before
    weights: Callable[[Tensor], Tensor] = lambda scores: scores.softmax(dim=-1)

    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Return what the heads read."""
        heads, _n, d_key = query.shape
        key = key[self.keys(heads, len(key))]
        value = value[self.values(heads, len(value))]
        scores = query @ key.mT / self.scale(heads, d_key)
        return self.weights(self.mask(scores)) @ value


RIGHT = Steps()


def with_step(**changed: Any) -> Steps:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


def both(choose: Choose) -> Steps:
    return with_step(keys=choose, values=choose)


def _folded_under_one_triangle(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The heads of a group as more queries, and one mask for all their rows."""
    asked = query.reshape(len(key), -1, query.shape[-1])
    scores = before(asked @ key.mT / query.shape[-1] ** 0.5)
    return (scores.softmax(dim=-1) @ value).reshape(*query.shape[:2], -1)


def _by_width_of_values(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return with_step(scale=lambda heads, d_key: value.shape[-1] ** 0.5)(query, key, value)


def _averaged(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return RIGHT(query, key.mean(dim=0, keepdim=True), value.mean(dim=0, keepdim=True))


def _not_itself(scores: Tensor) -> Tensor:
    kept = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-1)
    return scores.masked_fill(~kept, -torch.inf)


def _behind(scores: Tensor) -> Tensor:
    return before(scores.mT).mT


def _cut(scores: Tensor) -> Tensor:
    return scores.softmax(dim=-1).tril()


MISTAKES = (
    Mistake("copies-in-turns", both(in_turns)),
    Mistake(
        "groups-taken-for-heads-per-group",
        both(by_groups_around),
        (both(by_groups), both(by_groups_within)),
    ),
    Mistake("one-group-for-all", both(first), (both(last), _averaged)),
    Mistake("values-in-another-order", with_step(values=in_turns), (with_step(keys=in_turns),)),
    Mistake(
        "reads-ahead",
        with_step(mask=lambda scores: scores),
        (
            with_step(mask=_not_itself),
            with_step(mask=lambda scores: _not_itself(scores).clamp(min=-1e9)),
            with_step(mask=_behind),
        ),
    ),
    Mistake("one-mask-for-folded-heads", _folded_under_one_triangle),
    Mistake("zeros-for-minus-infinity", with_step(mask=torch.tril)),
    Mistake("masked-after-the-softmax", with_step(mask=lambda scores: scores, weights=_cut)),
    Mistake(
        "another-scale",
        with_step(scale=lambda heads, d_key: 1.0),
        (
            with_step(scale=lambda heads, d_key: d_key),
            with_step(scale=lambda heads, d_key: (heads * d_key) ** 0.5),
            _by_width_of_values,
        ),
    ),
    Mistake(
        "softmax-over-another-axis",
        with_step(weights=lambda scores: scores.softmax(dim=-2)),
        (with_step(weights=lambda scores: scores.softmax(dim=0).nan_to_num()),),
    ),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _by_hand(generator: torch.Generator) -> Inputs:
    """Queries of zeros: each position reads the mean of what it may read."""
    value = torch.tensor([[[0.0], [2.0]], [[10.0], [30.0]], [[100.0], [500.0]]])
    return {
        "query": torch.zeros(6, 2, 1, dtype=torch.float64),
        "key": torch.ones(3, 2, 1, dtype=torch.float64),
        "value": value.double(),
    }


def _random(heads: int, groups: int, n: int, d_key: int, d_value: int) -> Make:
    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=torch.float64)

        return {
            "query": draw(heads, n, d_key),
            "key": draw(groups, n, d_key),
            "value": draw(groups, n, d_value),
        }

    return make


CASES = (
    Case(_("six heads in three groups, two positions, equal scores"), _by_hand),
    Case(_("six heads in two groups"), _random(6, 2, 5, 3, 7), seed=1),
    Case(_("eight heads in four groups"), _random(8, 4, 3, 5, 2), seed=2),
    Case(_("twelve heads in three groups"), _random(12, 3, 7, 2, 5), seed=3),
    Case(_("one group for all heads"), _random(5, 1, 3, 7, 2), seed=4),
    Case(_("a group for each head"), _random(3, 3, 5, 2, 7), seed=5),
    Case(_("one position"), _random(6, 3, 1, 5, 2), seed=6),
)

ANSWERS = Answers(
    solution=grouped,
    alternatives=(without_copies, with_torch, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
