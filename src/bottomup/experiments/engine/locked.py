"""The locked run: rules, settings and seeds that were fixed first, then every record once more.

``freeze.json`` beside the experiments says what is run again: the claims with their rules as they
stood, the seeds to come, and for each record one choice that is made otherwise in a second column.
Nothing in it changes after the first run; what could not be run as it says is a deviation.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from bottomup.checks import check_choice
from bottomup.experiments.engine.claim import Claim, Kind, Verdict
from bottomup.experiments.engine.record import Record

FILE = "freeze.json"
SOURCE = Path(__file__).parents[2]  # the package


class Column(StrEnum):
    """A run of a record under the locked rules."""

    SAME = "same"  # the setting of the first record, fresh seeds
    VARIED = "varied"  # one choice made otherwise that no sentence names, the same fresh seeds


@dataclass(frozen=True, kw_only=True)
class Locked:
    """What the freeze says of one record.

    Attributes:
        name: of the experiment.
        seeds: of both columns.
        changes: fields of the configuration, joined by dots, with their values in the second
            column; empty where the record holds no statement of a paper of its own.
        kind: which choice they make otherwise: ``width``, ``rate``.
        claims: by number: kind, rule, margin and sentence, as they stood.
    """

    name: str
    seeds: tuple[int, ...]
    changes: Mapping[str, Any]
    kind: str
    claims: Mapping[str, Mapping[str, Any]]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns in which the record is run."""
        return tuple(Column) if self.changes else (Column.SAME,)

    def config(self, column: Column, recorded: Any) -> Any:
        """Return the configuration in a column, made from that of the first record."""
        check_choice("column", str(column), [str(known) for known in self.columns])
        changes = self.changes.items() if column is Column.VARIED else ()
        for path, value in changes:
            recorded = _with(recorded, path, value)
        return recorded


@cache
def frozen() -> dict[str, Locked]:
    """Return what is run again, by the experiment's name, in the order in which it is run."""
    return {
        name: Locked(name=name, **{**record, "seeds": tuple(record["seeds"])})
        for name, record in json.loads(_text())["records"].items()
    }


def digest() -> str:
    """Return the digest of the freeze, of 64 hexadecimal digits."""
    return hashlib.sha256(_text().encode()).hexdigest()


def code() -> str:
    """Return the digest of the package's code that the freeze was made with."""
    return str(json.loads(_text())["code"])


def digest_of_code(folder: Path = SOURCE) -> str:
    """Return the digest of the Python files below a folder, by their names and bytes."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        found.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        found.update(path.read_bytes() + b"\0")
    return found.hexdigest()


def merged(records: Sequence[Record]) -> Record:
    """Return records of one configuration and one commit, each with seeds of its own, as one.

    Seeds come in ascending order. Arrays are left out, since no rule reads them. Where the seeds
    ran on several machines, all are named.
    """
    first = records[0]
    for record in records[1:]:
        for part in ("experiment", "preset", "config", "base_commit", "threads", "versions"):
            one, other = (_of_code(getattr(each, part)) for each in (first, record))
            if one != other:
                raise ValueError(
                    f"{part}: expected {one!r}, as of the seeds {first.seeds}, got {other!r} of "
                    f"the seeds {record.seeds}"
                )
    devices = dict.fromkeys(chain.from_iterable(r.device.split("; ") for r in records))
    runs = sorted((run for record in records for run in record.runs), key=itemgetter("seed"))
    return replace(
        first,
        seeds=tuple(run["seed"] for run in runs),
        runs=tuple(runs),
        device="; ".join(devices),
        seconds=round(sum(record.seconds for record in records), 1),
        dirty=any(record.dirty for record in records),
        arrays={},
    )


def _of_code(part: Any) -> Any:
    """Return what counts of a part: the commit says which package it was, not the installed one."""
    return {**part, "bottomup": ""} if isinstance(part, Mapping) and "bottomup" in part else part


def together(*columns: Verdict) -> Verdict:
    """Return what the columns say: holds where all hold, fails where one fails."""
    if Verdict.FAILS in columns:
        return Verdict.FAILS
    return Verdict.HOLDS if {*columns} == {Verdict.HOLDS} else Verdict.UNDECIDED


def chance(claim: Claim, seeds: int) -> float:
    """Return how often chance alone confirms a claim whose truth lies on its margin.

    The seeds of the two columns are independent trainings, so their chances are multiplied; a
    claim that is run in one column has the chance of one.
    """
    once = claim.rule.chance(seeds)
    return once**2 if claim.kind is Kind.PAPER else once


def effect(claim: Claim) -> float:
    """Return how far the mean lies on the claim's side of its margin, negative on the other."""
    distance = claim.mean - claim.margin
    return distance if claim.rule.is_met_by(claim.margin + 1) else -distance


def _with(config: Any, path: str, value: Any) -> Any:
    name, _, rest = path.partition(".")
    return replace(config, **{name: _with(getattr(config, name), rest, value) if rest else value})


def _text() -> str:
    return files("bottomup.experiments").joinpath(FILE).read_text(encoding="utf-8")
