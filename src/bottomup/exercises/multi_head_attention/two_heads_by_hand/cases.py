"""Two heads set by hand: what they answer and what they read, and the cases that ask them."""

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.checks import check_divisor
from bottomup.exercises.engine import Case, case
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _

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
    check_sizes("W_Q", W_Q, {"2d_head": None, "2positions": 2 * positions})
    check_sizes("W_K", W_K, {"2d_head": d_heads, "positions": positions})
    check_sizes("W_V", W_V, {"2d_value": None, "symbols": symbols})
    check_sizes("W_O", W_O, {"2symbols": 2 * symbols, "2d_value": d_values})
    for width in (d_heads, d_values):
        check_divisor("num_heads", 2, "width", width)
    W_Q, W_K, W_V = (W.detach().double().unflatten(0, (2, -1)) for W in (W_Q, W_K, W_V))
    Q, K, V = (
        torch.einsum("sni,hci->shnc", x, W) for x, W in ((query, W_Q), (key, W_K), (value, W_V))
    )
    read = torch.softmax(sharper * torch.einsum("shqc,shkc->shqk", Q, K) / Q.shape[-1] ** 0.5, -1)
    heads = torch.einsum("shqk,shkc->sqhc", read, V).flatten(2)
    return heads @ W_O.detach().double().T, read


def check_sizes(name: str, matrix: Tensor, wanted: dict[str, int | None]) -> None:
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
    as_it_is = described(weights, symbols, sequences, sharper=1.0)
    if np.array_equal(as_it_is[..., :2], right):
        return as_it_is
    sharp = described(weights, symbols, sequences, sharper=SHARPER)
    return as_it_is if np.array_equal(sharp[..., :2], right) else sharp


def right_answers(sequences: Sequence[str]) -> Texts:
    """Return the two symbols asked for, [sequence, question, 2]."""
    asked = questions(len(sequences[0]))
    return np.array([[[row[i], row[j]] for i, j in asked] for row in sequences], dtype=object)


def described(
    weights: Iterable[Tensor], symbols: int, sequences: Sequence[str], *, sharper: float
) -> Texts:
    rows = torch.tensor([list(map(int, row)) for row in sequences])
    count, positions = rows.shape
    place, symbol = torch.eye(positions).double(), torch.eye(symbols).double()
    query = place[torch.tensor(questions(positions))].flatten(1)  # [question, 2 positions]
    inputs = query.expand(count, -1, -1), place.expand(count, -1, -1), symbol[rows]
    output, read = two_heads_read(*inputs, weights, sharper=sharper)
    answers = largest(output.unflatten(-1, (2, symbols)))  # [sequence, question, slot]
    return np.concatenate([answers, largest(read.transpose(1, 2))], axis=-1)


def largest(scores: Tensor) -> Texts:
    """Name the largest score of each row, and all that equal it; "none" where one is NaN."""
    leads = scores >= scores.amax(dim=-1, keepdim=True) - CLEAR
    texts = np.array([named(row) for row in leads.flatten(0, -2).tolist()], dtype=object)
    return texts.reshape(scores.shape[:-1])


def named(leads: Sequence[bool]) -> str:
    if all(leads):
        return _("all")
    return "/".join(str(index) for index, is_one in enumerate(leads) if is_one) or _("none")


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Ask the network that the answer makes everything about the case's sequences."""
    inputs = case.inputs
    matrices = answer(inputs["positions"], inputs["symbols"])
    if not are_four_tensors(matrices):
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
    if not describes_behaviour(got, expected):
        sentence = _("It returned {got}, expected four tensors: W_Q, W_K, W_V, W_O.")
        return sentence.format(got=name_of_kind(got))
    answers, right = got[..., :2], right_answers(case.inputs["sequences"])
    if not np.array_equal(answers, expected[..., :2]):
        return first_difference(got, expected, case)
    is_right = np.array_equal(answers, right)  # then it does not matter who reads what
    return None if is_right or np.array_equal(got, expected) else _("The heads read elsewhere.")


def describes_behaviour(got: Any, expected: Texts) -> bool:
    return isinstance(got, np.ndarray) and got.dtype == object and got.shape == expected.shape


def first_difference(got: Texts, expected: Texts, case: Case) -> str:
    row, question = np.argwhere((got != expected)[..., :2].any(axis=-1))[0]
    first, second, *read = got[row, question]
    sentence = _(
        "Asked for positions {asked} of {sequence}, it answers {got}, expected {expected}. Head 1 "
        "reads {one}, head 2 reads {two}. A row for each question: two answers, then the position "
        "that each head reads most; 0/3 says that 0 and 3 are level."
    )
    return sentence.format(
        asked=listed(case.inputs["questions"][question]),
        sequence=listed(case.inputs["sequences"][row]),
        got=listed([first, second]),
        expected=listed(expected[row, question, :2]),
        one=position(read[0]),
        two=position(read[1]),
    )


def listed(items: Iterable[int | str]) -> str:
    return " ".join(map(str, items))


def position(text: str) -> str:
    numbers = text.split("/")
    if len(numbers) > 1:
        return _("positions {list} alike").format(list=_(" and ").join(numbers))
    if text.isdigit():
        return _("position {number}").format(number=text)
    return _("all positions alike") if text == _("all") else _("no position")


def are_four_tensors(value: Any) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 4:
        return False
    return all(isinstance(matrix, Tensor) for matrix in value)


def asking(symbols: int, *sequences: str) -> dict[str, Any]:
    """All questions about some sequences."""
    positions = len(sequences[0])
    return {
        "positions": positions,
        "symbols": symbols,
        "sequences": sequences,
        "questions": questions(positions),
    }


CASES = (
    case(_("three positions, four symbols, one sequence"), **asking(4, "302")),
    case(_("one symbol against three copies of another"), **asking(3, "0222")),
    case(_("three positions, two symbols, every sequence"), **asking(2, *every_sequence(3, 2))),
    case(_("four positions, three symbols, every sequence"), **asking(3, *every_sequence(4, 3))),
    case(_("two positions, five symbols, every sequence"), **asking(5, *every_sequence(2, 5))),
    case(_("five positions, two symbols, every sequence"), **asking(2, *every_sequence(5, 2))),
    case(
        _("eleven positions, one symbol against ten copies of another"),
        **asking(3, "01111111111", "22222222220", "02110221012"),
    ),
)
