"""Mutual information from a table, of chapter 08: the library's, what is shown, its comparison."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from bottomup.analysis import plug_in_information
from bottomup.exercises import Case, catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.show import show
from tests.exercises.trials.verdicts import is_plain

MUTUAL_INFORMATION = catalog()["mutual-information"]
mutual_information = MUTUAL_INFORMATION.solution


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


@pytest.mark.slow
@settings(max_examples=50)
@given(st.integers(1, 7), st.integers(1, 5), st.data())
def test_it_is_the_plug_in_value_of_the_examples(rows: int, columns: int, data: st.DataObject):
    counts = data.draw(st.lists(st.integers(0, 9), min_size=rows * columns,
                                max_size=rows * columns))  # fmt: skip
    counts[-1] += 1
    table = torch.tensor(counts).view(rows, columns)
    labels, clusters = table.nonzero().repeat_interleave(table[table > 0], dim=0).unbind(1)
    plug_in = plug_in_information(labels, clusters)
    assert mutual_information(table) == pytest.approx(plug_in, rel=1e-4, abs=1e-5)
    assert plug_in == pytest.approx(mutual_info_score(labels, clusters), abs=1e-9)


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda table: mutual_information(table) ** 2, "The number differs by"),
        (lambda table: torch.tensor([mutual_information(table)]), "has shape (1,), expected ()"),
        (lambda table: (table / table.sum()).numpy(), "It returned a NumPy array"),
        (lambda table: mutual_information(table) > 0, "expected a number"),
        (lambda table: torch.tensor(torch.nan), "The result is NaN, where a number is expected."),
        (lambda table: torch.tensor(True), "It returned a tensor, expected a number."),
        (lambda table: {"nats": mutual_information(table)}, "type dict"),
    ],
)
def test_another_number_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(MUTUAL_INFORMATION, answer, sentence)


@pytest.mark.parametrize("kind", [float, torch.tensor, np.float64, np.float32])
def test_a_number_of_any_kind_passes(kind: Callable[[float], Any]):
    assert examine(MUTUAL_INFORMATION, lambda table: kind(mutual_information(table))).passed
