"""One benchmark of several cases as a command: read what was asked for, measure, print, write."""

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import torch

from bench.report import provenance, write


class Case(Protocol):
    """A frozen data class that says what is measured, with a name for the command line."""

    rounds: int

    @property
    def name(self) -> str:
        """The case in short."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """What a benchmark is made of.

    Args:
        about: one line for ``--help``.
        kind: the name of its kind in the file.
        cases: all that can be asked for; those are measured that the command line names, or all.
        sides: the names of what we can be compared with.
        measure: gives the figures of one case with some of these sides.
        table: one case's figures as lines for a terminal, under a header or without one.
        shared: facts of the file that all cases share.
        packages: which packages the versions of a file name, for some of the sides.
        footer: what the last line printed says of the figures.
    """

    about: str
    kind: str
    cases: Sequence[Case]
    sides: Iterable[str]
    measure: Callable[[Any, Sequence[str]], dict[str, Any]]
    table: Callable[..., str]
    shared: dict[str, Any] = field(default_factory=dict)
    packages: Callable[[Sequence[str]], Sequence[str]] = tuple
    footer: str = "Ratios below 1: we are faster. Quartiles in brackets."


def run_all(command: Command, cases: Sequence[Case], sides: Sequence[str]) -> dict[str, Any]:
    """Measure the cases, print each as soon as it is there, and say where and when."""
    start, measured = time.monotonic(), []
    about = {**provenance(command.packages(sides)), "benchmark": command.kind, **command.shared}
    for case in cases:
        measured.append(command.measure(case, sides))
        print(command.table(measured[-1:], header=len(measured) == 1), end="", flush=True)
    minutes = round((time.monotonic() - start) / 60, 1)
    return {**about, "minutes": minutes, "cases": measured}


def run_command(command: Command, arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print, and write where that is asked for."""
    by_name, sides = {case.name: case for case in command.cases}, list(command.sides)
    parser = argparse.ArgumentParser(description=command.about)
    parser.add_argument("--cases", nargs="+", choices=by_name, default=list(by_name))
    parser.add_argument("--rounds", type=int, help="for every case")
    parser.add_argument("--peers", nargs="+", choices=sides, default=sides)
    parser.add_argument("--out", type=Path, help="JSON file to write")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    cases = [by_name[name] for name in chosen.cases]
    if chosen.rounds:
        cases = [replace(case, rounds=chosen.rounds) for case in cases]
    result = run_all(command, cases, chosen.peers)
    print(f"{result['minutes']} minutes. {command.footer}")
    if chosen.out:
        write(chosen.out, result)
