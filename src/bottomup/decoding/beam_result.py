"""What a beam search returns: each source's best sequences, and the steps."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.data import PAD
from bottomup.decoding.beam_step import Prefixes
from bottomup.decoding.stepwise import Decoded
from bottomup.training.device import widest


@dataclass(frozen=True, eq=False)
class BeamStep:
    """One step of the search: every continuation it looked at, the best first.

    Attributes:
        source: which source of the batch each row belongs to; those decided
            earlier are left out.
        parent: which prefix a candidate continues: its place among the
            candidates that the step before marks as `continued`, counted from
            0; in the first step 0, BOS alone.
        token: the token that is added.
        log_probability: log P of the prefix with this token.
        score: ``log_probability / lp(n)``, for the n tokens that the candidate
            has.
        continued: True where the candidate is one of the next step's prefixes.
        ended: True where the token is EOS and the candidate was set aside as
            finished.
    """

    source: Int64[Tensor, " row"]
    parent: Int64[Tensor, "row candidate"]
    token: Int64[Tensor, "row candidate"]
    log_probability: Float[Tensor, "row candidate"]
    score: Float[Tensor, "row candidate"]
    continued: Bool[Tensor, "row candidate"]
    ended: Bool[Tensor, "row candidate"]


@dataclass(frozen=True, eq=False)
class BeamDecoded:
    """The best sequences of each source, the best first, without BOS and EOS.

    Where a source has fewer than n_best sequences, the places behind them have
    the score -inf.

    Attributes:
        tokens: token numbers, PAD behind the end of each sequence; length is
            that of the longest.
        lengths: number of tokens of each sequence, EOS not counted.
        log_probabilities: log P(sequence | source), EOS included where there is
            one.
        scores: log P divided by the length penalty.
        ended: False where the largest length cut the sequence off. Such a
            sequence stands behind all that ended, whatever its score.
        steps: the search, if a trace was asked for; else None.
    """

    tokens: Int64[Tensor, "batch n_best length"]
    lengths: Int64[Tensor, "batch n_best"]
    log_probabilities: Float[Tensor, "batch n_best"]
    scores: Float[Tensor, "batch n_best"]
    ended: Bool[Tensor, "batch n_best"]
    steps: tuple[BeamStep, ...] | None

    def best(self) -> Decoded:
        """Return each source's best sequence, as `greedy` does, no weights."""
        lengths = self.lengths[:, 0]
        return Decoded(self.tokens[:, 0, : int(lengths.max())], lengths, None)

    def to_lists(self) -> list[list[list[int]]]:
        """Return each source's sequences as lists, the best first."""
        parts = (self.tokens, self.lengths, self.scores)
        sources = zip(*(part.tolist() for part in parts), strict=True)
        return [
            [
                tokens[:length]
                for tokens, length, score in zip(*source, strict=True)
                if score > -torch.inf
            ]
            for source in sources
        ]


class Finished:
    """The best sequences so far, for each source; they only get better.

    Attributes:
        tokens, lengths, log_probabilities, scores, ended: as in `BeamDecoded`,
            with room for `max_length` tokens.
    """

    def __init__(
        self, batch: int, n_best: int, max_length: int, device: torch.device
    ) -> None:
        shape = (batch, n_best)
        self.tokens = torch.full((*shape, max_length), PAD, device=device)
        self.lengths = torch.zeros(shape, dtype=torch.int64, device=device)
        self.log_probabilities = torch.full(
            shape, -torch.inf, dtype=widest(device), device=device
        )
        self.scores = self.log_probabilities.clone()
        self.ended = torch.zeros(shape, dtype=torch.bool, device=device)

    def add(self, prefixes: Prefixes, penalty: float, *, ended: bool) -> None:
        """Keep the best of these and of those before, for each source.

        Those that ended come first, then the higher scores; among equals, those
        that were there.

        Args:
            prefixes: the sequences, none shorter than those before; an
                impossible one is left out.
            penalty: what log P is divided by.
            ended: whether they ended, or were cut off.
        """
        possible = prefixes.log_probability > -torch.inf
        if not possible.any():
            return
        source, tokens = prefixes.source, prefixes.tokens[..., 1:]  # no BOS
        length, n_best = tokens.shape[-1], self.scores.shape[1]
        new = {
            "lengths": torch.full_like(prefixes.place, length),
            "log_probabilities": prefixes.log_probability,
            "scores": prefixes.log_probability / penalty,
            "ended": possible & ended,
        }
        both = {
            name: torch.cat([getattr(self, name)[source], entries], dim=1)
            for name, entries in new.items()
        }
        # 0 ended, 1 cut off, 2 nothing there
        rank = (~both["ended"]).long() + (both["scores"] == -torch.inf)
        order = both["scores"].argsort(dim=1, descending=True, stable=True)
        in_rank = rank.gather(1, order).argsort(dim=1, stable=True)
        order = order.gather(1, in_rank)[:, :n_best]
        for name, entries in both.items():
            getattr(self, name)[source] = entries.gather(1, order)
        tokens = torch.cat([self.tokens[source, :, :length], tokens], dim=1)
        self.tokens[source, :, :length] = torch.take_along_dim(
            tokens, order[..., None], dim=1
        )

    def result(self, steps: tuple[BeamStep, ...] | None) -> BeamDecoded:
        """Return what was kept, with the steps that led there."""
        return BeamDecoded(
            tokens=self.tokens[..., : int(self.lengths.max())],
            lengths=self.lengths,
            log_probabilities=self.log_probabilities,
            scores=self.scores,
            ended=self.ended,
            steps=steps,
        )
