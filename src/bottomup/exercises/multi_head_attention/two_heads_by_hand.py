"""Exercise: weights, set by hand, with which two heads retrieve a pair."""

from collections.abc import Callable, Iterable
from math import pi
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.compare import difference, name_of_kind
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.multi_head_attention import one_hot_network as network
from bottomup.exercises.multi_head_attention.two_heads_by_hand_mistakes import (
    MISCONCEPTIONS,
    ONE_AGAINST_MANY,
    Matrices,
)
from bottomup.i18n import _

STUB = '''\
def two_heads(positions, symbols):
    """Weights with which two heads answer every question about a pair.

    The query holds the two positions asked for, one-hot one after the
    other: it is 2 positions wide. Key i is position i, one-hot; value i
    is the symbol that stands there, one-hot. Of the output, the first
    half scores the first symbol of the answer, the second half the other.

    Q = query W_Q^T, K = key W_K^T and V = value W_V^T are cut into two
    halves; head h reads softmax(Q_h K_h^T / sqrt(d_head)) V_h, and
    output = [head_1 head_2] W_O^T. Choose d_head and d_value.

    Returns W_Q [2 d_head, 2 positions], W_K [2 d_head, positions],
    W_V [2 d_value, symbols], W_O [2 symbols, 2 d_value].
    """
    ...
'''


def two_heads(positions: int, symbols: int) -> "Matrices":
    W_Q = 30 * torch.eye(2 * positions)  # head 1 sees the first position, head 2 the second
    W_K = torch.cat([torch.eye(positions), torch.eye(positions)])
    W_V = torch.cat([torch.eye(symbols), torch.eye(symbols)])
    W_O = torch.eye(2 * symbols)  # head 1 fills the first slot, head 2 the second
    return W_Q, W_K, W_V, W_O


def with_the_heads_exchanged(positions: int, symbols: int) -> Matrices:
    W_Q = 50 * torch.eye(2 * positions).roll(positions, dims=0)
    W_K, W_V = torch.eye(positions).repeat(2, 1), torch.eye(symbols).repeat(2, 1)
    return W_Q, W_K, W_V, torch.eye(2 * symbols).roll(symbols, dims=0)


def with_slots_made_by_the_values(positions: int, symbols: int) -> Matrices:
    W_Q, W_K = torch.eye(2 * positions), 40 * torch.eye(positions).repeat(2, 1)
    W_V = torch.zeros(2, 2 * symbols, symbols)
    W_V[0, :symbols] = W_V[1, symbols:] = torch.eye(symbols)
    W_O = torch.eye(2 * symbols).repeat(1, 2)  # the heads are added, in slots of their own
    return W_Q, W_K, W_V.flatten(0, 1), W_O


def with_positions_on_a_circle(positions: int, symbols: int) -> Matrices:
    angle = 2 * pi * torch.arange(positions) / positions
    circle = torch.stack([angle.cos(), angle.sin()])  # d_head is 2
    W_Q = torch.block_diag(300 * circle, 300 * circle)
    W_V, W_O = 5 * torch.eye(symbols).repeat(2, 1) + 1, torch.eye(2 * symbols).double()
    return W_Q, circle.repeat(2, 1), W_V, W_O


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Ask the network that the answer makes everything about the case's sequences."""
    inputs = case.inputs
    matrices = answer(inputs["positions"], inputs["symbols"])
    if not _are_four_tensors(matrices):
        return matrices
    try:
        return network.behaviour(matrices, inputs["symbols"], inputs["sequences"])
    except (TypeError, ValueError) as error:
        return {"refused": str(error)}


