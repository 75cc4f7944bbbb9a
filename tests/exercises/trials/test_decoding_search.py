"""Top-p and a step of beam search, of chapter 06: by hand, by brute force, typical slips."""

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from bottomup.exercises import catalog
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

BEAM_STEP = catalog()["beam-step"]
TOP_P = catalog()["top-p"]


# ---- Top-p


def test_four_tokens_by_hand():
    assert expected_of(TOP_P, 0).flatten().tolist() == pytest.approx([1 / 3, 2 / 3, 0, 0])
    assert expected_of(TOP_P, 1).flatten().tolist() == pytest.approx([0, 2 / 3, 0, 1 / 3])


def test_each_row_has_a_border_of_its_own():
    expected = torch.tensor([[1.0, 0, 0], [0.375, 0, 0.625]])
    torch.testing.assert_close(expected_of(TOP_P, 2), expected)


@pytest.mark.parametrize("case", range(3, len(TOP_P.cases)))
def test_rounding_decides_no_case(case: int):
    """No running sum lies so near to p that another order of the sums would move the border."""
    probabilities, p = TOP_P.cases[case].inputs.values()
    sums = probabilities.double().sort(descending=True).values.cumsum(-1)
    near = (sums - p).abs() < 1e-4
    assert not near[:, :-1].any() or p == 1


@given(st.lists(st.integers(1, 50), min_size=1, max_size=7, unique=True), st.integers(1, 100))
def test_the_nucleus_is_the_smallest_that_holds_p(counts: list[int], percent: int):
    whole = sum(counts)
    probabilities = torch.tensor([counts], dtype=torch.float64) / whole
    kept = set(TOP_P.solution(probabilities, percent / 100 - 1e-9)[0].nonzero().flatten().tolist())
    order = sorted(range(len(counts)), key=lambda i: -counts[i])
    size = next(
        n for n in range(1, len(order) + 1)
        if 100 * sum(counts[i] for i in order[:n]) >= percent * whole
    )  # fmt: skip
    assert kept == set(order[:size])


def removed_in_descending_order(probabilities: Tensor, p: float, *, shift: bool) -> Tensor:
    """As published code does it: mark what goes, and move the marks by one place."""
    ordered, places = torch.sort(probabilities, descending=True)
    goes = ordered.cumsum(-1) > p
    if shift:
        goes[..., 1:] = goes[..., :-1].clone()
        goes[..., 0] = False
    goes = torch.zeros_like(goes).scatter(-1, places, goes)
    kept = probabilities.masked_fill(goes, 0.0)
    return kept / kept.sum(-1, keepdim=True)


def with_searchsorted(probabilities: Tensor, p: float) -> Tensor:
    ordered, places = torch.sort(probabilities, descending=True)
    sums = ordered.cumsum(-1)
    last = torch.searchsorted(sums, torch.full_like(sums[:, :1], p))
    kept = torch.where(torch.arange(sums.shape[1]) <= last, ordered, 0)
    return torch.empty_like(kept).scatter_(1, places, kept / kept.sum(1, keepdim=True))


def top_k(probabilities: Tensor, p: float) -> Tensor:
    k = max(1, -int(-p * probabilities.shape[-1] // 1))
    best = probabilities.topk(k)
    kept = torch.zeros_like(probabilities).scatter(1, best.indices, best.values)
    return kept / kept.sum(1, keepdim=True)


def unsorted_indices(probabilities: Tensor, p: float) -> Tensor:
    places = probabilities.argsort(descending=True)
    kept = TOP_P.solution(probabilities, p).gather(-1, places)
    return kept.gather(-1, places)


def summed_over_rows(probabilities: Tensor, p: float) -> Tensor:
    ordered, places = probabilities.sort(descending=True)
    before = ordered.cumsum(0) - ordered
    kept = ordered.masked_fill(before >= p, 0)
    kept = torch.zeros_like(kept).scatter(1, places, kept)
    return kept / kept.sum(1, keepdim=True)


def as_many_as_the_longest(probabilities: Tensor, p: float) -> Tensor:
    count = int((TOP_P.solution(probabilities, p) > 0).sum(1).max())
    best = probabilities.topk(count)
    kept = torch.zeros_like(probabilities).scatter(1, best.indices, best.values)
    return kept / kept.sum(1, keepdim=True)


NUCLEUS_SLIPS = {
    "summed-over-the-rows": summed_over_rows,
    "one-border-for-all-rows": as_many_as_the_longest,
    "crossing-token-dropped": lambda x, p: removed_in_descending_order(x, p, shift=False),
    "one-too-many": lambda x, p: removed_in_descending_order(x, p, shift=True),
    "not-renormalised": lambda x, p: x * (TOP_P.solution(x, p) > 0),
    "sorted-order-returned": [
        lambda x, p: TOP_P.solution(x, p).sort(descending=True).values,
        unsorted_indices,
    ],
    "threshold-on-each-token": lambda x, p: (
        torch.where(x > 1 - p, x, 0) / torch.where(x > 1 - p, x, 0).sum(1, True)
    ),
    "share-of-the-vocabulary": top_k,
}


@wrong_answers(NUCLEUS_SLIPS)
def test_a_slip_of_top_p_is_named(wrong, mistake: str):
    assert named(TOP_P, wrong) == mistake


def test_a_border_found_by_bisection_passes():
    assert report_on(TOP_P, with_searchsorted).passed


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda x, p: TOP_P.solution(x, p) > 0, "has dtype torch.bool"),
        (lambda x, p: TOP_P.solution(x, p).log(), "values differ"),
        (lambda x, p: TOP_P.solution(x, p).sum(1), "has shape"),
        (lambda x, p: x, "values differ"),
    ],
)
def test_another_nucleus_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(TOP_P, answer, sentence)


