"""What a claim is, and when its rule was set, in the reader's language."""

from enum import StrEnum

from bottomup.experiments import Claim, Kind
from bottomup.experiments.engine import register
from bottomup.experiments.engine.register import Change, Entry, past
from bottomup.experiments.engine.said import key, said
from bottomup.i18n import _


class Time(StrEnum):
    """When a claim's rule was set; the value is the class of its row."""

    BEFORE = "before"
    ASKED = "asked"
    CHANGED = "changed"
    TRIALS = "trials"
    UNKNOWN = "unknown"


AFTER = (Time.ASKED, Time.CHANGED, Time.TRIALS)  # with numbers in sight


def kind_names() -> dict[str, str]:
    """Return the kinds of claims, as one row of the counts names them."""
    return {
        Kind.PAPER: _("Findings of papers"),
        Kind.OWN: _("Questions of our own"),
        Kind.REPETITION: _("The same asked again"),
        Kind.IDENTITY: _("Identities: cannot fail"),
    }


def times() -> dict[str, str]:
    """Return the times at which rules were set."""
    return {
        Time.BEFORE: _("before any record"),
        Time.ASKED: _("asked after a record †"),
        Time.CHANGED: _("changed after a record †"),
        Time.TRIALS: _("after trials †"),
        Time.UNKNOWN: _("not known"),
    }


def time_of(claim: Claim) -> Time:
    """Return when a claim's rule was set, by the register and by what its author says."""
    changes = set(past(claim).changes)
    if Change.ASKED in changes:
        return Time.ASKED
    if changes & {Change.RULE, Change.MEASURE}:
        return Time.CHANGED
    if claim.known:
        return Time.TRIALS
    return Time.UNKNOWN if Change.UNKNOWN in changes else Time.BEFORE


def source_words(claim: Claim) -> str:
    """Return where a claim comes from: a paper, ourselves, another claim, a definition."""
    if claim.kind is Kind.REPETITION:
        return _("asks {claim} again").format(claim=claim.repeats)
    if claim.kind is Kind.PAPER or claim.source.startswith(_("no paper")):
        return claim.source
    words = _("beside {paper}") if claim.kind is Kind.OWN else _("identity: {paper}")
    return words.format(paper=claim.source)


def history(claim: Claim) -> list[str]:
    """Return what was known when the rule was set, and what the claim was before, in sentences."""
    told = {
        Change.ASKED: _("Asked after a record had been seen."),
        Change.RULE: _("Its rule was changed after a record."),
        Change.MEASURE: _("What is measured was changed after a record."),
        Change.SEEDS: _("The seeds were changed after a record."),
        Change.WORDS: _("Reworded after a record."),
        Change.JUDGED: _(
            "The mean was first compared with two standard errors, as all means were."
        ),
        Change.UNKNOWN: _("Nothing shows whether rule or record came first."),
    }
    found = past(claim)
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
    return text.format(words=words, rule=old.rule, verdict=entry.verdict, commit=entry.record)
