"""Exercise: the induction circuit, compiled: two heads whose weights are set by hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _


def induction_weights(symbols: int, positions: int, beta: float) -> tuple[torch.Tensor, ...]:
    d_model = 3 * symbols + positions
    widths = [symbols, symbols, symbols, positions]
    token, previous, answer, position = torch.arange(d_model).split(widths)
    QK_0, OV_0, QK_1, OV_1 = torch.zeros(4, d_model, d_model)
    QK_0[position[1:], position[:-1]] = beta  # position i looks for position i - 1
    OV_0[token, previous] = 1.0  # and keeps the symbol there beside its own
    QK_1[token, previous] = beta  # a symbol looks for what it stood before
    OV_1[token, answer] = 1.0
    return QK_0, OV_0, QK_1, OV_1


Matrices = tuple[Tensor, ...]


def with_blocks(symbols: int, positions: int, beta: float) -> Matrices:
    """Block by block, from the left upper corner."""
    S = symbols
    d_model, copied = 3 * S + positions, torch.eye(S)
    maps = [torch.zeros(d_model, d_model) for _each in range(4)]
    maps[0][3 * S :, 3 * S :] = beta * torch.eye(positions).roll(-1, dims=1).tril(-1)
    maps[1][:S, S : 2 * S] = copied
    maps[2][:S, S : 2 * S] = beta * copied
    maps[3][:S, 2 * S : 3 * S] = copied
    return tuple(maps)


def with_loops(symbols: int, positions: int, beta: float) -> Matrices:
    size = 3 * symbols + positions
    rows = [[[0.0] * size for _row in range(size)] for _map in range(4)]
    for i in range(1, positions):
        rows[0][3 * symbols + i][3 * symbols + i - 1] = beta
    for s in range(symbols):
        rows[1][s][symbols + s] = 1.0
        rows[2][s][symbols + s] = beta
        rows[3][s][2 * symbols + s] = 1.0
    return tuple(torch.tensor(matrix) for matrix in rows)


def with_outer_products(symbols: int, positions: int, beta: float) -> Matrices:
    axes = torch.eye(3 * symbols + positions)
    token, previous, answer, position = axes.split([symbols, symbols, symbols, positions])
    shift = torch.eye(positions).roll(1, dims=0)
    shift[0] = 0
    return (
        beta * position.T @ shift @ position,
        token.T @ previous,
        beta * token.T @ previous,
        token.T @ answer,
    )


# ---- What two such heads make of a text


def read_texts(maps: Sequence[Tensor], texts: Sequence[str], symbols: int) -> Tensor:
    """Return the slot `answer` after both layers, [text, position, symbols].

    Args:
        maps: QK_0, OV_0, QK_1, OV_1, each [d_model, d_model].
        texts: equally long, a letter for each symbol, "a" for symbol 0.
        symbols: how many there are.
    """
    rows = torch.tensor([[ord(letter) - ord("a") for letter in text] for text in texts])
    count, positions = rows.shape
    d_model = 3 * symbols + positions
    for name, matrix in zip(NAMES, maps, strict=True):
        if tuple(matrix.shape) != (d_model, d_model):
            got = tuple(matrix.shape)
            raise ValueError(f"{name}: expected [d_model, d_model], d_model={d_model}, got {got}")
    position = torch.eye(positions).expand(count, -1, -1)
    token = F.pad(F.one_hot(rows, symbols).float(), (0, 2 * symbols))
    x = torch.cat([token, position], dim=-1).double()
    ahead = torch.ones(positions, positions).triu(1).bool()
    QK_0, OV_0, QK_1, OV_1 = (matrix.detach().double() for matrix in maps)
    for QK, OV in ((QK_0, OV_0), (QK_1, OV_1)):
        scores = (x @ QK @ x.mT).masked_fill(ahead, -torch.inf)
        x = x + scores.softmax(dim=-1) @ x @ OV
    return x[..., 2 * symbols : 3 * symbols]


NAMES = ("QK_0", "OV_0", "QK_1", "OV_1")


# ---- Mistakes: which slot meets which, and how sharply

SLOTS = ("token", "previous", "answer", "position")
FLAT = _("beta is 1: how soft the weights are")
Answer = Callable[[int, int, float], Matrices]


@dataclass(frozen=True)
class Blocks:
    """The maps as pairs of slots; a mistake replaces some of them.

    Args:
        back: how many positions layer 0 looks back; None for nowhere.
        kept: from which slot to which layer 0 writes.
        asked: the slots of query and key that layer 1 compares.
        told: from which slot to which layer 1 writes.
        sharpness: the scores of layer 0 and layer 1, from beta.
        written: the numbers with which both layers write, from beta.
        order: how the slots follow each other.
    """

    back: int | None = 1
    kept: tuple[str, str] = ("token", "previous")
    asked: tuple[str, str] = ("token", "previous")
    told: tuple[str, str] = ("token", "answer")
    sharpness: Callable[[float], tuple[float, float]] = lambda beta: (beta, beta)
    written: Callable[[float], tuple[float, float]] = lambda beta: (1.0, 1.0)
    order: tuple[str, ...] = SLOTS

    def __call__(self, symbols: int, positions: int, beta: float) -> Matrices:
        """Return the four maps."""
        d_model = 3 * symbols + positions
        widths = [positions if name == "position" else symbols for name in self.order]
        slot = dict(zip(self.order, torch.arange(d_model).split(widths), strict=True))
        QK_0, OV_0, QK_1, OV_1 = torch.zeros(4, d_model, d_model)
        (first, second), (keep, tell) = self.sharpness(beta), self.written(beta)
        if self.back is not None:
            for i in range(positions):
                if 0 <= i - self.back < positions:
                    QK_0[slot["position"][i], slot["position"][i - self.back]] = first
        OV_0[slot[self.kept[0]], slot[self.kept[1]]] = keep
        QK_1[slot[self.asked[0]], slot[self.asked[1]]] = second
        OV_1[slot[self.told[0]], slot[self.told[1]]] = tell
        return QK_0, OV_0, QK_1, OV_1


RIGHT = Blocks()


def with_blocks_changed(**changed: Any) -> Answer:
    return replace(RIGHT, **changed)


def transposed(*which: int) -> Answer:
    """Some of the maps with rows and columns exchanged."""

    def wrong(symbols: int, positions: int, beta: float) -> Matrices:
        maps = RIGHT(symbols, positions, beta)
        return tuple(x.T if index in which else x for index, x in enumerate(maps))

    return wrong


def filled(*which: int) -> Answer:
    """Some of the maps with a whole block of numbers where a diagonal belongs."""

    def wrong(symbols: int, positions: int, beta: float) -> Matrices:
        maps = RIGHT(symbols, positions, beta)
        for index in which:
            rows, columns = maps[index].nonzero().T
            maps[index][rows[:, None], columns] = maps[index][rows[0], columns[0]].clone()
        return maps

    return wrong


MISTAKES = (
    Mistake(
        "every-position-reads-alike",
        with_blocks_changed(back=-1),
        (transposed(0), with_blocks_changed(back=None)),
    ),
    Mistake("reads-itself", with_blocks_changed(back=0)),
    Mistake("two-places-back", with_blocks_changed(back=2)),
    Mistake("token-overwritten", with_blocks_changed(kept=("token", "token"))),
    Mistake("no-composition", with_blocks_changed(asked=("token", "token"))),
    Mistake("asks-with-previous", with_blocks_changed(asked=("previous", "token"))),
    Mistake("both-ask-with-previous", with_blocks_changed(asked=("previous", "previous"))),
    Mistake("answers-with-previous", with_blocks_changed(told=("previous", "answer"))),
    Mistake(
        "answer-in-another-slot",
        with_blocks_changed(told=("token", "previous")),
        (
            with_blocks_changed(told=("token", "token")),
            transposed(3),
            with_blocks_changed(order=("token", "previous", "position", "answer")),
        ),
    ),
    Mistake(
        "previous-stays-empty", transposed(1), (with_blocks_changed(kept=("previous", "token")),)
    ),
    Mistake(
        "slots-in-another-order",
        with_blocks_changed(order=("token", "position", "previous", "answer")),
    ),
    Mistake("block-for-a-diagonal", filled(1, 2, 3), (filled(1, 3), filled(3))),
    Mistake("beta-forgotten", with_blocks_changed(sharpness=lambda beta: (1.0, 1.0))),
    Mistake(
        "beta-in-one-layer",
        with_blocks_changed(sharpness=lambda beta: (beta, 1.0)),
        (with_blocks_changed(sharpness=lambda beta: (1.0, beta)),),
    ),
    Mistake(
        "answer-scaled",
        with_blocks_changed(written=lambda beta: (1.0, beta)),
        (
            with_blocks_changed(written=lambda beta: (beta, beta)),
            with_blocks_changed(written=lambda beta: (beta, 1.0)),
        ),
    ),
)


# ---- Cases: begin with "a", which stands nowhere else


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Let the two heads that the answer sets read the case's texts."""
    inputs = case.inputs
    maps = answer(inputs["symbols"], inputs["positions"], inputs["beta"])
    if not _are_four_tensors(maps):
        return maps
    try:
        return {"slot answer": read_texts(maps, inputs["texts"], inputs["symbols"])}
    except (TypeError, ValueError) as error:
        return {"refused": str(error)}


