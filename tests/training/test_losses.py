import math

import pytest
import torch
from torch.autograd import gradcheck

from bottomup.training import token_cross_entropy
from tests.drawn import seeded


def test_uniform_scores_cost_the_log_of_the_vocabulary():
    mask = torch.tensor([[True, True, False], [True, False, False]])
    target = torch.tensor([[4, 2, 0], [6, 0, 0]])
    loss = token_cross_entropy(torch.zeros(2, 3, 7), target, mask)
    assert loss.item() == pytest.approx(math.log(7))


def test_the_mean_is_over_real_tokens_of_the_whole_batch():
    # Probabilities of the right tokens: 1/2, 1/4 and 1/8 of real ones; padding would cost much.
    probabilities = torch.tensor(
        [[[0.5, 0.5], [0.25, 0.75]], [[0.125, 0.875], [1e-6, 1 - 1e-6]]], dtype=torch.float64
    )
    target = torch.zeros(2, 2, dtype=torch.int64)
    mask = torch.tensor([[True, True], [True, False]])
    loss = token_cross_entropy(probabilities.log(), target, mask)
    assert loss.item() == pytest.approx((1 + 2 + 3) * math.log(2) / 3)


def test_padding_gets_no_gradient():
    logits = torch.randn(2, 3, 5, generator=seeded(0)).requires_grad_()
    mask = torch.tensor([[True, True, False], [True, False, False]])
    token_cross_entropy(logits, torch.zeros(2, 3, dtype=torch.int64), mask).backward()
    assert (logits.grad[~mask] == 0).all()
    assert (logits.grad[mask] != 0).all()


def test_gradient_is_right_in_float64():
    logits = torch.randn(2, 3, 5, dtype=torch.float64, generator=seeded(0))
    target = torch.tensor([[1, 2, 0], [4, 0, 0]])
    mask = torch.tensor([[True, True, False], [True, False, False]])
    assert gradcheck(lambda x: token_cross_entropy(x, target, mask), logits.requires_grad_())


LOGITS = torch.zeros(2, 3, 7)
TARGET = torch.zeros(2, 3, dtype=torch.int64)
MASK = torch.ones(2, 3, dtype=torch.bool)


@pytest.mark.parametrize(
    "logits, target, mask, error, message",
    [
        (LOGITS, TARGET, ~MASK, ValueError, "at least one real token, got padding alone"),
        (LOGITS[0], TARGET, MASK, ValueError, "logits: expected axes"),
        (LOGITS, TARGET[:, :2], MASK, ValueError, r"target: expected axes \[batch=2, target=3\]"),
        (LOGITS, TARGET, MASK[:, :1], ValueError, r"mask: expected axes .* got shape \(2, 1\)"),
        (LOGITS, TARGET, MASK[:, :2], ValueError, r"mask: expected axes \[batch=2, target=3\]"),
        (LOGITS, TARGET + 7, MASK, ValueError, r"target: .* \[0, 7\), got 7"),
        (LOGITS, TARGET.float(), MASK, TypeError, "target: expected dtype torch.int64"),
        (LOGITS, TARGET, MASK.float(), TypeError, "mask: expected a boolean mask"),
        (LOGITS, TARGET, None, TypeError, "mask: expected a torch.Tensor"),
    ],
)
def test_bad_arguments_are_refused(logits, target, mask, error, message):
    with pytest.raises(error, match=message):
        token_cross_entropy(logits, target, mask)
