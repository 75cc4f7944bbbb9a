"""Score, weigh, read: `attend` by hand, with other weights than a softmax, and bad input."""

import math

import pytest
import torch

from bottomup.attention import ScoredAttention, attend

SCORES = torch.tensor([[0.0, math.log(3)]])
VALUE = torch.tensor([[8.0, 0.0], [0.0, 4.0]])


def test_the_output_is_the_mean_of_the_values_weighted_by_the_softmax():
    output, weights = attend(SCORES, VALUE)
    torch.testing.assert_close(weights, torch.tensor([[0.25, 0.75]]))
    torch.testing.assert_close(output, torch.tensor([[2.0, 3.0]]))


def test_a_query_that_may_attend_to_no_key_reads_zeros():
    output, weights = attend(SCORES, VALUE, torch.tensor([[False, False]]))
    assert output.tolist() == weights.tolist() == [[0.0, 0.0]]


def test_the_caller_may_weigh_otherwise():
    mask = torch.tensor([[True, False]])
    output, weights = attend(SCORES, VALUE, mask, weigh=lambda scores, mask: mask / 2 + 0 * scores)
    assert weights.tolist() == [[0.5, 0.0]]
    assert output.tolist() == [[4.0, 0.0]]


def test_a_subclass_supplies_the_score_alone():
    class Constant(ScoredAttention):
        def score(self, query, key):
            return torch.zeros(len(query), len(key))

    output, weights = Constant()(torch.ones(1, 3), torch.ones(2, 5), VALUE)
    assert weights.tolist() == [[0.5, 0.5]]
    assert output.tolist() == [[4.0, 2.0]]


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"value: expected axes \[\.\.\., key=2, d_value\]"):
        attend(SCORES, VALUE[:1])
    with pytest.raises(ValueError, match=r"mask: .* broadcasts to \(1, 2\), got \(2, 1\)"):
        attend(SCORES, VALUE, torch.ones(2, 1, dtype=torch.bool))
