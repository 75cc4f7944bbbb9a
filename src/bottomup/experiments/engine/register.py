"""When the rule of each claim was set: the register, ``claims.lock`` beside the experiments.

A line is one state of one claim: what it asked from one commit on, and what a record then said.
A claim that changes gets a further line and keeps the old one, so that the file is a history.
``python -m tools.register update`` writes it; nothing in it is written by hand.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import pairwise

from bottomup.experiments.engine import locked
from bottomup.experiments.engine.claim import Claim
from bottomup.experiments.engine.record import Record

FILE = "claims.lock"
NONE = "-"  # no record, no verdict; a kind or a configuration that is not known
UNKNOWN = "?"  # the record's commit is lost, so that nothing shows which came first
NEW = "new"  # a line that is not committed yet
SAME = "="  # behind a record's commit: only words changed, the numbers stayed
DROPPED = "dropped"  # the claim is asked no more

DIGITS = 6
FIRST_RULE_OF_MEANS = re.compile(r"mean above (\S+) and above two standard errors")
NUMBER = re.compile(r"[-−+]?\d(?:[\d,.]*\d)?\s?%?")  # a text is the same where only these differ


@dataclass(frozen=True)
class State:
    """What a claim asks: its rule with the margin, the seeds, and digests of its texts.

    Attributes:
        rule: in words.
        seeds: of the record, such as ``0-4``.
        sentence: digest of the claim's sentence.
        measure: digest of what is measured, numbers left out.
    """

    rule: str
    seeds: str
    sentence: str
    measure: str

    @property
    def digest(self) -> str:
        """One digest of all of it, as a record keeps it."""
        return digest("\n".join((self.rule, self.seeds, self.sentence, self.measure)))


@dataclass(frozen=True)
class Entry:
    """One line of the register.

    Attributes:
        claim: its number.
        state: what it asks.
        entered: commit with which this state came.
        seen: base commit of the record that was there already, with `SAME` behind it where its
            numbers stayed the same; `NONE` or `UNKNOWN`.
        verdict: what the last record said while this state was in force; `NONE` before the first.
        record: base commit of that record.
        values: digest of the claim's numbers in it.
        config: digest of its configuration.
        kind: of what kind the claim was; `NONE` before kinds were told.
    """

    claim: str
    state: State
    entered: str = NEW
    seen: str = NONE
    verdict: str = NONE
    record: str = NONE
    values: str = NONE
    config: str = NONE
    kind: str = NONE


class Change(StrEnum):
    """What happened to a claim after a record had shown numbers, the gravest first."""

    ASKED = "asked"
    RULE = "rule"
    MEASURE = "measure"
    SETTING = "setting"
    SEEDS = "seeds"
    JUDGED = "judged"  # all means by an interval, with the margins that they had
    KIND = "kind"
    WORDS = "words"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Past:
    """What the register says of a claim.

    Attributes:
        changes: what came after a record, in the order in which it came, each once.
        earlier: states of before with the verdict that they had, oldest first; those alone in
            which rule, measure, configuration or verdict were others.
        kinds: what the claim counted as before, oldest first, each once.
    """

    changes: tuple[Change, ...]
    earlier: tuple[Entry, ...]
    kinds: tuple[str, ...] = ()


def digest(text: str) -> str:
    """Return a short digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def spans(seeds: Sequence[int]) -> str:
    """Write seeds as ``0-4``, or one by one where they do not follow each other."""
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 1 and tuple(seeds) == tuple(range(first, last + 1)):
        return f"{first}-{last}"
    return ",".join(map(str, seeds))


def values_of(claim: Claim) -> str:
    """Return the digest of a claim's numbers, to as many digits as a record keeps."""
    return digest_of(claim.values)


def digest_of(values: Sequence[float]) -> str:
    """Return the digest of numbers."""
    return digest(" ".join(f"{value:.6g}" for value in values))


def digest_of_config(record: Record) -> str:
    """Return the digest of a record's configuration."""
    return digest(json.dumps(record.config, sort_keys=True))


def state(claim: Claim, seeds: Sequence[int]) -> State:
    """Return what a claim asks, of a record with these seeds."""
    return state_of(claim.rule.text, claim.sentence, claim.measured, seeds)


def state_of(rule: str, sentence: str, measured: str, seeds: Sequence[int]) -> State:
    """Return a state from the texts of a claim."""
    return State(rule, spans(seeds), digest(sentence), digest_of_measure(measured))


def digest_of_measure(measured: str) -> str:
    """Return the digest of what is measured, numbers left out."""
    return digest(NUMBER.sub("#", measured))


# ---- The file

HEAD = """# When the rule of each claim was set. Written by: python -m tools.register update
#
# A line is one state of one claim: its number; the commit that entered it; the base commit of a
# record that was there already (- none, ? not known, = its numbers stayed the same); the last
# verdict under it, with the base commit of its record and digests of the numbers and of the
# configuration; the claim's kind; seeds; digests of sentence and measure; rule.
"""


