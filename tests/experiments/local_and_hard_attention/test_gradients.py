"""Chapter 01b's gradients: from the tiny preset to claims, and what each number means."""

from dataclasses import replace

import pytest
import torch

from bottomup.experiments import Record, Verdict
from bottomup.experiments.local_and_hard_attention.gradients import experiment
from bottomup.experiments.local_and_hard_attention.gradients.experiment import (
    PRESETS,
    TRAININGS,
    claims,
)
from bottomup.experiments.shared.recurrent import Variant, untrained
from bottomup.models import HardSeq2Seq
from tests.experiments.records import alike

SEEDS = (0, 1, 2)
IDS = ["01b.4a", "01b.4b", "01b.4c", "01b.4d", "01b.4e"]


@pytest.fixture(scope="module")
def record() -> Record:
    return experiment.run(PRESETS["tiny"], SEEDS, "cpu")


def invented(metrics: dict) -> Record:
    """A record of the recorded preset whose seeds all have the same metrics."""
    return alike(experiment.NAME, metrics, PRESETS["recorded"])


def metrics(*, missed=1.0, moving=1.0, gumbel=1.0, bias=0.0, soft=1.0, hard=1.0) -> dict:
    reinforce = {"missed_by_chance": 1.0, "variance": 4.0}
    return {
        "estimators": {
            "reinforce": reinforce,
            "reinforce_best": reinforce | {"missed_by_chance": missed},
            "reinforce_moving": reinforce | {"variance": moving},
            "gumbel_0_3": {"bias": bias / 4, "variance": gumbel},
            "gumbel_1": {"bias": bias, "variance": gumbel},
        },
        "soft_800": {"accuracy": {"12": soft, "24": soft}},
        "gumbel_800": {"accuracy": {"12": hard, "24": hard - 0.25}},
    }


@pytest.mark.slow
def test_a_tiny_run_gives_every_measure(record: Record):
    assert set(record.runs[0]["metrics"]) == {"estimators", *record.config["variants"]}
    names = [
        "reinforce",
        "reinforce_best",
        "reinforce_moving",
        "gumbel_0_3",
        "gumbel_1",
        "gumbel_3",
    ]
    for name in names:
        for value in record.metric(f"estimators.{name}.variance"):
            assert value > 0
    for kind in TRAININGS:
        for name in ("accuracy.3", "accuracy.5", "accuracy.7", "aligned", "strongest"):
            assert all(0 <= value <= 1 for value in record.metric(f"{kind}_12.{name}"))
        assert all(1 < value < 4 for value in record.metric(f"{kind}_12.loss"))  # log 14 is 2.6
    assert [claim.id for claim in experiment.claims(record)] == IDS


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


def verdicts(**values: float) -> dict[str, Verdict]:
    return {claim.id: claim.verdict for claim in claims(invented(metrics(**values)))}


def test_the_claims_follow_the_record():
    good = verdicts(missed=1.4, moving=3.1, gumbel=3.1, bias=0.011, soft=0.99, hard=0.95)
    assert list(good) == IDS
    assert set(good.values()) == {Verdict.HOLDS}
    bad = verdicts(missed=1.6, moving=3.3, gumbel=3.3, bias=0.009, soft=0.99, hard=0.93)
    assert set(bad.values()) == {Verdict.FAILS}


def test_a_claim_takes_the_worst_baseline_and_says_what_was_measured():
    unbiased, baseline, biased, _less, trained = claims(invented(metrics(missed=1.4, bias=0.2)))
    assert unbiased.values == (1.4, 1.4, 1.4)
    assert baseline.values == (0.25, 0.25, 0.25)
    assert biased.values == (0.2, 0.2, 0.2)
    assert biased.measured.endswith("At temperature 0.3: 0.050")
    assert "100 random decoder steps over 5 source words, 20000 draws" in unbiased.measured
    assert "length 12" in trained.measured and "after 800 steps" in trained.measured
