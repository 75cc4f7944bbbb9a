"""Top-p and a step of beam search, of chapter 06: by brute force, words of a report."""

from itertools import pairwise, product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.drawn import seeded
from tests.exercises.trials.verdicts import is_plain

BEAM_STEP = catalog()["beam-step"]
TOP_P = catalog()["top-p"]


# ---- Top-p


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


# ---- A step of beam search


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


def test_the_results_have_names_in_a_report():
    def without_scores(*inputs):
        return BEAM_STEP.solution(*inputs)[:2]

    def flipped(*inputs):
        return [part.flip(0) for part in BEAM_STEP.solution(*inputs)]

    expected = "It returned 2 values, expected 3 tensors: parent, token, scores."
    assert is_plain(BEAM_STEP, without_scores, expected)
    assert is_plain(BEAM_STEP, flipped, "In token: ")


def test_minus_infinity_written_into_the_input_is_seen():
    def in_place(log_p, scores, lengths, finished, eos, alpha):
        log_p[finished] = float("-inf")
        log_p[finished, eos] = 0.0
        return BEAM_STEP.solution(log_p, scores, lengths, finished, eos, alpha)

    assert "changes its input log_p" in examine(BEAM_STEP, in_place).message
