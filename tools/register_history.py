"""Write the register of claims anew from git: what each claim asked, and what a record then said.

    python -m tools.register_history

Made once, for the claims that are older than the register. For every commit that touched an
experiment or a record, the package of that commit is asked for the claims of its records; before a
first record, for those of the record that came next. The state with which a record started is that
of its base commit. Where this commit is lost, nothing shows what came first, and the register says
so (``?``). Takes ten minutes.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bottomup import results
from bottomup.experiments.engine import register
from bottomup.experiments.engine.register import NONE, UNKNOWN, Entry, State
from tools.notebooks.paths import ROOT, SOURCE

RESULTS = "src/bottomup/results"
TOUCHED = ("src/bottomup/experiments", RESULTS)
SHORT = 7

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
                [c.id, c.rule.text, c.sentence, c.measured, list(record.seeds), str(c.verdict)]
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
    path: Path


def git(*arguments: str, binary: bool = False) -> Any:
    """Return what git says."""
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=True)
    return done.stdout if binary else done.stdout.decode()


def exists(commit: str) -> bool:
    """Say whether the repository has a commit."""
    command = ["git", "-C", str(ROOT), "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(command, capture_output=True).returncode == 0


def is_before(one: str, other: str) -> bool:
    """Say whether a commit is an ancestor of another, or the same."""
    command = ["git", "-C", str(ROOT), "merge-base", "--is-ancestor", one, other]
    return subprocess.run(command, capture_output=True).returncode == 0


def commits() -> list[str]:
    """Return the commits that touched an experiment or a record, oldest first."""
    return git("log", "--reverse", "--topo-order", "--format=%H", "--", *TOUCHED).split()


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
                seen.append(Version(results.load(file).name, commit, base, record["dirty"], path))
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


def states(asked: list[list[Any]]) -> Iterator[tuple[str, State, str]]:
    """Yield number, state and verdict of the claims that a package was asked for."""
    for number, rule, sentence, measured, seeds, verdict in asked:
        yield number, register.state_of(rule, sentence, measured, seeds), verdict


def history(folder: Path) -> tuple[dict[str, list[Entry]], dict[str, dict[str, str] | None]]:
    """Return the register, and for each record file what stood in it when the record started."""
    records = versions(folder)
    entries: dict[str, list[Entry]] = defaultdict(list)
    for commit in commits():
        files = {}
        for file, known in records.items():
            there = [v for v in known if is_before(v.commit, commit)]
            files[file] = [str(v.path) for v in [*there[-1:], *known[len(there) :]]]
        found = ask(commit, files, folder)
        for file, asked in found.items():
            if file == "errors":
                continue
            add(entries[records[file][-1].name], records[file], commit, asked, folder)
        print(commit[:SHORT], {f: len(a) for f, a in found.items() if f != "errors"},
              file=sys.stderr)  # fmt: skip
    return entries, {file: started(known[-1], folder) for file, known in records.items()}


def started(version: Version, folder: Path) -> dict[str, str] | None:
    """Return the digests of a record's claims at its base commit; None where that is lost."""
    if version.dirty or not exists(version.base):
        return None
    found = ask(version.base, {"it": [str(version.path)]}, folder)
    return {number: state.digest for number, state, _ in states(found.get("it", []))}


def add(
    entries: list[Entry], known: list[Version], commit: str, asked: list[list[Any]], folder: Path
) -> None:
    """Take over what a commit claims: new states as new lines, verdicts into those in force."""
    there = [v for v in known if is_before(v.commit, commit)]
    before = [v for v in known if follows(commit, v)]
    last = register.last(entries)
    for number, state, verdict in states(asked):
        old = last.get(number)
        if old is None or old.state != state:
            seen = seen_by(commit, number, state, before, folder)
            old = Entry(number, state, commit[:SHORT], seen)
            entries.append(old)
        if there:
            base = there[-1].base[:SHORT]
            new = replace(old, verdict=verdict, record=base)
            if old.verdict in (NONE, verdict):
                entries[entries.index(old)] = new
            else:  # the same question, another record, another answer
                entries.append(replace(new, entered=commit[:SHORT], seen=old.record))
    gone = set(last) - {number for number, *_ in asked}
    for number in gone:
        if last[number].verdict != register.DROPPED:
            dropped = replace(last[number], entered=commit[:SHORT], verdict=register.DROPPED)
            entries.append(dropped)


def follows(commit: str, version: Version) -> bool:
    """Say whether a commit may have come after a record was started."""
    if not exists(version.base):
        return is_before(version.commit, commit)
    return version.base != commit and is_before(version.base, commit)


STARTED: dict[Version, dict[str, str] | None] = {}


def seen_by(commit: str, number: str, state: State, before: list[Version], folder: Path) -> str:
    """Return the record that was there when a state came: its base commit, or `NONE`."""
    for version in reversed(before):
        if version not in STARTED:
            STARTED[version] = started(version, folder)
        stood = STARTED[version]
        if stood is None and version.commit == commit:
            return UNKNOWN
        if stood is None or stood.get(number) != state.digest:
            return version.base[:SHORT]
    return NONE


def main() -> None:
    """Write register and records."""
    with tempfile.TemporaryDirectory() as folder:
        entries, stood = history(Path(folder))
    path = SOURCE / "bottomup/experiments" / register.FILE
    path.write_text(register.write(entries), encoding="utf-8")
    Path("/tmp/stood.json").write_text(json.dumps(stood))


if __name__ == "__main__":
    main()
