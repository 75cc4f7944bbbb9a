"""Write the register of claims anew from git: what each claim asked, and what a record then said.

    python -m tools.register_history

Made once, for the claims that are older than the register. For every commit that touched an
experiment or a record, the package of that commit is asked for the claims of its records; before a
first record, for those of the record that came next. The state with which a record started is that
of its base commit. What came while a record can only have been running, by its processor seconds on
two cores, did not come after it. Where the base commit is lost, or the code had changed since,
nothing shows what came first, and the register says so (``?``). Takes a quarter of an hour.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from bottomup import results
from bottomup.experiments.engine import register
from bottomup.experiments.engine.record import to_json
from bottomup.experiments.engine.register import DROPPED, NONE, SAME, UNKNOWN, Entry, State
from tools.notebooks.paths import ROOT, SOURCE

RESULTS = "src/bottomup/results"
TOUCHED = ("src/bottomup/experiments", RESULTS)
SHORT = 7
CORES = 2  # of the machine on which the records were made

# Runs with the package of another commit: the claims of the first file of each list that it reads.
ASK = """
import json, sys, pathlib
from bottomup import experiments as e
def claims(record):
    if hasattr(e, "EXPERIMENTS"):
        return e.EXPERIMENTS[record.experiment].claims(record)
    return e.claims(record)
found = {}
for name, paths in json.load(sys.stdin).items():
    for path in paths:
        try:
            record = e.load_record(pathlib.Path(path))
            found[name] = [
                [c.id, c.rule.text, c.sentence, c.measured, list(record.seeds), str(c.verdict),
                 list(c.values), path]
                for c in claims(record)
            ]
            break
        except Exception as error:
            found.setdefault("errors", []).append([name, repr(error)[:200]])
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Version:
    """A record as one commit has it: its file, and the commit that it was made from."""

    name: str
    commit: str  # that brought it
    base: str  # that it was made from
    dirty: bool
    seconds: float  # of a processor
    path: Path


def git(*arguments: str, binary: bool = False) -> Any:
    """Return what git says."""
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=True)
    return done.stdout if binary else done.stdout.decode()


@cache
def exists(commit: str) -> bool:
    """Say whether the repository has a commit."""
    command = ["git", "-C", str(ROOT), "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(command, capture_output=True).returncode == 0


@cache
def is_before(one: str, other: str) -> bool:
    """Say whether a commit is an ancestor of another, or the same."""
    command = ["git", "-C", str(ROOT), "merge-base", "--is-ancestor", one, other]
    return subprocess.run(command, capture_output=True).returncode == 0


def commits() -> list[str]:
    """Return the commits that touched an experiment or a record, oldest first."""
    log: str = git("log", "--reverse", "--topo-order", "--format=%H", "--", *TOUCHED)
    return log.split()


def versions(folder: Path) -> dict[str, list[Version]]:
    """Write every version of every committed record into a folder; return them, oldest first."""
    found: dict[str, list[Version]] = {}
    for file in results.available():
        seen: list[Version] = []
        log = git("log", "--reverse", "--topo-order", "--format=%H", "--", f"{RESULTS}/{file}")
        for commit in log.split():
            try:
                content = git("show", f"{commit}:{RESULTS}/{file}", binary=True)
            except subprocess.CalledProcessError:
                continue
            path = folder / commit[:SHORT] / file
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            record = json.loads(content)
            if record["arrays"]:
                arrays = f"{RESULTS}/{file.replace('.json', '.npz')}"
                path.with_suffix(".npz").write_bytes(git("show", f"{commit}:{arrays}", binary=True))
            base = record["base_commit"]
            if not seen or (seen[-1].base, seen[-1].dirty) != (base, record["dirty"]):
                name, seconds = results.load(file).name, record["seconds"]
                seen.append(Version(name, commit, base, record["dirty"], seconds, path))
        found[file] = seen
    return found


def ask(commit: str, files: dict[str, list[str]], folder: Path) -> dict[str, Any]:
    """Return what the package of a commit claims of records, by name."""
    place = folder / "package" / commit
    if not place.exists():
        place.mkdir(parents=True)
        archive = git("archive", commit, "src", binary=True)
        subprocess.run(["tar", "-x", "-C", str(place)], input=archive, check=True)
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        input=json.dumps(files).encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(place / "src")},
        cwd=place,
    )
    if done.returncode:
        print(commit[:SHORT], done.stderr.decode().splitlines()[-1], file=sys.stderr)
        return {}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@dataclass(frozen=True)
class Asked:
    """What a package claims: a claim's number and state, its verdict, and the numbers behind it."""

    number: str
    state: State
    verdict: str
    values: str
    path: str


