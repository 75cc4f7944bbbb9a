"""What holds for every mask."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.masks import (
    causal_mask,
    padding_mask,
    window_mask,
)


@given(lengths=st.lists(st.integers(0, 9), min_size=1, max_size=5), extra=st.integers(0, 3))
def test_padding_mask_has_as_many_trues_as_tokens_and_all_in_front(lengths, extra):
    mask = padding_mask(torch.tensor(lengths), width=max(*lengths, 1) + extra)
    assert mask.sum(-1).flatten().tolist() == lengths
    assert not (mask[..., 1:] & ~mask[..., :-1]).any()


@given(n=st.integers(1, 12), width=st.integers(0, 12))
def test_window_is_symmetric_and_grows_to_everything(n, width):
    mask = window_mask(n, width)
    assert torch.equal(mask, mask.T)
    assert mask.diagonal().all()
    assert (mask & ~window_mask(n, width + 1)).sum() == 0
    assert bool(mask.all()) == (width >= n - 1)


@given(n=st.integers(1, 12))
def test_causal_mask_and_its_transpose_share_the_diagonal_only(n):
    mask = causal_mask(n)
    assert torch.equal(mask & mask.T, torch.eye(n, dtype=torch.bool))
    assert (mask | mask.T).all()
