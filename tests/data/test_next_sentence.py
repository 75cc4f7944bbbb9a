from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.data import BOS, EOS, documentation, next_sentence_pairs, overlap, pack

DOCUMENTS = (
    (("a", "1"), ("a", "2"), ("a", "3")),
    (("b", "1"),),
    (("c", "1"), ("c", "2"), ("c", "3"), ("c", "4"), ("c", "5")),
)
WORDS = st.lists(st.sampled_from("pqrst"), min_size=1, max_size=5)


def many(negatives: str) -> list:
    """Return the pairs of a hundred draws."""
    generator = torch.Generator().manual_seed(3)
    return [
        pair
        for _ in range(100)
        for pair in next_sentence_pairs(DOCUMENTS, generator=generator, negatives=negatives)
    ]


def test_each_sentence_with_a_successor_gives_one_pair_in_order():
    firsts = [pair.first for pair in many("other")[:6]]
    assert firsts == [*DOCUMENTS[0][:2], *DOCUMENTS[2][:4]]


def test_half_of_the_pairs_follow():
    share = sum(pair.follows for pair in many("other")) / 600
    assert 0.43 < share < 0.57  # 0.5 and 3.5 standard errors


def test_what_does_not_follow_is_of_another_document_each_as_likely():
    others = [pair for pair in many("other") if not pair.follows]
    assert all(pair.second[0] != pair.first[0] for pair in others)
    of_c = [pair.second[0] for pair in others if pair.first[0] == "c"]
    assert 0.35 < of_c.count("a") / len(of_c) < 0.65
    assert set(of_c) == {"a", "b"}
    of_a = {pair.second for pair in others if pair.first[0] == "a"}
    assert of_a == {*DOCUMENTS[1], *DOCUMENTS[2]}


@pytest.mark.parametrize("negatives", ["other", "swapped"])
def test_what_follows_is_the_successor(negatives: str):
    for pair in many(negatives):
        neighbours = pair.first[0] == pair.second[0] and (
            int(pair.second[1]) == int(pair.first[1]) + 1
        )
        assert pair.follows == neighbours


def test_swapped_pairs_are_neighbours_in_the_other_order():
    swapped = [pair for pair in many("swapped") if not pair.follows]
    assert swapped
    for pair in swapped:
        assert (pair.second[0], int(pair.second[1]) + 1) == (pair.first[0], int(pair.first[1]))


def test_the_same_seed_gives_the_same_pairs():
    one, other = (
        next_sentence_pairs(DOCUMENTS, generator=torch.Generator().manual_seed(5)) for _ in range(2)
    )
    assert one == other


def test_bad_documents_are_refused():
    generator = torch.Generator()
    with pytest.raises(ValueError, match="documents: expected at least two, got 1"):
        next_sentence_pairs(DOCUMENTS[:1], generator=generator)
    with pytest.raises(ValueError, match="documents: expected a sentence in each"):
        next_sentence_pairs([*DOCUMENTS, ()], generator=generator)
    with pytest.raises(ValueError, match="negatives: expected"):
        next_sentence_pairs(DOCUMENTS, generator=generator, negatives="same")


def test_marks_and_segments_by_hand():
    tokens, segments = pack([7, 11], [13, 17, 19])
    assert tokens == [BOS, 7, 11, EOS, 13, 17, 19, EOS]
    assert segments == [0, 0, 0, 0, 1, 1, 1, 1]


def test_words_in_common_by_hand():
    assert overlap(["the", "cat", "sat", "the"], ["the", "dog"]) == 1 / 4
    assert overlap(["a"], ["b"]) == 0
    with pytest.raises(ValueError, match="first: expected a word in one of two sentences"):
        overlap([], [])


@given(WORDS, WORDS)
def test_words_in_common_say_nothing_of_the_order(first: list[str], second: list[str]):
    assert overlap(first, second) == overlap(second, first)
    assert 0 <= overlap(first, second) <= 1
    assert overlap(first, first) == 1


def test_pythons_documentation_comes_in_documents():
    documents = documentation(longest=24)
    total = len(documents.training) + len(documents.test)
    assert total > 300
    assert abs(len(documents.test) - total / 10) < 1
    for document in (*documents.training, *documents.test):
        assert len(document) > 1
        assert all(4 <= len(sentence) <= 24 for sentence in document)
        assert all(a != b for a, b in pairwise(document))
