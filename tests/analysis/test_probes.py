"""Linear probes: accuracies that can be worked out, what changes nothing, bad input."""

import math
from dataclasses import astuple

import pytest
import torch

from bottomup.analysis import ProbeResult, linear_probe
from tests.drawn import randn

CLASSES = 5


def in_turn(count, classes=CLASSES):
    return torch.arange(count) % classes


def clusters(count, *, spread, seed, classes=CLASSES, width=7):
    """Return vectors around one centre for each class, and their labels."""
    labels = in_turn(count, classes)
    centres = randn(classes, width, seed=100)
    return centres[labels] + spread * randn(count, width, seed=seed), labels


def probe(train, test, classes=CLASSES, **options):
    return linear_probe(
        *train, test_features=test[0], test_labels=test[1], classes=classes, **options
    )


def test_four_points_on_a_line_by_hand():
    x, labels = torch.tensor([[-2.0], [-1.0], [1.0], [2.0]]), torch.tensor([0, 0, 1, 1])
    test = torch.tensor([[-9.0], [-0.1], [0.1], [-0.1]]), torch.tensor([0, 0, 1, 1])
    result = probe((x, labels), test, classes=2)
    assert result.accuracy == 3 / 4  # the boundary is 0, by symmetry
    assert result.chance == 1 / 2


def test_two_gaussians_are_told_apart_as_well_as_can_be():
    # means (1.2, -1.6) and its negative, identity covariance: the best boundary is right with the
    # probability that a standard normal lies below 2, the mean's length
    labels = in_turn(4000, 2)
    means = torch.tensor([[1.2, -1.6], [-1.2, 1.6]], dtype=torch.float64)
    train, test = (means[labels] + randn(4000, 2, seed=seed) for seed in (1, 2))
    result = probe((train, labels), (test, labels), classes=2)
    best = 0.5 * (1 + math.erf(2 / math.sqrt(2)))  # 0.977
    assert abs(result.accuracy - best) < 4 * math.sqrt(best * (1 - best) / 4000)
    assert result.chance == 0.5


def test_chance_is_the_best_constant_answer_on_the_test():
    train = clusters(100, spread=1.0, seed=1)
    x, labels = clusters(100, spread=1.0, seed=2)
    kept = torch.cat([(labels == 3).nonzero().flatten(), torch.arange(10)])
    result = probe(train, (x[kept], labels[kept]))
    assert result.chance == 22 / 30


def test_scale_and_shift_of_a_feature_change_nothing():
    train, test = clusters(200, spread=1.0, seed=1), clusters(200, spread=1.0, seed=2)
    factors, shifts = torch.logspace(-3, 3, 7).double(), 10 * randn(7, seed=3)
    moved = probe((train[0] * factors + shifts, train[1]), (test[0] * factors + shifts, test[1]))
    assert astuple(moved) == pytest.approx(astuple(probe(train, test)), abs=0.011)


def test_a_heavy_penalty_leaves_nothing_but_the_frequencies():
    x, labels = clusters(200, spread=1.0, seed=1)
    uneven = torch.cat([torch.arange(200), (labels == 4).nonzero().flatten()])
    test = clusters(100, spread=1.0, seed=2)
    heavy = probe((x[uneven], labels[uneven]), test, penalty=1e9)
    assert heavy.accuracy == 1 / CLASSES  # class 4, always
    assert probe((x[uneven], labels[uneven]), test).accuracy > 0.6


def test_the_result_is_the_seed_s_alone():
    train, test = clusters(100, spread=2.0, seed=1), clusters(100, spread=2.0, seed=2)
    before = torch.get_rng_state()
    result = probe(train, test)
    assert isinstance(result, ProbeResult)
    assert probe(train, test) == result
    other = probe(train, test, seed=1)
    assert (other.accuracy, other.chance) == (result.accuracy, result.chance)
    assert other.control != result.control
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_vectors_of_a_model_are_taken_as_they_come(dtype, device):
    train, test = clusters(200, spread=0.1, seed=1), clusters(100, spread=0.1, seed=2)
    x = train[0].to(device, dtype).requires_grad_()
    result = probe((x, train[1].to(device)), (test[0].to(device, dtype), test[1].to(device)))
    assert result.accuracy == 1.0
    assert x.grad is None


ZEROS = torch.zeros(4, dtype=torch.int64)


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"labels": in_turn(9)}, ValueError, r"labels: expected axes \[example=10\], got"),
        ({"labels": in_turn(10) + 1}, ValueError, r"^labels: expected .* in \[0, 5\), got 5"),
        ({"labels": in_turn(10).clamp(max=3)}, ValueError, "labels: expected at least 2 examples"),
        ({"features": torch.full((10, 3), math.nan)}, ValueError, "features: .* finite .* got nan"),
    ],
)
def test_bad_input_is_refused(change, error, message):
    inputs = {
        "features": torch.ones(10, 3),
        "labels": in_turn(10),
        "test_features": torch.ones(4, 3),
        "test_labels": ZEROS,
        "classes": CLASSES,
    }
    with pytest.raises(error, match=message):
        linear_probe(**{**inputs, **change})
