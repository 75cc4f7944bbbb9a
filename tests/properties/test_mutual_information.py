"""What holds for every pair of labellings, and for clusters of any points."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.analysis import (
    accessible_information,
    entropy,
    held_out_information,
    information_spread,
    kmeans,
    most_frequent,
    plug_in_information,
    shuffled_information,
    split_by_sentence,
)
from tests.drawn import seeded
from tests.properties.strategies import seeds

counts = st.integers(min_value=3, max_value=53)
kinds = st.integers(min_value=1, max_value=7)
each = settings(max_examples=40)


def labels(seed: int, count: int, kind: int) -> Tensor:
    return torch.randint(kind, (count,), generator=seeded(seed))


@each
@given(seeds, counts, kinds, kinds)
def test_information_lies_between_nothing_and_either_entropy(seed, count, types, clusters):
    t, c = labels(seed, count, types), labels(seed + 1, count, clusters)
    value = plug_in_information(t, c)
    assert -1e-12 < value < min(entropy(t), entropy(c)) + 1e-12
    assert value == pytest.approx(plug_in_information(c, t), abs=1e-12)
    joint = entropy(t * 11 + c)
    assert value == pytest.approx(entropy(t) + entropy(c) - joint, abs=1e-12)


@each
@given(seeds, counts, kinds, kinds)
def test_names_and_order_change_nothing(seed, count, types, clusters):
    t, c = labels(seed, count, types), labels(seed + 1, count, clusters)
    value = plug_in_information(t, c)
    names = torch.randperm(97, generator=seeded(seed + 2))
    order = torch.randperm(count, generator=seeded(seed + 3))
    assert plug_in_information(t, names[c]) == pytest.approx(value, abs=1e-12)
    assert plug_in_information(names[t], c) == pytest.approx(value, abs=1e-12)
    assert plug_in_information(t[order], c[order]) == pytest.approx(value, abs=1e-12)
    bounds = [
        held_out_information(t, x, torch.arange(count), generator=seeded(seed)).nats
        for x in (c, names[c])
    ]
    assert bounds[0] == pytest.approx(bounds[1], abs=1e-12)


@each
@given(seeds, counts, kinds, kinds)
def test_joining_clusters_adds_no_information(seed, count, types, clusters):
    t, c = labels(seed, count, types), labels(seed + 1, count, clusters)
    assert plug_in_information(t, c // 2) < plug_in_information(t, c) + 1e-12


@each
@given(seeds, counts, kinds, kinds)
def test_bound_and_null_stay_below_the_entropy(seed, count, types, clusters):
    t, c = labels(seed, count, types), labels(seed + 1, count, clusters)
    sentences = torch.arange(count) // 2 if count > 5 else torch.arange(count)
    bound = held_out_information(t, c, sentences, generator=seeded(seed))
    assert bound.entropy == pytest.approx(entropy(t), abs=1e-12)
    assert bound.nats < bound.entropy + 1e-12
    null = shuffled_information(t, c, generator=seeded(seed))
    assert -1e-12 < null < entropy(t) + 1e-12
    assert information_spread(t, c, sentences, generator=seeded(seed), draws=7) >= 0


@each
@given(seeds, counts, kinds)
def test_no_sentence_is_split_and_no_part_is_empty(seed, count, words):
    sentences = torch.arange(count * words) // words
    sentences = sentences[torch.randperm(count * words, generator=seeded(seed))]
    parts = split_by_sentence(sentences, generator=seeded(seed))
    assert set(parts.tolist()) == {0, 1, 2}
    by_sentence = parts[sentences.argsort()].view(count, words)
    assert (by_sentence == by_sentence[:, :1]).all()


@each
@given(seeds, counts, kinds, kinds)
def test_what_is_kept_is_at_least_as_frequent_as_what_is_not(seed, count, types, k):
    t = labels(seed, count, types)
    kept = most_frequent(t, k)
    n = torch.bincount(t)
    assert len(t[kept].unique()) == min(k, len(t.unique()))
    assert set(t[kept].tolist()).isdisjoint(t[~kept].tolist())
    if not kept.all():
        assert n[t[kept]].min() >= n[t[~kept]].max()


@each
@given(seeds, counts, kinds, kinds, kinds)
def test_clusters_are_the_nearest_whatever_the_chunk(seed, count, width, clusters, chunk):
    points = torch.randn(count, width, generator=seeded(seed), dtype=torch.float64)
    k = min(clusters, count)
    result = kmeans(points, k, generator=seeded(seed), chunk=chunk)
    whole = kmeans(points, k, generator=seeded(seed))
    assert torch.equal(result.assigned, whole.assigned)
    torch.testing.assert_close(result.centres, whole.centres, rtol=0, atol=1e-10)
    distance = torch.cdist(points, result.centres)
    own = distance.gather(1, result.assigned[:, None])[:, 0]
    assert (own <= distance.min(1).values + 1e-9).all()


@each
@given(seeds, counts, kinds)
def test_a_round_never_moves_points_away_from_their_centres(seed, count, clusters):
    points = torch.randn(count, 3, generator=seeded(seed), dtype=torch.float64)
    k = min(clusters, count)
    losses = []
    for rounds in (1, 2, 3, 7):
        centres, assigned = kmeans(
            points, k, generator=seeded(seed), iterations=rounds, sample=count
        )
        losses.append(float((points - centres[assigned]).square().sum()))
    assert all(after < before + 1e-9 for before, after in pairwise(losses))


@settings(max_examples=20)
@given(seeds, counts, kinds)
def test_shift_rotation_and_scale_of_all_states_change_nothing(seed, count, types):
    states = torch.randn(count, 5, generator=seeded(seed), dtype=torch.float64)
    tokens, sentences = labels(seed + 1, count, types), torch.arange(count)
    turn = torch.linalg.qr(torch.randn(5, 5, generator=seeded(seed + 2), dtype=torch.float64)).Q
    results = [
        accessible_information(x, tokens, sentences, clusters=3, types=7, seed=1)
        for x in (states, 2.5 * states @ turn + 3)
    ]
    assert tuple(results[0]) == pytest.approx(tuple(results[1]), abs=1e-9)
