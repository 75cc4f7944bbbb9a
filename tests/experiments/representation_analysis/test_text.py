"""Chapter 08's corpora."""

import math
from dataclasses import replace

import pytest
import torch

from bottomup.data import Vocabulary, multi30k
from bottomup.experiments.representation_analysis import text as texts
from bottomup.experiments.representation_analysis.config import LONGEST, Config
from bottomup.experiments.representation_analysis.experiment import TINY
from bottomup.experiments.representation_analysis.text import Text, load_text
from tests.experiments.representation_analysis.tiny_layers import tiny_text


def test_the_mini_language_is_measured_on_sentences_that_were_not_trained_on():
    text = tiny_text()
    assert len(text.test) == TINY.sentences == 200
    assert text.mask_id == len(text.words) == 566
    assert not {tuple(source) for source, _ in text.train} & {tuple(s) for s, _ in text.test}
    more = load_text(replace(TINY, sentences=7))
    assert more.test == text.test[:7]
    assert more.train is text.train
    assert all(0 < len(source) < LONGEST for source, _ in (*text.train, *text.test))
    assert all(target for _, target in text.train)


@pytest.mark.slow
def test_docstrings_have_no_translation_and_rare_words_are_unknown():
    text = load_text(Config(corpus="docstrings", sentences=300, objectives=("lm", "mlm")))
    assert (len(text.test), len(text.target_tokens)) == (300, 4)
    assert not any(target for _, target in (*text.train, *text.test))
    counts = torch.bincount(torch.tensor([word for source, _ in text.train for word in source]))
    assert counts[4:].min() == 5
    assert counts[3] > 0
    assert max(len(source) for source, _ in text.train) < LONGEST


def test_captions_are_split_into_words_and_some_are_held_out(monkeypatch: pytest.MonkeyPatch):
    pairs = [multi30k.TextPair(f"A dog's {n}.", f"Ein Hund, {n}!") for n in range(7)]
    long = multi30k.TextPair("a " * LONGEST, "ein")
    corpus = multi30k.Multi30k((*pairs[:4], long), tuple(pairs[4:6]), (pairs[6],))
    monkeypatch.setattr(multi30k, "load", lambda: corpus)
    monkeypatch.setattr(texts, "HELD_OUT", 1)
    monkeypatch.setattr(texts, "RARE", 3)
    texts._multi30k.cache_clear()
    text = load_text(Config(corpus="multi30k"))
    texts._multi30k.cache_clear()  # the sample is no corpus for others
    # three captions to train on: the fourth is held out, the long one left out
    assert (len(text.train), len(text.test)) == (3, 4)
    assert text.words.tokens[4:] == (".", "a", "dog's")  # the numbers are rare
    assert text.target_tokens.tokens[4:] == ("!", ",", "ein", "hund")
    assert text.train[0] == ([5, 6, 3, 4], [6, 7, 5, 3, 4])


def test_another_corpus_is_refused_by_name():
    with pytest.raises(ValueError, match="corpus: expected one of 'minilang', 'docstrings', .*'x'"):
        load_text(Config(corpus="x"))


def small() -> Text:
    words = Vocabulary(["a", "b", "c"])
    train = [([4, 5, 4], []), ([3, 4, 5], [])]  # a three times, b twice, c never; one unknown
    return Text(words, Vocabulary([]), train, [([4, 6], []), ([3, 5, 4], [])])


def test_counts_by_hand_leave_the_unknown_word_out():
    assert small().counts().tolist() == [0, 0, 0, 0, 3, 2, 0]
    assert small().mask_id == 7


def test_the_loss_of_a_guess_by_frequency_by_hand():
    # once more each, the four special ones too: 4, 3 and 1 of 12
    logs = [math.log(share / 12) for share in (4, 1, 3, 4)]
    assert small().frequency_loss() == pytest.approx(-sum(logs) / 4)


def test_counts_are_those_of_the_sentences_to_train_on():
    text = tiny_text()
    counts = text.counts()
    assert len(counts) == len(text.words)
    assert int(counts.sum()) == sum(len(source) for source, _ in text.train)
    assert counts[4:].diff().max() <= 0  # words are numbered from the most frequent one
