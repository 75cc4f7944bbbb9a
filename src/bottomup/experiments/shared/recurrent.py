"""What the experiments of chapter 01 share: a recurrent translator, trained and decoded."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from bottomup.data import Batch, Pair, make_batch
from bottomup.decoding import StepwiseDecoder, greedy
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.shared.training import Pace, fit_adam, seeded
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig
from bottomup.training import History, token_cross_entropy

DECODED_AT_ONCE = 500


class Translator(StepwiseDecoder, Protocol):
    """What `decode` asks of a model, recurrent or not: steps, and parameters on some device."""

    def parameters(self) -> Iterator[nn.Parameter]:
        """Return the parameters."""


@dataclass(frozen=True)
class Variant:
    """A kind of attention and its budget, written ``dot_800``: 800 training steps with dot."""

    attention: str
    steps: int

    @classmethod
    def parse(cls, name: str) -> "Variant":
        """Read a variant's name."""
        attention, _, steps = name.rpartition("_")
        return cls(attention, int(steps))


def cross_entropy(model: nn.Module, batch: Batch) -> Tensor:
    """Mean cross-entropy of the target tokens of a batch, in nats."""
    return token_cross_entropy(model(batch).logits, batch.target_out, batch.target_mask)


def untrained(
    model_config: Seq2SeqConfig, seed: int, kind: type[RNNSeq2Seq] = RNNSeq2Seq
) -> RNNSeq2Seq:
    """Make the translator that `train` starts from under the same seed."""
    with seeded(seed):
        return kind(model_config)


def train(
    model_config: Seq2SeqConfig,
    batches: Callable[[int], Batch],
    pace: Pace,
    trial: Trial,
    *,
    steps: int,
    kind: type[RNNSeq2Seq] = RNNSeq2Seq,
) -> tuple[RNNSeq2Seq, History]:
    """Make a translator and train it, see `fit_adam`."""
    model = untrained(model_config, trial.seed, kind).to(trial.device)
    return model, fit_adam(model, batches, cross_entropy, pace, trial, steps=steps)


def last_loss(history: History) -> float:
    """Return the mean loss of the last fiftieth of the steps, in nats."""
    last = history.loss[-max(1, len(history) // 50) :]
    return sum(last) / len(last)


def decode(model: Translator, pairs: Sequence[Pair], *, max_length: int) -> list[list[int]]:
    """Translate the sources of the pairs greedily, in their order."""
    device = next(model.parameters()).device
    written: list[list[int]] = []
    for start in range(0, len(pairs), DECODED_AT_ONCE):
        batch = make_batch(pairs[start : start + DECODED_AT_ONCE]).to(device)
        decoded = greedy(model, batch.source, batch.source_mask, max_length=max_length)
        written += decoded.to_lists()
    return written


def read_weights(model: RNNSeq2Seq, pairs: Sequence[Pair]) -> list[Tensor]:
    """Return each pair's attention weights [target, source] with the reference given.

    Row t is read before target token t is predicted. End tokens are left out.
    """
    device = next(model.parameters()).device
    found: list[Tensor] = []
    for start in range(0, len(pairs), DECODED_AT_ONCE):
        part = pairs[start : start + DECODED_AT_ONCE]
        with torch.no_grad():
            weights = model(make_batch(part).to(device)).weights
        if weights is None:
            raise ValueError("model: expected a model with attention, got one without weights")
        rows = zip(part, weights.cpu(), strict=True)
        found += [row[: len(target), : len(source)] for (source, target), row in rows]
    return found
