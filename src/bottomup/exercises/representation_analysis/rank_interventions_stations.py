"""Stations of toy networks: small ones by hand, and drawn ones in rotated directions."""

from collections.abc import Callable
from math import sqrt

import torch
from torch import Tensor

from bottomup.exercises.exercise import Inputs
from bottomup.exercises.representation_analysis.rank_interventions_networks import (
    Codes,
    Network,
    Rule,
    multiplies,
)

SIZE, CONTEXT_SIZE, NOISE = 2.0, 3.0, 0.05
FIRST_TOKEN = 20  # so that no token's number is an answer
MISREAD = 0.2  # share of tokens that the probe takes for another

Make = Callable[[torch.Generator], Inputs]


def by_hand(
    rule: Rule, *, contexts: tuple[int, ...] = (0, 1, 0, 1), read: tuple[int, ...] = (5, 5, 7, 7),
    donor: tuple[int, ...] = (3, 2, 1, 0), copied: bool = False, held: bool = True,
) -> Make:  # fmt: skip
    """Four sentences with the tokens 5 5 7 7, in four numbers: token, context, copy, unused.

    Token 5 is 2, token 7 is -2; so are the contexts 0 and 1. Where `held` is False, the first
    number is 2 for every token.
    """
    axis = torch.eye(4, dtype=torch.float64)
    both = SIZE * torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
    codes = Codes(both * axis[0], both * axis[1], both * axis[2], torch.tensor([1, 0]))

    def make(generator: torch.Generator) -> Inputs:
        kind = torch.tensor([0, 0, 1, 1])
        h = codes.tokens[kind if held else kind * 0] + codes.contexts[torch.tensor(contexts)]
        h = h + copied * codes.copies[kind]
        return {
            "network": Network(rule, codes),
            "h": h.float(),
            "tokens": torch.tensor([5, 7])[kind],
            "read": torch.tensor(read),
            "part": torch.eye(4)[:, :1],
            "control": torch.eye(4)[3],
            "donor": torch.tensor(donor),
        }

    return make


def drawn(
    rule: Rule, sentences: int, d_model: int, *, width: int = 2, copied: bool = False,
    agreeing: bool = False, size: float = SIZE, context_size: float = CONTEXT_SIZE,
    unused_control: bool = False, dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """Sentences with 2 width tokens and four contexts.

    Args:
        rule: how the network answers.
        sentences: how many.
        d_model: at least 3 + 2 width.
        width: of the part that holds the token.
        copied: whether the token is held at a second place too.
        agreeing: whether each context's answer is that of the token.
        size: length of a token's code.
        context_size: length of a context's code.
        unused_control: whether control lies in directions that hold nothing.
        dtype: of the states.
    """

    def make(generator: torch.Generator) -> Inputs:
        basis = torch.linalg.qr(_normal((d_model, d_model), generator)).Q
        part, seen, copy, unused = basis.T.split([width, 2, width, d_model - 2 * width - 2])
        codes = Codes(
            size * torch.cat([part, -part]),
            context_size * torch.cat([seen, -seen]),
            size * torch.cat([copy, -copy]),
            torch.randperm(2 * width, generator=generator) % 4,
        )
        kind = torch.randint(2 * width, (sentences,), generator=generator)
        context = torch.randint(4, (sentences,), generator=generator)
        context = codes.answers[kind] if agreeing else context
        held = codes.tokens[kind] + copied * codes.copies[kind]
        if rule is multiplies:
            kind, held = _as_products(kind, part, generator)
        h = held + codes.contexts[context] + NOISE * _normal((sentences, d_model), generator)
        network, tokens = Network(rule, codes), FIRST_TOKEN + kind
        direction = unused.T @ _normal((len(unused),), generator) if unused_control else None
        control = _normal((d_model,), generator) if direction is None else direction
        return {
            "network": network,
            "h": h.to(dtype),
            "tokens": tokens,
            "read": _misread(tokens, generator, 1.0 if rule is multiplies else MISREAD),
            "part": part.T.to(dtype),
            "control": (control / control.norm()).to(dtype),
            "donor": _donors(tokens, network(h), generator),
        }

    return make


def _as_products(kind: Tensor, part: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Two tokens, each in two ways: the product of the two numbers is the token's sign."""
    kind = kind % 2
    first = 2.0 * torch.randint(2, kind.shape, generator=generator) - 1
    numbers = torch.stack([first, first * (2 * kind - 1)], dim=1).double()
    return kind, SIZE / sqrt(2) * numbers @ part[:2]


def _misread(tokens: Tensor, generator: torch.Generator, share: float) -> Tensor:
    """Give some tokens the number of the next sentence's."""
    wrong = torch.rand(tokens.shape, generator=generator) < share
    return torch.where(wrong, tokens.roll(1), tokens)


def _donors(tokens: Tensor, answers: Tensor, generator: torch.Generator) -> Tensor:
    other = (tokens[:, None] != tokens) & (answers[:, None] != answers)
    preference = torch.rand(other.shape, generator=generator)
    return preference.masked_fill(~other, -1).argmax(1)


def _normal(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)
