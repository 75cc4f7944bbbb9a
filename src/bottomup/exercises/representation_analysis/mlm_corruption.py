"""Exercise: corrupt a sentence for a masked language model (Devlin et al., 2019, section 3.1)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake, call_with_inputs
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def corrupt_tokens(
    tokens: torch.Tensor, choose: torch.Tensor, kind: torch.Tensor, draw: torch.Tensor,
    mask_id: int, first: int, vocabulary: int,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    chosen = (tokens >= first) & (choose < 0.15)
    drawn = first + (draw * (vocabulary - first)).long()
    corrupted = torch.where(chosen & (kind < 0.9), drawn, tokens)
    return corrupted.masked_fill(chosen & (kind < 0.8), mask_id), chosen


Pair = tuple[Tensor, Tensor]


def with_indices(
    tokens: Tensor, choose: Tensor, kind: Tensor, draw: Tensor,
    mask_id: int, first: int, vocabulary: int,
) -> Pair:  # fmt: skip
    corrupted = tokens.clone()
    chosen = torch.logical_and(choose < 0.15, tokens >= first)
    hidden = chosen & (kind < 0.8)
    exchanged = chosen & (kind >= 0.8) & (kind < 0.9)
    corrupted[hidden] = mask_id
    corrupted[exchanged] = (first + draw[exchanged] * (vocabulary - first)).to(torch.int64)
    return corrupted, chosen


def with_loops(
    tokens: Tensor, choose: Tensor, kind: Tensor, draw: Tensor,
    mask_id: int, first: int, vocabulary: int,
) -> Pair:  # fmt: skip
    rows, marks = tokens.tolist(), [[False] * tokens.shape[1] for _sentence in tokens]
    for b, row in enumerate(tokens.tolist()):
        for i, token in enumerate(row):
            if token < first or choose[b, i] >= 0.15:
                continue
            marks[b][i] = True
            if kind[b, i] < 0.8:
                rows[b][i] = mask_id
            elif kind[b, i] < 0.9:
                rows[b][i] = first + int(draw[b, i] * (vocabulary - first))
    return torch.tensor(rows).reshape(tokens.shape), torch.tensor(marks).reshape(tokens.shape)


def with_a_table(
    tokens: Tensor, choose: Tensor, kind: Tensor, draw: Tensor,
    mask_id: int, first: int, vocabulary: int,
) -> Pair:  # fmt: skip
    """All three fates of every token, of which each takes its own."""
    drawn = torch.floor(draw * (vocabulary - first)).long() + first
    fates = torch.stack([torch.full_like(tokens, mask_id), drawn, tokens], dim=-1)
    fate = torch.bucketize(kind, torch.tensor([0.8, 0.9], dtype=kind.dtype), right=True)
    chosen = (choose < 0.15) & ~(tokens < first)
    fate = fate.masked_fill(~chosen, 2)
    return fates.gather(-1, fate[..., None])[..., 0], chosen


# ---- How an answer is run and compared, and what the mistakes are made of

Answer = Callable[..., Pair]
Kind = Callable[[Tensor], Tensor]  # kind -> True where this happens to a chosen token
Choice = Callable[[Tensor, Tensor], Tensor]  # ordinary, choose -> True = chosen
Drawn = Callable[[Tensor, int, int], Tensor]  # draw, first, vocabulary -> token numbers
_compare_pairs = compare_named("corrupted", "chosen")


def telling_lost_targets(solution: Answer) -> Callable[[Callable[..., Any], Case], Any]:
    """Return a way to run answers that also shows `tokens` where a right answer wrote over it.

    Only what was corrupted in place counts: the originals, which are the targets, are then gone.
    """

    def run(answer: Callable[..., Any], case: Case) -> Any:
        returned = call_with_inputs(answer, case)
        original = case.fresh()
        right = solution(*original.inputs.values())
        if _compare_pairs(returned, right, case) is not None:
            return returned
        left = case.inputs["tokens"]
        lost = not torch.equal(left, original.inputs["tokens"]) and torch.equal(left, right[0])
        return (*returned, left) if lost else returned

    return run


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Say which of the two tensors differs; if none does, whether the originals were lost."""
    sentence = _compare_pairs(_first_two(got), _first_two(expected), case)
    if sentence is None and len(got) != len(expected):
        return _("Both tensors are right, but tokens has become the corrupted sentence.")
    return sentence


