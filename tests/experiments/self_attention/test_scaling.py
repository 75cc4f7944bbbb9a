"""Chapter 02's training with scaled and unscaled scores: the start."""

import torch

from bottomup.experiments.self_attention.scaling.experiment import Asker


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
