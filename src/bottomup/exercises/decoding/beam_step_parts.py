"""A step of beam search with one thing in another way: what the mistakes are made of."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

Triple = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class Beams:
    """What a step is given, and what it makes of it in the right way.

    Args:
        log_p: log-probabilities of the next token, [beam, V].
        scores: sums of log-probabilities so far, [beam].
        lengths: number of tokens so far, [beam].
        finished: True where a beam has ended, [beam].
        eos: end of sentence.
        alpha: exponent of the length penalty.
    """

    log_p: Tensor
    scores: Tensor
    lengths: Tensor
    finished: Tensor
    eos: int
    alpha: float

    @property
    def allowed(self) -> Tensor:
        """The log-probabilities, with one free candidate of a beam that has ended."""
        log_p = self.log_p.masked_fill(self.finished[:, None], float("-inf"))
        log_p[self.finished, self.eos] = 0.0
        return log_p

    @property
    def sums(self) -> Tensor:
        """The sum of each candidate, [beam, V]."""
        return self.scores[:, None] + self.allowed

    @property
    def new_lengths(self) -> Tensor:
        """The length of each beam's candidates, [beam, 1]."""
        return (self.lengths + ~self.finished)[:, None]

    @property
    def penalty(self) -> Tensor:
        """What each beam's sums are divided by, [beam, 1]."""
        return self.penalty_of(self.new_lengths)

    def penalty_of(self, lengths: Tensor) -> Tensor:
        """The length penalty of Wu et al. (2016)."""
        return ((5 + lengths) / 6) ** self.alpha


Answer = Callable[[Tensor, Tensor, Tensor, Tensor, int, float], Triple]
Of = Callable[[Beams], Tensor]  # [beam, V]


def right_sums(beams: Beams) -> Tensor:
    return beams.sums


def chosen(
    sums: Of = right_sums, penalty: Of = lambda beams: beams.penalty,
    returned: Callable[[Beams, Triple], Triple] = lambda beams, result: result,
    *, ranked: Callable[[Tensor, Tensor], Tensor] = torch.div,
) -> Answer:  # fmt: skip
    """The best of all candidates by a rank; wrong in the sums, the rank or what is returned."""

    def wrong(
        log_p: Tensor, scores: Tensor, lengths: Tensor, finished: Tensor, eos: int, alpha: float
    ) -> Triple:
        beams = Beams(log_p, scores, lengths, finished, eos, alpha)
        candidates = sums(beams)
        best = ranked(candidates, penalty(beams)).flatten().topk(len(log_p)).indices
        V = log_p.shape[1]
        return returned(beams, (best // V, best % V, candidates.flatten()[best]))

    return wrong


def no_penalty(beams: Beams) -> Tensor:
    return torch.ones_like(beams.penalty)


def no_order(beams: Beams, sums: Tensor) -> Tensor:
    return torch.arange(len(sums))


def by_rank(beams: Beams, sums: Tensor) -> Tensor:
    return (sums / beams.penalty[:, 0]).argsort(descending=True)


def by_sum(beams: Beams, sums: Tensor) -> Tensor:
    return sums.argsort(descending=True)


def extended(beams: Beams) -> Tensor:
    """The sums as if no beam had ended."""
    return beams.scores[:, None] + beams.log_p


def of_each(order: Callable[[Beams, Tensor], Tensor], sums: Of = right_sums) -> Answer:
    """The best token of each beam, the beams in some order."""

    def wrong(
        log_p: Tensor, scores: Tensor, lengths: Tensor, finished: Tensor, eos: int, alpha: float
    ) -> Triple:
        beams = Beams(log_p, scores, lengths, finished, eos, alpha)
        best, token = sums(beams).max(-1)
        parent = order(beams, best)
        return parent, token[parent], best[parent]

    return wrong


def sorted_by_sums(beams: Beams, result: Triple) -> Triple:
    order = result[2].argsort(descending=True)
    parent, token, scores = (part[order] for part in result)
    return parent, token, scores


def newest_penalised(beams: Beams) -> Tensor:
    return beams.scores[:, None] + beams.allowed / beams.penalty


def paid_again(beams: Beams) -> Tensor:
    log_p = beams.allowed
    log_p[beams.finished, beams.eos] = beams.log_p[beams.finished, beams.eos]
    return beams.scores[:, None] + log_p


def dropped(beams: Beams) -> Tensor:
    return extended(beams).masked_fill(beams.finished[:, None], float("-inf"))


def all_zero(beams: Beams) -> Tensor:
    """An ended beam takes part once for every token."""
    return beams.scores[:, None] + beams.log_p.masked_fill(beams.finished[:, None], 0.0)


def divided_by_beams(beams: Beams, result: Triple) -> Triple:
    parent, token, scores = result
    flat, size = parent * beams.log_p.shape[1] + token, len(beams.scores)
    return flat // size, flat % size, scores
