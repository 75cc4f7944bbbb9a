"""Exercise: weights, set by hand, with which two heads retrieve a pair."""

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations, product
from math import pi
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.attention import attend, merge_heads, scaled_dot_scores, split_heads
from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _


def two_heads(positions: int, symbols: int) -> "Matrices":
    W_Q = 30 * torch.eye(2 * positions)  # head 1 sees the first position, head 2 the second
    W_K = torch.cat([torch.eye(positions), torch.eye(positions)])
    W_V = torch.cat([torch.eye(symbols), torch.eye(symbols)])
    W_O = torch.eye(2 * symbols)  # head 1 fills the first slot, head 2 the second
    return W_Q, W_K, W_V, W_O


Matrices = tuple[Tensor, Tensor, Tensor, Tensor]


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


# ---- Two heads on one-hot vectors: what they answer and what they read, on every question

CLEAR = 1e-6  # by less, two scores count as equal
SHARPER = 1e6  # so much larger scores leave weight to the largest alone
Texts = np.ndarray[Any, Any]


def every_sequence(positions: int, symbols: int) -> tuple[str, ...]:
    """Return all sequences of symbols, a digit for each: symbols^positions of them."""
    digits = map(str, range(symbols))
    return tuple(map("".join, product(digits, repeat=positions)))


def questions(positions: int) -> tuple[tuple[int, int], ...]:
    """Return all ordered pairs of different positions."""
    return tuple(permutations(range(positions), 2))


