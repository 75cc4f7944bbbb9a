"""Linear probes: accuracies that can be worked out, the control, bad input."""

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


def test_separable_classes_are_all_read():
    result = probe(clusters(200, spread=0.01, seed=1), clusters(100, spread=0.01, seed=2))
    assert result.accuracy == 1.0
    assert result.chance == 1 / CLASSES


def test_a_property_that_is_not_linear_is_not_read():
    x = randn(2000, 2, seed=1)
    labels = (x[:, 0] * x[:, 1] > 0).long()  # opposite quadrants: no line separates them
    result = probe((x[:1000], labels[:1000]), (x[1000:], labels[1000:]), classes=2)
    assert abs(result.accuracy - 0.5) < 0.08
    product = torch.cat([x, x[:, :1] * x[:, 1:]], dim=1)
    readable = probe((product[:1000], labels[:1000]), (product[1000:], labels[1000:]), classes=2)
    assert readable.accuracy > 0.97


def test_noise_is_read_at_chance():
    labels = in_turn(2000)
    result = probe((randn(2000, 11, seed=1), labels), (randn(2000, 11, seed=2), labels))
    bound = 4 * math.sqrt(0.2 * 0.8 / 2000)
    assert abs(result.accuracy - result.chance) < bound
    assert abs(result.control - result.chance) < bound


@pytest.mark.slow
def test_the_control_lies_near_chance_where_the_probe_reads_everything():
    classes = 23
    train = clusters(920, spread=0.01, seed=1, classes=classes)
    test = clusters(460, spread=0.01, seed=2, classes=classes)
    result = probe(train, test, classes=classes, shuffles=50)
    assert result.accuracy == 1.0
    # each cluster hits by luck: about Poisson with mean 1 of 23, in each of 50 shuffles
    assert abs(result.control - 1 / classes) < 4 * (1 / classes) / math.sqrt(50)


def test_a_probe_wider_than_its_training_set_is_caught_by_the_held_out_examples():
    labels = in_turn(50)
    result = probe((randn(50, 101, seed=1), labels), (randn(1000, 101, seed=2), in_turn(1000)))
    assert abs(result.accuracy - 0.2) < 4 * math.sqrt(0.2 * 0.8 / 1000)


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


def test_a_constant_feature_does_no_harm():
    (x, labels), test = clusters(200, spread=1.0, seed=1), clusters(200, spread=1.0, seed=2)
    constant = torch.full((200, 1), 3.0, dtype=torch.float64)
    wide = probe(
        (torch.cat([x, constant], 1), labels), (torch.cat([test[0], constant], 1), test[1])
    )
    assert astuple(wide) == pytest.approx(astuple(probe((x, labels), test)), abs=0.011)


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


def test_random_labels_for_each_type_can_be_learned_by_heart():
    # the control task of Hewitt and Liang, through the labels
    types = in_turn(400, 8)
    embedding = randn(8, 7, seed=1)
    random_label = torch.tensor([2, 0, 4, 1, 1, 3, 0, 2])
    x = embedding[types] + 0.1 * randn(400, 7, seed=2)
    labels = random_label[types]
    result = probe((x[:200], labels[:200]), (x[200:], labels[200:]))
    assert result.accuracy == 1.0
    assert result.control < 0.5


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
        (
            {"test_labels": in_turn(3)},
            ValueError,
            r"test_labels: expected axes \[example=4\], got",
        ),
        ({"labels": in_turn(10)[:, None]}, ValueError, r"labels: .* got shape \(10, 1\)"),
        ({"labels": in_turn(10).double()}, TypeError, "labels: expected dtype torch.int64"),
        ({"labels": in_turn(10).tolist()}, TypeError, "labels: expected a torch.Tensor, got list"),
        ({"labels": in_turn(10) + 1}, ValueError, r"^labels: expected .* in \[0, 5\), got 5"),
        (
            {"test_labels": ZEROS - 1},
            ValueError,
            "test_labels: expected numbers of at least 0, got -1",
        ),
        (
            {"labels": in_turn(10).clamp(max=3)},
            ValueError,
            "labels: expected at least 2 examples of each of the 5 classes, got 0 of class 4",
        ),
        (
            {"labels": torch.tensor([0, 0, 1, 1, 2, 2, 3, 3, 3, 4])},
            ValueError,
            "labels: expected at least 2 examples .* got 1 of class 4",
        ),
        ({"features": torch.zeros(10, 3).long()}, TypeError, "features: expected a floating-p"),
        ({"features": torch.zeros(10)}, ValueError, r"features: expected axes \[example, d_feat"),
        ({"features": torch.full((10, 3), math.nan)}, ValueError, "features: .* finite .* got nan"),
        (
            {"test_features": torch.full((4, 3), -math.inf)},
            ValueError,
            "test_features: expected finite numbers, got -inf",
        ),
        (
            {"test_features": torch.zeros(4, 2)},
            ValueError,
            r"test_features: expected axes \[example, d_features=3\], got shape \(4, 2\)",
        ),
        ({"classes": 1}, ValueError, "classes: expected an integer of at least 2, got 1"),
        ({"penalty": 0}, ValueError, "penalty: expected a number > 0 and < inf, got 0"),
        ({"shuffles": 0}, ValueError, "shuffles: expected an integer of at least 1, got 0"),
        ({"seed": -1}, ValueError, "seed: expected an integer of at least 0, got -1"),
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
