"""When the rule of each claim was set: the register, ``register.jsonl`` beside the experiments.

A line is one state of one claim: what it asked from then on, and what a record said. A claim that
changes gets a further line, which holds what is new, and keeps the old one: the file is a history.
``python -m tools.register update`` writes it; nothing in it is written by hand. Git knows when a
line came.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from bottomup.experiments.engine.claim import Claim
from bottomup.experiments.engine.record import Record

FILE = "register.jsonl"
LOST = "lost"  # the record's commit is not known, so that nothing shows which came first
DROPPED = "dropped"  # the claim is asked no more

DIGITS = 6
WORDS_LOST = "#"  # before the digest of a text that is not kept
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


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the register; what is not known, or is not there, is None.

    Attributes:
        claim: its number.
        rule: in words, with the margin.
        seeds: of the record, such as ``0-4``.
        sentence: the claim's, or ``#`` and its digest where the words are lost.
        measured: what is measured, likewise.
        kind: of what kind the claim was.
        verdict: what the last record said while this state was in force.
        record: base commit of that record.
        values: digest of the claim's numbers in it.
        config: digest of its configuration.
        entered: commit with which this state came, of lines that are older than this form.
        seen: base commit of the record that was there already; `LOST`.
        same: whether that record's numbers stayed the same, so that only words changed.
    """

    claim: str
    rule: str
    seeds: str
    sentence: str
    measured: str
    kind: str | None = None
    verdict: str | None = None
    record: str | None = None
    values: str | None = None
    config: str | None = None
    entered: str | None = None
    seen: str | None = None
    same: bool = False

    @property
    def state(self) -> State:
        """What the claim asks."""
        measure = _lost(self.measured) or digest_of_measure(self.measured)
        sentence = _lost(self.sentence) or digest(self.sentence)
        return State(self.rule, self.seeds, sentence, measure)


# What a line need not say again where it is as in the claim's line before.
LASTING = tuple(field.name for field in fields(Entry))[1:-3]


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
    return digest(" ".join(f"{value:.6g}" for value in claim.values))


def digest_of_config(record: Record) -> str:
    """Return the digest of a record's configuration."""
    return digest(json.dumps(record.config, sort_keys=True))


def digest_of_measure(measured: str) -> str:
    """Return the digest of what is measured, numbers left out."""
    return digest(NUMBER.sub("#", measured))


def asked(claim: Claim, seeds: Sequence[int], **said: Any) -> Entry:
    """Return the line of a claim as it is, of a record with these seeds, with what it said."""
    return Entry(
        claim=claim.id,
        rule=claim.rule.text,
        seeds=spans(seeds),
        sentence=claim.sentence,
        measured=claim.measured,
        kind=str(claim.kind),
        **said,
    )


def _lost(text: str) -> str:
    """Return the digest of a text whose words are lost, nothing for one that is kept."""
    return text.removeprefix(WORDS_LOST) if text.startswith(WORDS_LOST) else ""


# ---- The file


def read(text: str) -> dict[str, list[Entry]]:
    """Return the entries by record (``attention/recorded``), in the order of the file."""
    found: dict[str, list[Entry]] = {}
    for line in map(json.loads, text.splitlines()[1:]):
        entries = found.setdefault(line.pop("of"), [])
        before = last(entries).get(line["claim"])
        lasting = {} if before is None else {name: getattr(before, name) for name in LASTING}
        entries.append(Entry(**{**lasting, **line}))
    return found


def write(entries: Mapping[str, Sequence[Entry]], freeze: str) -> str:
    """Return the file's text: records in their order, claims by number, states as they came.

    Args:
        entries: by record.
        freeze: digest of the locked run's freeze, which its first line holds.
    """
    lines: list[dict[str, Any]] = [{"freeze": freeze}]
    for name in sorted(entries):
        before: dict[str, Entry] = {}
        for entry in sorted(entries[name], key=lambda each: each.claim):
            lines.append({"of": name, **_news(entry, before.get(entry.claim))})
            before[entry.claim] = entry
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _news(entry: Entry, before: Entry | None) -> dict[str, Any]:
    """Return what a line says: all that is known, or what the line before it does not say."""
    old = {} if before is None else {name: getattr(before, name) for name in LASTING}
    defaults = {name: None for name in asdict(entry)} | {"same": False} | old
    return {name: value for name, value in asdict(entry).items() if value != defaults[name]}


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
    before = [None, *entries]
    changes = [change for pair in zip(entries, before, strict=False) for change in what(*pair)]
    kinds = dict.fromkeys(entry.kind for entry in entries[:-1])
    return Past(
        tuple(dict.fromkeys(changes)),
        tuple(entry for entry, after in pairwise(entries) if differs(entry, after)),
        tuple(kind for kind in kinds if kind not in (None, entries[-1].kind)),
    )


def what(entry: Entry, before: Entry | None) -> list[Change]:
    """Return what an entry changed after a record; nothing where no record was there."""
    if entry.seen is None:
        return []
    if before is None:
        return [Change.UNKNOWN if entry.seen == LOST else Change.ASKED]
    new, old = entry.state, before.state
    measure = Change.WORDS if entry.same else Change.MEASURE
    parts = (
        (Change.RULE, new.rule not in (old.rule, as_interval(old.rule))),
        (Change.JUDGED, new.rule != old.rule and new.rule == as_interval(old.rule)),
        (measure, new.measure != old.measure),
        (Change.SETTING, is_other_setting(entry, before)),
        (Change.SEEDS, new.seeds != old.seeds),
        (Change.KIND, None not in (entry.kind, before.kind) and entry.kind != before.kind),
        (Change.WORDS, new.sentence != old.sentence),
    )
    return [change for change, is_other in parts if is_other]


def is_other_setting(entry: Entry, before: Entry) -> bool:
    """Say whether another configuration gave other numbers."""
    is_known = None not in (entry.config, before.config)
    return is_known and entry.config != before.config and entry.values != before.values


def as_interval(rule: str) -> str:
    """Return a rule about a mean as it is today, with the margin it had."""
    return FIRST_RULE_OF_MEANS.sub(r"95 % interval of the mean above \1", rule)


def differs(entry: Entry, after: Entry) -> bool:
    """Say whether a state is worth telling: rule, measure, setting or verdict were others."""
    another = {Change.RULE, Change.MEASURE, Change.SETTING} & set(what(after, entry))
    return entry.verdict is not None and (bool(another) or entry.verdict != after.verdict)