def read(text: str) -> dict[str, list[Entry]]:
    """Return the entries by record (``attention/recorded``), in the order of the file."""
    entries: dict[str, list[Entry]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            (claim, entered, seen, verdict, record, values, config, kind,
             seeds, sentence, measure, rule) = line.split(maxsplit=11)  # fmt: skip
            found = State(rule, seeds, sentence, measure)
            entry = Entry(claim, found, entered, seen, verdict, record, values, config, kind)
            entries.setdefault(name, []).append(entry)
    return entries


def write(entries: Mapping[str, Sequence[Entry]]) -> str:
    """Return the file's text: records in their order, claims by number, states as they came."""
    parts = [HEAD, f"#\n# SHA-256 of the locked run's {locked.FILE}: {locked.digest()}\n"]
    for name in sorted(entries):
        parts.append(f"\n[{name}]\n")
        parts += [line(entry) + "\n" for entry in sorted(entries[name], key=lambda e: e.claim)]
    return "".join(parts)


def line(entry: Entry) -> str:
    """Return an entry's line, its columns under those of the others."""
    s = entry.state
    return (
        f"{entry.claim:6} {entry.entered:7} {entry.seen:8} {entry.verdict:9} {entry.record:7} "
        f"{entry.values:6} {entry.config:6} {entry.kind:10} {s.seeds:5} {s.sentence} {s.measure} "
        f"{s.rule}"
    )


@cache
def registered() -> dict[str, list[Entry]]:
    """Return the register as it is committed."""
    return read(files("bottomup.experiments").joinpath(FILE).read_text(encoding="utf-8"))


def last(entries: Sequence[Entry]) -> dict[str, Entry]:
    """Return the state of each claim that is in force."""
    return {entry.claim: entry for entry in entries}


def standing(record: str) -> dict[str, str]:
    """Return what a record keeps of the register when it starts: claims with their digests."""
    entries = last(registered().get(record, []))
    return {
        number: entry.state.digest for number, entry in entries.items() if entry.verdict != DROPPED
    }


# ---- What it says of a claim


def past(claim: Claim) -> Past:
    """Return what came after a record, and what the claim was before."""
    entries = [e for e in registered().get(claim.record, []) if e.claim == claim.id]
    return past_of(entries)


def past_of(entries: Sequence[Entry]) -> Past:
    """Return what the entries of one claim say, the last being in force."""
    changes = [change for entry, before in pairs(entries) for change in what(entry, before)]
    kinds = dict.fromkeys(e.kind for e in entries[:-1])
    return Past(
        tuple(dict.fromkeys(changes)),
        tuple(e for e, after in pairwise(entries) if differs(e, after)),
        tuple(kind for kind in kinds if kind not in (NONE, entries[-1].kind)),
    )


def pairs(entries: Sequence[Entry]) -> list[tuple[Entry, Entry | None]]:
    """Return each entry with the one before it."""
    return list(zip(entries, [None, *entries], strict=False))


def what(entry: Entry, before: Entry | None) -> list[Change]:
    """Return what an entry changed after a record; nothing where no record was there."""
    if entry.seen == NONE:
        return []
    if before is None:
        return [Change.UNKNOWN if entry.seen == UNKNOWN else Change.ASKED]
    new, old = entry.state, before.state
    is_reworded = entry.seen.endswith(SAME)
    measure = Change.WORDS if is_reworded else Change.MEASURE
    parts = (
        (Change.RULE, new.rule not in (old.rule, as_interval(old.rule))),
        (Change.JUDGED, new.rule != old.rule and new.rule == as_interval(old.rule)),
        (measure, new.measure != old.measure),
        (Change.SETTING, is_other_setting(entry, before)),
        (Change.SEEDS, new.seeds != old.seeds),
        (Change.KIND, NONE not in (entry.kind, before.kind) and entry.kind != before.kind),
        (Change.WORDS, new.sentence != old.sentence),
    )
    return [change for change, is_other in parts if is_other]


def is_other_setting(entry: Entry, before: Entry) -> bool:
    """Say whether another configuration gave other numbers."""
    is_known = NONE not in (entry.config, before.config)
    return is_known and entry.config != before.config and entry.values != before.values


def as_interval(rule: str) -> str:
    """Return a rule about a mean as it is today, with the margin it had."""
    return FIRST_RULE_OF_MEANS.sub(r"95 % interval of the mean above \1", rule)


def differs(entry: Entry, after: Entry) -> bool:
    """Say whether a state is worth telling: rule, measure, setting or verdict were others."""
    another = {Change.RULE, Change.MEASURE, Change.SETTING} & set(what(after, entry))
    return entry.verdict != NONE and (bool(another) or entry.verdict != after.verdict)
