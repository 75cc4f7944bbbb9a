"""What every way of decoding shares: the model's methods, the loop over tokens, the result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.checks import check_integer, check_tensor
from bottomup.data import BOS, EOS, PAD
from bottomup.training import evaluating


@runtime_checkable
class StepwiseDecoder(Protocol):
    """A model that decodes token by token. What `state` is, the model alone knows.

    A model whose table of target positions ends says so: `config.max_length` is then the number of
    its positions, one for each token that `step` reads.
    """

    def start(self, source: Tensor, source_mask: Tensor) -> Any:
        """Read the source [batch, source]; return the state before the first target token."""

    def step(
        self, token: Tensor, state: Any
    ) -> tuple[Tensor, Any, Tensor | None]:
        """Read one token [batch]; return (logits [batch, vocabulary], state, weights).

        The weights are [batch, source], or None for a model without attention.
        """


@dataclass(frozen=True, eq=False)
class Decoded:
    """Decoded sequences without the BOS in front and the EOS at the end.

    A BOS or PAD that the model predicts before EOS stays in the sequence like any other token;
    `lengths` tells where the padding starts. An object equals itself alone; compare two by their
    tensors.

    Attributes:
        tokens: token numbers, PAD behind the end of each sequence; length is that of the longest.
        lengths: number of tokens of each sequence.
        weights: attention weights from which each token was predicted, zero behind the end; None
            for a model without attention.
    """

    tokens: Int64[Tensor, "batch length"]
    lengths: Int64[Tensor, " batch"]
    weights: Float[Tensor, "batch length source"] | None

    def to_lists(self) -> list[list[int]]:
        """Return the sequences as lists, without padding."""
        rows = zip(self.tokens.tolist(), self.lengths.tolist(), strict=True)
        return [row[:length] for row, length in rows]


def decode(
    model: StepwiseDecoder,
    source: Int64[Tensor, "batch source"],
    source_mask: Bool[Tensor, "batch source"],
    *,
    max_length: int,
    choose: Callable[[Tensor, Tensor], Tensor],
) -> Decoded:
    """Decode each source, one token after the other, as `choose` picks them.

    Starts with BOS and stops when every sequence has produced EOS, or at `max_length` tokens. The
    model runs in evaluation mode, without gradients, and gets its own mode back. `greedy` and
    `sampled` (chapter 06) are this loop with their own `choose`.

    Args:
        model: an `nn.Module` with the methods of `StepwiseDecoder`.
        source: source tokens (`Batch.source`).
        source_mask: True at real tokens (`Batch.source_mask`).
        max_length: largest number of tokens, EOS not counted.
        choose: given logits [batch, vocabulary] and which sequences have ended [batch], returns a
            token for each sequence; for one that has ended, any.

    Raises:
        TypeError: a model without `start` and `step`, or a wrong dtype.
        ValueError: shapes that do not fit, an empty batch, or `max_length` below 1 or past the
            model's last position.
        FloatingPointError: the model gives NaN to a sequence that has not ended.
    """
    check_decoder(model, StepwiseDecoder, "start and step")
    check_source(source, source_mask)
    check_length(model, max_length)
    batch = source.shape[0]
    ended = torch.zeros(batch, dtype=torch.bool, device=source.device)
    lengths = torch.zeros(batch, dtype=torch.int64, device=source.device)
    broken = torch.zeros_like(ended)  # read once, after the last step
    token = torch.full_like(lengths, BOS)
    tokens: list[Tensor] = []
    weights: list[Tensor] = []
    with torch.no_grad(), evaluating(as_module(model)):
        state = model.start(source, source_mask)
        while len(tokens) < max_length and not ended.all():
            logits, state, row = model.step(token, state)
            broken = broken | (logits.isnan().any(dim=-1) & ~ended)
            token = choose(logits, ended)
            ended = ended | (token == EOS)
            token = token.masked_fill(ended, PAD)
            lengths = lengths + ~ended
            tokens.append(token)
            if row is not None:
                weights.append(row.masked_fill(ended[:, None], 0.0))
    if broken.any():
        rows = broken.nonzero().flatten().tolist()
        raise FloatingPointError(
            f"model: expected logits without NaN, got NaN in sequences {rows}"
        )
    longest = int(lengths.max())  # the last step may have given nothing but EOS
    return Decoded(
        tokens=torch.stack(tokens, dim=1)[:, :longest],
        lengths=lengths,
        weights=torch.stack(weights, dim=1)[:, :longest] if weights else None,
    )


def check_decoder(model: Any, protocol: type, methods: str) -> None:
    """Check that a model is an `nn.Module` with the methods of `protocol`."""
    if not isinstance(model, nn.Module) or not isinstance(model, protocol):
        kind = type(model).__name__
        raise TypeError(
            f"model: expected an nn.Module with methods {methods}, got {kind}"
        )


def as_module(model: Any) -> nn.Module:
    """Return the model under its other type: `check_decoder` has seen that it has both."""
    module: nn.Module = model
    return module


def check_length(model: StepwiseDecoder, max_length: int) -> None:
    """Check that a model has a position for each token that decoding may let it read."""
    check_integer("max_length", max_length, at_least=1)
    room = getattr(getattr(model, "config", None), "max_length", None)
    if room is not None and max_length > room:
        raise ValueError(
            f"max_length: expected at most the model's {room} target positions, got {max_length}"
        )


def check_source(source: Tensor, source_mask: Tensor) -> None:
    """Check source tokens and their mask as far as decoding itself needs them."""
    check_tensor("source", source)
    check_tensor("source_mask", source_mask)
    if source.dtype != torch.int64 or source_mask.dtype != torch.bool:
        raise TypeError(
            "source, source_mask: expected dtypes torch.int64 and torch.bool, "
            f"got {source.dtype} and {source_mask.dtype}"
        )
    if source.dim() != 2 or source.numel() == 0:
        raise ValueError(
            f"source: expected non-empty axes [batch, source], got {tuple(source.shape)}"
        )
    if source_mask.shape != source.shape:
        raise ValueError(
            f"source_mask: expected shape {tuple(source.shape)}, got {tuple(source_mask.shape)}"
        )
