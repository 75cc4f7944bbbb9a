"""What a claim is, how it stands, and what it was before, in the reader's language."""

import re

from bottomup.experiments import Claim, Kind, Verdict
from bottomup.experiments.engine import register
from bottomup.experiments.engine.register import Change, Entry, past
from bottomup.i18n import _
from bottomup.results.again import Standing, again

_PLACE = r"\b(?:(?:section|table|figure|appendix|equation|rows?) (?:“[^”]+”|\w[\w.]*)|abstract\b)"
PLACES = re.compile(rf"(?P<one>{_PLACE})(?:(?P<stop>,?) and (?P<other>{_PLACE}))?")


def standing_words() -> dict[str, str]:
    """Return how a row's claim stands, in the reader's language.

    A question of our own is not run again: it has the verdict of its record.
    """
    return {
        Standing.CONFIRMED: _("confirmed"),
        Standing.NOT_CONFIRMED: _("not confirmed"),
        Standing.UNDECIDED: _("undecided"),
        Standing.OPEN: _("to be run again"),
        Standing.HELD: _("held in its rerun"),
        Standing.FAILED: _("failed in its rerun"),
        Verdict.HOLDS: _("held once"),
        Verdict.FAILS: _("failed once"),
    }


def standing_of(claim: Claim) -> str:
    """Return how a claim stands: by the locked run, or, where it is not asked there, by its record.

    The value is a class of its row, and what `ledger.js` chooses by.
    """
    found = again(claim)
    return claim.verdict if found is None else found.standing


def verdict_words() -> dict[str, str]:
    """Return the verdicts of a rule in the reader's language."""
    return {
        Verdict.HOLDS: _("holds"),
        Verdict.FAILS: _("fails"),
        Verdict.UNDECIDED: _("undecided"),
    }


def kind_names() -> dict[str, str]:
    """Return the kinds of claims that can fail."""
    return {
        Kind.PAPER: _("Statements of papers"),
        Kind.OWN: _("Questions of our own"),
        Kind.REPETITION: _("Repetitions"),
    }


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
        "equation": _("equation {where}"),
        "row": _("row {where}"),
        "rows": _("rows {where}"),
    }
    both = {"": _("{one} and {other}"), ",": _("{one}, and {other}")}

    def place(english: str) -> str:
        kind, _space, where = english.partition(" ")
        return words[kind].format(where=where) if where else _("abstract")

    def told(found: re.Match[str]) -> str:
        one, other = place(found["one"]), found["other"]
        return both[found["stop"]].format(one=one, other=place(other)) if other else one

    return PLACES.sub(told, source)


def history(claim: Claim) -> list[str]:
    """Return what was known when the rule was set, and what the claim was before, in sentences."""
    found = past(claim)
    names = kind_names()
    told = {
        Change.ASKED: _("Added after a record had been seen."),
        Change.RULE: _("Its rule was changed after a record had been seen."),
        Change.MEASURE: _("What is measured was changed after a record had been seen."),
        Change.SETTING: _(
            "The configuration was changed after a record had been seen, and with it the numbers."
        ),
        Change.SEEDS: _("The seeds were changed after a record had been seen."),
        Change.KIND: _("Previously counted as: {kinds}.").format(
            kinds=", ".join(names.get(kind, kind) for kind in found.kinds)
        ),
        Change.WORDS: _("Reworded after a record had been seen."),
        Change.JUDGED: _(
            "The mean was first compared with two standard errors, as all means were."
        ),
        Change.UNKNOWN: _("It is not known whether the rule or the record came first."),
    }
    known = [_("Known when it was set: {known}.").format(known=claim.known)] if claim.known else []
    earlier = [before(claim, entry) for entry in found.earlier]
    return [*(told[change] for change in found.changes), *known, *earlier]


def before(claim: Claim, entry: Entry) -> str:
    """Return the verdict under an earlier state, with the words that were others."""
    text = _("Before, {words}by “{rule}”: {verdict} (record of {commit}).")
    now = register.last(register.registered()[claim.record])[claim.id]  # of the English texts
    words = ""
    if entry.state.sentence != now.state.sentence:
        words += _("“{sentence}” ").format(sentence=entry.sentence)
    if entry.state.measure != now.state.measure:
        words += _("with “{measured}”, ").format(measured=entry.measured)
    verdict = verdict_words()[Verdict(str(entry.verdict))]
    rule = rule_words(entry.rule)
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
