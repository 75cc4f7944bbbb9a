"""What a training would cost: a few of its steps, counted and timed."""

import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from bottomup.training.run import History, Run

TAKEN = 3  # steps that are timed, after one that is counted


@dataclass(frozen=True)
class Rehearsal:
    """A training of which only a few steps were taken.

    Attributes:
        steps: how many it would take.
        parameters: how many numbers the optimizer changes.
        flops: floating-point operations of the first step, forward and
            backward, as torch counts them: those of matrix products, a product
            and a sum being two. Recurrent kernels it does not count.
        operations: calls of torch's kernels in the first step.
        kept: bytes that the first step keeps for its backward pass.
        seconds: the median of the steps timed, by the clock of `fit`.
        overhead: seconds that the rehearsal itself took.
    """

    steps: int
    parameters: int
    flops: int
    operations: int
    kept: int
    seconds: float
    overhead: float

    @property
    def state(self) -> int:
        """Bytes of weights, gradients and Adam's two moments, in float32."""
        return 16 * self.parameters

    @property
    def whole(self) -> float:
        """Seconds of all steps."""
        return self.steps * self.seconds


_heard: ContextVar[list[Rehearsal] | None] = ContextVar("heard", default=None)


@contextmanager
def rehearsed() -> Iterator[list[Rehearsal]]:
    """Have `fit` take a few steps only; the list gets what each training costs.

    Source: ours. ``python -m bottomup.experiments plan`` uses it.
    """
    heard: list[Rehearsal] = []
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)


def is_rehearsal() -> bool:
    """Say whether `fit` is to rehearse."""
    return _heard.get() is not None


def rehearse(train: Callable[[Run], History], run: Run) -> History:
    """Take the first step under counters and a few more by the clock.

    Returns the history of the steps timed, which is short. The training is
    heard from the first of them on.

    Args:
        train: takes the steps of a run.
        run: the whole training that is rehearsed.
    """
    heard = _heard.get()
    if heard is None:
        raise RuntimeError("rehearse: expected to be inside rehearsed()")
    token = _heard.set(None)
    began, place = run.clock(), len(heard)
    counted, work = _Counted(), FlopCounterMode(display=False)

    def note(_: int, history: History) -> None:
        heard[place:] = [
            Rehearsal(
                steps=run.total,
                parameters=sum(p.numel() for p in run.parameters),
                flops=work.get_total_flops(),
                operations=counted.operations,
                kept=counted.kept,
                seconds=statistics.median(history.seconds),
                overhead=run.clock() - began,
            )
        ]

    try:
        with counted, work, saved_tensors_hooks(counted.keep, _unchanged):
            train(run.shortened(1, None))
        return train(run.shortened(min(TAKEN, run.total), note))
    finally:
        _heard.reset(token)


class _Counted(TorchDispatchMode):
    """Counts kernels, and the bytes of what is kept for a backward pass."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations, self.kept = 0, 0
        self._seen: set[int] = set()

    def __torch_dispatch__(
        self, kernel: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.operations += 1
        return kernel(*args, **(kwargs or {}))

    def keep(self, tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self._seen:
            self._seen.add(storage.data_ptr())
            self.kept += storage.nbytes()
        return tensor


def _unchanged(tensor: Tensor) -> Tensor:
    return tensor
