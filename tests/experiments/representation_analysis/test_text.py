"""Chapter 08's corpora."""

import math
from dataclasses import replace

import pytest

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


def small() -> Text:
    words = Vocabulary(["a", "b", "c"])
    train = [([4, 5, 4], []), ([3, 4, 5], [])]  # a three times, b twice, c never; one unknown
    return Text(words, Vocabulary([]), train, [([4, 6], []), ([3, 5, 4], [])])


def test_counts_and_the_loss_of_a_guess_by_frequency_by_hand():
    assert small().counts().tolist() == [0, 0, 0, 0, 3, 2, 0]  # without the unknown word
    assert small().mask_id == 7
    # once more each, the four special ones too: 4, 3 and 1 of 12
    logs = [math.log(share / 12) for share in (4, 1, 3, 4)]
    assert small().frequency_loss() == pytest.approx(-sum(logs) / 4)
