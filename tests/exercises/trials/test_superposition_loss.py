"""The loss of the toy model: the library's."""

from torch import Tensor

from bottomup import models
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine


def test_the_library_s_loss_passes():
    def answer(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
        return models.superposition_loss(x, (x @ W.T @ W + b).relu(), importance)

    assert examine(catalog()["superposition-loss"], answer).passed
