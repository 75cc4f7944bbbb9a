"""Chapter 04's experiment on toy models: its measures by hand, and a tiny run of every part."""

from dataclasses import replace
from math import pi

import pytest
import torch
from torch import Tensor

from bottomup import experiments
from bottomup.analysis import PHASES, feature_dimensions, interference
from bottomup.experiments import Record
from bottomup.experiments.mlp_and_superposition.geometry import experiment as geometry
from bottomup.experiments.mlp_and_superposition.geometry.five import (
    importances,
    is_two_pairs,
    percent,
    wrongly_kept,
)
from bottomup.experiments.mlp_and_superposition.geometry.linear import (
    feature_variance,
    linear_loss,
    plane_distance,
)
from bottomup.experiments.mlp_and_superposition.geometry.map import turned
from bottomup.experiments.mlp_and_superposition.geometry.wide import (
    inverse_densities,
    on_plateau,
)
from bottomup.models import ToySuperposition, sample_features, superposition_loss

SEEDS = (0, 1, 2)
CPU = torch.device("cpu")
CLAIMS = ["04.5a", "04.5b", "04.5c", "04.6a", "04.6b", "04.7a", "04.7b", "04.7c"]
TINY = geometry.PRESETS["tiny"]


@pytest.fixture(scope="module")
def tiny() -> Record:
    return geometry.run(TINY, SEEDS, "cpu")


def polygon(*degrees: float, length: float = 1.0) -> Tensor:
    angles = torch.tensor(degrees) * pi / 180
    return length * torch.stack([angles.cos(), angles.sin()])


def test_a_tiny_run_gives_every_part_and_every_claim(tiny: Record):
    assert list(tiny.runs[0]["metrics"]) == [
        "five", "linear", "equal", "20_to_5", "80_to_20", "phases", "map",
    ]  # fmt: skip
    assert [claim.id for claim in experiments.claims(tiny)] == CLAIMS
    shares = ("five.pairs", "five.pentagons", "phases.agree", "equal.apart", "five.dimension.90")
    assert all(0 <= value <= 1 for name in shares for value in tiny.metric(name))
    assert sum(tiny.metric(f"phases.shares.{name}")[0] for name in PHASES) == pytest.approx(1)


def test_a_tiny_run_can_be_repeated(tiny: Record, tmp_path):
    for part in ("five", "80_to_20", "phases"):
        again = geometry.measure(TINY, part, 1, CPU, tmp_path / part)
        assert again.metrics.keys() == tiny.runs[1]["metrics"][part].keys()
    assert again.metrics["agree"] == tiny.metric("phases.agree")[1]
    assert (again.arrays["W"] == tiny.arrays["phases/1/W"]).all()


def test_parts_of_one_seed_do_not_start_alike(tiny: Record):
    sharing = [tiny.arrays[f"{part}/0/W"][0] for part in ("five", "linear")]
    assert not (abs(sharing[0] - sharing[1]) < 0.3).all()


def test_a_record_without_some_parts_claims_less(tmp_path):
    config = replace(TINY, parts=("five", "phases"))
    record = geometry.run(config, SEEDS, "cpu")
    found = [claim.id for claim in experiments.claims(record)]
    assert found == ["04.5a", "04.5b", "04.5c", "04.7c"]


def test_the_solutions_for_the_figure_are_kept_under_one_seed(tiny: Record):
    kept = {
        name.removeprefix("map/0/"): array
        for name, array in tiny.arrays.items()
        if name.startswith("map/")
    }
    assert {name: array.shape for name, array in kept.items()} == {
        "W": (3, 2, 2, 5),
        "b": (3, 2, 5),
        "interference": (3, 2, 5, 5),
        "dimensions": (3, 2, 5),
        "loss": (3, 2),
        "sparsity": (3,),
        "decay": (2,),
    }
    W = torch.from_numpy(kept["W"])
    torch.testing.assert_close(torch.from_numpy(kept["interference"]), interference(W))
    torch.testing.assert_close(torch.from_numpy(kept["dimensions"]), feature_dimensions(W))
    assert kept["sparsity"].tolist() == list(TINY.map_sparsities)
    assert kept["decay"].tolist() == list(TINY.map_decays)


def test_the_map_puts_every_solution_at_its_sparsity_and_decay(tmp_path, monkeypatch):
    asked = {}
    honest = geometry.Training.solve

    def watching(self, part, sparsity, importance, **options):
        asked.update(sparsity=sparsity, importance=importance)
        return honest(self, part, sparsity, importance, **options)

    monkeypatch.setattr(geometry.Training, "solve", watching)
    geometry.map_arrays(TINY, 0, "cpu", None)
    grid = asked["sparsity"].unflatten(0, (3, 2))
    assert grid.tolist() == [[0.0, 0.0], [0.5, 0.5], pytest.approx([0.9, 0.9])]
    last = asked["importance"].unflatten(0, (3, 2))[..., -1]
    torch.testing.assert_close(last, torch.tensor([1.0, 0.8**4]).expand(3, 2))


