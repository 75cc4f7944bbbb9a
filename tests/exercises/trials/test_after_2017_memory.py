"""The exercises of chapter 10 on Transformer-XL: the library does the same."""

import pytest
import torch

from bottomup.attention import relative_scores, relative_shift
from bottomup.exercises import catalog
from bottomup.models import next_memory
from tests.exercises.trials.verdicts import expected_of

MEMORY = catalog()["memory-update"]
TERMS = catalog()["four-terms"]
SHIFT = catalog()["relative-shift"]


@pytest.mark.parametrize("case", range(len(MEMORY.cases)))
def test_the_library_keeps_the_same_for_each_layer(case: int):
    memory, read, _, length = MEMORY.cases[case].fresh().inputs.values()
    kept = next_memory([m[None] for m in memory], [h[None] for h in read], length=length)
    found = expected_of(MEMORY, case)
    assert torch.equal(torch.cat(kept), getattr(found, "value", found))


def test_the_library_s_scores_are_the_exercise_s():
    query, key, _, u, v = TERMS.cases[2].fresh().inputs.values()
    n, m = query.shape[1], key.shape[1]
    distances = torch.randn(3, m, 2, generator=torch.Generator().manual_seed(9))
    place = torch.arange(m)[None] - torch.arange(n)[:, None] + n - 1  # [n, m], of the row
    r = distances[:, place.clamp(0, m - 1)]
    allowed = torch.ones(n, m).tril(m - n)
    ours = TERMS.solution(query, key, r, u, v) * allowed
    theirs = relative_scores(query, key, distances, u, v) * allowed
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize(
    "case", [n for n, case in enumerate(SHIFT.cases) if not case.wants_gradients]
)
def test_the_library_shifts_alike(case: int):
    (by_distance,) = SHIFT.cases[case].fresh().inputs.values()
    n, m = by_distance.shape
    assert torch.equal(expected_of(SHIFT, case), relative_shift(by_distance).tril(m - n))
