"""Chapter 07's interactive figure: patterns of sparse attention, what they reach and cost."""

from typing import Any

from torch import Tensor

from bottomup.analysis import reached, reached_share
from bottomup.attention import (
    causal_scores,
    fixed_masks,
    fixed_scores,
    strided_masks,
    strided_scores,
)
from bottomup.checks import check_choice, check_integer
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.masks import causal_mask

__all__ = ["pattern_painter"]

SIZES = (16, 24, 36, 64)
PATTERNS = ("dense", "window", "strided", "fixed")
FROM_THE_END = 3  # the query shown first, far enough from the start to have a column or summaries
NONE = "–"


def pattern_painter(
    n: int = 16, *, stride: int = 4, summary: int = 1, pattern: str = "strided"
) -> Explorable:
    """Build the figure: which keys each query reads, what two layers reach, and the scores needed.

    Everything the reader sets, the script works out from the sets of `bottomup.masks`: the number
    of pairs in the pattern, `strided_scores` and `fixed_scores` for the two unions; the l that
    needs fewest; and ``reached(first, second)``, the pairs that two layers connect where the first
    reads set 1 and the second set 2, or the other way round, without or with residual connections.
    The patterns "dense" and "window" have one set, which both layers read. A switch shows the sets
    as the paper prints them: a window of l + 1 positions, and column, block and summaries without
    j <= i, which read the future.

    What is shown first is set here; n = 16, 24, 36 or 64 positions.

    Args:
        n: number of positions.
        stride: l: the stride, the number of positions in a window or in a block.
        summary: c, how many of a block's last positions later blocks may read.
        pattern: "dense", "window", "strided" or "fixed".

    Source: the sets of Child et al. (2019), section 4.3; reach as in section 4.2. Used in chapter
    07.
    """
    check_integer("n", n, at_least=1)
    check_choice("n", n, SIZES)
    _check_up_to("stride", stride, "n", n)
    _check_up_to("summary", summary, "stride", stride)
    check_choice("pattern", pattern, PATTERNS)
    return Explorable(
        {
            "labels": _labels(),
            "sizes": SIZES,
            "patterns": PATTERNS,
            "start": dict(
                n=n, stride=stride, summary=summary, pattern=pattern, query=n - FROM_THE_END
            ),
        },
        fallback=_fallback(n, stride, summary),
        name="pattern_painter",
    )


def _check_up_to(name: str, value: int, limit: str, most: int) -> None:
    check_integer(name, value, at_least=1)
    if value > most:
        raise ValueError(f"{name}: expected an integer in [1, {limit}={most}], got {value}")


def _sets(pattern: str, n: int, stride: int, summary: int) -> tuple[Tensor, Tensor]:
    """Return what the first and the second of two layers read."""
    if pattern == "dense":
        return causal_mask(n), causal_mask(n)
    if pattern == "fixed":
        return fixed_masks(n, stride, summary)
    window, column = strided_masks(n, stride)
    return window, column if pattern == "strided" else window


def _scores(pattern: str, n: int, stride: int, summary: int) -> int:
    """Return how many scores the pattern needs, pairs in both sets counted once."""
    if pattern == "strided":
        return strided_scores(n, stride).needed
    if pattern == "fixed":
        return fixed_scores(n, stride, summary).needed
    return int(_sets(pattern, n, stride, summary)[0].sum())


def _fewest(pattern: str, n: int, summary: int) -> str:
    """Return the l that needs fewest scores; a dense pattern has none, a window's is always 1."""
    if pattern not in ("strided", "fixed"):
        return NONE
    least = summary if pattern == "fixed" else 1
    return str(min(range(least, n + 1), key=lambda stride: _scores(pattern, n, stride, summary)))


