"""What holds for patterns of sparse attention, and for the network of them, at every size."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.attention import (
    SparsePattern,
    SparseSelfAttention,
    causal_scores,
    fixed_masks,
    fixed_scores,
    scaled_dot_product_attention,
    sparse_attention,
    strided_masks,
    strided_scores,
)
from bottomup.attention.sparse.patterns import KINDS, WAYS
from bottomup.masks import causal_mask
from bottomup.models import SparseTransformer, SparseTransformerConfig
from tests.drawn import seeded

each = settings(max_examples=60)
sizes = st.integers(1, 70)
layers = st.integers(0, 3)


@st.composite
def patterns(draw: st.DrawFn) -> SparsePattern:
    width = draw(sizes)
    return SparsePattern(
        kind=draw(st.sampled_from(KINDS)),
        width=width,
        summary=draw(st.integers(1, width)),
        merge=draw(st.sampled_from(WAYS)),
    )


@given(n=st.integers(1, 30), stride=st.integers(1, 35), paper=st.booleans())
def test_strided_sets_are_causal_and_reach_everything_in_two_steps(n, stride, paper):
    window, column = strided_masks(n, stride, paper_window=paper)
    causal = causal_mask(n)
    for mask in (window, column):
        assert not (mask & ~causal).any()
        assert mask.diagonal().all()
    assert torch.equal(window.float() @ column.float() > 0, causal)
    assert torch.equal(column.float() @ window.float() > 0, causal)


@given(n=st.integers(1, 30), block=st.integers(1, 35), data=st.data())
def test_fixed_sets_are_causal_and_share_the_own_blocks_summaries(n, block, data):
    own, summaries = fixed_masks(n, block, data.draw(st.integers(1, block)))
    assert not ((own | summaries) & ~causal_mask(n)).any()
    assert own.diagonal().all()
    position = torch.arange(n)
    same_block = position[:, None] // block == position // block
    assert torch.equal(own & summaries, summaries & same_block)
    # whoever comes later may read a summary too
    assert not (summaries[:-1] & ~summaries[1:]).any()


@each
@given(pattern=patterns(), n=sizes, layer=layers, seed=st.integers(0, 99))
def test_attention_is_dense_attention_under_the_mask(pattern, n, layer, seed):
    inputs = torch.randn(3, 2, 4, n, 5, generator=seeded(seed), dtype=torch.float64)
    mask = pattern.mask(n, num_heads=4, layer=layer)
    dense, _ = scaled_dot_product_attention(*inputs, mask)
    sparse = sparse_attention(*inputs, pattern=pattern, layer=layer)
    torch.testing.assert_close(sparse, dense, rtol=0, atol=1e-12)


@each
@given(pattern=patterns(), n=sizes, layer=layers)
def test_a_mask_is_causal_and_its_first_set_holds_oneself(pattern, n, layer):
    mask = pattern.mask(n, num_heads=2, layer=layer)
    assert not mask.triu(1).any()
    if pattern.kind != "fixed" or pattern.merge == "union":
        assert mask.diagonal(dim1=-2, dim2=-1).all()
    elif pattern.merge == "heads" or layer % 2 == 0:
        assert mask[0].diagonal().all()


@each
@given(pattern=patterns(), n=sizes)
def test_both_sets_together_are_the_union(pattern, n):
    union = SparsePattern(kind=pattern.kind, width=pattern.width, summary=pattern.summary)
    by_head = SparsePattern(**{**vars(union), "merge": "heads"}).mask(n, num_heads=2)
    by_layer = SparsePattern(**{**vars(union), "merge": "layers"})
    wanted = union.mask(n)[0]
    assert torch.equal(by_head[0] | by_head[1], wanted)
    assert torch.equal((by_layer.mask(n) | by_layer.mask(n, layer=1))[0], wanted)
    counts = {
        "dense": causal_scores(n),
        "strided": strided_scores(n, pattern.width),
        "fixed": fixed_scores(n, pattern.width, pattern.summary),
    }
    if pattern.kind in counts:
        assert wanted.sum() == counts[pattern.kind].needed


@each
@given(pattern=patterns(), n=sizes, layer=layers, seed=st.integers(0, 99))
def test_weights_sum_to_one_or_to_nothing_and_lie_on_the_pattern(pattern, n, layer, seed):
    x = torch.randn(2, n, 6, generator=seeded(seed), dtype=torch.float64)
    attention = SparseSelfAttention(6, 2, pattern=pattern, layer=layer).double()
    weights, mask = attention.weights(x), pattern.mask(n, num_heads=2, layer=layer)
    assert not weights[:, ~mask].any()
    wanted = mask.any(dim=-1).double().expand(2, 2, n)
    torch.testing.assert_close(weights.sum(dim=-1), wanted)


@each
@given(pattern=patterns(), n=sizes, seed=st.integers(0, 99), data=st.data())
def test_no_logits_know_their_own_token_or_a_later_one(pattern, n, seed, data):
    config = SparseTransformerConfig(
        vocabulary=7, length=n, row=data.draw(st.integers(1, n)), pattern=pattern, d_model=6,
        num_heads=2, d_ff=5, num_layers=2, recompute=data.draw(st.booleans()),
    )  # fmt: skip
    model = SparseTransformer(config)
    tokens = torch.randint(7, (2, n), generator=seeded(seed))
    k = data.draw(st.integers(0, n - 1))
    edited = tokens.clone()
    edited[:, k:] = (edited[:, k:] + 1) % 7
    one, other = model(tokens).logits, model(edited).logits
    assert one.shape == (2, n, 7)
    assert torch.equal(one[:, : k + 1], other[:, : k + 1])
