"""What the locked run says of a claim: its rule asked once more, on seeds that nobody had seen.

The freeze (`bottomup.experiments.engine.locked`) says what is run again. The records lie in the
folder ``locked``, one below each column's name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import as_file, files

from bottomup import experiments, results
from bottomup.experiments import Claim, Kind, Record, Verdict, load_record
from bottomup.experiments.engine import locked
from bottomup.experiments.engine.locked import Column


class Standing(StrEnum):
    """What is known of a claim in the end."""

    CONFIRMED = "confirmed"
    NOT_CONFIRMED = "not-confirmed"
    UNDECIDED = "undecided"
    OPEN = "to-run"  # the locked run has not reached its end
    HELD = "held"  # a repetition, in its one rerun
    FAILED = "failed"


OF_STATEMENT = {
    Verdict.HOLDS: Standing.CONFIRMED,
    Verdict.FAILS: Standing.NOT_CONFIRMED,
    Verdict.UNDECIDED: Standing.UNDECIDED,
}
OF_REPETITION = {**OF_STATEMENT, Verdict.HOLDS: Standing.HELD, Verdict.FAILS: Standing.FAILED}


@dataclass(frozen=True)
class Again:
    """A claim of a first record beside what was measured later.

    Attributes:
        first: the claim as the first record decides it.
        columns: the claim in each column in which it is asked, None where seeds are missing.
    """

    first: Claim
    columns: Mapping[Column, Claim | None]

    @property
    def standing(self) -> Standing:
        """Whether a statement is confirmed: it is where its rule holds in every column.

        A repetition is asked in one column, and has another name for what came out.
        """
        there = [claim.verdict for claim in self.columns.values() if claim is not None]
        if len(there) < len(self.columns):
            return Standing.OPEN
        of = OF_STATEMENT if self.first.kind is Kind.PAPER else OF_REPETITION
        return of[locked.together(*there)]

    @property
    def shrinkage(self) -> float | None:
        """Return one minus the effect in the same setting over the first: 0.2 is a fifth smaller.

        The effect is the distance from the margin. None where the claim did not hold at first, or
        where the column is not there.
        """
        claim = self.columns[Column.SAME]
        if claim is None or self.first.verdict is not Verdict.HOLDS:
            return None
        return 1 - locked.effect(claim) / locked.effect(self.first)


def again(claim: Claim) -> Again | None:
    """Return what the locked run says of a claim of a first record; None where it is not asked."""
    name = claim.record.partition("/")[0]
    frozen = locked.frozen().get(name)
    if frozen is None or claim.id not in frozen.claims:
        return None
    asked = frozen.columns if claim.kind is Kind.PAPER else (Column.SAME,)
    return Again(claim, {column: _claims(name, column).get(claim.id) for column in asked})


@cache
def _claims(name: str, column: Column) -> dict[str, Claim]:
    """Return the claims of a record in a column, none before all of its seeds are in."""
    record = run_again(name, column)
    if record is None or record.seeds != locked.frozen()[name].seeds:
        return {}
    return {claim.id: claim for claim in experiments.claims(record)}


@cache
def run_again(name: str, column: Column) -> Record | None:
    """Return an experiment's record in a column as far as it is there."""
    file = files("bottomup.results").joinpath("locked", column, f"{name}.json")
    if not file.is_file():
        return None
    with as_file(file) as path:
        return load_record(path)


def seconds_of_seed(name: str) -> float:
    """Return the processor seconds of one seed in an experiment's first record, on average."""
    record = results.load(f"{name}.json")
    return record.seconds / len(record.seeds)
