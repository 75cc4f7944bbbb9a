"""Chapter 08's captions: a tiny run, the control by hand."""

import pytest

from bottomup import experiments
from bottomup.experiments.representation_analysis.captions import experiment
from bottomup.experiments.representation_analysis.captions.quantities import least_learned
from tests.experiments.records import alike

TINY = experiment.PRESETS["tiny"]


@pytest.fixture(scope="module")
def tiny():
    return experiment.run(TINY, (0, 1, 2), "cpu")


def test_a_tiny_run_gives_a_value_to_every_claim(tiny):
    found = experiments.claims(tiny)
    assert [claim.id for claim in found] == [f"08.10{letter}" for letter in "abcdefghijkl"]
    assert all(len(claim.values) == 3 for claim in found)


def test_the_control_is_the_network_that_learned_least():
    losses = {name: {"loss": loss} for name, loss in {"lm": 3.0, "mlm": 2.0, "mt": 2.75}.items()}
    table = {**losses, "frequency_loss": {"lm": 5.0, "mlm": 5.0, "mt": 4.0}}
    assert least_learned(alike(experiment.NAME, {"networks": table}, {})) == (1.25,) * 3


def test_the_guess_by_frequencies_is_that_of_each_side(tiny):
    guess = tiny.metric("networks.frequency_loss")[0]
    assert guess["lm"] == guess["mlm"] != guess["mt"]