def _fallback(n: int, stride: int, summary: int) -> str:
    """Return cost and reach of the four patterns as a table."""
    dense = causal_scores(n).needed
    rows = []
    for pattern in PATTERNS:
        needed = _scores(pattern, n, stride, summary)
        cells = [
            cell(str(needed)),
            cell(f"{100 * needed / dense:.0f} %"),
            cell(_fewest(pattern, n, summary)),
        ]
        sets = _sets(pattern, n, stride, summary)
        for residual in (False, True):
            for order in (sets, sets[::-1]):
                share = reached_share(reached(*order, residual=residual))
                # Rounded down, so that only what is complete is 100 %.
                cells.append(cell(f"{int(100 * share)} %", weight=share))
        rows.append((_pattern_names()[pattern], cells))
    caption = [
        _("Scores and reach of the patterns: n = {n}, l = {stride}, c = {summary}").format(
            n=n, stride=stride, summary=summary
        ),
        _("Reach: the share of the {dense} pairs j ≤ i that two layers connect.").format(
            dense=dense
        ),
    ]
    head = [
        _("scores"),
        _("of dense"),
        _("fewest at l"),
        _("set 1 first"),
        _("set 2 first"),
        _("set 1 first, residual"),
        _("set 2 first, residual"),
    ]
    return table(caption, head, rows)


def _pattern_names() -> dict[str, str]:
    """Return how each pattern is called."""
    return {
        "dense": _("dense"),
        "window": _("window"),
        "strided": _("strided"),
        "fixed": _("fixed"),
    }


def _labels() -> dict[str, Any]:
    """Return every label; names in braces are filled in by the script."""
    return {
        "title": _("Pattern painter"),
        "size": _("Positions n"),
        "pattern": _("Pattern"),
        "patterns": _pattern_names(),
        "stride": _("Stride, block, window l ="),
        "summary": _("Summaries a block c ="),
        "printed": _("as printed in the paper"),
        "grid": _("Query rows, key columns"),
        "choose": _("Queries; arrow keys choose"),
        "how": _("Click a row, or move over the rows with the arrow keys, Home and End."),
        "key": _("key"),
        "row": _("query {query} reads {keys}"),
        "nothing": _("nothing"),
        "sets": {
            "dense": [_("every position up to the query")],
            "window": [_("the last l")],
            "strided": [_("set 1: the last l"), _("set 2: every l-th back")],
            "fixed": [_("set 1: own block"), _("set 2: summaries")],
        },
        "legend": {
            "both": _("in both, counted once"),
            "reached": _("reached in two hops"),
            "blank": _("not reached"),
            "future": _("read in the future"),
            "ahead": _("future reached in two hops"),
        },
        "above": _("query above"),
        "below": _("query below"),
        "query": _("Query {query} and what it reaches"),
        "drawn": _("Positions drawn as"),
        "folded": _("rows of l"),
        "line": _("one line"),
        "strip": _("Positions of query {query}, {width} in a row"),
        "order": _("Two layers"),
        "first": _("set 1, then set 2"),
        "second": _("set 2, then set 1"),
        "residual": _("with residual connections"),
        "one": _("Query {query} reads {count} of its {all} positions in one hop: {keys}."),
        "one_future": _("It reads {keys} in the future."),
        "two_all": _("Two hops reach all {all}."),
        "two": _("Two hops reach {count}: {keys}. They miss {missed}."),
        "count": _("All queries: two hops reach {reached} of {all} pairs."),
        "cost": _("Scores needed"),
        "ratio": _("{needed} of the {dense} scores of dense causal attention, {share}\u00a0%. "
                   "Dense causal attention needs {ratio} times as many."),
        "sum": _("{first} in set 1 + {second} in set 2 − {both} in both = {needed}."),
        "by_stride": _("Scores needed for each l"),
        "chart": _("Scores needed for each l from 1 to {n}"),
        "best": _("Fewest with l = {best}: {fewest} scores (outlined). Now l = {stride}: "
                  "{needed}."),
        "best_now": _("Fewest with l = {best}: {fewest} scores (outlined), as now."),
        "no_best": _("A window has no best l: the narrower, the fewer scores, and the less it "
                     "reaches."),
        "as_printed": {
            "dense": _("Reads the future in {count} places: the paper prints j ≤ i here."),
            "window": _("Reads the future in {count} places. As printed, the window holds l + 1 "
                        "positions."),
            "strided": _("Reads the future in {count} places; two hops reach {reached} pairs "
                         "j > i. As printed, the window holds l + 1 positions, and the column "
                         "lacks j ≤ i, which the paper's text requires. Scores are counted for "
                         "j ≤ i."),
            "fixed": _("Reads the future in {count} places; two hops reach {reached} pairs j > i. "
                       "As printed, block and summaries lack j ≤ i, which the paper's text "
                       "requires. Scores are counted for j ≤ i."),
        },
    }  # fmt: skip
