"""What holds for any logits and any beam: nuclei, and searches against one written with loops."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.decoding import beam_search, keep_top_k, keep_top_p
from tests.decoding.markov import Markov, plain_beam, random_table, source_of
from tests.properties.strategies import seeds

numbers = st.floats(min_value=-30, max_value=30)
logits = st.lists(numbers, min_size=1, max_size=9).map(lambda row: torch.tensor(row).double())


@settings(max_examples=100)
@given(row=logits, p=st.floats(min_value=1e-6, max_value=1 - 1e-6))
def test_the_nucleus_is_the_smallest_set_that_reaches_p(row, p):
    kept = keep_top_p(row, p).isfinite()
    probabilities = row.softmax(dim=-1)
    inside = probabilities[kept].sort().values
    assert inside.sum() >= p - 1e-12
    assert inside[1:].sum() < p + 1e-12  # not without the least likely of them
    assert (probabilities[~kept] <= inside[0]).all()


@settings(max_examples=100)
@given(row=logits, k=st.integers(min_value=1, max_value=11))
def test_top_k_keeps_k_and_none_outside_is_larger(row, k):
    kept = keep_top_k(row, k).isfinite()
    assert kept.sum() == min(k, len(row))
    assert (row[~kept] <= row[kept].min()).all()


@settings(max_examples=60)
@given(
    seed=seeds,
    size=st.integers(min_value=4, max_value=7),
    beam=st.integers(min_value=1, max_value=9),
    steps=st.integers(min_value=1, max_value=6),
    alpha=st.floats(min_value=0, max_value=3),
    scale=st.floats(min_value=0.1, max_value=4),
    rows=st.lists(
        st.lists(st.integers(min_value=4, max_value=9), min_size=1, max_size=3),
        min_size=1,
        max_size=3,
    ),
)
def test_a_batched_search_that_stops_is_the_plain_one_that_does_not(
    seed, size, beam, steps, alpha, scale, rows
):
    model = Markov(random_table(size, seed, scale), varied=True)
    decoded = beam_search(
        model, *source_of(*rows), beam=beam, max_length=steps, length_penalty=alpha, n_best=beam
    )
    for row, source in enumerate(rows):
        expected = plain_beam(model, source, beam=beam, steps=steps, alpha=alpha)[:beam]
        assert decoded.to_lists()[row] == [tokens for _, tokens in expected]
        found = decoded.scores[row, : len(expected)].tolist()
        assert found == pytest.approx([score for score, _ in expected], abs=1e-10)
