"""Chapter 04: how many facts a feed-forward network stores, by its width.

A fact joins a frozen random key to one of the values, drawn at random: there is no rule to find, so
every fact must be stored. What is trained is the network between them alone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from bottomup.blocks import FeedForward
from bottomup.experiments.engine.units import Outcome
from bottomup.experiments.mlp_and_superposition.config import Config
from bottomup.experiments.shared.training import seeded
from bottomup.training import fit, warmup_then_decay

FACT_SEEDS = 200  # apart from the seeds that start the networks
FEWEST = 8  # facts at which the search begins
SHOWN = 4  # numbers of facts in a doubling, in the fall that is kept
MOST_DOUBLINGS = 16  # beyond a memory of 64 bits for every parameter


@dataclass(frozen=True)
class FactBatch:
    """Keys and the number of the value that each stands for, as `fit` wants a batch."""

    keys: Float[Tensor, "fact key_width"]
    values: Int64[Tensor, " fact"]

    @property
    def tokens(self) -> int:
        """Number of facts."""
        return len(self.keys)

    def to(self, device: torch.device | str) -> "FactBatch":
        """Return the batch on another device."""
        return FactBatch(self.keys.to(device), self.values.to(device))


def measure_capacity(config: Config, steps: int, seed: int, device: torch.device) -> Outcome:
    """Find for each width the largest number of facts stored, and by how much each doubling helps.

    ``capacity``: number of facts, by width; ``exponents``: ``log2`` of the ratio of two capacities,
    by the wider network's width; ``per_parameter``: bits stored for each parameter,
    ``capacity * log2(values) / parameters``.

    Arrays: ``tried`` [training, 3]: width, number of facts and accuracy of every training of the
    search; ``fall`` [training, 2]: number of facts and accuracy at the shown width, from half its
    capacity to twice.
    """
    tried: list[tuple[int, int, float]] = []

    def accuracy(width: int, facts: int) -> float:
        found = stored_share(config, width, facts, steps, seed, device)
        tried.append((width, facts, found))
        return found

    def find(width: int, start: int) -> int:
        def passes(facts: int) -> bool:
            return accuracy(width, facts) >= config.stored

        return largest_passing(passes, start=start, per_doubling=config.per_doubling)

    capacity: dict[int, int] = {}
    start = FEWEST
    for width in config.widths:
        capacity[width] = find(width, start)
        start = max(capacity[width], FEWEST)  # the next width is expected to store more
    searched = np.array(tried)
    metrics: dict[str, Any] = {
        "capacity": capacity,
        "exponents": exponents(capacity),
        "per_parameter": {
            width: facts * math.log2(config.values) / _parameters(config, width)
            for width, facts in capacity.items()
        },
        "trainings": len(tried),
    }
    shown = config.shown_width
    around = [round(capacity[shown] * 2 ** (k / SHOWN)) for k in range(-SHOWN, SHOWN + 1)]
    fall = np.array([(facts, accuracy(shown, facts)) for facts in around if facts > 0])
    return Outcome(metrics, {"tried": searched, "fall": fall.reshape(-1, 2)})


def largest_passing(passes: Callable[[int], bool], *, start: int, per_doubling: int) -> int:
    """Return the largest number on a grid that passes, if all below it pass and none above.

    The grid is ``round(start * 2 ** (k / per_doubling))`` for whole k. The search doubles or halves
    until it has a number that passes and its double that does not, then halves the steps between
    them. So it tries few numbers of the grid and sees nothing of the others: where passing is not
    monotone, the result is one of the places where it changes.

    Args:
        passes: says whether a number passes.
        start: where to begin, at least 1.
        per_doubling: numbers in each doubling; a power of two is searched evenly.

    Returns:
        The number; 0 where not even 1 passes.

    Raises:
        RuntimeError: `start` doubled sixteen times still passes.
    """

    def number(k: int) -> int:
        return round(start * 2 ** (k / per_doubling))

    low = 0
    if passes(start):
        while passes(number(low + per_doubling)):
            low += per_doubling
            if low > MOST_DOUBLINGS * per_doubling:
                raise RuntimeError(f"{number(low)} still passes: there seems to be no limit")
    else:
        low = -per_doubling
        while number(low) >= 1 and not passes(number(low)):
            low -= per_doubling
        if number(low) < 1:
            return 0
    high = low + per_doubling
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(number(middle)) else (low, middle)
    return number(low)


def exponents(capacity: dict[int, int]) -> dict[int, float]:
    """Return ``log2(facts / facts at half the width)`` by width; a width of no facts counts as 1.

    1 means that twice the width stores twice the facts, 0 that it stores no more.
    """
    return {
        wide: math.log2(max(1, capacity[wide]) / max(1, capacity[narrow]))
        for narrow, wide in pairwise(capacity)
    }


def stored_share(
    config: Config, width: int, facts: int, steps: int, seed: int, device: torch.device
) -> float:
    """Train a memory on facts, all in every step, and return the share that it names rightly."""
    batch, U = draw_facts(config, facts, seed)
    batch, U = batch.to(device), U.to(device)
    with seeded(seed):
        memory = FeedForward(config.key_width, width)
    memory = memory.to(device)

    def loss(model: nn.Module, batch: FactBatch) -> Tensor:
        return cross_entropy(model(batch.keys) @ U.T, batch.values)

    fit(
        memory,
        lambda step: batch,
        steps=steps,
        loss=loss,
        optimizer=torch.optim.Adam(memory.parameters(), lr=config.fact_learning_rate),
        schedule=warmup_then_decay(warmup=config.warmup, steps=steps),
        max_norm=None,
        seed=seed,
    )
    with torch.no_grad():
        named = (memory(batch.keys) @ U.T).argmax(dim=1)
    return (named == batch.values).cpu().double().mean().item()


def draw_facts(
    config: Config, facts: int, seed: int
) -> tuple[FactBatch, Float[Tensor, "value key_width"]]:
    """Return facts and the frozen readout; more facts under one seed begin with the fewer.

    Keys point in uniformly random directions and have the length that LayerNorm gives, the root of
    their width. The readout's numbers are standard normal.
    """
    # numpy draws number after number; torch may draw others where it draws more of them
    readout, keys, values = (np.random.default_rng([FACT_SEEDS + seed, k]) for k in range(3))
    width = config.key_width
    drawn = torch.from_numpy(keys.standard_normal((facts, width), dtype=np.float32))
    named = torch.from_numpy(values.integers(config.values, size=facts))
    U = torch.from_numpy(readout.standard_normal((config.values, width), dtype=np.float32))
    return FactBatch(normalize(drawn, dim=1) * math.sqrt(width), named), U


def _parameters(config: Config, width: int) -> int:
    with torch.device("meta"):
        memory = FeedForward(config.key_width, width)
    return sum(parameter.numel() for parameter in memory.parameters())