def _first_two(value: Any) -> Any:
    """Return the pair of a pair that comes with its lost targets."""
    triple = isinstance(value, tuple) and len(value) == 3 and isinstance(value[2], Tensor)
    return value[:2] if triple else value


def below(border: float) -> Kind:
    return lambda kind: kind < border


def between(low: float, high: float) -> Kind:
    return lambda kind: (kind >= low) & (kind < high)


def never(kind: Tensor) -> Tensor:
    return torch.zeros_like(kind, dtype=torch.bool)


def always(kind: Tensor) -> Tensor:
    return torch.ones_like(kind, dtype=torch.bool)


def right_hidden(kind: Tensor) -> Tensor:
    return kind < 0.8


def right_exchanged(kind: Tensor) -> Tensor:
    return (kind >= 0.8) & (kind < 0.9)


def right_choice(ordinary: Tensor, choose: Tensor) -> Tensor:
    return ordinary & (choose < 0.15)


def right_token(draw: Tensor, first: int, vocabulary: int) -> Tensor:
    return first + (draw * (vocabulary - first)).long()


def only_chosen(chosen: Tensor, ordinary: Tensor) -> Tensor:
    return chosen


def corrupting(
    *, choice: Choice = right_choice, hidden: Kind = right_hidden,
    exchanged: Kind = right_exchanged, token: Drawn = right_token, touched: Choice = only_chosen,
    counted: Callable[[Tensor, Tensor], Tensor] = lambda chosen, kind: chosen,
) -> Answer:  # fmt: skip
    """Right but for one step. Where a token is both hidden and exchanged it is hidden.

    `touched` gets the chosen and the ordinary tokens and says which may change; `counted` gets the
    chosen ones and kind and says where the loss is.
    """

    def wrong(
        tokens: Tensor, choose: Tensor, kind: Tensor, draw: Tensor,
        mask_id: int, first: int, vocabulary: int,
    ) -> Pair:  # fmt: skip
        ordinary = tokens >= first
        chosen = choice(ordinary, choose)
        reach = touched(chosen, ordinary)
        drawn = token(draw, first, vocabulary)
        corrupted = torch.where(reach & exchanged(kind), drawn, tokens)
        corrupted = corrupted.masked_fill(reach & hidden(kind), mask_id)
        return corrupted, counted(chosen, kind)

    return wrong


def changed_tokens_counted(tokens: Tensor, *rest: Any) -> Pair:
    corrupted, _chosen = corrupting()(tokens, *rest)
    return corrupted, corrupted != tokens


def masks_counted(tokens: Tensor, *rest: Any) -> Pair:
    corrupted, _chosen = corrupting()(tokens, *rest)
    return corrupted, corrupted == rest[3]


def tokens_counted(least: Callable[[int], int]) -> Answer:
    """The loss is at every token from a number on."""

    def wrong(tokens: Tensor, *rest: Any) -> Pair:
        return corrupting()(tokens, *rest)[0], tokens >= least(rest[4])

    return wrong


def chosen_unless(special: Callable[[Tensor, int], Tensor]) -> Answer:
    """Another idea of what a special token is."""

    def wrong(
        tokens: Tensor, choose: Tensor, kind: Tensor, draw: Tensor,
        mask_id: int, first: int, vocabulary: int,
    ) -> Pair:  # fmt: skip
        chosen = ~special(tokens, first) & (choose < 0.15)
        drawn = right_token(draw, first, vocabulary)
        corrupted = torch.where(chosen & (kind < 0.9), drawn, tokens)
        return corrupted.masked_fill(chosen & (kind < 0.8), mask_id), chosen

    return wrong


def in_place(
    tokens: Tensor, choose: Tensor, kind: Tensor, draw: Tensor,
    mask_id: int, first: int, vocabulary: int,
) -> Pair:  # fmt: skip
    chosen = right_choice(tokens >= first, choose)
    drawn = right_token(draw, first, vocabulary)
    exchanged = chosen & (kind >= 0.8) & (kind < 0.9)
    tokens[exchanged] = drawn[exchanged]
    tokens[chosen & (kind < 0.8)] = mask_id
    return tokens, chosen


# ---- Mistakes: who is chosen, what becomes of them, where the loss is

