"""Training and evaluation mode, put back as it was found."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def keeping_mode(model: nn.Module) -> Iterator[None]:
    """Put every submodule's mode back on the way out, whatever happens."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch `model` to evaluation mode (no dropout) inside the block."""
    with keeping_mode(model):
        model.eval()
        yield