def compare(got: Any, expected: network.Texts, case: Case) -> str | None:
    """Say which question is answered wrongly; two right networks may read in different ways."""
    if got is None:
        return difference(got, expected)
    if isinstance(got, dict) and set(got) == {"refused"}:
        return _("The weights do not fit: {error}.").format(error=got["refused"].rstrip("."))
    if not _describes_behaviour(got, expected):
        sentence = _("It returned {got}, expected four tensors: W_Q, W_K, W_V, W_O.")
        return sentence.format(got=name_of_kind(got))
    answers, right = got[..., :2], network.right_answers(case.inputs["sequences"])
    if not np.array_equal(answers, expected[..., :2]):
        return _first_difference(got, expected, case)
    is_right = np.array_equal(answers, right)  # then it does not matter who reads what
    return None if is_right or np.array_equal(got, expected) else _("The heads read elsewhere.")


def _describes_behaviour(got: Any, expected: network.Texts) -> bool:
    return isinstance(got, np.ndarray) and got.dtype == object and got.shape == expected.shape


def _first_difference(got: network.Texts, expected: network.Texts, case: Case) -> str:
    row, question = np.argwhere((got != expected)[..., :2].any(axis=-1))[0]
    first, second, *read = got[row, question]
    sentence = _(
        "Asked for positions {asked} of {sequence}, it answers {got}, expected {expected}. Head 1 "
        "reads {one}, head 2 reads {two}. A row for each question: two answers, then the position "
        "that each head reads most; 0/3 says that 0 and 3 are level."
    )
    return sentence.format(
        asked=_listed(case.inputs["questions"][question]),
        sequence=_listed(case.inputs["sequences"][row]),
        got=_listed([first, second]),
        expected=_listed(expected[row, question, :2]),
        one=_position(read[0]),
        two=_position(read[1]),
    )


def _listed(items: Iterable[int | str]) -> str:
    return " ".join(map(str, items))


def _position(text: str) -> str:
    numbers = text.split("/")
    if len(numbers) > 1:
        return _("positions {list} alike").format(list=_(" and ").join(numbers))
    if text.isdigit():
        return _("position {number}").format(number=text)
    return _("all positions alike") if text == _("all") else _("no position")


def _are_four_tensors(value: Any) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 4:
        return False
    return all(isinstance(matrix, Tensor) for matrix in value)


def _asking(symbols: int, *sequences: str) -> Callable[[torch.Generator], Inputs]:
    positions = len(sequences[0])
    return lambda generator: {
        "positions": positions,
        "symbols": symbols,
        "sequences": sequences,
        "questions": network.questions(positions),
    }


def _asking_everything(positions: int, symbols: int) -> Callable[[torch.Generator], Inputs]:
    return _asking(symbols, *network.every_sequence(positions, symbols))


CASES = (
    Case(_("three positions, four symbols, one sequence"), _asking(4, "302")),
    Case(_("one symbol against three others"), _asking(3, "0222")),
    Case(_("three positions, two symbols, every sequence"), _asking_everything(3, 2)),
    Case(_("four positions, three symbols, every sequence"), _asking_everything(4, 3)),
    Case(_("two positions, five symbols, every sequence"), _asking_everything(2, 5)),
    Case(_("five positions, two symbols, every sequence"), _asking_everything(5, 2)),
    Case(ONE_AGAINST_MANY, _asking(3, "01111111111", "22222222220", "02110221012")),
)

TWO_HEADS_BY_HAND = Exercise(
    slug="two-heads-by-hand",
    title=_("Two heads by hand"),
    chapter="03",
    difficulty=3,
    minutes=20,
    stub=STUB,
    hints=(
        _(
            "Give each head one task: head 1 reads the position asked for first, head 2 the other. "
            "Which half of the query does each of them need?"
        ),
        _(
            "With one-hot keys and `W_K` an identity for each head, a head's score at position i "
            "is entry i of its query. Let `W_Q` copy one half of the question into each head, and "
            "make it large: the softmax divides by the root of d_head first."
        ),
        _(
            "`W_V` is an identity for each head, so a head hands over the symbol it reads. `W_O` "
            "keeps the two apart: head 1 writes the first half of the output, head 2 the second."
        ),
    ),
    solution=two_heads,
    alternatives=(
        with_the_heads_exchanged,
        with_slots_made_by_the_values,
        with_positions_on_a_circle,
    ),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=run,
    compare=compare,
)
