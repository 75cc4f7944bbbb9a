"""A unit of work: one variant under one seed. It is measured once and kept in a folder."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bottomup.experiments.engine.files import read_arrays, write_arrays
from bottomup.files import write_atomically

DIGITS = 6  # decimal places of a number in a record
CURVE = ".curve.json"  # ends the name of the file beside a checkpoint with points on the way


@dataclass(frozen=True)
class Outcome:
    """What one variant gave under one seed.

    Attributes:
        metrics: names with numbers, or with tables of them.
        arrays: what is kept beside the record, by name, of any shape.
    """

    metrics: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """Under what a variant is measured.

    Attributes:
        seed: of all that is drawn.
        device: where networks are trained and read.
        checkpoint: a file for `bottomup.training.fit`, from which an interrupted training goes on.
    """

    seed: int
    device: torch.device
    checkpoint: Path


@dataclass(frozen=True)
class Unit:
    """One variant under one seed, and the folder that keeps what it gave."""

    variant: str
    seed: int
    folder: Path

    @property
    def label(self) -> str:
        """The unit in words."""
        return f"{self.variant}, seed {self.seed}"

    @property
    def checkpoint(self) -> Path:
        """Where its training may keep a checkpoint.

        It is removed when the unit is finished, and so are the points on the way beside it.
        """
        return self._path.with_suffix(".pt")

    @property
    def _path(self) -> Path:
        return self.folder / f"{self.variant}-{self.seed}.json"

    def trial(self, device: torch.device) -> Trial:
        """Return under what the unit is measured on a device."""
        return Trial(self.seed, device, self.checkpoint)

    def is_finished(self) -> bool:
        """Say whether its outcome is stored."""
        return self._path.exists()

    def store(self, outcome: Outcome, seconds: float) -> None:
        """Store the outcome; the JSON comes last and says that the unit is finished."""
        write_arrays(self._path.with_suffix(".npz"), outcome.arrays)
        content = {"metrics": rounded(outcome.metrics), "seconds": round(seconds, 2)}
        text = json.dumps(content, allow_nan=False)
        write_atomically(self._path, lambda file: file.write(text.encode()))
        for suffix in (self.checkpoint.suffix, CURVE):
            self._path.with_suffix(suffix).unlink(missing_ok=True)

    def load(self) -> tuple[Outcome, float]:
        """Return outcome and seconds of a finished unit."""
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            arrays = read_arrays(self._path.with_suffix(".npz"))
            return Outcome(content["metrics"], arrays), content["seconds"]
        except Exception as error:  # a damaged file raises one of many kinds
            raise ValueError(
                f"{self.label}: cannot read {self._path}; delete it to measure again"
            ) from error


def rounded(value: Any) -> Any:
    """Round every number to `DIGITS` places; names become strings, as JSON has them."""
    if isinstance(value, Mapping):
        return {str(name): rounded(inner) for name, inner in value.items()}
    return round(value, DIGITS) if isinstance(value, float) else value


@contextmanager
def one_thread(*, quiet: bool) -> Iterator[None]:
    """Compute with one torch thread inside; `quiet` hides the bars of parallel trainings."""
    threads, shown = torch.get_num_threads(), os.environ.get("BOTTOMUP_QUIET")
    torch.set_num_threads(1)
    if quiet:
        os.environ["BOTTOMUP_QUIET"] = "1"
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        if quiet and shown is None:
            del os.environ["BOTTOMUP_QUIET"]
