"""The patterns of training: the stored table is that of the corpus, and rarely warns in vain."""

import pytest

from bottomup.data.minilang.patterns import (
    BEGIN,
    kind,
    patterns_of,
    trained_patterns,
    unseen,
)


def test_a_word_of_grammar_is_a_kind_of_its_own_and_others_are_their_class():
    words = "the cat did not eat it , because two big dogs slept yesterday .".split()
    assert list(map(kind, words)) == (
        "the noun did not verb it , because number adjective noun verb time .".split()
    )


def test_the_first_two_kinds_lead_to_all_that_came_third():
    found = patterns_of([("the", "cat", "slept", "."), ("the", "old", "dog", "slept", ".")])
    assert found == {
        f"{BEGIN} the": ["adjective", "noun"],
        "the noun": ["verb"],
        "the adjective": ["noun"],
        "adjective noun": ["verb"],
        "noun verb": ["."],
    }


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("the cat ate the meat because it was hungry .", ""),
        ("the cat ate the meat because it was fresh .", ""),
        ("the cat ate the bread because it was fresh .", ""),
        ("the cat ate two apples .", ""),
        ("the books read the man .", ""),  # of a known pattern: the rule knows no meaning
        ("she wore glasses .", "she wore"),
        ("it rained .", "it rained"),
        ("slept .", "slept ."),
        ("i like you .", "i like you"),
        ("the man is a doctor .", "man is a"),
    ],
)
def test_the_first_words_that_never_stood_so_are_found(sentence: str, found: str):
    assert " ".join(unseen(sentence.split())) == found


def test_the_stored_table_is_that_of_the_frozen_corpus(pairs):
    """The sentences that taught the translators are these and more of their kind."""
    found, stored = patterns_of(pair.source for pair in pairs), trained_patterns()
    assert [pair for pair in pairs if unseen(pair.source)] == []
    assert all({*thirds} <= {*stored[first]} for first, thirds in found.items())
    assert len(found) > 0.9 * len(stored)
    assert sum(map(len, found.values())) > 0.75 * sum(map(len, stored.values()))
