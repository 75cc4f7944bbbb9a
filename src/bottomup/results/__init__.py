"""What the experiments recorded: committed records, and the claims that they decide.

A record lies beside this file, as JSON, with an npz file of the same name where it keeps arrays.
What ``make bench`` measured lies in the folder ``benchmarks``, and what was derived from a model of
others in ``pretrained``.
"""

from functools import cache
from importlib.resources import as_file, files

from bottomup import experiments
from bottomup.checks import check_choice
from bottomup.experiments import Claim, Record, load_record
from bottomup.results.speed import (
    Benchmark,
    Case,
    Speed,
    Spread,
    available_benchmarks,
    benchmark,
)

__all__ = [
    "Benchmark",
    "Case",
    "Speed",
    "Spread",
    "available",
    "available_benchmarks",
    "benchmark",
    "claims",
    "ledger",
    "load",
]


def available() -> list[str]:
    """Return the file names of the committed records, in alphabetical order.

    A clone has all of them. A wheel leaves out those that no chapter reads.
    """
    names = (entry.name for entry in files(__name__).iterdir())
    return sorted(name for name in names if name.endswith(".json"))


def load(name: str) -> Record:
    """Read a committed record: ``load("attention.json")``.

    The whole file name is asked for, so that a chapter which names it is known to depend on it.
    """
    check_choice("name", name, available())
    return _load(name)


@cache
def _load(name: str) -> Record:
    with as_file(files(__name__)) as folder:
        return load_record(folder / name)


def claims(*records: Record) -> list[Claim]:
    """Return what records decide, in the order of the claims' numbers."""
    found = [claim for record in records for claim in experiments.claims(record)]
    return sorted(found, key=lambda claim: claim.place)


def ledger() -> list[Claim]:
    """Return the claims of every committed record, in the order of their numbers."""
    return claims(*map(load, available()))
