"""Chapter 04's experiment on toy models: its measures by hand."""

from dataclasses import replace
from math import pi

import pytest
import torch
from torch import Tensor

from bottomup.analysis import PHASES, feature_dimensions, interference
from bottomup.experiments.mlp_and_superposition.geometry import experiment as geometry
from bottomup.experiments.mlp_and_superposition.geometry.five import (
    importances,
    is_two_pairs,
    wrongly_kept,
)
from bottomup.experiments.mlp_and_superposition.geometry.linear import (
    feature_variance,
    linear_loss,
    plane_distance,
)
from bottomup.experiments.mlp_and_superposition.geometry.map import map_arrays, turned
from bottomup.experiments.mlp_and_superposition.geometry.wide import (
    inverse_densities,
    on_plateau,
)
from bottomup.models import ToySuperposition, sample_features, superposition_loss

NAME = "mlp_and_superposition_geometry"
TINY = geometry.PRESETS["tiny"]


def polygon(*degrees: float, length: float = 1.0) -> Tensor:
    angles = torch.tensor(degrees) * pi / 180
    return length * torch.stack([angles.cos(), angles.sin()])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Tensor]:
    """What the last training was asked for."""
    seen: dict[str, Tensor] = {}
    honest = geometry.Training.solve

    def watching(self, part, sparsity, importance, **options):
        seen.update(sparsity=sparsity, importance=importance)
        return honest(self, part, sparsity, importance, **options)

    monkeypatch.setattr(geometry.Training, "solve", watching)
    return seen


def test_the_map_puts_every_solution_at_its_sparsity_and_decay(asked, trial):
    kept = map_arrays(TINY, trial)
    grid = asked["sparsity"].unflatten(0, (3, 2))
    assert grid.tolist() == [[0.0, 0.0], [0.5, 0.5], pytest.approx([0.9, 0.9])]
    last = asked["importance"].unflatten(0, (3, 2))[..., -1]
    torch.testing.assert_close(last, torch.tensor([1.0, 0.8**4]).expand(3, 2))
    W = torch.as_tensor(kept["W"])
    assert W.shape == (3, 2, 2, 5)
    torch.testing.assert_close(torch.as_tensor(kept["interference"]), interference(W))
    torch.testing.assert_close(torch.as_tensor(kept["dimensions"]), feature_dimensions(W))


def test_the_phase_diagram_has_importance_down_and_density_across(asked, trial):
    kept = geometry.measure(TINY, "phases", trial).arrays
    cells = (TINY.cells, TINY.cells)
    assert kept["importance"].tolist() == pytest.approx([0.1, 10 ** (-1 / 3), 10 ** (1 / 3), 10])
    assert kept["density"].tolist() == pytest.approx([1, 10 ** (-2 / 3), 10 ** (-4 / 3), 0.01])
    second = asked["importance"][:, 1].unflatten(0, cells)
    assert second[:, 0].tolist() == second[:, 3].tolist() == pytest.approx(kept["importance"])
    density = 1 - asked["sparsity"].unflatten(0, cells)
    assert density[0].tolist() == density[3].tolist() == pytest.approx(kept["density"], rel=1e-4)
    # dense and unequal: the more important one; sparse: both
    expected = [[PHASES[place] for place in row] for row in kept["expected"]]
    assert [expected[0][0], expected[3][0], expected[1][3]] == ["first", "second", "antipodal"]


def test_features_wrongly_kept_by_hand():
    assert wrongly_kept(torch.eye(5)[:2]) == 0
    assert wrongly_kept(torch.eye(5)[:1]) == 0  # one dimension, one feature
    assert wrongly_kept(torch.eye(5)[1:3]) == 2  # the second and the third
    assert wrongly_kept(torch.zeros(2, 5)) == 2
    assert wrongly_kept(polygon(0, 72, 144, 216, 288)) == 3


