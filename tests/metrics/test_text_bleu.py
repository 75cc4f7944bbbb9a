import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from bottomup.metrics import bleu_of_counts, resampled_difference, text_bleu

RIGHT = ["The cat is on the mat.", "A dog runs in the snow .", "Two men sit on a red bench."]
WRITTEN = ["The cat sat on the mat.", "A dog runs through the snow.", "Two men on a bench."]

SENTENCES = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d."]), min_size=1, max_size=9).map(" ".join),
    min_size=2,
    max_size=7,
)


def test_the_score_is_sacrebleus_and_the_signature_names_how():
    scores = text_bleu(WRITTEN, RIGHT)
    assert scores.score == pytest.approx(BLEU().corpus_score(WRITTEN, [RIGHT]).score)
    assert "tok:13a" in scores.signature
    assert "case:mixed" in scores.signature


def test_counts_of_one_sentence_by_hand():
    # the cat sat on the mat . / the cat is on the mat . : 6 of 7 words, 4 of 6 pairs (the cat,
    # on the, the mat, mat .), 2 of 5 triples (on the mat, the mat .), 1 of 4 (on the mat .)
    counts = text_bleu(["the cat sat on the mat."], ["the cat is on the mat."]).statistics
    assert counts.tolist() == [[7, 7, 6, 4, 2, 1, 7, 6, 5, 4]]


def test_bleu_from_counts_by_hand():
    counts = np.array([7, 7, 6, 4, 2, 1, 7, 6, 5, 4], dtype=float)
    by_hand = 100 * (6 / 7 * 4 / 6 * 2 / 5 * 1 / 4) ** 0.25
    assert bleu_of_counts(counts) == pytest.approx(by_hand)
    short = np.array([5, 10, 5, 4, 3, 2, 5, 4, 3, 2], dtype=float)
    assert bleu_of_counts(short) == pytest.approx(100 * math.exp(1 - 10 / 5))


@given(SENTENCES, st.randoms())
def test_counts_give_the_score_where_every_order_has_a_match(sentences, random):
    written = [" ".join(random.sample(text.split(), len(text.split()))) for text in sentences]
    scores = text_bleu(written, sentences)
    total = scores.statistics.sum(axis=0)
    if (total[2:6] > 0).all():
        assert bleu_of_counts(total) == pytest.approx(scores.score)
    else:
        assert bleu_of_counts(total) == 0


def test_counts_of_another_width_are_refused():
    with pytest.raises(ValueError, match=r"counts: expected 10 columns, got shape \(3, 7\)"):
        bleu_of_counts(np.ones((3, 7)))


def test_resamples_depend_on_the_seed_and_on_nothing_else():
    ours, theirs = text_bleu(RIGHT, RIGHT).statistics, text_bleu(WRITTEN, RIGHT).statistics
    first = resampled_difference(ours, theirs, resamples=11, seed=3)
    assert (first == resampled_difference(ours, theirs, resamples=11, seed=3)).all()
    assert (first != resampled_difference(ours, theirs, resamples=11, seed=5)).any()
    assert (first > 0).all()
    assert first.shape == (11,)


def test_a_resample_is_the_score_of_the_drawn_sentences():
    ours, theirs = text_bleu(RIGHT, RIGHT).statistics, text_bleu(WRITTEN, RIGHT).statistics
    [drawn] = np.random.default_rng(7).integers(3, size=(1, 3))
    expected = bleu_of_counts(ours[drawn].sum(0)) - bleu_of_counts(theirs[drawn].sum(0))
    [found] = resampled_difference(ours, theirs, resamples=1, seed=7)
    assert found == pytest.approx(float(expected))


def test_resampling_refuses_different_test_sets():
    counts = text_bleu(WRITTEN, RIGHT).statistics
    with pytest.raises(ValueError, match="for the same sentences"):
        resampled_difference(counts, counts[:2])
    with pytest.raises(ValueError, match=r"at least one, got \(0, 10\) and \(0, 10\)"):
        resampled_difference(counts[:0], counts[:0])


@pytest.mark.parametrize(
    "written, right, error, message",
    [
        ([], [], ValueError, "at least one, got 0 and 0"),
        (["a"], ["a", "b"], ValueError, "got 1 and 2"),
        (["a"], [" "], ValueError, r"references\[0\]: expected a sentence, got ' '"),
    ],
)
def test_bad_texts_are_refused(written, right, error, message):
    with pytest.raises(error, match=message):
        text_bleu(written, right)
