"""What a beam search returns: the best sequences of each source, and the steps that led there."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float64, Int64
from torch import Tensor

from bottomup.decoding.stepwise import Decoded


@dataclass(frozen=True, eq=False)
class BeamStep:
    """One step of the search: every continuation that it looked at, the best first.

    Attributes:
        source: which source of the batch each row belongs to; those decided earlier are left out.
        parent: which prefix a candidate continues: its place among the candidates that the step
            before marks as `continued`, counted from 0; in the first step 0, BOS alone.
        token: the token that is added.
        log_probability: log P of the prefix with this token.
        score: ``log_probability / lp(n)``, for the n tokens that the candidate has.
        continued: True where the candidate is one of the next step's prefixes.
        ended: True where the token is EOS and the candidate was set aside as finished.
    """

    source: Int64[Tensor, " row"]
    parent: Int64[Tensor, "row candidate"]
    token: Int64[Tensor, "row candidate"]
    log_probability: Float64[Tensor, "row candidate"]
    score: Float64[Tensor, "row candidate"]
    continued: Bool[Tensor, "row candidate"]
    ended: Bool[Tensor, "row candidate"]


@dataclass(frozen=True, eq=False)
class BeamDecoded:
    """The best sequences of each source, the best first, without BOS and EOS.

    Where a source has fewer than n_best sequences, the places behind them have the score -inf.

    Attributes:
        tokens: token numbers, PAD behind the end of each sequence; length is that of the longest.
        lengths: number of tokens of each sequence, EOS not counted.
        log_probabilities: log P(sequence | source), EOS included where there is one.
        scores: log P divided by the length penalty.
        ended: False where the largest length cut the sequence off. Such a sequence stands behind
            all that ended, whatever its score.
        steps: the search, if a trace was asked for; else None.
    """

    tokens: Int64[Tensor, "batch n_best length"]
    lengths: Int64[Tensor, "batch n_best"]
    log_probabilities: Float64[Tensor, "batch n_best"]
    scores: Float64[Tensor, "batch n_best"]
    ended: Bool[Tensor, "batch n_best"]
    steps: tuple[BeamStep, ...] | None

    def best(self) -> Decoded:
        """Return the best sequence of each source, in the form of `greedy`, without weights."""
        lengths = self.lengths[:, 0]
        return Decoded(self.tokens[:, 0, : int(lengths.max())], lengths, None)

    def to_lists(self) -> list[list[list[int]]]:
        """Return each source's sequences as lists, the best first."""
        parts = (
            self.tokens.tolist(),
            self.lengths.tolist(),
            self.scores.tolist(),
        )
        return [
            [
                row[:length]
                for row, length, score in zip(*source, strict=True)
                if score > -torch.inf
            ]
            for source in zip(*parts, strict=True)
        ]
