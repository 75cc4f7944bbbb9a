from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from bottomup.data import Batch, SequenceTask
from bottomup.training import token_cross_entropy

TASK = SequenceTask("copy", symbols=5, min_length=2, max_length=4, batch_size=3)


class TinyModel(nn.Module):
    """Predicts each target token from the one before it; dropout makes it draw random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(TASK.vocabulary), 7)
        self.dropout = nn.Dropout(0.5)
        self.readout = nn.Linear(7, len(TASK.vocabulary))

    def forward(self, batch: Batch) -> Tensor:
        return self.readout(self.dropout(self.embedding(batch.target_in)))


def cross_entropy(model: nn.Module, batch: Batch) -> Tensor:
    return token_cross_entropy(model(batch), batch.target_out, batch.target_mask)


@pytest.fixture
def task() -> SequenceTask:
    return TASK


@pytest.fixture
def loss() -> Callable[[nn.Module, Batch], Tensor]:
    return cross_entropy


@pytest.fixture
def make_model() -> Callable[[], TinyModel]:
    """Make the same model at each call."""

    def make() -> TinyModel:
        with torch.random.fork_rng():
            torch.manual_seed(11)
            return TinyModel()

    return make
