"""Chapter 07's heads with the same summaries or each its own: sets."""

from dataclasses import replace

import pytest
import torch

from bottomup.attention import SparsePattern, fixed_masks
from bottomup.experiments import Record
from bottomup.experiments.sparse_transformers.heads import experiment as heads
from bottomup.experiments.sparse_transformers.heads.sets import head_masks, summary_places
from bottomup.experiments.sparse_transformers.training import experiment as training

NAME = "sparse_transformers_heads"
TINY = heads.PRESETS["tiny"]
TEXT = heads.SHORTER


def test_the_places_by_hand():
    same, distinct, wide = (summary_places(each, 8, 2, 3) for each in heads.SHARINGS)
    assert same == [range(6, 8)] * 3
    assert distinct == [range(6, 8), range(4, 6), range(2, 4)]
    assert wide == [range(2, 8)] * 3
    with pytest.raises(ValueError, match="summary: expected at most block / num_heads = 8 / 4"):
        summary_places("distinct", 8, 3, 4)


def test_a_mask_by_hand():
    masks = head_masks(7, 3, [range(2, 3), range(1, 2)])
    assert masks.shape == (2, 7, 7)
    assert masks[:, 4].nonzero().tolist() == [[0, 2], [0, 3], [0, 4], [1, 1], [1, 3], [1, 4]]
    assert masks[1, 6].nonzero().flatten().tolist() == [1, 4, 6]


@pytest.mark.parametrize("sharing, summary", [("same", 2), ("wide", 8)])
def test_where_heads_share_the_mask_is_that_of_fixed_attention(sharing: str, summary: int):
    own, summaries = fixed_masks(256, 16, summary)
    for mask in heads.masks(TEXT, sharing):
        assert torch.equal(mask, own | summaries)


def test_distinct_heads_cost_what_the_same_ones_do_and_reach_what_the_wide_ones_do():
    same, distinct, wide = (heads.masks(TEXT, sharing) for sharing in heads.SHARINGS)
    pairs = 16 * 16 * 17 // 2 + 2 * 16 * sum(range(16))  # own blocks, two of each earlier block
    assert [int(mask.sum()) for mask in distinct] == [pairs] * 4 == [int(m.sum()) for m in same]
    assert torch.equal(distinct.any(dim=0), wide[0])
    assert not torch.equal(distinct.any(dim=0), same[0])
    apart = distinct & ~fixed_masks(256, 16)[0]  # of earlier blocks: no head reads another's
    assert int(apart.sum(dim=0).max()) == 1


def test_the_same_summaries_give_the_network_of_the_other_room():
    pattern = SparsePattern(kind="fixed", width=TEXT.row, summary=TEXT.summary)
    corpus = training.load("text", TINY.text, 3)
    plain = training.untrained(TINY.text, pattern, corpus.vocabulary, 3).eval()
    model = heads.start(TINY.text, "same", corpus.vocabulary, 3).eval()
    with torch.no_grad():
        torch.testing.assert_close(model(corpus.test).logits, plain(corpus.test).logits)
        other = heads.start(TINY.text, "distinct", corpus.vocabulary, 3).eval()
        assert not torch.allclose(other(corpus.test).logits, plain(corpus.test).logits)
    for one, another in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, another)
    bits = heads.position_bits(model, corpus.test)
    assert bits.shape == (64,)
    assert bits.mean().item() == pytest.approx(training.test_bits(plain, corpus.test), rel=1e-5)


def test_a_later_block_depends_on_a_head_s_own_places_alone():
    """A layer's gradient says what position 40, in the third block, has read."""
    one_layer = replace(TEXT, num_layers=1)
    model = heads.start(one_layer, "distinct", 5, 0).eval()
    x = torch.randn(1, 256, TEXT.d_model, requires_grad=True)
    model.layers[0](x)[0, 40].sum().backward()
    assert x.grad is not None
    read = x.grad[0].abs().sum(dim=-1).nonzero().flatten().tolist()
    assert read == [*range(8, 16), *range(24, 32), *range(32, 41)]


def test_bits_are_the_mean_of_two_halves_and_reach_is_what_all_heads_read(tiny: Record):
    for name in heads.SHARINGS:
        (found,) = tiny.metric(name)
        assert found["bits"] == pytest.approx((found["first_half"] + found["second_half"]) / 2)
    same, distinct, wide = (tiny.runs[0]["metrics"][name] for name in heads.SHARINGS)
    assert same["scores"] == distinct["scores"] < wide["scores"]
    assert same["reached"] < distinct["reached"] == wide["reached"]
