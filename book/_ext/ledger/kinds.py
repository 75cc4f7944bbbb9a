"""What a claim is, and when its rule was set, in the reader's language."""

import re
from enum import StrEnum

from bottomup.experiments import Claim, Kind, Verdict
from bottomup.experiments.engine import register
from bottomup.experiments.engine.register import NONE, Change, Entry, past
from bottomup.experiments.engine.said import key, said
from bottomup.i18n import _

PLACE = re.compile(r"\b(section|table|figure|appendix|rows?) (\w[\w.]*)")


class Time(StrEnum):
    """When a claim's rule was set; the value is the class of its row."""

    BEFORE = "before"
    ASKED = "asked"
    CHANGED = "changed"
    TRIALS = "trials"
    UNKNOWN = "unknown"


GRAVE = {Change.RULE, Change.MEASURE, Change.SETTING}
AFTER = (Time.ASKED, Time.CHANGED, Time.TRIALS)  # with numbers in sight


def verdict_words() -> dict[str, str]:
    """Return the verdicts in the reader's language."""
    return {
        Verdict.HOLDS: _("holds"),
        Verdict.FAILS: _("fails"),
        Verdict.UNDECIDED: _("undecided"),
    }


def kind_names() -> dict[str, str]:
    """Return the kinds of claims, as one row of the counts names them."""
    return {
        Kind.PAPER: _("Statements of papers"),
        Kind.OWN: _("Questions of our own"),
        Kind.REPETITION: _("The same asked again"),
        Kind.IDENTITY: _("Identities: cannot fail"),
    }


def times() -> dict[str, str]:
    """Return the times at which rules were set."""
    return {
        Time.BEFORE: _("before, no trial noted"),
        Time.ASKED: _("asked after a record †"),
        Time.CHANGED: _("changed after a record †"),
        Time.TRIALS: _("after trials †"),
        Time.UNKNOWN: _("not known"),
    }


def time_of(claim: Claim) -> Time:
    """Return when a claim's rule was set, by the register and by what its author says."""
    before = past(claim)
    changes = set(before.changes)
    turned = any(each.verdict not in (NONE, claim.verdict) for each in before.earlier)
    if Change.ASKED in changes:
        return Time.ASKED
    if changes & GRAVE or (Change.JUDGED in changes and turned):
        return Time.CHANGED
    if claim.known:
        return Time.TRIALS
    return Time.UNKNOWN if Change.UNKNOWN in changes else Time.BEFORE


def source_words(claim: Claim) -> str:
    """Return where a claim comes from: a paper, ourselves, another claim, a definition."""
    if claim.kind is Kind.REPETITION:
        return _("asks {claim} again").format(claim=claim.repeats)
    if claim.kind is Kind.PAPER or claim.source.startswith(_("no paper")):
        return places(claim.source)
    words = _("beside {paper}") if claim.kind is Kind.OWN else _("identity: {paper}")
    return words.format(paper=places(claim.source))


def places(source: str) -> str:
    """Return a paper's name with its sections and tables in the reader's language."""
    words = {
        "section": _("section {where}"),
        "table": _("table {where}"),
        "figure": _("figure {where}"),
        "appendix": _("appendix {where}"),
        "row": _("row {where}"),
        "rows": _("rows {where}"),
    }
    return PLACE.sub(lambda found: words[found[1]].format(where=found[2]), source)


def history(claim: Claim) -> list[str]:
    """Return what was known when the rule was set, and what the claim was before, in sentences."""
    found = past(claim)
    names = kind_names()
    told = {
        Change.ASKED: _("Asked after a record had been seen."),
        Change.RULE: _("Its rule was changed after a record."),
        Change.MEASURE: _("What is measured was changed after a record."),
        Change.SETTING: _("The configuration was changed after a record, and with it the numbers."),
        Change.SEEDS: _("The seeds were changed after a record."),
        Change.KIND: _("Counted otherwise before: {kinds}.").format(
            kinds=", ".join(names[kind] for kind in found.kinds)
        ),
        Change.WORDS: _("Reworded after a record."),
        Change.JUDGED: _(
            "The mean was first compared with two standard errors, as all means were."
        ),
        Change.UNKNOWN: _("Nothing shows whether rule or record came first."),
    }
    known = [_("Known when it was set: {known}.").format(known=claim.known)] if claim.known else []
    earlier = [before(claim, entry) for entry in found.earlier]
    return [*(told[change] for change in found.changes), *known, *earlier]


def before(claim: Claim, entry: Entry) -> str:
    """Return the verdict under an earlier state, with the words that were others."""
    text = _("Before, {words}by “{rule}”: {verdict} (record of {commit}).")
    old, texts = entry.state, said()
    now = register.last(register.registered()[claim.record])[claim.id].state  # of the English texts
    words = ""
    if old.sentence != now.sentence:
        words += _("“{sentence}” ").format(sentence=texts[key(claim.id, old.sentence)])
    if old.measure != now.measure:
        words += _("with “{measured}”, ").format(measured=texts[key(claim.id, old.measure)])
    verdict = verdict_words()[entry.verdict]
    rule = rule_words(old.rule)
    return text.format(words=words, rule=rule, verdict=verdict, commit=entry.record)


def rule_words(english: str) -> str:
    """Return a rule of the register in the reader's language."""
    kinds = {
        "above {margin:g} in every seed": _("above {margin:g} in every seed"),
        "below {margin:g} in every seed": _("below {margin:g} in every seed"),
        "95 % interval of the mean above {margin:g}": _(
            "95 % interval of the mean above {margin:g}"
        ),
        "mean above {margin:g} and above two standard errors": _(
            "mean above {margin:g} and above two standard errors"
        ),
    }
    for text, told in kinds.items():
        before, behind = map(re.escape, text.split("{margin:g}"))
        found = re.fullmatch(f"{before}(.+){behind}", english)
        if found:
            return told.format(margin=float(found[1]))
    return english
