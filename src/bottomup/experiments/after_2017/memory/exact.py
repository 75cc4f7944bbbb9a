"""Chapter 10: what holds for any weights of a Transformer-XL."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from bottomup.attention import relative_shift
from bottomup.experiments.shared.training import seeded
from bottomup.models import TransformerXL, TransformerXLConfig, in_segments, longest_reach

SHAPES = ((3, 3), (3, 7), (5, 11), (1, 13))  # queries and keys
REACHES = ((1, 4, 4), (2, 4, 4), (3, 4, 4), (2, 3, 6), (2, 4, 2), (3, 4, 6))  # layers, L, M
LENGTHS = (64, 128, 256)  # positions that a prediction may read
ROUNDING = 1e-12  # less than this no token moves a logit
MOST = 16.0  # decimal places, where two numbers are equal


def measure_exact(seed: int) -> dict[str, Any]:
    """Compare, with random weights in float64.

    - ``shift_digits``: decimal places on which the shift and a loop agree.
    - ``segments_digits``: those of segments with a memory of all that came before, and one pass.
    - ``reach``: share of the settings in which the farthest token whose change is felt at the end
      of the last segment lies as far back as `longest_reach` says.
    - ``work``: by length, how many times the multiplications of a window that slides by one a
      memory of half of it needs; ``growth``: the last of them over the first.
    """
    with seeded(seed):
        work = {f"at_{length}": work_ratio(length) for length in LENGTHS}
        return {
            "shift_digits": min(digits(*shifted_twice(n, m)) for n, m in SHAPES),
            "segments_digits": digits(*read_twice()),
            "reach": sum(reach(*each) == _stated(*each) for each in REACHES) / len(REACHES),
            "work": work,
            "growth": work[f"at_{LENGTHS[-1]}"] / work[f"at_{LENGTHS[0]}"],
        }


def digits(one: Tensor, other: Tensor) -> float:
    """Return the decimal places on which two tensors agree."""
    error = (one - other).abs().max().item()
    return min(MOST, -math.log10(error)) if error else MOST


def shifted_twice(n: int, m: int) -> tuple[Tensor, Tensor]:
    """Return what the shift and what a loop put where a query may read."""
    by_distance = torch.randn(n, m, dtype=torch.float64)
    looped = torch.zeros_like(by_distance)
    for i in range(n):
        for j in range(m - n + i + 1):
            distance = m - n + i - j
            looped[i, j] = by_distance[i, m - 1 - distance]
    allowed = torch.ones(n, m).tril(m - n)
    return relative_shift(by_distance) * allowed, looped


@torch.no_grad()
def read_twice() -> tuple[Tensor, Tensor]:
    """Return the logits of segments with a memory of all before, and of one pass."""
    model, tokens = random_model(2), torch.randint(7, (2, 23))
    return in_segments(model, tokens, segment=5, memory=23), model(tokens).logits


@torch.no_grad()
def reach(layers: int, segment: int, memory: int) -> int:
    """Return how far back the farthest token lies whose change the last prediction feels."""
    model = random_model(layers)
    length = segment * -(-(_stated(layers, segment, memory) + 3) // segment)
    tokens = torch.randint(7, (1, length))
    changed = tokens.repeat(length, 1)
    changed.diagonal().add_(1).remainder_(7)  # row t has another token at t
    last = in_segments(model, tokens, segment=segment, memory=memory)[:, -1]
    moved = in_segments(model, changed, segment=segment, memory=memory)[:, -1] - last
    felt = moved.abs().amax(dim=-1) > ROUNDING
    return length - 1 - int(felt.nonzero()[0])


def work_ratio(length: int) -> float:
    """Return the multiplications of a sliding window over those of a memory, for a prediction."""
    model, half = random_model(3, d_model=64).float(), length // 2
    tokens = torch.zeros(1, length, dtype=torch.int64)
    states = model(tokens[:, :half]).states
    with FlopCounterMode(display=False) as sliding:
        model(tokens)  # for one prediction, at its end
    with FlopCounterMode(display=False) as remembering:
        model(tokens[:, half:], states)  # for half of them
    return sliding.get_total_flops() / (remembering.get_total_flops() / half)


def random_model(layers: int, *, d_model: int = 8) -> TransformerXL:
    """Return a network of random weights, u and v among them, in float64."""
    config = TransformerXLConfig(
        vocabulary=7, d_model=d_model, num_layers=layers, num_heads=2, d_ff=2 * d_model
    )
    model = TransformerXL(config).double().requires_grad_(False)
    for parameter in model.parameters():
        parameter.normal_(std=0.5)
    return model


def _stated(layers: int, segment: int, memory: int) -> int:
    return longest_reach(layers=layers, segment=segment, memory=memory)