HAND = _("five words between two special tokens")
AT_BORDERS = _("numbers that lie on a border")
SPECIAL = _("every choose below 0.15, and special tokens among them")

CHOICE = (
    Mistake(
        "special-tokens-chosen",
        corrupting(choice=lambda ordinary, choose: choose < 0.15),
        (
            chosen_unless(lambda tokens, first: tokens == 0),
            chosen_unless(lambda tokens, first: tokens < min(first, 3)),
        ),
        case=HAND,
    ),
    Mistake(
        "share-inverted",
        corrupting(choice=lambda ordinary, choose: ordinary & (choose >= 0.15)),
        (corrupting(choice=lambda ordinary, choose: ordinary & (choose > 0.15)),),
        case=HAND,
    ),
    Mistake(
        "shares-of-all-tokens",
        corrupting(touched=lambda chosen, ordinary: ordinary),
        (
            corrupting(touched=lambda chosen, ordinary: torch.ones_like(ordinary)),
            corrupting(choice=lambda ordinary, choose: ordinary),
            corrupting(choice=lambda ordinary, choose: torch.ones_like(ordinary)),
        ),
        case=HAND,
    ),
)

LOSS = (
    Mistake(
        "kept-tokens-without-loss",
        corrupting(counted=lambda chosen, kind: chosen & (kind < 0.9)),
        (changed_tokens_counted,),
        case=HAND,
    ),
    Mistake(
        "loss-on-masks-only",
        corrupting(counted=lambda chosen, kind: chosen & (kind < 0.8)),
        (masks_counted,),
        case=HAND,
    ),
    Mistake(
        "loss-on-every-token",
        tokens_counted(lambda first: first),
        (tokens_counted(lambda first: 0), tokens_counted(lambda first: 1)),
        case=HAND,
    ),
    Mistake("targets-overwritten", in_place, case=HAND),
)

KIND = (
    Mistake(
        "ninety-percent-masked",
        corrupting(hidden=below(0.9), exchanged=never),
        (
            corrupting(hidden=below(0.9), exchanged=between(0.9, 1.0)),
            corrupting(hidden=between(0.1, 1.0), exchanged=never),
        ),
        case=HAND,
    ),
    Mistake(
        "borders-included",
        corrupting(
            choice=lambda ordinary, choose: ordinary & (choose <= 0.15),
            hidden=lambda kind: kind <= 0.8,
            exchanged=lambda kind: kind <= 0.9,
        ),
        (
            corrupting(choice=lambda ordinary, choose: ordinary & (choose <= 0.15)),
            corrupting(
                hidden=lambda kind: kind <= 0.8, exchanged=lambda kind: (kind > 0.8) & (kind <= 0.9)
            ),
            corrupting(hidden=lambda kind: kind <= 0.8),
            corrupting(exchanged=lambda kind: (kind >= 0.8) & (kind <= 0.9)),
        ),
        case=AT_BORDERS,
    ),
    Mistake("every-chosen-token-masked", corrupting(hidden=always), case=HAND),
    Mistake(
        "shares-not-added-up",
        corrupting(exchanged=never),
        (
            corrupting(hidden=between(0.1, 0.8), exchanged=below(0.1)),
            corrupting(hidden=between(0.1, 0.9), exchanged=below(0.1)),
        ),
    ),
    Mistake("mask-overwritten", corrupting(hidden=never, exchanged=below(0.9)), case=HAND),
    Mistake(
        "kept-and-exchanged-the-other-way",
        corrupting(exchanged=between(0.9, 1.0)),
        (corrupting(exchanged=lambda kind: kind > 0.9),),
        case=HAND,
    ),
    Mistake(
        "no-chosen-token-kept",
        corrupting(exchanged=between(0.8, 1.0)),
        (corrupting(exchanged=lambda kind: kind > 0.8),),
        case=HAND,
    ),
)

TOKEN = (
    Mistake(
        "special-tokens-drawn",
        corrupting(token=lambda draw, first, vocabulary: (draw * vocabulary).long()),
        (corrupting(token=lambda draw, first, vocabulary: (draw * (vocabulary - first)).long()),),
        case=HAND,
    ),
    Mistake(
        "drawn-from-another-range",
        corrupting(token=lambda draw, first, vocabulary: first + (draw * vocabulary).long()),
        (
            corrupting(token=lambda d, first, V: first + (d * (V - 1)).long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first + 1)).long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first - 1)).long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first)).round().long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first - 1)).round().long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first)).ceil().long()),
        ),
    ),
)