def test_the_phase_diagram_has_importance_down_and_density_across(monkeypatch):
    asked = {}
    honest = geometry.Training.solve

    def watching(self, part, sparsity, importance, **options):
        asked.update(sparsity=sparsity, importance=importance)
        return honest(self, part, sparsity, importance, **options)

    monkeypatch.setattr(geometry.Training, "solve", watching)
    kept = geometry.measure(TINY, "phases", 0, CPU, None).arrays
    cells = (TINY.cells, TINY.cells)
    assert kept["importance"].tolist() == pytest.approx([0.1, 10 ** (-1 / 3), 10 ** (1 / 3), 10])
    assert kept["density"].tolist() == pytest.approx([1, 10 ** (-2 / 3), 10 ** (-4 / 3), 0.01])
    second = asked["importance"][:, 1].unflatten(0, cells)
    assert second[:, 0].tolist() == second[:, 3].tolist() == pytest.approx(kept["importance"])
    density = 1 - asked["sparsity"].unflatten(0, cells)
    assert density[0].tolist() == density[3].tolist() == pytest.approx(kept["density"], rel=1e-4)
    assert (asked["importance"][:, 0] == 1).all()
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


def test_names_and_importances():
    assert [percent(sparsity) for sparsity in (0.0, 0.85, 0.95, 0.97, 0.99)] == [
        "0", "85", "95", "97", "99",
    ]  # fmt: skip
    assert importances(0.5).tolist() == [1, 0.5, 0.25, 0.125, 0.0625]


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


def test_the_lowest_linear_loss_is_the_variance_of_what_is_left_out():
    W, sparsity = torch.eye(5)[:2], 0.4
    b = (torch.arange(5) >= 2) * (1 - sparsity) / 2
    wanted = feature_variance(sparsity) * (0.81 + 0.729 + 0.6561)
    assert linear_loss(W, b, importances(0.9), sparsity) == pytest.approx(wanted)


def test_distances_of_planes_by_hand():
    basis = torch.eye(4)
    assert plane_distance(basis[:2], 3 * basis[[1, 0]]) == pytest.approx(0, abs=1e-6)
    assert plane_distance(basis[:2], basis[1:3]) == pytest.approx(0.5)
    assert plane_distance(basis[:2], basis[2:]) == pytest.approx(1)


def test_random_planes_are_as_far_apart_as_the_claim_says(generator):
    draws = torch.randn(400, 2, 2, 5, generator=generator)
    apart = [plane_distance(one, other) for one, other in draws]
    assert sum(apart) / len(apart) == pytest.approx(0.6, abs=0.02)


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


@pytest.mark.parametrize("name", geometry.PRESETS)
def test_every_preset_has_the_sparsities_that_a_claim_needs(name: str):
    config = geometry.PRESETS[name]
    assert config.sparsities[0] == 0
    assert list(config.sparsities) == sorted(set(config.sparsities))
    assert {*config.pairs, *config.pentagons} <= set(config.sparsities)
    assert config.pairs
    assert config.pentagons
    assert on_plateau(config)
    assert all(round(100 * s) == pytest.approx(100 * s) for s in config.sparsities)
    assert {"five", "phases"} <= set(config.parts)
    assert list(config.map_sparsities) == sorted(config.map_sparsities)
    assert list(config.map_decays) == sorted(config.map_decays, reverse=True)


@pytest.mark.slow
def test_pairs_and_a_pentagon_appear_in_a_short_training(tmp_path):
    config = replace(
        TINY,
        sparsities=(0.0, 0.7, 0.95),
        pairs=(0.7,),
        pentagons=(0.95,),
        fresh=5_000,
        five=geometry.Training(steps=1_500, samples=128, restarts=6),
    )
    found = geometry.measure(config, "five", 5, CPU, tmp_path / "five.pt").metrics
    assert (found["wrong"], found["pairs"], found["pentagons"]) == (0, 1, 1)
    assert found["dimension"]["70"] == pytest.approx(1 / 2, abs=0.01)
    assert found["dimension"]["95"] == pytest.approx(2 / 5, abs=0.01)


@pytest.mark.slow
def test_the_linear_model_does_not_superpose_in_a_short_training(tmp_path):
    config = replace(
        TINY,
        decay=0.6,
        fresh=1_000,
        linear=geometry.Training(steps=2_500, samples=64, restarts=2),
        equal=geometry.Training(steps=800, samples=128, restarts=2),
    )
    assert geometry.measure(config, "linear", 5, CPU, tmp_path / "a.pt").metrics["off"] < 0.1
    equal = geometry.measure(config, "equal", 5, CPU, tmp_path / "b.pt").metrics
    assert equal["excess"] < 0.02
    assert equal["apart"] > 0.2


@pytest.mark.slow
def test_the_phase_diagram_agrees_with_the_losses_by_hand_in_a_short_training(tmp_path):
    config = replace(
        TINY,
        cells=6,
        fresh=5_000,
        phases=geometry.Training(steps=400, samples=128, learning_rate=0.03, restarts=4),
    )
    found = geometry.measure(config, "phases", 5, CPU, tmp_path / "phases.pt").metrics
    assert found["agree"] > 0.8
    assert found["shares"]["antipodal"] > 0.5
