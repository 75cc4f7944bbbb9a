"""Chapter 01b's gradients: from the tiny preset to claims, and what each number means."""

from dataclasses import replace

import pytest
import torch

from bottomup import experiments
from bottomup.experiments import Record
from bottomup.experiments.local_and_hard_attention.gradients import experiment
from bottomup.experiments.local_and_hard_attention.gradients.experiment import PRESETS, TRAININGS
from bottomup.experiments.shared.recurrent import Variant, untrained
from bottomup.models import HardSeq2Seq

SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def record() -> Record:
    return experiment.run(PRESETS["tiny"], SEEDS, "cpu")


@pytest.mark.slow
def test_a_tiny_run_gives_every_measure(record: Record):
    assert set(record.runs[0]["metrics"]) == {"estimators", *record.config["variants"]}
    estimators = (
        "reinforce",
        "reinforce_best",
        "reinforce_moving",
        "gumbel_0_3",
        "gumbel_1",
        "gumbel_3",
    )
    for name in estimators:
        for value in record.metric(f"estimators.{name}.variance"):
            assert value > 0
    for kind in TRAININGS:
        for name in ("accuracy.3", "accuracy.5", "accuracy.7", "aligned", "strongest"):
            assert all(0 <= value <= 1 for value in record.metric(f"{kind}_12.{name}"))
        assert all(1 < value < 4 for value in record.metric(f"{kind}_12.loss"))  # log 14 is 2.6
    assert [claim.id for claim in experiments.claims(record)] == [f"01b.4{x}" for x in "abcde"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers(record: Record):
    again = experiment.measure_estimators(PRESETS["tiny"], 1)
    for name, values in again.items():
        for measure, value in values.items():
            found = record.metric(f"estimators.{name}.{measure}")[1]
            assert found == pytest.approx(value, abs=1e-6)


def test_all_trainings_start_from_the_same_parameters():
    config = replace(PRESETS["tiny"], variants=())
    task = experiment._task(config, 3)
    soft = untrained(experiment._model_config(config, len(task.vocabulary)), 3)
    starts = []
    for kind in TRAININGS:
        frozen = replace(config, learning_rate=1e-30, warmup=0)
        model = experiment.train(frozen, Variant(kind, 1), task, seed=3, device=torch.device("cpu"))
        assert isinstance(model, HardSeq2Seq) == (kind != "soft")
        starts.append(list(model.parameters()))
    for start in starts:
        for one, other in zip(start, soft.parameters(), strict=True):
            torch.testing.assert_close(one, other)
