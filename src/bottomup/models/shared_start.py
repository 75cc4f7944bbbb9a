"""One start for two networks: the encoder of a Transformer begins as a language model does."""

import torch

from bottomup.models.language_model import LanguageModel, LanguageModelConfig
from bottomup.models.transformer import Transformer
from bottomup.models.transformer_config import TransformerConfig

ENCODER = {"source_vocabulary": "vocabulary", "encoder_layers": "num_layers"}
SIZES = ("d_model", "num_heads", "d_ff", "max_length")
ALIKE = (*SIZES, "norm", "activation", "dropout", "positions")


def copy_encoder(
    language_model: LanguageModel, transformer: Transformer
) -> None:
    """Copy a language model's embedding, positions and layers into a Transformer's encoder.

    Afterwards both compute the same stream from the same tokens and mask. Trained apart, they then
    differ by their objective alone. The decoder stays as it is.

    Args:
        language_model: with a tied table, as its factor ``sqrt(d_model)`` is the encoder's.
        transformer: with a source table of its own.

    Chapter 08 compares three objectives from one start.
    """
    if not isinstance(language_model, LanguageModel):
        raise TypeError(
            f"language_model: expected a LanguageModel, got {type(language_model).__name__}"
        )
    if not isinstance(transformer, Transformer):
        raise TypeError(
            f"transformer: expected a Transformer, got {type(transformer).__name__}"
        )
    _check_alike(language_model.config, transformer.config)
    with torch.no_grad():
        transformer.source_embedding.load_state_dict(
            language_model.embedding.state_dict()
        )
        transformer.source_positions.load_state_dict(
            language_model.positions.state_dict()
        )
        transformer.encoder_layers.load_state_dict(
            language_model.layers.state_dict()
        )
        transformer.encoder_norm.load_state_dict(
            language_model.final_norm.state_dict()
        )


def _check_alike(ours: LanguageModelConfig, theirs: TransformerConfig) -> None:
    pairs = {**ENCODER, **{name: name for name in ALIKE}}
    for their_name, our_name in pairs.items():
        expected, got = getattr(ours, our_name), getattr(theirs, their_name)
        if expected != got:
            raise ValueError(
                f"transformer: expected {their_name}={expected!r} as in the language model, "
                f"got {got!r}"
            )
    if not ours.tied or not ours.feed_forward:
        raise ValueError(
            "language_model: expected a tied table and feed-forward networks, "
            f"got tied={ours.tied}, feed_forward={ours.feed_forward}"
        )
    if theirs.shared == "all" or theirs.share_layers:
        raise ValueError(
            "transformer: expected a source table and layers of its own, "
            f"got shared={theirs.shared!r}, share_layers={theirs.share_layers}"
        )
    if theirs.ends_in_norm != (ours.norm == "pre"):
        raise ValueError(
            f"transformer: expected final_norm={ours.norm == 'pre'} as in the language model, "
            f"got {theirs.final_norm}"
        )
