"""Exercise: what a probe, a removal and a swap prove about the use of a token's identity."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.show import Described
from bottomup.exercises.representation_analysis.named_numbers import (
    compare_numbers,
    run_for_numbers,
)
from bottomup.i18n import _


def evidence(
    network: "Run", h: torch.Tensor, tokens: torch.Tensor, read: torch.Tensor,
    part: torch.Tensor, control: torch.Tensor, donor: torch.Tensor,
) -> "Numbers":  # fmt: skip
    answer, here = network(h), h @ part @ part.T  # [sentence], [sentence, d_model]
    moved = network(h + here.norm(dim=1, keepdim=True) * control)
    removed, swapped = network(h - here), network(h - here + here[donor])
    readable = (read == tokens).double().mean()
    needed = (removed != answer).double().mean() - (moved != answer).double().mean()
    followed = (swapped == answer[donor]).double().mean()
    shares = enumerate((readable, needed, followed), start=1)
    return readable, needed, followed, max(rank * (share > 0.5) for rank, share in shares)


Numbers = tuple[Any, Any, Any, Any]
Run = Callable[[Tensor], Tensor]  # states [sentence, d_model] -> answers [sentence]


def with_questions(
    network: Run, h: Tensor, tokens: Tensor, read: Tensor,
    part: Tensor, control: Tensor, donor: Tensor,
) -> Numbers:  # fmt: skip
    """Tensors throughout, and one question after the other."""
    projection = part @ part.mT
    here = h @ projection
    rest = h - here
    size = here.square().sum(-1).sqrt()
    answer = network(h)
    changed = [
        (network(states) != answer).double().mean()
        for states in (rest, h + torch.outer(size, control))
    ]
    readable = torch.eq(read, tokens).double().mean()
    needed = changed[0] - changed[1]
    followed = (network(rest + h[donor] @ projection) == answer[donor]).double().mean()
    if followed > 0.5:
        return readable, needed, followed, 3
    if needed > 0.5:
        return readable, needed, followed, 2
    return readable, needed, followed, int(readable > 0.5)


def with_loops(
    network: Run, h: Tensor, tokens: Tensor, read: Tensor,
    part: Tensor, control: Tensor, donor: Tensor,
) -> Numbers:  # fmt: skip
    found, gone, disturbed, followed = 0, 0, 0, 0
    for i, state in enumerate(h):
        answer, other = int(network(state)), int(donor[i])
        here, there = torch.zeros_like(state), torch.zeros_like(state)
        for direction in part.T:
            here += direction.dot(state) * direction
            there += direction.dot(h[other]) * direction
        found += int(read[i] == tokens[i])
        gone += int(network(state - here)) != answer
        disturbed += int(network(state + here.norm() * control)) != answer
        followed += int(network(state - here + there)) == int(network(h[other]))
    n = len(h)
    shares = found / n, (gone - disturbed) / n, followed / n
    proved = [rank for rank, share in zip((1, 2, 3), shares, strict=True) if share > 0.5]
    return *shares, max(proved, default=0)


# ---- Toy networks that hold a token's identity at a station, and use it or not

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


def _or_unknown(answers: Tensor, known: Tensor) -> Tensor:
    return torch.where(known, answers, UNKNOWN)


# What a case shows of a network, beside its name
WHAT_IS_ANSWERED: dict[Rule, str] = {
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


# ---- One step in another way: what the mistakes are made of

Answer = Callable[[Run, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Numbers]
Removed = Callable[[Tensor, Tensor], Tensor]  # states, their part -> states
Moved = Callable[[Tensor, Tensor, Tensor], Tensor]  # states, their part, control -> states
Patched = Callable[[Tensor, Tensor, Tensor], Tensor]  # states, their part, donor -> states
Changed = Callable[[Tensor, Tensor], Any]  # answers now and before -> a number

# answers after the swap and before, tokens, donor -> True where the swap counts
Counted = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
Verdict = Callable[[Any, Any, Any], int]


def share(truths: Tensor) -> float:
    return truths.float().mean().item()


def share_changed(now: Tensor, before: Tensor) -> float:
    return share(now != before)


def set_to_zero(h: Tensor, here: Tensor) -> Tensor:
    return h - here


def moved_as_far(h: Tensor, here: Tensor, control: Tensor) -> Tensor:
    return h + here.norm(dim=1, keepdim=True) * control


def replaced(h: Tensor, here: Tensor, donor: Tensor) -> Tensor:
    return h - here + here[donor]


def as_the_donor(now: Tensor, before: Tensor, tokens: Tensor, donor: Tensor) -> Tensor:
    return now == before[donor]


def strongest(readable: Any, needed: Any, followed: Any) -> int:
    return ranked(followed, needed, readable)


def ranked(*strongest_first: Any) -> int:
    """Return 3, 2 or 1 for the first share above 1/2, and 0 where there is none."""
    ranks = zip((3, 2, 1), strongest_first, strict=True)
    return next((rank for rank, number in ranks if number > 0.5), 0)


def measuring(
    *, removed: Removed = set_to_zero, moved: Moved | None = moved_as_far,
    changed: Changed = share_changed, patched: Patched = replaced, counted: Counted = as_the_donor,
    verdict: Verdict = strongest,
) -> Answer:  # fmt: skip
    """Right but for one step; without `moved` nothing is taken off what removal does."""

    def wrong(
        network: Run, h: Tensor, tokens: Tensor, read: Tensor,
        part: Tensor, control: Tensor, donor: Tensor,
    ) -> Numbers:  # fmt: skip
        here, answer = h @ part @ part.T, network(h)
        needed = changed(network(removed(h, here)), answer)
        if moved is not None:
            needed = needed - changed(network(moved(h, here, control)), answer)
        readable = share(read == tokens)
        followed = share(counted(network(patched(h, here, donor)), answer, tokens, donor))
        return readable, needed, followed, verdict(readable, needed, followed)

    return wrong


# ---- Other numbers


def along_control_by(length: Callable[[Tensor, Tensor], Any]) -> Moved:
    """Moved along control by another length, of states and their part."""
    return lambda h, here, control: h + length(h, here) * control


def control_removed(h: Tensor, here: Tensor, control: Tensor) -> Tensor:
    """What h holds along control becomes zero, which is another length than the part's."""
    return h - (h @ control)[:, None] * control


