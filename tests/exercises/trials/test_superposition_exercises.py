"""How much of a dimension a feature has: shares, the library's, and infinity in a comparison."""

import pytest
import torch

from bottomup import analysis
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine

FEATURE_DIMENSIONS = catalog()["feature-dimensions"]


@pytest.mark.parametrize("case", FEATURE_DIMENSIONS.cases, ids=lambda case: case.name)
def test_dimensions_are_shares_that_fit_into_the_space(case):
    W = case.inputs["W"]
    shares = FEATURE_DIMENSIONS.solution(W)
    assert shares.min() >= 0
    assert shares.max() <= 1 + 2 * torch.finfo(W.dtype).eps + 1e-5
    assert shares.sum() <= torch.linalg.matrix_rank(W.float()) + 1e-4


def test_the_library_s_dimensions_pass():
    assert examine(FEATURE_DIMENSIONS, analysis.feature_dimensions).passed


def test_zero_stands_for_infinity_only_where_infinity_is_expected():
    case = FEATURE_DIMENSIONS.cases[0]
    endless, some = torch.tensor([torch.inf, 0.5]), torch.tensor([0.0, 0.5])
    assert FEATURE_DIMENSIONS.compare(some, endless, case) is None
    assert FEATURE_DIMENSIONS.compare(endless, some, case) is not None
    assert FEATURE_DIMENSIONS.compare(some.double(), endless, case) is not None
    assert FEATURE_DIMENSIONS.compare(torch.zeros(2, dtype=torch.int64), endless, case) is not None
