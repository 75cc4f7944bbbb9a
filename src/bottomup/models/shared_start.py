"""One start for two networks: the encoder of a Transformer begins as a language model does."""

import torch

from bottomup.models.language_model import LanguageModel
from bottomup.models.transformer import Transformer

ENCODER = {"source_vocabulary": "vocabulary", "encoder_layers": "num_layers"}
ALIKE = ("d_model", "num_heads", "d_ff", "norm", "activation", "positions", "max_length")


def copy_encoder(language_model: LanguageModel, transformer: Transformer) -> None:
    """Copy a language model's embedding, positions and layers into a Transformer's encoder.

    Afterwards both compute the same stream from the same tokens and mask. Trained apart, they then
    differ by their objective alone. The decoder stays as it is.

    Args:
        language_model: with a tied table, as its factor ``sqrt(d_model)`` is the encoder's.
        transformer: with a source table of its own.

    Raises:
        ValueError: a size or choice of the two differs, the language model's table is not tied, its
            feed-forward networks are left out, or the Transformer's table or layers are shared.

    Chapter 08 compares three objectives from one start.
    """
    ours, theirs = language_model.config, transformer.config
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
    with torch.no_grad():
        transformer.source_embedding.load_state_dict(language_model.embedding.state_dict())
        transformer.source_positions.load_state_dict(language_model.positions.state_dict())
        transformer.encoder_layers.load_state_dict(language_model.layers.state_dict())
        transformer.encoder_norm.load_state_dict(language_model.final_norm.state_dict())
