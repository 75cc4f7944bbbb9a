"""masked_softmax: values by hand, rows that may attend to nothing, causality, bad input."""

import math

import pytest
import torch
from torch import Tensor

from bottomup.masks import causal_mask, masked_softmax

HEAD, N = 3, 7


def test_weights_by_hand():
    scores = torch.tensor([[0.0, math.log(3), math.log(6)]])
    assert torch.allclose(masked_softmax(scores), torch.tensor([[0.1, 0.3, 0.6]]))
    mask = torch.tensor([[True, True, False]])
    assert torch.allclose(masked_softmax(scores, mask), torch.tensor([[0.25, 0.75, 0.0]]))


def test_masked_weight_is_exactly_zero_whatever_the_score():
    scores = torch.tensor([[0.0, 1e30, torch.nan]])
    weights = masked_softmax(scores, torch.tensor([[True, False, False]]))
    assert weights.tolist() == [[1.0, 0.0, 0.0]]
    scores = torch.tensor([[-1e30, 0.0]], dtype=torch.float64)  # lower than what is masked
    assert masked_softmax(scores, torch.tensor([[True, False]])).tolist() == [[1.0, 0.0]]
    large = masked_softmax(torch.tensor([[-1e4, -1e4 + math.log(4)]], dtype=torch.float64))
    assert torch.allclose(large, torch.tensor([[0.2, 0.8]], dtype=torch.float64))


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


def test_mask_broadcasts_from_padding_and_from_a_scalar():
    scores = torch.randn(2, 3, 5)
    padding = torch.tensor([[[True] * 4 + [False]], [[True] * 5]])
    weights = masked_softmax(scores, padding)
    assert (weights[0, :, 4] == 0).all()
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3))
    assert torch.equal(masked_softmax(scores, torch.tensor(False)), torch.zeros(2, 3, 5))


def test_gradient_is_right():
    mask = torch.tensor([[True, False, True], [False, False, False]])
    scores = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda s: masked_softmax(s, mask), scores)


@pytest.mark.parametrize(
    ("scores", "mask", "error", "message"),
    [
        (torch.zeros(3), None, ValueError, r"scores: expected axes \[\.\.\., query, key\]"),
        (torch.zeros(3, 0), None, ValueError, "scores: axis key must not be empty"),
        (torch.zeros(3, 5).long(), None, TypeError, "scores: expected a floating-point"),
        (torch.zeros(3, 5), torch.ones(3, 5), TypeError, "mask: expected a boolean mask"),
        (torch.zeros(3, 5), torch.ones(5, 3) > 0, ValueError, "mask: expected a shape"),
    ],
)
def test_bad_input_is_named(scores, mask, error, message):
    with pytest.raises(error, match=message):
        masked_softmax(scores, mask)


# ---- Causality said, and the scores' own memory


@pytest.fixture
def scores(generator: torch.Generator) -> Tensor:
    return 9 * torch.randn(2, HEAD, N, N, generator=generator, dtype=torch.float64)


@pytest.fixture
def mask(generator: torch.Generator) -> Tensor:
    """A mask for each sequence, with a row that allows nothing."""
    mask = torch.rand(2, 1, N, N, generator=generator) < 0.6
    mask[1, 0, 4] = False
    return mask


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_in_place_gives_the_same_weights(scores, mask, masked, causal):
    mask, before = mask if masked else None, scores.clone()
    weights = masked_softmax(scores, mask, causal=causal)
    assert torch.equal(scores, before)
    again = masked_softmax(scores.clone(), mask, causal=causal, in_place=True)
    assert torch.equal(again, weights)
    allowed = (mask if masked else torch.ones(N, N).bool()) & (
        causal_mask(N) if causal else torch.ones(N, N).bool()
    )
    assert torch.equal(weights > 0, allowed.expand_as(weights))


@pytest.mark.parametrize("n", [1, 2, 63, 257, 2049])
def test_a_softmax_in_its_own_memory_is_exact_at_every_width(n, generator, device):
    scores = torch.randn(5, n, generator=generator).to(device)
    weights = scores.softmax(dim=-1)
    again = masked_softmax(scores, in_place=True)
    assert torch.equal(again, weights)
    assert again.data_ptr() == scores.data_ptr()


def test_in_place_passes_the_gradient_on(scores, mask):
    kept, spent = scores.clone().requires_grad_(), scores.clone().requires_grad_()
    masked_softmax(kept, mask).sin().sum().backward()
    masked_softmax(spent * 1, mask, in_place=True).sin().sum().backward()
    torch.testing.assert_close(spent.grad, kept.grad, rtol=0, atol=1e-15)


def test_causality_needs_as_many_queries_as_keys(scores):
    with pytest.raises(ValueError, match="causal: expected as many queries as keys, got 6 and 7"):
        masked_softmax(scores[..., 1:, :], causal=True)
