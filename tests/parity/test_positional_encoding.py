"""The sinusoids and the rotation against references that share no code with them."""

import math

import numpy as np
import pytest
import torch

from bottomup.blocks import rotate_positions, sinusoidal_positions
from tests.drawn import seeded

LENGTH, D_MODEL = 13, 22


@pytest.mark.parametrize("first", [0, 5])
@pytest.mark.parametrize("base", [10_000.0, 37.0])
def test_sinusoids_are_the_paper_s_formula_in_numpy(base, first):
    expected = np.zeros((LENGTH, D_MODEL))
    for pos in range(LENGTH):
        for i in range(D_MODEL // 2):
            angle = (pos + first) / base ** (2 * i / D_MODEL)
            expected[pos, 2 * i] = math.sin(angle)
            expected[pos, 2 * i + 1] = math.cos(angle)
    got = sinusoidal_positions(LENGTH, D_MODEL, base=base, first=first, dtype=torch.float64)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12, atol=1e-12)
    single = sinusoidal_positions(LENGTH, D_MODEL, base=base, first=first)
    np.testing.assert_allclose(single.numpy(), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_a_rotation_is_a_product_of_complex_numbers(dtype, tolerance, device):
    x = torch.randn(2, LENGTH, D_MODEL, generator=seeded(1)).to(dtype)
    frequencies = 10_000.0 ** (-np.arange(D_MODEL // 2) * 2 / D_MODEL)
    turns = np.exp(1j * np.arange(LENGTH)[:, None] * frequencies)
    pairs = x.double().numpy()
    turned = (pairs[..., 0::2] + 1j * pairs[..., 1::2]) * turns
    got = rotate_positions(x.to(device)).cpu().double().numpy()
    np.testing.assert_allclose(got[..., 0::2], turned.real, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(got[..., 1::2], turned.imag, rtol=tolerance, atol=tolerance)
