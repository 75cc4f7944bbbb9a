"""Chapter 07's interactive figure: patterns of sparse attention, what they reach and cost."""

from typing import Any

from torch import Tensor

from bottomup.analysis import reached, reached_share
from bottomup.attention import causal_scores, fixed_masks, strided_masks
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.masks import causal_mask

__all__ = ["pattern_painter"]

SIZES = (16, 24, 36, 64)
PATTERNS = ("dense", "window", "strided", "fixed")
N, STRIDE, SUMMARY = 16, 4, 1  # shown first
QUERY = 13  # shown first, far enough from the start to have a column or summaries
NONE = "–"


def pattern_painter() -> Explorable:
    """Build the figure: which keys each query reads, what two layers reach, and the scores needed.

    The script counts the pairs in the pattern, as `strided_scores` and `fixed_scores` do, and those
    that two layers connect, as ``reached(first, second)``, where the first reads set 1 and the
    second set 2, or the other way round. The patterns "dense" and "window" have one set, which both
    layers read. A switch shows the sets as the paper prints them: a window of l + 1 positions, and
    column, block and summaries without j <= i, which read the future.

    Source: the sets of Child et al. (2019), section 4.3; reach as in section 4.2. Used in chapter
    07.
    """
    start = dict(n=N, stride=STRIDE, summary=SUMMARY, pattern="strided", query=QUERY)
    return Explorable(
        {"labels": _labels(), "sizes": SIZES, "patterns": PATTERNS, "start": start},
        fallback=_fallback(),
        name="pattern_painter",
    )


def _sets(pattern: str, stride: int) -> tuple[Tensor, Tensor]:
    """Return what the first and the second of two layers read."""
    if pattern == "dense":
        return causal_mask(N), causal_mask(N)
    if pattern == "fixed":
        return fixed_masks(N, stride, SUMMARY)
    window, column = strided_masks(N, stride)
    return window, column if pattern == "strided" else window


def _scores(pattern: str, stride: int) -> int:
    """Return how many scores the pattern needs, pairs in both sets counted once."""
    first, second = _sets(pattern, stride)
    return int((first | second).sum())


def _fewest(pattern: str) -> str:
    """Return the l that needs fewest scores; a dense pattern has none, a window's is always 1."""
    if pattern not in ("strided", "fixed"):
        return NONE
    return str(min(range(1, N + 1), key=lambda stride: _scores(pattern, stride)))


def _fallback() -> str:
    """Return cost and reach of the four patterns as a table."""
    dense, names, rows = causal_scores(N).needed, _pattern_names(), []
    for pattern in PATTERNS:
        needed, sets = _scores(pattern, STRIDE), _sets(pattern, STRIDE)
        cost = str(needed), f"{100 * needed / dense:.0f} %", _fewest(pattern)
        shares = [
            reached_share(reached(*order, residual=residual))
            for residual in (False, True)
            for order in (sets, sets[::-1])
        ]
        # Rounded down, so that only what is complete is 100 %.
        reach = [cell(f"{int(100 * share)} %", weight=share) for share in shares]
        rows.append((names[pattern], [*map(cell, cost), *reach]))
    title = _("Scores and reach of the patterns: n = {n}, l = {stride}, c = {summary}")
    reach_is = _("Reach: the share of the {dense} pairs j ≤ i that two layers connect.")
    caption = [title.format(n=N, stride=STRIDE, summary=SUMMARY), reach_is.format(dense=dense)]
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
