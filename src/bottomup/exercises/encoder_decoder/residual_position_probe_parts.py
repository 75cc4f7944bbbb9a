"""Pairs of runs, chosen or measured in another way: what the mistakes are made of."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Pair = tuple[Tensor, Tensor]
Answer = Callable[[Tensor, Tensor, int], Any]
Choose = Callable[[Tensor, int], Tensor]  # switches, part -> [run, run], True = a pair
Measure = Callable[[Tensor, Tensor], Tensor]  # accuracy with and without the part


def right_pairs(switches: Tensor, part: int) -> Tensor:
    """True where the first run has the part, the second has not, and nothing else differs."""
    return alone(switches, part) & switches[:, part, None]


def alone(switches: Tensor, part: int) -> Tensor:
    """True where two runs differ in the part alone, in both directions."""
    differs = switches[:, None] != switches
    return differs[..., part] & (differs.sum(-1) == 1)


def answering(
    choose: Choose = right_pairs,
    measure: Measure = torch.sub,
    returned: Callable[[Pair], Pair] = lambda result: result,
) -> Answer:
    """Right but for the pairs, for what is computed of them, or for how it is returned."""

    def wrong(switches: Tensor, accuracy: Tensor, part: int) -> Pair:
        pairs = choose(switches, part).nonzero()
        first, second = accuracy[pairs].unbind(-1)
        return returned((pairs, measure(first, second)))

    return wrong
