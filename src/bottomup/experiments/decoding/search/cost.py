"""Chapter 06: the multiplications that writing takes, with caches and without."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from bottomup.data import UNK, Batch
from bottomup.experiments.decoding.search.config import Config
from bottomup.experiments.decoding.search.translator import transformer_config
from bottomup.experiments.shared.training import seeded
from bottomup.experiments.shared.translation import load_data
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import evaluating


def measure_cost(config: Config, seed: int, device: torch.device) -> dict[str, Any]:
    """Count the decoder's multiplications for one sentence, by the number of tokens written.

    ``cached``, ``redecoded``: each token from the caches, and each by a pass over the whole prefix
    (which also gives logits that nobody asks for). The encoder's pass, the same once in both, is
    left out. ``ratio``: of the two. ``growth``: the exponent g of ``n^g``, fitted over all lengths
    by least squares in the logarithms. ``formula_off``: largest relative difference from
    `by_formula`. Only products of matrices are counted, as torch counts them.
    """
    data = load_data(config.corpus_size, config.corpus_seed)
    longest = config.lengths[-1]
    sizes = replace(transformer_config(config, data), max_length=longest)
    with seeded(seed):
        model = Transformer(sizes).to(device)
    source = torch.full((1, config.cost_source), UNK, device=device)
    with torch.no_grad(), evaluating(model), sdpa_kernel(SDPBackend.MATH):
        counted = {
            "cached": _cached(model, source, longest),
            "redecoded": _redecoded(model, source, longest),
        }
    at = {
        name: {length: counts[length - 1] for length in config.lengths}
        for name, counts in counted.items()
    }
    right = {length: by_formula(sizes, config.cost_source, length) for length in config.lengths}
    return {
        **at,
        "ratio": {length: at["redecoded"][length] / at["cached"][length] for length in right},
        "growth": {name: growth(counts) for name, counts in at.items()},
        "formula_off": max(
            abs(at[name][length] / formula[name] - 1)
            for length, formula in right.items()
            for name in at
        ),
    }


def by_formula(config: TransformerConfig, source: int, tokens: int) -> dict[str, int]:
    """Return the decoder's multiplications for writing n tokens, after m source tokens.

    With L layers of width d, f neurons each, and V token types, all but self-attention costs for
    each position ``A = L (6 d^2 + 2 d f + 2 m d) + V d``: queries, keys, values and outputs of
    self-attention 4 d^2, queries and outputs of cross-attention 2 d^2, its scores and sums 2 m d,
    the feed-forward network 2 d f, the logits V d. The source's keys and values cost
    ``M = 2 L m d^2``. Self-attention takes 2 d multiplications for each pair of positions.

    ``cached = n A + M + L d n (n + 1)``: a step at position t reads t positions.

    ``redecoded = A n (n + 1) / 2 + n M + L d n (n + 1) (2 n + 1) / 3``: a pass over t positions
    reads t^2 pairs (a causal mask hides half of them, the product computes all).

    For n well above 1 the ratio is about n / 2 while A outweighs 2 L d n, and 2 n / 3 beyond. With
    d = 64, f = 256, L = 2, V = 330 and m = 11 it is 67 at n = 128.
    """
    d, f, layers = config.d_model, config.d_ff, config.decoder_layers
    each = layers * (6 * d**2 + 2 * d * f + 2 * source * d) + config.target_vocabulary * d
    memory, n = 2 * layers * source * d**2, tokens
    return {
        "cached": n * each + memory + layers * d * n * (n + 1),
        "redecoded": each * n * (n + 1) // 2
        + n * memory
        + layers * d * n * (n + 1) * (2 * n + 1) // 3,
    }


def growth(counts: dict[int, int]) -> float:
    """Return g of the power ``n^g`` that fits the counts best, by their logarithms."""
    lengths, values = np.log(list(counts)), np.log(list(counts.values()))
    return float(np.polyfit(lengths, values, deg=1)[0])


def _cached(model: Transformer, source: Tensor, longest: int) -> list[int]:
    """Return the multiplications for 1, 2, ... tokens."""
    mask = torch.ones_like(source, dtype=torch.bool)
    encoded = _encoder(model, source)
    total, counts = -encoded, []
    with FlopCounterMode(display=False) as counter:
        state = model.start(source, mask)
    total += counter.get_total_flops() // 2
    for _ in range(longest):
        with FlopCounterMode(display=False) as counter:
            _, state, _ = model.step(source[:, 0], state)
        total += counter.get_total_flops() // 2
        counts.append(total)
    return counts


def _redecoded(model: Transformer, source: Tensor, longest: int) -> list[int]:
    encoded, total, counts = _encoder(model, source), 0, []
    for length in range(1, longest + 1):
        target = source.new_full((1, length), UNK)
        mask = torch.ones_like(target, dtype=torch.bool)
        batch = Batch(source, torch.ones_like(source, dtype=torch.bool), target, target, mask)
        with FlopCounterMode(display=False) as counter:
            model(batch)
        total += counter.get_total_flops() // 2 - encoded
        counts.append(total)
    return counts


def _encoder(model: Transformer, source: Tensor) -> int:
    with FlopCounterMode(display=False) as counter:
        model.encode(source, torch.ones_like(source, dtype=torch.bool))
    return counter.get_total_flops() // 2
