"""What is written in the figure of a beam search."""

from typing import Any

from bottomup.i18n import _


def texts() -> dict[str, Any]:
    """Return every label; names in braces are filled in by the script."""
    return {
        "title": _("The tree of a beam search"),
        "width": _("Beam width"),
        "one": _("Beam of 1 for “{source}”: one prefix goes on, so the tree is a path."),
        "many": _("Beam of {width} for “{source}”: in each step the best {width} prefixes go on."),
        "tree": _("Prefixes by step, the best on top; arrow keys move"),
        "step": _("n = {n}"),
        "begin": _("begin"),
        "keys": _("A box shows a prefix's last token and its log P; n is the number of its tokens, "
                  "the end counted. Arrow keys: left to the prefix before, right to its best "
                  "continuation, up and down within a step. A wide tree scrolls sideways."),
        "legend": {
            "kept": _("goes on"),
            "dropped": _("dropped"),
            "ended": _("finished: place and score"),
            "winner": _("way to the best finished"),
            "chosen": _("way to the chosen prefix"),
        },
        "heard": _("{word}, log P {total}, {state}"),
        "heard_ended": _("{word}, finished, place {place}, score {score}"),
        "states": {
            "dropped": _("dropped"),
            "kept": _("goes on"),
            "left": _("left when the search stopped"),
            "cut": _("cut off"),
        },
        "chosen": _("The chosen prefix: log P is the sum of log p of each token after those before "
                    "it"),
        "nothing": _("Nothing is written yet: log P = 0."),
        "reads": _("“{sequence}”, n = {n}: log P = {total}, lp(n) = ((5 + {n}) / 6)^{alpha} = "
                   "{penalty}, score = {total} / {penalty} = {score}."),
        "becomes": {
            "dropped": _("Dropped: the beam holds {width}, and others have a higher log P."),
            "dropped_end": _("Dropped: an end counts only among the best {width} of the step."),
            "kept": _("It goes on."),
            "dead": _("It goes on for a step, then all its continuations are dropped."),
            "ended": _("Finished: place {place} of {count} with α = {alpha}."),
            "left": _("The search stopped here, before this prefix ended."),
            "cut": _("Cut off at the largest length; it stands behind all that finished."),
        },
        "penalty": _("Length penalty α"),
        "none": _("log P alone"),
        "strong": _("long ones gain"),
        "list": _("Finished sequences by score = log P / lp(n)"),
        "columns": {
            "place": _("place"),
            "sequence": _("sequence"),
            "n": _("n"),
            "total": _("log P"),
            "penalty": _("lp(n)"),
            "score": _("score"),
        },
        "empty": _("(nothing)"),
        "cut": _("{sequence} (cut off)"),
        "more": _("{count} more stand behind these."),
        "alpha": _("α only ranks the sequences that this search has found. It never decides which "
                   "prefixes go on: in a step all have the same n, and lp(n) divides them alike. "
                   "In a search it decides when to stop."),
        "same": _("A search with α = {alpha} finds the same best sequence: no prefix that was left "
                  "can reach its score."),
        "whole": _("A search with α = {alpha} finds the same best sequence: this one ran to the "
                   "largest length, {most}."),
        "on": _("A search with α = {alpha} would go on: the best prefix left could still reach "
                "{total} / lp({most}) = {bound}, and another sequence might win."),
    }  # fmt: skip
