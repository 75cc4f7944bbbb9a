"""Mutual information from a table, of chapter 08: by hand, the library's, typical slips."""

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score
from torch import Tensor

from bottomup.analysis import plug_in_information
from bottomup.exercises import Case, catalog
from bottomup.exercises.engine.show import show
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

MUTUAL_INFORMATION = catalog()["mutual-information"]
mutual_information = MUTUAL_INFORMATION.solution


BY_HAND = {
    0: 3 / 4 * log(3 / 2) + 1 / 4 * log(1 / 2),
    1: log(2),
    2: 0.0,
    3: 3 / 8 * log(8 / 3) + 1 / 2 * log(2) + 1 / 8 * log(8),  # H(T): the cluster says it all
    4: 4 / 8 * log(32 / 25) + 2 / 8 * log(8 / 15) + 2 / 8 * log(16 / 9),
    5: 0.0,
    6: 0.0,
    7: 0.0,
}


@pytest.mark.parametrize("case", BY_HAND)
def test_information_by_hand(case: int):
    assert expected_of(MUTUAL_INFORMATION, case) == pytest.approx(BY_HAND[case], rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("case", MUTUAL_INFORMATION.cases, ids=lambda case: case.name)
def test_what_is_shown_is_never_below_zero(case: Case):
    shown = show(MUTUAL_INFORMATION.run(mutual_information, case.fresh()))
    assert not shown.startswith("-")
    assert case.name != "clusters that say nothing" or shown == "0"


def test_exchanging_the_numbers_of_two_clusters_changes_nothing():
    for case in MUTUAL_INFORMATION.cases:
        table = case.inputs["table"]
        turned = mutual_information(table.flip(1))
        assert turned == pytest.approx(mutual_information(table), rel=1e-4, abs=1e-5)


def examples_of(table: Tensor) -> tuple[Tensor, Tensor]:
    """The label and the cluster of every example that the table counts."""
    labels, clusters = table.nonzero().unbind(1)
    counts = table[labels, clusters]
    return labels.repeat_interleave(counts), clusters.repeat_interleave(counts)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.integers(1, 7), st.integers(1, 5), st.data())
def test_it_is_the_plug_in_value_of_the_examples(rows: int, columns: int, data: st.DataObject):
    counts = data.draw(st.lists(st.integers(0, 9), min_size=rows * columns,
                                max_size=rows * columns))  # fmt: skip
    counts[-1] += 1
    table = torch.tensor(counts).view(rows, columns)
    labels, clusters = examples_of(table)
    plug_in = plug_in_information(labels, clusters)
    assert mutual_information(table) == pytest.approx(plug_in, rel=1e-4, abs=1e-5)
    assert plug_in == pytest.approx(mutual_info_score(labels, clusters), abs=1e-9)


# ---- Other right answers


def with_sklearn(table):
    return mutual_info_score(None, None, contingency=table.numpy())


def with_the_library(table):
    if table.sum() > 10**5:  # too many examples to write out
        return mutual_information(table)
    return plug_in_information(*examples_of(table))


def with_numpy(table):
    p = table.numpy() / table.sum().item()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    found = np.float64(0)
    for t, c in zip(*np.nonzero(p), strict=True):
        found += p[t, c] * np.log(p[t, c] / (rows[t] * columns[c]))
    return found


def with_distributions(table):
    def entropy(counts):
        return torch.distributions.Categorical(counts.flatten().double()).entropy()

    return entropy(table.sum(1)) + entropy(table.sum(0)) - entropy(table)


def with_conditionals(table):
    """H(T) less the entropies within the clusters, each with the cluster's share."""
    p = table / table.sum()
    p_t, p_c = p.sum(1), p.sum(0)
    information = -(p_t[p_t > 0] * p_t[p_t > 0].log()).sum()
    for c in range(len(p_c)):
        if p_c[c] > 0:
            within = p[:, c] / p_c[c]
            within = within[within > 0]
            information += p_c[c] * (within * within.log()).sum()
    return information


def in_one_line(table):
    n, r, c = table.float(), table.sum(1, keepdim=True).float(), table.sum(0).float()
    return torch.nansum(n * (n * n.sum() / (r * c)).log()) / n.sum()


@pytest.mark.parametrize(
    "answer",
    [with_sklearn, with_the_library, with_numpy, with_distributions, with_conditionals,
     in_one_line],
)  # fmt: skip
def test_other_ways_to_the_information_pass(answer: Callable[..., Any]):
    assert report_on(MUTUAL_INFORMATION, answer).passed


