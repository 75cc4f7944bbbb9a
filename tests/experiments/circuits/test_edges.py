"""Chapter 09's removal of edges: the graph by hand, against patching."""

import pytest
import torch

from bottomup.analysis import patched
from bottomup.experiments.circuits import induction
from bottomup.experiments.circuits.config import PRESETS, TRAININGS
from bottomup.experiments.circuits.edges import experiment, removal
from bottomup.experiments.engine.units import Trial
from bottomup.models import AttentionOnly

TINY = PRESETS["tiny"]
ORDER = removal.edges(2)


def model_of(seed: int = 3) -> AttentionOnly:
    model = induction.build(TINY, TRAININGS["two_layers"], seed).double()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.5)  # biases that are not zero
    return model


def test_the_graph_by_hand():
    assert len(ORDER) == len(set(ORDER)) == 5 + 2 * 3 * 3 + 2 * 3
    assert ORDER[:2] == [("1.1", "readout"), ("1.0", "readout")]
    assert ORDER[-1] == ("stream", "0.1.values")
    circuit = removal.circuit(2)
    assert len(circuit) == 4 + 2 + 4 + 2
    assert circuit <= set(ORDER)
    assert len(removal.circuit(1)) == 5


def test_a_whole_chain_is_told():
    chain = {
        ("stream", "0.1.values"),
        ("0.1", "1.0.keys"),
        ("stream", "1.0.queries"),
        ("stream", "1.0.values"),
        ("1.0", "readout"),
    }
    assert removal.is_whole(chain, 2)
    assert removal.is_whole(removal.circuit(2), 2)
    for edge in chain:
        assert not removal.is_whole(chain - {edge}, 2)


def test_with_all_edges_it_is_the_network():
    model, batch = model_of(), induction.evaluated(TINY, "random")
    logits, wrote = removal.run(model, batch.symbols, set(), {})
    assert torch.allclose(logits, model(batch.symbols).logits, atol=1e-12, rtol=0)
    assert list(wrote) == ["stream", "0.0", "0.1", "1.0", "1.1"]


def test_removed_edges_are_what_patching_cuts():
    model, batch = model_of(), induction.evaluated(TINY, "random")
    _, wrote = removal.run(model, batch.symbols, set(), {})
    mean = removal.means(wrote)
    removed = {(node, f"1.{head}.keys") for node in ("0.0", "0.1") for head in range(2)}
    logits, _ = removal.run(model, batch.symbols, removed, mean)
    first, second = induction.attentions(model)
    x = wrote["stream"] + mean["0.0"] + mean["0.1"] + first.W_O.bias
    with patched(model, {"layers.1.W_K": second.W_K(model.in_scores(x))}):
        expected = model(batch.symbols).logits
    assert torch.allclose(logits, expected, atol=1e-12, rtol=0)


def test_nothing_goes_without_a_threshold_and_all_goes_with_a_large_one():
    model, batch = model_of(), induction.evaluated(TINY, "random")
    assert removal.greedy(model, batch, -1e9, ORDER) == (set(ORDER), 0.0)
    kept, cost = removal.greedy(model, batch, 1e9, ORDER)
    assert kept == set()
    assert cost > 0
    logits = model(batch.symbols).logits
    assert removal.divergence(logits, logits + 3.0, batch) == pytest.approx(0, abs=1e-12)


def test_what_is_kept_is_counted_by_hand(trial: Trial, monkeypatch: pytest.MonkeyPatch):
    """One edge of the circuit's twelve, and one beside it that brings tokens to queries."""
    kept = {("1.0", "readout"), ("stream", "0.1.queries")}
    monkeypatch.setattr(experiment, "greedy", lambda *_: (kept, 0.25))
    found = experiment.measure(experiment.PRESETS["tiny"], "removal", trial).metrics["at_1e-1"]
    assert found == {
        "kept": 2, "precision": 1 / 2, "recall": 1 / 12, "whole": 0.0, "divergence": 0.25,
        "tokens_in_scores": 1.0,
    }  # fmt: skip