MISTAKES = (*CHOICE, *LOSS, *KIND, *TOKEN)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _given(
    tokens: list[list[int]], choose: list[list[float]], kind: list[list[float]],
    draw: list[list[float]], *, mask_id: int, first: int, vocabulary: int,
) -> Make:  # fmt: skip
    """The numbers are in float64, so that a border such as 0.9 is the same in every writing."""

    def make(generator: torch.Generator) -> Inputs:
        numbers = {"choose": choose, "kind": kind, "draw": draw}
        return {
            "tokens": torch.tensor(tokens),
            **{name: torch.tensor(rows, dtype=torch.float64) for name, rows in numbers.items()},
            "mask_id": mask_id,
            "first": first,
            "vocabulary": vocabulary,
        }

    return make


def _random(
    sentences: int, positions: int, *, first: int = 4, vocabulary: int = 29,
    mask_id: int | None = None, special: float = 0.2, chosen: float | None = None,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """A share of special tokens; `choose` stays below `chosen` where that is given.

    Without `mask_id` the mask is the number behind the vocabulary.
    """

    def make(generator: torch.Generator) -> Inputs:
        shape = sentences, positions

        def draw() -> Tensor:
            return torch.rand(shape, generator=generator, dtype=dtype)

        ordinary = torch.randint(first, vocabulary, shape, generator=generator)
        others = torch.randint(max(first, 1), shape, generator=generator)
        return {
            "tokens": torch.where(draw() < special, others, ordinary),
            "choose": draw() * (1.0 if chosen is None else chosen),
            "kind": draw(),
            "draw": draw(),
            "mask_id": vocabulary if mask_id is None else mask_id,
            "first": first,
            "vocabulary": vocabulary,
        }

    return make


WORDS = _given(
    [[1, 7, 9, 5, 8, 6, 2]],
    [[0.05, 0.1, 0.6, 0.02, 0.14, 0.9, 0.3]],
    [[0.1, 0.3, 0.4, 0.85, 0.95, 0.86, 0.2]],
    [[0.7, 0.2, 0.9, 0.6, 0.3, 0.1, 0.8]],
    mask_id=10, first=4, vocabulary=10,
)  # fmt: skip

BORDERS = _given(
    [[5, 6, 4, 7, 5, 4]],
    [[0.15, 0.0, 0.0625, 0.125, 0.03125, 0.0]],
    [[0.0, 0.8, 0.9, 0.0, 0.85, 0.8]],
    [[0.5, 0.75, 0.5, 0.25, 0.0, 0.9375]],
    mask_id=8, first=4, vocabulary=8,
)  # fmt: skip

CASES = (
    Case(HAND, WORDS),
    Case(AT_BORDERS, BORDERS),
    Case(SPECIAL, _random(2, 3, special=0.6, chosen=0.15), seed=1),
    Case(_("seven sentences"), _random(7, 23), seed=2),
    Case(_("everything is chosen"), _random(3, 11, special=0.0, chosen=0.15), seed=3),
    Case(_("the mask token lies among the special ones"), _random(5, 13, mask_id=3), seed=4),
    Case(_("as many sentences as positions"), _random(5, 5, chosen=0.3), seed=5),
    Case(_("many special tokens"), _random(3, 17, first=101, vocabulary=997, chosen=0.2), seed=6),
    Case(
        _("no token is special"),
        _random(5, 7, first=0, vocabulary=11, special=0.0, chosen=0.3),
        seed=7,
    ),
    Case(_("special tokens alone"), _random(2, 5, special=1.0), seed=8),
    Case(_("a single ordinary token"), _random(3, 7, vocabulary=5, chosen=0.3), seed=9),
    Case(_("many sentences"), _random(31, 37), seed=10),
    Case(_("float64"), _random(11, 13, chosen=0.5, dtype=torch.float64), seed=11),
)

ANSWERS = Answers(
    solution=corrupt_tokens,
    alternatives=(with_indices, with_loops, with_a_table),
    mistakes=MISTAKES,
    cases=CASES,
    run=telling_lost_targets(corrupt_tokens),
    compare=compare,
)
