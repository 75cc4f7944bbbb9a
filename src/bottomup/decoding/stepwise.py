"""What all decoding shares: a model's methods, the loop, the result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.checks import check_integer, checked
from bottomup.data import BOS, EOS, PAD
from bottomup.training import evaluating


@runtime_checkable
class StepwiseDecoder(Protocol):
    """A model that decodes token by token. What `state` is, it alone knows.

    A model whose table of target positions ends says so: `config.max_length` is
    then the number of its positions, one for each token that `step` reads.
    """

    def start(self, source: Tensor, source_mask: Tensor) -> Any:
        """Read the source [batch, source]; return the state at the start."""

    def step(
        self, token: Tensor, state: Any
    ) -> tuple[Tensor, Any, Tensor | None]:
        """Read one token [batch].

        Returns:
            Logits [batch, vocabulary], the new state, and weights [batch,
            source], or None for a model without attention.
        """


@dataclass(frozen=True, eq=False)
class Decoded:
    """Decoded sequences without the BOS in front and the EOS at the end.

    A BOS or PAD that the model predicts before EOS stays in the sequence like
    any other token; `lengths` tells where the padding starts. An object equals
    itself alone; compare two by their tensors.

    Attributes:
        tokens: token numbers, PAD behind the end of each sequence; length is
            that of the longest.
        lengths: number of tokens of each sequence.
        weights: attention weights from which each token was predicted, zero
            behind the end; None for a model without attention.
    """

    tokens: Int64[Tensor, "batch length"]
    lengths: Int64[Tensor, " batch"]
    weights: Float[Tensor, "batch length source"] | None

    def to_lists(self) -> list[list[int]]:
        """Return the sequences as lists, without padding."""
        rows = zip(self.tokens.tolist(), self.lengths.tolist(), strict=True)
        return [row[:length] for row, length in rows]


@checked
def decode(
    model: StepwiseDecoder,
    source: Int64[Tensor, "batch source"],
    source_mask: Bool[Tensor, "batch source"],
    *,
    max_length: int,
    choose: Callable[[Tensor, Tensor], Tensor],
) -> Decoded:
    """Decode each source, one token after the other, as `choose` picks them.

    ``y[0] = BOS``, ``y[i] = choose(logits(y[0], ..., y[i-1], source))``

    Stops when every sequence has produced EOS, or at `max_length` tokens. The
    model runs in evaluation mode, without gradients, and gets its own mode
    back. `greedy` and `sampled` (chapter 06) are this loop with their own
    `choose`.

    Args:
        model: an `nn.Module` with the methods of `StepwiseDecoder`.
        source: source tokens (`Batch.source`).
        source_mask: True at real tokens (`Batch.source_mask`).
        max_length: largest number of tokens, EOS not counted; at most the
            model's number of positions.
        choose: given logits [batch, vocabulary] and which sequences have ended
            [batch], returns a token for each sequence; for one that has ended,
            any.

    Raises:
        FloatingPointError: the model gives NaN to a sequence that has not
            ended.
    """
    module = check_decoder(model, StepwiseDecoder, "start and step", max_length)
    token = torch.full_like(source[:, 0], BOS)  # [batch], like all below
    lengths = torch.zeros_like(token)
    ended = torch.zeros_like(token, dtype=torch.bool)
    broken = torch.zeros_like(ended)  # read once, after the last step
    tokens: list[Tensor] = []
    weights: list[Tensor] = []
    with torch.no_grad(), evaluating(module):
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
        wanted = "logits without NaN"
        raise FloatingPointError(
            f"model: expected {wanted}, got NaN in sequences {rows}"
        )
    longest = int(lengths.max())  # the last step may have given EOS alone
    return Decoded(
        tokens=torch.stack(tokens, dim=1)[:, :longest],
        lengths=lengths,
        weights=torch.stack(weights, dim=1)[:, :longest] if weights else None,
    )


def check_decoder(
    model: Any, protocol: type, methods: str, max_length: int
) -> nn.Module:
    """Check that a model can decode so many tokens; return it as a module.

    Args:
        model: an `nn.Module` with the methods of `protocol`.
        protocol: `StepwiseDecoder`, or what adds to it.
        methods: their names, for the message.
        max_length: number of tokens, for each of which a model needs a
            position.
    """
    if not isinstance(model, nn.Module) or not isinstance(model, protocol):
        kind = type(model).__name__
        raise TypeError(
            f"model: expected an nn.Module with methods {methods}, got {kind}"
        )
    check_integer("max_length", max_length, at_least=1)
    room = getattr(getattr(model, "config", None), "max_length", None)
    if room is not None and max_length > room:
        wanted = f"at most the model's {room} target positions"
        raise ValueError(f"max_length: expected {wanted}, got {max_length}")
    return model
