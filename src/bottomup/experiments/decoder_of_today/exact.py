"""Chapter 10b: what follows from the definitions, on random numbers; nothing is trained."""

import torch
from torch import Tensor

from bottomup.attention import (
    grouped_attention,
    scaled_dot_product_attention,
)
from bottomup.blocks import layer_norm, rms_norm, rotate_positions
from bottomup.experiments.self_attention.exact import agreeing_digits

HEADS, GROUPS, LENGTH, WIDTH, BATCH = 6, 2, 7, 16, 3
OFFSET = 1_000


def measure_exact(seed: int, device: torch.device) -> dict[str, float]:
    """Compare the parts of a decoder of today with what they replaced.

    Each measure is the number of decimal places on which two results agree, in float64.
    """
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(device)

    query, x = draw(BATCH, HEADS, LENGTH, WIDTH), draw(BATCH, LENGTH, WIDTH)
    key, value = draw(2, BATCH, GROUPS, LENGTH, WIDTH)
    copies = (each.repeat_interleave(HEADS // GROUPS, dim=1) for each in (key, value))
    gain, zero = draw(WIDTH), torch.zeros(WIDTH, dtype=torch.float64, device=device)
    centred = x - x.mean(dim=-1, keepdim=True)
    return {
        "relative_digits": agreeing_digits(_scores(x, 0), _scores(x, OFFSET)),
        "grouped_digits": agreeing_digits(
            grouped_attention(query, key, value)[0],
            scaled_dot_product_attention(query, *copies)[0],
        ),
        "norm_digits": agreeing_digits(rms_norm(centred, gain), layer_norm(x, gain, zero)),
    }


def _scores(x: Tensor, first: int) -> Tensor:
    turned = rotate_positions(x, first=first)
    return turned @ turned.mT
