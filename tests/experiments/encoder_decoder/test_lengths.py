"""Chapter 05's longer sequences: accuracy by hand, a tiny run, its claims."""

import pytest
import torch

from bottomup import experiments
from bottomup.data import SequenceTask
from bottomup.experiments.encoder_decoder.lengths import experiment as lengths
from bottomup.models import Transformer, TransformerConfig
from tests.experiments.records import alike


def test_an_untrained_model_is_asked_for_every_symbol_but_the_end():
    task = SequenceTask("copy", symbols=3, max_length=5)
    size = len(task.vocabulary)
    torch.manual_seed(0)
    sizes = {"source_vocabulary": size, "target_vocabulary": size, "d_model": 8, "num_heads": 2}
    model = Transformer(TransformerConfig(**sizes, encoder_layers=1, decoder_layers=1))
    assert 0 <= lengths.symbol_accuracy(model, task, 7, 11) <= 1


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = lengths.run(lengths.PRESETS["tiny"], (0, 1, 2), "cpu")
    assert set(tiny.runs[0]["metrics"]) == {"sinusoidal", "learned"}
    assert all(0 <= value <= 1 for value in tiny.metric("learned.accuracy.9"))
    assert [claim.id for claim in experiments.claims(tiny)] == ["05.7o", "05.7p"]


def test_the_claims_compare_positions_at_half_as_long_again():
    accuracy = {"sinusoidal": {"12": 1.0, "18": 0.6}, "learned": {"12": 1.0, "18": 0.5}}
    metrics = {name: {"accuracy": each} for name, each in accuracy.items()}
    compared, costs = experiments.claims(alike(lengths.NAME, metrics, lengths.PRESETS["recorded"]))
    assert compared.values == pytest.approx((0.1,) * 3)
    assert compared.room == (0.5,) * 3
    assert costs.values == (0.4,) * 3
