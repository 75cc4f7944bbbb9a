"""Merging softmaxes by their log-sum-exp."""

import math

import pytest
import torch
from torch import Tensor

from bottomup.attention import merge_attention, partial_attention, scaled_dot_product_attention

QUERY, KEY, D = 5, 7, 3


@pytest.fixture
def inputs(generator: torch.Generator) -> list[Tensor]:
    sizes = (QUERY, KEY, KEY)
    return [
        torch.randn(2, n, D, generator=generator, dtype=torch.float64, requires_grad=True)
        for n in sizes
    ]


def test_by_hand():
    # scores 0, 0 | ln 6: weights 1/8, 1/8 | 6/8
    outputs = [torch.tensor([[3.0]]), torch.tensor([[7.0]])]
    log_sums = [torch.tensor([math.log(2)]), torch.tensor([math.log(6)])]
    output, log_sum = merge_attention(outputs, log_sums)
    assert output.item() == pytest.approx(3 * 2 / 8 + 7 * 6 / 8)
    assert log_sum.item() == pytest.approx(math.log(8))


def test_partial_attention_by_hand():
    query, key = torch.tensor([[2.0]]), torch.tensor([[0.0], [math.log(3) / 2], [9.0]])
    output, log_sum = partial_attention(
        query, key, torch.tensor([[4.0], [8.0], [0.0]]), torch.tensor([True, True, False])
    )
    assert output.item() == pytest.approx(7)
    assert log_sum.item() == pytest.approx(math.log(4))


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_parts_together_are_the_whole(parts, inputs):
    share = torch.arange(KEY) % parts
    found = [partial_attention(*inputs, share == part) for part in range(parts)]
    outputs, log_sums = zip(*found, strict=True)
    output, log_sum = merge_attention(outputs, log_sums)
    whole, whole_log_sum = partial_attention(*inputs)
    torch.testing.assert_close(output, whole, rtol=0, atol=1e-12)
    torch.testing.assert_close(log_sum, whole_log_sum, rtol=0, atol=1e-12)
    torch.testing.assert_close(whole, scaled_dot_product_attention(*inputs)[0])
    weigh = torch.linspace(-1, 2, output.numel(), dtype=torch.float64).reshape(output.shape)
    mine, theirs = (torch.autograd.grad(each, inputs, weigh) for each in (output, whole))
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


def test_a_part_without_keys_counts_for_nothing(inputs):
    masks = torch.zeros(2, 1, QUERY, KEY, dtype=torch.bool)
    masks[0, 0, 1:, :3] = True  # query 0 finds nothing in either part, query 1 in the first only
    masks[1, 0, 2:, 3:] = True
    found = [partial_attention(*inputs, mask[0]) for mask in masks]
    output, log_sum = merge_attention(*zip(*found, strict=True))
    dense, _ = scaled_dot_product_attention(*inputs, masks[0, 0] | masks[1, 0])
    torch.testing.assert_close(output, dense, rtol=0, atol=1e-12)
    assert log_sum[:, 0].tolist() == [-math.inf] * 2
    assert log_sum[:, 1:].isfinite().all()
    gradients = torch.autograd.grad(output.square().sum() + log_sum[:, 1:].sum(), inputs)
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert gradients[0][:, 0].abs().max() == 0


def test_large_scores_do_not_overflow():
    outputs = [torch.tensor([[3.0]]), torch.tensor([[7.0]])]
    output, log_sum = merge_attention(outputs, [torch.tensor([1e4]), torch.tensor([1e4])])
    assert output.item() == 5
    assert log_sum.item() == pytest.approx(1e4 + math.log(2))
