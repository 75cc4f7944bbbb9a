"""Glosses and word classes."""

import pytest

from bottomup.data.minilang import CLASSES, gloss, word_class


@pytest.mark.parametrize(
    ("token", "meaning"),
    [
        ("할머니", "grandmother"),
        ("-께서", "-NOM.HON"),
        ("-께서는", "-TOP.HON"),
        ("책", "book"),
        ("세", "three"),
        ("-권", "-CL"),
        ("-을", "-OBJ"),
        ("읽", "read"),
        ("-으시", "-HON"),
        ("-었", "-PAST"),
        ("-다", "-DECL"),
        ("-ㅂ니다", "-DECL.POL"),
        ("드시", "eat.HON/drink.HON/take.HON"),
        ("모르", "not.know"),
        ("저", "I.HUM"),
        (".", "."),
        ("book", "book"),
    ],
)
def test_gloss(token, meaning):
    assert gloss(token) == meaning


@pytest.mark.parametrize(
    ("token", "word", "meaning"),
    [
        ("쓰", "wrote", "write"),
        ("쓰", "wears", "wear"),
        ("먹", "taking", "take"),
        ("드시", "drank", "drink.HON"),
        ("타", "rode", "ride"),
        ("있", "has", "have"),
        ("있", "is", "be"),
        ("-로", "for", "-toward"),
        ("-로", "with", "-by"),
        ("-에", "to", "-to"),
        ("-와", "and", "-and"),
        ("-와", "with", "-with"),
        ("-고", "reading", "-PROG"),
        ("-고", "and", "-and"),
        ("책", "book", "book"),
    ],
)
def test_the_source_chooses_the_sense(token, word, meaning):
    assert gloss(token, [word]) == meaning


def test_glosses_of_a_pair_name_one_sense_each(pairs):
    ambiguous = {token for pair in pairs for token in pair.target if "/" in gloss(token)}
    assert ambiguous == {"쓰", "먹", "드시", "타"}
    assert [pair for pair in pairs if "/" in "".join(pair.glosses)] == []


def test_every_token_of_the_corpus_has_a_gloss_and_a_class(pairs):
    glosses = {token: gloss(token) for pair in pairs for token in pair.target}
    assert [token for token, text in glosses.items() if not text.isascii()] == []
    bound = {token for token in glosses if token.startswith("-")}
    assert {token for token, text in glosses.items() if text.startswith("-")} == bound
    tokens = {token for pair in pairs for token in (*pair.source, *pair.target)}
    assert {word_class(token) for token in tokens} == set(CLASSES) - {"unknown"}


@pytest.mark.parametrize(
    ("english", "korean"),
    [
        ("book", "책"),
        ("read", "읽"),
        ("small", "작"),
        ("quickly", "빨리"),
        ("three", "세"),
        ("the", "-는"),
    ],
)
def test_classes_are_the_same_on_both_sides(english, korean):
    assert word_class(english) == word_class(korean) != "unknown"


def test_unknown_token_has_no_class():
    assert word_class("<unk>") == "unknown"
