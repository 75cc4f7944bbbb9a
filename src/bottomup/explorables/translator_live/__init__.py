"""The book's own translator, alive in the page: any sentence of the reader, every part a switch."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import check_count
from bottomup.explorables.shared.tables import cell, table
from bottomup.explorables.translator_live.labels import labels
from bottomup.i18n import _

if TYPE_CHECKING:  # a figure is given translations, and needs no model to be drawn
    from bottomup.results.translator import Translation

__all__ = ["LiveTranslator", "translator_live", "translator_small"]

MODEL = "encoder_decoder"
MOST_EXAMPLES = 6


class LiveTranslator(Explorable):
    """The figure with its model: a notebook with a kernel is handed the weights by Python."""

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        """Return the figure, and for a notebook that runs a widget that brings the weights."""
        from bottomup.explorables.engine import with_model  # brings torch and the records

        return with_model(self, MODEL)


def translator_live(
    recorded: Sequence[Translation], *, donor: str = "the dog slept ."
) -> LiveTranslator:
    """Build the figure: chapter 05's translator computes in the page, with a switch for each part.

    The reader types a sentence and sees what the model writes as it was trained and as it is
    changed; looks at its attention, at the tokens between which it chose, at what each layer would
    write; turns off heads, skips, updates, positions and the causal mask; puts in a state of
    another sentence; trains it on one sentence and takes that back. The page fetches the weights,
    0.6 MB, when a reader comes near. Without them the recorded translations stand as a table.

    Args:
        recorded: one to six translations, as ``translator().translate(sentence)`` makes them. Their
            sentences are the examples, the first is shown first.
        donor: the sentence that first offers its states.

    Source: the model of Vaswani et al. (2017), section 3. Used in chapter 05.
    """
    return _figure("translator_live", recorded, donor=donor)


def translator_small(recorded: Sequence[Translation], *, link: str) -> LiveTranslator:
    """Build the small figure: a sentence, its translation token by token, and what each one read.

    Args:
        recorded: as `translator_live` takes them.
        link: address of the page that has all switches.

    Used on the book's first page.
    """
    return _figure("translator_small", recorded, link=link)


def _figure(name: str, recorded: Sequence[Translation], **payload: Any) -> LiveTranslator:
    check_count("recorded", recorded, 1, MOST_EXAMPLES)
    examples = [" ".join(one.source) for one in recorded]
    # `data-live` tells the site that this page needs the address of the weights.
    fallback = f'<div data-live="translator">{_table(recorded)}</div>'
    return LiveTranslator(
        {"labels": labels(name), "examples": examples, **payload}, fallback=fallback, name=name
    )


def _table(recorded: Sequence[Translation]) -> str:
    """Return the translations as they were when this was made, three lines for each."""
    rows = []
    for one in recorded:
        lines = (escape(one.romanised), escape(" ".join(one.glosses)))
        written = "<br>".join((f'<span lang="ko">{escape(one.hangul)}</span>', *lines))
        rows.append((" ".join(one.source), [cell(written)]))
    caption = [_("Translations by chapter 05's model, recorded")]
    head = [_("in Hangul, as it sounds, and word by word")]
    html = table(caption, head, rows).replace("text-align: right", "text-align: left")
    return html.replace("white-space: nowrap", "width: 9em")  # so that it fits a phone
