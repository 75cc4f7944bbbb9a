"""The networks that chapter 08's record keeps: one encoder for each objective, from one start."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

import torch
from jaxtyping import Int64
from torch import Tensor

from bottomup.checks import check_weights
from bottomup.data import EOS, SPECIAL_TOKENS, Vocabulary
from bottomup.experiments import Record, load_record
from bottomup.experiments.representation_analysis import experiment as analysis
from bottomup.experiments.representation_analysis.config import Config, language_model_config
from bottomup.experiments.representation_analysis.measure import UNTRAINED, UNTRAINED_CAUSAL
from bottomup.experiments.representation_analysis.networks import Start
from bottomup.models import LanguageModel, MaskedLanguageModel

EXPERIMENT = "representation_analysis"


@dataclass(frozen=True, eq=False)
class Encoders:
    """Networks of one start that differ by their objective, and the words that they know.

    Attributes:
        words: the English words of the mini-language by number; the mask token follows behind.
        networks: "lm" and "untrained_causal" read to the left; "mlm", "mt" and "untrained" read
            both ways. The encoder of the translator stands in a model for tokens, whose logits mean
            nothing.
    """

    words: Vocabulary
    networks: dict[str, LanguageModel]

    @property
    def mask_id(self) -> int:
        """The mask token's number."""
        return len(self.words)

    def encode(self, sentence: str | Sequence[str]) -> Int64[Tensor, "1 position"]:
        """Return a sentence as token numbers with the end mark; "<mask>" is the mask token."""
        words = sentence.lower().split() if isinstance(sentence, str) else list(sentence)
        if not words:
            raise ValueError("sentence: expected at least one word, got none")
        numbers = self.words.encode(words)
        for place, (word, number) in enumerate(zip(words, numbers, strict=True)):
            if word == "<mask>":
                numbers[place] = self.mask_id
            elif number < len(SPECIAL_TOKENS):
                raise ValueError(f"sentence: expected words of the mini-language, got {word!r}")
        return torch.tensor([[*numbers, EOS]])

    @classmethod
    def from_record(cls, record: Record) -> "Encoders":
        """Return the networks that a record keeps. Their parameters are kept in 16 bits."""
        prefix = f"{analysis.NETWORKS}/{analysis.KEPT_SEED}/"
        if record.experiment != EXPERIMENT or f"{prefix}words" not in record.arrays:
            raise ValueError(
                f"record: expected one of {EXPERIMENT!r} with networks, got {record.name}"
            )
        words = Vocabulary(record.arrays[f"{prefix}words"].tolist()[len(SPECIAL_TOKENS) :])
        config = Config(**record.config)
        networks = {
            UNTRAINED: _untrained(MaskedLanguageModel, config, words),
            UNTRAINED_CAUSAL: _untrained(LanguageModel, config, words),
        }
        for objective in config.objectives:
            kind = LanguageModel if objective == "lm" else MaskedLanguageModel
            with torch.random.fork_rng(devices=[]):  # the reader's random numbers stay as they are
                model = kind(language_model_config(config, len(words)))
            start = f"{prefix}{objective}."
            weights = {
                name.removeprefix(start): torch.from_numpy(array).float()
                for name, array in record.arrays.items()
                if name.startswith(start)
            }
            check_weights("record", weights, model.state_dict())
            model.load_state_dict(weights)
            networks[objective] = model
        return cls(words, {name: model.eval() for name, model in networks.items()})


def _untrained(kind: type[LanguageModel], config: Config, words: Vocabulary) -> LanguageModel:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(Start.of(analysis.KEPT_SEED, 0).seed)
        return kind(language_model_config(config, len(words)))


@cache
def encoders() -> Encoders:
    """Return chapter 08's networks, which are part of the package.

    A cell that uses them also names their record, ``results.load("representation_analysis.json")``,
    so that the chapter is known to depend on the file.
    """
    with as_file(files("bottomup.results")) as folder:
        return Encoders.from_record(load_record(folder / f"{EXPERIMENT}.json"))
