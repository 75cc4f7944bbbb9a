"""Chapter 04's autoencoders: seeds, measures and choices by hand, a tiny run, its claims."""

from itertools import product
from typing import Any

import pytest
import torch

from bottomup import experiments
from bottomup.analysis import mean_max_cosine, random_mean_max_cosine
from bottomup.experiments import Record
from bottomup.experiments.engine.claim import Verdict
from bottomup.experiments.mlp_and_superposition.autoencoder import (
    experiment as autoencoder,
)
from bottomup.experiments.mlp_and_superposition.autoencoder.quantities import best, chosen, held
from bottomup.models import SparseAutoencoder, ToySuperposition
from tests.experiments.records import record_of

SEEDS = (0, 1, 2)
CPU = torch.device("cpu")
TINY = autoencoder.PRESETS["tiny"]


@pytest.fixture(scope="module")
def tiny() -> Record:
    return autoencoder.run(TINY, SEEDS, "cpu")


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


def test_one_seed_for_both_would_find_the_features_before_training():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        toy = ToySuperposition(40, 20)
        torch.manual_seed(0)
        shared = SparseAutoencoder(20, 40)
    W = toy.W[0].detach()
    assert mean_max_cosine(shared.directions, W.T) == pytest.approx(1)
    own = autoencoder.build_autoencoder(W, seed=0)
    assert mean_max_cosine(own.directions, W.T) < 0.6


def test_toy_models_and_autoencoders_start_apart(tiny: Record):
    # after so few steps both are still close to their start
    for toy, size in product(("40_to_20", "80_to_20"), ("x1", "x2")):
        assert all(abs(gain) < 0.1 for gain in tiny.metric(f"{toy}.l1.1e-01.{size}.gain"))


def test_sizes_start_apart():
    W = torch.eye(5)[:, :3]
    models = [autoencoder.build_autoencoder(W, seed=0, size=size) for size in (1, 2)]
    assert [model.d_dictionary for model in models] == [3, 6]
    assert not torch.isclose(models[0].D.flatten()[0], models[1].D.flatten()[0])


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


def test_settings_are_named_without_a_full_stop():
    config = autoencoder.PRESETS["full"]
    names = [autoencoder.name_of(setting) for setting in (*config.penalties, *config.ks)]
    assert names[:2] == ["3e-02", "1e-01"]
    assert names[-2:] == ["6", "12"]
    assert len(set(names)) == len(names)
    assert [float(name) for name in names] == [*config.penalties, *config.ks]


def swept(sweep: dict[str, tuple[float, list[float], list[float]]]) -> Record:
    """A record of one toy model: agreement, gains with x1 and with x2, by setting."""
    runs = []
    for number in range(3):
        table: dict[str, Any] = {
            name: {
                "agreement": agreement,
                "x1": {"gain": small[number], "cosine": 0.9, "found": 0.8},
                "x2": {"gain": large[number], "cosine": 0.9, "found": 0.8},
            }
            for name, (agreement, small, large) in sweep.items()
        }
        runs.append({"40_to_20": {"l1": table}})
    config = {"features": [40], "dimensions": 20, "sparsity": 0.97, "sizes": [1, 2]}
    return record_of(autoencoder.NAME, runs, config, preset="custom")


def test_a_setting_is_chosen_by_agreement_and_not_by_the_truth():
    record = swept(
        {
            "1e-01": (0.7, [0.45, 0.45, 0.45], [0.2, 0.4, 0.4]),
            "3e-01": (0.9, [0.35, 0.40, 0.31], [0.4, 0.4, 0.4]),
            "5e-01": (0.8, [0.10, 0.40, 0.40], [0.1, 0.1, 0.1]),
        }
    )
    assert chosen(record, "40_to_20.l1") == "3e-01"
    assert best(record, "40_to_20.l1") == "1e-01"
    assert held(record, "40_to_20.l1") == (3, 6)
    (claim,) = experiments.claims(record)
    assert claim.id == "04.8a"
    assert claim.values == (0.35, 0.40, 0.31)
    assert claim.verdict == Verdict.HOLDS
    assert "lambda = 0.3, chosen without the truth" in claim.measured
    assert "Best against the truth: lambda = 0.1, 0.45" in claim.measured
    assert "in 3 of the 6 settings" in claim.measured


def test_a_tiny_run_gives_every_measure_and_claim(tiny: Record):
    names = {"cosine", "baseline", "gain", "found", "error", "active", "dead"}
    for toy, units in (("40_to_20", 40), ("80_to_20", 80)):
        assert all(0 < count <= units for count in tiny.metric(f"{toy}.represented"))
        for setting in ("l1.1e-01", "l1.5e-01", "topk.1", "topk.2"):
            (table, *_others) = tiny.metric(f"{toy}.{setting}")
            assert set(table) == {"x1", "x2", "agreement"}
            assert set(table["x1"]) == set(table["x2"]) == names
        assert all(active <= 2 for active in tiny.metric(f"{toy}.topk.2.x2.active"))
    claims = experiments.claims(tiny)
    assert [claim.id for claim in claims] == ["04.8a", "04.8b", "04.8c"]
    assert all(claim.verdict == Verdict.FAILS for claim in claims)  # nothing is trained


def test_a_seed_gives_the_same_numbers_again_and_leaves_no_file(tiny: Record, tmp_path):
    again = autoencoder.measure(TINY, "40_to_20", 1, CPU, tmp_path / "unit.pt").metrics
    for setting in ("1e-01", "5e-01"):
        before = tiny.metric(f"40_to_20.l1.{setting}.x1.gain")[1]
        assert again["l1"][setting]["x1"]["gain"] == pytest.approx(before, abs=1e-6)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_sweep_reads_what_was_finished(tmp_path, monkeypatch):
    folder = tmp_path / "unit"
    W = autoencoder.train_toy(TINY, 40, 1, CPU)
    autoencoder.sweep_setting(TINY, W, 1, folder, penalty=0.1)
    assert sorted(path.name for path in folder.iterdir()) == ["1e-01_x1.pt", "1e-01_x2.pt"]
    whole = autoencoder.measure(TINY, "40_to_20", 1, CPU, tmp_path / "unit.pt").metrics
    fresh = autoencoder.measure(TINY, "40_to_20", 1, CPU, tmp_path / "other.pt").metrics
    assert whole == fresh


@pytest.mark.slow
@pytest.mark.parametrize("setting", [{"penalty": 0.5}, {"k": 2}])
def test_pairs_of_opposite_features_are_found(setting):
    W = torch.cat([torch.eye(5), -torch.eye(5)], dim=1)  # ten features in five dimensions
    config = autoencoder.Config(dimensions=5, sparsity=0.9, steps=800, batch_size=256)
    model = autoencoder.train_autoencoder(config, W, 0, **setting)
    found = autoencoder.recovery(config, model, W, seed=0)
    assert found["gain"] > 0.1
