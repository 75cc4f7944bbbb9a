"""How an answer that corrupts sentences is run and compared, and what its mistakes are made of."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, call_with_inputs
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _

Pair = tuple[Tensor, Tensor]
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
