"""Odd text: canonically equivalent text is the same text, and what cannot be written is refused."""

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from bottomup import exercises, results
from bottomup.data import JointBPE, Vocabulary, encode_word, learn_merges, overlap
from bottomup.data.minilang import detokenize, gloss, romanise, word_class
from bottomup.metrics import bleu, text_bleu
from bottomup.plotting import curves, heat_map


def decomposed(text: str) -> str:
    found = unicodedata.normalize("NFD", text)
    assert found != text
    return found


SENTENCE = "나는 어제 책을 읽었다."
WORDS = ["한국어", "café", "가", "Ångström", "각하"]


@pytest.mark.parametrize("word", WORDS)
def test_a_vocabulary_finds_a_word_in_either_form(word):
    for known in (Vocabulary([word]), Vocabulary([decomposed(word)])):
        assert known.encode([word, decomposed(word)]) == [4, 4]
        assert word in known
        assert decomposed(word) in known
        assert unicodedata.normalize("NFC", known.decode([4])[0]) == word
    with pytest.raises(ValueError, match="expected each token once"):
        Vocabulary([word, decomposed(word)])
    assert len(Vocabulary.build([[word, decomposed(word)]], min_count=2)) == 5


@pytest.mark.parametrize(("word", "first"), [("한국어", ("국", "어")), ("café", ("a", "f"))])
def test_byte_pairs_learn_and_read_composed_characters(word, first):
    """Counts of both forms are added up: its pairs come thrice."""
    merges = learn_merges({word: 2, decomposed(word): 1, "zz": 2}, merges=1)
    assert merges == [first]  # of equally frequent ones the first in alphabetical order
    assert encode_word(decomposed(word), merges) == encode_word(word, merges)
    pieces = JointBPE.train([word] * 3, vocabulary=300)  # bytes keep the form of a text
    for text in (word, decomposed(word)):
        assert pieces.decode(pieces.encode(text)) == text


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (romanise, "책을 읽었다."),
        (lambda text: detokenize([text, "-었", "-다"]), "듣"),
        (lambda text: detokenize(["듣", text, "-다"]), "-었"),
        (gloss, "-께서"),
        (gloss, "책"),
        (word_class, "책"),
        (lambda text: text_bleu([text], [SENTENCE]).score, SENTENCE),
        (lambda text: text_bleu([SENTENCE], [text]).score, SENTENCE),
        (lambda text: bleu([[text, "b", "c", "d"]], [["가", "b", "c", "d"]]), "가"),
        (lambda text: bleu([["가", "b", "c", "d"]], [[text, "b", "c", "d"]]), "가"),
        (lambda text: overlap([text], ["가"]), "가"),
    ],
)
def test_both_forms_of_a_text_give_the_same(function, text):
    assert function(decomposed(text)) == function(text)


PIECES = JointBPE.train(["a b c"] * 3, vocabulary=270)
WEIGHTS = [[1.0, 0.0], [0.0, 1.0]]
SURROGATES = ["\ud800", "a\udfff", "\udc00\ud800 b"]


@pytest.mark.parametrize("text", SURROGATES)
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("text", PIECES.encode),
        ("text", PIECES.pieces),
        ("texts", lambda text: JointBPE.train(["a", text], vocabulary=270)),
        ("query_labels", lambda text: heat_map(WEIGHTS, ["a", text], ["b", "c"])),
        ("key_labels", lambda text: heat_map(WEIGHTS, ["b", "c"], ["a", text])),
        ("title", lambda text: heat_map(WEIGHTS, ["b", "c"], ["a", "b"], title=text)),
        ("xlabel", lambda text: curves([1], {"a": [[1.0]]}, xlabel=text, ylabel="y")),
    ],
)
def test_half_a_character_is_refused_where_text_is_written(name, function, text):
    with pytest.raises(ValueError, match=f"^{name}: expected text without lone surrogates"):
        function(text)


ODD: list[Any] = ["", " ", "\0", "\ud800", "가", decomposed("가"), "\U0001f469\u200d", "\u202eשלום"]
ODD += ["a\u00a0b", "a\u2028b", "x" * 100_000, "a\tb\n", "\ufeffa", "$5$", "{0}", "../x"]
ODD += [None, b"a", 3, ["a"], {}]


@pytest.mark.parametrize(
    "function",
    [
        lambda name: exercises.check(name, lambda: 0),
        exercises.hint,
        exercises.solution,
        lambda name: exercises.catch(name, lambda answer: None),
        results.load,
        results.benchmark,
    ],
)
def test_a_name_that_is_none_is_refused_in_one_sentence(function: Callable[[Any], Any]):
    for odd in ODD:
        with pytest.raises((TypeError, ValueError), match=r"^(slug|name): expected ") as caught:
            function(odd)
        assert len(str(caught.value)) < 2_500


@pytest.mark.parametrize("function", [romanise, gloss, word_class])
def test_what_is_no_text_is_refused(function):
    for odd in (None, b"a", 3, ["가"]):
        with pytest.raises(TypeError, match="^(text|token): expected a string"):
            function(odd)
