"""Chapter 06: differences in BLEU over resampled test sets."""

import numpy as np

from bottomup.experiments.engine.record import Record
from bottomup.metrics.text_bleu import resampled_difference


def resampled(record: Record, ours: str, theirs: str) -> tuple[float, ...]:
    """Return the difference in BLEU for each resampled test set, of the first seed."""
    return tuple(resampled_difference(_counts(record, ours), _counts(record, theirs)).tolist())


def _counts(record: Record, searched: str) -> np.ndarray:
    translator, search = searched.split("/")
    return record.arrays[f"{translator}/{record.seeds[0]}/{search}_counts"]
