"""One start for two networks: an encoder begins as a language model does."""

import torch

from bottomup.checks import check_weights
from bottomup.models.language_model import LanguageModel, LanguageModelConfig
from bottomup.models.transformer import Transformer
from bottomup.models.transformer_config import TransformerConfig

# Of the Transformer, and what it is called in the language model.
PARTS = {
    "source_embedding": "embedding",
    "source_positions": "positions",
    "encoder_layers": "layers",
    "encoder_norm": "final_norm",
}
CHOICES = {
    "source_vocabulary": "vocabulary",
    "encoder_layers": "num_layers",
    "d_model": "d_model",
    "num_heads": "num_heads",
    "d_ff": "d_ff",
    "max_length": "max_length",
    "norm": "norm",
    "activation": "activation",
    "dropout": "dropout",
    "positions": "positions",
    "epsilon": "epsilon",
}


def copy_encoder(
    language_model: LanguageModel, transformer: Transformer
) -> None:
    """Copy a language model's layers and tables into a Transformer's encoder.

    Afterwards both compute the same stream from the same tokens and mask.
    Trained apart, they then differ by their objective alone. The decoder stays
    as it is.

    Args:
        language_model: with a tied table, as its factor ``sqrt(d_model)`` is
            the encoder's.
        transformer: with a source table of its own.

    Chapter 08 compares three objectives from one start.
    """
    if not isinstance(language_model, LanguageModel):
        raise TypeError(
            "language_model: expected a LanguageModel, "
            f"got {type(language_model).__name__}"
        )
    if not isinstance(transformer, Transformer):
        raise TypeError(
            "transformer: expected a Transformer, "
            f"got {type(transformer).__name__}"
        )
    _check_alike(language_model.config, transformer.config)
    copies = {
        theirs: language_model.get_submodule(ours).state_dict()
        for theirs, ours in PARTS.items()
    }
    for theirs, state in copies.items():
        wanted = transformer.get_submodule(theirs).state_dict()
        check_weights("language_model", state, wanted)
        for name, x in state.items():
            dtype = wanted[name].dtype
            if torch.promote_types(x.dtype, dtype) != dtype:
                raise TypeError(
                    f"transformer: expected a dtype that holds {x.dtype} of "
                    f"the language model, got {dtype}"
                )
    for theirs, state in copies.items():
        transformer.get_submodule(theirs).load_state_dict(state)


def _check_alike(ours: LanguageModelConfig, theirs: TransformerConfig) -> None:
    for their_name, our_name in CHOICES.items():
        expected, got = getattr(ours, our_name), getattr(theirs, their_name)
        if expected != got:
            raise ValueError(
                f"transformer: expected {their_name}={expected!r} as in the "
                f"language model, got {got!r}"
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
            f"transformer: expected final_norm={ours.norm == 'pre'} as in the "
            f"language model, got {theirs.final_norm}"
        )