# ---- Slips


def informed(
    *,
    table: Callable[[Tensor], Tensor] = lambda table: table,
    joint: Callable[[Tensor], Tensor] = lambda table: table / table.sum(),
    marginals: Callable[[Tensor], tuple[Tensor, Tensor]] = (
        lambda joint: (joint.sum(-1)[:, None], joint.sum(-2)[None])
    ),
    quotient: Callable[..., Tensor] = lambda p, p_t, p_c: p / p_t / p_c,
    logarithm: Callable[[Tensor], Tensor] = torch.log,
    weight: Callable[..., Tensor] = lambda p, p_t, p_c: p,
    gather: Callable[[Tensor], Any] = lambda terms: terms.nan_to_num(0, 0, 0).sum(),
) -> Callable[[Tensor], Any]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(counts: Tensor) -> Any:
        p = joint(table(counts))
        p_t, p_c = marginals(p)
        return gather(weight(p, p_t, p_c) * logarithm(quotient(p, p_t, p_c)))

    return answer


def test_the_reader_s_information_passes_unchanged():
    assert report_on(MUTUAL_INFORMATION, informed()).passed


def occupied(terms: Tensor) -> Tensor:
    return terms[terms.isfinite()]


@pytest.mark.slow
@wrong_answers(
    {
        "other-base": [informed(logarithm=torch.log2), informed(logarithm=torch.log10)],
        "zero-cells-are-nan": [
            informed(gather=torch.sum),
            informed(gather=lambda terms: float(terms.sum())),
        ],
        "mean-over-cells": [
            informed(weight=lambda *p: 1, gather=lambda terms: occupied(terms).mean()),
            informed(weight=lambda *p: 1, gather=lambda terms: occupied(terms).sum()),
        ],
        "conditional-for-joint-weight": [
            informed(weight=lambda p, p_t, p_c: p / p_c),
            informed(weight=lambda p, p_t, p_c: p / p_t),
        ],
        "weighted-by-chance": [
            informed(weight=lambda p, p_t, p_c: p_t * p_c),
            informed(weight=lambda p, p_t, p_c: p_t * p_c, gather=torch.sum),
        ],
        "nothing-divided": [
            informed(quotient=lambda p, p_t, p_c: p),
            informed(quotient=lambda p, p_t, p_c: p, gather=lambda terms: -terms.nansum()),
        ],
        "one-marginal-missing": [
            informed(quotient=lambda p, p_t, p_c: p / p_t),
            informed(quotient=lambda p, p_t, p_c: p / p_c),
        ],
        "what-is-left": informed(
            quotient=lambda p, p_t, p_c: p / p_c, gather=lambda terms: -terms.nansum()
        ),
        "nothing-subtracted": informed(
            quotient=lambda p, p_t, p_c: p_t + 0 * p_c, gather=lambda terms: -terms.nansum()
        ),
        "sign-turned": [
            informed(quotient=lambda p, p_t, p_c: p_t * p_c / p),
            informed(gather=lambda terms: -terms.nansum()),
        ],
        "below-chance-dropped": [
            informed(gather=lambda terms: terms.nan_to_num(0).clamp(min=0).sum()),
            informed(gather=lambda terms: terms[terms > 0].sum()),
            informed(gather=lambda terms: terms.nan_to_num(0).abs().sum()),
        ],
        "equal-rows": informed(
            joint=lambda table: (
                (table / table.sum(1, keepdim=True)).nan_to_num(0) / (table.sum(1) > 0).sum()
            )
        ),
        "counts-smoothed": [
            informed(table=lambda table: table + 1),
            informed(table=lambda table: table + 1e-3),
        ],
        "marginals-on-other-axes": [
            informed(marginals=lambda joint: (joint.sum(0)[:, None], joint.sum(1)[None])),
            informed(marginals=lambda joint: (joint.sum(1), joint.sum(0))),
        ],
    }
)
def test_a_slip_of_the_information_is_named(wrong, mistake: str):
    assert named(MUTUAL_INFORMATION, wrong) == mistake


def entropy(counts: Tensor) -> Tensor:
    p = counts.flatten()[counts.flatten() > 0] / counts.sum()
    return -(p * p.log()).sum()