def on_top_of_the_removal(h: Tensor, here: Tensor, control: Tensor) -> Tensor:
    return moved_as_far(h, here, control) - here


def step_alone(h: Tensor, here: Tensor, control: Tensor) -> Tensor:
    return moved_as_far(h, here, control) - h


def distance(now: Tensor, before: Tensor) -> float:
    return (now - before).abs().float().mean().item()


def counted_above_half(readable: Any, needed: Any, followed: Any) -> int:
    return sum(int(number > 0.5) for number in (readable, needed, followed))


def step_by_step(readable: Any, needed: Any, followed: Any) -> int:
    """Each claim asks for those below it."""
    rank = 0
    for number in (readable, needed, followed):
        if number <= 0.5:
            return rank
        rank += 1
    return rank


def followed_if_needed(readable: Any, needed: Any, followed: Any) -> int:
    if needed > 0.5:
        return 3 if followed > 0.5 else 2
    return int(readable > 0.5)


def followed_if_readable(readable: Any, needed: Any, followed: Any) -> int:
    return 0 if readable <= 0.5 else strongest(readable, needed, followed)


def weakest(readable: Any, needed: Any, followed: Any) -> int:
    """The first that holds, asked from the weakest claim on."""
    ranks = enumerate((readable, needed, followed), start=1)
    return next((rank for rank, number in ranks if number > 0.5), 0)


def largest(*, later: bool, gated: bool) -> Verdict:
    """The claim of the largest share, of equal ones the first or a later one."""

    def verdict(*numbers: Any) -> int:
        found = max((float(x), i if later else -i) for i, x in enumerate(numbers, start=1))
        return abs(found[1]) if found[0] > 0.5 or not gated else 0

    return verdict


def half_is_enough(readable: Any, needed: Any, followed: Any) -> int:
    return ranked(*(number + 1e-9 for number in (followed, needed, readable)))


