"""Chapter 02b's experiment: the networks, what is measured, its claims."""

import pytest
import torch

from bottomup import experiments
from bottomup.experiments import Record
from bottomup.experiments.intra_attention import experiment as intra
from bottomup.experiments.intra_attention.quantities import gain
from bottomup.experiments.intra_attention.readers import NETWORKS, Reader
from bottomup.experiments.shared.sentences import Neighbours, Questions
from tests.experiments.records import alike


@pytest.fixture(scope="module")
def tiny() -> Record:
    return intra.run(intra.PRESETS["tiny"], (0, 1, 2), "cpu")


@pytest.mark.parametrize("network", NETWORKS)
def test_a_reader_answers_at_every_position(network: str):
    batch = Questions(2, 3, 5, seed=0)(0)
    logits = Reader(network)(batch.nouns, batch.colours)
    assert logits.shape == (5, batch.nouns.shape[1], 12)
    assert intra.answer_cross_entropy(Reader(network), batch).requires_grad


def test_without_distances_the_bias_is_not_trained():
    with_, without = (Reader(f"{name}_distances").network for name in ("with", "without"))
    assert with_.reading.bias.requires_grad
    assert not without.reading.bias.requires_grad and not without.reading.bias.any()


def test_accuracy_counts_the_answers_at_the_last_positions():
    batch = Neighbours(4, 2, seed=0)(0)  # answers at the last three of four positions

    def knows(nouns: torch.Tensor, colours: torch.Tensor) -> torch.Tensor:
        said = torch.cat([nouns[:, :1], nouns[:, :-1]], dim=1)
        return torch.nn.functional.one_hot(said, 12).float()

    assert intra.accuracy(knows, batch) == 1.0
    assert intra.accuracy(lambda nouns, colours: -knows(nouns, colours), batch) == 0.0


def test_a_tiny_run_gives_every_measure_and_claim(tiny: Record):
    assert set(tiny.runs[0]["metrics"]) == set(NETWORKS)
    assert all(0 <= value <= 1 for value in tiny.metric("lstmn.accuracy.5"))
    numbers = [claim.id for claim in experiments.claims(tiny)]
    assert numbers == ["02b.1a", "02b.1b", "02b.2a", "02b.2b", "02b.3a", "02b.3b"]


def test_a_gain_is_that_of_so_many_things():
    shares = {"lstm": {"2": 0.75, "8": 0.25}, "reads_itself": {"2": 1.0, "8": 1.0}}
    metrics = {name: {"accuracy": accuracy} for name, accuracy in shares.items()}
    record = alike(intra.NAME, metrics, intra.PRESETS["recorded"])
    assert gain(record, "8") == (0.75, 0.75, 0.75)
