"""Exercise: one step of beam search, with beams that have ended and a length penalty."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def beam_step(
    log_p: torch.Tensor, scores: torch.Tensor, lengths: torch.Tensor,
    finished: torch.Tensor, eos: int, alpha: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    beam, V = log_p.shape
    log_p = log_p.masked_fill(finished[:, None], float("-inf"))
    log_p[finished, eos] = 0
    sums = scores[:, None] + log_p
    penalty = ((5 + lengths + ~finished) / 6) ** alpha
    best = (sums / penalty[:, None]).flatten().topk(beam).indices
    return best // V, best % V, sums.flatten()[best]


Triple = tuple[Tensor, Tensor, Tensor]


def with_candidates(
    log_p: Tensor, scores: Tensor, lengths: Tensor, finished: Tensor, eos: int, alpha: float
) -> Triple:
    found = []
    for b, row in enumerate(log_p.tolist()):
        size = int(lengths[b]) + (not finished[b])
        penalty = ((5 + size) / 6) ** alpha
        tokens = [eos] if finished[b] else range(len(row))
        for v in tokens:
            total = scores[b].item() + (0.0 if finished[b] else row[v])
            found.append((total / penalty, b, v, total))
    found = sorted(found, reverse=True)[: len(scores)]
    _rank, parent, token, total = zip(*found, strict=True)
    return torch.tensor(parent), torch.tensor(token), torch.tensor(total, dtype=scores.dtype)


def with_a_free_row(
    log_p: Tensor, scores: Tensor, lengths: Tensor, finished: Tensor, eos: int, alpha: float
) -> Triple:
    free = torch.full_like(log_p[0], -torch.inf)
    free[eos] = 0
    sums = torch.where(finished.unsqueeze(1), free, log_p) + scores.unsqueeze(1)
    lengths = torch.where(finished, lengths, lengths + 1).unsqueeze(1)
    ranks = sums * (6 / (lengths + 5)) ** alpha
    order = ranks.reshape(-1).argsort(descending=True)[: scores.numel()]
    parent = torch.div(order, log_p.shape[1], rounding_mode="floor")
    token = order - parent * log_p.shape[1]
    return parent, token, sums[parent, token]


def with_the_best_of_each_first(
    log_p: Tensor, scores: Tensor, lengths: Tensor, finished: Tensor, eos: int, alpha: float
) -> Triple:
    beam = len(scores)
    sums = log_p + scores[:, None]
    sums[finished] = -torch.inf
    sums[finished, eos] = scores[finished]
    per_beam = sums.topk(min(beam, log_p.shape[1]), dim=1)  # no beam can give more
    penalty = torch.pow((lengths + (~finished).long() + 5) / 6, alpha)
    chosen = (per_beam.values / penalty[:, None]).view(-1).topk(beam).indices
    parent = chosen // per_beam.values.shape[1]
    return parent, per_beam.indices.view(-1)[chosen], per_beam.values.view(-1)[chosen]


# ---- One thing in another way: what the mistakes are made of


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


# ---- Mistakes: what competes, by which number, and what is carried on

HAND = _("two beams, three tokens, none has ended")
ENDED = _("two beams, one has ended")
PENALTY = _("two long beams and one that ended early")
SUMS = (right_sums, extended)

ENDINGS = (
    Mistake(
        "finished-beams-extended",
        chosen(extended),
        (
            chosen(paid_again),
            chosen(
                extended,
                lambda beams: beams.penalty_of(beams.lengths[:, None] + 1),
            ),
        ),
        case=ENDED,
    ),
    Mistake("finished-beams-dropped", chosen(dropped), case=ENDED),
    Mistake("finished-beam-many-times", chosen(all_zero), case=ENDED),
    Mistake(
        "finished-length-grows",
        chosen(penalty=lambda beams: beams.penalty_of(beams.lengths[:, None] + 1)),
        case=PENALTY,
    ),
)

PENALTIES = (
    Mistake(
        "penalty-inverted",
        chosen(ranked=torch.mul),
        (chosen(penalty=lambda beams: beams.penalty_of(beams.new_lengths) ** -1),),
        case=PENALTY,
    ),
    Mistake("penalty-missing", chosen(penalty=no_penalty), case=PENALTY),
    Mistake(
        "length-before-the-step",
        chosen(penalty=lambda beams: beams.penalty_of(beams.lengths[:, None])),
        case=PENALTY,
    ),
    Mistake(
        "another-penalty",
        chosen(penalty=lambda beams: beams.new_lengths**beams.alpha),
        (
            chosen(penalty=lambda beams: beams.new_lengths.float()),
            chosen(penalty=lambda beams: (5 + beams.new_lengths / 6) ** beams.alpha),
        ),
        case=PENALTY,
    ),
    Mistake(
        "penalty-on-the-newest-token",
        chosen(
            newest_penalised,
            no_penalty,
            lambda b, r: (r[0], r[1], b.sums[r[0], r[1]]),
        ),
        (chosen(newest_penalised, no_penalty),),
        case=PENALTY,
    ),
    Mistake("sorted-by-sums", chosen(returned=sorted_by_sums), case=PENALTY),
    Mistake(
        "penalised-score-returned",
        chosen(returned=lambda b, r: (r[0], r[1], (b.sums / b.penalty)[r[0], r[1]])),
        case=HAND,
    ),
)

COMPETITION = (
    Mistake(
        "best-of-each-beam",
        of_each(by_rank),
        tuple(of_each(*way) for way in product((by_rank, by_sum, no_order), SUMS))[1:],
        case=HAND,
    ),
    Mistake(
        "scores-not-accumulated",
        chosen(lambda beams: beams.allowed),
        (
            chosen(
                lambda beams: beams.allowed,
                returned=lambda b, r: (r[0], r[1], b.sums[r[0], r[1]]),
            ),
            chosen(returned=lambda b, r: (r[0], r[1], b.allowed[r[0], r[1]])),
            chosen(lambda beams: beams.scores[:, None] + beams.log_p.exp()),
        ),
        case=HAND,
    ),
    Mistake("divided-by-the-beams", chosen(returned=divided_by_beams), case=HAND),
    Mistake(
        "beam-and-token-exchanged", chosen(returned=lambda b, r: (r[1], r[0], r[2])), case=HAND
    ),
    Mistake("least-probable-kept", chosen(ranked=lambda sums, penalty: -sums / penalty), case=HAND),
)

MISTAKES = (*ENDINGS, *PENALTIES, *COMPETITION)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _given(
    log_p: list[list[float]], scores: list[float], lengths: list[int],
    finished: list[bool], alpha: float, eos: int = 2,
) -> Make:  # fmt: skip
    return lambda generator: {
        "log_p": torch.tensor(log_p),
        "scores": torch.tensor(scores),
        "lengths": torch.tensor(lengths),
        "finished": torch.tensor(finished),
        "eos": eos,
        "alpha": alpha,
    }


def _random(
    beam: int, tokens: int, ended: tuple[int, ...] = (), *, eos: int = 2, alpha: float = 0.6,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """Beams that have ended are as long as 2, 3, ... tokens, the others have 7."""

    def make(generator: torch.Generator) -> Inputs:
        log_p = torch.randn(beam, tokens, generator=generator, dtype=dtype).log_softmax(-1)
        finished = torch.zeros(beam, dtype=torch.bool)
        finished[list(ended)] = True
        lengths = torch.full((beam,), 7)
        lengths[list(ended)] = torch.arange(2, 2 + len(ended))
        scores = -3 * torch.rand(beam, generator=generator, dtype=dtype) - 0.5 * lengths
        return {
            "log_p": log_p, "scores": scores.to(dtype), "lengths": lengths,
            "finished": finished, "eos": eos, "alpha": alpha,
        }  # fmt: skip

    return make


def _first_step(generator: torch.Generator) -> Inputs:
    inputs = _random(3, 5)(generator)
    scores = torch.tensor([0.0, -torch.inf, -torch.inf])
    return {**inputs, "scores": scores, "lengths": torch.zeros(3, dtype=torch.int64)}


CASES = (
    Case(
        HAND,
        _given(
            [[-1.0, -2.5, -0.75], [-0.25, -3.0, -4.0]],
            [-1.0, -2.0],
            [1, 1],
            [False, False],
            1.0,
            eos=1,
        ),
    ),
    Case(
        ENDED,
        _given(
            [[-0.5, -1.25, -2.0], [-0.75, -0.5, -1.0]], [-2.0, -1.5], [3, 2], [False, True], 0.0
        ),
    ),
    Case(
        PENALTY,
        _given(
            [[-0.5, -1.0, -3.0], [-1.0, -2.0, -2.5], [-0.25, -1.5, -2.25]],
            [-6.5, -7.0, -3.0],
            [12, 12, 2],
            [False, False, True],
            1.0,
        ),
    ),
    Case(
        _("a long beam and two that ended early"),
        _given(
            [[-0.5, -12.0, -13.0], [-1.0, -2.0, -2.5], [-0.25, -1.5, -2.25]],
            [-6.5, -6.0, -3.0],
            [12, 2, 2],
            [False, True, True],
            1.0,
        ),
    ),
    Case(_("three beams of five tokens"), _random(3, 5), seed=1),
    Case(_("five beams, two have ended"), _random(5, 7, (1, 4)), seed=2),
    Case(_("as many beams as tokens"), _random(5, 5, (0, 3), eos=4), seed=3),
    Case(_("all beams have ended"), _random(3, 7, (0, 1, 2), alpha=1.0), seed=4),
    Case(_("the first step: one beam alone has a score"), _first_step, seed=5),
    Case(_("one beam"), _random(1, 11), seed=6),
    Case(_("a beam wider than the vocabulary"), _random(7, 3, (2, 5), eos=0), seed=7),
    Case(_("a strong penalty"), _random(5, 11, (0, 1, 2), eos=3, alpha=2.0), seed=8),
    Case(_("no penalty"), _random(3, 11, (1,), alpha=0.0), seed=9),
    Case(_("float64"), _random(3, 7, (2,), alpha=1.0, dtype=torch.float64), seed=10),
)

ANSWERS = Answers(
    solution=beam_step,
    alternatives=(with_candidates, with_a_free_row, with_the_best_of_each_first),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named("parent", "token", "scores"),
)
