"""Exercise: one step of beam search, with beams that have ended and a length penalty."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.decoding.beam_step_mistakes import (
    ENDED,
    HAND,
    MISCONCEPTIONS,
    PENALTY,
)
from bottomup.exercises.decoding.beam_step_parts import Triple
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _

STUB = '''\
def beam_step(log_p, scores, lengths, finished, eos, alpha):
    """One step of beam search for one sentence: which candidates go on?

    log_p [beam, V]: log-probabilities of the next token. scores [beam]:
    sum of log-probabilities of each beam so far. lengths [beam]: number of
    its tokens so far, EOS counted if it has ended. finished [beam],
    boolean: it has ended. Leave the arguments unchanged.
    A beam that has not ended has V candidates, each one token longer. One
    that has ended has one: itself, with the token eos, its old score and
    its old length. Rank all candidates by
    score / ((5 + length) / 6) ** alpha; no two ranks are equal.
    Returns (parent, token, scores), each [beam], best rank first: the beam
    that is continued, the token, and the sum without the penalty.
    """
    ...
'''


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

BEAM_STEP = Exercise(
    slug="beam-step",
    title=_("One step of beam search"),
    chapter="06",
    difficulty=4,
    minutes=20,
    stub=STUB,
    hints=(
        _(
            "Two beams and three tokens make six candidates. Write their sums into a table "
            "[beam, V]. If a beam has ended, what does its row of the table look like, so that "
            "one candidate is left?"
        ),
        _(
            "For a beam that has ended, every log-probability is minus infinity but that of eos, "
            "which is zero: it costs nothing to stay. `log_p[finished, eos] = 0` writes it, into "
            "a copy."
        ),
        _(
            "`lengths + ~finished` counts the new token where there is one. Divide the table by "
            "the penalty of each beam, [beam, 1], and call the result ranks; keep the table too."
        ),
        _(
            "`ranks.flatten().topk(beam).indices` are flat numbers: the beam is number // V, the "
            "token is number % V. The scores come from the table of sums."
        ),
    ),
    solution=beam_step,
    alternatives=(with_candidates, with_a_free_row, with_the_best_of_each_first),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_named("parent", "token", "scores"),
)
