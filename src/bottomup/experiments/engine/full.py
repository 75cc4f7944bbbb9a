"""The full presets in a row, as far as the time reaches, and their verdicts beside the recorded.

What took least when it was recorded comes first. A run goes on where an earlier one stopped: units
that are finished stay, and an interrupted training has its checkpoint.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from bottomup.experiments.engine import registry
from bottomup.experiments.engine.claim import Claim
from bottomup.experiments.engine.record import Record, load_record
from bottomup.experiments.engine.runner import Experiment, Progress
from bottomup.experiments.engine.verify import RECORDS
from bottomup.files import write_atomically

PRESETS = ("full", "multi30k-gpu")  # an experiment has one of them
VERDICTS = "full_verdicts.md"


def names() -> list[str]:
    """Return all experiments with a record, those first that took least when it was made."""
    with_record = [name for name in registry.NAMES if (RECORDS / f"{name}.json").exists()]
    return sorted(with_record, key=lambda name: recorded(name).seconds)


def recorded(name: str) -> Record:
    """Return an experiment's committed record."""
    return load_record(RECORDS / f"{name}.json")


def preset_of(experiment: Experiment) -> str:
    """Return the name of an experiment's largest preset."""
    return next(name for name in PRESETS if name in experiment.presets)


def folder_of(name: str, out: Path) -> Path:
    """Return the folder of a full run, where a run of its own looks for it too."""
    return out / f"{name}_{preset_of(registry.experiment(name))}"


def run(
    name: str,
    out: Path,
    device: torch.device | str | None,
    *,
    jobs: int,
    on_progress: Progress | None = None,
) -> Record:
    """Run an experiment's largest preset under the seeds of its committed record."""
    experiment = registry.experiment(name)
    return experiment.run(
        experiment.preset(preset_of(experiment)),
        recorded(name).seeds,
        device,
        out=folder_of(name, out),
        jobs=jobs,
        on_progress=on_progress,
    )


def write_verdicts(out: Path) -> Path:
    """Write a table of all full runs that are there: each claim as recorded, and as found here."""
    lines = ["| claim | | recorded | here |", "|---|---|---|---|"]
    for name in registry.NAMES:
        path = folder_of(name, out) / f"{name}.json"
        if path.exists():
            here = load_record(path)
            lines += _rows(registry.claims(recorded(name)), registry.claims(here), here)
    text = "\n".join(lines) + "\n"
    write_atomically(out / VERDICTS, lambda file: file.write(text.encode()))
    return out / VERDICTS


def _rows(before: Sequence[Claim], here: Sequence[Claim], record: Record) -> Iterator[str]:
    """Give a row for each claim; one that a larger preset does not ask has no verdict here."""
    found = {claim.id: f"{claim.verdict}: {claim.value}" for claim in here}
    for claim in before:
        now = found.get(claim.id, "not asked")
        was = f"{claim.verdict}: {claim.value}"
        yield f"| {claim.id} | {claim.sentence} | {was} | {now} ({record.device}) |"
