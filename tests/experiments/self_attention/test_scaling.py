"""Chapter 02's training with scaled and unscaled scores: the start, a tiny run, its claims."""

import pytest
import torch

from bottomup import experiments
from bottomup.experiments import Record
from bottomup.experiments.self_attention.scaling import experiment
from bottomup.experiments.self_attention.scaling.experiment import Asker
from bottomup.experiments.self_attention.scaling.quantities import names
from tests.experiments.records import alike


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
    assert [claim.id for claim in experiments.claims(tiny)] == ["02.3c", "02.3d"]


def test_the_claims_are_about_the_widest_keys_and_about_narrow_ones(tiny: Record):
    recorded = alike(tiny.experiment, {}, experiment.PRESETS["recorded"])
    assert names(recorded) == {"widest": 1024, "narrow": 16}
    assert names(tiny) == {"widest": 5, "narrow": 2}  # there is no 16
