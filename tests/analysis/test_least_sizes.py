"""The least numbers that the instruments take."""

from functools import partial

import pytest
import torch

from bottomup import analysis as A
from tests import least
from tests.drawn import randn, seeded

COUNT = 67
X, LABELS, SENTENCES = randn(COUNT, 3), torch.arange(COUNT) % 2, torch.arange(COUNT)
DRAWN = {"generator": seeded()}
SPLIT = {"features": X, "labels": LABELS, "test_features": X, "test_labels": LABELS}
STATES = A.TokenStates((X,), LABELS, SENTENCES, SENTENCES)
LEAST = [
    (partial(A.kmeans, X, **DRAWN), {"clusters": 1, "iterations": 1, "sample": 1, "chunk": 1}),
    (partial(A.accessible_information, X, LABELS, SENTENCES, clusters=2), {"types": 1, "seed": 0}),
    (partial(A.most_frequent, LABELS), {"k": 1}),
    (partial(A.shuffled_information, LABELS, LABELS, **DRAWN), {"shuffles": 1}),
    (partial(A.information_spread, LABELS, LABELS, SENTENCES, **DRAWN), {"draws": 2}),
    (partial(A.same_token_neighbours, X, LABELS, **DRAWN), {"k": 1, "queries": 1}),
    (partial(A.neighbour_position_distance, X, LABELS, SENTENCES, **DRAWN),
     {"k": 1, "types": 1, "per_type": 2}),
    (partial(A.nearest_types, X, X, LABELS), {"k": 1}),
    (partial(A.linear_probe, **SPLIT), {"classes": 2, "shuffles": 1, "seed": 0}),
    (partial(A.shuffled_pwcca, X, X, **DRAWN, few_samples="allow"), {"draws": 1}),
    (partial(A.random_mean_max_cosine, true=torch.eye(3)), {"count": 3, "draws": 1, "seed": 0}),
    (partial(A.report_on_states, STATES), {"clusters": 1, "types": 1, "k": 1, "seed": 0}),
    (partial(A.margin_by_share, shares=[0.25]), {"symbols": 2}),
    (partial(A.one_head_margin, w_a=0.5, w_b=0.5), {"symbols": 2}),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::bottomup.analysis.FewSamplesWarning")
@pytest.mark.parametrize("make, numbers", LEAST)
def test_the_least_numbers_are_taken_and_one_less_is_refused(make, numbers):
    least.holds(make, **numbers)
