"""Chapter 04: what follows from the formula of the feed-forward network; nothing is trained."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention
from bottomup.blocks import EncoderLayer, FeedForward, LayerNorm
from bottomup.experiments.self_attention.exact import agreeing_digits
from bottomup.experiments.shared.training import seeded
from bottomup.models import LanguageModel, LanguageModelConfig, contributions

BATCH, LENGTH, WIDTH, NEURONS = 3, 7, 10, 41
EDITED = 2  # position

# The base model of Vaswani et al. (2017), table 3, and its vocabulary, section 5.1.
D_MODEL, HEADS, D_FF, LAYERS, TOKENS = 512, 8, 2_048, 6, 37_000


def measure_exact(seed: int, device: torch.device) -> dict[str, Any]:
    """Compare the network's output with a sum over neurons, edit a position, count parameters.

    ``sum_digits``: decimal places on which output and sum agree. ``others_changed``,
    ``own_changed``: share of output numbers that differ in a bit, at the positions that were not
    edited and at the one that was. ``shares``: as `parameter_shares`.
    """
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(BATCH, LENGTH, WIDTH, generator=generator, dtype=torch.float64).to(device)
    found = [_formula(_network(seed, activation, device), x) for activation in ("relu", "gelu")]
    return {
        "sum_digits": min(each["sum_digits"] for each in found),
        "others_changed": max(each["others_changed"] for each in found),
        "own_changed": min(each["own_changed"] for each in found),
        "shares": parameter_shares(),
    }


def _network(seed: int, activation: str, device: torch.device) -> FeedForward:
    with seeded(seed):
        return FeedForward(WIDTH, NEURONS, activation=activation).double().to(device)


@torch.no_grad()
def _formula(network: FeedForward, x: Tensor) -> dict[str, float]:
    output = network(x)
    edited = x.clone()
    edited[:, EDITED] += 1
    changed = network(edited) != output
    others = torch.arange(LENGTH, device=x.device) != EDITED
    return {
        "sum_digits": agreeing_digits(
            contributions(network, x).sum(dim=-2) + network.W_out.bias, output
        ),
        "others_changed": changed[:, others].cpu().double().mean().item(),
        "own_changed": changed[:, EDITED].cpu().double().mean().item(),
    }


def parameter_shares() -> dict[str, dict[str, float]]:
    """Count which share of the parameters the feed-forward networks have, in the base model.

    Modules are built at the paper's sizes, without memory for their numbers, and counted: a layer
    of the encoder, the layer of a decoder-only model, a layer of the decoder (two attentions, one
    feed-forward network, three LayerNorms), the stack of six and six without its embeddings, and
    the same with one table of 37,000 tokens.

    ``all`` counts every parameter; ``matrices`` leaves out biases and LayerNorms.
    """
    with torch.device("meta"):
        encoder = EncoderLayer(D_MODEL, HEADS, D_FF, norm="post")
        only = _decoder_only_layer()
        decoder = _decoder_layer()
        table = nn.Embedding(TOKENS, D_MODEL)
    stack = [encoder, decoder] * LAYERS
    parts: dict[str, list[nn.Module]] = {
        "encoder_layer": [encoder],
        "decoder_only_layer": [only],
        "decoder_layer": [decoder],
        "stack": stack,
        "stack_with_table": [*stack, table],
    }
    return {name: _share(modules) for name, modules in parts.items()}


def _decoder_only_layer() -> nn.Module:
    config = LanguageModelConfig(
        vocabulary=1, max_length=1, d_model=D_MODEL, num_layers=1, num_heads=HEADS, d_ff=D_FF
    )
    return LanguageModel(config).layers[0]


def _decoder_layer() -> nn.Module:
    """The parts of a decoder layer, for counting; chapter 05 wires them."""
    return nn.ModuleDict(
        {
            "self_attention": MultiHeadAttention(D_MODEL, HEADS),
            "cross_attention": MultiHeadAttention(D_MODEL, HEADS),
            "feed_forward": FeedForward(D_MODEL, D_FF),
            "norms": nn.ModuleList(LayerNorm(D_MODEL) for _sublayer in range(3)),
        }
    )


def _share(modules: list[nn.Module]) -> dict[str, float]:
    networks = [
        part for module in modules for part in module.modules() if isinstance(part, FeedForward)
    ]
    return {
        "all": _count(networks) / _count(modules),
        "matrices": _count(networks, matrices=True) / _count(modules, matrices=True),
    }


def _count(modules: Iterable[nn.Module], *, matrices: bool = False) -> int:
    return sum(
        parameter.numel()
        for module in modules
        for parameter in module.parameters()
        if not matrices or parameter.dim() == 2
    )
