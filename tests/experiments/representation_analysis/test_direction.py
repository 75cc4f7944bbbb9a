"""Chapter 08's objective and direction: who reads what, a tiny run, the claims by hand."""

import pytest
import torch

from bottomup import experiments
from bottomup.experiments import Record, Verdict
from bottomup.experiments.representation_analysis.direction import experiment as direction
from bottomup.experiments.representation_analysis.networks import Start, batches, untrained
from bottomup.experiments.representation_analysis.text import load_text
from tests.experiments.records import record_of

TINY = direction.PRESETS["tiny"]
START = Start(3)


def test_the_left_reading_network_is_asked_as_mlm_and_reads_as_lm():
    text = load_text(TINY)
    masked, left = (batches(TINY, text, name, START)(0) for name in ("mlm", "mlm_left"))
    assert torch.equal(masked.corrupted, left.corrupted)
    tokens = masked.corrupted[:1]
    changed = tokens.clone()
    changed[0, -1] = 4 if tokens[0, -1] != 4 else 5

    def first_moves(name: str) -> bool:
        network = untrained(TINY, text, name, START).eval()
        gap = (network(tokens).logits - network(changed).logits)[0, 0].abs().max()
        return gap.item() > 0

    assert [first_moves(name) for name in TINY.objectives] == [False, False, True]


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = direction.run(TINY, (0, 1, 2), "cpu")
    [table] = tiny.metric("mlm_left")[:1]
    assert list(table) == ["loss", "information", "change"]
    assert list(table["change"]["all"]) == ["layer_1", "layer_2", "layer_3"]
    assert [claim.id for claim in experiments.claims(tiny)] == ["08.9a", "08.9b"]


def made_up(left: float) -> Record:
    """A record of two layers: LM has 1 and MLM 2 of everything."""

    def network(value: float) -> dict:
        return {
            "information": {"layer_2": {"plug_in": value}},
            "change": {"all": {"layer_1": value - 0.25, "layer_2": value + 0.25}},
        }

    metrics = {"lm": network(1.0), "mlm_left": network(left), "mlm": network(2.0)}
    return record_of("representation_analysis_direction", [metrics] * 3, {"num_layers": 2})


@pytest.mark.parametrize(
    ("left", "value", "verdict"),
    [(1.75, 0.5, Verdict.HOLDS), (2.5, 1.0, Verdict.HOLDS), (1.25, -0.5, Verdict.FAILS)],
)
def test_the_claims_ask_which_is_nearer(left: float, value: float, verdict: Verdict):
    for claim in experiments.claims(made_up(left)):
        assert claim.values == pytest.approx((value,) * 3)
        assert claim.verdict == verdict
