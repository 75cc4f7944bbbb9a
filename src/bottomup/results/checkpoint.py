"""The trained Transformers that the records of chapters 05 and 06 keep in their arrays."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import torch

from bottomup.data import SPECIAL_TOKENS, Vocabulary
from bottomup.experiments import Record
from bottomup.experiments import decoding_search_config as search
from bottomup.experiments import encoder_decoder_config as trained
from bottomup.experiments.decoding_search_translator import KEPT_SEED
from bottomup.experiments.encoder_decoder_training import largest
from bottomup.experiments.translation import Data
from bottomup.models import Transformer, TransformerConfig

EXPERIMENT = "encoder_decoder"
HALF_TRAINED = "decoding_search"
WEIGHTS = "weights."


def read_checkpoint(record: Record) -> tuple[Transformer, Vocabulary, Vocabulary]:
    """Return the Transformer that a record keeps, its words and its target tokens.

    Of chapter 05's record it is the one with the largest budget, of chapter 06's one that was
    stopped early. Its parameters are kept in 16 bits; it computes in 32. It is in evaluation mode.
    """
    prefix, model_config = _kept(record)
    arrays = {
        name.removeprefix(prefix): array
        for name, array in record.arrays.items()
        if name.startswith(prefix)
    }
    if not arrays:
        raise ValueError(f"record: expected arrays below {prefix}, got none in {record.name}")
    words, tokens = (_vocabulary(arrays[name]) for name in ("source_words", "target_tokens"))
    model = Transformer(model_config(Data((), words, tokens, [])))
    _load(model, arrays)
    return model.eval(), words, tokens


def _kept(record: Record) -> tuple[str, Callable[[Data], TransformerConfig]]:
    """Return the prefix of the kept arrays, and the model's configuration for its vocabularies."""
    if record.experiment == EXPERIMENT:
        config = trained.Config(**record.config)
        prefix = f"{largest(config).name}/{config.examples_seed}/"
        return prefix, partial(trained.transformer_config, config)
    if record.experiment == HALF_TRAINED:
        early = search.Config(**record.config)
        prefix = f"{search.PREFIX}{early.kept}/{KEPT_SEED}/"
        return prefix, partial(search.transformer_config, early)
    raise ValueError(
        f"record: expected one of {EXPERIMENT!r} or {HALF_TRAINED!r}, got {record.name}"
    )


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
