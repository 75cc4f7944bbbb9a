"""Chapter 06's interactive figure: the prefixes that a beam search keeps, and what alpha ranks."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from bottomup.checks import check_choice, check_integer, check_number
from bottomup.data import EOS
from bottomup.decoding import BeamDecoded, BeamStep, gnmt_penalty
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import check_count, check_mapping, short_word
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.plotting.arrays import strings

__all__ = ["beam_tree"]

MOST_WIDTHS = 5  # traces that a figure holds
WIDEST = 6  # beam; a step has up to twice as many candidates, one above the other
MOST_STEPS = 40
LONGEST_WORD = 26  # letters; a long word is cut in the drawing and whole in the words below
ALPHAS = [number / 10 for number in range(16)]
MILLIONTHS = 10**6  # log P is stored in whole millionths, from which every score is worked out
LISTED = 6  # finished sequences in the list, and of each width in the table
PLACES = 4
DROPPED, KEPT, ENDED, LEFT, CUT, DROPPED_END = range(6)

Node = list[int]  # parent among the nodes of the step before, rank, word, log P, state


def beam_tree(
    results: Mapping[int, BeamDecoded],
    *,
    source: str,
    target_words: Sequence[str],
    max_length: int,
    alpha: int | float = 0.6,
    beam: int | None = None,
) -> Explorable:
    """Build the figure: a beam search's tree, and its finished sequences ranked by a chosen alpha.

    Each step is a column, its candidates stand below each other, the best on top. A line leads from
    each prefix to its continuations; those dropped are faint. For a chosen prefix the reader sees
    the log-probability of each token, their sum and the score. A slider sets alpha in

    ``score(y) = log P(y | source) / lp(n)``, ``lp(n) = ((5 + n) / 6) ** alpha``

    for the finished sequences, n the number of tokens, EOS counted. Alpha changes no tree: all
    candidates of a step have the same length. It decides when a search stops, and so for each
    alpha the figure says whether a search with it would find the same best sequence or would have
    gone on. It would never have gone on where the searches were made with ``length_penalty=1.5``,
    the largest that the slider has; with ``n_best=beam`` more sequences are found.

    Args:
        results: for each width of the beam, 1 to 6, what `beam_search` returns for one sentence
            with ``trace=True``: one to five searches of at most 40 steps.
        source: the sentence that is translated, as text.
        target_words: how each target token is written, by its number. Those in the traces have 1 to
            26 letters.
        max_length: that of the searches.
        alpha: shown first; 0, 0.1, ..., 1.5.
        beam: the width shown first, one of those given; the largest where it is None.

    Source: the search of Sutskever, Vinyals and Le (2014), section 3.2; lp of Wu et al. (2016).
    Used in chapter 06.
    """
    check_mapping("results", results)
    check_count("results", results, 1, MOST_WIDTHS)
    check_integer("max_length", max_length, at_least=1)
    written = strings("target_words", target_words)
    if not isinstance(source, str):
        raise TypeError(f"source: expected a string, got {source!r}")
    words: dict[str, int] = {}  # each word once, with its number in the payload
    trees = {
        width: _tree(width, _steps(width, decoded, max_length), written, words, max_length)
        for width, decoded in results.items()
    }
    first = max(trees) if beam is None else beam
    check_choice("beam", first, trees)
    return Explorable(
        {
            "labels": _labels(),
            "source": source,
            "words": list(words),
            "trees": [{"width": width, "steps": steps} for width, steps in trees.items()],
            "longest": max_length,
            "listed": LISTED,
            "alphas": [str(one) for one in ALPHAS],
            "start": {"alpha": _place(alpha), "tree": list(trees).index(first)},
        },
        fallback=_fallback(source, trees, list(words), ALPHAS[_place(alpha)]),
        name="beam_tree",
    )


def _place(alpha: int | float) -> int:
    """Return alpha's place on the slider."""
    check_number("alpha", alpha, at_least=ALPHAS[0], at_most=ALPHAS[-1])
    place = round(10 * float(alpha))
    if abs(10 * float(alpha) - place) > 1e-6:
        raise ValueError(f"alpha: expected a multiple of 0.1, got {alpha}")
    return place


