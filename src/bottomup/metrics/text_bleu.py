"""BLEU of sentences as text, by sacrebleu, with all that is needed to compare two systems."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bottomup.checks import check_integer
from bottomup.data.vocabulary import composed
from bottomup.metrics.bleu import check_corpus

ORDER = 4  # n-grams of one to four words
COLUMNS = 2 + 2 * ORDER


@dataclass(frozen=True)
class TextBLEU:
    """A score, how it was made, and the ten counts of each sentence that it is made of.

    Attributes:
        score: corpus BLEU, from 0 to 100.
        signature: sacrebleu's, with its version; papers that print it can be compared.
        precisions: p_1 to p_4, in per cent.
        brevity_penalty: BP, in (0, 1].
        statistics: for each sentence the words of the hypothesis, the words of the reference, the
            clipped matches of 1- to 4-grams, and the n-grams of the hypothesis, ``[sentence, 10]``.
    """

    score: float
    signature: str
    precisions: tuple[float, ...]
    brevity_penalty: float
    statistics: np.ndarray = field(repr=False, compare=False)


def text_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> TextBLEU:
    """Corpus BLEU of detokenised text, case kept, as sacrebleu computes it by default.

    Both sides are brought into Unicode's composed form, NFC; where they had one form before, the
    score is the same. The text is split into words by sacrebleu's tokenisation ``13a``, that of the
    WMT evaluations.
    `bleu` is the same formula for tokens that are already there.

    Args:
        hypotheses: the translations; one may be empty.
        references: one right translation for each, in the same order.

    Source: Papineni et al. (2002), section 2; Post (2018) for tokenisation and signature. Chapter
    06 takes the score apart.

    Example:
        >>> found = text_bleu(["The cat ate the meat."], ["The cat ate the meat."])
        >>> round(found.score, 1), found.precisions
        (100.0, (100.0, 100.0, 100.0, 100.0))
    """
    check_corpus(hypotheses, references)
    _check_texts("hypotheses", hypotheses)
    _check_texts("references", references)
    for number, text in enumerate(references):
        if not text.strip():
            raise ValueError(f"references[{number}]: expected a sentence, got {text!r}")
    from sacrebleu.metrics import BLEU  # the other metrics do without

    hypotheses, references = list(map(composed, hypotheses)), list(map(composed, references))
    metric = BLEU()
    whole = metric.corpus_score(hypotheses, [references])
    single = BLEU(effective_order=True)  # for one sentence; the counts are the same
    parts = [
        single.sentence_score(text, [right])
        for text, right in zip(hypotheses, references, strict=True)
    ]
    rows = [[part.sys_len, part.ref_len, *part.counts, *part.totals] for part in parts]
    return TextBLEU(
        score=float(whole.score),
        signature=str(metric.get_signature()),
        precisions=tuple(whole.precisions),
        brevity_penalty=float(whole.bp),
        statistics=np.array(rows, dtype=np.int64),
    )


def bleu_of_counts(counts: np.ndarray) -> np.ndarray:
    """Corpus BLEU from the summed counts of its sentences; 0 where an n-gram order has no match.

    ``BLEU = 100 min(1, exp(1 - r / c)) (p_1 p_2 p_3 p_4)^(1/4)``, with p_n the share of clipped
    matches among the n-grams, c hypothesis and r reference words. sacrebleu smooths an order
    without a match; everywhere else the two are equal.

    Args:
        counts: the columns of `TextBLEU.statistics`, summed over the sentences of a corpus,
            ``[..., 10]``.

    Returns:
        One score for each corpus, ``[...]``.

    Source: Papineni et al. (2002), section 2. Chapter 06 takes the score apart.
    """
    if counts.shape[-1:] != (COLUMNS,):
        raise ValueError(f"counts: expected {COLUMNS} columns, got shape {counts.shape}")
    c, r = counts[..., 0], counts[..., 1]
    matches, found = counts[..., 2 : 2 + ORDER], counts[..., 2 + ORDER :]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_log = np.log(matches / found).mean(axis=-1)
        penalty = np.minimum(0.0, 1.0 - r / c)
    return np.where((matches > 0).all(axis=-1), 100 * np.exp(mean_log + penalty), 0.0)


def resampled_difference(
    ours: np.ndarray, theirs: np.ndarray, *, resamples: int = 1000, seed: int = 0
) -> np.ndarray:
    """BLEU of one system minus BLEU of another, on test sets drawn from the test set.

    Each resample draws as many sentences as there are, with replacement, the same for both systems.
    The spread of the differences is the part of their uncertainty that comes from the choice of
    test sentences; another training would differ, too, and is not in it.

    Args:
        ours: counts of each sentence, `TextBLEU.statistics`, ``[sentence, 10]``.
        theirs: those of the other system on the same sentences, ``[sentence, 10]``.
        resamples: how many test sets.
        seed: fixes the draws.

    Returns:
        The differences, ``[resample]``.

    Source: Koehn (2004), paired bootstrap resampling. Chapter 06 uses it.

    Example:
        >>> right = text_bleu(["The cat ate the meat."], ["The cat ate the meat."])
        >>> wrong = text_bleu(["The dog ate the rice."], ["The cat ate the meat."])
        >>> resampled_difference(right.statistics, wrong.statistics, resamples=2)
        array([100., 100.])
    """
    check_integer("resamples", resamples, at_least=1)
    check_integer("seed", seed, at_least=0, below=2**63)
    fits = ours.shape == theirs.shape and ours.ndim == 2 and ours.shape[1] == COLUMNS
    if not fits or len(ours) == 0:
        raise ValueError(
            f"ours, theirs: expected axes [sentence, {COLUMNS}] for the same sentences, "
            f"at least one, got {ours.shape} and {theirs.shape}"
        )
    sentences = len(ours)
    drawn = np.random.default_rng(seed).integers(sentences, size=(resamples, sentences))
    # How often each sentence was drawn: a product sums the counts of all resamples at once.
    times = np.stack([np.bincount(row, minlength=sentences) for row in drawn]).astype(float)
    return bleu_of_counts(times @ ours) - bleu_of_counts(times @ theirs)


def _check_texts(name: str, texts: Sequence[object]) -> None:
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{number}]: expected a string, got {text!r}")
