"""Chapter 01's interactive figure: what a decoder reads before each target word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_choice, check_integer
from bottomup.explorables.alignment_labels import figure_labels, score_label
from bottomup.explorables.alignment_table import alignment_table
from bottomup.explorables.explorable import DIGITS, Explorable
from bottomup.explorables.words import sentence_of
from bottomup.plotting.arrays import finite_array

SCORES = ("bahdanau", "dot", "general", "concat", "additive")  # names as in `RNNSeq2Seq`
ROUNDING = 2e-3  # by which a row of weights, stored with four digits, may exceed 1


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
    if len(sentences) == 0:
        raise ValueError("sentences: expected at least one sentence, got none")
    scores = list(sentences[0].weights)
    _check_scores("sentences[0].weights", scores, scores)
    shares = _curves_payload(curves, scores)
    payload: dict[str, Any] = {
        "labels": figure_labels(curves.measure, seeds=shares["seeds"]),
        "scores": [{"name": name, "label": score_label(name)} for name in scores],
        "sentences": [
            _sentence_payload(f"sentences[{number}]", sentence, scores)
            for number, sentence in enumerate(sentences)
        ],
        "curves": shares,
    }
    table = alignment_table(payload["sentences"][0], score=scores[0])
    return Explorable(
        "alignments",
        payload,
        label=payload["labels"]["title"],
        fallback=table,
        script="alignments.js",
        style="alignments.css",
    )


def _check_scores(name: str, given: Sequence[str], scores: Sequence[str]) -> None:
    if len(given) == 0:
        raise ValueError(f"{name}: expected weights of at least one score, got none")
    for score in given:
        check_choice(name, score, SCORES)
    if set(given) != set(scores):
        raise ValueError(f"{name}: expected the scores {scores}, got {list(given)}")


def _sentence_payload(name: str, sentence: AlignedSentence, scores: list[str]) -> dict[str, Any]:
    _check_scores(f"{name}.weights", list(sentence.weights), scores)
    words = {
        field: _words(f"{name}.{field}", getattr(sentence, field))
        for field in ("source", "target", "romanised", "glosses")
    }
    n_target, n_source = len(words["target"]), len(words["source"])
    for field in ("romanised", "glosses"):
        if len(words[field]) != n_target:
            raise ValueError(
                f"{name}.{field}: expected {n_target} entries, one a target token, "
                f"got {len(words[field])}"
            )
    return {
        **words,
        "title": sentence_of(words["source"]),
        "links": _links(f"{name}.links", sentence.links, n_target, n_source),
        "weights": {
            score: _weights(
                f"{name}.weights[{score!r}]", sentence.weights[score], n_target, n_source
            ).tolist()
            for score in scores
        },
    }


def _words(name: str, words: Sequence[str]) -> list[str]:
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"{name}: expected a sequence of strings, got {words!r}")
    if len(words) == 0:
        raise ValueError(f"{name}: expected at least one entry, got none")
    return list(words)


def _links(
    name: str, links: Sequence[tuple[int, int, bool]], n_target: int, n_source: int
) -> list[list[int]]:
    """Return each link as [target, source, 1 where it is sure]."""
    seen: set[tuple[int, int]] = set()
    checked = []
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
        if (target, source) in seen:
            raise ValueError(f"{name}: expected each link once, got {(target, source)} twice")
        seen.add((target, source))
        checked.append([int(target), int(source), int(bool(sure))])
    return checked


def _weights(
    name: str, values: ArrayLike | Tensor, n_target: int, n_source: int
) -> NDArray[np.float64]:
    weights = finite_array(name, values, axes="target source")
    if weights.shape != (n_target, n_source):
        raise ValueError(
            f"{name}: expected shape [target={n_target}, source={n_source}], got {weights.shape}"
        )
    if weights.min() < 0:
        raise ValueError(f"{name}: expected weights of at least 0, got {weights.min():.4g}")
    sums = weights.sum(axis=1)
    if sums.max() > 1 + ROUNDING:
        row = int(sums.argmax())
        raise ValueError(f"{name}: expected rows that sum to at most 1, row {row}: {sums[row]:.4g}")
    return weights.round(DIGITS)


def _curves_payload(curves: LengthCurves, scores: list[str]) -> dict[str, Any]:
    _check_scores("curves.accuracy", list(curves.accuracy), scores)
    bins = _bins(curves.bins)
    if curves.longest_trained is not None:
        check_integer("curves.longest_trained", curves.longest_trained, at_least=1)
    runs = {
        score: _shares(f"curves.accuracy[{score!r}]", curves.accuracy[score], len(bins))
        for score in scores
    }
    fixed = _shares("curves.fixed_vector", curves.fixed_vector, len(bins))
    seeds = {len(run) for run in (fixed, *runs.values())}
    return {
        "bins": bins,
        "scores": {score: _spread(run) for score, run in runs.items()},
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


def _shares(name: str, values: ArrayLike | Tensor, n_bins: int) -> NDArray[np.float64]:
    shares = finite_array(name, values, axes="seeds bins")
    if shares.shape[1] != n_bins:
        raise ValueError(f"{name}: expected {n_bins} bins, got {shares.shape[1]}")
    if shares.min() < 0 or shares.max() > 1:
        worst = shares.min() if shares.min() < 0 else shares.max()
        raise ValueError(f"{name}: expected shares in [0, 1], got {worst:.4g}")
    return shares


def _spread(shares: NDArray[np.float64]) -> dict[str, list[float]]:
    """Return mean, minimum and maximum over seeds in each bin."""
    return {
        "mean": shares.mean(axis=0).tolist(),
        "low": shares.min(axis=0).tolist(),
        "high": shares.max(axis=0).tolist(),
    }