def _steps(width: int, decoded: BeamDecoded, max_length: int) -> tuple[BeamStep, ...]:
    """Return the checked steps of a search."""
    check_integer("results: a beam's width", width, at_least=1)
    if width > WIDEST:
        raise ValueError(f"results: expected a beam of at most {WIDEST}, got {width}")
    name = f"results[{width}]"
    if not isinstance(decoded, BeamDecoded):
        raise TypeError(f"{name}: expected a BeamDecoded, got {type(decoded).__name__}")
    if decoded.steps is None:
        raise ValueError(f"{name}: expected a trace, as beam_search(..., trace=True) makes it")
    if len(decoded.scores) != 1:
        raise ValueError(f"{name}: expected one sentence, got {len(decoded.scores)}")
    check_count(f"{name}.steps", decoded.steps, 1, min(MOST_STEPS, max_length))
    for step in decoded.steps:
        kept = int(step.continued[0].sum())
        others = ~step.continued[0] & (step.token[0] != EOS)
        if kept > width or (kept < width and bool(others.any())):
            raise ValueError(f"{name}: expected the trace of a beam of {width}, got one of {kept}")
    return decoded.steps


def _tree(
    width: int, steps: Sequence[BeamStep], written: list[str], words: dict[str, int], longest: int
) -> list[list[Node]]:
    """Return each step's candidates; those that are impossible are left out.

    A node's parent is its place among the nodes of the step before, 0 (the begin mark) in the first
    step. New words are added to `words`.
    """
    last = CUT if len(steps) == longest else LEFT
    columns: list[list[Node]] = []
    going_on = [0]  # places of the prefixes that a step continues
    for number, step in enumerate(steps, start=1):
        column: list[Node] = []
        next_going_on = []
        parts = (step.parent, step.token, step.log_probability, step.continued, step.ended)
        candidates = zip(*(part[0].tolist() for part in parts), strict=True)
        for rank, (parent, token, log_p, continued, ended) in enumerate(candidates):
            if continued:
                next_going_on.append(len(column))
            if log_p == float("-inf"):  # stands behind all others, and is continued by such only
                continue
            if continued:
                state = KEPT if number < len(steps) else last
            elif token == EOS:
                state = ENDED if ended else DROPPED_END
            else:
                state = DROPPED
            word = words.setdefault(_word(written, token), len(words))
            column.append([going_on[parent], rank, word, round(log_p * MILLIONTHS), state])
        columns.append(column)
        going_on = next_going_on
    return columns


def _word(target_words: Sequence[str], token: int) -> str:
    if token >= len(target_words):
        raise ValueError(
            f"target_words: expected a word for each token, got {len(target_words)} words and the "
            f"token {token}"
        )
    return short_word(f"target_words[{token}]", target_words[token], LONGEST_WORD)


def _fallback(
    source: str, trees: Mapping[int, list[list[Node]]], words: Sequence[str], alpha: float
) -> str:
    """Return the best sequences of each width as a table."""
    rows = []
    for width, columns in trees.items():
        for place, (sequence, length, log_p, state) in enumerate(
            _ranked(columns, words, alpha)[:LISTED], start=1
        ):
            penalty = gnmt_penalty(length, alpha)
            numbers = [length, *(_written(one) for one in (log_p, penalty, log_p / penalty))]
            cells = [cell(escape(str(one))) for one in (width, place, *numbers)]
            mark = f" ({_('cut off')})" if state == CUT else ""
            rows.append(((sequence or _("(nothing)")) + mark, cells))
    caption = [
        _("Beam search for “{source}”").format(source=source),
        _("The best of each beam, by score = log P / lp(n), α = {alpha}").format(alpha=alpha),
    ]
    head = [_("beam"), _("place"), "n", "log P", "lp(n)", _("score")]
    return table(caption, head, rows)


def _ranked(
    columns: list[list[Node]], words: Sequence[str], alpha: float
) -> list[tuple[str, int, float, int]]:
    """Return sequence, n, log P and state of what has ended, then of what was cut off."""
    found = []
    before = [""]  # the sequence of each node of the step before
    for length, column in enumerate(columns, start=1):
        here = []
        for parent, _rank, word, log_p, state in column:
            ended = before[parent], length, log_p / MILLIONTHS, state
            here.append(f"{before[parent]} {words[word]}".strip())
            if state == ENDED:
                found.append(ended)
            elif state == CUT:
                found.append((here[-1], *ended[1:]))
        before = here
    return sorted(found, key=lambda one: (one[3] == CUT, -one[2] / gnmt_penalty(one[1], alpha)))


def _written(value: float) -> str:
    return f"{value:.{PLACES}f}".replace("-", "−")


def _labels() -> dict[str, Any]:
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