# ---- A step of beam search

STEPS = {
    0: ([0, 0], [2, 0], [-1.75, -2.0]),
    1: ([1, 0], [2, 0], [-1.5, -2.5]),
    2: ([0, 0, 2], [0, 1, 2], [-7.0, -7.5, -3.0]),
    3: ([0, 2, 1], [0, 2, 2], [-7.0, -3.0, -6.0]),
}


@pytest.mark.parametrize("case", STEPS)
def test_a_step_by_hand(case: int):
    assert tuple(x.tolist() for x in expected_of(BEAM_STEP, case)) == STEPS[case]


@pytest.mark.parametrize("case", range(len(BEAM_STEP.cases)))
def test_no_two_ranks_are_near(case: int):
    log_p, scores, lengths, finished, eos, alpha = BEAM_STEP.cases[case].inputs.values()
    ranks = []
    for b, v in product(*map(range, log_p.shape)):
        if finished[b] and v != eos:
            continue
        length = lengths[b] + (0 if finished[b] else 1)
        total = scores[b] + (0.0 if finished[b] else log_p[b, v])
        ranks.append(float(total / ((5 + length) / 6) ** alpha))
    best = sorted(ranks, reverse=True)[: len(scores) + 1]
    assert len(best) >= len(scores)
    assert all(a - b > 1e-4 for a, b in pairwise(best) if a > float("-inf"))


def test_steps_with_every_prefix_kept_find_the_best_of_all_sentences():
    """A table of log-probabilities by the last token; up to three tokens, the last always EOS."""
    table = torch.randn(4, 3, generator=seeded(11), dtype=torch.float64).log_softmax(-1)
    eos, alpha, beam = 2, 0.6, 27
    scores = torch.full((beam,), -torch.inf, dtype=torch.float64)
    scores[0] = 0.0
    lengths, ended = torch.zeros(beam, dtype=torch.int64), torch.zeros(beam, dtype=torch.bool)
    last, words = torch.full((beam,), 3), [[] for _beam in range(beam)]
    for _step in range(3):
        parent, token, scores = BEAM_STEP.solution(table[last], scores, lengths, ended, eos, alpha)
        words = [
            words[i] if ended[i] else [*words[i], v]
            for i, v in zip(parent.tolist(), token.tolist(), strict=True)
        ]
        lengths = (lengths + ~ended)[parent]
        ended = ended[parent] | (token == eos)
        last = token
    found = {}
    for size in range(1, 4):
        for sentence in product((0, 1), repeat=size - 1):
            read = [3, *sentence]
            total = sum(table[a, b] for a, b in zip(read, [*sentence, eos], strict=True))
            found[*sentence, eos] = float(total / ((5 + size) / 6) ** alpha)
    first = next(i for i in range(beam) if ended[i])
    assert tuple(words[first]) == max(found, key=found.get)


def inputs_changed(**change: Callable[..., Any]) -> Callable[..., Any]:
    """The solution, called with one input in another way."""
    names = ("log_p", "scores", "lengths", "finished", "eos", "alpha")

    def answer(*inputs: Any) -> Any:
        given = dict(zip(names, inputs, strict=True))
        given |= {name: made(given) for name, made in change.items()}
        return BEAM_STEP.solution(*given.values())

    return answer


def per_beam_then_flat(log_p, scores, lengths, finished, eos, alpha):
    """Sorts the beams' best tokens."""
    best = (scores[:, None] + log_p).max(1)
    order = (best.values / ((5 + lengths + ~finished) / 6) ** alpha).argsort(descending=True)
    return order, best.indices[order], best.values[order]


