"""The locked run: rules, settings and seeds that were fixed first, then every record once more.

``freeze.json`` beside the experiments says what is run again: the claims with their rules as they
stood, the seeds to come, and for each record one choice that is made otherwise in a second column.
Nothing in it changes after the first run; what could not be run as it says is a deviation.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from bottomup.checks import check_choice
from bottomup.experiments.engine.claim import Claim, Verdict

FILE = "freeze.json"


class Column(StrEnum):
    """A run of a record under the locked rules."""

    SAME = "same"  # the setting of the first record, fresh seeds
    VARIED = "varied"  # one choice made otherwise, the same fresh seeds


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


def together(*columns: Verdict) -> Verdict:
    """Return what the columns say: holds where all hold, fails where one fails."""
    if Verdict.FAILS in columns:
        return Verdict.FAILS
    return Verdict.HOLDS if {*columns} == {Verdict.HOLDS} else Verdict.UNDECIDED


def effect(claim: Claim) -> float:
    """Return how far the mean lies on the claim's side of its margin, negative on the other."""
    distance = claim.mean - claim.margin
    return distance if claim.rule.is_met_by(claim.margin + 1) else -distance


def _with(config: Any, path: str, value: Any) -> Any:
    name, _, rest = path.partition(".")
    return replace(config, **{name: _with(getattr(config, name), rest, value) if rest else value})


def _text() -> str:
    return files("bottomup.experiments").joinpath(FILE).read_text(encoding="utf-8")