def averaged_alike(table):
    """H(T) less the mean of the clusters' entropies, a cluster that never occurs left out."""
    within = [entropy(column) for column in table.T if column.sum()]
    return entropy(table.sum(1)) - sum(within) / len(within)


def by_pearson(table):
    labels, clusters = table.nonzero().unbind(1)
    counts = table[labels, clusters]
    pairs = torch.stack([labels, clusters]).double()
    covariance = torch.cov(pairs, fweights=counts, correction=0)
    return covariance[0, 1] / (covariance[0, 0] * covariance[1, 1]).sqrt()


def corrected(table):
    """Miller and Madow's correction for few examples, which the statement rules out."""
    rows, columns = (table.sum(1) > 0).sum(), (table.sum(0) > 0).sum()
    cells = (table > 0).sum()
    return mutual_information(table) - (cells - rows - columns + 1) / (2 * table.sum())


def turned_round(table):
    return torch.copysign(torch.tensor(mutual_information(table)), by_pearson(table))


@pytest.mark.slow
@wrong_answers(
    {
        "nothing-subtracted": [
            lambda table: entropy(table.sum(1)),
            lambda table: entropy(table.sum(1)) + entropy(table.sum(0)),
        ],
        "nothing-divided": entropy,
        "what-is-left": lambda table: entropy(table) - entropy(table.sum(0)),
        "sign-turned": lambda table: entropy(table) - entropy(table.sum(0)) - entropy(table.sum(1)),
        "clusters-averaged-alike": averaged_alike,
        "counts-as-weights": lambda table: table.sum() * mutual_information(table),
        "other-base": lambda table: mutual_information(table) / log(2),
        "share-of-an-entropy": [
            lambda table: mutual_information(table) / entropy(table.sum(1)),
            lambda table: (
                2 * mutual_information(table) / (entropy(table.sum(0)) + entropy(table.sum(1)))
            ),
        ],
        "bias-corrected": [
            corrected,
            lambda table: (
                mutual_info_score(None, None, contingency=table.numpy())
                - (table.shape[0] - 1) * (table.shape[1] - 1) / (2 * float(table.sum()))
            ),
        ],
        "relation-with-a-sign": [by_pearson, lambda table: float(by_pearson(table).nan_to_num(0))],
    }
)
def test_a_slip_with_entropies_or_correlations_is_named(wrong, mistake: str):
    assert named(MUTUAL_INFORMATION, wrong) == mistake


def written_out(table):
    """Loops in which a cell of zero raises."""
    n = table.sum().item()
    return sum(
        table[t, c].item() / n
        * log(table[t, c].item() * n / (table[t].sum().item() * table[:, c].sum().item()))
        for t in range(table.shape[0])
        for c in range(table.shape[1])
    )  # fmt: skip


def normalised_by_sklearn(table):
    labels, clusters = examples_of(table.clamp(max=100))
    return normalized_mutual_info_score(labels, clusters)


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer, sentence",
    [
        (written_out, "math domain error"),
        (lambda table: mutual_information(table) ** 2, "The number differs by"),
        (lambda table: entropy(table.sum(1)) - entropy(table.sum(0)), "The number differs by"),
        (lambda table: torch.tensor([mutual_information(table)]), "has shape (1,), expected ()"),
        (lambda table: (table / table.sum()).numpy(), "It returned a NumPy array"),
        (lambda table: mutual_information(table) > 0, "expected a number"),
        (lambda table: torch.tensor(torch.nan), "The result is NaN, where a number is expected."),
        (lambda table: torch.tensor(True), "It returned a tensor, expected a number."),
        (lambda table: {"nats": mutual_information(table)}, "type dict"),
    ],
)  # fmt: skip
def test_another_number_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(MUTUAL_INFORMATION, answer, sentence)


def test_a_perfect_negative_relation_has_all_the_information():
    # S0's reading of it: a relation that is negative would have little
    crossed = MUTUAL_INFORMATION.cases[1].inputs["table"]
    assert by_pearson(crossed) == pytest.approx(-1)
    assert mutual_information(crossed) == pytest.approx(float(entropy(crossed.sum(1))))
    assert named(MUTUAL_INFORMATION, turned_round) == "relation-with-a-sign"


@pytest.mark.parametrize("kind", [float, torch.tensor, np.float64, np.float32])
def test_a_number_of_any_kind_passes(kind: Callable[[float], Any]):
    assert report_on(MUTUAL_INFORMATION, lambda table: kind(mutual_information(table))).passed
