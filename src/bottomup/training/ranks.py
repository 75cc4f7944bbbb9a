"""One training on several processes: each takes rows of every batch."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from bottomup.training.device import pick

T = TypeVar("T")


@contextmanager
def joined(backend: str | None = None) -> Iterator[int]:
    """Join the processes that ``torchrun`` started; give this one's rank.

    Without ``torchrun`` there is nothing to join, and the rank is 0.

    Args:
        backend: "gloo" or "nccl"; by default that of the device: NCCL for CUDA,
            else gloo.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield 0
        return
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group(backend or ("nccl" if on_gpu else "gloo"))
    try:
        yield dist.get_rank()
    finally:
        dist.destroy_process_group()


def world() -> int:
    """Return how many processes train together: 1 outside ``torchrun``."""
    return dist.get_world_size() if dist.is_initialized() else 1


def rank() -> int:
    """Return the number of this process: 0 outside ``torchrun``."""
    return dist.get_rank() if dist.is_initialized() else 0


def place(device: str | None) -> torch.device:
    """Return where this process computes: under ``torchrun`` a GPU of its own.

    Args:
        device: what was asked for; by default that of `pick`.
    """
    chosen = pick() if device is None else torch.device(device)
    if world() > 1 and chosen == torch.device("cuda"):
        return torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    return chosen


def same(value: T) -> T:
    """Return what process 0 holds."""
    if world() == 1:
        return value
    held = [value]
    dist.broadcast_object_list(held, src=0)
    return held[0]


def summed(number: float) -> float:
    """Return the sum over all processes."""
    if world() == 1:
        return number
    total = torch.tensor(number, dtype=torch.float64)
    if dist.get_backend() == "nccl":
        total = total.to("cuda", torch.float32)
    dist.all_reduce(total)
    return float(total)


def rows_of(batch: Any) -> tuple[Any, float]:
    """Return this process's rows of a batch, and their part of its tokens.

    Rows are dealt out in turn: in a batch sorted by length every process gets
    long and short ones. A process without a row takes the first one with a part
    of 0, so that it too computes, and the others do not wait for it.
    """
    count = world()
    if count == 1:
        return batch, 1.0
    rows = _cut(batch, slice(rank(), None, count))
    if not len(next(iter(_tensors(rows).values()))):
        return _cut(batch, slice(0, 1)), 0.0
    return rows, rows.tokens / max(1, batch.tokens)


def _cut(batch: Any, rows: slice) -> Any:
    return replace(
        batch, **{name: t[rows] for name, t in _tensors(batch).items()}
    )


def _tensors(batch: Any) -> dict[str, Tensor]:
    tensors = {
        name: t for name, t in vars(batch).items() if isinstance(t, Tensor)
    }
    if not tensors or len({len(tensor) for tensor in tensors.values()}) > 1:
        kind = type(batch).__name__
        raise TypeError(f"batch: expected tensors with a row each, got {kind}")
    return tensors


class SharedLoss:
    """A loss whose backward pass sums the gradients of all processes.

    The mean over all tokens of a batch is the sum over processes of each one's
    mean times its part of the tokens; a mean of means is another number where
    rows differ in length. torch's `DistributedDataParallel` averages gradients
    while the backward pass still runs; so each process's part is multiplied by
    their number. It averages only what goes through the module that it wraps.
    Here that is the loss itself: a loss that called the model beside it would
    leave each process with gradients of its own.

    Alone, it is the loss.
    """

    def __init__(
        self, model: nn.Module, loss: Callable[[nn.Module, Any], Tensor]
    ) -> None:
        self._whole = _LossOf(model, loss)
        self._called: Callable[[Any], Tensor] = self._whole
        if world() > 1:
            self._called = DistributedDataParallel(
                self._whole, broadcast_buffers=False
            )

    def __call__(self, batch: Any) -> Tensor:
        """Return the loss of rows of a batch."""
        return self._called(batch)


class _LossOf(nn.Module):
    def __init__(
        self, model: nn.Module, loss: Callable[[nn.Module, Any], Tensor]
    ) -> None:
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, batch: Any) -> Tensor:
        return self.loss(self.model, batch)
