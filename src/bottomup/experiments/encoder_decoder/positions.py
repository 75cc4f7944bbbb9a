"""Chapter 05: does an untrained encoder still know, at its top, where each token stands?

The layers are the package's own. What a setting changes is how a sublayer's update joins the
stream: added to it, or put in its place.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.analysis import linear_probe
from bottomup.attention import fused_attention
from bottomup.blocks import EncoderLayer, Residual, sinusoidal_positions
from bottomup.experiments.encoder_decoder.config import Config
from bottomup.experiments.shared.training import seeded

Stream = Float[Tensor, "batch position d_model"]


@dataclass(frozen=True)
class Setting:
    """Which residuals there are, and whether positions are added again before every layer."""

    attention: bool
    feed_forward: bool
    readded: bool = False


SETTINGS = {
    "both": Setting(attention=True, feed_forward=True),
    "attention_only": Setting(attention=True, feed_forward=False),
    "ffn_only": Setting(attention=False, feed_forward=True),
    "none": Setting(attention=False, feed_forward=False),
    "both_readded": Setting(attention=True, feed_forward=True, readded=True),
    "none_readded": Setting(attention=False, feed_forward=False, readded=True),
}


def measure_positions(config: Config, seed: int, device: torch.device) -> dict[str, Any]:
    """Probe untrained encoders, by place of the norm and setting.

    ``post`` and ``pre``: accuracy of a probe for the position after each layer, 0 before the first.
    ``tokens``: that of a probe for the token itself after the last layer.
    """
    tokens, embeddings = _tokens(config, seed)
    x = (math.sqrt(config.probe_width) * embeddings[tokens]).to(device)
    positions = sinusoidal_positions(config.probe_length, config.probe_width, device=device)
    places = torch.arange(config.probe_length).expand_as(tokens)
    probe = partial(probe_accuracy, train=config.probe_train, seed=seed)
    found: dict[str, Any] = {"post": {}, "pre": {}, "tokens": {"post": {}, "pre": {}}}
    for norm in ("post", "pre"):
        layers = untrained_layers(config, norm, seed, device)
        for name, setting in SETTINGS.items():
            with torch.no_grad():
                streams = streams_of(layers, x, positions, setting)
            found[norm][name] = {
                layer: probe(stream, places, classes=config.probe_length)
                for layer, stream in enumerate(streams)
            }
            found["tokens"][norm][name] = probe(streams[-1], tokens, classes=config.probe_types)
    return found


def untrained_layers(
    config: Config, norm: str, seed: int, device: torch.device
) -> list[EncoderLayer]:
    """Return encoder layers as they start, the same for each place of the norm."""
    width = config.probe_width
    with seeded(seed):
        return [
            EncoderLayer(width, config.probe_heads, 4 * width, norm=norm).to(device)
            for _ in range(config.probe_layers)
        ]


def streams_of(
    layers: list[EncoderLayer],
    x: Stream,
    positions: Float[Tensor, "position d_model"],
    setting: Setting,
) -> list[Stream]:
    """Return the stream before the first layer and after each one.

    Args:
        layers: with either place of the norm.
        x: the embedded tokens, without positions.
        positions: added before the first layer, and with `setting.readded` before every other.
        setting: with all residuals, and positions added once, this is the encoder itself.
    """
    x = x + positions
    streams = [x]
    for place, layer in enumerate(layers):
        if setting.readded and place > 0:
            x = x + positions
        read = layer.around_attention.read(x)
        update, _ = layer.attention(read, read, read, attend=fused_attention)
        x = _join(layer.around_attention, x, update, setting.attention)
        update = layer.feed_forward(layer.around_feed_forward.read(x))
        x = _join(layer.around_feed_forward, x, update, setting.feed_forward)
        streams.append(x)
    return streams


def _join(around: Residual, x: Stream, update: Stream, residual: bool) -> Stream:
    """Write an update to the stream; without the residual there was nothing on it before."""
    return around.write(x if residual else torch.zeros_like(x), update)


def probe_accuracy(
    stream: Stream, labels: Int64[Tensor, "batch position"], *, classes: int, train: int, seed: int
) -> float:
    """Return how often a linear probe names a vector's label, in sequences it has not seen.

    The first `train` sequences fit the probe, the others score it.
    """
    return linear_probe(
        stream[:train].flatten(0, 1),
        labels[:train].flatten(),
        test_features=stream[train:].flatten(0, 1),
        test_labels=labels[train:].flatten(),
        classes=classes,
        shuffles=1,
        seed=seed,
    ).accuracy


def _tokens(config: Config, seed: int) -> tuple[Tensor, Tensor]:
    """Draw sequences of token numbers, and a table that starts as a Transformer's does."""
    generator = torch.Generator().manual_seed(seed)
    shape = (config.probe_train + config.probe_test, config.probe_length)
    tokens = torch.randint(config.probe_types, shape, generator=generator)
    table = torch.randn(config.probe_types, config.probe_width, generator=generator)
    return tokens, table / math.sqrt(config.probe_width)
