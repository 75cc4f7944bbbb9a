"""The trained Transformer that the record of chapter 05 keeps in its arrays."""

from collections.abc import Mapping

import numpy as np
import torch

from bottomup.data import SPECIAL_TOKENS, Vocabulary
from bottomup.experiments import Record
from bottomup.experiments.encoder_decoder_config import Config, transformer_config
from bottomup.experiments.encoder_decoder_training import largest
from bottomup.experiments.translation import Data
from bottomup.models import Transformer

EXPERIMENT = "encoder_decoder"
WEIGHTS = "weights."


def read_checkpoint(record: Record) -> tuple[Transformer, Vocabulary, Vocabulary]:
    """Return the Transformer that a record keeps, its words and its target tokens.

    It is the one with the largest budget. Its parameters are kept in 16 bits; it computes in 32.
    It is in evaluation mode. Chapter 05 trains it.

    Raises:
        ValueError: a record of another experiment, or one that keeps no Transformer or not all of
            its parameters.
    """
    if record.experiment != EXPERIMENT:
        raise ValueError(f"record: expected one of {EXPERIMENT!r}, got {record.name}")
    config = Config(**record.config)
    prefix = f"{largest(config).name}/{config.examples_seed}/"
    arrays = {
        name.removeprefix(prefix): array
        for name, array in record.arrays.items()
        if name.startswith(prefix)
    }
    if not arrays:
        raise ValueError(f"record: expected arrays below {prefix}, got none in {record.name}")
    words, tokens = (_vocabulary(arrays[name]) for name in ("source_words", "target_tokens"))
    model = Transformer(transformer_config(config, Data((), words, tokens, [])))
    _load(model, arrays)
    return model.eval(), words, tokens


def _vocabulary(tokens: np.ndarray) -> Vocabulary:
    """Return the vocabulary of all tokens by number, the special ones first."""
    return Vocabulary(tokens.tolist()[len(SPECIAL_TOKENS) :])


def _load(model: Transformer, arrays: Mapping[str, np.ndarray]) -> None:
    names = [name for name, _ in model.named_parameters()]
    missing = [name for name in names if f"{WEIGHTS}{name}" not in arrays]
    if missing:
        raise ValueError(f"record: expected all parameters, got none named {missing}")
    model.load_state_dict(
        {name: torch.from_numpy(arrays[f"{WEIGHTS}{name}"]).float() for name in names}
    )