def two_heads_read(
    query: Tensor, key: Tensor, value: Tensor, weights: Iterable[Tensor], *, sharper: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Return what two heads make of one-hot vectors, and what they read.

    As `MultiHeadAttention`, but query, key and value differ in width, and the output has room for
    two symbols.

    Args:
        query: [sequence, question, 2 positions].
        key: [sequence, position, positions].
        value: [sequence, position, symbols].
        weights: W_Q [2 d_head, 2 positions], W_K [2 d_head, positions], W_V [2 d_value, symbols]
            and W_O [2 symbols, 2 d_value]; the rows of head 1 stand above those of head 2.
        sharper: factor for the scores of both heads.

    Returns:
        The output, [sequence, question, 2 symbols], and the weights of each head.
    """
    W_Q, W_K, W_V, W_O = weights
    positions, symbols = key.shape[-1], value.shape[-1]
    d_heads, d_values = len(W_Q), len(W_V)  # of both heads
    _check_sizes("W_Q", W_Q, {"2d_head": None, "2positions": 2 * positions})
    _check_sizes("W_K", W_K, {"2d_head": d_heads, "positions": positions})
    _check_sizes("W_V", W_V, {"2d_value": None, "symbols": symbols})
    _check_sizes("W_O", W_O, {"2symbols": 2 * symbols, "2d_value": d_values})
    inputs = zip((query, key, value), (W_Q, W_K, W_V), strict=True)
    Q, K, V = (split_heads(x @ W.detach().double().T, 2) for x, W in inputs)
    heads, read = attend(sharper * scaled_dot_scores(Q, K), V)
    return merge_heads(heads) @ W_O.detach().double().T, read


def _check_sizes(name: str, matrix: Tensor, wanted: dict[str, int | None]) -> None:
    shape, sizes = tuple(matrix.shape), tuple(wanted.values())
    fits = len(shape) == len(sizes) and 0 not in shape
    if not fits or any(n not in (None, own) for own, n in zip(shape, sizes, strict=True)):
        axes = ", ".join(axis if n is None else f"{axis}={n}" for axis, n in wanted.items())
        raise ValueError(f"{name}: expected axes [{axes}], got shape {shape}")


def behaviour(weights: Iterable[Tensor], symbols: int, sequences: Sequence[str]) -> Texts:
    """Ask the two heads every question about some sequences.

    A wrong network is described as if each head read only where its weight is largest, if that is
    wrong as well: then one mistake gives one description, however sharp the heads are. Otherwise
    the heads are too flat, and the network is described as it is.

    Args:
        weights: W_Q, W_K, W_V, W_O as `two_heads_read` takes them.
        symbols: number of different symbols.
        sequences: equally long, a digit for each symbol.

    Returns:
        Four texts for each sequence and question, [sequence, question, 4]: the symbol with the
        largest score in each slot, and the position with the largest weight in each head. Where
        several share the largest, a stroke stands between them: "0/3"; "all" where all do.
    """
    weights = tuple(weights)
    right = right_answers(sequences)
    as_it_is = _described(weights, symbols, sequences, sharper=1.0)
    if np.array_equal(as_it_is[..., :2], right):
        return as_it_is
    sharp = _described(weights, symbols, sequences, sharper=SHARPER)
    return as_it_is if np.array_equal(sharp[..., :2], right) else sharp


def right_answers(sequences: Sequence[str]) -> Texts:
    """Return the two symbols asked for, [sequence, question, 2]."""
    asked = questions(len(sequences[0]))
    return np.array([[[row[i], row[j]] for i, j in asked] for row in sequences], dtype=object)


def _described(
    weights: Iterable[Tensor], symbols: int, sequences: Sequence[str], *, sharper: float
) -> Texts:
    rows = torch.tensor([list(map(int, row)) for row in sequences])
    count, positions = rows.shape
    place, symbol = torch.eye(positions).double(), torch.eye(symbols).double()
    query = place[torch.tensor(questions(positions))].flatten(1)  # [question, 2 positions]
    inputs = query.expand(count, -1, -1), place.expand(count, -1, -1), symbol[rows]
    output, read = two_heads_read(*inputs, weights, sharper=sharper)
    answers = _largest(output.unflatten(-1, (2, symbols)))  # [sequence, question, slot]
    return np.concatenate([answers, _largest(read.transpose(1, 2))], axis=-1)


def _largest(scores: Tensor) -> Texts:
    """Name the largest score of each row, and all that equal it; "none" where one is NaN."""
    leads = scores >= scores.amax(dim=-1, keepdim=True) - CLEAR
    texts = np.array([_named(row) for row in leads.flatten(0, -2).tolist()], dtype=object)
    return texts.reshape(scores.shape[:-1])


def _named(leads: Sequence[bool]) -> str:
    if all(leads):
        return _("all")
    return "/".join(str(index) for index, is_one in enumerate(leads) if is_one) or _("none")


# ---- Mistakes

ONE_AGAINST_MANY = _("eleven positions, one symbol against ten copies of another")
SHARP = 30.0
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


MISTAKES = (
    Mistake("both-heads-read-the-first", _weights(query=_query([[1, 0], [1, 0]]))),
    Mistake("both-heads-read-the-second", _weights(query=_query([[0, 1], [0, 1]]))),
    Mistake("heads-exchanged", _weights(query=_query([[0, 1], [1, 0]]))),
    Mistake("slots-exchanged", _weights(output=_output([[0, 1], [1, 0]]))),
    Mistake("each-head-reads-both", _weights(query=_query([[1, 1], [1, 1]]))),
    Mistake("heads-summed", _weights(output=_output([[1, 1], [1, 1]]))),
    Mistake(
        "one-slot-for-both",
        _weights(output=_output([[1, 1], [0, 0]])),
        (_weights(output=_output([[0, 0], [1, 1]])),),
    ),
    Mistake(
        "too-flat",
        _flat(1.0),
        (
            *(_flat(sharpness) for sharpness in (1.3, 1.5, 2.0, 2.2, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0)),
            *map(_root_undone, (0.7, 0.8, 0.9, 1.0)),
        ),
        case=ONE_AGAINST_MANY,
    ),
    Mistake("everything-else-is-read", _weights(query=_query([[-1, 0], [0, -1]]))),
    Mistake(
        "idle-head",
        _weights(query=_query([[1, 0], [0, 0]])),
        (_weights(query=_query([[0, 0], [0, 1]])),),
    ),
    Mistake(
        "one-head-for-both-slots",
        _weights(output=_output([[1, 0], [1, 0]])),
        (_weights(output=_output([[0, 1], [0, 1]])),),
    ),
    Mistake(
        "nothing-handed-over",
        _weights(output=_output([[1, 0], [0, 0]])),
        (_weights(output=_output([[0, 0], [0, 1]])),),
    ),
    Mistake("slots-interleaved", _weights(output=_interleaved)),
)


# ---- Cases


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Ask the network that the answer makes everything about the case's sequences."""
    inputs = case.inputs
    matrices = answer(inputs["positions"], inputs["symbols"])
    if not _are_four_tensors(matrices):
        return matrices
    try:
        return behaviour(matrices, inputs["symbols"], inputs["sequences"])
    except (TypeError, ValueError) as error:
        return {"refused": str(error)}


def compare(got: Any, expected: Texts, case: Case) -> str | None:
    """Say which question is answered wrongly; two right networks may read in different ways."""
    if got is None:
        return difference(got, expected)
    if isinstance(got, dict) and set(got) == {"refused"}:
        return _("The weights do not fit: {error}.").format(error=got["refused"].rstrip("."))
    if not _describes_behaviour(got, expected):
        sentence = _("It returned {got}, expected four tensors: W_Q, W_K, W_V, W_O.")
        return sentence.format(got=name_of_kind(got))
    answers, right = got[..., :2], right_answers(case.inputs["sequences"])
    if not np.array_equal(answers, expected[..., :2]):
        return _first_difference(got, expected, case)
    is_right = np.array_equal(answers, right)  # then it does not matter who reads what
    return None if is_right or np.array_equal(got, expected) else _("The heads read elsewhere.")


def _describes_behaviour(got: Any, expected: Texts) -> bool:
    return isinstance(got, np.ndarray) and got.dtype == object and got.shape == expected.shape


def _first_difference(got: Texts, expected: Texts, case: Case) -> str:
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
        "questions": questions(positions),
    }


def _asking_everything(positions: int, symbols: int) -> Callable[[torch.Generator], Inputs]:
    return _asking(symbols, *every_sequence(positions, symbols))


CASES = (
    Case(_("three positions, four symbols, one sequence"), _asking(4, "302")),
    Case(_("one symbol against three copies of another"), _asking(3, "0222")),
    Case(_("three positions, two symbols, every sequence"), _asking_everything(3, 2)),
    Case(_("four positions, three symbols, every sequence"), _asking_everything(4, 3)),
    Case(_("two positions, five symbols, every sequence"), _asking_everything(2, 5)),
    Case(_("five positions, two symbols, every sequence"), _asking_everything(5, 2)),
    Case(ONE_AGAINST_MANY, _asking(3, "01111111111", "22222222220", "02110221012")),
)

ANSWERS = Answers(
    solution=two_heads,
    alternatives=(
        with_the_heads_exchanged,
        with_slots_made_by_the_values,
        with_positions_on_a_circle,
    ),
    mistakes=MISTAKES,
    cases=CASES,
    run=run,
    compare=compare,
)
