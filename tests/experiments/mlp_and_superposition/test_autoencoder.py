"""Chapter 04's autoencoders: seeds, measures and choices by hand."""

from dataclasses import replace
from itertools import product

import pytest
import torch

from bottomup.analysis import random_mean_max_cosine
from bottomup.experiments.mlp_and_superposition.autoencoder import (
    experiment as autoencoder,
)

CPU = torch.device("cpu")
TINY = autoencoder.PRESETS["tiny"]


def test_no_two_numbers_come_from_the_same_seed():
    streams = (autoencoder.START, autoencoder.FEATURES, autoencoder.EVALUATION)
    edges = (0, 1, 499), (0, 1, 999_999)
    numbers = [autoencoder.seed_of(*case) for case in product(streams, *edges)]
    assert len(set(numbers)) == len(numbers) == 27
    assert max(numbers) < 2**32  # torch's generator on the CPU uses no more bits than these


@pytest.mark.parametrize(("seed", "step"), [(500, 0), (-1, 0), (0, 1_000_000), (0, -1)])
def test_a_number_that_would_run_into_another_stream_is_refused(seed, step):
    with pytest.raises(ValueError, match="seed" if step == 0 else "step"):
        autoencoder.seed_of(autoencoder.FEATURES, seed, step)


def test_recovery_by_hand():
    # three features along the axes; the units point at the first two and between these
    W = torch.eye(3)
    model = autoencoder.build_autoencoder(W, seed=0)
    half = 0.5**0.5
    with torch.no_grad():
        model.D.copy_(torch.tensor([[1.0, 0.0, half], [0.0, 1.0, half], [0.0, 0.0, 0.0]]))
        model.E.copy_(torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    config = autoencoder.Config(dimensions=3, sparsity=0.9)
    found = autoencoder.recovery(config, model, W, seed=0)
    assert found["cosine"] == pytest.approx(2 / 3)  # 1, 1 and 0
    baseline = random_mean_max_cosine(3, W, seed=autoencoder.seed_of(autoencoder.BASELINE, 0))
    assert found["baseline"] == pytest.approx(baseline)
    assert found["gain"] == pytest.approx(2 / 3 - baseline)
    assert found["found"] == pytest.approx(2 / 3)
    assert found["dead"] == pytest.approx(1 / 3)
    # two of three features are rebuilt, and each is active in a tenth of the vectors
    assert found["active"] == pytest.approx(0.2, abs=0.02)
    # x uniform with probability 1/10: second moment 1/30, variance 1/30 - 1/400
    assert found["error"] == pytest.approx((1 / 30) / (3 * (1 / 30 - 1 / 400)), rel=0.1)


def test_one_direction_cannot_stand_for_two_features():
    true = torch.tensor([[1.0, 0.0], [0.95, 0.3], [0.0, -1.0]])
    learned = torch.tensor([[2.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    assert autoencoder.found_share(learned, true) == pytest.approx(1 / 3)
    assert autoencoder.found_share(torch.cat([learned, true]), true) == 1


def test_an_interrupted_sweep_reads_what_was_finished(trial, tmp_path):
    trial, folder = replace(trial, seed=1), tmp_path / "unit"
    W = autoencoder.train_toy(TINY, 40, 1, CPU)
    autoencoder.sweep_setting(TINY, W, 1, folder, penalty=0.1)
    assert sorted(path.name for path in folder.iterdir()) == ["1e-01_x1.pt", "1e-01_x2.pt"]
    whole = autoencoder.measure(TINY, "40_to_20", trial).metrics
    other = replace(trial, checkpoint=tmp_path / "other.pt")
    fresh = autoencoder.measure(TINY, "40_to_20", other).metrics
    assert whole == fresh
    assert list(tmp_path.iterdir()) == []
