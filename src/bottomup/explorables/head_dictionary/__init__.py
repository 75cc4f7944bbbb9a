"""Chapter 12's second interactive figure: the words that one head looks for."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil
from typing import TYPE_CHECKING, Any

from bottomup.checks import check_number
from bottomup.explorables.shared import inputs
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _

if TYPE_CHECKING:  # a figure is given answers, and needs no model to be drawn
    from bottomup.results.pretrained import HeadAnswers

__all__ = ["WordsOfHead", "head_dictionary"]

NAME = "head_dictionary"  # of the figure, and of the script that a page may load
LONGEST_WORD = 15
MOST_EXAMPLES = 10
WAYS = 2
IN_TABLE = 3  # answers that a viewer without script sees


class WordsOfHead(Explorable):
    """The figure with its words: a notebook with a kernel is handed their numbers by Python."""

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        """Return the figure, and for a notebook that runs, where the model is, a live widget."""
        from bottomup.explorables.engine import with_scripts  # brings torch and the records
        from bottomup.explorables.head_dictionary.script import words_script

        script = words_script()
        if script is None:
            return {"text/html": self._repr_html_(), "text/plain": repr(self)}
        return with_scripts(self, script)


def head_dictionary(answers: HeadAnswers, *, examples: Sequence[str]) -> WordsOfHead:
    """Build the figure: type a word, and see which words one head looks for.

    ``score = q(word) · k(other) / sqrt(d_head)``

    q is the head's query of the word at the second place of a text, and k its key of another word
    at the first. The page fetches the queries and keys of some thousand words, 0.4 MB, when a
    reader comes near, and computes the answer. Without them it has the recorded answers.

    Args:
        answers: as `bottomup.results.pretrained.head_answers` returns them.
        examples: words that a click asks for, one to ten; the first is shown first.

    Source: the map from queries to keys: Elhage et al. (2021), section "Splitting Attention Head
    terms into Query-Key and Output-Value Circuits". Used in chapter 12.
    """
    inputs.check_mapping("answers.answers", answers.answers)
    words = inputs.short_words("answers.answers", [*answers.answers], LONGEST_WORD)
    recorded = {word: _ways(word, answers.answers[word]) for word in words}
    inputs.check_count("examples", examples, 1, MOST_EXAMPLES)
    for word in examples:
        if word not in recorded:
            raise ValueError(f"examples: expected recorded words, got {word!r}")
    inputs.check_parts("answers.typical", answers.typical, "(looks for, is looked for)")
    for score in answers.typical:
        check_number("answers.typical", score)
    most = max(way[0][1] for ways in recorded.values() for way in ways)
    return WordsOfHead(
        {
            "labels": _labels(answers.notice),
            "model": NAME,
            "start": examples[0],
            "examples": [*examples],
            "recorded": {
                word: [" ".join(f"{other} {score:.1f}" for other, score in way) for way in ways]
                for word, ways in recorded.items()
            },
            "typical": [*answers.typical],
            "most": max(1, ceil(most)),
            "count": answers.count,
        },
        fallback=_fallback({word: recorded[word] for word in examples}, answers.notice),
        name=NAME,
    )


def _ways(word: str, ways: Any) -> list[list[tuple[str, float]]]:
    """Return the answers of both ways, the best of each first."""
    name = f"answers.answers[{word!r}]"
    inputs.check_parts(name, ways, "(looks for, is looked for)")
    for way in ways:
        inputs.check_count(name, way, 2)
        inputs.short_words(name, [other for other, _score in way], LONGEST_WORD)
        scores = [score for _other, score in way]
        for score in scores:
            check_number(name, score)
        if scores != sorted(scores, reverse=True):
            raise ValueError(f"{name}: expected the best answer first, got {scores}")
    return [[(other, float(score)) for other, score in way] for way in ways]


def _fallback(recorded: dict[str, list[list[tuple[str, float]]]], notice: str) -> str:
    """Return the first words that some words look for as a table; the site finds it by its mark."""
    rows = [
        (word, [cell(f"{escape(other)} {score:.1f}") for other, score in ways[0][:IN_TABLE]])
        for word, ways in recorded.items()
    ]
    caption = [_("Whom a word looks for in head 5 of layer 1, with the score"), notice]
    head = [_("first"), _("second"), _("third")]
    return f'<div data-live="dictionary">{table(caption, head, rows)}</div>'


def _labels(notice: str) -> dict[str, Any]:
    return {
        "title": _("The head's dictionary"),
        "word": _("An English word"),
        "examples": _("Words to try"),
        "way": _("Direction"),
        "ways": [_("whom it looks for"), _("who looks for it")],
        "heads": [_("word"), _("score")],
        "ask": _("{word}: ask for it"),
        "looks": [
            _("“{word}” looks most for “{first}”, with a score of {score}, and then for "
              "“{second}”, {next}."),
            _("“{first}” looks most for “{word}”, with a score of {score}, and then "
              "“{second}”, {next}."),
        ],
        "more": _("Half of all words have a first score below {typical}."),
        "less": _("Half of all words have a first score above {typical}."),
        "typical": _("half of all words have a first score below this line"),
        "unknown": _("“{word}” is not one of the {count} words that can be asked here."),
        "near": _("Known words near it:"),
        "none": _("Type a word."),
        "recorded": _("Recorded: {known} words can be asked, and {count} may answer."),
        "computed": _("Computed in this page, just now, with the queries and keys of {count} "
                      "words."),
        "note": _("The word that looks is second in a text, the other one first. Of two words of "
                  "one text, the one with a score higher by 1 gets 2.7 times the weight."),
        "notice": notice,
    }  # fmt: skip
