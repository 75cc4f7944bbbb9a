from itertools import pairwise

import pytest
import torch

from bottomup.data import BOS, EOS, documentation, next_sentence_pairs, overlap, pack

DOCUMENTS = (
    (("a", "1"), ("a", "2"), ("a", "3")),
    (("b", "1"),),
    (("c", "1"), ("c", "2"), ("c", "3"), ("c", "4"), ("c", "5")),
)


def many(negatives: str) -> list:
    """Return the pairs of a hundred draws."""
    generator = torch.Generator().manual_seed(3)
    return [
        pair
        for _ in range(100)
        for pair in next_sentence_pairs(DOCUMENTS, generator=generator, negatives=negatives)
    ]


def test_each_sentence_with_a_successor_gives_one_pair_in_order_and_half_of_them_follow():
    pairs = many("other")
    assert [pair.first for pair in pairs[:6]] == [*DOCUMENTS[0][:2], *DOCUMENTS[2][:4]]
    share = sum(pair.follows for pair in pairs) / 600
    assert 0.43 < share < 0.57  # 0.5 and 3.5 standard errors
    assert pairs == many("other")


def test_what_does_not_follow_is_of_another_document_each_as_likely():
    others = [pair for pair in many("other") if not pair.follows]
    assert all(pair.second[0] != pair.first[0] for pair in others)
    of_c = [pair.second[0] for pair in others if pair.first[0] == "c"]
    assert 0.35 < of_c.count("a") / len(of_c) < 0.65
    assert set(of_c) == {"a", "b"}
    of_a = {pair.second for pair in others if pair.first[0] == "a"}
    assert of_a == {*DOCUMENTS[1], *DOCUMENTS[2]}


@pytest.mark.parametrize("negatives", ["other", "swapped"])
def test_what_follows_is_the_successor_and_what_is_swapped_the_one_before(negatives: str):
    for pair in many(negatives):
        step = int(pair.second[1]) - int(pair.first[1])
        neighbours = pair.first[0] == pair.second[0]
        assert pair.follows == (neighbours and step == 1)
        assert negatives == "other" or (neighbours and abs(step) == 1)


def test_marks_segments_and_words_in_common_by_hand():
    tokens, segments = pack([7, 11], [13, 17, 19])
    assert tokens == [BOS, 7, 11, EOS, 13, 17, 19, EOS]
    assert segments == [0, 0, 0, 0, 1, 1, 1, 1]
    for one, other in ((["the", "cat", "sat", "the"], ["the", "dog"]), (["a", "b"], ["b", "a"])):
        assert overlap(one, other) == overlap(other, one) == (1 if "a" in one else 1 / 4)
    assert overlap(["a"], ["b"]) == 0


def test_pythons_documentation_comes_in_documents():
    documents = documentation(longest=24)
    total = len(documents.training) + len(documents.test)
    assert total > 300
    assert abs(len(documents.test) - total / 10) < 1
    for document in (*documents.training, *documents.test):
        assert len(document) > 1
        assert all(4 <= len(sentence) <= 24 for sentence in document)
        assert all(a != b for a, b in pairwise(document))
