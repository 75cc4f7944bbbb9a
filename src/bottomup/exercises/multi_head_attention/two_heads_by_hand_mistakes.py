"""Mistakes in weights with which two heads should retrieve a pair."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

BY_HAND, TWO_CAN = _("Set the weights by hand"), _("One head cannot, two can")
ONE_AGAINST_MANY = _("eleven positions, one symbol against ten others")
SHARP = 30.0

Matrices = tuple[Tensor, Tensor, Tensor, Tensor]
Build = Callable[[int], Tensor]
Answer = Callable[[int, int], Matrices]


def _query(blocks: list[list[float]]) -> Build:
    """W_Q from a number for each head and half of the question: [[1, 0], [0, 1]] is right."""
    return lambda positions: SHARP * torch.kron(torch.tensor(blocks), torch.eye(positions))


def _output(blocks: list[list[float]]) -> Build:
    """W_O from a number for each slot and head: [[1, 0], [0, 1]] is right."""
    return lambda symbols: torch.kron(torch.tensor(blocks), torch.eye(symbols))


RIGHT = [[1.0, 0.0], [0.0, 1.0]]


def _weights(*, query: Build | None = None, output: Build | None = None) -> Answer:
    """Right but for W_Q or W_O."""
    query, output = query or _query(RIGHT), output or _output(RIGHT)

    def wrong(positions: int, symbols: int) -> Matrices:
        W_K, W_V = torch.eye(positions).repeat(2, 1), torch.eye(symbols).repeat(2, 1)
        return query(positions), W_K, W_V, output(symbols)

    return wrong


def _flat(sharpness: float) -> Answer:
    return _weights(query=lambda positions: sharpness * torch.eye(2 * positions))


def _root_undone(gain: float) -> Answer:
    """With W_K an identity d_head is the number of positions: a score is 0 or `gain`."""
    return _weights(query=lambda positions: gain * positions**0.5 * torch.eye(2 * positions))


def _interleaved(symbols: int) -> Tensor:
    return torch.eye(2 * symbols).unflatten(0, (2, symbols)).transpose(0, 1).flatten(0, 1)


MISCONCEPTIONS = (
    Misconception(
        "both-heads-read-the-first",
        _weights(query=_query([[1, 0], [1, 0]])),
        _(
            "Both heads read the first position, so the second symbol never arrives: two heads "
            "that read the same are one head. Head 2 has rows of its own in W_Q. Let them take "
            "the second half of the question."
        ),
        TWO_CAN,
    ),
    Misconception(
        "both-heads-read-the-second",
        _weights(query=_query([[0, 1], [0, 1]])),
        _(
            "Both heads read the second position, so the first symbol never arrives: two heads "
            "that read the same are one head. Head 1 has rows of its own in W_Q. Let them take "
            "the first half of the question."
        ),
        TWO_CAN,
    ),
    Misconception(
        "heads-exchanged",
        _weights(query=_query([[0, 1], [1, 0]])),
        _(
            "The two symbols come out in the wrong order: head 1 reads the position asked for "
            "second, and its slot is the first one. Which head reads what is free, as long as W_O "
            "agrees. Exchange the halves in W_Q, or those in W_O."
        ),
        BY_HAND,
    ),
    Misconception(
        "slots-exchanged",
        _weights(output=_output([[0, 1], [1, 0]])),
        _(
            "The two symbols come out in the wrong order: head 1 reads the position asked for "
            "first, and W_O writes it into the second half of the output. Rows of W_O are "
            "outputs, columns are what the heads hand over, head 1 first."
        ),
        BY_HAND,
    ),
    Misconception(
        "each-head-reads-both",
        _weights(query=_query([[1, 1], [1, 1]])),
        _(
            "Both heads read both positions, half and half: twice the same mean. A mean of two "
            "symbols does not say which came first, and no W_O can tell. Each head takes its own "
            "half of the question: in W_Q, zeros for the other half."
        ),
        TWO_CAN,
    ),
    Misconception(
        "heads-summed",
        _weights(output=_output([[1, 1], [1, 1]])),
        _(
            "W_O adds the two heads in both slots, so each slot scores both symbols alike. What "
            "the heads kept apart is mixed in the last step. Write each head into one slot, with "
            "zeros elsewhere."
        ),
        BY_HAND,
    ),
    Misconception(
        "one-slot-for-both",
        _weights(output=_output([[1, 1], [0, 0]])),
        _(
            "Both heads write into the first half of the output, where their values add, and the "
            "second half stays zero. The output is 2 symbols wide so that there is room for both. "
            "Give head 2 the second half."
        ),
        BY_HAND,
        (_weights(output=_output([[0, 0], [1, 1]])),),
    ),
    Misconception(
        "too-flat",
        _flat(1.0),
        _(
            "The heads prefer the right position, but not by enough: the weights on all others "
            "together outvote it where they hold the same symbol. The weight on the right one "
            "must exceed a half. Make W_Q or W_K larger; the softmax divides by sqrt(d_head)."
        ),
        BY_HAND,
        (
            *(_flat(sharpness) for sharpness in (1.3, 1.5, 2.0, 2.2, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0)),
            *map(_root_undone, (0.7, 0.8, 0.9, 1.0)),
        ),
        case=ONE_AGAINST_MANY,
    ),
    Misconception(
        "everything-else-is-read",
        _weights(query=_query([[-1, 0], [0, -1]])),
        _(
            "The sign is wrong: each head reads every position but the one asked for. The softmax "
            "favours the largest score, so the position asked for must get the largest."
        ),
        BY_HAND,
    ),
    Misconception(
        "idle-head",
        _weights(query=_query([[1, 0], [0, 0]])),
        _(
            "One head has no question: its scores are all alike, and it reads the mean of the "
            "whole sequence. Its slot then names the commonest symbol. Give it the half of the "
            "question that it should answer."
        ),
        BY_HAND,
        (_weights(query=_query([[0, 0], [0, 1]])),),
    ),
    Misconception(
        "slots-interleaved",
        _weights(output=_interleaved),
        _(
            "The output alternates between the two slots: symbol 0 of both, then symbol 1 of "
            "both. It is read in halves: first all symbols of the first slot, then all of the "
            "second."
        ),
        BY_HAND,
    ),
)
