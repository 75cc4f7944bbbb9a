"""Toy networks that hold a token's identity at a station, and use it or not, each in its own way.

A state is a sum of vectors: the code of its token, that of its context, in some networks a copy of
the token's code elsewhere, and a little noise. A network answers with a number.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from bottomup.exercises.show import Described
from bottomup.i18n import _

UNKNOWN = 9  # answer to a state that a network cannot place
PRESENT = 0.3  # of a code: less of it counts as none
USUAL = 0.15  # squared lengths that differ by less count as usual, relative
BACKUP = 0.6  # weight of the copy against the code


@dataclass(frozen=True, eq=False)
class Codes:
    """The vectors that states are made of, in float64.

    Args:
        tokens: [type, d_model], all of one length.
        contexts: [class, d_model], all of one length, orthogonal to the others.
        copies: [type, d_model], the tokens' codes at another place.
        answers: [type], the class that belongs to each token.
    """

    tokens: Tensor
    contexts: Tensor
    copies: Tensor
    answers: Tensor


Rule = Callable[[Codes, Tensor], Tensor]  # codes, states -> answers


@dataclass(frozen=True, eq=False, repr=False)
class Network(Described):
    """What stands above a station: states [sentence, d_model] -> answers [sentence].

    A single state [d_model] is taken as well.
    """

    rule: Rule
    codes: Codes

    def __repr__(self) -> str:
        text = _("a function of states [sentence, {width}]: {answers}")
        answers = ANSWERS[self.rule].format(unknown=UNKNOWN)
        return text.format(width=self.codes.tokens.shape[1], answers=answers)

    def __call__(self, h: Tensor) -> Tensor:
        """Return the answers to the states h."""
        width = self.codes.tokens.shape[1]
        if not isinstance(h, Tensor) or not h.is_floating_point():
            kind = h.dtype if isinstance(h, Tensor) else type(h).__name__
            raise TypeError(f"network: expected a tensor of floating-point numbers, got {kind}")
        if h.dim() not in (1, 2) or h.shape[-1] != width:
            wanted = f"[sentence, {width}]"
            raise ValueError(f"network: expected states {wanted}, got shape {tuple(h.shape)}")
        return self.rule(self.codes, h.double())


def amounts(vectors: Tensor, h: Tensor) -> Tensor:
    """Return how much of each vector is in each state: 1 where it was added once."""
    return h @ vectors.T / vectors.square().sum(-1)


# ---- Networks


def follows(codes: Codes, h: Tensor) -> Tensor:
    """The answer is looked up for the token that the state holds."""
    best = amounts(codes.tokens, h).max(-1)
    return _or_unknown(codes.answers[best.indices], best.values > PRESENT)


def follows_with_a_default(codes: Codes, h: Tensor) -> Tensor:
    """The same, with a token that is assumed where there is none."""
    favour = torch.zeros(len(codes.tokens), dtype=torch.float64)
    favour[-1] = PRESENT
    return codes.answers[(amounts(codes.tokens, h) + favour).argmax(-1)]


def ignores(codes: Codes, h: Tensor) -> Tensor:
    """The answer is the context's; the token is there, and nothing reads it."""
    return amounts(codes.contexts, h).argmax(-1)


def of_usual_length(codes: Codes, h: Tensor) -> Tensor:
    """The context's answer too, but for states of the usual length only."""
    usual = codes.tokens[0].square().sum() + codes.contexts[0].square().sum()
    return _or_unknown(ignores(codes, h), (h.square().sum(-1) / usual - 1).abs() < USUAL)


def gated(codes: Codes, h: Tensor) -> Tensor:
    """The context's answer, if some token is there; which one does not matter."""
    return _or_unknown(ignores(codes, h), amounts(codes.tokens, h).amax(-1) > PRESENT)


def compares(codes: Codes, h: Tensor) -> Tensor:
    """The context's answer, if the token's is the same."""
    return _or_unknown(ignores(codes, h), follows(codes, h) == ignores(codes, h))


def with_a_copy(codes: Codes, h: Tensor) -> Tensor:
    """The token decides, and where its code is missing, a weaker copy."""
    best = (amounts(codes.tokens, h) + BACKUP * amounts(codes.copies, h)).max(-1)
    return _or_unknown(codes.answers[best.indices], best.values > PRESENT)


def sometimes(codes: Codes, h: Tensor) -> Tensor:
    """The token decides in the first half of the contexts; the others have answers of their own."""
    context, contexts = ignores(codes, h), len(codes.contexts)
    return torch.where(context < contexts // 2, follows(codes, h), contexts + context)


def multiplies(codes: Codes, h: Tensor) -> Tensor:
    """The token is the sign of a product of two numbers, which no linear probe can read."""
    product = amounts(codes.tokens[:2], h).prod(-1)
    return _or_unknown((product > 0).long(), product.abs() > PRESENT / 2)


# What a case shows of a network, beside its name
ANSWERS: dict[Rule, str] = {
    follows: _("the answer that belongs to the token it holds, or {unknown} without one"),
    follows_with_a_default: _("the answer that belongs to the token it holds, or to a default"),
    ignores: _("the context's answer"),
    of_usual_length: _("the context's answer, or {unknown} at an unusual length"),
    gated: _("the context's answer, or {unknown} where it holds no token"),
    compares: _("the context's answer, or {unknown} where the token's is another"),
    with_a_copy: _("the answer that belongs to the token or its copy, or {unknown} without both"),
    sometimes: _("the token's answer in some contexts, in others one of their own"),
    multiplies: _("whether a product of two numbers is positive, or {unknown} near zero"),
}


def _or_unknown(answers: Tensor, known: Tensor) -> Tensor:
    return torch.where(known, answers, UNKNOWN)
