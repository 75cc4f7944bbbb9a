"""The clipped counts of BLEU, of chapter 06: by hand, by sacrebleu, typical slips."""

from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

BLEU_CLIPPING = catalog()["bleu-clipping"]


SHARES = {
    0: 2 / 7,  # the, twice
    1: 5 / 8,  # a cat; the dog, red
    2: 2 / 5,  # cat; dog
    3: 5 / 6,  # ab twice of three times, bc, ca, ba
    4: 2 / 3,
    5: 1.0,
    6: 0.0,
    7: 0.0,
    8: 1 / 3,  # abcd, bcde of six; the second sentence has none
    9: 0.0,
    10: 0.0,
}


@pytest.mark.parametrize("case", SHARES)
def test_shares_by_hand(case: int):
    assert expected_of(BLEU_CLIPPING, case) == pytest.approx(SHARES[case])


SENTENCES = st.lists(
    st.tuples(*[st.lists(st.sampled_from("abc"), max_size=9)] * 2), min_size=1, max_size=4
)


@given(SENTENCES, st.integers(1, 4))
def test_the_counts_are_sacrebleu_s(pairs: list[tuple[list[str], list[str]]], n: int):
    hypotheses, references = ([list(side) for side in sides] for sides in zip(*pairs, strict=True))
    score = BLEU(tokenize="none", force=True, smooth_method="none").corpus_score(
        [" ".join(sentence) for sentence in hypotheses],
        [[" ".join(sentence) for sentence in references]],
    )
    matched, total = score.counts[n - 1], score.totals[n - 1]
    expected = matched / total if total else 0.0
    assert BLEU_CLIPPING.solution(hypotheses, references, n) == pytest.approx(expected)


def grams(tokens: list[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(tokens[i:] for i in range(n)), strict=False))


def summed(count: Callable[..., tuple[float, float]]) -> Callable[..., float]:
    def answer(hypotheses: list[list[str]], references: list[list[str]], n: int) -> float:
        counts = [count(grams(a, n), grams(b, n)) for a, b in zip(hypotheses, references)]  # noqa: B905
        matched, total = map(sum, zip(*counts, strict=True))
        return matched / total if total else 0.0

    return answer


def as_texts(hypotheses, references, n):
    """Looks for the words of an n-gram in the reference's text."""
    right = total = 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        for gram in grams(hypothesis, n):
            right += " ".join(gram) in " ".join(reference)
            total += 1
    return right / total if total else 0.0


def with_a_dictionary(hypotheses, references, n):
    right = total = 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        left = dict.fromkeys(grams(reference, n), 0)
        for gram in grams(reference, n):
            left[gram] += 1
        for gram in grams(hypothesis, n):
            total += 1
            if left.get(gram, 0) > 0:
                left[gram] -= 1
                right += 1
    return 0 if total == 0 else right / total


def with_joined_texts(hypotheses, references, n):
    right = total = 0
    for a, b in zip(hypotheses, references, strict=True):
        has, theirs = (Counter(" ".join(gram) for gram in grams(x, n)) for x in (a, b))
        right += sum((has & theirs).values())
        total += sum(has.values())
    return right / total if total else 0.0


def test_grams_joined_by_a_blank_pass():
    assert report_on(BLEU_CLIPPING, with_joined_texts).passed


def test_using_each_gram_of_the_reference_once_passes():
    assert report_on(BLEU_CLIPPING, with_a_dictionary).passed


def mean_over_sentences(hypotheses, references, n):
    shares = [
        BLEU_CLIPPING.solution([a], [b], n) for a, b in zip(hypotheses, references, strict=True)
    ]
    return sum(shares) / len(shares)


def total_by_lengths(hypotheses, references, n):
    """Adds up m - n + 1 without a floor at zero."""
    matched = total = 0
    for a, b in zip(hypotheses, references, strict=True):
        matched += sum((Counter(grams(a, n)) & Counter(grams(b, n))).values())
        total += len(a) - n + 1
    return matched / total if total else 0.0


def glued(hypotheses, references, n):
    """Keeps an n-gram as its letters without a gap."""
    right = total = 0
    for a, b in zip(hypotheses, references, strict=True):
        counts = Counter("".join(gram) for gram in grams(a, n))
        right += sum((counts & Counter("".join(gram) for gram in grams(b, n))).values())
        total += sum(counts.values())
    return right / total if total else 0.0


def all_orders(hypotheses, references, n):
    def counted(a, b):
        has, right = (Counter(g for k in range(n) for g in grams(x, k + 1)) for x in (a, b))
        return sum((has & right).values()), sum(has.values())

    counts = [counted(a, b) for a, b in zip(hypotheses, references, strict=True)]
    total = sum(t for _m, t in counts)
    return sum(m for m, _t in counts) / total if total else 0.0


def cut_short(ours: int, theirs: int) -> Callable[..., float]:
    """One n-gram too few, of the hypothesis, of the reference or of both."""

    def answer(hypotheses, references, n):
        matched = total = 0
        for a, b in zip(hypotheses, references, strict=True):
            has, right = (
                Counter(tuple(x[i : i + n]) for i in range(len(x) - n + 1 - less))
                for x, less in ((a, ours), (b, theirs))
            )
            matched += sum((has & right).values())
            total += sum(has.values())
        return matched / total if total else 0.0

    return answer


def mean_without_the_empty(hypotheses, references, n):
    shares = [
        BLEU_CLIPPING.solution([a], [b], n)
        for a, b in zip(hypotheses, references, strict=True)
        if len(a) >= n
    ]
    return sum(shares) / len(shares) if shares else 0.0


BLEU_SLIPS = {
    "tokens-joined": glued,
    "in-per-cent": lambda *inputs: 100 * BLEU_CLIPPING.solution(*inputs),
    "number-of-grams-wrong": [cut_short(1, 0), cut_short(0, 1), cut_short(1, 1), total_by_lengths],
    "averaged-over-sentences": [mean_without_the_empty, mean_over_sentences],
    "not-clipped": summed(lambda a, b: (sum(x in b for x in a), len(a))),
    "sets-instead-of-counts": [
        summed(lambda a, b: (len(set(a) & set(b)), len(a))),
        summed(lambda a, b: (len(set(a) & set(b)), len(set(a)))),
    ],
    "hypothesis-and-reference-exchanged": [
        summed(lambda a, b: (sum((Counter(a) & Counter(b)).values()), len(b))),
        lambda a, b, n: BLEU_CLIPPING.solution(b, a, n),
    ],
    "searched-in-the-text": as_texts,
    "orders-up-to-n": all_orders,
    "clipped-over-the-corpus": lambda a, b, n: BLEU_CLIPPING.solution(
        [[*chain(*a)]], [[*chain(*b)]], n
    ),
}


@wrong_answers(BLEU_SLIPS)
def test_a_slip_of_bleu_is_named(wrong, mistake: str):
    assert named(BLEU_CLIPPING, wrong) == mistake


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda a, b, n: (2, 7), "expected a number"),
        (lambda a, b, n: BLEU_CLIPPING.solution(a, b, 1), "The number differs by"),
        (lambda a, b, n: BLEU(tokenize="none", force=True).corpus_score(
            [" ".join(x) for x in a], [[" ".join(x) for x in b]]).score, "The number differs by"),
    ],
)  # fmt: skip
def test_another_bleu_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(BLEU_CLIPPING, answer, sentence)
