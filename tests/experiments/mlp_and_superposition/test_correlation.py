"""Chapter 04's features that go together, or never do: samples, angles by hand."""

import pytest
import torch

from bottomup.experiments.mlp_and_superposition.correlation import experiment as correlation


@pytest.mark.parametrize("kind", correlation.VARIANTS)
def test_every_feature_is_there_as_often_in_every_kind(kind: str):
    generator = torch.Generator().manual_seed(0)
    x = correlation.sample(kind, 20_000, 0.1, generator)
    there = (x > 0).double()
    assert x.shape == (20_000, 4) and float(x.max()) < 1
    torch.testing.assert_close(there.mean(dim=0), torch.full((4,), 0.1).double(), atol=0.01, rtol=0)
    both = (there[:, 0] * there[:, 1]).mean().item()
    expected = {"correlated": 0.1, "anticorrelated": 0.0, "independent": 0.01}[kind]
    assert both == pytest.approx(expected, abs=0.01)
    across = (there[:, 0] * there[:, 2]).mean().item()  # pairs know nothing of each other
    assert across == pytest.approx(0.01, abs=0.01)


def test_cosines_by_hand():
    W = torch.tensor([[1.0, 0.0, 2.0, -1.0], [0.0, 1.0, 0.0, 0.0]])
    assert correlation.cosines(W) == [0.0, -1.0]
    W[:, 1] *= 0.1  # too short to count as kept
    assert correlation.cosines(W) == [1.0, -1.0]
