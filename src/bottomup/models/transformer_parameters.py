"""How many parameters a Transformer has, part by part."""

import torch

from bottomup.models.transformer import Transformer
from bottomup.models.transformer_config import TransformerConfig

# the start of a parameter's name, without the number of its layer, and the part it belongs to
PARTS = {
    "source_embedding": "embeddings",
    "target_embedding": "embeddings",
    "unembedding": "embeddings",
    "source_positions": "positions",
    "target_positions": "positions",
    "encoder_layers.attention": "encoder_attention",
    "encoder_layers.feed_forward": "encoder_feed_forward",
    "encoder_layers.around": "norms",
    "encoder_norm": "norms",
    "decoder_layers.attention": "decoder_attention",
    "decoder_layers.cross_attention": "cross_attention",
    "decoder_layers.feed_forward": "decoder_feed_forward",
    "decoder_layers.around": "norms",
    "decoder_norm": "norms",
}


def parameter_count(config: TransformerConfig) -> dict[str, int]:
    """Count a Transformer's parameters by part, without taking memory for them.

    The parts are "embeddings" (all tables of tokens, a shared one counted once), "positions",
    "encoder_attention", "encoder_feed_forward", "decoder_attention", "cross_attention",
    "decoder_feed_forward" and "norms"; biases are counted where they belong. The sum of the values
    is the whole.

    The base model with a shared vocabulary of 37,000 has 63,082,496. Vaswani et al. (2017) print
    65 million in table 3, and do not say how they count.

    Chapter 05 counts with it.
    """
    if not isinstance(config, TransformerConfig):
        raise TypeError(
            f"config: expected a TransformerConfig, got {type(config).__name__}"
        )
    with torch.device("meta"):  # shapes without numbers
        model = Transformer(config)
    counts = dict.fromkeys(PARTS.values(), 0)
    for name, parameter in model.named_parameters():
        counts[_part(name)] += parameter.numel()
    return counts


def _part(name: str) -> str:
    path = ".".join(piece for piece in name.split(".") if not piece.isdigit())
    return next(part for start, part in PARTS.items() if path.startswith(start))
