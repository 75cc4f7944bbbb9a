"""Blocks: the parts of a Transformer that are not attention."""

from bottomup.blocks.decoder_layer import DecoderLayer
from bottomup.blocks.encoder_layer import AttentionLayer, EncoderLayer
from bottomup.blocks.feed_forward import FeedForward
from bottomup.blocks.gated_feed_forward import GatedFeedForward
from bottomup.blocks.normalization import LayerNorm, layer_norm
from bottomup.blocks.positional_encoding import (
    POSITIONS,
    LearnedPositions,
    SinusoidalPositions,
    rotate_positions,
    sinusoidal_positions,
)
from bottomup.blocks.recompute import recompute
from bottomup.blocks.residual import RESIDUALS, PostNorm, PreNorm, Residual
from bottomup.blocks.rms_norm import RMSNorm, rms_norm
from bottomup.blocks.rotary import rotary_waves, rotate_halves

__all__ = [
    "POSITIONS",
    "RESIDUALS",
    "AttentionLayer",
    "DecoderLayer",
    "EncoderLayer",
    "FeedForward",
    "GatedFeedForward",
    "LayerNorm",
    "LearnedPositions",
    "PostNorm",
    "PreNorm",
    "RMSNorm",
    "Residual",
    "SinusoidalPositions",
    "layer_norm",
    "recompute",
    "rms_norm",
    "rotary_waves",
    "rotate_halves",
    "rotate_positions",
    "sinusoidal_positions",
]


def __dir__() -> list[str]:
    return __all__
