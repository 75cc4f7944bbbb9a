"""Cases of the induction circuit, compiled: texts that two heads read, whose weights are set."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Case, case
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _

NAMES = ("QK_0", "OV_0", "QK_1", "OV_1")
TOLERANCE = 1e-5


# ---- What two such heads make of a text


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Let the two heads that the answer sets read the case's texts."""
    inputs = case.inputs
    maps = answer(inputs["symbols"], inputs["positions"], inputs["beta"])
    if not are_four_tensors(maps):
        return maps
    try:
        return {"slot answer": read_texts(maps, inputs["texts"], inputs["symbols"])}
    except (TypeError, ValueError) as error:
        return {"refused": str(error)}


def are_four_tensors(value: Any) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 4:
        return False
    return all(isinstance(matrix, Tensor) for matrix in value)


def read_texts(maps: Sequence[Tensor], texts: Sequence[str], symbols: int) -> Tensor:
    """Return the slot `answer` after both layers, [text, position, symbols].

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
    return x[..., 2 * symbols : 3 * symbols]


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
        got=listed(ours[text, position]),
        expected=listed(theirs[text, position]),
        letters=" ".join(chr(ord("a") + s) for s in range(case.inputs["symbols"])),
    )


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
    case(_("beta is 3"), **reading(3, 3.0, "abcbbcb", "acbcbcc")),
    case(_("thirteen positions"), **reading(7, 20.0, "abcdefgbcdefg")),
)
