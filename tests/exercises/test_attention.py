"""Values of chapter 01's solutions, worked out by hand."""

import math

import pytest
import torch

from bottomup.exercises import catalog
from bottomup.exercises.checking import examine


def expected_of(slug: str, case: int):
    exercise = catalog()[slug]
    return exercise.run(exercise.solution, exercise.cases[case].fresh())


def test_masked_softmax_over_two_of_three_positions():
    weights = expected_of("masked-softmax", 0)  # e^0 : e^ln 3 = 1 : 3
    torch.testing.assert_close(weights, torch.tensor([[0.25, 0.75, 0], [0.75, 0.25, 0]]))


def test_masked_softmax_of_an_empty_row_is_zero():
    weights = catalog()["masked-softmax"].solution(torch.ones(1, 2), torch.tensor([[False, False]]))
    assert weights.tolist() == [[0.0, 0.0]]


def test_additive_scores_of_the_first_case():
    scores = expected_of("additive-score", 0)
    hidden = [  # W_a q + U_a k, for q = 1 and q = -1
        [(2, 2), (1, 3), (2, 3)],
        [(0, -2), (-1, -1), (0, -1)],
    ]
    by_hand = [[2 * math.tanh(a) - math.tanh(b) for a, b in row] for row in hidden]
    torch.testing.assert_close(scores, torch.tensor([by_hand]))


def test_general_scores_of_the_first_case():
    # W_a k: (1, 4), (2 + 6, 5 + 12), (6, 15); the queries pick the first, and the sum
    assert expected_of("general-score", 0).tolist() == [[[1.0, 8.0, 6.0], [5.0, 25.0, 21.0]]]


@pytest.mark.parametrize(
    "case, rate",
    [
        (0, 1 - (1 + 1) / (2 + 2)),
        (1, 1 - (2 + 3) / (3 + 2)),
        (2, 0.0),
        (3, 1.0),
        (4, 1 - (1 + 1 + 1 + 2) / (1 + 1 + 4 + 4)),
    ],
)
def test_alignment_error_of_small_cases(case: int, rate: float):
    assert expected_of("aer", case) == pytest.approx(rate)


def named(slug: str, answer) -> str | None:
    return examine(catalog()[slug], answer).misconception


def test_the_gradient_of_an_empty_row_tells_two_ways_to_mask_apart():
    def filled(scores, mask):
        return scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()

    def added(scores, mask):
        return (scores + mask.log()).softmax(-1).nan_to_num()

    assert examine(catalog()["masked-softmax"], filled).passed
    assert named("masked-softmax", added) == "nan-gradient"


def test_typical_slips_of_a_reader_are_named():
    def uniform_empty_row(scores, mask):
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        return torch.where(mask.any(-1, keepdim=True), weights, 1 / scores.shape[-1])

    def naive(scores, mask):
        exponentials = scores.exp() * mask
        return (exponentials / exponentials.sum(-1, keepdim=True)).nan_to_num()

    assert named("masked-softmax", uniform_empty_row) == "uniform-empty-row"
    assert named("masked-softmax", lambda s, m: s.masked_fill(~m, 0).softmax(-1)) == (
        "masked-score-zero"
    )
    assert named("masked-softmax", naive) == "overflow"
    assert named("general-score", lambda q, k, W: q @ W @ k.T) == "all-axes-reversed"
    assert named("general-score", lambda q, k, W: q @ (k @ W.T).view(len(k), -1, k.shape[1])) == (
        "keys-cut-anew"
    )


def test_an_alignment_error_from_the_possible_links_alone_is_told_to_count_sure_ones_twice():
    def once(links, sure, possible):
        hits = sum(len(a & p) for a, p in zip(links, possible, strict=True))
        return 1 - hits / sum(len(a) + len(s) for a, s in zip(links, sure, strict=True))

    report = examine(catalog()["aer"], once)
    assert report.misconception == "sure-link-counted-once"
    assert "has to count twice, once in |A ∩ S| and once in |A ∩ P|" in report.message
    assert report.case == "a perfect alignment"