def cut_at_zero(*given: Any) -> Numbers:
    readable, needed, followed, proved = measuring()(*given)
    return readable, max(needed, 0.0), followed, proved


def removal_first(readable: Any, needed: Any, followed: Any) -> int:
    return 2 if needed > 0.5 else strongest(readable, needed, followed)


def with_a_mean(h: Tensor, here: Tensor) -> Tensor:
    return torch.sub(h, here) + here.mean(0)


# ---- Mistakes: what each proves, and how it is taken

GUESSES = _("the token is not there, and the probe guesses")
CONTROL = _("control points at what the network reads")
FOLLOWS = _("the answer is looked up for the token")
IGNORES = _("the token is there, the answer is the context's")
LENGTH = _("the answer is the context's, for states of the usual length only")
GATED = _("the answer is the context's, if some token is there")
COMPARES = _("the answer is the context's, if the token's is the same")
MOSTLY = _("the token decides in three of four sentences")
COPY = _("the token decides, and a weaker copy where it is missing")

CLAIMS = (
    Mistake(
        "probe-taken-as-use",
        measuring(verdict=lambda a, b, c: ranked(a, b, c)),
        (
            measuring(verdict=lambda a, b, c: 3 if a > 0.5 else strongest(a, b, c)),
            measuring(verdict=lambda a, b, c: ranked(a, c, b)),
            measuring(verdict=lambda a, b, c: ranked(c, a, b)),
        ),
        case=IGNORES,
    ),
    Mistake(
        "removal-taken-as-use",
        measuring(verdict=lambda a, b, c: ranked(b, c, a)),
        (
            measuring(verdict=lambda a, b, c: 3 if b > 0.5 else strongest(a, b, c)),
            measuring(verdict=lambda a, b, c: ranked(b, a, c)),
        ),
        case=GATED,
    ),
    Mistake(
        "removal-required",
        measuring(verdict=step_by_step),
        (
            measuring(verdict=counted_above_half),
            measuring(verdict=followed_if_needed),
            measuring(verdict=followed_if_readable),
        ),
        case=COPY,
    ),
    Mistake("half-is-enough", measuring(verdict=half_is_enough), case=GUESSES),
    Mistake("weakest-claim", measuring(verdict=weakest), case=FOLLOWS),
    Mistake("removal-before-swap", measuring(verdict=removal_first), case=FOLLOWS),
    Mistake(
        "largest-share",
        measuring(verdict=largest(later=False, gated=False)),
        (
            measuring(verdict=largest(later=False, gated=True)),
            measuring(verdict=largest(later=True, gated=False)),
            measuring(verdict=largest(later=True, gated=True)),
        ),
        case=MOSTLY,
    ),
)

REMOVAL = (
    Mistake(
        "removed-without-control",
        measuring(moved=None),
        (
            measuring(moved=None, verdict=lambda a, b, c: ranked(b, c, a)),
            measuring(moved=None, verdict=lambda a, b, c: 3 if b > 0.5 else strongest(a, b, c)),
        ),
        case=LENGTH,
    ),
    Mistake(
        "control-of-another-size",
        measuring(moved=along_control_by(lambda h, here: 1.0)),
        (
            measuring(moved=control_removed),
            measuring(moved=along_control_by(lambda h, here: h.norm(dim=1, keepdim=True))),
            measuring(moved=along_control_by(lambda h, here: here.norm())),
        ),
        case=LENGTH,
    ),
    Mistake(
        "control-from-another-state",
        measuring(moved=on_top_of_the_removal),
        (measuring(moved=step_alone),),
        case=FOLLOWS,
    ),
    Mistake("mean-instead-of-zero", measuring(removed=with_a_mean)),
    Mistake(
        "rest-instead-of-part",
        measuring(removed=lambda h, here: here),
        (
            measuring(patched=lambda h, here, donor: h[donor] - here[donor] + here),
            measuring(
                removed=lambda h, here: here,
                patched=lambda h, here, donor: h[donor] - here[donor] + here,
            ),
        ),
        case=IGNORES,
    ),
    Mistake("cut-at-zero", cut_at_zero, case=CONTROL),
    Mistake("answers-subtracted", measuring(changed=distance)),
)

