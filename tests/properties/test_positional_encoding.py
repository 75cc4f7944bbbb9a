"""What holds for every width, base and shift."""

import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.blocks import rotate_positions, sinusoidal_positions
from tests.drawn import seeded
from tests.properties.strategies import seeds

halves = st.integers(min_value=1, max_value=9)
lengths = st.integers(min_value=1, max_value=11)
shifts = st.integers(min_value=0, max_value=5000)
bases = st.floats(min_value=1.5, max_value=1e6)


@settings(max_examples=50)
@given(length=lengths, half=halves, base=bases, first=shifts)
def test_rows_have_one_norm_and_lie_between_minus_one_and_one(length, half, base, first):
    table = sinusoidal_positions(length, 2 * half, base=base, first=first, dtype=torch.float64)
    assert table.shape == (length, 2 * half)
    assert table.abs().max() <= 1
    assert torch.allclose(table.norm(dim=-1), torch.tensor(math.sqrt(half)).double())


@settings(max_examples=50)
@given(length=lengths, half=halves, base=bases, first=shifts, seed=seeds)
def test_scores_of_rotated_vectors_are_the_same_anywhere(length, half, base, first, seed):
    generator = seeded(seed)
    query = torch.randn(length, 2 * half, generator=generator, dtype=torch.float64)
    key = torch.randn(length, 2 * half, generator=generator, dtype=torch.float64)
    here = rotate_positions(query, base=base) @ rotate_positions(key, base=base).T
    there = (
        rotate_positions(query, base=base, first=first)
        @ rotate_positions(key, base=base, first=first).T
    )
    assert torch.allclose(here, there, atol=1e-8)