def compare(got: Any, expected: dict[str, Tensor], case: Case) -> str | None:
    """Say at which position the answer differs first."""
    if got is None:
        return difference(got, expected)
    if not isinstance(got, dict):
        sentence = _("It returned {got}, expected four tensors: {names}.")
        return sentence.format(got=name_of_kind(got), names=", ".join(NAMES))
    if "refused" in got:
        return _("The weights do not fit: {error}.").format(error=got["refused"].rstrip("."))
    ours, theirs = got["slot answer"], expected["slot answer"]
    wrong = ((ours - theirs).abs() > TOLERANCE).any(dim=-1) | ours.isnan().any(dim=-1)
    if not wrong.any():
        return None
    text, position = wrong.nonzero()[0].tolist()
    sentence = _(
        "After {read} the slot answer holds {got}, expected {expected} (weights of {letters})."
    )
    return sentence.format(
        read=case.inputs["texts"][text][: position + 1],
        got=_listed(ours[text, position]),
        expected=_listed(theirs[text, position]),
        letters=" ".join(chr(ord("a") + s) for s in range(case.inputs["symbols"])),
    )


TOLERANCE = 1e-5


def _listed(numbers: Tensor) -> str:
    return " ".join(f"{number:.3g}" for number in numbers.tolist())


def _are_four_tensors(value: Any) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 4:
        return False
    return all(isinstance(matrix, Tensor) for matrix in value)


def _reading(symbols: int, beta: float, *texts: str) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {
        "symbols": symbols,
        "positions": len(texts[0]),
        "beta": beta,
        "texts": texts,
    }


CASES = (
    Case(_("bcb: what followed b?"), _reading(3, 40.0, "abcb")),
    Case(_("a half, and the same once more"), _reading(5, 40.0, "abcdebcd", "adcebdce")),
    Case(_("b was followed by c twice and by d once"), _reading(4, 40.0, "abcbcbdb")),
    Case(_("a symbol twice in a row"), _reading(3, 40.0, "abbcbb", "acccbc")),
    Case(_("as many symbols as positions"), _reading(5, 40.0, "abcdb", "aebec")),
    Case(FLAT, _reading(4, 1.0, "abcdbcd")),
    Case(_("beta is 3"), _reading(3, 3.0, "abcbbcb", "acbcbcc")),
    Case(_("thirteen positions"), _reading(7, 20.0, "abcdefgbcdefg")),
)

ANSWERS = Answers(
    solution=induction_weights,
    alternatives=(with_blocks, with_loops, with_outer_products),
    mistakes=MISTAKES,
    cases=CASES,
    run=run,
    compare=compare,
)
