"""Attention without recurrence: values by hand, masks, gradients, bad input."""

import math

import pytest
import torch

from bottomup.attention import (
    IntraAttention,
    decomposable_alignment,
    distance_bias,
    intra_attention,
    intra_scores,
)
from tests.drawn import global_seed, randn

BATCH, FIRST, SECOND, D_WORD, D_FEATURE = 2, 3, 5, 7, 11


def module(device="cpu"):
    with global_seed(3):
        made = IntraAttention(D_WORD, D_FEATURE, max_distance=1).to(device, torch.float64)
    with torch.no_grad():
        made.bias.copy_(torch.arange(5.0))
    return made


def test_alignment_by_hand_reads_both_ways():
    # two words against one: each of the two reads all of it, it reads them 1 : 3
    scores = torch.tensor([[0.0], [math.log(3)]])
    first, second = torch.tensor([[4.0], [8.0]]), torch.tensor([[5.0]])
    (beta, alpha), (to_second, to_first) = decomposable_alignment(scores, first, second)
    assert beta.tolist() == [[5.0], [5.0]]
    assert alpha.item() == pytest.approx(0.25 * 4 + 0.75 * 8)
    assert to_second.tolist() == [[1.0], [1.0]]
    assert to_first[0].tolist() == pytest.approx([0.25, 0.75])


def test_alignment_leaves_padding_of_either_sentence_out():
    scores = randn(FIRST, SECOND)
    first, second = randn(FIRST, D_WORD, seed=2), randn(SECOND, D_WORD, seed=3)
    mask = torch.tensor([[True], [True], [False]]) & torch.tensor([True] * 3 + [False] * 2)
    (beta, alpha), (to_second, to_first) = decomposable_alignment(scores, first, second, mask)
    (short_beta, short_alpha), _ = decomposable_alignment(scores[:2, :3], first[:2], second[:3])
    torch.testing.assert_close(beta[:2], short_beta)
    torch.testing.assert_close(alpha[:3], short_alpha)
    assert beta[2].abs().sum() == alpha[3:].abs().sum() == 0
    assert to_second[2].abs().sum() == to_first[3:].abs().sum() == 0


def test_distance_bias_by_hand():
    bias = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0])
    square = [
        [0.0, -1.0, -2.0, -2.0],  # the key lies to the right: i - j is negative
        [1.0, 0.0, -1.0, -2.0],
        [2.0, 1.0, 0.0, -1.0],
        [2.0, 2.0, 1.0, 0.0],
    ]
    assert distance_bias(bias, 4).tolist() == square
    assert distance_bias(bias[2:3], 2).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_intra_scores_by_hand_on_three_words():
    features = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    bias = torch.tensor([10.0, 0.0, 20.0])  # to the right, itself, to the left
    expected = [[1.0, 11.0, 10.0], [21.0, 2.0, 12.0], [20.0, 22.0, 4.0]]
    assert intra_scores(features, bias).tolist() == expected


def test_intra_attention_by_hand_on_three_words():
    features = torch.zeros(3, 1)
    bias = torch.tensor([math.log(3), 0.0, -torch.inf])  # never to the left
    words = torch.tensor([[1.0], [10.0], [100.0]])
    output, weights = intra_attention(features, words, bias)
    expected = [[1 / 7, 3 / 7, 3 / 7], [0.0, 1 / 4, 3 / 4], [0.0, 0.0, 1.0]]
    torch.testing.assert_close(weights, torch.tensor(expected))
    assert output[:, 0].tolist() == pytest.approx([331 / 7, 310 / 4, 100.0])


def test_masked_words_are_not_read_and_a_row_of_nothing_gives_zeros():
    features, words = randn(BATCH, 3, D_FEATURE), randn(BATCH, 3, D_WORD, seed=2)
    mask = torch.tensor([[[True, True, False]], [[False] * 3]])
    leaves = [x.requires_grad_() for x in (features, words, randn(3, seed=4))]
    output, weights = intra_attention(*leaves, mask)
    output.sum().backward()
    alone, _ = intra_attention(features[0, :2], words[0, :2], leaves[2])
    torch.testing.assert_close(output[0, :2], alone)
    assert output[1].abs().sum() == weights[1].abs().sum() == 0
    assert all(leaf.grad.isfinite().all() for leaf in leaves)


def test_gradients_are_right():
    features, words = randn(3, D_FEATURE).requires_grad_(), randn(3, D_WORD).requires_grad_()
    bias = randn(3).requires_grad_()
    assert torch.autograd.gradcheck(intra_attention, (features, words, bias))
    scores = randn(3, 2).requires_grad_()

    def both_ways(*tensors):
        outputs, weights = decomposable_alignment(*tensors)
        return *outputs, *weights

    second = randn(2, D_WORD, seed=5).requires_grad_()
    assert torch.autograd.gradcheck(both_ways, (scores, words, second))


def test_module_equals_the_function_with_its_map_and_learns_all_of_it(device):
    made = module(device=device)
    words = randn(BATCH, 3, D_WORD, device=device)
    output, weights = made(words)
    expected = intra_attention(made.F(words), words, made.bias)
    assert torch.equal(output, expected[0])
    assert torch.equal(weights, expected[1])
    output.square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in made.parameters())


def test_module_has_a_bias_for_each_distance_up_to_ten_and_one_beyond_on_each_side():
    made = IntraAttention(3, 5)
    assert made.bias.tolist() == [0.0] * 23
    with torch.no_grad():
        made.bias.copy_(torch.arange(23.0))
    row = distance_bias(made.bias, 31)[15]
    assert row[[3, 4, 5]].tolist() == [22.0, 22.0, 21.0]  # distances 12, 11 and 10 to the left
    assert row[[25, 26, 27]].tolist() == [1.0, 0.0, 0.0]  # and to the right


def test_bad_input_is_named():
    features, words, bias = randn(3, D_FEATURE), randn(3, D_WORD), randn(3)
    with pytest.raises(ValueError, match="bias: expected an odd number of entries, 2r . 1, got 2"):
        intra_attention(features, words, bias[:2])
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(3, 2\)"):
        decomposable_alignment(randn(3, 2), words, words[:2], torch.ones(2, 3, dtype=torch.bool))


def test_module_names_what_is_wrong():
    with pytest.raises(ValueError, match=r"words: expected axes \[\.\.\., position, d_word=7\]"):
        module()(randn(3, D_FEATURE))
