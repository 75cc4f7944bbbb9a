"""Lloyd's k-means: by hand, against scikit-learn, empty clusters, bad input."""

import math

import pytest
import torch
from sklearn.cluster import KMeans

from bottomup.analysis import Clusters, kmeans
from tests.drawn import randn, seeded


def column(*values):
    return torch.tensor(values, dtype=torch.float64)[:, None]


def scikit_learn(points, start, iterations):
    model = KMeans(
        len(start), init=start.numpy(), n_init=1, max_iter=iterations, tol=0, algorithm="lloyd"
    ).fit(points.numpy())
    return torch.from_numpy(model.cluster_centers_), torch.from_numpy(model.labels_).long()


@pytest.mark.parametrize("iterations", [1, 2, 5, 17])
def test_it_agrees_with_scikit_learn_from_the_same_start(iterations):
    points = randn(509, 7, seed=1)
    start = points[:23].clone()
    ours = kmeans(points, 23, start=start, iterations=iterations, generator=seeded())
    centres, assigned = scikit_learn(points, start, iterations)
    torch.testing.assert_close(ours.centres, centres, rtol=0, atol=1e-12)
    assert torch.equal(ours.assigned, assigned)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_agrees_with_scikit_learn_where_clusters_are_empty(seed):
    points = randn(211, 5, seed=seed)
    far = 50 + randn(4, 5, seed=seed + 10)  # four centres that no point is near to
    start = torch.cat([points[:13], far])
    one = kmeans(points, 17, start=start, iterations=1, generator=seeded())
    ours = kmeans(points, 17, start=start, iterations=3, generator=seeded())
    for result, rounds in ((one, 1), (ours, 3)):
        centres, assigned = scikit_learn(points, start, rounds)
        torch.testing.assert_close(result.centres, centres, rtol=0, atol=1e-12)
        assert torch.equal(result.assigned, assigned)
    assert len(ours.assigned.unique()) == 17


def test_an_empty_cluster_takes_the_farthest_point_by_hand():
    points, start = column(0, 1, 3, 10), column(1, 1000)
    result = kmeans(points, 2, start=start, iterations=1, generator=seeded())
    # every point belongs to 1; 10 is farthest, and leaves 0, 1, 3 behind
    assert result.centres.flatten().tolist() == pytest.approx([4 / 3, 10], abs=1e-12)
    assert result.assigned.tolist() == [0, 0, 0, 1]


def test_with_fewer_different_points_than_clusters_some_stay_empty():
    points = column(*[2.0] * 5, *[7.0] * 3)
    result = kmeans(points, 4, iterations=5, generator=seeded())
    assert len(result.assigned.unique()) == 2
    assert len(set(result.assigned[:5].tolist())) == len(set(result.assigned[5:].tolist())) == 1
    torch.testing.assert_close(result.centres[result.assigned], points)


def test_a_cluster_stays_empty_where_no_point_lies_off_its_centre():
    points, start = column(2, 2, 2, 7), column(2, 7, 500)
    result = kmeans(points, 3, start=start, generator=seeded())
    assert result.centres.flatten().tolist() == pytest.approx([2, 7, 500], abs=1e-12)
    assert result.assigned.tolist() == [0, 0, 0, 1]


def test_each_point_has_the_nearest_centre_and_the_start_is_random_points():
    points = randn(307, 5, seed=1)
    result = kmeans(points, 11, generator=seeded(2))
    assert isinstance(result, Clusters)
    assert torch.equal(result.assigned, torch.cdist(points, result.centres).argmin(1))
    order = torch.randperm(307, generator=seeded(2))
    start = points[order[:11]]  # the sample holds 11 * 25 = 275 of 307 points
    drawn = kmeans(points[order[:275]], 11, start=start, sample=307, generator=seeded(3))
    torch.testing.assert_close(drawn.centres, result.centres)


def test_the_sample_bounds_what_the_centres_are_fitted_to():
    points = randn(307, 5, seed=1)
    order = torch.randperm(307, generator=seeded(2))
    changed = points.clone()
    changed[order[53:]] += 3 * randn(254, 5, seed=4)
    results = [kmeans(x, 7, sample=53, generator=seeded(2)) for x in (points, changed)]
    assert torch.equal(results[0].centres, results[1].centres)
    assert len(results[1].assigned) == 307
    everything = [kmeans(x, 7, sample=307, generator=seeded(2)) for x in (points, changed)]
    assert not torch.allclose(everything[0].centres, everything[1].centres)


def test_a_common_shift_costs_no_digits_in_float32():
    # multiples of 1/64 below 16 are exact in float32 beside 4096, their squares are not
    points = (randn(509, 7, seed=1) * 64).round() / 64
    near = kmeans(points.float(), 23, generator=seeded())
    far = kmeans(points.float() + 4096, 23, generator=seeded())
    assert torch.equal(far.assigned, near.assigned)
    torch.testing.assert_close(far.centres - 4096, near.centres, rtol=0, atol=1e-3)


def test_the_result_is_the_generator_s_alone_and_has_no_gradient():
    points = randn(211, 5, seed=1).requires_grad_()
    before = torch.get_rng_state()
    one, two = (kmeans(points, 7, generator=seeded(3)) for _ in range(2))
    assert torch.equal(one.assigned, two.assigned) and torch.equal(one.centres, two.centres)
    assert not one.centres.requires_grad
    other = kmeans(points, 7, generator=seeded(4))
    assert not torch.equal(other.assigned, one.assigned)
    assert torch.equal(torch.get_rng_state(), before)


BAD = torch.arange(15.0).reshape(5, 3)
NAN, INFINITE = BAD.clone(), BAD.clone()
NAN[4, 1], INFINITE[3, 2] = math.nan, -math.inf


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"clusters": 7}, ValueError, "points: expected at least 7 points for 7 clusters, got 5"),
        ({"points": NAN, "chunk": 2}, ValueError, "points: expected finite numbers, got nan"),
        ({"points": torch.full((5, 3), 2.5), "chunk": 2}, ValueError, "points: expected points"),
        ({"start": BAD[:3]}, ValueError, "start: expected 2 centres, got 3"),
        ({"start": BAD[:2, :2]}, ValueError, r"start: expected axes \[cluster, d_point=3\], got"),
        ({"start": NAN[3:]}, ValueError, "start: expected finite numbers, got nan"),
    ],
)
def test_bad_input_is_refused(change, error, message):
    options = {"points": BAD, "clusters": 2, "generator": seeded(), **change}
    with pytest.raises(error, match=message):
        kmeans(options.pop("points"), options.pop("clusters"), **options)


def test_points_that_differ_in_one_chunk_alone_do_differ():
    result = kmeans(column(2, 2, 2, 7, 2, 2), 2, chunk=2, generator=seeded())
    assert sorted(result.centres.flatten().tolist()) == pytest.approx([2, 7], abs=1e-12)
