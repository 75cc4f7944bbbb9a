"""Read one word: draws by hand, how often each position is drawn, and slips on the line."""

import pytest
import torch
from torch.nn.functional import one_hot

from bottomup.exercises import catalog
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

EXERCISE = catalog()["read-one-word"]


@pytest.mark.parametrize(
    "case, states",
    [
        (0, [[[2.0, 20.0], [1.0, 10.0]]]),  # 0.25 <= 0.3 < 0.5, and 0.05 < 0.125
        (1, [[[2.0], [3.0], [2.0]]]),  # each u lies on a border
        (2, [[[1.0], [2.0], [3.0]], [[6.0], [4.0], [5.0]]]),
    ],
)
def test_draws_by_hand(case: int, states: list[list[list[float]]]):
    assert expected_of(EXERCISE, case).tolist() == states


def test_each_position_is_drawn_as_often_as_its_weight_says():
    weights = torch.tensor([0.5, 0.0, 0.125, 0.375])
    u = torch.rand(1, 20_000, generator=seeded(1))
    read = EXERCISE.solution(weights.expand(1, 20_000, 4), u, torch.eye(4)[None])
    torch.testing.assert_close(read[0].mean(0), weights, atol=0.02, rtol=0)
    assert read[..., 1].sum() == 0


def position(weights, u):
    return (weights.cumsum(-1) <= u[..., None]).sum(-1)


def indexed(positions):
    """A reader's answer that gathers the states at some positions."""

    def answer(weights, u, states):
        index = positions(weights, u)[..., None].expand(-1, -1, states.shape[-1])
        return states.gather(1, index)

    return answer


def with_starts(weights, u, states):
    ends = weights.cumsum(-1)
    starts = ends - weights
    hit = (starts <= u[..., None]) & (u[..., None] < ends)
    return torch.einsum("bqs,bsd->bqd", hit.to(states), states)


def with_bisection(weights, u, states):
    from bisect import bisect_right

    rows = []
    for b in range(len(weights)):
        for q in range(weights.shape[1]):
            ends = torch.cumsum(weights[b, q], 0).tolist()
            rows.append(states[b, bisect_right(ends, u[b, q].item())])
    return torch.stack(rows).view(*u.shape, -1)


@pytest.mark.parametrize("answer", [indexed(position), with_starts, with_bisection])
def test_right_answers_of_other_kinds_pass(answer):
    assert report_on(EXERCISE, answer).passed


@wrong_answers(
    {
        "largest-weight": lambda weights, u: weights.max(-1).indices,
        "weight-zero-drawn": [
            lambda weights, u: (weights.cumsum(-1) < u[..., None]).sum(-1),
            lambda weights, u: torch.searchsorted(weights.cumsum(-1), u[..., None])[..., 0],
            lambda weights, u: (weights.cumsum(-1) >= u[..., None]).int().argmax(-1),
        ],
        "one-too-late": lambda weights, u: (position(weights, u) + 1).clamp(
            max=weights.shape[-1] - 1
        ),
        "one-too-early": lambda weights, u: (position(weights, u) - 1).clamp(min=0),
        "weights-not-summed": [
            lambda weights, u: (weights >= u[..., None]).int().argmax(-1),
            lambda weights, u: (weights - u[..., None]).abs().argmin(-1),
        ],
        "weights-ignored": lambda weights, u: torch.floor(u * weights.shape[-1]).long(),
        "summed-over-the-queries": lambda weights, u: (
            (weights.cumsum(1) > u[..., None]).int().argmax(-1)
        ),
        "one-draw-for-all": lambda weights, u: position(weights, u[:, :1].expand_as(u)),
        "u-not-used": lambda weights, u: torch.stack(
            [torch.multinomial(row, 1)[:, 0] for row in weights]
        ),
        "from-the-far-end": lambda weights, u: (
            weights.shape[-1] - 1 - position(weights.flip(-1), u)
        ),
    }
)
def test_a_slip_in_the_draw_is_named(wrong, mistake: str):
    assert named(EXERCISE, indexed(wrong)) == mistake


@wrong_answers(
    {
        "weighted-mean": lambda weights, u, states: torch.einsum("bqs,bsd->bqd", weights, states),
        "first-sentence-read": lambda weights, u, states: states[0, position(weights, u)],
        "scaled-by-its-weight": lambda weights, u, states: (
            (one_hot(position(weights, u), weights.shape[-1]) * weights) @ states
        ),
        "positions-returned": lambda weights, u, states: position(weights, u),
        "weights-returned": lambda weights, u, states: one_hot(
            position(weights, u), weights.shape[-1]
        ).to(weights),
    }
)
def test_a_slip_in_the_reading_is_named(wrong, mistake: str):
    assert named(EXERCISE, wrong) == mistake


def test_a_position_outside_the_sentence_is_told_as_an_error():
    report = report_on(EXERCISE, indexed(lambda weights, u: (weights <= 1).sum(-1)))
    assert report.misconception is None
    assert "Your function raised " in report.message
