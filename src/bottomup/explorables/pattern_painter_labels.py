"""What is written in the figure of patterns."""

from typing import Any

from bottomup.i18n import _


def pattern_names() -> dict[str, str]:
    """Return how each pattern is called."""
    return {
        "dense": _("dense"),
        "window": _("window"),
        "strided": _("strided"),
        "fixed": _("fixed"),
    }


def texts() -> dict[str, Any]:
    """Return every label; names in braces are filled in by the script."""
    return {
        "title": _("Pattern painter"),
        "size": _("Positions n"),
        "pattern": _("Pattern"),
        "patterns": pattern_names(),
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
