"""Chapter 03: the numbers of heads that the claims compare."""

import math
import statistics
from typing import Any

from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def names(record: Record) -> dict[str, Any]:
    """Return sizes of what was counted and pruned, the best number of heads, and three others."""
    entries = record.metric("exact.entries")[0]
    d_model, best = record.config["d_model"], best_number(record)
    bounds = {True: _("as the best is the same number"), False: _("up to an accuracy of 1")}
    return {
        "counted": max(map(int, entries)),
        "length": math.isqrt(entries["1"]),
        "pruned": len(record.metric("pruning.best")[0]) - 1,
        "best": best,
        **{
            name: {"heads": heads, "width": d_model // heads, "bound": bounds[heads == best]}
            for name, heads in _compared(record).items()
        },
    }


def best_number(record: Record) -> int:
    """Return the number of heads with the highest mean accuracy on the validation sentences."""
    means = {
        heads: statistics.fmean(record.metric(f"heads_{heads}.validation_accuracy"))
        for heads in record.config["heads"]
    }
    return max(means, key=means.__getitem__)


def lead(record: Record, name: str) -> tuple[float, ...]:
    """By how much accuracy the best number could be ahead of another: none exceeds 1."""
    heads = _compared(record)[name]
    accuracy = record.metric(f"heads_{heads}.accuracy")
    return tuple(0.0 if heads == best_number(record) else 1 - value for value in accuracy)


def _compared(record: Record) -> dict[str, int]:
    *_others, narrow, narrowest = record.config["heads"]
    return {"narrow": narrow, "narrowest": narrowest, "single": 1}
