"""The table that stands in for the alignment explorer where no script runs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from bottomup.explorables.alignment_labels import score_label
from bottomup.i18n import _

_CELL = "padding: 0.15em 0.5em; text-align: right; font-weight: normal; border: 0"
_ROW_NAME = (
    "padding: 0.15em 0.75em 0.15em 0; text-align: left; font-weight: normal; border: 0; "
    "white-space: nowrap"
)


def alignment_table(sentence: Mapping[str, Any], *, score: str) -> str:
    """Return the weights of one sentence as HTML: query rows (glosses), key columns (words).

    Gold links are bold, sure ones underlined too. The darker a cell, the larger its weight; weights
    that round to zero are left out.

    Args:
        sentence: "title", "source", "glosses", "links" and "weights" of the figure's payload.
        score: whose weights.
    """
    caption = _("Weights of the {score} score for “{sentence}”").format(
        score=score_label(score), sentence=sentence["title"]
    )
    legend = _("Rows: target tokens. Columns: source words. Bold: gold link; underlined: sure.")
    head = "".join(
        f'<th scope="col" style="{_CELL}">{escape(word)}</th>' for word in sentence["source"]
    )
    gold: dict[int, dict[int, bool]] = defaultdict(dict)
    for target, source, sure in sentence["links"]:
        gold[target][source] = bool(sure)
    rows = "".join(
        _row(name, weights, gold[target])
        for target, (name, weights) in enumerate(
            zip(sentence["glosses"], sentence["weights"][score], strict=True)
        )
    )
    return (
        f'<div style="overflow-x: auto" tabindex="0" role="region" aria-label="{escape(caption)}">'
        '<table style="border-collapse: collapse; font-size: 0.85em; color: inherit">'
        '<caption style="caption-side: top; text-align: left; color: inherit">'
        f"{escape(caption)}<br>{escape(legend)}</caption>"
        f'<thead><tr><td style="border: 0"></td>{head}</tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )


def _row(name: str, weights: Sequence[float], gold: Mapping[int, bool]) -> str:
    cells = "".join(_cell(weight, sure=gold.get(s)) for s, weight in enumerate(weights))
    return f'<tr><th scope="row" style="{_ROW_NAME}">{escape(name)}</th>{cells}</tr>'


def _cell(weight: float, *, sure: bool | None) -> str:
    """Return a cell; `sure` is None where there is no gold link."""
    number = f"{weight:.2f}"
    if sure is None:
        text = number if weight >= 0.005 else ""
    else:
        text = f"<b><u>{number}</u></b>" if sure else f"<b>{number}</b>"
    shade = f"background: rgba(0, 114, 178, {0.45 * weight:.2f})"  # pale: the text stays readable
    return f'<td style="{_CELL}; {shade}">{text}</td>'
