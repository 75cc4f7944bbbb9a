"""Cases of which diseases are left, and which readings would tell them apart."""

from typing import Any

import torch

from bottomup.exercises.engine import Case, Inputs, case, compare_values
from bottomup.i18n import _

SIGNS = {
    "healthy": {"in a batch": 0, "on the future": 0, "row sums": 0, "loss at the end": 0},
    "no causal mask": {"in a batch": 1, "on the future": 1, "row sums": 0, "loss at the end": None},
    "mask after softmax": {
        "in a batch": 1,
        "on the future": 0,
        "row sums": -1,
        "loss at the end": 0,
    },
    "no shift": {"in a batch": None, "on the future": 0, "row sums": 0, "loss at the end": -1},
    "heads reshaped": {"in a batch": 1, "on the future": 0, "row sums": 0, "loss at the end": 1},
}


def random(name: str, diseases: int, readings: int, *, taken: int, seed: int) -> Case:
    """Some readings of the first disease were seen."""

    def make(generator: torch.Generator) -> Inputs:
        values = (-1, 0, 0, 1, None)
        drawn = torch.randint(len(values), (diseases, readings), generator=generator).tolist()
        names = [f"reading {letter}" for letter in "abcdefghijk"[:readings]]
        signs = {
            f"disease {letter}": {
                name: values[which] for name, which in zip(names, row, strict=True)
            }
            for letter, row in zip("ABCDEFGHIJKLM", drawn, strict=False)
        }
        order = torch.randperm(readings, generator=generator).tolist()
        seen = {names[place]: signs["disease A"][names[place]] or 0 for place in order[:taken]}
        return {"signs": signs, "seen": seen}

    return Case(name, make, seed)


CASES = (
    case(
        _("two diseases, one reading"),
        signs={"healthy": SIGNS["healthy"], "no causal mask": SIGNS["no causal mask"]},
        seen={"in a batch": 1},
        gives=(["no causal mask"], []),
    ),
    case(_("a sign on which the seeds differ"), signs=SIGNS, seen={"in a batch": 1}),
    case(_("two readings"), signs=SIGNS, seen={"in a batch": 1, "row sums": 0}),
    case(_("a normal reading"), signs=SIGNS, seen={"in a batch": 0}),
    case(_("a low reading"), signs=SIGNS, seen={"loss at the end": -1}),
    case(_("nothing seen yet"), signs=SIGNS, seen={}),
    case(
        _("an unknown sign between two known ones"),
        signs=SIGNS,
        seen={"on the future": 0, "row sums": 0},
    ),
    case(
        _("readings that no disease shows together"),
        signs=SIGNS,
        seen={"in a batch": -1, "on the future": 1},
        gives=([], []),  # the first leaves "no shift" alone, and the second excludes it
    ),
    random(_("eleven diseases"), 11, 7, taken=2, seed=1),
    random(_("seven diseases, three readings"), 7, 5, taken=3, seed=2),
    random(_("thirteen diseases"), 13, 5, taken=1, seed=3),
)


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare both lists, and say so where their order alone differs."""
    sentence = compare_values(got, expected, case)
    alike = isinstance(got, list | tuple) and in_any_order(got) == in_any_order(expected)
    if sentence is not None and alike:
        return _("The names are right, but not in the order of signs.")
    return sentence


def in_any_order(pair: Any) -> Any:
    """Return two lists of names with each sorted; what is none of that is returned as it is."""
    kinds = (list, tuple)
    if not isinstance(pair, kinds) or not all(isinstance(names, kinds) for names in pair):
        return pair
    return [sorted(map(str, names)) for names in pair]
