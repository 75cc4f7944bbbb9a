import math

import pytest
import torch

from bottomup.blocks import rotary_waves, rotate_halves, rotate_positions
from tests.drawn import randn

BATCH, LENGTH, D_HEAD = 3, 5, 6
# The order in which the coordinates of neighbours stand as halves: 0 2 4 1 3 5.
AS_HALVES = torch.arange(D_HEAD).view(-1, 2).T.flatten()


def waves(length: int = LENGTH, first: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    return rotary_waves(length, D_HEAD, first=first, dtype=torch.float64)


def test_the_waves_by_hand():
    cos, sin = rotary_waves(2, 4, base=100.0, first=3, dtype=torch.float64)  # w = 1, 1/10
    angles = torch.tensor([[3.0, 0.3], [4.0, 0.4]], dtype=torch.float64)
    torch.testing.assert_close(cos, angles.cos())
    torch.testing.assert_close(sin, angles.sin())


def test_a_quarter_turn_by_hand():
    x = torch.tensor([[1.0, 2, 3, 5]], dtype=torch.float64)
    quarter = torch.tensor([[math.pi / 2, 0.0]], dtype=torch.float64)
    turned = rotate_halves(x, quarter.cos(), quarter.sin())
    expected = torch.tensor([[-3.0, 2, 1, 5]], dtype=torch.float64)
    torch.testing.assert_close(turned, expected)


def test_halves_are_neighbours_in_another_order():
    x = randn(BATCH, LENGTH, D_HEAD)
    expected = rotate_positions(x)[..., AS_HALVES]
    torch.testing.assert_close(rotate_halves(x[..., AS_HALVES], *waves()), expected)


def test_the_two_orders_do_not_mix():
    query, key = randn(2, LENGTH, D_HEAD)
    alike = rotate_positions(query) @ rotate_positions(key).T
    mixed = rotate_positions(query) @ rotate_halves(key, *waves()).T
    assert (alike - mixed).abs().max() > 0.1


def test_a_score_depends_on_the_distance_alone():
    query, key = randn(2, LENGTH, D_HEAD)
    near, far = (waves(first=first) for first in (0, 100_000))
    here = rotate_halves(query, *near) @ rotate_halves(key, *near).T
    there = rotate_halves(query, *far) @ rotate_halves(key, *far).T
    torch.testing.assert_close(there, here, rtol=0, atol=1e-10)


def test_the_dtype_of_x_stays_and_lengths_too():
    x = randn(BATCH, LENGTH, D_HEAD).float()
    turned = rotate_halves(x, *rotary_waves(LENGTH, D_HEAD))
    assert turned.dtype == torch.float32
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))


def test_it_passes_gradcheck():
    cos, sin = rotary_waves(3, 4, dtype=torch.float64)
    assert torch.autograd.gradcheck(
        lambda x: rotate_halves(x, cos, sin), (randn(2, 3, 4).requires_grad_(),)
    )


def test_rows_that_do_not_fit_are_refused():
    x = randn(LENGTH, D_HEAD)
    with pytest.raises(
        ValueError, match=r"cos: expected axes \[position=5, half\], got shape \(4, 3\)"
    ):
        rotate_halves(x, *waves(4))
    with pytest.raises(ValueError, match="cos: expected half of d_head=5 columns, got 3"):
        rotate_halves(randn(LENGTH, 5), *waves())
    with pytest.raises(TypeError, match="cos: expected the dtype"):
        rotate_halves(x.float(), *waves())
