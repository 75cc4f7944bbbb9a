"""Chapter 01's interactive figure: what a decoder reads before each target word."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_choice, check_integer
from bottomup.explorables.shared.explorable import DIGITS, Explorable
from bottomup.explorables.shared.inputs import check_count, sentence_of, weight_array
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

    For the current target word it shows the weight of every source word as a bar, with the gold
    links outlined (sure: solid, possible: dashed), and in words. Target tokens are written in
    Hangul, romanised or as glosses. Beside it stand the curves over length of the chosen score and
    of the model without attention, with the length of the sentence marked.

    Args:
        sentences: at least one, all with the same scores. The first is shown first, and so is the
            first of its scores.
        curves: with the same scores.

    Source: the figures follow Bahdanau, Cho and Bengio (2015), figures 2 and 3. Used in chapter 01.
    """
    check_count("sentences", sentences, 1)
    scores = list(sentences[0].weights)
    _check_scores("sentences[0].weights", scores, scores)
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


def _check_scores(name: str, given: Sequence[str], scores: Sequence[str]) -> None:
    check_count(name, given, 1)
    for score in given:
        check_choice(name, score, SCORES)
    if set(given) != set(scores):
        raise ValueError(f"{name}: expected the scores {scores}, got {list(given)}")


def _sentence_payload(name: str, sentence: AlignedSentence, scores: list[str]) -> dict[str, Any]:
    _check_scores(f"{name}.weights", list(sentence.weights), scores)
    source = strings(f"{name}.source", sentence.source)
    target = strings(f"{name}.target", sentence.target)
    check_count(f"{name}.source", source, 1)
    check_count(f"{name}.target", target, 1)
    axes = f"target={len(target)} source={len(source)}"
    return {
        "source": source,
        "target": target,
        "romanised": strings(f"{name}.romanised", sentence.romanised, len(target)),
        "glosses": strings(f"{name}.glosses", sentence.glosses, len(target)),
        "title": sentence_of(source),
        "links": _links(f"{name}.links", sentence.links, len(target), len(source)),
        "weights": {
            score: weight_array(f"{name}.weights[{score!r}]", sentence.weights[score], axes=axes)
            .round(DIGITS)
            .tolist()
            for score in scores
        },
    }


def _links(
    name: str, links: Sequence[tuple[int, int, bool]], n_target: int, n_source: int
) -> list[list[int]]:
    """Return each link as [target, source, 1 where it is sure]."""
    checked: dict[tuple[int, int], int] = {}
    for link in links:
        if not isinstance(link, Sequence) or len(link) != 3:
            raise TypeError(f"{name}: expected triples (target, source, sure), got {link!r}")
        target, source, sure = link
        if not all(isinstance(position, Integral) for position in (target, source)):
            raise TypeError(f"{name}: expected integer positions, got {link!r}")
        if not (0 <= target < n_target and 0 <= source < n_source):
            raise ValueError(
                f"{name}: expected a target position below {n_target} and a source position below "
                f"{n_source}, got {tuple(link)}"
            )
        if (target, source) in checked:
            raise ValueError(f"{name}: expected each link once, got {(target, source)} twice")
        checked[int(target), int(source)] = int(bool(sure))
    return [[*link, sure] for link, sure in checked.items()]


def _curves_payload(curves: LengthCurves, scores: list[str]) -> dict[str, Any]:
    _check_scores("curves.accuracy", list(curves.accuracy), scores)
    bins = _bins(curves.bins)
    if curves.longest_trained is not None:
        check_integer("curves.longest_trained", curves.longest_trained, at_least=1)
    values = {f"curves.accuracy[{score!r}]": curves.accuracy[score] for score in scores}
    values["curves.fixed_vector"] = curves.fixed_vector
    axes = f"seeds bins={len(bins)}"
    *runs, fixed = (
        finite_array(name, shares, axes=axes, low=0, high=1) for name, shares in values.items()
    )
    seeds = {len(run) for run in (fixed, *runs)}
    return {
        "bins": bins,
        "scores": {score: _spread(run) for score, run in zip(scores, runs, strict=True)},
        "fixed": _spread(fixed),
        "seeds": seeds.pop() if len(seeds) == 1 else None,
        "trained": curves.longest_trained,
    }


def _bins(bins: Sequence[tuple[int, int]]) -> list[list[int]]:
    before = 0
    for ends in bins:
        if not isinstance(ends, Sequence) or len(ends) != 2:
            raise TypeError(f"curves.bins: expected pairs (shortest, longest), got {ends!r}")
        for length in ends:
            check_integer("curves.bins", length, at_least=1)
        if not before < ends[0] <= ends[1]:
            raise ValueError(
                f"curves.bins: expected ranges that increase and do not overlap, got {list(bins)}"
            )
        before = ends[1]
    if len(bins) < 2:
        raise ValueError(f"curves.bins: expected at least two bins, got {list(bins)}")
    return [[int(length) for length in ends] for ends in bins]


def _spread(shares: NDArray[np.float64]) -> dict[str, list[float]]:
    """Return mean, minimum and maximum over seeds in each bin."""
    return {
        "mean": shares.mean(axis=0).tolist(),
        "low": shares.min(axis=0).tolist(),
        "high": shares.max(axis=0).tolist(),
    }


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