def test_two_pairs_by_hand():
    nothing = torch.zeros(2, 1)
    assert is_two_pairs(torch.cat([polygon(0, 90, 180, 270), nothing], dim=1))
    assert is_two_pairs(torch.cat([nothing, polygon(0, 100, 280, 180)], dim=1))
    assert not is_two_pairs(torch.cat([polygon(0, 180, 90), nothing, nothing], dim=1))
    assert not is_two_pairs(torch.cat([polygon(0, 180, 90, 270), polygon(45)], dim=1))
    assert not is_two_pairs(torch.cat([polygon(0, 5, 180, 90), nothing], dim=1))  # one is shared
    assert not is_two_pairs(polygon(0, 72, 144, 216, 288))


def test_the_variance_of_a_feature_is_that_of_its_samples(generator):
    for sparsity in (0.0, 0.6, 0.9):
        x = sample_features(200_000, 1, sparsity, generator)
        assert x.var().item() == pytest.approx(feature_variance(sparsity), rel=0.02)
    assert feature_variance(0.0) == pytest.approx(1 / 12)


def test_the_expected_loss_of_the_linear_model_is_that_of_samples(generator):
    model = ToySuperposition(5, 2, linear=True)
    with torch.no_grad():
        model.W.copy_(torch.randn(1, 2, 5, generator=generator) * 0.5)
        model.b.copy_(torch.randn(1, 5, generator=generator) * 0.3)
        x = sample_features(200_000, 5, 0.7, generator)
        found = superposition_loss(x, model(x), importances(0.8)).item()
        wanted = linear_loss(model.W[0], model.b[0], importances(0.8), 0.7)
    assert found == pytest.approx(wanted, rel=0.01)


def test_distances_of_planes_by_hand():
    basis = torch.eye(4)
    assert plane_distance(basis[:2], 3 * basis[[1, 0]]) == pytest.approx(0, abs=1e-6)
    assert plane_distance(basis[:2], basis[1:3]) == pytest.approx(0.5)
    assert plane_distance(basis[:2], basis[2:]) == pytest.approx(1)


def test_a_solution_is_turned_and_nothing_else():
    W = polygon(200, 128, 56, 344, 272, length=1.1)  # the second lies 72 degrees to the right
    shown = turned(W)
    assert shown[:, 0].tolist() == pytest.approx([1.1, 0])
    assert shown[1, 1] > 0
    torch.testing.assert_close(interference(shown), interference(W), atol=1e-5, rtol=0)
    torch.testing.assert_close(turned(shown), shown, atol=1e-6, rtol=0)


def test_the_first_feature_that_is_kept_decides_the_turn():
    W = torch.tensor([[0.1, 0.0, 0.0, 2.0], [0.2, 2.0, -2.0, 0.0]])
    torch.testing.assert_close(
        turned(W), torch.tensor([[0.2, 2.0, -2.0, 0.0], [0.1, 0.0, 0.0, 2.0]])
    )
    nothing = torch.full((2, 3), 0.01)
    assert torch.equal(turned(nothing), nothing)


def test_the_sparsities_of_larger_models_grow_by_equal_factors():
    config = replace(TINY, points=5, sparsest=16.0, plateau=(2.0, 5.0))
    assert inverse_densities(config) == pytest.approx([1, 2, 4, 8, 16])
    assert on_plateau(config) == [1, 2]


@pytest.mark.slow
def test_pairs_and_a_pentagon_appear_in_a_short_training(trial):
    config = replace(
        TINY,
        sparsities=(0.0, 0.7, 0.95),
        pairs=(0.7,),
        pentagons=(0.95,),
        fresh=5_000,
        five=geometry.Training(steps=1_500, samples=128, restarts=6),
    )
    found = geometry.measure(config, "five", replace(trial, seed=5)).metrics
    assert (found["wrong"], found["pairs"], found["pentagons"]) == (0, 1, 1)
    assert found["dimension"]["70"] == pytest.approx(1 / 2, abs=0.01)
    assert found["dimension"]["95"] == pytest.approx(2 / 5, abs=0.01)
