"""masked_softmax: values by hand, rows that may attend to nothing, and bad input."""

import math

import pytest
import torch

from bottomup.attention import masked_softmax


def test_weights_by_hand():
    scores = torch.tensor([[0.0, math.log(3), math.log(6)]])
    assert torch.allclose(masked_softmax(scores), torch.tensor([[0.1, 0.3, 0.6]]))
    mask = torch.tensor([[True, True, False]])
    assert torch.allclose(masked_softmax(scores, mask), torch.tensor([[0.25, 0.75, 0.0]]))


def test_masked_weight_is_exactly_zero_whatever_the_score():
    scores = torch.tensor([[0.0, 1e30, torch.nan]])
    weights = masked_softmax(scores, torch.tensor([[True, False, False]]))
    assert weights.tolist() == [[1.0, 0.0, 0.0]]


def test_large_scores_do_not_overflow():
    weights = masked_softmax(torch.tensor([[-1e4, -1e4 + math.log(4)]], dtype=torch.float64))
    assert torch.allclose(weights, torch.tensor([[0.2, 0.8]], dtype=torch.float64))


def test_fully_masked_row_gives_zero_weights_and_zero_gradient():
    scores = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    mask = torch.ones(2, 3, 5, dtype=torch.bool)
    mask[1, 2] = False
    weights = masked_softmax(scores, mask)
    (weights * torch.arange(5)).sum().backward()
    assert weights[1, 2].tolist() == [0.0] * 5
    assert scores.grad[1, 2].tolist() == [0.0] * 5
    assert scores.grad.isfinite().all()
    assert scores.grad[0].abs().sum() > 0


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning")
def test_no_nan_arises_on_the_way_back_from_a_fully_masked_row():
    scores = torch.randn(2, 3, requires_grad=True)
    mask = torch.tensor([[False, False, False], [True, True, False]])
    with torch.autograd.detect_anomaly(check_nan=True):
        masked_softmax(scores, mask).square().sum().backward()
    assert scores.grad.isfinite().all()


def test_a_masked_score_is_out_even_where_all_allowed_ones_are_lower():
    scores = torch.tensor([[-1e30, 0.0]], dtype=torch.float64)
    assert masked_softmax(scores, torch.tensor([[True, False]])).tolist() == [[1.0, 0.0]]


def test_mask_broadcasts_from_padding_and_from_a_scalar():
    scores = torch.randn(2, 3, 5)
    padding = torch.tensor([[[True] * 4 + [False]], [[True] * 5]])
    weights = masked_softmax(scores, padding)
    assert (weights[0, :, 4] == 0).all()
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3))
    assert torch.equal(masked_softmax(scores, torch.tensor(False)), torch.zeros(2, 3, 5))


def test_single_key_gets_all_the_weight():
    assert masked_softmax(torch.tensor([[-7.0], [3.0]])).tolist() == [[1.0], [1.0]]


def test_gradient_is_right():
    mask = torch.tensor([[True, False, True], [False, False, False]])
    scores = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda s: masked_softmax(s, mask), scores)


@pytest.mark.parametrize(
    ("scores", "mask", "error", "message"),
    [
        (torch.zeros(3), None, ValueError, r"scores: expected axes \[\.\.\., query, key\]"),
        (torch.zeros(3, 0), None, ValueError, "scores: axis key must not be empty"),
        (
            torch.zeros(3, 5, dtype=torch.int64),
            None,
            TypeError,
            "scores: expected a floating-point",
        ),
        (torch.zeros(3, 5), torch.ones(3, 5), TypeError, "mask: expected a boolean mask"),
        (torch.zeros(3, 5), torch.ones(5, 3) > 0, ValueError, "mask: expected a shape"),
    ],
)
def test_bad_input_is_named(scores, mask, error, message):
    with pytest.raises(error, match=message):
        masked_softmax(scores, mask)
