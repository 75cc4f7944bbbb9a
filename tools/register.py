"""The claims of the code: their files checked, and the register brought up to them.

    python -m tools.register                       # says what is wrong, or what the register lacks
    python -m tools.register update                # adds a line for each new or changed claim
    python -m tools.register announce NAME SEED …  # enters a new experiment's before its record

A changed rule, margin, sentence, measure, kind or list of seeds is a new line below the old one,
which stays; so are another verdict, and other numbers of another configuration. The new line names
the record that was there already, unless that record says that it was started with this state.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from bottomup import experiments, results
from bottomup.experiments import Claim, Record
from bottomup.experiments.engine import locked, register
from bottomup.experiments.engine.register import DROPPED, Entry
from tools import claims
from tools.notebooks.paths import SOURCE

FILE = SOURCE / "bottomup" / "experiments" / register.FILE
SHORT = 7


@dataclass(frozen=True, kw_only=True)
class Unmeasured(Record):
    """What is there of a record before it is made: lists of a tiny run, and one for a number."""

    def metric(self, path: str) -> tuple[float, ...]:
        """Return one for each seed."""
        return (1.0,) * len(self.seeds)


def unmeasured(name: str, seeds: Sequence[int]) -> Record:
    """Return the record that an experiment's preset ``recorded`` is going to give."""
    asked = experiments.experiment(name)
    config = json.loads(json.dumps(asdict(asked.preset("recorded"))))
    tiny = vars(asked.run(asked.preset("tiny"), seeds))
    return Unmeasured(**{**tiny, "preset": "recorded", "config": config})


def announce(entries: Mapping[str, Sequence[Entry]], record: Record) -> dict[str, list[Entry]]:
    """Return the register with what a record that is not made yet is going to be asked."""
    if entries.get(record.name):
        raise ValueError(
            f"{record.name}: expected an experiment that is new, it is in the register"
        )
    asked = [register.asked(claim, record.seeds) for claim in results.claims(record)]
    return {name: list(lines) for name, lines in entries.items()} | {record.name: asked}


def missing(entries: Mapping[str, Sequence[Entry]], records: Iterable[Record]) -> list[str]:
    """Return one sentence for each claim that the register does not have as it is."""
    found = []
    updated = update(entries, records)
    for name, after in updated.items():
        before = register.last(entries.get(name, []))
        for number, entry in register.last(after).items():
            old = before.get(number)
            if old is None:
                found.append(f"{name}: {number} is not in it")
            elif changed := differences(old, entry):
                found.append(f"{name}: {number} has the {changed}")
    return found


def differences(old: Entry, new: Entry) -> str:
    """Say in which parts two entries of a claim differ; numbers in what is measured are none."""
    parts = {name: (getattr(old, name), getattr(new, name)) for name in register.LASTING}
    if old.state.measure == new.state.measure:
        del parts["measured"]
    return "; the ".join(f"{name} {a!r}, now {b!r}" for name, (a, b) in parts.items() if a != b)


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
                lines.append(replace(entry, entered=None, verdict=DROPPED))
        for claim in asked.values():
            bring_up(lines, claim, record)
    return {name: lines for name, lines in found.items() if lines}  # a record may decide no claim


def bring_up(lines: list[Entry], claim: Claim, record: Record) -> None:
    """Add a line for a claim that is new or changed; put the record's verdict into its last one."""
    base = record.base_commit[:SHORT]
    now = register.asked(
        claim,
        record.seeds,
        verdict=str(claim.verdict),
        record=base,
        values=register.values_of(claim),
        config=register.digest_of_config(record),
    )
    old = register.last(lines).get(claim.id)
    if old is None or old.state != now.state or old.verdict == DROPPED:
        started = (record.registered or {}).get(claim.id)
        if started != now.state.digest:
            is_same = old is not None and (old.record, old.values) == (base, now.values)
            now = replace(now, seen=base, same=is_same)
        lines.append(now)
    elif old.verdict is not None and (
        old.verdict != now.verdict or register.is_other_setting(now, old)
    ):
        # the same question, another answer: of another record, or of a rule that judges otherwise;
        # or other numbers, of another configuration
        lines.append(replace(now, seen=old.record))
    elif old.verdict is not None and old.kind != now.kind:
        lines.append(replace(now, seen=base, same=True))
    else:
        lines[lines.index(old)] = replace(now, entered=old.entered, seen=old.seen, same=old.same)


def write(entries: Mapping[str, Sequence[Entry]]) -> None:
    """Write the register."""
    FILE.write_text(register.write(entries, locked.digest()), encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Compare, update or announce; return 1 where a file is wrong or the register lacks a claim."""
    if wrong := claims.wrong():
        print("\n".join(wrong))
        return 1
    entries = register.read(FILE.read_text(encoding="utf-8"))
    if arguments[:1] == ["announce"] and len(arguments) < 3:
        print("announce: expected the name of an experiment and its seeds")
        return 1
    if arguments[:1] == ["announce"]:
        record = unmeasured(arguments[1], [int(seed) for seed in arguments[2:]])
        write(announce(entries, record))
        return 0
    records = [results.load(name) for name in results.available()]
    found = missing(entries, records)
    print("\n".join(found) or "The register has every claim as it is.")
    if list(arguments) == ["update"]:
        write(update(entries, records))
        return 0
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
