"""Chapter 04's triangle, tetrahedron and antiprism: angles by hand, its claims."""

import math
from itertools import product

import pytest
import torch
from torch import Tensor

from bottomup import experiments
from bottomup.analysis import feature_dimensions
from bottomup.experiments.mlp_and_superposition.shapes import experiment as shapes
from bottomup.experiments.mlp_and_superposition.shapes.quantities import least, most
from tests.experiments.records import alike


def antiprism(c: float, *, turn: float = 45.0) -> Tensor:
    """Two squares at heights ± sqrt(c) on the unit sphere, the lower one turned."""
    height, radius = math.sqrt(c), math.sqrt(1 - c)
    corners = [
        (radius * math.cos(angle), radius * math.sin(angle), z)
        for z, start in ((height, 0.0), (-height, turn))
        for angle in (math.radians(start + 90 * k) for k in range(4))
    ]
    return torch.tensor(corners).T


@pytest.mark.parametrize("c", [0.28, 1 / 3])
@pytest.mark.parametrize("length", [1.0, 1.3])
def test_an_antiprism_is_one_at_every_height_and_length(c: float, length: float):
    assert shapes.from_antiprism(length * antiprism(c)) == pytest.approx(0, abs=1e-6)


def test_a_cube_is_no_antiprism():
    cube = torch.tensor(list(product((-1.0, 1.0), repeat=3))).T
    # the pair across the body: -1 in a cube, -1/3 - sqrt(2)/3 in the antiprism; next to it
    # -1/3 in a cube
    assert shapes.from_antiprism(cube) == pytest.approx(math.sqrt(2) / 3)
    assert shapes.from_antiprism(antiprism(1 / 3, turn=0.0)) == pytest.approx(math.sqrt(2) / 3)


def test_both_have_three_eighths_of_a_dimension_a_feature():
    for W in (antiprism(1 / 3), antiprism(1 / 3, turn=0.0)):
        torch.testing.assert_close(feature_dimensions(W), torch.full((8,), 3 / 8))


def test_an_arrow_that_points_the_other_way_keeps_its_share():
    turns = torch.arange(3) * 2 * math.pi / 3
    triangle = torch.stack([turns.cos(), turns.sin()])
    fan = triangle * torch.tensor([1.0, -1.0, 1.0])
    for W in (triangle, fan):
        torch.testing.assert_close(feature_dimensions(W), torch.full((3,), 2 / 3))


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = shapes.run(shapes.PRESETS["tiny"], (0, 1, 2), "cpu")
    for shape, (features, dimensions) in shapes.SIZES.items():
        off = tiny.metric(f"{shape}.off.{80}")
        assert all(0 <= value <= 1 - min(dimensions / features, 0.25) for value in off)
    assert [claim.id for claim in experiments.claims(tiny)] == [
        f"04.7{letter}" for letter in "defgh"
    ]


def test_distances_are_compared_at_the_sparsities_that_a_claim_names():
    metrics = {"triangle": {"off": {"10": 0.3, "30": 0.1, "40": 0.2}}}
    record = alike(shapes.NAME, metrics, shapes.PRESETS["recorded"])
    assert most(record, "triangle.off", "30", "40") == (0.2,) * 3
    assert least(record, "triangle.off", "10", "40") == (0.2,) * 3
    assert least(record, "triangle.off") == (0.1,) * 3
