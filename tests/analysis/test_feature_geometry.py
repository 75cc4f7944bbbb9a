from math import pi

import pytest
import torch
from torch import Tensor

from bottomup.analysis import (
    PHASES,
    antipodal_pairs,
    dimensions_per_feature,
    expected_phase,
    feature_dimensions,
    interference,
    is_pentagon,
    mean_max_cosine,
    random_mean_max_cosine,
    represented,
    two_feature_phase,
)


def columns(*each: list[float]) -> Tensor:
    return torch.tensor(each, dtype=torch.float64).T


def polygon(*degrees: float, length: float = 1.0) -> Tensor:
    """Directions in the plane at these angles."""
    angles = torch.tensor(degrees, dtype=torch.float64) * pi / 180
    return length * torch.stack([angles.cos(), angles.sin()])


PENTAGON = polygon(0, 72, 144, 216, 288)


def test_interference_by_hand():
    W = columns([2.0, 0.0], [-1.0, 0.0], [0.5, 3.0])
    assert interference(W).tolist() == [[4.0, -2.0, 1.0], [-2.0, 1.0, -0.5], [1.0, -0.5, 9.25]]


@pytest.mark.parametrize(
    ("W", "wanted"),
    [
        (PENTAGON, [2 / 5] * 5),
        (3 * PENTAGON, [2 / 5] * 5),
        (polygon(0, 120, 240), [2 / 3] * 3),
        (columns([1.0, 0.0], [-1.0, 0.0], [0.0, 0.3]), [1 / 2, 1 / 2, 1]),
        (torch.eye(7, dtype=torch.float64)[:3], [1, 1, 1, 0, 0, 0, 0]),
        # lengths 2 and 1 in one dimension: 4 / (4 + 1) and 1 / (1 + 4)
        (columns([2.0], [-1.0]), [4 / 5, 1 / 5]),
        # (1, 0) and (.6, .8): 1 / (1 + .36) each
        (columns([1.0, 0.0], [0.6, 0.8]), [1 / 1.36] * 2),
    ],
)
def test_dimensions_of_features_by_hand(W, wanted):
    assert feature_dimensions(W).tolist() == pytest.approx(wanted)


def test_a_column_of_zeros_takes_up_nothing_and_changes_no_other():
    W = columns([1.0, 0.0], [0.0, 0.0], [-1.0, 0.0])
    assert feature_dimensions(W).tolist() == [0.5, 0.0, 0.5]
    assert feature_dimensions(torch.zeros(2, 3)).tolist() == [0.0, 0.0, 0.0]


def test_a_gradient_passes_by_a_column_of_zeros():
    W = columns([1.0, 0.2], [0.0, 0.0], [-1.0, 0.5]).clone().requires_grad_()
    feature_dimensions(W).sum().backward()
    assert W.grad is not None
    assert W.grad.isfinite().all()


def test_instances_are_measured_apart():
    W = torch.stack([PENTAGON, 2 * PENTAGON])
    assert feature_dimensions(W).shape == (2, 5)
    assert dimensions_per_feature(W).tolist() == pytest.approx([2 / 5, 2 / 20])
    assert interference(W).shape == (2, 5, 5)
    assert represented(W * 0.3).tolist() == [[False] * 5, [True] * 5]


def test_a_feature_is_represented_above_half_a_length():
    W = columns([0.5, 0.0], [0.0, 0.51], [0.4, 0.4])
    assert represented(W).tolist() == [False, True, True]
    assert represented(W, least=0.55).tolist() == [False, False, True]


def test_antipodal_pairs_by_hand():
    W = polygon(0, 90, 181, 268)
    assert antipodal_pairs(W) == [(0, 2), (1, 3)]
    assert antipodal_pairs(PENTAGON) == []  # cosine of 144 degrees: -.81
    assert antipodal_pairs(PENTAGON, cosine=-0.8) == [(0, 2), (0, 3), (1, 3), (1, 4), (2, 4)]
    assert antipodal_pairs(columns([1.0, 0.0], [-0.4, 0.0], [0.0, 0.0])) == []  # not represented


