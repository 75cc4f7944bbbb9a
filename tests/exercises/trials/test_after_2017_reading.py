"""The exercises of chapter 10 on BERT and XLNet: values by hand, the library's, typical slips."""

import math
from itertools import pairwise

import pytest
import torch

from bottomup.attention import scaled_dot_product_attention
from bottomup.exercises import catalog
from bottomup.models import two_stream_masks
from tests.exercises.trials.verdicts import expected_of, named

STREAMS = catalog()["two-stream-masks"]
PAIRS = catalog()["next-sentence-pairs"]
JOINT = catalog()["joint-likelihood"]


def test_two_streams_by_hand():
    """Position 2 comes first, then 0, then 1; queries of zeros read what they may evenly."""
    content, query = expected_of(STREAMS, 0)
    assert query.tolist() == [[2, 2], [1.5, 1], [0, 0]]
    assert content[2].tolist() == [2, 2]  # the first reads itself alone
    weight = 1 / (1 + math.exp((2 - 1) / math.sqrt(2)))  # of itself, beside position 2
    assert content[0].tolist() == pytest.approx([weight + 2 * (1 - weight), 2 * (1 - weight)])


@pytest.mark.parametrize("case", range(len(STREAMS.cases)))
def test_two_streams_are_the_librarys_masks(case: int):
    content, query, order = STREAMS.cases[case].fresh().inputs.values()
    masks = two_stream_masks(order)
    for asking, mask, got in zip((content, query), masks, expected_of(STREAMS, case), strict=True):
        wanted, _ = scaled_dot_product_attention(asking, content, content, mask)
        assert torch.allclose(got, wanted, atol=1e-6)


def test_pairs_by_hand():
    assert expected_of(PAIRS, 0) == [
        ("a1", "a2", True),
        ("a2", "b3", False),  # floor(0.6 * 4) = 2
        ("b1", "b2", True),
        ("b2", "a3", False),  # floor(0.9 * 3) = 2, and 0.5 is not below 0.5
        ("b3", "a1", False),
    ]


def test_the_joint_by_hand():
    """The second word has 0.5, and the first then 0.9."""
    assert expected_of(JOINT, 0).item() == pytest.approx(math.log(0.5) + math.log(0.9))


def as_one_pass(predict, tokens, order):
    seen = torch.ones(len(tokens), dtype=torch.bool)
    seen[order] = False
    return predict(tokens, seen)[order, tokens[order]].sum()


def with_the_order_as_ranks(content, query, order):
    may = order <= order[:, None]
    scale = content.shape[1] ** -0.5

    def read(asking, mask):
        scores = (asking @ content.T * scale).masked_fill(~mask, -torch.inf)
        return scores.softmax(-1).nan_to_num() @ content

    return read(content, may), read(query, order < order[:, None])


def from_anywhere(documents, coin, other, place):
    triples = []
    for document in documents:
        for first, successor in pairwise(document):
            n = len(triples)
            drawn = documents[int(other[n] * len(documents))]
            second = successor if coin[n] < 0.5 else drawn[int(place[n] * len(drawn))]
            triples.append((first, second, coin[n] < 0.5))
    return triples


@pytest.mark.parametrize(
    ("exercise", "answer", "slug"),
    [
        (JOINT, as_one_pass, "marginals-multiplied"),
        (STREAMS, with_the_order_as_ranks, "order-for-rank"),
        (PAIRS, from_anywhere, "own-document-among-the-others"),
    ],
)
def test_what_readers_write_is_named(exercise, answer, slug: str):
    assert named(exercise, answer) == slug
