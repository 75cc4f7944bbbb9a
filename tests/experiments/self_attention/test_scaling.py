"""Chapter 02's training with scaled and unscaled scores: the start, a tiny run, its claims."""

import pytest
import torch

from bottomup.experiments import Record
from bottomup.experiments.engine.claim import Verdict
from bottomup.experiments.self_attention.scaling import experiment
from bottomup.experiments.self_attention.scaling.experiment import Asker
from tests.experiments.records import record_of


@pytest.fixture(scope="module")
def tiny() -> Record:
    return experiment.run(experiment.PRESETS["tiny"], (0, 1, 2), "cpu")


def test_both_kinds_start_from_the_same_parameters_and_differ_by_the_scale_alone():
    layers = []
    for scale in (None, 1.0):
        torch.manual_seed(0)
        layers.append(Asker(d_model=7, d_key=16, scale=scale))
    scaled, unscaled = layers
    nouns, colours = torch.tensor([[0, 1, 0]]), torch.tensor([[3, 4, 12]])
    with torch.no_grad():
        small, large = (layer(nouns, colours)[1].log() for layer in layers)
    assert torch.equal(scaled.W_Q.weight, unscaled.W_Q.weight)
    differences = [weights - weights[:, :1] for weights in (small, large)]
    torch.testing.assert_close(4 * differences[0], differences[1])  # sqrt(16)


def test_a_tiny_run_gives_every_measure_and_claim(tiny: Record):
    assert list(tiny.runs[0]["metrics"]) == ["scaled_2", "unscaled_2", "scaled_5", "unscaled_5"]
    assert all(1 / 4 <= value <= 1 for value in tiny.metric("unscaled_5.largest_at_start"))
    assert [claim.id for claim in experiment.claims(tiny)] == ["02.3c", "02.3d"]


def test_the_claims_are_about_the_widest_keys_and_about_narrow_ones():
    metrics = {
        f"{kind}_{width}": {"largest_at_start": 0.5, "accuracy": accuracy}
        for width in (4, 16, 64, 256, 1024)
        for kind, accuracy in (("scaled", 0.9), ("unscaled", 0.9 - width / 2048))
    }
    record = record_of("self_attention_scaling", [metrics] * 3, experiment.PRESETS["recorded"])
    wide, narrow = experiment.claims(record)
    assert wide.mean == pytest.approx(0.5) and wide.verdict == Verdict.HOLDS
    assert narrow.mean == pytest.approx(16 / 2048) and narrow.verdict == Verdict.HOLDS
    assert "1024" in wide.sentence and "16" in narrow.sentence
