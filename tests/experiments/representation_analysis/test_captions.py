"""Chapter 08's captions: a tiny run, the control by hand, the claims of the main record again."""

import pytest

from bottomup.experiments.representation_analysis import experiment as main
from bottomup.experiments.representation_analysis.captions import claims, experiment
from tests.experiments.records import record_of

TINY = experiment.PRESETS["tiny"]


@pytest.fixture(scope="module")
def tiny():
    return experiment.run(TINY, (0, 1, 2), "cpu")


def test_a_tiny_run_gives_a_value_to_every_claim(tiny):
    found = experiment.EXPERIMENT.claims(tiny)
    assert [claim.id for claim in found] == [f"08.10{letter}" for letter in "abcdefghijkl"]
    assert all(len(claim.values) == 3 for claim in found)


def test_a_repeated_claim_has_the_value_and_rule_of_the_main_one(tiny):
    asked = {claim.id: claim for claim in main.EXPERIMENT.claims(tiny)}
    for claim in experiment.EXPERIMENT.claims(tiny)[1:]:
        first = asked[claim.repeats]
        assert (claim.values, claim.rule) == (first.values, first.rule)
        assert claim.sentence == f"On captions: {first.sentence}"


def test_the_control_is_the_network_that_learned_least(tiny):
    table = {
        **tiny.runs[0]["metrics"]["networks"],
        "frequency_loss": {"lm": 5.0, "mlm": 5.0, "mt": 4.0},
    }
    for name, loss in {"lm": 3.0, "mlm": 2.0, "mt": 2.75}.items():
        table[name] = {**table[name], "loss": loss}
    made = record_of(experiment.NAME, [{"networks": table}] * 3, dict(tiny.config))
    assert claims.claims(made)[0].values == (1.25, 1.25, 1.25)


def test_the_guess_by_frequencies_is_that_of_each_side(tiny):
    guess = tiny.metric("networks.frequency_loss")[0]
    assert guess["lm"] == guess["mlm"] != guess["mt"]
