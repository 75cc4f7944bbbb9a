"""Run what the freeze names: each record once more, from a checkout of the frozen commit.

    python -m tools.locked                 # what is in, and what is still to run
    python -m tools.locked run             # runs what is missing, two processes at a time
    python -m tools.locked run --minutes 90
    python -m tools.locked forecast        # what the first records alone let expect

A seed is run on its own and goes into the record of its column below ``results/locked`` as soon as
it is finished. A run that was stopped goes on from its last finished variant. The processes give
way to whatever else the machine does.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from bottomup import results
from bottomup.experiments import Claim, Kind, Record, Verdict, load_record
from bottomup.experiments.engine import locked
from bottomup.experiments.engine.locked import Column
from bottomup.results.again import seconds_of_seed
from tools.notebooks.paths import ROOT, SOURCE

FOLDER = SOURCE / "bottomup" / "results" / "locked"
CRASHES = FOLDER / "crashes.jsonl"  # each has a row under Deviations of book/locked_run.md
BUILD = ROOT / "_build" / "locked"
TREE = BUILD / "tree"
FREEZE = SOURCE / "bottomup" / "experiments" / locked.FILE


@dataclass(frozen=True)
class Task:
    """One seed of one record in one column."""

    name: str
    column: Column
    seed: int

    @property
    def path(self) -> Path:
        """The record that its outcome goes into."""
        return FOLDER / self.column / f"{self.name}.json"

    @property
    def out(self) -> Path:
        """The folder of its finished variants."""
        return BUILD / self.column / self.name / str(self.seed)

    def command(self) -> list[str]:
        """Return the command that runs it, from the frozen checkout."""
        varied = ["--varied"] if self.column is Column.VARIED else []
        asked = [self.name, *varied, "--seeds", str(self.seed), "--out", str(self.out)]
        start = ["nice", "-n", "19", sys.executable, "-m", "bottomup.experiments", "confirm"]
        return [*start, *asked]


def missing() -> list[Task]:
    """Return what is still to run, in the order of the book."""
    return [task for task in everything() if task.seed not in seeds_in(task.path)]


def everything() -> Iterator[Task]:
    """Yield each seed of each record, both columns of a record one after the other."""
    for name, record in locked.frozen().items():
        for column in record.columns:
            for seed in record.seeds:
                yield Task(name, column, seed)


def seeds_in(path: Path) -> tuple[int, ...]:
    """Return the seeds that a record holds; none where it does not exist."""
    return load_record(path).seeds if path.exists() else ()


def checkout() -> None:
    """Check out the frozen commit, and see that its code is the frozen one.

    Raises:
        ValueError: the code has another digest than the freeze says.
    """
    if not TREE.exists():
        relative = FREEZE.relative_to(ROOT)
        found = _git("log", "--diff-filter=A", "--format=%H", "--", str(relative))
        _git("worktree", "prune")
        _git("worktree", "add", "--detach", str(TREE), found.split()[-1])
    found = digest_of_code(TREE / "src" / "bottomup")
    if found != code():
        raise ValueError(f"{TREE}: expected code of the digest {code()}, got {found}")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def code() -> str:
    """Return the digest of the package's code that the freeze was made with."""
    return str(json.loads(FREEZE.read_text(encoding="utf-8"))["code"])


def digest_of_code(folder: Path) -> str:
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


def run(tasks: Sequence[Task], jobs: int, minutes: float) -> int:
    """Run tasks until the time is over; return how many crashed."""
    end, writing = time.monotonic() + 60 * minutes, threading.Lock()
    running: set[subprocess.Popen[bytes]] = set()
    timer = threading.Timer(60 * minutes, stop, [running])
    timer.daemon = True
    timer.start()

    def one(task: Task) -> bool:
        if time.monotonic() > end:
            return True
        task.out.mkdir(parents=True, exist_ok=True)
        with (task.out / "log.txt").open("ab") as log:
            process = subprocess.Popen(
                task.command(), cwd=TREE, env=environment(), stdout=log, stderr=log
            )
            running.add(process)
            status = process.wait()
            running.discard(process)
        if status != 0 and time.monotonic() >= end:  # stopped
            return True
        with writing:
            keep(task) if status == 0 else note_crash(task, status)
        if status != 0:
            print(f"{task}: exit status {status}, see {task.out}/log.txt", flush=True)
            return False
        print(f"{task.name} {task.column} {task.seed}: finished", flush=True)
        return True

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, tasks)).count(False)


