"""Top-k and top-p: values by hand, ties, the token that crosses the threshold, bad input."""

import math

import pytest
import torch

from bottomup.decoding import keep_top_k, keep_top_p

NEVER = -math.inf
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
# Powers of two, whose sums are exact: 1/8, 1/2, 1/16, 1/4, 1/16
LOGITS = torch.tensor([1 / 8, 1 / 2, 1 / 16, 1 / 4, 1 / 16]).double().log()


def kept(logits) -> list[int]:
    return logits.isfinite().nonzero().flatten().tolist()


@pytest.mark.parametrize(
    "k, expected", [(1, [1]), (2, [1, 3]), (3, [0, 1, 3]), (5, [0, 1, 2, 3, 4]), (99, [*range(5)])]
)
def test_top_k_by_hand(k, expected):
    assert kept(keep_top_k(LOGITS, k)) == expected


def test_among_equals_top_k_keeps_the_lower_numbers_and_never_more_than_k():
    assert kept(keep_top_k(LOGITS, 4)) == [0, 1, 2, 3]
    assert kept(keep_top_k(torch.zeros(101), 7)) == [*range(7)]


@pytest.mark.parametrize(
    "p, expected",
    [
        (1e-9, [1]),
        (0.49, [1]),
        (0.51, [1, 3]),
        (0.74, [1, 3]),  # 1/2 does not reach it; 1/4 crosses it and is kept
        (0.76, [0, 1, 3]),
        (0.87, [0, 1, 3]),
        (0.88, [0, 1, 2, 3]),  # the first of the two equals
        (0.94, [*range(5)]),
        (1, [*range(5)]),
        (1.0, [*range(5)]),
    ],
)
def test_top_p_by_hand(p, expected):
    assert kept(keep_top_p(LOGITS, p)) == expected


def test_a_sum_that_equals_p_reaches_it():
    assert kept(keep_top_p(torch.zeros(8), 0.25)) == [0, 1]
    assert kept(keep_top_p(torch.zeros(8), 0.25 + 1e-9)) == [0, 1, 2]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("cut, value", [(keep_top_k, 3), (keep_top_p, 0.6)])
def test_what_is_kept_stays_as_it_was(cut, value, dtype, generator, device):
    logits = torch.randn(2, 3, 11, generator=generator).to(device, dtype)
    before = logits.clone()
    result = cut(logits, value)
    assert (result.dtype, result.shape, result.device) == (dtype, logits.shape, logits.device)
    assert torch.equal(torch.where(result.isfinite(), logits, NEVER), result)
    assert 0 < result.isfinite().sum() < result.numel()
    assert torch.equal(logits, before)


def test_rows_are_cut_one_by_one(generator):
    logits = 3 * torch.randn(5, 7, 11, generator=generator)
    for cut, value in ((keep_top_k, 4), (keep_top_p, 0.7)):
        together = cut(logits, value).view(-1, 11)
        alone = [cut(row, value) for row in logits.view(-1, 11)]
        assert torch.equal(together, torch.stack(alone))
    assert len({len(kept(row)) for row in together}) > 1  # a nucleus has its own size in each row


def test_what_was_impossible_stays_so():
    logits = torch.tensor([NEVER, 0.0, NEVER, -1.0, NEVER])
    for result in (keep_top_k(logits, 4), keep_top_p(logits, 1), keep_top_p(logits, 0.999)):
        assert torch.equal(result, logits)


def test_with_p_of_one_a_tail_below_the_rounding_is_kept():
    assert kept(keep_top_p(torch.tensor([0.0, -60.0, -80.0]), 1)) == [0, 1, 2]


def test_the_shares_of_what_is_kept_stay_and_a_gradient_passes_there():
    logits = LOGITS.clone().requires_grad_()
    probabilities = keep_top_p(logits, 0.7).softmax(dim=-1)
    torch.testing.assert_close(probabilities, torch.tensor([0, 2 / 3, 0, 1 / 3, 0]).double())
    probabilities[1].backward()
    assert kept(logits.grad.where(logits.grad != 0, torch.inf)) == [1, 3]


@pytest.mark.parametrize("cut, value", [(keep_top_k, 2), (keep_top_p, 0.5)])
@pytest.mark.parametrize(
    "logits, error, message",
    [
        (torch.tensor([0.0, math.nan]), ValueError, "logits: .* maximum nan"),
        (torch.tensor([0.0, math.inf]), ValueError, "logits: .* maximum inf"),
        (torch.full((2, 3), NEVER), ValueError, "at least one of them finite .* maximum -inf"),
        (torch.zeros(3, 0), ValueError, "logits: axis vocabulary must not be empty"),
        (torch.tensor(1.0), ValueError, r"logits: expected axes \[..., vocabulary\]"),
        (torch.zeros(3).long(), TypeError, "logits: expected a floating-point tensor"),
        ([0.0], TypeError, "logits: expected a torch.Tensor, got list"),
    ],
)
def test_bad_logits_are_refused(cut, value, logits, error, message):
    with pytest.raises(error, match=message):
        cut(logits, value)


@pytest.mark.parametrize("k, error", [(0, ValueError), (-1, ValueError), (2.0, TypeError)])
def test_a_bad_k_is_refused(k, error):
    with pytest.raises(error, match=f"k: expected an integer.* got {k}"):
        keep_top_k(LOGITS, k)


@pytest.mark.parametrize("p", [0, 0.0, -0.1, 1.0001, math.nan, math.inf])
def test_a_p_outside_of_zero_to_one_is_refused(p):
    with pytest.raises(ValueError, match=f"p: expected a number > 0 and <= 1, got {p}"):
        keep_top_p(LOGITS, p)


@pytest.mark.parametrize("p", [True, "0.9", None])
def test_a_p_that_is_no_number_is_refused(p):
    with pytest.raises(TypeError, match=f"p: expected a number, got {p!r}"):
        keep_top_p(LOGITS, p)