def claimed(lines: list[list[Any]]) -> Iterator[Asked]:
    """Yield the claims that a package was asked for."""
    for number, rule, sentence, measured, seeds, verdict, values, path in lines:
        state = register.state_of(rule, sentence, measured, seeds)
        yield Asked(number, state, verdict, register.digest_of(values), path)


class History:
    """The register, made commit by commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = versions(folder)
        self.entries: dict[str, list[Entry]] = defaultdict(list)
        self.stood: dict[Version, dict[str, str] | None] = {}
        self.values: dict[str, tuple[str, str]] = {}  # of a claim: record's file, its numbers

    def go(self, commit: str) -> None:
        """Take over what the package of a commit claims."""
        files = {}
        for file, known in self.records.items():
            there = [v for v in known if is_before(v.commit, commit)]
            files[file] = [str(v.path) for v in [*there[-1:], *known[len(there) :]]]
        started = {str(v.path): v for known in self.records.values() for v in known
                   if v.base == commit and not v.dirty}  # fmt: skip
        found = ask(commit, files | {path: [path] for path in started}, self.folder)
        for path, version in started.items():
            self.stood[version] = digests(found.pop(path, []))
        for error in found.pop("errors", []):
            print(commit[:SHORT], *error, file=sys.stderr)
        for file, lines in found.items():
            self.add(self.records[file], commit, list(claimed(lines)))

    def add(self, known: list[Version], commit: str, asked: list[Asked]) -> None:
        """Take over claims: new states as new lines, verdicts into those in force."""
        entries = self.entries[known[-1].name]
        there = [v for v in known if is_before(v.commit, commit)]
        last = register.last(entries)
        for each in asked:
            old = last.get(each.number)
            if old is None or old.state != each.state:
                seen = self.seen(commit, each, known)
                old = Entry(each.number, each.state, commit[:SHORT], seen)
                entries.append(old)
            self.values[each.number] = (each.path, each.values)
            if there:
                base = there[-1].base[:SHORT]
                new = replace(old, verdict=each.verdict, record=base, values=each.values)
                if old.verdict in (NONE, each.verdict):
                    entries[entries.index(old)] = new
                else:  # the same question, another record, another answer
                    entries.append(replace(new, entered=commit[:SHORT], seen=old.record))
        for number in set(last) - {each.number for each in asked}:
            if last[number].verdict != DROPPED:
                entries.append(replace(last[number], entered=commit[:SHORT], verdict=DROPPED))

    def seen(self, commit: str, each: Asked, known: list[Version]) -> str:
        """Return the record that was there when a state came: its base commit, or `NONE`."""
        same = SAME * (self.values.get(each.number) == (each.path, each.values))
        for version in reversed([v for v in known if follows(commit, v)]):
            stood = self.started(version)
            if stood is None and version.commit == commit:
                return UNKNOWN
            if stood is None or stood.get(each.number) != each.state.digest:
                return version.base[:SHORT] + same
        return NONE

    def started(self, version: Version) -> dict[str, str] | None:
        """Return the digests of claims with which a record started; None where that is lost."""
        if version.dirty or not exists(version.base):
            return None
        if version not in self.stood:
            found = ask(version.base, {"it": [str(version.path)]}, self.folder)
            self.stood[version] = digests(found.get("it", []))
        return self.stood[version]


def digests(lines: list[list[Any]]) -> dict[str, str]:
    """Return the digest of each claim's state."""
    return {each.number: each.state.digest for each in claimed(lines)}


def follows(commit: str, version: Version) -> bool:
    """Say whether a commit may have come after a record was made."""
    if is_before(version.commit, commit):
        return True
    if not exists(version.base) or not is_before(version.base, commit):
        return False
    return time(commit) >= time(version.base) + version.seconds / CORES


@cache
def time(commit: str) -> int:
    """Return when a commit was made, in seconds."""
    return int(git("show", "-s", "--format=%ct", commit))


def keep(file: str, stood: dict[str, str] | None) -> None:
    """Write into a record what stood in the register when it started."""
    path = SOURCE / "bottomup" / "results" / file
    record = replace(results.load(file), registered=stood)
    path.write_text(to_json(record), encoding="utf-8")


def main() -> None:
    """Write register and records."""
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder))
        for commit in commits():
            history.go(commit)
            print(commit[:SHORT], file=sys.stderr)
        for file, known in history.records.items():
            keep(file, history.started(known[-1]))
    path = SOURCE / "bottomup" / "experiments" / register.FILE
    path.write_text(register.write(history.entries), encoding="utf-8")


if __name__ == "__main__":
    main()
