"""Chapter 08's tiny experiment, as its tests share it."""

from functools import cache

import torch
from torch import Tensor

from bottomup.experiments.representation_analysis.experiment import TINY
from bottomup.experiments.representation_analysis.networks import test_batches as batches_of
from bottomup.experiments.representation_analysis.text import Text, load_text

CPU = torch.device("cpu")
OBJECTIVES = ("lm", "mlm", "mt")
VIEWS = ["all", "frequent", "within"]
STATIONS = ["layer_0", "layer_1", "layer_2", "layer_3"]


@cache
def tiny_text() -> Text:
    """Return the mini-language of the tiny experiment."""
    return load_text(TINY)


@cache
def tiny_batches() -> list[Tensor]:
    """Return its sentences that are measured."""
    return batches_of(tiny_text(), CPU)
