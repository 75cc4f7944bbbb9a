"""Chapter 02b's experiment: the networks, what is measured."""

import torch

from bottomup.experiments.intra_attention import experiment as intra
from bottomup.experiments.intra_attention.readers import Reader
from bottomup.experiments.shared.sentences import Neighbours


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
