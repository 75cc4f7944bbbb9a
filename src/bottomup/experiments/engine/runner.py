"""Run an experiment: seeds and variants in parallel processes, each once, then one record.

The work goes through joblib on one machine, and through dask on several (`cluster`).
"""

import itertools
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import torch

from bottomup.checks import check_choice, check_integer
from bottomup.experiments.engine import entries, provenance, register
from bottomup.experiments.engine.claim import Claim
from bottomup.experiments.engine.record import Record
from bottomup.experiments.engine.units import Outcome, Trial, Unit, one_thread
from bottomup.files import write_atomically
from bottomup.training import pick, progress_bar, ranks
from bottomup.training.device import alike, seconds

CUSTOM = "custom"

# What a folder of finished units and the run that goes on from it have in common.
SAME = ("experiment", "config", "device", "versions")

# A unit that is finished, its seconds (None where it was found finished), and (done, all).
Progress = Callable[[Unit, float | None, tuple[int, int]], None]


@dataclass(frozen=True)
class Experiment:
    """An experiment: configurations by name, what to measure, and what is claimed.

    Attributes:
        name: that of its module and of its record.
        presets: configurations (frozen dataclasses) by name: tiny, laptop, recorded, full.
        variants: the names of what a configuration compares.
        measure: ``measure(config, variant, trial)`` gives the outcome of one unit, the same each
            time; a function of a module, since other processes call it.
        claims: the claims that a record decides.
    """

    name: str
    presets: Mapping[str, Any]
    variants: Callable[[Any], Sequence[str]]
    measure: Callable[[Any, str, Trial], Outcome]
    claims: Callable[[Record], list[Claim]] = entries.claims

    def preset(self, name: str) -> Any:
        """Return a configuration by name."""
        check_choice("preset", name, self.presets)
        return self.presets[name]

    def name_of(self, config: Any) -> str:
        """Return the preset's name, ``custom`` for another configuration."""
        names = (name for name, preset in self.presets.items() if preset == config)
        return next(names, CUSTOM)

    def run(
        self,
        config: Any,
        seeds: Sequence[int],
        device: torch.device | str | None = None,
        *,
        out: str | Path | None = None,
        jobs: int = 1,
        cluster: str | None = None,
        on_progress: Progress | None = None,
    ) -> Record:
        """Measure every variant under every seed and return the record.

        The result does not depend on `jobs`, nor on interruptions. With `out`, each finished unit
        is kept there and not measured again, an interrupted training goes on from its checkpoint,
        and the record is written there, as ``<name>.json``.

        Args:
            config: one of `presets`, or another of the same class.
            seeds: distinct numbers of at least 0.
            device: by default that of `bottomup.training.pick`. "cuda" stands for all GPUs: units
                go to them in turn.
            out: folder for units and record; without one, nothing is kept.
            jobs: processes at a time; each computes with one torch thread.
            cluster: address of a cluster of dask that measures instead; it needs no shared folder.
            on_progress: called for every unit when it is finished or found finished.
        """
        _check_seeds(seeds)
        check_integer("jobs", jobs, at_least=1)
        place = pick() if device is None else torch.device(device)
        kept = nullcontext(out) if out is not None else tempfile.TemporaryDirectory()
        with kept as folder:
            path = Path(str(folder))
            origin = _claim_folder(path / "run.json", self._origin(config, place))
            units = self._units(config, seeds, path / "units")
            _measure_missing(self.measure, config, place, units, jobs, cluster, on_progress)
            command = _command(self.name, self.name_of(config), seeds, place)
            record = self._record(config, seeds, units, {**origin, "command": command})
            if out is not None:
                record.save(path / f"{self.name}.json")
        return record

    def follow(self, config: Any, seeds: Sequence[int], device: torch.device | str) -> None:
        """Take part, as a process of ``torchrun`` other than the first, in the first one's run.

        What is measured is that one's to keep.
        """
        missing: list[str] = ranks.same([])
        with tempfile.TemporaryDirectory() as folder, one_thread(quiet=True):
            for unit in self._units(config, seeds, Path(folder)):
                if unit.label in missing:
                    self.measure(config, unit.variant, unit.trial(torch.device(device)))

    def _units(self, config: Any, seeds: Sequence[int], folder: Path) -> list[Unit]:
        variants = self.variants(config)
        return [Unit(variant, seed, folder) for seed in seeds for variant in variants]

    def _origin(self, config: Any, device: torch.device) -> dict[str, Any]:
        origin = {
            "experiment": self.name,
            "config": asdict(config),
            "device": provenance.describe_device(device),
            "versions": provenance.versions(),
            "base_commit": provenance.base_commit(),
            "dirty": provenance.is_dirty(),
            "registered": register.standing(f"{self.name}/{self.name_of(config)}"),
        }
        return json.loads(json.dumps(origin))  # tuples become lists, as in a file

    def _record(
        self, config: Any, seeds: Sequence[int], units: Sequence[Unit], origin: dict[str, Any]
    ) -> Record:
        runs: dict[int, dict[str, Any]] = {seed: {} for seed in seeds}
        arrays: dict[str, np.ndarray] = {}
        spent_in_all = 0.0
        for unit in units:
            outcome, spent = unit.load()
            runs[unit.seed][unit.variant] = outcome.metrics
            spent_in_all += spent
            prefix = f"{unit.variant}/{unit.seed}"
            arrays |= {f"{prefix}/{name}": array for name, array in outcome.arrays.items()}
        return Record(
            preset=self.name_of(config),
            seeds=tuple(seeds),
            runs=tuple({"seed": seed, "metrics": metrics} for seed, metrics in runs.items()),
            threads=1,
            seconds=round(spent_in_all, 1),
            arrays=arrays,
            **origin,
        )


