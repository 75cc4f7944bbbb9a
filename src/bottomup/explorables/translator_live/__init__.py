"""The book's own translator, alive in the page: any sentence of the reader, every part a switch."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bottomup.checks import check_choice
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import check_count
from bottomup.explorables.shared.tables import cell, table
from bottomup.explorables.translator_live import labels
from bottomup.i18n import _

if TYPE_CHECKING:  # a figure is given translations, and needs no model to be drawn
    from bottomup.results.translator import Translation

__all__ = ["LiveTranslator", "translator_live", "translator_small"]

NAME = "translator_live"  # one script for both figures
MODEL, HALF_TRAINED = "encoder_decoder", "decoding_search"
ALL = ("attention", "choice", "parts", "lens", "train")
ALONE = ("heads", "draw", "search", "state")  # parts of panels, for figures that show one thing
START = {
    "draw": {"method": "sample"},
    "search": {"method": "beam", "beam": 2, "lengthPenalty": 0},
}  # type: dict[str, dict[str, Any]]
MOST_EXAMPLES = 6


class LiveTranslator(Explorable):
    """The figure with its model: a notebook with a kernel is handed the scripts by Python."""

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        """Return the figure, and for a notebook that runs a widget that brings the scripts."""
        from bottomup.explorables.engine import with_scripts  # brings torch and the records
        from bottomup.explorables.translator_live.script import live_script

        return with_scripts(self, live_script(self.payload["model"]))


def translator_live(
    recorded: Sequence[Translation],
    *,
    panels: Sequence[str] = ALL,
    model: str = MODEL,
    donor: str = "the dog slept .",
    link: str | None = None,
) -> LiveTranslator:
    """Build the figure: a trained translator computes in the page, with a switch for each part.

    The reader types a sentence and sees what the model writes as it was trained and as it is
    changed. With one panel the figure is small. The page fetches the weights, 0.6 MB, when a reader
    comes near. Without them the recorded translations stand as a table.

    Args:
        recorded: one to six translations, as ``translator().translate(sentence)`` makes them. Their
            sentences are the examples, the first is shown first.
        panels: "attention", "choice", "parts", "lens", "train"; or of their parts "heads", the
            switches of heads, "draw", chance, "search", the beam, and "state", that of another
            sentence.
        model: "encoder_decoder", chapter 05's, or "decoding_search", chapter 06's, half trained.
        donor: the sentence that first offers its states.
        link: address of the notebook or page that has all switches, for a small figure.

    Source: the model of Vaswani et al. (2017), section 3. Used in chapters 03, 05, 06 and 08.
    """
    check_count("panels", panels, 1)
    for panel in panels:
        check_choice("panels", panel, (*ALL, *ALONE))
    check_choice("model", model, (MODEL, HALF_TRAINED))
    whole = tuple(panels) == ALL
    start = {key: value for panel in panels for key, value in START.get(panel, {}).items()}
    words = labels.live(panels, whole=whole)
    at = 0 if "draw" in panels else 2  # what stands before the first token is no matter of chance
    payload = {"figure": "live", "panels": [*panels], "start": start, "at": at, "donor": donor}
    return _figure(words, recorded, model=model, link=link, address=whole, **payload)


def translator_small(recorded: Sequence[Translation], *, link: str) -> LiveTranslator:
    """Build the smallest figure: a sentence, its translation token by token, and what each read.

    Args:
        recorded: as `translator_live` takes them.
        link: address of the notebook or page that has all switches.

    Used on the book's first page and in chapter 01.
    """
    return _figure(labels.small(), recorded, model=MODEL, link=link, figure="small")


def _figure(
    words: dict[str, Any], recorded: Sequence[Translation], **payload: Any
) -> LiveTranslator:
    check_count("recorded", recorded, 1, MOST_EXAMPLES)
    examples = [" ".join(one.source) for one in recorded]
    # `data-live` tells the site that this page needs the address of the weights.
    fallback = f'<div data-live="translator">{_table(recorded)}</div>'
    return LiveTranslator(
        {"labels": words, "examples": examples, **payload}, fallback=fallback, name=NAME
    )


def _table(recorded: Sequence[Translation]) -> str:
    """Return the translations as they were when this was made, three lines for each."""
    rows = []
    for one in recorded:
        hangul = f'<span lang="ko">{escape(one.hangul)}</span>'
        # A page in Korean hides how Korean sounds.
        sound = f'<span class="sound" lang="ko-Latn"><br>{escape(one.romanised)}</span>'
        written = f"{hangul}{sound}<br>{escape(' '.join(one.glosses))}"
        rows.append((" ".join(one.source), [cell(written)]))
    caption = [_("Translations by the model, recorded")]
    head = [_("in Hangul, as it sounds, and word by word")]
    html = table(caption, head, rows).replace("text-align: right", "text-align: left")
    return html.replace("white-space: nowrap", "width: 9em")  # so that it fits a phone