SWAP = (
    Mistake(
        "any-change-counted",
        measuring(counted=lambda now, before, tokens, donor: now != before),
        case=COMPARES,
    ),
    Mistake(
        "wrong-answer-compared",
        measuring(counted=lambda now, before, tokens, donor: now == before),
        (
            measuring(counted=lambda now, before, tokens, donor: now == tokens[donor]),
            measuring(counted=lambda now, before, tokens, donor: now == donor),
            measuring(counted=lambda now, before, tokens, donor: now == tokens),
        ),
        case=FOLLOWS,
    ),
    Mistake(
        "whole-state-changed",
        measuring(patched=lambda h, here, donor: h[donor]),
        (
            measuring(removed=lambda h, here: 0 * h),
            measuring(removed=lambda h, here: 0 * h, patched=lambda h, here, donor: h[donor]),
        ),
        case=IGNORES,
    ),
    Mistake("part-added", measuring(patched=lambda h, here, donor: h + here[donor]), case=FOLLOWS),
    Mistake("part-alone", measuring(patched=lambda h, here, donor: here[donor]), case=COMPARES),
)

MISTAKES = (*CLAIMS, *REMOVAL, *SWAP)


# ---- Stations of toy networks: small ones by hand, and drawn ones in rotated directions

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


# ---- Cases

CASES = (
    Case(FOLLOWS, by_hand(follows)),
    Case(IGNORES, by_hand(ignores)),
    Case(LENGTH, by_hand(of_usual_length)),
    Case(GATED, by_hand(gated)),
    Case(COMPARES, by_hand(compares, contexts=(1, 1, 0, 0), donor=(3, 2, 1, 1))),
    Case(COPY, by_hand(with_a_copy, copied=True)),
    Case(
        GUESSES,
        by_hand(ignores, read=(5, 5, 5, 5), held=False),
    ),
    Case(
        _("the token decides in half of the sentences"),
        by_hand(sometimes, read=(5, 5, 7, 5), donor=(2, 2, 0, 0)),
    ),
    Case(
        MOSTLY,
        by_hand(sometimes, contexts=(0, 0, 0, 1), donor=(2, 2, 0, 0)),
    ),
    Case(_("eleven numbers: the token decides"), drawn(follows, 13, 11), seed=1),
    Case(
        _("the token decides, and a default where there is none"),
        drawn(follows_with_a_default, 23, 7),
        seed=6,
    ),
    Case(_("eleven numbers: nothing reads the token"), drawn(ignores, 17, 11), seed=3),
    Case(
        CONTROL,
        drawn(ignores, 13, 7, size=5.0, context_size=0.5),
        seed=2,
    ),
    Case(
        _("eleven numbers: lengths matter"),
        drawn(of_usual_length, 13, 11, unused_control=True),
        seed=4,
    ),
    Case(_("eleven numbers: some token is needed"), drawn(gated, 11, 11), seed=5),
    Case(
        _("thirteen numbers: token and context are compared"),
        drawn(compares, 17, 13, agreeing=True),
        seed=6,
    ),
    Case(
        _("eleven numbers: a copy takes over"),
        drawn(with_a_copy, 13, 11, copied=True),
        seed=7,
    ),
    Case(
        _("the token is a product, which the probe cannot read"),
        drawn(multiplies, 19, 7),
        seed=8,
    ),
    Case(_("the token decides in some contexts"), drawn(sometimes, 29, 11), seed=9),
    Case(_("as many sentences as numbers"), drawn(follows, 11, 11, width=3), seed=10),
    Case(_("a part of one direction"), drawn(follows, 7, 5, width=1), seed=11),
    Case(
        _("float64"),
        drawn(follows_with_a_default, 11, 7, dtype=torch.float64),
        seed=12,
    ),
)

ANSWERS = Answers(
    solution=evidence,
    alternatives=(with_questions, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    run=run_for_numbers,
    compare=compare_numbers("readable", "needed", "followed", "proved"),
)