def stop(running: set[subprocess.Popen[bytes]]) -> None:
    """End what runs; finished variants stay."""
    for process in list(running):
        process.terminate()


def note_crash(task: Task, status: int) -> None:
    """Write a crash down: a later run that succeeds does not undo it."""
    CRASHES.parent.mkdir(parents=True, exist_ok=True)
    with CRASHES.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**asdict(task), "status": status}) + "\n")


def keep(task: Task) -> None:
    """Put the outcome of a finished task into the record of its column."""
    there = [load_record(task.path)] if task.path.exists() else []
    record = merged([*there, load_record(task.out / f"{task.name}.json")])
    varied = " --varied" if task.column is Column.VARIED else ""
    seeds = " ".join(map(str, record.seeds))
    command = f"python -m bottomup.experiments confirm {task.name}{varied} --seeds {seeds}"
    task.path.parent.mkdir(parents=True, exist_ok=True)
    replace(record, command=command).save(task.path)


def by_chance() -> tuple[float, float]:
    """Return how many statements chance would confirm if the truth of each lay on its margin.

    First if the two runs were independent, then if they always agreed. They share seeds and test
    data, so that the truth lies between.
    """
    once = [claim.rule.chance(seeds) for claim, seeds in statements()]
    return sum(share**2 for share in once), sum(once)


def statements() -> Iterator[tuple[Claim, int]]:
    """Yield each statement of a paper in the freeze, and the number of its seeds."""
    for name, frozen in locked.frozen().items():
        for claim in results.claims(results.load(f"{name}.json")):
            if claim.id in frozen.claims and claim.kind is Kind.PAPER:
                yield claim, len(frozen.seeds)


def forecast(claim: Claim, seeds: int, draws: int = 2_000) -> dict[Verdict, float]:
    """Return how likely each outcome of a statement is by its first record, both settings alike.

    Mean and deviation are drawn from what the first seeds leave open (normal, with the usual prior
    1/σ), and new seeds of two runs from these.
    """
    random, first = np.random.default_rng(0), np.array(claim.values)
    count, spread = len(first), first.std(ddof=1)
    found = Counter[Verdict]()
    for _draw in range(draws):
        sigma = spread * np.sqrt((count - 1) / random.chisquare(count - 1))
        mean = first.mean() + sigma / np.sqrt(count) * random.normal()
        runs = mean + sigma * random.normal(size=(2, seeds))
        found[locked.together(*(claim.rule.judge(run.tolist()) for run in runs))] += 1
    return {verdict: found[verdict] / draws for verdict in Verdict}


def expected() -> dict[Verdict, float]:
    """Return how many statements of papers come out how, by the first records alone."""
    counts = dict.fromkeys(Verdict, 0.0)
    for claim, seeds in statements():
        for verdict, share in forecast(claim, seeds).items():
            counts[verdict] += share
    return counts


def environment() -> dict[str, str]:
    """Return the environment in which the frozen package is found first."""
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "BOTTOMUP_QUIET": "1"}
    return {**os.environ, **threads, "PYTHONPATH": str(TREE / "src")}


def main(arguments: Sequence[str]) -> int:
    """Say what is missing, or run it."""
    parser = argparse.ArgumentParser(prog="python -m tools.locked", description=__doc__)
    parser.add_argument(
        "action",
        nargs="?",
        choices=["run", "forecast"],
        help="run what is missing, or count what first records expect",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time; default: 2")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after so many")
    options = parser.parse_args(arguments)
    if options.action == "forecast":
        for verdict, count in expected().items():
            print(f"{verdict}: {count:.1f}")
        apart, alike = by_chance()
        print(f"held by chance: {apart:.1f} if the runs are independent, {alike:.1f} if alike")
        return 0
    tasks = missing()
    if options.action == "run":
        checkout()
        return min(run(tasks, options.jobs, options.minutes), 1)
    for task in tasks:
        print(f"{task.name} {task.column} {task.seed}: about {seconds_of_seed(task.name):.0f} s")
    hours = sum(seconds_of_seed(task.name) for task in tasks) / 3600
    print(f"{len(tasks)} of {len(list(everything()))} seeds are to run, about {hours:.1f} hours.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
