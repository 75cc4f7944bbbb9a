"""What `test_ranks` has torchrun start: trainings of a tiny model, in each process.

``ranks_trial.py FOLDER``; every process writes the parameters it ends with, by trial.
"""

import os
import signal
import sys
from pathlib import Path

import torch
from torch import nn

from bottomup.data import SequenceTask
from bottomup.training import fit, ranks, token_cross_entropy

STEPS = 6
# Uneven lengths, and in the second task fewer rows than processes: one has none.
TASK, ROW = (
    SequenceTask("copy", symbols=5, min_length=2, max_length=9, batch_size=size) for size in (7, 1)
)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(TASK.vocabulary), 7)
        self.readout = nn.Linear(7, len(TASK.vocabulary))

    def forward(self, batch):
        return self.readout(self.embedding(batch.target_in))


def loss(model, batch):
    return token_cross_entropy(model(batch), batch.target_out, batch.target_mask)


def trained(task=TASK, **options):
    """Return all parameters after a training, in one vector, and its losses."""
    torch.manual_seed(3)
    model = Model().double()
    history = fit(
        model, task, steps=STEPS, loss=loss,
        optimizer=torch.optim.Adam(model.parameters(), lr=0.05), **options,
    )  # fmt: skip
    return nn.utils.parameters_to_vector(model.parameters()).detach(), torch.tensor(history.loss)


def stopped_by_one_process(folder: Path) -> None:
    """Press Ctrl-C in the last process alone; all stop after the same step."""

    def press(step, history):
        if step == 2 and ranks.rank() == ranks.world() - 1:
            os.kill(os.getpid(), signal.SIGINT)

    try:
        trained(checkpoint=folder / "stopped.pt", on_step=press)
    except KeyboardInterrupt:
        return
    raise AssertionError("not stopped")


def main(folder: Path) -> None:
    found = {"plain": trained(), "one row": trained(ROW), "accumulated": trained(accumulate=3)}
    stopped_by_one_process(folder)
    if ranks.world() > 1:
        whole, ranks.rows_of = ranks.rows_of, lambda batch: (whole(batch)[0], 1 / ranks.world())
        found["mean of means"] = trained()
        ranks.rows_of = whole
        ranks.SharedLoss.__call__ = lambda self, batch: loss(self._whole.model, batch)
        found["beside the wrapper"] = trained()
    torch.save(found, folder / f"{ranks.world()}-{ranks.rank()}.pt")


if __name__ == "__main__":
    with ranks.joined("gloo"):
        main(Path(sys.argv[1]))
