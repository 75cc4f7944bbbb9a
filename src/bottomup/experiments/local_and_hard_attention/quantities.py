"""Chapter 01b: names and numbers in the claims about scores, spans and input feeding."""

from collections.abc import Iterable
from statistics import fmean
from typing import Any

from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

BEST = "translate-general-local_p-feed"

# The rows of the paper's table 4, without the last one, that of local-p with the general score.
IN_THE_TABLE = ("location", "dot", "general", "general-local_m", "dot-local_p")


def names(record: Record) -> dict[str, Any]:
    """Return what is said of a fixed vector, where one was trained to sort."""
    if "sort-none" not in record.config["variants"]:
        return {"fixed": ""}
    share = fmean(record.metric("sort-none.accuracy"))
    return {"fixed": _("; a fixed vector has {share:.2f} right").format(share=share)}


def lead(record: Record) -> tuple[float, ...]:
    """Return by how much local-p general is ahead of the best other one that is fed, in BLEU."""
    fed = (name for name in record.config["variants"] if name.endswith("-feed"))
    return _lead(record, (name for name in fed if name != BEST))


def lead_in_table(record: Record) -> tuple[float, ...]:
    """Return by how much local-p general is ahead of the best other row of the table, in BLEU."""
    return _lead(record, (f"translate-{name}-feed" for name in IN_THE_TABLE))


def _lead(record: Record, rivals: Iterable[str]) -> tuple[float, ...]:
    scores = zip(*(record.metric(f"{name}.bleu") for name in rivals), strict=True)
    own = record.metric(f"{BEST}.bleu")
    return tuple(mine - max(others) for mine, others in zip(own, scores, strict=True))
