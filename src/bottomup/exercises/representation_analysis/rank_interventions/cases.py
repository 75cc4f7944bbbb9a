"""Cases of what a probe, a removal and a swap prove: toy networks, and states for them."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Inputs
from bottomup.exercises.engine.show import Described
from bottomup.exercises.representation_analysis.named_numbers import (
    compare_numbers,
    run_for_numbers,
)
from bottomup.i18n import _

run = run_for_numbers
compare = compare_numbers("readable", "needed", "followed", "proved")

# ---- Toy networks that hold a token's identity at a station, and use it or not

UNKNOWN = 9  # answer to a state that a network cannot place
PRESENT = 0.3  # of a code: less of it counts as none
USUAL = 0.15  # squared lengths that differ by less count as usual, relative
BACKUP = 0.6  # weight of the copy against the code
ELSEWHERE = 1.5  # length beside token and context that throws off


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
        answers = WHAT_IS_ANSWERED[self.rule].format(unknown=UNKNOWN)
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
    return or_unknown(codes.answers[best.indices], best.values > PRESENT)


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
    return or_unknown(ignores(codes, h), (h.square().sum(-1) / usual - 1).abs() < USUAL)


def thrown_off(codes: Codes, h: Tensor) -> Tensor:
    """The context's answer too, where not much lies beside the token's and the context's axis."""
    axes = torch.stack([codes.tokens[0], codes.contexts[0]])
    axes = axes / axes.norm(dim=1, keepdim=True)
    return or_unknown(ignores(codes, h), (h - h @ axes.T @ axes).norm(dim=-1) < ELSEWHERE)


def gated(codes: Codes, h: Tensor) -> Tensor:
    """The context's answer, if some token is there; which one does not matter."""
    return or_unknown(ignores(codes, h), amounts(codes.tokens, h).amax(-1) > PRESENT)


def compares(codes: Codes, h: Tensor) -> Tensor:
    """The context's answer, if the token's is the same."""
    return or_unknown(ignores(codes, h), follows(codes, h) == ignores(codes, h))


def with_a_copy(codes: Codes, h: Tensor) -> Tensor:
    """The token decides, and where its code is missing, a weaker copy."""
    best = (amounts(codes.tokens, h) + BACKUP * amounts(codes.copies, h)).max(-1)
    return or_unknown(codes.answers[best.indices], best.values > PRESENT)


