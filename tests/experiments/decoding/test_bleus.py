"""Home-made BLEUs: the right one is sacrebleu's, and each wrong one is wrong by a known amount."""

import math
import random

import pytest

from bottomup.experiments.decoding.bleus import (
    WRONG,
    Counts,
    arithmetic_bleu,
    brevity_penalty,
    corpus_bleu,
    count,
    no_brevity_bleu,
    sentence_bleus,
    sentence_mean_bleu,
    swapped_bleu,
    unclipped_bleu,
)
from bottomup.metrics import bleu

SIX, ITS_REFERENCE = list("abcdef"), list("abcdxefg")  # 6 tokens for 8
# 1-grams 6 of 6, 2-grams ab bc cd ef of 5, 3-grams abc bcd of 4, 4-grams abcd of 3
SHARES = (6 / 6, 4 / 5, 2 / 4, 1 / 3)


def test_the_counts_by_hand():
    assert count([SIX], [ITS_REFERENCE]) == Counts((6, 4, 2, 1), (6, 5, 4, 3), 6, 8)
    assert count([list("aaab")], [list("ab")]).matches == (2, 1, 0, 0)
    assert count([list("aaab")], [list("ab")], clipped=False).matches == (4, 1, 0, 0)


def test_the_scores_by_hand():
    geometric = 100 * math.prod(SHARES) ** (1 / 4)
    short = math.exp(1 - 8 / 6)
    assert corpus_bleu([SIX], [ITS_REFERENCE]) == pytest.approx(short * geometric)
    assert no_brevity_bleu([SIX], [ITS_REFERENCE]) == pytest.approx(geometric)
    assert arithmetic_bleu([SIX], [ITS_REFERENCE]) == pytest.approx(short * 25 * sum(SHARES))
    recalls = (6 / 8, 4 / 7, 2 / 6, 1 / 5)
    swapped = 100 * math.prod(recalls) ** (1 / 4)
    assert swapped_bleu([SIX], [ITS_REFERENCE]) == pytest.approx(swapped)
    # of 8, 7, 6, 5 n-grams 8, 6, 4, 2 are in the reference, half of them for the second time
    unclipped = 100 * (8 / 8 * 6 / 7 * 4 / 6 * 2 / 5) ** (1 / 4)
    assert unclipped_bleu([list("abcdabcd")], [list("abcdefgh")]) == pytest.approx(unclipped)


def test_the_mean_of_sentences_by_hand():
    hypotheses, references = [SIX, list("abcde")], [ITS_REFERENCE, list("abcde")]
    first = math.exp(1 - 8 / 6) * 100 * math.prod(SHARES) ** (1 / 4)
    assert sentence_bleus(hypotheses, references) == pytest.approx([first, 100])
    assert sentence_mean_bleu(hypotheses, references) == pytest.approx((first + 100) / 2)
    whole = math.exp(1 - 13 / 11) * 100 * (11 / 11 * 8 / 9 * 5 / 7 * 3 / 5) ** (1 / 4)
    assert corpus_bleu(hypotheses, references) == pytest.approx(whole)


@pytest.mark.parametrize(
    ("written", "right"), [([], list("ab")), (list("abc"), list("abc")), (list("xyzw"), list("ab"))]
)
def test_nothing_right_or_no_four_tokens_score_zero(written: list[str], right: list[str]):
    assert corpus_bleu([written], [right]) == bleu([written], [right]) == 0


def corpus(seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return random sentences over few words, some of them copies, some empty."""
    chance = random.Random(seed)
    references = [chance.choices("abcdefg", k=chance.randint(1, 17)) for _ in range(11)]
    hypotheses = [
        list(right)
        if chance.random() < 0.3
        else chance.choices("abcdefgh", k=chance.randint(0, 19))
        for right in references
    ]
    return hypotheses, references


@pytest.mark.parametrize("seed", range(5))
def test_the_right_one_is_sacrebleus(seed: int):
    hypotheses, references = corpus(seed)
    assert corpus_bleu(hypotheses, references) == pytest.approx(
        bleu(hypotheses, references), abs=1e-9
    )


def test_the_brevity_penalty_by_hand():
    assert brevity_penalty(5, 10) == pytest.approx(math.exp(-1))
    assert brevity_penalty(10, 5) == brevity_penalty(7, 7) == 1
    assert brevity_penalty(0, 3) == 0


@pytest.mark.parametrize("score", [corpus_bleu, *WRONG.values()])
def test_bad_input_is_refused(score):
    with pytest.raises(ValueError, match="same number of sentences, at least one, got 1 and 2"):
        count([["a"]], [["a"], ["b"]])
    with pytest.raises(ValueError, match="same number of sentences, at least one, got 0 and 0"):
        score([], [])
    with pytest.raises(TypeError, match="expected a list of tokens, got 'a b'"):
        score(["a b"], [["a"]])
