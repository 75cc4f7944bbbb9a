"""Same-token neighbours, of chapter 08: rounding, the library, what a report says."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.analysis import same_token_neighbours
from bottomup.exercises import catalog
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, is_plain

NEIGHBOUR_IDENTITY = catalog()["neighbour-identity"]
neighbour_identity = NEIGHBOUR_IDENTITY.solution

EVERY = range(len(NEIGHBOUR_IDENTITY.cases))


@pytest.mark.parametrize("case", EVERY)
def test_rounding_decides_no_case(case: int):
    """The k-th neighbour is nearer than the next by more than rounding, and none is parallel."""
    states, _tokens, real, k = NEIGHBOUR_IDENTITY.cases[case].inputs.values()
    unit = F.normalize(states[real].double(), dim=1)
    ordered = (unit @ unit.T).fill_diagonal_(-2).sort(descending=True).values
    assert ordered[:, 0].max() < 1 - 1e-5
    gap = ordered[:, k - 1] - ordered[:, k]
    assert gap.min() > 1e-5


@pytest.mark.parametrize("case", EVERY)
def test_the_library_counts_the_same(case: int):
    states, tokens, real, k = NEIGHBOUR_IDENTITY.cases[case].inputs.values()
    theirs = same_token_neighbours(states[real], tokens[real], k=k, generator=torch.Generator())
    assert expected_of(NEIGHBOUR_IDENTITY, case) == pytest.approx(
        (theirs.share, theirs.ceiling), abs=1e-6
    )


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_the_share_never_passes_the_ceiling(seed: int, k: int):
    generator = seeded(seed)
    states = torch.randn(3, 5, 2, generator=generator)
    tokens = torch.randint(4, 9, (3, 5), generator=generator)
    real = torch.arange(5) < torch.tensor([5, 3, 2])[:, None]
    share, ceiling = neighbour_identity(states, tokens, real, k)
    assert 0 <= share <= ceiling + 1e-6 <= 1 + 1e-6


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *inputs: neighbour_identity(*inputs)[0], "expected 2 values"),
        (lambda *inputs: [100 * x for x in neighbour_identity(*inputs)], "In share: The number"),
        (lambda x, t, real, k: neighbour_identity(x, t, real, k + 1), "In share: The number"),
        (lambda x, t, real, k: (t[real] == 5, 0.5), "In share: It returned a tensor"),
    ],
)
def test_another_count_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(NEIGHBOUR_IDENTITY, answer, sentence)