def flat_without_care(log_p, scores, lengths, finished, eos, alpha):
    ranks = (scores[:, None] + log_p) / ((6 + lengths[:, None]) / 6) ** alpha
    best = ranks.flatten().topk(len(scores)).indices
    V = log_p.shape[1]
    return best // V, best % V, (scores[:, None] + log_p).flatten()[best]


def least_probable(log_p, scores, lengths, finished, eos, alpha):
    sums = scores[:, None] + log_p.masked_fill(finished[:, None], float("-inf"))
    sums[finished, eos] = scores[finished]
    ranks = sums / ((5 + lengths + ~finished) / 6)[:, None] ** alpha
    best = ranks.flatten().topk(len(scores), largest=False).indices
    return best // log_p.shape[1], best % log_p.shape[1], sums.flatten()[best]


def without_brackets(log_p, scores, lengths, finished, eos, alpha):
    sums = scores[:, None] + log_p.masked_fill(finished[:, None], float("-inf"))
    sums[finished, eos] = scores[finished]
    ranks = sums / (5 + (lengths + ~finished) / 6)[:, None] ** alpha
    best = ranks.flatten().topk(len(scores)).indices
    return best // log_p.shape[1], best % log_p.shape[1], sums.flatten()[best]


def sorted_again(*inputs):
    parent, token, scores = BEAM_STEP.solution(*inputs)
    order = scores.argsort(descending=True)
    return parent[order], token[order], scores[order]


def newest_token_penalised(log_p, scores, lengths, finished, eos, alpha):
    log_p = log_p.masked_fill(finished[:, None], float("-inf"))
    log_p[finished, eos] = 0
    penalty = ((5 + lengths + ~finished) / 6)[:, None] ** alpha
    best = (scores[:, None] + log_p / penalty).flatten().topk(len(scores)).indices
    return best // log_p.shape[1], best % log_p.shape[1], (scores[:, None] + log_p).flatten()[best]


def best_of_each_in_place(log_p, scores, lengths, finished, eos, alpha):
    best = (scores[:, None] + log_p).max(1)
    return torch.arange(len(scores)), best.indices, best.values


def ranks_returned(*inputs):
    _log_p, _scores, lengths, finished, _eos, alpha = inputs
    parent, token, scores = BEAM_STEP.solution(*inputs)
    return parent, token, scores / ((5 + (lengths + ~finished)[parent]) / 6) ** alpha


BEAM_SLIPS = {
    "best-of-each-beam": [per_beam_then_flat, best_of_each_in_place],
    "sorted-by-sums": sorted_again,
    "penalty-on-the-newest-token": newest_token_penalised,
    "finished-beams-extended": [
        inputs_changed(finished=lambda g: torch.zeros_like(g["finished"])),
        flat_without_care,
    ],
    "penalty-inverted": inputs_changed(alpha=lambda g: -g["alpha"]),
    "penalty-missing": inputs_changed(alpha=lambda g: 0.0),
    "length-before-the-step": inputs_changed(
        lengths=lambda g: g["lengths"] - 1 + g["finished"].long()
    ),
    "scores-not-accumulated": inputs_changed(scores=lambda g: torch.zeros_like(g["scores"])),
    "least-probable-kept": least_probable,
    "another-penalty": without_brackets,
    "penalised-score-returned": ranks_returned,
    "beam-and-token-exchanged": lambda *inputs: [BEAM_STEP.solution(*inputs)[i] for i in (1, 0, 2)],
}


@wrong_answers(BEAM_SLIPS)
def test_a_slip_of_the_beam_is_named(wrong, mistake: str):
    assert named(BEAM_STEP, wrong) == mistake


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (inputs_changed(eos=lambda g: 0), "In token: "),
        (lambda *inputs: [x.flip(0) for x in BEAM_STEP.solution(*inputs)], "In token: "),
        (lambda *inputs: BEAM_STEP.solution(*inputs)[:2], "expected 3 tensors"),
        (lambda log_p, *rest: log_p.topk(len(log_p)), "It returned 2 values"),
    ],
)
def test_another_beam_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(BEAM_STEP, answer, sentence)


def test_minus_infinity_written_into_the_input_is_seen():
    def in_place(log_p, scores, lengths, finished, eos, alpha):
        log_p[finished] = float("-inf")
        log_p[finished, eos] = 0.0
        return BEAM_STEP.solution(log_p, scores, lengths, finished, eos, alpha)

    assert "changes its input log_p" in report_on(BEAM_STEP, in_place).message
