"""Chapter 06: corpus BLEU made at home, once right and five times wrong, each in a way of its own.

All take translations and references as lists of token lists, one reference for each, and return a
score from 0 to 100. What the wrong ones do is in their names; what it costs is for the experiment
`decoding_search` to measure.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

ORDERS = (1, 2, 3, 4)

Sentences = Sequence[Sequence[str]]


class Counts(NamedTuple):
    """What BLEU is made of, added up over a corpus.

    Attributes:
        matches: for n = 1 to 4, the translations' n-grams that count as right.
        totals: for n = 1 to 4, all n-grams of the translations.
        written: c, the translations' tokens.
        right: r, the references' tokens.
    """

    matches: tuple[int, ...]
    totals: tuple[int, ...]
    written: int
    right: int


def corpus_bleu(hypotheses: Sentences, references: Sentences) -> float:
    """Corpus BLEU: what sacrebleu computes, in the open.

    ``BLEU = 100 * BP * exp(1/4 * sum over n of log p_n)``, ``p_n = matches_n / totals_n``,
    ``BP = min(1, exp(1 - r / c))``

    An n-gram of a translation counts as right as often as it stands in the reference, and no more
    often (clipping). The counts are added up over the corpus before anything is divided. As in
    sacrebleu, the k-th order without a match gets ``p_n = 1 / (2^k totals_n)``; without any match,
    or without any 4-gram, the score is 0.

    Args:
        hypotheses: the translations, each a list of tokens; one may be empty.
        references: one right translation for each, in the same order.

    Source: Papineni et al. (2002), section 2; Chen and Cherry (2014), section 3, smoothing 3.
    Chapter 06 takes it apart.
    """
    return _geometric(count(hypotheses, references))


def swapped_bleu(hypotheses: Sentences, references: Sentences) -> float:
    """Wrong: takes the references for translations, and the translations for references.

    The matches are the same, since clipping takes the lesser of two counts. The precisions become
    recalls, and the brevity penalty hits translations that are too long. With one reference the two
    changes nearly make up for each other: for translations shorter by a share d, BP is about
    ``1 - d``, and so is the ratio of recall to precision.
    """
    return corpus_bleu(references, hypotheses)


def sentence_mean_bleu(hypotheses: Sentences, references: Sentences) -> float:
    """Wrong: scores each sentence, then takes the mean.

    A sentence without a 4-gram that is right has a p_4 that only smoothing keeps from zero; a
    corpus has nearly always one. Each sentence counts alike, however short.
    """
    _check(hypotheses, references)
    return sum(sentence_bleus(hypotheses, references)) / len(hypotheses)


def sentence_bleus(hypotheses: Sentences, references: Sentences) -> list[float]:
    """Return the BLEU of each sentence, as of a corpus that has no other."""
    _check(hypotheses, references)
    return [corpus_bleu([h], [r]) for h, r in zip(hypotheses, references, strict=True)]


def unclipped_bleu(hypotheses: Sentences, references: Sentences) -> float:
    """Wrong: an n-gram counts as right each time it is written, if the reference has it at all.

    A translation that says one right word again and again has a perfect p_1. Never below
    `corpus_bleu`, but for smoothing.
    """
    return _geometric(count(hypotheses, references, clipped=False))


def no_brevity_bleu(hypotheses: Sentences, references: Sentences) -> float:
    """Wrong: leaves the brevity penalty out, so that writing little costs nothing."""
    counts = count(hypotheses, references)
    return _geometric(counts._replace(right=0))


def arithmetic_bleu(hypotheses: Sentences, references: Sentences) -> float:
    """Wrong: takes the arithmetic mean of p_1 to p_4, not the geometric one.

    ``100 * BP * 1/4 * sum over n of p_n``, never below the geometric mean; a p_n of zero is taken
    as it is.
    """
    counts = count(hypotheses, references)
    shares = [m / t if t else 0.0 for m, t in zip(counts.matches, counts.totals, strict=True)]
    return 100 * brevity_penalty(counts.written, counts.right) * sum(shares) / len(ORDERS)


WRONG: dict[str, Callable[[Sentences, Sentences], float]] = {
    "swapped": swapped_bleu,
    "sentence_mean": sentence_mean_bleu,
    "unclipped": unclipped_bleu,
    "no_brevity": no_brevity_bleu,
    "arithmetic": arithmetic_bleu,
}


def brevity_penalty(written: int, right: int) -> float:
    """Return ``BP = min(1, exp(1 - r / c))`` for c tokens written and r right ones; 0 for c = 0."""
    return math.exp(min(0.0, 1 - right / written)) if written else 0.0


def count(hypotheses: Sentences, references: Sentences, *, clipped: bool = True) -> Counts:
    """Count n-grams and tokens over a corpus.

    Args:
        hypotheses: the translations.
        references: one right translation for each.
        clipped: whether an n-gram is right at most as often as the reference has it.
    """
    _check(hypotheses, references)
    matches, totals = [0] * len(ORDERS), [0] * len(ORDERS)
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        for place, order in enumerate(ORDERS):
            written, right = _ngrams(hypothesis, order), _ngrams(reference, order)
            found = written & right if clipped else _kept(written, right)
            matches[place] += found.total()
            totals[place] += written.total()
    tokens = (sum(map(len, sentences)) for sentences in (hypotheses, references))
    return Counts(tuple(matches), tuple(totals), *tokens)


def _ngrams(sentence: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    starts = range(len(sentence) - order + 1)
    return Counter(tuple(sentence[start : start + order]) for start in starts)


def _kept(
    written: Counter[tuple[str, ...]], right: Counter[tuple[str, ...]]
) -> Counter[tuple[str, ...]]:
    return Counter({ngram: times for ngram, times in written.items() if ngram in right})


def _geometric(counts: Counts) -> float:
    if not any(counts.matches) or not all(counts.totals):
        return 0.0
    logs = [math.log(share) for share in _smoothed(counts)]
    return 100 * brevity_penalty(counts.written, counts.right) * math.exp(sum(logs) / len(ORDERS))


def _smoothed(counts: Counts) -> Iterator[float]:
    """Give p_n for each order; the k-th that is zero becomes 1 / (2^k totals_n)."""
    without = 0
    for matches, total in zip(counts.matches, counts.totals, strict=True):
        without += matches == 0
        yield matches / total if matches else 1 / (2**without * total)


def _check(hypotheses: Sentences, references: Sentences) -> None:
    if not len(hypotheses) or len(hypotheses) != len(references):
        raise ValueError(
            "hypotheses, references: expected the same number of sentences, at least one, "
            f"got {len(hypotheses)} and {len(references)}"
        )
    for name, sentences in (("hypotheses", hypotheses), ("references", references)):
        for number, sentence in enumerate(sentences):
            if not isinstance(sentence, list | tuple):
                raise TypeError(f"{name}[{number}]: expected a list of tokens, got {sentence!r}")