def sometimes(codes: Codes, h: Tensor) -> Tensor:
    """The token decides in the first half of the contexts; the others have answers of their own."""
    context, contexts = ignores(codes, h), len(codes.contexts)
    return torch.where(context < contexts // 2, follows(codes, h), contexts + context)


def multiplies(codes: Codes, h: Tensor) -> Tensor:
    """The token is the sign of a product of two numbers, which no linear probe can read."""
    product = amounts(codes.tokens[:2], h).prod(-1)
    return or_unknown((product > 0).long(), product.abs() > PRESENT / 2)


def or_unknown(answers: Tensor, known: Tensor) -> Tensor:
    return torch.where(known, answers, UNKNOWN)


# What a case shows of a network, beside its name
WHAT_IS_ANSWERED: dict[Rule, str] = {
    follows: _("the answer that belongs to the token it holds, or {unknown} without one"),
    follows_with_a_default: _("the answer that belongs to the token it holds, or to a default"),
    ignores: _("the context's answer"),
    of_usual_length: _("the context's answer, or {unknown} at an unusual length"),
    thrown_off: _("the context's answer, or {unknown} where much of something else is there"),
    gated: _("the context's answer, or {unknown} where it holds no token"),
    compares: _("the context's answer, or {unknown} where the token's is another"),
    with_a_copy: _("the answer that belongs to the token or its copy, or {unknown} without both"),
    sometimes: _("the token's answer in some contexts, in others one of their own"),
    multiplies: _("whether a product of two numbers is positive, or {unknown} near zero"),
}


# ---- Stations of toy networks: small ones by hand, and drawn ones in rotated directions

SIZE, CONTEXT_SIZE, NOISE = 2.0, 3.0, 0.05
FIRST_TOKEN = 20  # so that no token's number is an answer
MISREAD = 0.2  # share of tokens that the probe takes for another


def by_hand(
    name: str, rule: Rule, *, gives: tuple[float, float, float, int],
    contexts: tuple[int, ...] = (0, 1, 0, 1), read: tuple[int, ...] = (5, 5, 7, 7),
    donor: tuple[int, ...] = (3, 2, 1, 0), copied: bool = False, held: bool = True,
    size: float = SIZE,
) -> Case:  # fmt: skip
    """Four sentences with the tokens 5 5 7 7, in four numbers: token, context, copy, unused.

    Token 5 is 2, token 7 is -2 or -`size`; the contexts 0 and 1 are 2 and -2. Where `held` is
    False, the first number is 2 for every token.
    """
    axis = torch.eye(4, dtype=torch.float64)
    both = SIZE * torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
    tokens = torch.tensor([[SIZE], [-size]], dtype=torch.float64)
    codes = Codes(tokens * axis[0], both * axis[1], both * axis[2], torch.tensor([1, 0]))

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

    return Case(name, make, gives=lambda: gives)


def drawn(
    name: str, rule: Rule, sentences: int, d_model: int, *, seed: int, width: int = 2,
    copied: bool = False, agreeing: bool = False, size: float = SIZE,
    context_size: float = CONTEXT_SIZE, unused_control: bool = False,
    dtype: torch.dtype = torch.float32,
) -> Case:  # fmt: skip
    """Sentences with 2 width tokens and four contexts.

    Args:
        name, seed: of the case.
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
        def normal(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=torch.float64)

        basis = torch.linalg.qr(normal(d_model, d_model)).Q
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
            kind, held = as_products(kind, part, generator)
        h = held + codes.contexts[context] + NOISE * normal(sentences, d_model)
        network, tokens = Network(rule, codes), FIRST_TOKEN + kind
        control = unused.T @ normal(len(unused)) if unused_control else normal(d_model)
        return {
            "network": network,
            "h": h.to(dtype),
            "tokens": tokens,
            "read": misread(tokens, generator, 1.0 if rule is multiplies else MISREAD),
            "part": part.T.to(dtype),
            "control": (control / control.norm()).to(dtype),
            "donor": donors(tokens, network(h), generator),
        }

    return Case(name, make, seed)


def as_products(kind: Tensor, part: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Two tokens, each in two ways: the product of the two numbers is the token's sign."""
    kind = kind % 2
    first = 2.0 * torch.randint(2, kind.shape, generator=generator) - 1
    numbers = torch.stack([first, first * (2 * kind - 1)], dim=1).double()
    return kind, SIZE / sqrt(2) * numbers @ part[:2]


def misread(tokens: Tensor, generator: torch.Generator, share: float) -> Tensor:
    """Give some tokens the number of the next sentence's."""
    wrong = torch.rand(tokens.shape, generator=generator) < share
    return torch.where(wrong, tokens.roll(1), tokens)


def donors(tokens: Tensor, answers: Tensor, generator: torch.Generator) -> Tensor:
    """Choose for each sentence another one with another token and another answer."""
    other = (tokens[:, None] != tokens) & (answers[:, None] != answers)
    preference = torch.rand(other.shape, generator=generator)
    return preference.masked_fill(~other, -1).argmax(1)


# ---- Cases

CASES = (
    by_hand(_("the answer is looked up for the token"), follows, gives=(1, 1, 1, 3)),
    by_hand(_("the token is there, the answer is the context's"), ignores, gives=(1, 0, 0, 1)),
    by_hand(
        _("the answer is the context's, for states of the usual length only"),
        of_usual_length,
        gives=(1, 0, 0, 1),  # removal changes every answer, and so does as long a step elsewhere
    ),
    by_hand(
        _("the answer is the context's, if some token is there"),
        gated,
        gives=(1, 1, 0, 2),  # any token will do, so the donor's changes nothing
    ),
    by_hand(
        _("some token is needed, and the probe takes each for the other"),
        gated,
        read=(7, 7, 5, 5),
        gives=(0, 1, 0, 2),  # what the probe cannot read, the network may need
    ),
    by_hand(
        _("the answer is the context's, if the token's is the same"),
        compares,
        contexts=(1, 1, 0, 0),
        donor=(3, 2, 1, 1),
        gives=(1, 1, 0, 2),  # the swap changes every answer to 9, and none to the donor's
    ),
    by_hand(
        _("the token decides, and a weaker copy where it is missing"),
        with_a_copy,
        copied=True,
        gives=(1, 0, 1, 3),
    ),
    by_hand(
        _("the token is not there, and the probe guesses"),
        ignores,
        read=(5, 5, 5, 5),
        held=False,
        gives=(0.5, 0, 0, 0),
    ),
    by_hand(
        _("the token decides in half of the sentences"),
        sometimes,
        read=(5, 5, 7, 5),
        donor=(2, 2, 0, 0),
        gives=(0.75, 0.5, 0.5, 1),  # a half is not above a half
    ),
    by_hand(
        _("the token decides in three of four sentences"),
        sometimes,
        contexts=(0, 0, 0, 1),
        donor=(2, 2, 0, 0),
        gives=(1, 0.75, 0.75, 3),
    ),
    by_hand(
        _("the answer is the context's, but large steps throw it off"),
        thrown_off,
        size=1,
        gives=(1, -0.5, 0, 1),  # the control moves 5 by 2, which is too much, and 7 by 1
    ),
    drawn(_("eleven numbers: the token decides"), follows, 13, 11, seed=1),
    drawn(
        _("the token decides, and a default where there is none"),
        follows_with_a_default,
        23,
        7,
        seed=6,
    ),
    drawn(_("eleven numbers: nothing reads the token"), ignores, 17, 11, seed=3),
    drawn(
        _("control points at what the network reads"),
        ignores,
        13,
        7,
        seed=2,
        size=5.0,
        context_size=0.5,
    ),
    drawn(
        _("eleven numbers: lengths matter"), of_usual_length, 13, 11, seed=4, unused_control=True
    ),
    drawn(_("eleven numbers: some token is needed"), gated, 11, 11, seed=5),
    drawn(
        _("thirteen numbers: token and context are compared"),
        compares,
        17,
        13,
        seed=6,
        agreeing=True,
    ),
    drawn(_("eleven numbers: a copy takes over"), with_a_copy, 13, 11, seed=7, copied=True),
    drawn(_("the token is a product, which the probe cannot read"), multiplies, 19, 7, seed=8),
    drawn(_("the token decides in some contexts"), sometimes, 29, 11, seed=9),
    drawn(_("as many sentences as numbers"), follows, 11, 11, seed=10, width=3),
    drawn(_("a part of one direction"), follows, 7, 5, seed=11, width=1),
    drawn(_("float64"), follows_with_a_default, 11, 7, seed=12, dtype=torch.float64),
)
