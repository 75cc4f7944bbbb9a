"""Values of chapter 01's solutions, worked out by hand."""

import math

import pytest
import torch

from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

MASKED_SOFTMAX = catalog()["masked-softmax"]
ADDITIVE_SCORE = catalog()["additive-score"]
GENERAL_SCORE = catalog()["general-score"]
AER = catalog()["aer"]


def test_masked_softmax_over_two_of_three_positions():
    weights = expected_of(MASKED_SOFTMAX, 0)  # e^0 : e^ln 3 = 1 : 3
    torch.testing.assert_close(weights, torch.tensor([[0.25, 0.75, 0], [0.75, 0.25, 0]]))


def test_masked_softmax_of_an_empty_row_is_zero():
    weights = MASKED_SOFTMAX.solution(torch.ones(1, 2), torch.tensor([[False, False]]))
    assert weights.tolist() == [[0.0, 0.0]]


def test_additive_scores_of_the_first_case():
    scores = expected_of(ADDITIVE_SCORE, 0)
    hidden = [  # W_a q + U_a k, for q = 1 and q = -1
        [(2, 2), (1, 3), (2, 3)],
        [(0, -2), (-1, -1), (0, -1)],
    ]
    by_hand = [[2 * math.tanh(a) - math.tanh(b) for a, b in row] for row in hidden]
    torch.testing.assert_close(scores, torch.tensor([by_hand]))


def test_general_scores_of_the_first_case():
    # W_a k: (1, 4), (2 + 6, 5 + 12), (6, 15); the queries pick the first, and the sum
    assert expected_of(GENERAL_SCORE, 0).tolist() == [[[1.0, 8.0, 6.0], [5.0, 25.0, 21.0]]]


def test_additive_scores_where_all_widths_are_two():
    scores = expected_of(ADDITIVE_SCORE, 1)
    one, two = math.tanh(1), math.tanh(2)  # W_a q: (0, 0), (1, 2); U_a k: (0, 0), (1, -1)
    by_hand = [[0.0, 2 * one - one], [2 * one + two, 2 * two + one]]
    torch.testing.assert_close(scores, torch.tensor([by_hand]))


def test_general_scores_of_a_batch_of_two():
    # W_a k: (2, 1), (3, 1); of the other sentence (1, 0), (4, 2)
    by_hand = [[[2.0, 3.0], [1.0, 1.0]], [[2.0, 8.0], [0.0, 6.0]]]
    assert expected_of(GENERAL_SCORE, 2).tolist() == by_hand


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
    assert expected_of(AER, case) == pytest.approx(rate)


def test_the_gradient_of_an_empty_row_tells_two_ways_to_mask_apart():
    def filled(scores, mask):
        return scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()

    def added(scores, mask):
        return (scores + mask.log()).softmax(-1).nan_to_num()

    assert report_on(MASKED_SOFTMAX, filled).passed
    assert named(MASKED_SOFTMAX, added) == "nan-gradient"


def test_an_alignment_error_from_the_possible_links_alone_is_told_to_count_sure_ones_twice():
    def once(links, sure, possible):
        hits = sum(len(a & p) for a, p in zip(links, possible, strict=True))
        return 1 - hits / sum(len(a) + len(s) for a, s in zip(links, sure, strict=True))

    report = report_on(AER, once)
    assert report.misconception == "sure-link-counted-once"
    assert "has to count twice, once in |A ∩ S| and once in |A ∩ P|" in report.message
    assert report.case == "a perfect alignment"


def additive(finish):
    def answer(query, key, W_a, U_a, v_a):
        return finish((query @ W_a.T)[:, :, None], (key @ U_a.T)[:, None], v_a)

    return answer


@wrong_answers(
    {
        "scaled": lambda q, k, v: torch.tanh(q + k) @ v / q.shape[-1] ** 0.5,
        "product-of-projections": lambda q, k, v: torch.tanh(q * k) @ v,
        "another-bend": lambda q, k, v: torch.sigmoid(q + k) @ v,
        "query-ignored": lambda q, k, v: torch.tanh(0 * q + k) @ v,
        "first-sentence-only": [
            lambda q, k, v: torch.tanh(q + k[0]) @ v,
            lambda q, k, v: torch.tanh(q[0] + k[0]) @ v,
        ],
    }
)
def test_slips_in_the_additive_score_are_named(wrong, mistake: str):
    assert named(ADDITIVE_SCORE, additive(wrong)) == mistake


def test_a_projection_that_is_transposed_is_shown_on_a_case_to_follow_by_hand():
    def answer(query, key, W_a, U_a, v_a):
        return torch.tanh((query @ W_a)[:, :, None] + (key @ U_a)[:, None]) @ v_a

    report = report_on(ADDITIVE_SCORE, answer)
    assert report.misconception == "projection-transposed"
    assert report.case == "two queries, two keys, all widths two"