def _check_seeds(seeds: Sequence[int]) -> None:
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"seeds: expected at least one, each once, got {list(seeds)}")
    for seed in seeds:
        check_integer("seeds", seed, at_least=0, below=2**63)


def _claim_folder(path: Path, here: dict[str, Any]) -> dict[str, Any]:
    """Return where the units of a folder come from; the first run writes it down.

    A later run on another state of the code makes them dirty: nobody can tell which is whose.
    """
    if not path.exists():
        write_atomically(path, lambda file: file.write(json.dumps(here, indent=1).encode()))
        return here
    try:
        there = json.loads(path.read_text(encoding="utf-8"))
        differing = [name for name in SAME if there[name] != here[name]]
        changed = there["dirty"] or here["dirty"] or there["base_commit"] != here["base_commit"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"out: cannot read {path}; give another folder") from error
    if differing:
        name = differing[0]
        what = _difference(name, there[name], here[name])
        raise ValueError(f"out: {path.parent} holds another run: {what}; give another folder")
    return {**there, "dirty": changed}


def _difference(name: str, there: Any, here: Any) -> str:
    if isinstance(there, dict) and isinstance(here, dict):
        key = next(k for k in {**there, **here} if there.get(k) != here.get(k))
        return f"{name}.{key} is {there.get(key)!r} there and {here.get(key)!r} here"
    return f"{name} is {there!r} there and {here!r} here"


def _command(name: str, preset: str, seeds: Sequence[int], device: torch.device) -> str:
    numbers = " ".join(map(str, seeds))
    start = f"python -m bottomup.experiments {name}"
    return f"{start} --preset {preset} --seeds {numbers} --device {device}"


def _measure_missing(
    measure: Callable[..., Outcome],
    config: Any,
    device: torch.device,
    units: Sequence[Unit],
    jobs: int,
    cluster: str | None,
    on_progress: Progress | None,
) -> None:
    missing = [unit for unit in units if not unit.is_finished()]
    ranks.same([unit.label for unit in missing])
    tell = on_progress or (lambda unit, seconds, share: None)
    for number, unit in enumerate((unit for unit in units if unit not in missing), start=1):
        tell(unit, None, (number, len(units)))
    done = len(units) - len(missing)
    measured = (
        _on_this_machine(measure, config, device, missing, jobs)
        if cluster is None
        else _on_a_cluster(cluster, measure, config, device, missing)
    )
    with progress_bar(total=len(units), done=done, label="variants and seeds") as bar:
        for unit, spent in measured:
            done += 1
            bar.update()
            tell(unit, spent, (done, len(units)))


def _on_this_machine(
    measure: Callable[..., Outcome],
    config: Any,
    device: torch.device,
    units: Sequence[Unit],
    jobs: int,
) -> Iterator[tuple[Unit, float]]:
    places = itertools.cycle(alike(device) or [device])
    calls = (
        joblib.delayed(_measure_and_store)(measure, config, place, unit, jobs > 1)
        for unit, place in zip(units, places, strict=False)
    )
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    yield from parallel(calls)


def _on_a_cluster(
    address: str,
    measure: Callable[..., Outcome],
    config: Any,
    device: torch.device,
    units: Sequence[Unit],
) -> Iterator[tuple[Unit, float]]:
    try:
        from bottomup.experiments.engine import cluster
    except ImportError as error:
        raise RuntimeError("cluster: dask is not installed: pip install distributed") from error
    with cluster.connect(address) as client:
        yield from cluster.measure(client, measure, config, device, units)


def _measure_and_store(
    measure: Callable[..., Outcome], config: Any, device: torch.device, unit: Unit, quiet: bool
) -> tuple[Unit, float]:
    """Measure one unit, in whatever process this is called, and store what it gave."""
    with one_thread(quiet=quiet):
        start = seconds(device)
        outcome = measure(config, unit.variant, unit.trial(device))
        spent = seconds(device) - start
    unit.store(outcome, spent)
    return unit, spent
