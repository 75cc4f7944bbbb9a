"""An exercise of chapter 02b: the penalty on hops."""

import torch

from bottomup.attention import overlap_penalty
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import named, report_on, wrong_answers

LIN_PENALTY = catalog()["lin-penalty"]


def test_penalties_of_the_first_case():
    case = LIN_PENALTY.cases[0].fresh()
    # two hops apart: A A^T = I; alike: all four products are one half
    expected = torch.tensor([0.0, 2 * 0.5**2 + 2 * 0.5**2])
    torch.testing.assert_close(LIN_PENALTY.run(LIN_PENALTY.solution, case), expected)


def test_the_library_s_own_penalty_passes():
    assert report_on(LIN_PENALTY, overlap_penalty).passed


def frobenius_of_the_batch(weights):
    identity = torch.eye(weights.shape[1])
    return torch.norm(weights @ weights.transpose(1, 2) - identity) ** 2


def without_square(weights):
    return torch.linalg.matrix_norm(weights @ weights.mT - torch.eye(weights.shape[1]))


def sum_before_square(weights):
    return (weights @ weights.mT - torch.eye(weights.shape[1])).sum((1, 2)) ** 2


def hops_kept(weights):
    return ((weights @ weights.mT - torch.eye(weights.shape[1])) ** 2).sum(dim=2)


def times_itself(weights):
    difference = weights @ weights.mT - torch.eye(weights.shape[1])
    return (difference @ difference).sum((1, 2))


def all_axes_turned(weights):
    turned = weights.permute(2, 1, 0)  # as weights.T, which warns
    return (weights @ turned - torch.eye(weights.shape[1])).square().sum((1, 2))


def lengths_alone(weights):
    return (weights.square().sum(-1) - 1).square().sum(-1)


@wrong_answers(
    {
        "row-sums-squared": times_itself,
        "axes-counted-from-the-front": all_axes_turned,
        "diagonal-alone": lengths_alone,
        "square-of-the-sum": sum_before_square,
        "one-number-for-each-hop": hops_kept,
        "one-number-for-all": frobenius_of_the_batch,
        "norm-not-squared": without_square,
    }
)
def test_a_slip_in_the_penalty_is_named(wrong, mistake: str):
    assert named(LIN_PENALTY, wrong) == mistake
