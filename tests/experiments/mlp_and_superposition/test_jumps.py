"""Chapter 04's jumps: moves and drops by hand."""

import numpy as np
import pytest

from bottomup.experiments.mlp_and_superposition.jumps.moves import faster, late_move


def test_a_jump_takes_one_note_and_an_even_change_half_of_them():
    jump = np.array([0.5, 0.5, 0.48, 0.5, 0.0, 0.02, 0.0])
    assert late_move(jump, least=0.2) == (3, 4)
    even = np.linspace(0.1, 0.5, 101)
    start, end = late_move(even, least=0.2) or (0, 0)
    assert end - start == pytest.approx(50, abs=1)
    assert late_move(even, least=0.5) is None
    there_and_back = np.array([0.0, 0.5, 0.0, 0.5])
    assert late_move(there_and_back, least=0.2) == (0, 1)


def test_a_drop_is_steeper_than_what_is_beside_it():
    drop = np.array([1.0, 0.99, 0.5, 0.49, 0.48])
    assert faster(drop, 1, 2) is True
    assert faster(drop, 2, 3) is False  # steeper before
    assert faster(drop, 0, 1) is None and faster(drop, 2, 4) is None  # too little beside it
    slowing = 0.9 ** np.arange(30)
    assert not any(faster(slowing, start, start + 3) for start in range(3, 24))