@wrong_answers(
    {
        "all-axes-reversed": lambda q, k, W: q @ W @ k.T,
        "keys-cut-anew": lambda q, k, W: q @ (k @ W.T).view(len(k), -1, k.shape[1]),
        "tanh-on-top": lambda q, k, W: torch.tanh(q @ W @ k.mT),
        "first-sentence-only": lambda q, k, W: q[:1] @ W @ k[:1].mT,
        "tanh-inside": lambda q, k, W: q @ torch.tanh(k @ W.T).mT,
    }
)
def test_a_slip_in_the_general_score_is_named(wrong, mistake: str):
    assert named(GENERAL_SCORE, wrong) == mistake


def test_an_einsum_that_adds_up_the_keys_of_all_sentences_is_named():
    def answer(query, key, W_a):
        return torch.einsum("bqd,de,zke->bqk", query, W_a, key)

    report = report_on(GENERAL_SCORE, answer)
    assert report.misconception == "sentences-summed"
    assert report.case == "a batch of two, by hand"


@pytest.mark.parametrize("slug", ["additive-score", "general-score", "masked-softmax"])
def test_the_stub_says_that_the_dtype_stays(slug: str):
    assert "same" in catalog()[slug].stub
    assert "dtype" in catalog()[slug].stub


def uniform_empty_row(scores, mask):
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return torch.where(mask.any(-1, keepdim=True), weights, 1 / scores.shape[-1])


def naive(scores, mask):
    exponentials = scores.exp() * mask
    return (exponentials / exponentials.sum(-1, keepdim=True)).nan_to_num()


def of_truth_values(scores, mask):
    return (scores + (~mask) * -torch.inf).softmax(-1)


def of_numbers(scores, mask):
    return (scores + (1 - mask.float()) * -torch.inf).softmax(-1)


def asks_whether_all_is_allowed(scores, mask):
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return weights.masked_fill(~mask.all(-1, keepdim=True), 0)


@wrong_answers(
    {
        "uniform-empty-row": uniform_empty_row,
        "masked-score-zero": lambda s, m: s.masked_fill(~m, 0).softmax(-1),
        "overflow": naive,
        "infinity-times-zero": [of_truth_values, of_numbers],
        "all-for-any": asks_whether_all_is_allowed,
    }
)
def test_a_slip_in_the_masked_softmax_is_named(wrong, mistake: str):
    assert named(MASKED_SOFTMAX, wrong) == mistake


def test_an_alignment_error_may_be_a_tensor_without_axes():
    right = AER.solution
    assert report_on(AER, lambda *sets: torch.tensor(right(*sets))).passed
    assert not report_on(AER, lambda *sets: torch.tensor([right(*sets)])).passed
    assert named(AER, lambda *sets: torch.tensor(100 * right(*sets))) == "percent"


def counts(links, sure, possible):
    found = [sum(len(a & b) for a, b in zip(links, gold, strict=True)) for gold in (sure, possible)]
    return *found, sum(map(len, links)), sum(map(len, sure))


def without_brackets(*sets):
    in_sure, in_possible, predicted, certain = counts(*sets)
    return 1 - in_sure + in_possible / (predicted + certain)


def over_the_union(*sets):
    in_sure, in_possible, predicted, certain = counts(*sets)
    return 1 - (in_sure + in_possible) / (predicted + certain - in_sure)


def f_measure(*sets):
    in_sure, in_possible, predicted, certain = counts(*sets)
    precision, recall = in_possible / max(predicted, 1), in_sure / certain
    return 2 * precision * recall / ((precision + recall) or 1)


@wrong_answers(
    {
        "brackets-missing": without_brackets,
        "divided-by-the-union": over_the_union,
        "f-measure": f_measure,
    }
)
def test_a_slip_in_the_alignment_error_is_named(wrong, mistake: str):
    assert named(AER, wrong) == mistake


def test_an_alignment_error_of_one_sentence_is_named():
    def returned_in_the_loop(links, sure, possible):
        hits = size = 0
        for a, s, p in zip(links, sure, possible, strict=True):
            hits += len(a & s) + len(a & p)
            size += len(a) + len(s)
            return 1 - hits / size

    def forgotten(links, sure, possible):
        for a, s, p in zip(links, sure, possible, strict=True):
            hits = len(a & s) + len(a & p)
            size = len(a) + len(s)
        return 1 - hits / size

    def divided_in_the_loop(links, sure, possible):
        for a, s, p in zip(links, sure, possible, strict=True):
            rate = 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))
        return rate

    for answer in (returned_in_the_loop, forgotten, divided_in_the_loop):
        assert named(AER, answer) == "one-sentence-only"
