"""Chapter 09: what follows from the definitions, on random numbers; nothing is trained."""

from typing import cast

import torch
from torch import Tensor

from bottomup.analysis import (
    direct_attribution,
    output_value,
    query_key,
    with_ones,
    written,
)
from bottomup.attention import MultiHeadAttention
from bottomup.blocks import LayerNorm
from bottomup.data import make_batch, successor_frequencies
from bottomup.experiments.encoder_decoder.exact import random_transformer
from bottomup.experiments.self_attention.exact import agreeing_digits
from bottomup.experiments.shared.training import seeded
from bottomup.models import InductionByHand

D_MODEL, HEADS, QUERIES, KEYS, BATCH = 11, 3, 5, 7, 2
SYMBOLS, LENGTH, SEQUENCES = 13, 37, 53
SHARP, BLUNT = 80.0, 40.0  # beta of the circuit by hand
WRONG = 0.01  # from which difference on a position of the circuit by hand counts as wrong


def measure_exact(seed: int, device: torch.device) -> dict[str, float]:
    """Compare the maps of heads, attributions and the circuit by hand with what they stand for.

    What ends in ``digits`` is the number of decimal places on which two results agree, in float64.
    ``left_at_40`` is the largest difference at beta 40, ``wrong_without_begin`` the share of
    positions that are wrong where no begin token stands first.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        return {
            **_maps(seed, generator, device),
            "attribution_digits": _attribution(seed, generator, device),
            **_by_hand(generator, device),
        }


def _maps(seed: int, generator: torch.Generator, device: torch.device) -> dict[str, float]:
    with seeded(seed):
        attention = MultiHeadAttention(D_MODEL, HEADS, d_head=4, d_value=6).double()
        for parameter in attention.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))  # biases that are not zero
    attention = attention.to(device)
    x = torch.randn(BATCH, QUERIES, D_MODEL, generator=generator, dtype=torch.float64).to(device)
    y = torch.randn(BATCH, KEYS, D_MODEL, generator=generator, dtype=torch.float64).to(device)
    output, weights = attention(x, y, y)
    scores = [with_ones(x) @ query_key(attention, h) @ with_ones(y).mT for h in range(HEADS)]
    found = torch.stack(scores, dim=1).softmax(dim=-1)
    total = attention.W_O.bias.expand_as(output).clone()
    for head in range(HEADS):
        total += weights[:, head] @ with_ones(y) @ output_value(attention, head)
    return {
        "query_key_digits": agreeing_digits(found, weights),
        "output_value_digits": agreeing_digits(total, output),
    }


def _attribution(seed: int, generator: torch.Generator, device: torch.device) -> float:
    """Compare the sum of the parts' contributions with the difference of two logits."""
    model = random_transformer(seed).to(device).eval()
    batch = make_batch([([5, 7, 9], [4, 8]), ([6, 12, 5, 9], [9, 5, 10])]).to(device)
    added = written(model, decoder_parts(len(model.decoder_layers)), lambda: model(batch))
    logits = model(batch).logits
    right, wrong = torch.randperm(logits.shape[-1], generator=generator)[:2].tolist()
    U = model.target_embedding.weight
    direction = (U[right] - U[wrong]).expand(*logits.shape[:-1], -1)
    parts = torch.stack(list(added.values()), dim=-2)
    each, constant = direct_attribution(parts, cast(LayerNorm, model.decoder_norm), direction)
    total = each.sum(dim=-1) + constant
    return agreeing_digits(total, logits[..., right] - logits[..., wrong])


def decoder_parts(layers: int) -> list[str]:
    """Return the names of all that writes into a translator's decoder."""
    sublayers = ("attention", "cross_attention", "feed_forward")
    names = [f"decoder_layers.{n}.{sublayer}" for n in range(layers) for sublayer in sublayers]
    return ["target_positions", *names]


def _by_hand(generator: torch.Generator, device: torch.device) -> dict[str, float]:
    tokens = torch.randint(SYMBOLS, (SEQUENCES, LENGTH), generator=generator).to(device)
    begun = torch.cat([torch.full_like(tokens[:, :1], SYMBOLS), tokens], dim=1)
    wanted = successor_frequencies(begun, SYMBOLS + 1)
    sharp, blunt = (_circuit(begun, beta, SYMBOLS) for beta in (SHARP, BLUNT))
    bare = (_circuit(tokens, SHARP, None) - successor_frequencies(tokens, SYMBOLS + 1)).abs()
    return {
        "by_hand_digits": agreeing_digits(sharp, wanted),
        "left_at_40": (blunt - wanted).abs().max().item(),
        "wrong_without_begin": (bare.amax(dim=-1) > WRONG).cpu().double().mean().item(),
    }


def _circuit(tokens: Tensor, beta: float, begin: int | None) -> Tensor:
    sizes = {"vocabulary": SYMBOLS + 1, "length": LENGTH + 1}
    model = InductionByHand(**sizes, beta=beta, begin=begin).double().to(tokens.device)
    logits: Tensor = model(tokens).logits
    return logits
