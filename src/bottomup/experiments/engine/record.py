"""A record: what an experiment measured, and all that is needed to measure it again.

One JSON file, and an npz file of the same name beside it where the experiment kept arrays. Both are
written the same way every time, so that two records can be compared line by line.
"""

import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bottomup.experiments.engine.files import read_arrays, write_arrays
from bottomup.files import write_atomically

SCHEMA = 1

KINDS: dict[str, type | tuple[type, ...]] = {
    "schema": int,
    "experiment": str,
    "preset": str,
    "config": dict,
    "seeds": list,
    "runs": list,
    "versions": dict,
    "device": str,
    "threads": int,
    "seconds": (int, float),
    "command": str,
    "base_commit": str,
    "dirty": bool,
    "arrays": dict,
}
OPTIONAL = {"registered": dict}  # older records have none


@dataclass(frozen=True, kw_only=True)
class Record:
    """The runs of one experiment under one configuration, over seeds.

    Attributes:
        experiment: its name, ``attention``.
        preset: the name of the configuration, ``custom`` for one without a name.
        config: the configuration, field by field.
        seeds: in the order of `runs`.
        runs: for each seed ``{"seed": ..., "metrics": {variant: {name: number or table}}}``.
        versions: of Python and of the packages that decide the numbers.
        device: ``cpu`` with processor and instruction set, or ``cuda`` and so on with the GPU's
            name; older records have ``cpu`` alone.
        threads: torch threads in each process.
        seconds: of all runs together, processor time on a CPU and the clock's on a GPU; of a
            training that was interrupted, the part after the last interruption alone.
        command: makes this record again.
        base_commit: commit the code was based on, ``unknown`` outside a repository.
        dirty: True where the package's code differed from that commit, or changed between the
            start of the runs and their end.
        registered: the state of each claim in the register when the runs started, as a digest
            (`bottomup.experiments.engine.register`); None where nobody knows.
        arrays: by ``variant/seed/name``, of any shape; in the npz file.
    """

    experiment: str
    preset: str
    config: Mapping[str, Any]
    seeds: tuple[int, ...]
    runs: tuple[Mapping[str, Any], ...]
    versions: Mapping[str, str]
    device: str
    threads: int
    seconds: float
    command: str
    base_commit: str
    dirty: bool
    registered: Mapping[str, str] | None = None
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """Experiment and preset as prose cites them, such as ``attention/recorded``."""
        return f"{self.experiment}/{self.preset}"

    def metric(self, path: str) -> tuple[Any, ...]:
        """Return what stands under a path of names joined by dots, for each seed.

        ``record.metric("bahdanau.bleu")`` is one number a seed.

        Raises:
            LookupError: a run has nothing under the path; the message lists what it has.
        """
        return tuple(_look_up(run["metrics"], path) for run in self.runs)

    def save(self, path: Path) -> None:
        """Write ``path`` (JSON) and, where there are arrays, the npz file of the same name."""
        arrays = path.with_suffix(".npz")
        if self.arrays:
            write_arrays(arrays, self.arrays)
        else:
            arrays.unlink(missing_ok=True)
        text = to_json(self)
        write_atomically(path, lambda file: file.write(text.encode()))


def to_json(record: Record) -> str:
    """Write a record as JSON: fields in a fixed order, one value a line; arrays by shape alone."""
    content = {"schema": SCHEMA, **{name: getattr(record, name) for name in list(KINDS)[1:-1]}}
    if record.registered is not None:
        content["registered"] = dict(record.registered)
    content["arrays"] = {name: list(array.shape) for name, array in record.arrays.items()}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def load_record(path: Path) -> Record:
    """Read a record and check that it is whole.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no record, or damaged: the message names file and field.
    """
    content = _read_json(path)
    _check_fields(path, content)
    _check_runs(path, content["seeds"], content["runs"])
    arrays = _read_arrays(path.with_suffix(".npz"), content["arrays"])
    values = {name: content[name] for name in list(KINDS)[1:-1]}
    values |= {"seeds": tuple(content["seeds"]), "runs": tuple(content["runs"])}
    return Record(**values, registered=content.get("registered"), arrays=arrays)


def _look_up(metrics: Any, path: str) -> Any:
    value = metrics
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            known = ", ".join(value) if isinstance(value, Mapping) else "no more names"
            raise LookupError(f"no {name!r} on the path {path!r}: there is {known}")
        value = value[name]
    return value


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: expected JSON, got a damaged file: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected a record, got a {type(content).__name__}")
    return content


def _check_fields(path: Path, content: dict[str, Any]) -> None:
    known = KINDS | OPTIONAL
    if not set(KINDS) <= set(content) <= set(known):
        missing = ", ".join(sorted(set(KINDS) - set(content))) or "none"
        unknown = ", ".join(sorted(set(content) - set(known))) or "none"
        raise ValueError(f"{path}: no record: fields missing: {missing}; unknown: {unknown}")
    if content["schema"] != SCHEMA:
        raise ValueError(f"{path}: schema: expected {SCHEMA}, got {content['schema']!r}")
    for name in content:
        kind, value = known[name], content[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"{path}: {name}: got {value!r}")


def _check_runs(path: Path, seeds: list[Any], runs: list[Any]) -> None:
    if not seeds or not all(type(seed) is int and seed >= 0 for seed in seeds):
        raise ValueError(f"{path}: seeds: expected numbers of at least 0, got {seeds}")
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"{path}: seeds: expected each once, got {seeds}")
    there = [run.get("seed") if isinstance(run, dict) else None for run in runs]
    if there != seeds:
        raise ValueError(f"{path}: runs: expected the seeds {seeds}, got {there}")
    for run in runs:
        where = f"{path}: metrics of seed {run['seed']}"
        if not isinstance(run.get("metrics"), dict) or not run["metrics"]:
            raise ValueError(f"{where}: expected names with numbers, got {run.get('metrics')!r}")
        _check_numbers(where, run["metrics"])
        if _shape(run["metrics"]) != _shape(runs[0]["metrics"]):
            raise ValueError(f"{where}: expected the same names as for seed {seeds[0]}")


def _check_numbers(where: str, value: Any) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_numbers(f"{where}: {name}", inner)
    elif isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{where}: expected a finite number, got {value!r}")


def _shape(value: Any) -> Any:
    return {n: _shape(inner) for n, inner in value.items()} if isinstance(value, dict) else None


def _read_arrays(path: Path, shapes: dict[str, list[int]]) -> dict[str, np.ndarray]:
    if not shapes:
        return {}
    try:
        arrays = read_arrays(path)
    except FileNotFoundError:
        raise ValueError(f"{path}: expected the record's arrays here, found no file") from None
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: expected arrays, got a damaged file: {error}") from error
    found = {name: list(array.shape) for name, array in arrays.items()}
    if found != shapes:
        name = next(n for n in {**shapes, **found} if shapes.get(n) != found.get(n))
        raise ValueError(f"{path}: {name}: expected {shapes.get(name)}, got {found.get(name)}")
    return arrays
