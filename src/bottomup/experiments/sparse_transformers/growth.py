"""Chapter 07: how the stream grows with the number of layers, before any training."""

from typing import Any

import torch
from torch import Tensor

from bottomup.attention import SparsePattern
from bottomup.experiments.shared.training import seeded
from bottomup.experiments.sparse_transformers.config import Config
from bottomup.models import SparseTransformer, SparseTransformerConfig

STARTS = {"scaled": True, "unscaled": False}
MEASURES = ("stream", "blocks", "gradient")
DATA_SEEDS = 1_000_000  # the parameters have the plain seed


def measure_growth(config: Config, seed: int, device: torch.device) -> dict[str, Any]:
    """Measure sparse Transformers at their start, with W_P and W_2 scaled by 1/sqrt(2N) and not.

    By start and number of layers N: ``stream``, the root mean square of the stream after the last
    layer over that of the embedding; ``blocks``, the same of what all blocks have added together;
    ``gradient``, the norm of the gradient with respect to the first layer's maps, for one random
    sum of the normed stream at the top.

    ``stream_growth``, ``blocks_growth``, ``gradient_growth``: from the fewest layers to the most,
    as a factor. ``embedding``: the root mean square of the embedding.
    """
    tokens, weigh = _drawn(config, seed, device)
    found: dict[str, Any] = {}
    for name, scaled in STARTS.items():
        tables: dict[str, dict[int, float]] = {measure: {} for measure in MEASURES}
        for depth in config.stacks:
            model = start(config, depth, seed, scaled=scaled).to(device)
            for measure, value in measured(model, tokens, weigh).items():
                tables[measure][depth] = value
        few, many = config.stacks[0], config.stacks[-1]
        found[name] = tables | {
            f"{measure}_growth": table[many] / table[few] for measure, table in tables.items()
        }
    with torch.no_grad():
        embedding = rms(start(config, 1, seed, scaled=True).to(device).embed(tokens))
    return {**found, "embedding": embedding}


def start(config: Config, depth: int, seed: int, *, scaled: bool) -> SparseTransformer:
    """Return a sparse Transformer of strided attention as it starts."""
    sizes = SparseTransformerConfig(
        vocabulary=config.vocabulary,
        length=config.length,
        row=config.row,
        pattern=SparsePattern(kind="strided", width=config.row),
        d_model=config.d_model,
        num_layers=depth,
        num_heads=config.num_heads,
        d_ff=config.d_ff,
        scaled_init=scaled,
    )
    with seeded(seed):
        return SparseTransformer(sizes)


def _drawn(config: Config, seed: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return tokens, and what the normed stream at the top is weighed with."""
    generator = torch.Generator().manual_seed(DATA_SEEDS + seed)
    shape = config.batch_size, config.length
    tokens = torch.randint(config.vocabulary, shape, generator=generator)
    return tokens.to(device), torch.randn(*shape, config.d_model, generator=generator).to(device)


def measured(model: SparseTransformer, tokens: Tensor, weigh: Tensor) -> dict[str, float]:
    """Return the three measures of one model."""
    states = model(tokens, need_states=True).states
    if states is None:
        raise RuntimeError("the model was asked for its states and gave none")
    first, last = states[0], states[-1]
    maps = [parameter for parameter in model.layers[0].parameters() if parameter.dim() > 1]
    gradients = torch.autograd.grad((model.final_norm(last) * weigh).mean(), maps)
    with torch.no_grad():
        return {
            "stream": rms(last) / rms(first),
            "blocks": rms(last - first) / rms(first),
            "gradient": torch.stack([each.norm() for each in gradients]).norm().item(),
        }


def rms(x: Tensor) -> float:
    """Return the root mean square of all numbers of a tensor."""
    return x.square().mean().sqrt().item()
