"""Cases of pairs for next-sentence prediction (Devlin et al., 2019, section 3.1, task 2)."""

from typing import Any

from torch import Tensor

from bottomup.exercises.engine import case, uniform
from bottomup.i18n import _


def corpus(*lengths: int) -> dict[str, Any]:
    """Return documents of so many sentences, and numbers of which some are left over."""
    numbers = uniform(sum(lengths)).then(Tensor.tolist)
    return {
        "documents": [
            [f"{chr(97 + d)}{s + 1}" for s in range(length)] for d, length in enumerate(lengths)
        ],
        "coin": numbers,
        "other": numbers,
        "place": numbers,
    }


CASES = (
    case(
        _("two documents, one pair that follows and one that does not"),
        documents=[["a1", "a2", "a3"], ["b1", "b2", "b3", "b4"]],
        coin=[0.25, 0.75, 0.1, 0.5, 0.9, 0.2],
        other=[0.5, 0.5, 0.0, 0.25, 0.75, 0.0],
        place=[0.0, 0.6, 0.5, 0.9, 0.0, 0.0],
        gives=[
            ("a1", "a2", True),
            ("a2", "b3", False),  # floor(0.6 * 4) = 2
            ("b1", "b2", True),
            ("b2", "a3", False),  # floor(0.9 * 3) = 2, and 0.5 is not below 0.5
            ("b3", "a1", False),
        ],
    ),
    case(_("three documents, one of a single sentence"), seed=1, **corpus(3, 1, 4)),
    case(_("five documents"), seed=2, **corpus(2, 5, 3, 7, 2)),
    case(_("seven documents"), seed=3, **corpus(5, 2, 11, 3, 2, 7, 3)),
    case(_("two documents of two sentences"), seed=4, **corpus(2, 2)),
    case(
        _("two documents that say the same"),
        documents=[["a1", "a2"], ["b1"], ["a1", "a2"]],
        coin=[0.75, 0.75],
        other=[0.75, 0.25],
        place=[0.75, 0.25],
    ),
    case(
        _("sentences that are said again, and numbers on a border"),
        documents=[["Yes.", "Yes.", "Yes.", "No.", "Yes."], ["Why?"], ["So.", "what?"]],
        coin=[0.25, 0.0, 0.4, 0.75, 0.9999999999],
        other=[0.25, 0.75, 0.25, 0.5, 0.9999999999],
        place=[0.25, 0.75, 0.25, 0.5, 0.9999999999],
        gives=[
            ("Yes.", "Yes.", True),
            ("Yes.", "Yes.", True),
            ("Yes.", "No.", True),  # the third sentence, not the first that says the same
            ("No.", "what?", False),  # floor(0.5 * 2) = 1, both times
            ("So.", "Why?", False),  # floor(1.9999999998) = 1, floor(0.9999999999) = 0
        ],
    ),
)
