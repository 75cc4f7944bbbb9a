"""Exercise: a decoding step of one head with rotary positions (Su et al., 2021)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _

Step = tuple[Tensor, Tensor, Tensor]


def rotary_step(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
    keys: torch.Tensor, values: torch.Tensor, base: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    position, d_head = len(keys), len(query)
    angles = position * base ** (-torch.arange(0, d_head, 2) / d_head)

    def turned(x: torch.Tensor) -> torch.Tensor:
        one, other, cos, sin = x[0::2], x[1::2], angles.cos(), angles.sin()
        return torch.stack([one * cos - other * sin, one * sin + other * cos], dim=-1).flatten()

    keys = torch.cat([keys, turned(key)[None]])
    values = torch.cat([values, value[None]])
    weights = (keys @ turned(query) / d_head**0.5).softmax(dim=0)
    return weights @ values, keys, values


def with_complex_numbers(
    query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, base: float
) -> Step:
    d_head = len(query)
    angles = len(keys) * base ** (-torch.arange(0, d_head, 2) / d_head)
    turn = torch.polar(torch.ones_like(angles), angles)
    query, key = (
        torch.view_as_real(torch.view_as_complex(x.reshape(-1, 2)) * turn).flatten()
        for x in (query, key)
    )
    keys, values = torch.vstack([keys, key]), torch.vstack([values, value])
    scores = torch.einsum("c,kc->k", query, keys) / math.sqrt(d_head)
    return scores.softmax(dim=-1) @ values, keys, values


def with_a_matrix(
    query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, base: float
) -> Step:
    d_head, position = len(query), len(keys)
    blocks = []
    for i in range(d_head // 2):
        angle = position / base ** (2 * i / d_head)
        cos, sin = math.cos(angle), math.sin(angle)
        blocks.append(torch.tensor([[cos, -sin], [sin, cos]]))
    R = torch.block_diag(*blocks)
    keys = torch.cat([keys, (R @ key)[None]])
    values = torch.cat([values, value[None]])
    weights = torch.softmax(keys @ (R @ query) * d_head**-0.5, dim=0)
    return weights @ values, keys, values


# ---- The steps, some of which a mistake replaces


def neighbours(x: Tensor, angles: Tensor) -> Tensor:
    one, other = x[0::2], x[1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([one * cos - other * sin, one * sin + other * cos], dim=-1).flatten()


def halves(x: Tensor, angles: Tensor) -> Tensor:
    one, other = x.chunk(2)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([one * cos - other * sin, one * sin + other * cos])


def apart(x: Tensor, angles: Tensor) -> Tensor:
    """Turn the right pairs and leave all first coordinates in front of all second ones."""
    return neighbours(x, angles).view(-1, 2).T.flatten()


def without_minus(x: Tensor, angles: Tensor) -> Tensor:
    one, other = x[0::2], x[1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([one * cos + other * sin, one * sin + other * cos], dim=-1).flatten()


def backwards(x: Tensor, angles: Tensor) -> Tensor:
    return neighbours(x, -angles)


def plain(x: Tensor, angles: Tensor) -> Tensor:
    return x


def usual_exponents(d_head: int) -> Tensor:
    return torch.arange(0, d_head, 2) / d_head


Turn = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Steps:
    """What is done to the new position; a mistake replaces some of it.

    Args:
        query, key, value: how each is turned by the angles of its position.
        kept: how the key is turned that the cache keeps; None for the one that is read.
        position: from the number of those in the cache to the new one's.
        exponents: from d_head to those of the frequencies, without their sign.
        scale: from d_head to what the scores are multiplied by.
        weigh: from scores to weights.
    """

    query: Turn = neighbours
    key: Turn = neighbours
    value: Turn = plain
    kept: Turn | None = None
    position: Callable[[int], int] = lambda n: n
    exponents: Callable[[int], Tensor] = usual_exponents
    scale: Callable[[int], float] = lambda d_head: d_head**-0.5
    weigh: Callable[[Tensor], Tensor] = lambda scores: scores.softmax(dim=0)

    def __call__(
        self, query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, base: float
    ) -> Step:
        """Return output and cache."""

        def angles(width: int) -> Tensor:
            return self.position(len(keys)) * base ** -self.exponents(width)

        d_head = len(query)
        read = torch.cat([keys, self.key(key, angles(d_head))[None]])
        kept = read
        if self.kept is not None:
            kept = torch.cat([keys, self.kept(key, angles(d_head))[None]])
        values = torch.cat([values, self.value(value, angles(len(value)))[None]])
        scores = read @ self.query(query, angles(d_head)) * self.scale(d_head)
        return self.weigh(scores) @ values, kept, values


RIGHT = Steps()


def with_step(**changed: Any) -> Steps:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


def _all_again(kept_too: bool) -> Callable[..., Step]:
    """All keys are turned by their places; the cache gets that, or only the new one."""

    def wrong(
        query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, base: float
    ) -> Step:
        _output, right, values = RIGHT(query, key, value, keys, values, base)
        frequencies = base ** -usual_exponents(len(query))
        rows = [*keys, key]
        again = torch.stack([neighbours(x, n * frequencies) for n, x in enumerate(rows)])
        asked = neighbours(query, len(keys) * frequencies)
        weights = (again @ asked * len(query) ** -0.5).softmax(dim=0)
        return weights @ values, again if kept_too else right, values

    return wrong


def _itself_unread(
    query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, base: float
) -> Step:
    _output, kept, read = RIGHT(query, key, value, keys, values, base)
    asked = neighbours(query, len(keys) * base ** -usual_exponents(len(query)))
    weights = (keys @ asked * len(query) ** -0.5).softmax(dim=0)
    return weights @ values, kept, read


def _usual_base(
    query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, base: float
) -> Step:
    return RIGHT(query, key, value, keys, values, 10_000.0)


def _by_width_of_values(
    query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, base: float
) -> Step:
    by_value = with_step(scale=lambda d_head: len(value) ** -0.5)
    return by_value(query, key, value, keys, values, base)


def _plus_sinusoids(x: Tensor, angles: Tensor) -> Tensor:
    return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten()


def _plus_sinusoids_in_halves(x: Tensor, angles: Tensor) -> Tensor:
    return x + torch.cat([angles.sin(), angles.cos()])


def _plus_cosines_first(x: Tensor, angles: Tensor) -> Tensor:
    return x + torch.stack([angles.cos(), angles.sin()], dim=-1).flatten()


def _in_front(
    query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, base: float
) -> Step:
    output, keys, values = RIGHT(query, key, value, keys, values, base)
    return output, keys.roll(1, dims=0), values.roll(1, dims=0)


def _keys_in_front(
    query: Tensor, key: Tensor, value: Tensor, keys: Tensor, values: Tensor, base: float
) -> Step:
    """The keys alone: weights and values no longer belong to each other."""
    _output, turned, values = RIGHT(query, key, value, keys, values, base)
    turned = turned.roll(1, dims=0)
    asked = neighbours(query, len(keys) * base ** -usual_exponents(len(query)))
    return (turned @ asked * len(query) ** -0.5).softmax(dim=0) @ values, turned, values


FAR = _("nine positions in the cache, three pairs")

MISTAKES = (
    Mistake("keys-not-turned", with_step(key=plain)),
    Mistake("queries-not-turned", with_step(query=plain)),
    Mistake("nothing-turned", with_step(query=plain, key=plain)),
    Mistake("values-turned", with_step(value=neighbours), (with_step(value=halves),)),
    Mistake("cached-keys-turned-again", _all_again(True), (_all_again(False),)),
    Mistake(
        "one-position-off",
        with_step(position=lambda n: n + 1),
        (with_step(position=lambda n: n - 1), with_step(position=lambda n: max(n - 1, 0))),
    ),
    Mistake("halves-for-neighbours", with_step(query=halves, key=halves), case=FAR),
    Mistake("orders-mixed", with_step(key=halves), (with_step(query=halves),), case=FAR),
    Mistake("turned-backwards", with_step(query=backwards, key=backwards)),
    Mistake("minus-missing", with_step(query=without_minus, key=without_minus)),
    Mistake("coordinates-left-apart", with_step(query=apart, key=apart), case=FAR),
    Mistake("base-ignored", _usual_base),
    Mistake(
        "frequencies-of-other-pairs",
        with_step(exponents=lambda d: usual_exponents(d) / 2),
        (
            with_step(exponents=lambda d: usual_exponents(d) * 2),
            with_step(exponents=lambda d: usual_exponents(d) + 1 / d),
        ),
        case=FAR,
    ),
    Mistake("cache-keeps-the-plain-key", with_step(kept=plain)),
    Mistake("new-position-unread", _itself_unread),
    Mistake(
        "another-scale",
        with_step(scale=lambda d_head: 1.0),
        (
            with_step(scale=lambda d_head: 1 / d_head),
            with_step(scale=lambda d_head: (d_head / 2) ** -0.5),
            _by_width_of_values,
        ),
        case=FAR,
    ),
    Mistake("softmax-missing", with_step(weigh=lambda scores: scores)),
    Mistake(
        "sinusoids-added",
        with_step(query=_plus_cosines_first, key=_plus_cosines_first),
        (
            with_step(query=_plus_sinusoids, key=_plus_sinusoids),
            with_step(query=_plus_sinusoids_in_halves, key=_plus_sinusoids_in_halves),
        ),
    ),
    Mistake("new-in-front", _in_front, (_keys_in_front,)),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _by_hand(generator: torch.Generator) -> Inputs:
    """One pair, base irrelevant: position 1 turns by one radian."""
    return {
        "query": torch.tensor([1.0, 0.0]),
        "key": torch.tensor([0.0, 2.0]),
        "value": torch.tensor([10.0, 0.0]),
        "keys": torch.tensor([[3.0, 0.0]]),
        "values": torch.tensor([[0.0, 20.0]]),
        "base": 100.0,
    }


def _random(n: int, d_head: int, d_value: int, base: float = 10_000.0) -> Make:
    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator)

        keys = draw(n, d_head)
        frequencies = base ** -usual_exponents(d_head)
        turned = [neighbours(x, place * frequencies) for place, x in enumerate(keys)]
        return {
            "query": draw(d_head),
            "key": draw(d_head),
            "value": draw(d_value),
            "keys": torch.stack(turned) if n else keys,
            "values": draw(n, d_value),
            "base": base,
        }

    return make


CASES = (
    Case(_("one pair, one position in the cache"), _by_hand),
    Case(_("two pairs, three positions in the cache"), _random(3, 4, 2, 100.0), seed=1),
    Case(FAR, _random(9, 6, 8), seed=2),
    Case(_("a wide head"), _random(7, 16, 10), seed=3),
    Case(_("the first token: the cache is empty"), _random(0, 6, 4), seed=4),
    Case(_("the second token"), _random(1, 10, 2, 7.0), seed=5),
)

ANSWERS = Answers(
    solution=rotary_step,
    alternatives=(with_complex_numbers, with_a_matrix),
    mistakes=MISTAKES,
    cases=CASES,
)
