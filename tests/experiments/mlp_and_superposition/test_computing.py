"""Chapter 04's absolute values: two neurons a feature by hand, its measures."""

import pytest
import torch

from bottomup.experiments.mlp_and_superposition.computing import experiment as computing
from bottomup.experiments.mlp_and_superposition.computing.model import (
    AbsoluteValues,
    explained,
    purity,
    signed_features,
)


def by_hand(*, signs: tuple[float, ...]) -> AbsoluteValues:
    """Neurons that read the first feature, each with one of these signs; the second is guessed."""
    model = AbsoluteValues(2, len(signs), instances=1)
    with torch.no_grad():
        model.W1.copy_(torch.tensor([[[sign, 0.0] for sign in signs]]))
        model.W2.copy_(torch.tensor([[[1.0] * len(signs), [0.0] * len(signs)]]))
        model.b.copy_(torch.tensor([[0.0, 0.5]]))
    return model


def test_features_are_sparse_and_have_both_signs():
    x = signed_features(20_000, 3, 0.9, torch.Generator().manual_seed(0))
    there = x[x != 0]
    assert len(there) / x.numel() == pytest.approx(0.1, abs=0.01)
    assert (there > 0).double().mean().item() == pytest.approx(0.5, abs=0.03)
    assert (
        there.abs().mean().item() == pytest.approx(0.5, abs=0.02) and float(there.abs().max()) < 1
    )


def test_two_neurons_compute_a_feature_exactly_and_one_half_of_it():
    x = signed_features(200_000, 2, 0.99, torch.Generator().manual_seed(0))
    with torch.no_grad():
        both, one = by_hand(signs=(1.0, -1.0))(x)[0], by_hand(signs=(1.0,))(x)[0]
    torch.testing.assert_close(both[:, 0], x[:, 0].abs())
    assert explained(x.abs(), both)[0].item() == 1
    assert explained(x.abs(), one)[0].item() == pytest.approx(0.5, abs=0.05)
    guessed = x.abs().mean(dim=0).expand_as(x)  # the best constant explains nothing
    torch.testing.assert_close(explained(x.abs(), guessed), torch.zeros(2), atol=1e-5, rtol=0)


def test_instances_are_models_of_their_own():
    model = AbsoluteValues(3, 2, instances=2)
    x = torch.randn(5, 3)
    for place, y in enumerate(model(x)):
        h = (x @ model.W1[place].T).relu()
        torch.testing.assert_close(y, (h @ model.W2[place].T + model.b[place]).relu())


def test_purity_by_hand():
    W1 = torch.tensor([[0.0, -7.0], [3.0, 4.0], [1.0, 1.0]])
    torch.testing.assert_close(purity(W1), torch.tensor([1.0, 16 / 25, 0.5]))


def test_one_by_one_leaves_the_less_important_features_at_their_variance():
    config = computing.Config(features=3, neurons=4, decay=0.5)
    assert computing.one_by_one(config, 0.0) == pytest.approx(0.25 / 12)
    x = signed_features(200_000, 1, 0.7, torch.Generator().manual_seed(0)).abs()
    assert computing.one_by_one(config, 0.7) == pytest.approx(0.25 * x.var().item(), rel=0.02)
