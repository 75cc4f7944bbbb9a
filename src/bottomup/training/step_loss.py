"""The loss of a step: of one batch or of several, on one process or on more."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from bottomup.checks import check_function, check_integer
from bottomup.training import ranks


@runtime_checkable
class TrainingBatch(Protocol):
    """What `fit` asks of a batch, such as `Batch` and `LabelledBatch`."""

    @property
    def tokens(self) -> int:
        """How many target tokens or sentences the loss is a mean over."""

    def to(self, device: torch.device | str) -> "TrainingBatch":
        """Return the batch on another device."""


Loss = Callable[[nn.Module, Any], Tensor]


class StepLoss:
    """The mean loss over the tokens of all batches of a step, and its gradient.

    Step s takes the batches ks to ks + k - 1, k = `accumulate`, one after the
    other, and the gradient of ``sum of n_i loss_i / sum of n_i``, n_i the
    tokens of batch i. If the loss is a mean over tokens, that is the loss of
    all k at once; the mean of the k losses would be another one where the n_i
    differ.

    Args:
        model: its parameters get the gradient.
        loss: gives a scalar with a gradient.
        batches: gives the batch of a number.
        accumulate: k, the number of batches in a step.
        precise: the context in which the loss is computed.
    """

    def __init__(
        self,
        model: nn.Module,
        loss: Loss,
        batches: Callable[[int], TrainingBatch],
        accumulate: int,
        precise: Callable[[], AbstractContextManager[Any]],
    ) -> None:
        self.device = next(model.parameters()).device
        self.of_rows = ranks.SharedLoss(model, loss)
        self.batches, self.accumulate = batches, accumulate
        self.precise = precise

    def backward(self, step: int) -> tuple[float, int]:
        """Add the gradient of a step; return its loss and number of tokens."""
        first = step * self.accumulate
        parts = [self._batch(first + i) for i in range(self.accumulate)]
        # Counted before they move: here no GPU makes us wait.
        counts = [_count(part, n) for n, part in enumerate(parts, first)]
        total = 0.0
        for part, share in zip(parts, _shares(counts), strict=True):
            rows, of_tokens = ranks.rows_of(part)
            with self.precise():
                value = self.of_rows(rows.to(self.device))  # a scalar
            _check_value(value)
            total += share * of_tokens * float(value.item())
            (share * of_tokens * ranks.world() * value).backward()
        return ranks.summed(total), sum(counts)

    def _batch(self, number: int) -> TrainingBatch:
        batch: object = self.batches(number)
        if not isinstance(batch, TrainingBatch):
            kind = type(batch).__name__
            raise TypeError(
                f"batches({number}): expected a Batch or another object with "
                f"`tokens` and `to(device)`, got {kind}; a dataclass of your "
                "tensors that inherits `bottomup.data.TensorBatch` lacks only "
                "`tokens`"
            )
        return batch


def check_batches(batches: object) -> None:
    """Check that batches are a function of the step."""
    one = "`lambda step: batches[step % len(batches)]`"
    hint = f"; of a list, such as list(loader), {one} is one"
    check_function("batches", batches, hint)


def check_loss(loss: object) -> None:
    """Check that a loss is a function, and not torch's of two tensors."""
    check_function("loss", loss)
    if (getattr(loss, "__module__", None) or "").startswith("torch.nn."):
        raise TypeError(
            f"loss: expected a function of model and batch, got {loss!r}; "
            "give `lambda model, batch: criterion(model(batch.x), batch.y)`"
        )


def _count(batch: TrainingBatch, number: int) -> int:
    tokens = batch.tokens
    check_integer(f"batches({number}).tokens", tokens, at_least=0)
    return int(tokens)


def _shares(counts: list[int]) -> list[float]:
    """Return each batch's part of all tokens; without any, even parts."""
    total = sum(counts)
    return [n / total if total else 1 / len(counts) for n in counts]


def _check_value(value: object) -> None:
    wanted = "a scalar tensor from loss(model, batch)"
    if not isinstance(value, Tensor):
        raise TypeError(f"loss: expected {wanted}, got {value!r}")
    if value.numel() != 1:
        raise ValueError(f"loss: expected {wanted}, got {value!r}")
    if not value.requires_grad:
        raise ValueError(
            f"loss: expected a tensor with a gradient, got {value!r}; "
            "is it detached, or does fit run under torch.no_grad()?"
        )
