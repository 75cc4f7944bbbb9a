"""The register of claims, compared with the claims of the code, or brought up to them.

    python -m tools.register                       # says what the register lacks
    python -m tools.register update                # adds a line for each new or changed claim
    python -m tools.register announce NAME SEED …  # enters a new experiment's before its record

A changed rule, margin, sentence, measure, kind or list of seeds is a new line below the old one,
which stays; so are another verdict, and other numbers of another configuration. The new line names
the record that was there already, unless that record says that it was started with this state. A
line's commit is filled in by the next update: no file knows the commit that it will be in.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bottomup import experiments, results
from bottomup.experiments import Claim, Record
from bottomup.experiments.engine import register, said
from bottomup.experiments.engine.register import DROPPED, NEW, NONE, SAME, Entry
from tools.notebooks.paths import ROOT, SOURCE

FILE = SOURCE / "bottomup" / "experiments" / register.FILE
SAID = FILE.with_name(said.FILE)
SHORT = 7


@dataclass(frozen=True, kw_only=True)
class Unmeasured(Record):
    """What is there of a record before it is made: its configuration, and one for every number."""

    def metric(self, path: str) -> tuple[float, ...]:
        """Return one for each seed."""
        return (1.0,) * len(self.seeds)


def unmeasured(name: str, seeds: Sequence[int]) -> Unmeasured:
    """Return the record that an experiment's preset ``recorded`` is going to give."""
    config = asdict(experiments.experiment(name).preset("recorded"))
    return Unmeasured(
        experiment=name,
        preset="recorded",
        config=json.loads(json.dumps(config)),
        seeds=tuple(seeds),
        runs=(),
        versions={},
        device="",
        threads=1,
        seconds=0.0,
        command="",
        base_commit=NONE,
        dirty=False,
    )


def announce(entries: Mapping[str, Sequence[Entry]], record: Record) -> dict[str, list[Entry]]:
    """Return the register with what a record that is not made yet is going to be asked."""
    if entries.get(record.name):
        raise ValueError(
            f"{record.name}: expected an experiment that is new, it is in the register"
        )
    asked = [
        Entry(claim.id, register.state(claim, record.seeds), kind=str(claim.kind))
        for claim in results.claims(record)
    ]
    return {name: list(lines) for name, lines in entries.items()} | {record.name: asked}


def missing(entries: Mapping[str, Sequence[Entry]], records: Iterable[Record]) -> list[str]:
    """Return one sentence for each claim that the register does not have as it is."""
    found = []
    updated = update(entries, records)
    for name, after in updated.items():
        before = register.last(entries.get(name, []))
        for number, entry in register.last(after).items():
            old = before.get(number)
            if old != entry:
                what = "is not in it" if old is None else differences(old, entry)
                found.append(f"{name}: {number} {what}")
    return found


def differences(old: Entry, new: Entry) -> str:
    """Say in which parts two entries of a claim differ."""
    parts = {
        "rule": (old.state.rule, new.state.rule),
        "seeds": (old.state.seeds, new.state.seeds),
        "sentence": (old.state.sentence, new.state.sentence),
        "measure": (old.state.measure, new.state.measure),
        "kind": (old.kind, new.kind),
        "verdict": (old.verdict, new.verdict),
        "record": (old.record, new.record),
        "numbers": (old.values, new.values),
        "configuration": (old.config, new.config),
    }
    changed = (f"{name} {a!r}, now {b!r}" for name, (a, b) in parts.items() if a != b)
    return "has the " + "; the ".join(changed)


def update(
    entries: Mapping[str, Sequence[Entry]], records: Iterable[Record]
) -> dict[str, list[Entry]]:
    """Return the register with what the records' claims are now."""
    found = {name: list(lines) for name, lines in entries.items()}
    for record in records:
        lines = found.setdefault(record.name, [])
        asked = {claim.id: claim for claim in results.claims(record)}
        for number, entry in register.last(lines).items():
            if number not in asked and entry.verdict != DROPPED:
                lines.append(replace(entry, entered=NEW, verdict=DROPPED))
        for claim in asked.values():
            bring_up(lines, claim, record)
    return {name: lines for name, lines in found.items() if lines}  # a record may decide no claim


def bring_up(lines: list[Entry], claim: Claim, record: Record) -> None:
    """Add a line for a claim that is new or changed; put the record's verdict into its last one."""
    base = record.base_commit[:SHORT]
    now = Entry(
        claim.id,
        register.state(claim, record.seeds),
        verdict=str(claim.verdict),
        record=base,
        values=register.values_of(claim),
        config=register.digest_of_config(record),
        kind=str(claim.kind),
    )
    old = register.last(lines).get(claim.id)
    if old is None or old.state != now.state or old.verdict == DROPPED:
        started = (record.registered or {}).get(claim.id)
        is_same = old is not None and (old.record, old.values) == (base, now.values)
        seen = NONE if started == now.state.digest else base + SAME * is_same
        lines.append(replace(now, seen=seen))
    elif old.verdict == NONE:  # its first record
        lines[lines.index(old)] = replace(now, entered=old.entered, seen=old.seen)
    elif old.verdict != now.verdict or register.is_other_setting(now, old):
        # the same question, another answer: of another record, or of a rule that judges otherwise;
        # or other numbers, of another configuration
        lines.append(replace(now, seen=old.record))
    elif old.kind != now.kind:
        lines.append(replace(now, seen=base + SAME))
    else:
        lines[lines.index(old)] = replace(now, entered=old.entered, seen=old.seen)


def with_commits(entries: Mapping[str, Sequence[Entry]]) -> dict[str, list[Entry]]:
    """Return the register with the commits of its lines that are committed by now."""
    commits = blame()
    return {
        name: [
            replace(entry, entered=commits.get(register.line(entry), NEW))
            if entry.entered == NEW
            else entry
            for entry in lines
        ]
        for name, lines in entries.items()
    }


def blame(path: Path = FILE) -> dict[str, str]:
    """Return the commit of each line of the file that is committed as it stands."""
    command = ["git", "-C", str(ROOT), "blame", "-s", "--abbrev=7", str(path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    found = {}
    for text in done.stdout.splitlines():
        commit, _, rest = text.partition(" ")
        commit = commit.lstrip("^")[:SHORT]
        if set(commit) != {"0"}:
            found[rest.partition(") ")[2]] = commit
    return found


def main(arguments: Sequence[str]) -> int:
    """Compare, update or announce; return 1 where the register lacks a claim, else 0."""
    entries = register.read(FILE.read_text(encoding="utf-8"))
    if arguments[:1] == ["announce"] and len(arguments) < 3:
        print("announce: expected the name of an experiment and its seeds")
        return 1
    if arguments[:1] == ["announce"]:
        record = unmeasured(arguments[1], [int(seed) for seed in arguments[2:]])
        FILE.write_text(register.write(announce(entries, record)), encoding="utf-8")
        return 0
    records = [results.load(name) for name in results.available()]
    found = missing(entries, records)
    print("\n".join(found) or "The register has every claim as it is.")
    if list(arguments) == ["update"]:
        FILE.write_text(register.write(update(with_commits(entries), records)), encoding="utf-8")
        texts = said.read(SAID.read_text(encoding="utf-8"))
        SAID.write_text(said.write(said.with_words_of(texts, results.ledger())), encoding="utf-8")
        return 0
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
