import math
from unittest import TestCase

import pytest
from sacrebleu.metrics import BLEU

from bottomup.metrics import bleu

REFERENCE = ["the", "old", "dog", "slept", "near", "the", "red", "door"]
WRONG = ["the", "old", "cat", "slept", "near", "the", "red", "door"]


def test_a_corpus_without_a_sentence_of_four_tokens_scores_0():
    short = [["the", "old", "dog"], ["it", "slept"]]
    assert bleu(short, short) == 0.0
    assert bleu([*short, REFERENCE[:4]], [*short, REFERENCE[:4]]) == pytest.approx(100.0)


def test_tokenised_sentences_raise_no_warning():
    sentences = [["it", "slept", "there", "."]] * 101
    with TestCase().assertNoLogs("sacrebleu"):
        assert bleu(sentences, sentences) == pytest.approx(100.0)
    with TestCase().assertLogs("sacrebleu") as logged:
        BLEU(tokenize="none").corpus_score([" ".join(s) for s in sentences], [["a"] * 101])
    assert "tokenized period" in logged.output[0]


def test_a_short_translation_pays_the_brevity_penalty():
    # Six of eight words, all right: BP = exp(1 - 8 / 6).
    assert bleu([REFERENCE[:6]], [REFERENCE]) == pytest.approx(100 * math.exp(1 - 8 / 6))


def test_counts_are_taken_over_the_corpus():
    # Two sentences, one of them right: what the test above finds, and 8, 7, 6 and 5 more.
    precisions = [15 / 16, 12 / 14, 9 / 12, 7 / 10]
    score = bleu([REFERENCE, WRONG], [REFERENCE, REFERENCE])
    assert score == pytest.approx(100 * math.prod(precisions) ** 0.25)


def test_tokens_are_taken_as_they_are():
    # "dog." is one token here; a tokenizer would split it and find "dog".
    assert bleu([["dog."] * 5], [["dog"] * 5]) == 0.0
    assert bleu([["Dog"] * 5], [["dog"] * 5]) == 0.0


def test_the_signature_is_the_documented_one():
    scorer = BLEU(tokenize="none", force=True)
    scorer.corpus_score(["a b c d"], [["a b c d"]])
    signature, _, _ = str(scorer.get_signature()).partition("|version")
    assert signature in bleu.__doc__


@pytest.mark.parametrize(
    "hypotheses, references, error, message",
    [
        ([], [], ValueError, "at least one, got 0 and 0"),
        ([["a"]], [["a"], ["b"]], ValueError, "the same number of sentences.* got 1 and 2"),
        (["a b"], [["a", "b"]], TypeError, r"hypotheses\[0\]: expected a list of tokens, got 'a"),
        ([["a"]], [[]], ValueError, r"references\[0\]: expected at least one token"),
        ([["a b"]], [["a", "b"]], ValueError, r"hypotheses\[0\]: expected no white space"),
        (iter([["a"]]), [["a"]], TypeError, "hypotheses: expected a list of sentences, got list_"),
    ],
)
def test_bad_sentences_are_refused(hypotheses, references, error, message):
    with pytest.raises(error, match=message):
        bleu(hypotheses, references)
