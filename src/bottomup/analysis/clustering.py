"""Lloyd's k-means in torch, a chunk of points at a time, on any device."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.analysis.samples import check_finite, permutation
from bottomup.checks import check_integer, checked
from bottomup.training.device import widest

ROWS_PER_CLUSTER = 25


class Clusters(NamedTuple):
    """Centres, and the number of the nearest one for each point.

    `assigned` runs from 0 to clusters - 1. Not every number has to occur.
    """

    centres: Float[Tensor, "cluster d_point"]
    assigned: Int64[Tensor, " point"]


def kmeans(
    points: Float[Tensor, "point d_point"],
    clusters: int,
    *,
    generator: torch.Generator,
    iterations: int = 5,
    sample: int | None = None,
    start: Float[Tensor, "cluster d_point"] | None = None,
    chunk: int = 4096,
) -> Clusters:
    """Group points by Lloyd's k-means: assign to the nearest centre, average.

    ``minimise over centres m: sum_n min_k ||x_n - m_k||^2``, by `iterations`
    rounds of ``a_n = argmin_k ||x_n - m_k||`` and
    ``m_k = mean of the x_n with a_n = k``

    The centres are fitted to a random sample of the points and then every point
    is assigned. They start at random points of the sample. Starting with
    k-means++ adds .1 to .2 nats to the mutual information read from clusters of
    the states of small networks; compare only values of one kind of start.

    Clusters without points take the points farthest from their own centres, as
    in scikit-learn, or stay where they are if no point lies off its centre. Of
    equally near centres the first counts. The features are not standardised.

    Beyond `points`, the memory is that of `chunk` times `clusters` distances,
    `chunk` points and the centres: 164 MB for 10,000 clusters in float32.

    Args:
        points: vectors, on any device. Below float64, distances are computed in
            float32.
        clusters: number K of clusters.
        generator: draws the sample and the start, on its own device.
        iterations: rounds of assigning and averaging.
        sample: how many points to fit the centres to, 25 K by default; all if
            there are fewer.
        start: the centres to start from, in place of random points.
        chunk: how many points are held against the centres at a time.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in
    the Transformer", for clusters as a reading of mutual information; sample,
    iterations and start are our choice. Chapter 08 derives it.

    Example:
        >>> points = torch.tensor([[0.0], [2.0], [10.0], [12.0]])
        >>> start = torch.tensor([[0.0], [10.0]])
        >>> generator = torch.Generator().manual_seed(0)
        >>> kmeans(points, 2, generator=generator, start=start)
        Clusters(centres=tensor([[ 1.],
                [11.]]), assigned=tensor([0, 0, 1, 1]))
    """
    check_integer("clusters", clusters, at_least=1)
    check_integer("iterations", iterations, at_least=1)
    check_integer("chunk", chunk, at_least=1)
    chunk = int(chunk)  # torch takes no other
    sample = ROWS_PER_CLUSTER * clusters if sample is None else sample
    check_integer("sample", sample, at_least=clusters)
    _check_points(points, clusters, start, chunk)
    points = points.detach()
    order = permutation(len(points), generator).to(points.device)[:sample]
    rows = _centred(points, order, chunk)
    centres = points[order[:clusters]] if start is None else start.detach()
    centres = centres.to(rows.middle.dtype) - rows.middle
    for _round in range(iterations):
        assigned = _nearest(rows, centres)  # a_n [row]
        assigned = _relocated(rows, assigned, centres)
        centres = _means(rows, assigned, centres)  # m_k [cluster, d_point]
    every = replace(rows, rows=torch.arange(len(points), device=points.device))
    return Clusters(centres + rows.middle, _nearest(every, centres))


@dataclass(frozen=True)
class _Rows:
    """Some rows of `points`, less `middle`, to be read a chunk at a time."""

    points: Tensor
    rows: Tensor
    middle: Tensor
    chunk: int

    def __iter__(self) -> Iterator[Tensor]:
        for part in self.rows.split(self.chunk):
            yield self.points[part].to(self.middle.dtype) - self.middle

    def beside(self, assigned: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """Return each chunk [row, d_point] with its part of `assigned`."""
        return zip(self, assigned.split(self.chunk), strict=True)


def _centred(points: Tensor, rows: Tensor, chunk: int) -> _Rows:
    """Take off the mean: large squared lengths lose digits in float32."""
    total = points.new_zeros(points.shape[1], dtype=widest(points.device))
    for part in rows.split(chunk):
        total += points[part].to(total.dtype).sum(0)
    working = torch.float64 if points.dtype == torch.float64 else torch.float32
    return _Rows(points, rows, (total / len(rows)).to(working), chunk)


def _nearest(rows: _Rows, centres: Tensor) -> Tensor:
    """Return ``argmin_k (||m_k||^2 / 2 - x m_k)``, the nearest centre."""
    half = (centres * centres).sum(1) / 2  # [cluster]
    assigned = torch.empty_like(rows.rows)
    for x, own in rows.beside(assigned):
        # In place: [row, cluster] is the largest tensor.
        distances = (x @ centres.T).neg_().add_(half)
        own.copy_(distances.min(dim=1).indices)
    return assigned


def _relocated(rows: _Rows, assigned: Tensor, centres: Tensor) -> Tensor:
    """Give each empty cluster one of the points farthest from their centres."""
    counts = torch.bincount(assigned, minlength=len(centres))
    empty = (counts == 0).nonzero().flatten()
    if not len(empty):
        return assigned
    away = [
        (x - centres[own]).square().sum(1) for x, own in rows.beside(assigned)
    ]
    farthest = torch.cat(away).topk(len(empty))
    moved = farthest.indices[farthest.values > 0]
    return assigned.index_copy(0, moved, empty[: len(moved)])


def _means(rows: _Rows, assigned: Tensor, centres: Tensor) -> Tensor:
    """Average in float64: neither many points nor chunks cost digits."""
    sums = torch.zeros_like(centres, dtype=widest(centres.device))
    for x, own in rows.beside(assigned):
        sums.index_add_(0, own, x.to(sums.dtype))
    counts = torch.bincount(assigned, minlength=len(centres))[:, None]
    means = (sums / counts.clamp(min=1)).to(centres.dtype)
    return torch.where(counts > 0, means, centres)


@checked
def _check_points(
    points: Float[Tensor, "point d_point"],
    clusters: int,
    start: Float[Tensor, "cluster d_point"] | None,
    chunk: int,
) -> None:
    """Check the vectors; `kmeans` itself takes a generator from elsewhere."""
    if len(points) < clusters:
        raise ValueError(
            f"points: expected at least {clusters} points for {clusters} "
            f"clusters, got {len(points)}"
        )
    check_finite("points", points)
    if not any((x != points[0]).any() for x in points.split(chunk)):
        raise ValueError(
            f"points: expected points that differ, got {len(points)} times the "
            "same vector: every feature is constant"
        )
    if start is not None:
        if len(start) != clusters:
            raise ValueError(
                f"start: expected {clusters} centres, got {len(start)}"
            )
        check_finite("start", start)
