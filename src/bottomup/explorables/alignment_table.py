"""The table that stands in for the alignment explorer where no script runs."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from bottomup.explorables.alignment_labels import score_label
from bottomup.explorables.tables import cell, table
from bottomup.i18n import _


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
    gold: dict[int, dict[int, bool]] = defaultdict(dict)
    for target, source, sure in sentence["links"]:
        gold[target][source] = bool(sure)
    rows = [
        (name, "".join(_cell(weight, sure=gold[target].get(s)) for s, weight in enumerate(weights)))
        for target, (name, weights) in enumerate(
            zip(sentence["glosses"], sentence["weights"][score], strict=True)
        )
    ]
    return table((caption, legend), sentence["source"], rows)


def _cell(weight: float, *, sure: bool | None) -> str:
    """Return a cell; `sure` is None where there is no gold link."""
    number = f"{weight:.2f}"
    if sure is None:
        text = number if weight >= 0.005 else ""
    else:
        text = f"<b><u>{number}</u></b>" if sure else f"<b>{number}</b>"
    return cell(text, weight=weight)
