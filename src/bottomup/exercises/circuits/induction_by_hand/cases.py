"""Cases of the induction circuit, compiled: texts that two heads read, whose weights are set."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Case, case
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.exercises.engine.registry import find
from bottomup.i18n import _

NAMES = ("QK_0", "OV_0", "QK_1", "OV_1")
SLOTS = ("token", "previous", "answer", "position")
TOLERANCE = 1e-5
SHARP = 10  # from this beta on, two ways to make one mistake may agree in `answer` by rounding


# ---- What two such heads make of a text


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Let the two heads that the answer sets read the case's texts.

    The other slots are told where `answer` is right and beta small: elsewhere they would be another
    difference between two ways to make one mistake.
    """
    inputs = case.inputs
    sizes = inputs["symbols"], inputs["positions"], inputs["beta"]
    maps = answer(*sizes)
    if not are_four_tensors(maps):
        return maps
    try:
        slots = read_slots(maps, inputs["texts"], inputs["symbols"])
    except (TypeError, ValueError) as error:
        return {"refused": str(error)}
    right = read_texts(find("induction-by-hand").solution(*sizes), inputs["texts"], sizes[0])
    if inputs["beta"] >= SHARP or differing(slots["answer"], right).any():
        return {"slot answer": slots["answer"]}
    return {f"slot {name}": slot for name, slot in slots.items()}


def are_four_tensors(value: Any) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 4:
        return False
    return all(isinstance(matrix, Tensor) for matrix in value)


def read_texts(maps: Sequence[Tensor], texts: Sequence[str], symbols: int) -> Tensor:
    """Return the slot `answer` after both layers, [text, position, symbols]."""
    return read_slots(maps, texts, symbols)["answer"]


def read_slots(maps: Sequence[Tensor], texts: Sequence[str], symbols: int) -> dict[str, Tensor]:
    """Return what every slot holds after both layers, each [text, position, its width].

    Args:
        maps: QK_0, OV_0, QK_1, OV_1, each [d_model, d_model], float32.
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
        if matrix.dtype != torch.float32:
            raise ValueError(f"{name}: expected torch.float32, got {matrix.dtype}")
    position = torch.eye(positions).expand(count, -1, -1)
    token = F.pad(F.one_hot(rows, symbols).float(), (0, 2 * symbols))
    x = torch.cat([token, position], dim=-1).double()
    ahead = torch.ones(positions, positions).triu(1).bool()
    QK_0, OV_0, QK_1, OV_1 = (matrix.detach().double() for matrix in maps)
    for QK, OV in ((QK_0, OV_0), (QK_1, OV_1)):
        scores = (x @ QK @ x.mT).masked_fill(ahead, -torch.inf)
        x = x + scores.softmax(dim=-1) @ x @ OV
    parts = x.split([symbols, symbols, symbols, positions], dim=-1)
    return dict(zip(SLOTS, parts, strict=True))


def compare(got: Any, expected: dict[str, Tensor], case: Case) -> str | None:
    """Say at which position the answer differs first, or else another slot."""
    if got is None:
        return difference(got, expected)
    if not isinstance(got, dict):
        sentence = _("It returned {got}, expected four tensors: {names}.")
        return sentence.format(got=name_of_kind(got), names=", ".join(NAMES))
    if "refused" in got:
        return _("The weights do not fit: {error}.").format(error=got["refused"].rstrip("."))
    for slot in ("answer", "token", "previous", "position"):
        if f"slot {slot}" not in got or f"slot {slot}" not in expected:
            continue
        ours, theirs = got[f"slot {slot}"], expected[f"slot {slot}"]
        wrong = differing(ours, theirs)
        if wrong.any():
            text, position = wrong.nonzero()[0].tolist()
            sentence = _(
                "After {read} the slot answer holds {got}, expected {expected} "
                "(weights of {letters})."
            )
            if slot != "answer":
                sentence = _(
                    "The slot answer is right, but after {read} the slot {slot} holds {got}, "
                    "expected {expected}."
                )
            return sentence.format(
                slot=slot,
                read=case.inputs["texts"][text][: position + 1],
                got=listed(ours[text, position]),
                expected=listed(theirs[text, position]),
                letters=" ".join(chr(ord("a") + s) for s in range(case.inputs["symbols"])),
            )
    return None


def differing(ours: Tensor, theirs: Tensor) -> Tensor:
    """Say at which positions a slot differs, [text, position]."""
    return ((ours - theirs).abs() > TOLERANCE).any(dim=-1) | ours.isnan().any(dim=-1)


def listed(numbers: Tensor) -> str:
    return " ".join(f"{number:.3g}" for number in numbers.tolist())


# ---- Cases: a text begins with "a", which stands nowhere else


def reading(symbols: int, beta: float, *texts: str) -> dict[str, Any]:
    return {"symbols": symbols, "positions": len(texts[0]), "beta": beta, "texts": texts}


CASES = (
    case(_("bcb: what followed b?"), **reading(3, 40.0, "abcb")),
    case(_("a half, and the same once more"), **reading(5, 40.0, "abcdebcd", "adcebdce")),
    case(_("b was followed by c twice and by d once"), **reading(4, 40.0, "abcbcbdb")),
    case(_("a symbol twice in a row"), **reading(3, 40.0, "abbcbb", "acccbc")),
    case(_("as many symbols as positions"), **reading(5, 40.0, "abcdb", "aebec")),
    case(_("beta is 1: how soft the weights are"), **reading(4, 1.0, "abcdbcd")),
    case(_("beta is 2.5"), **reading(3, 2.5, "abcbbcb", "acbcbcc")),
    case(_("thirteen positions"), **reading(7, 20.0, "abcdefgbcdefg")),
)
