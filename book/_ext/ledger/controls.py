"""The fields above the table, by which `ledger.js` chooses rows; without the script they hide."""

from collections.abc import Mapping, Sequence
from html import escape

from docutils import nodes

from bottomup.experiments import Claim
from bottomup.i18n import _

from .kinds import kind_names, standing_words

FORM = """<form class="ledger-filter" aria-label="{name}" autocomplete="off" hidden>
{chapter}
{kind}
{verdict}
<label>{words}<input type="search" name="words"></label>
<button type="reset">{reset}</button>
<button type="button" class="ledger-open" data-close="{close}">{open}</button>
<p class="ledger-shown" aria-live="polite" data-text="{shown}"></p>
<p class="ledger-note">{note}</p>
</form>"""


def chapters(claims: Sequence[Claim]) -> list[str]:
    """Return the numbers of the chapters that have claims, in their order."""
    return sorted({claim.chapter for claim in claims})


def controls(claims: Sequence[Claim]) -> nodes.raw:
    """Return the form; ``{shown}`` and ``{all}`` in its count are filled in by the script."""
    numbers = {chapter: chapter for chapter in chapters(claims)}
    texts = {
        "name": _("Choose claims"),
        "words": _("Words in claim, paper or measure"),
        "reset": _("Show all"),
        "open": _("Open rows"),
        "close": _("Close rows"),
        "shown": _("{shown} of {all} claims shown."),
        "note": _(
            "Press the head of a column to sort. The page's address keeps the view, for a link."
        ),
    }
    html = FORM.format(
        chapter=select("chapter", _("Chapter"), numbers),
        kind=select("kind", _("Kind"), kind_names()),
        verdict=select("verdict", _("Verdict"), standing_words()),
        **{key: escape(text) for key, text in texts.items()},
    )
    return nodes.raw("", html, format="html")


def select(name: str, label: str, words: Mapping[str, str]) -> str:
    """Return a labelled list to choose from: all, or one of the values."""
    values = {"": _("all"), **words}
    options = "".join(
        f'<option value="{escape(value)}">{escape(word)}</option>' for value, word in values.items()
    )
    return f'<label>{escape(label)}<select name="{name}">{options}</select></label>'
