"""A small language model with random weights, and what hangs on a model."""

from torch import nn

from bottomup.models import LanguageModel, LanguageModelConfig
from tests.drawn import global_seed

VOCABULARY, MAX_LENGTH, D_MODEL, HEADS = 13, 7, 6, 3


def language_model(**options) -> LanguageModel:
    sizes = {"vocabulary": VOCABULARY, "max_length": MAX_LENGTH, "d_model": D_MODEL, "d_ff": 11}
    with global_seed(0):
        return LanguageModel(LanguageModelConfig(**{**sizes, "num_heads": HEADS, **options}))


def hooks(model: nn.Module) -> int:
    return sum(len(module._forward_hooks) for module in model.modules())
