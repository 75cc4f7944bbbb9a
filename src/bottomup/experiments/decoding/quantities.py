"""Chapter 06: differences in BLEU over resampled test sets."""

from typing import Any

import numpy as np

from bottomup.experiments.engine.record import Record
from bottomup.metrics.text_bleu import resampled_difference


def names(record: Record) -> dict[str, Any]:
    """Return the beam without a length penalty, and what the sentence of 06.2c names."""
    config = record.config
    return {
        "plain": f"bottomup.widths.plain.{config['beam']}",
        "usual": config["beam"],
        "steps": [config["bottomup"]["steps"]],
    }


def resampled(record: Record, ours: str, theirs: str) -> tuple[float, ...]:
    """Return the difference in BLEU for each resampled test set, of the first seed."""
    return tuple(resampled_difference(_counts(record, ours), _counts(record, theirs)).tolist())


def _counts(record: Record, searched: str) -> np.ndarray:
    translator, search = searched.split("/")
    return record.arrays[f"{translator}/{record.seeds[0]}/{search}_counts"]
