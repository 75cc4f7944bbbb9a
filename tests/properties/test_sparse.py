"""What holds for sparse attention at every size."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.attention import (
    fixed_attention,
    fixed_masks,
    fixed_scores,
    merge_attention,
    scaled_dot_product_attention,
    strided_attention,
    strided_masks,
    strided_scores,
)
from tests.drawn import seeded

sizes = st.integers(1, 90)


def draw(n: int, seed: int) -> list[torch.Tensor]:
    return list(torch.randn(3, 2, 3, n, 5, generator=seeded(seed), dtype=torch.float64))


@given(n=sizes, stride=sizes, seed=st.integers(0, 99))
def test_strided_attention_is_dense_attention_under_the_mask(n, stride, seed):
    inputs, (window, column) = draw(n, seed), strided_masks(n, stride)
    dense, _ = scaled_dot_product_attention(*inputs, window | column)
    torch.testing.assert_close(strided_attention(*inputs, stride=stride), dense, rtol=0, atol=1e-12)


@given(n=sizes, block=sizes, seed=st.integers(0, 99), data=st.data())
def test_fixed_attention_is_dense_attention_under_the_mask(n, block, seed, data):
    summary = data.draw(st.integers(1, block))
    inputs, (own, summaries) = draw(n, seed), fixed_masks(n, block, summary)
    dense, _ = scaled_dot_product_attention(*inputs, own | summaries)
    sparse = fixed_attention(*inputs, block=block, summary=summary)
    torch.testing.assert_close(sparse, dense, rtol=0, atol=1e-12)


@given(n=st.integers(1, 400), size=st.integers(1, 400), data=st.data())
def test_what_is_needed_is_computed_and_counted(n, size, data):
    window, column = strided_masks(n, size)
    strided = strided_scores(n, size)
    assert strided.needed == (window | column).sum() <= strided.computed
    summary = data.draw(st.integers(1, size))
    own, summaries = fixed_masks(n, size, summary)
    fixed = fixed_scores(n, size, summary)
    assert fixed.needed == (own | summaries).sum() <= fixed.computed


@given(parts=st.integers(1, 5), seed=st.integers(0, 99), shift=st.floats(-1e3, 1e3))
def test_a_shift_of_all_log_sums_changes_no_output(parts, seed, shift):
    generator = seeded(seed)
    outputs = list(torch.randn(parts, 7, 3, generator=generator, dtype=torch.float64))
    log_sums = list(torch.randn(parts, 7, generator=generator, dtype=torch.float64))
    output, log_sum = merge_attention(outputs, log_sums)
    shifted = merge_attention(outputs, [each + shift for each in log_sums])
    torch.testing.assert_close(shifted, (output, log_sum + shift), rtol=1e-9, atol=1e-9)
