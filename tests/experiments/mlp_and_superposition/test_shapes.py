"""Chapter 04's triangle, tetrahedron and antiprism: angles by hand."""

import math
from itertools import product

import pytest
import torch
from torch import Tensor

from bottomup.experiments.mlp_and_superposition.shapes import experiment as shapes


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
