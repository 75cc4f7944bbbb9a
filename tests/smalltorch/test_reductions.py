"""Sums, means, variances, truth and norms: as torch's."""

import pytest
import torch

from tests.smalltorch.both import Lines, kind_of_error, normal, same, twice

# torch warns where a variance has nothing left to divide by
pytestmark = pytest.mark.filterwarnings("ignore:.*degrees of freedom")

NAN, INF = float("nan"), float("inf")


FORMS: list[Lines] = [
    lambda torch, x: x.sum(),
    lambda torch, x: x.sum(0),
    lambda torch, x: x.sum(1, keepdim=True),
    lambda torch, x: x.sum((0, -1)),
    lambda torch, x: x.sum([1, 2], True),
    lambda torch, x: x.sum(()),
    lambda torch, x: x.sum(None, True),
    lambda torch, x: x.sum(axis=-1, keepdims=True),
    lambda torch, x: torch.sum(x, -2, dtype=torch.float32),
    lambda torch, x: x.mean(),
    lambda torch, x: x.mean((0, 2)),
    lambda torch, x: x.mean(-1, keepdim=True),
    lambda torch, x: x.prod(),
    lambda torch, x: x.prod(1),
    lambda torch, x: x.var(),
    lambda torch, x: x.var(False),
    lambda torch, x: x.var(0, False, True),
    lambda torch, x: x.var((1, 2), correction=0),
    lambda torch, x: x.std(-1, unbiased=False),
    lambda torch, x: x.std(0),
    lambda torch, x: torch.std_mean(x, 1, keepdim=True),
    lambda torch, x: torch.var_mean(x, dim=-1, correction=0),
    lambda torch, x: x.logsumexp(-1),
    lambda torch, x: torch.logsumexp(x, (0, 2), keepdim=True),
    lambda torch, x: x.nansum(1),
    lambda torch, x: x.norm(),
    lambda torch, x: x.norm(dim=1, keepdim=True),
    lambda torch, x: x.norm(1, -1),
    lambda torch, x: x.norm(p=3, dim=(0, 1)),
    lambda torch, x: x.norm(INF, 0),
    lambda torch, x: x.norm(-INF, 2),
    lambda torch, x: x.norm(1.5, 0),
    lambda torch, x: x[0].T.cov(),
    lambda torch, x: torch.cov(x[0], correction=0),
]


@pytest.mark.parametrize("lines", FORMS)
def test_values_and_gradients(lines: Lines) -> None:
    same(lines, normal(3, 5, 2), gradients=True)
    same(lines, normal(2, 3, 5).permute(1, 2, 0), gradients=True)
    same(lines, normal(3, 5, 2, dtype=torch.float32), limit=1e-5)


@pytest.mark.parametrize("lines", FORMS[:-3])
@pytest.mark.parametrize("shape", [(0, 5, 2), (3, 0, 2), (3, 5, 0)])
def test_nothing(lines: Lines, shape: tuple[int, ...]) -> None:
    if "INF" not in lines.__code__.co_names:  # a largest of nothing is refused in other words
        same(lines, torch.zeros(shape))


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: (x.sum(), x.sum(0), x.prod(), x.prod(0)),
        lambda torch, x: x.float().sum(0, dtype=torch.int64),
        lambda torch, x: (x.all(), x.all(0), x.all((0, 1)), x.any(-1, keepdim=True), x.any()),
        lambda torch, x: (x.count_nonzero(), x.count_nonzero(1), x.count_nonzero((0, 1))),
        lambda torch, x: x.logsumexp(1),
        lambda torch, x: x.all(keepdim=True),
    ],
)
@pytest.mark.parametrize("kind", [torch.bool, torch.int64, torch.uint8, torch.float16])
def test_other_dtypes(lines: Lines, kind: torch.dtype) -> None:
    same(lines, torch.tensor([[1, 0, 1], [1, 3, 2]]).to(kind))


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.sum(keepdim=True),
        lambda torch, x: x.mean(keepdim=True),
        lambda torch, x: x.sum(1, 1),
        lambda torch, x: x.sum(True),
        lambda torch, x: x.sum(1.0),
        lambda torch, x: x.prod(None),
        lambda torch, x: x.prod((0, 1)),
        lambda torch, x: x.var(1, 0),
        lambda torch, x: x.var(1, correction=0, unbiased=False),
        lambda torch, x: x.var(unbiased=False, keepdim=True),
        lambda torch, x: torch.sum(x, dim=1, axis=1),
        lambda torch, x: x.logsumexp(),
        lambda torch, x: x.count_nonzero(dim=1, keepdim=True),
    ],
)
def test_calls_that_torch_has_not(lines: Lines) -> None:
    same(kind_of_error(lines), normal(2, 3))


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.sum(2),
        lambda torch, x: x.sum((0, 1, 0)),
        lambda torch, x: x.amax((0, 0)),
        lambda torch, x: x.mean(-3),
        lambda torch, x: torch.sum([x]),
        lambda torch, x: torch.mean(3.0),
        lambda torch, x: x.long().mean(),
        lambda torch, x: (x > 0).mean(1),
        lambda torch, x: x.mean(dtype=torch.int64),
        lambda torch, x: x.long().std(),
        lambda torch, x: x.long().norm(),
        lambda torch, x: x[None].cov(),
    ],
)
def test_errors(lines: Lines) -> None:
    same(lines, normal(2, 3))


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.sum(0) + x.mean() + x.var(),
        lambda torch, x: (x.logsumexp(0), x.all(), x.any(), x.prod(), x.norm(), x.nansum()),
        lambda torch, x: (x.norm(INF), x.amax(), x.std(correction=2)),
    ],
)
@pytest.mark.parametrize(
    "numbers", [[NAN, 1.0], [INF, 1.0], [-INF, -INF], [INF, -INF], [0.0, 0.0], [2.0]]
)
def test_numbers_without_bounds(lines: Lines, numbers: list[float]) -> None:
    same(lines, torch.tensor(numbers))


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.prod(),
        lambda torch, x: x.norm(),
        lambda torch, x: x.norm(1),
        lambda torch, x: x.norm(0.5),
        lambda torch, x: x.norm(INF),
        lambda torch, x: x.std(),
        lambda torch, x: x.var(correction=3),
        lambda torch, x: x.logsumexp(0),
        lambda torch, x: x.nansum(),
    ],
)
@pytest.mark.parametrize("numbers", [[0.0, 2, 3], [0.0, 0, 3], [0.0, 0, 0], [2.0, -2, -INF]])
def test_gradients_at_edges(lines: Lines, numbers: list[float]) -> None:
    same(lines, torch.tensor(numbers), gradients=True, limit=1e-6)


def test_without_axes() -> None:
    same(lambda torch, x: (x.sum(0), x.sum(-1, True), x.mean(), x.prod(0), x.norm(),
                           x.logsumexp(0), x.all(0), x.var()), torch.tensor(3.0))  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.prod(1).sum(),
        lambda torch, x: x.var(0).square().sum(),
        lambda torch, x: x.std(0).sum(),
        lambda torch, x: x.norm(dim=1).square().sum(),
        lambda torch, x: x.logsumexp(1).sum(),
        lambda torch, x: x.mean(1).square().sum(),
        lambda torch, x: x.norm(3, 1).sum(),
    ],
)
def test_second_derivatives(lines: Lines) -> None:
    same(twice(lines), normal(3, 5), limit=1e-9)
