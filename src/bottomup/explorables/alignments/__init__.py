"""Chapter 01's interactive figure: what a decoder reads before each target word."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_choice, check_integer
from bottomup.explorables.shared import inputs
from bottomup.explorables.shared.explorable import DIGITS, Explorable
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.plotting.arrays import finite_array, strings

__all__ = ["AlignedSentence", "LengthCurves", "alignment_explorer"]

SCORES = ("bahdanau", "dot", "general", "concat", "additive")  # names as in `RNNSeq2Seq`


@dataclass(frozen=True, eq=False)
class AlignedSentence:
    """A sentence pair with its gold links and the weights of several models.

    Args:
        source: the source words, without an end mark [source].
        target: the target tokens, without an end mark [target].
        romanised: how each target token sounds [target].
        glosses: a rendering of each target token [target].
        links: gold links ``(target position, source position, sure)``, as in the mini-language.
        weights: for each score ("bahdanau", "dot", "general", "concat", "additive", as
            `RNNSeq2Seq` names them) the weights [target, source] over the source words. What a row
            lacks to 1 went to the end mark.
    """

    source: Sequence[str]
    target: Sequence[str]
    romanised: Sequence[str]
    glosses: Sequence[str]
    links: Sequence[tuple[int, int, bool]]
    weights: Mapping[str, ArrayLike | Tensor]


@dataclass(frozen=True, eq=False)
class LengthCurves:
    """How well each model translates sentences of each length, over several seeds.

    Args:
        bins: ranges of numbers of source words, both ends included, increasing: ``(4, 7)``.
        accuracy: for each score shares from 0 to 1 [seeds, bins].
        fixed_vector: the same of the model without attention [seeds, bins].
        measure: what the shares are, for the reader: "exact match".
        longest_trained: the number of source words of the longest training sentence, where some
            bins lie beyond it.
    """

    bins: Sequence[tuple[int, int]]
    accuracy: Mapping[str, ArrayLike | Tensor]
    fixed_vector: ArrayLike | Tensor
    measure: str
    longest_trained: int | None = None


def alignment_explorer(sentences: Sequence[AlignedSentence], curves: LengthCurves) -> Explorable:
    """Build the figure: pick a sentence and a score, move over the target words.

    For the current target word it shows the weight of every source word, and the gold links. Below
    stand the curves over length of the chosen score and of the model without attention.

    Args:
        sentences: at least one, all with the same scores. The first is shown first, and so is the
            first of its scores.
        curves: with the same scores.

    Source: the figures follow Bahdanau, Cho and Bengio (2015), figures 2 and 3. Used in chapter 01.
    """
    inputs.check_count("sentences", sentences, 1)
    scores = list(sentences[0].weights)
    inputs.check_count("sentences[0].weights", scores, 1)
    for score in scores:
        check_choice("sentences[0].weights", score, SCORES)
    shares = _curves_payload(curves, scores)
    shown = [
        _sentence_payload(f"sentences[{number}]", sentence, scores)
        for number, sentence in enumerate(sentences)
    ]
    return Explorable(
        {
            "labels": _labels(curves.measure, seeds=shares["seeds"]),
            "scores": [{"name": name, "label": _score_label(name)} for name in scores],
            "sentences": shown,
            "curves": shares,
        },
        fallback=_fallback(shown[0], score=scores[0]),
        name="alignments",
    )


def _sentence_payload(name: str, sentence: AlignedSentence, scores: list[str]) -> dict[str, Any]:
    inputs.check_mapping(f"{name}.weights", sentence.weights, scores)
    source = strings(f"{name}.source", sentence.source)
    target = strings(f"{name}.target", sentence.target)
    inputs.check_count(f"{name}.source", source, 1)
    inputs.check_count(f"{name}.target", target, 1)
    weights = {}
    for score in scores:
        place, axes = f"{name}.weights[{score!r}]", f"target={len(target)} source={len(source)}"
        given = inputs.weight_array(place, sentence.weights[score], axes=axes)
        weights[score] = given.round(DIGITS).tolist()
    return {
        "source": source,
        "target": target,
        "romanised": strings(f"{name}.romanised", sentence.romanised, len(target)),
        "glosses": strings(f"{name}.glosses", sentence.glosses, len(target)),
        "title": inputs.sentence_of(source),
        "links": _links(f"{name}.links", sentence.links, len(target), len(source)),
        "weights": weights,
    }


def _links(
    name: str, links: Sequence[tuple[int, int, bool]], targets: int, sources: int
) -> list[list[int]]:
    """Return each link as [target, source, 1 where it is sure]."""
    checked: dict[tuple[int, int], int] = {}
    for link in links:
        inputs.check_parts(name, link, "(target, source, sure)")
        check_integer(f"{name}: target", link[0], at_least=0, below=targets)
        check_integer(f"{name}: source", link[1], at_least=0, below=sources)
        place = int(link[0]), int(link[1])
        if place in checked:
            raise ValueError(f"{name}: expected each link once, got {place} twice")
        checked[place] = int(bool(link[2]))
    return [[*place, sure] for place, sure in checked.items()]


def _curves_payload(curves: LengthCurves, scores: list[str]) -> dict[str, Any]:
    bins = _bins(curves.bins)
    if curves.longest_trained is not None:
        check_integer("curves.longest_trained", curves.longest_trained, at_least=1)
    axes = f"seeds bins={len(bins)}"
    runs = inputs.finite_arrays(
        "curves.accuracy", curves.accuracy, scores, axes=axes, low=0, high=1
    )
    fixed = finite_array("curves.fixed_vector", curves.fixed_vector, axes=axes, low=0, high=1)
    seeds = {len(run) for run in (fixed, *runs.values())}
    return {
        "bins": bins,
        "scores": {score: _spread(runs[score]) for score in scores},
        "fixed": _spread(fixed),
        "seeds": seeds.pop() if len(seeds) == 1 else None,
        "trained": curves.longest_trained,
    }


def _bins(bins: Sequence[tuple[int, int]]) -> list[list[int]]:
    inputs.check_count("curves.bins", bins, 2)
    before = 0
    for ends in bins:
        inputs.check_parts("curves.bins", ends, "(shortest, longest)")
        for length in ends:
            check_integer("curves.bins", length, at_least=1)
        if not before < ends[0] <= ends[1]:
            wanted = "ranges that increase and do not overlap"
            raise ValueError(f"curves.bins: expected {wanted}, got {list(bins)}")
        before = ends[1]
    return [[int(length) for length in ends] for ends in bins]


def _spread(shares: NDArray[np.float64]) -> dict[str, list[float]]:
    over_seeds = {
        "mean": shares.mean(axis=0),
        "low": shares.min(axis=0),
        "high": shares.max(axis=0),
    }
    return {name: values.tolist() for name, values in over_seeds.items()}


def _fallback(sentence: Mapping[str, Any], *, score: str) -> str:
    """Return the weights of one sentence as a table; those that round to zero are left out."""
    caption = _("Weights of the {score} score for “{sentence}”").format(
        score=_score_label(score), sentence=sentence["title"]
    )
    legend = _("Rows: target tokens. Columns: source words. Bold: gold link; underlined: sure.")
    gold: dict[int, dict[int, bool]] = defaultdict(dict)
    for target, source, sure in sentence["links"]:
        gold[target][source] = bool(sure)
    rows = [
        (name, [_cell(weight, sure=gold[target].get(s)) for s, weight in enumerate(weights)])
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


def _score_label(score: str) -> str:
    """Return the name of a score as the chapter writes it.

    The additive score is Bahdanau's; in Luong's order of steps it carries his name.
    """
    return {
        "bahdanau": _("additive"),
        "dot": _("dot"),
        "general": _("general"),
        "concat": _("concat"),
        "additive": _("additive (Luong)"),
    }[score]


def _labels(measure: str, *, seeds: int | None) -> dict[str, str]:
    """Return every label; names in braces are filled in by the script.

    `seeds` is their number, None where the curves differ in that.
    """
    return {
        "title": _("Alignment explorer"),
        "sentence": _("Sentence"),
        "score": _("Score"),
        "script": _("Target tokens"),
        "hangul": _("Hangul"),
        "romanised": _("romanised"),
        "gloss": _("gloss"),
        "source": _("Source words and their weights"),
        "target": _("Target tokens, arrow keys move"),
        "how": _("Move over the target tokens: pointer, touch or arrow keys."),
        "sure": _("sure link"),
        "possible": _("possible link"),
        "reads": _("{word} reads {words}."),
        "quoted": _("“{word}”"),
        "end": _("the end mark"),
        "on_sure": _("A sure link leads to the word it reads most."),
        "on_possible": _("A possible link leads to the word it reads most."),
        "off": _("No gold link leads to the word it reads most."),
        "unlinked": _("It has no gold link."),
        "count": _("{score}: {right} of {all} tokens with a gold link read a linked word most."),
        "overview": _("All weights: target rows, source columns"),
        "measure": measure,
        "length": _("number of source words"),
        "fixed": _("fixed vector"),
        "here": _("this sentence, {length} words"),
        "beyond": _("longer than in training"),
        "chart": _("{measure} by length"),
        "at": _("{label}: {value} at this length"),
        "spread": _spread_label(seeds),
    }


def _spread_label(seeds: int | None) -> str:
    if seeds == 1:
        return _("One seed each.")
    if seeds is None:
        return _("Lines: mean over seeds. Bands: minimum to maximum.")
    return _("Lines: mean over {seeds} seeds. Bands: minimum to maximum.").format(seeds=seeds)