def test_a_pentagon_is_told_from_other_shapes():
    assert is_pentagon(PENTAGON)
    assert is_pentagon(PENTAGON[:, [3, 0, 4, 1, 2]])
    assert is_pentagon(polygon(10, 82, 154, 226, 298, length=1.25))
    assert is_pentagon(torch.cat([PENTAGON, torch.full((2, 2), 0.1)], dim=1))
    assert not is_pentagon(polygon(0, 72, 144, 216))
    assert not is_pentagon(polygon(0, 60, 120, 180, 240, 300))
    assert not is_pentagon(0.65 * PENTAGON)
    assert not is_pentagon(1.4 * PENTAGON)
    assert not is_pentagon(polygon(0, 90, 180, 270, 300))


def test_a_pentagon_may_be_off_by_some_degrees():
    assert is_pentagon(polygon(0, 86, 144, 216, 288))
    assert not is_pentagon(polygon(0, 88, 144, 216, 288))
    assert not is_pentagon(polygon(0, 74, 144, 216, 288), degrees=1)
    assert not is_pentagon(1.2 * PENTAGON, length=0.1)


def test_phases_of_two_features_by_hand():
    W = torch.tensor([[[0.1, -0.2]], [[-1.0, 0.3]], [[0.0, 0.9]], [[1.0, -0.8]], [[-0.7, -0.7]]])
    assert [PHASES[place] for place in two_feature_phase(W)] == [
        "none", "first", "second", "antipodal", "aligned",
    ]  # fmt: skip
    assert two_feature_phase(W[3]).item() == PHASES.index("antipodal")


@pytest.mark.parametrize("importance", [0.1, 0.4, 1.0])
def test_the_pair_wins_below_a_density_by_hand(importance):
    bound = 4 * importance / (2 + 5 * importance)
    assert expected_phase(importance, bound - 0.01) == "antipodal"
    alone = "first" if importance < 1 else ("first", "second")
    assert expected_phase(importance, bound + 0.01) in alone


def test_a_learned_direction_stands_for_one_feature_alone():
    true = torch.eye(2)
    learned = torch.tensor([[1.0, 1.0], [-1.0, 0.0]])  # the first is the nearer one to both
    assert mean_max_cosine(learned, true) == pytest.approx(0.5**0.5 / 2)
    spare = torch.tensor([[0.0, 1.0], [0.6, 0.8], [1.0, 1.0]])
    assert mean_max_cosine(spare, true) == pytest.approx((0.5**0.5 + 1) / 2)


def test_the_matching_with_the_largest_sum_is_found_not_a_greedy_one():
    # unit rows with cosines .8 and .59 to the true ones, and .78 and .1: taking .8 first leaves .1
    true = torch.eye(4)[:2]
    learned = torch.tensor([[0.8, 0.59], [0.78, 0.1]])
    rest = (1 - learned.square().sum(dim=1)).sqrt()
    learned = torch.cat([learned, torch.diag(rest)], dim=1)
    assert mean_max_cosine(learned, true) == pytest.approx((0.78 + 0.59) / 2)


def test_the_random_baseline_in_one_dimension_by_hand():
    # one true direction, one random one: +1 or -1, half of the draws each
    found = random_mean_max_cosine(1, torch.ones(1, 1), draws=400)
    assert found == pytest.approx(0, abs=0.15)
    assert random_mean_max_cosine(30, torch.ones(1, 1)) == 1


def test_bad_directions_are_refused():
    true = torch.eye(3)
    with pytest.raises(ValueError, match="learned: expected at least 3 directions, got 2"):
        mean_max_cosine(true[:2], true)
    with pytest.raises(ValueError, match="true: expected finite directions, none of them zero"):
        mean_max_cosine(true, true - torch.diag(torch.tensor([0.0, 0.0, 1.0])))
    with pytest.raises(ValueError, match="learned: expected finite directions"):
        mean_max_cosine(true / 0, true)
    with pytest.raises(ValueError, match="count: expected an integer of at least 3, got 2"):
        random_mean_max_cosine(2, true)


def test_bad_matrices_are_refused():
    with pytest.raises(ValueError, match=r"W: expected axes \[2, features\]"):
        is_pentagon(torch.ones(3, 5))
    with pytest.raises(ValueError, match=r"W: expected axes \[..., 1, 2\]"):
        two_feature_phase(torch.ones(2, 2))
