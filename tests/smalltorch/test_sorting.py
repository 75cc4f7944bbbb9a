"""Order, the largest few, the different ones, counts and searches: as torch's."""

from typing import Any

import pytest
import torch

from tests.smalltorch.both import Lines, same, whole

pytestmark = pytest.mark.filterwarnings("ignore:.*non-contiguous")


FORMS: list[Lines] = [
    lambda torch, x: tuple(x.sort()),
    lambda torch, x: tuple(x.sort(0, descending=True)),
    lambda torch, x: tuple(torch.sort(x, dim=1, stable=True, descending=True)),
    lambda torch, x: (x.argsort(), x.argsort(0, True), x.argsort(stable=True)),
    lambda torch, x: tuple(x.topk(2)),
    lambda torch, x: tuple(x.topk(3, 0, largest=False)),
    lambda torch, x: tuple(torch.topk(x, k=1, dim=-1)),
    lambda torch, x: x.topk(0).values,
]


@pytest.mark.parametrize("lines", FORMS)
def test_values_and_gradients(lines: Lines) -> None:
    same(lines, whole(3, 5), gradients=True)
    same(lines, whole(5, 3).T, gradients=True)
    same(lines, whole(3, 5, high=1000).float())
    same(lines, whole(3, 5).long())


@pytest.mark.parametrize("size", [16, 17, 40, 131, 700])
@pytest.mark.parametrize("high", [2, 5, 100])
def test_order_of_equals(size: int, high: int) -> None:
    def lines(torch: Any, x: Any) -> Any:
        found = [x.argsort(0), x.argsort(0, descending=True), x.sort(dim=0, stable=True).indices]
        for count in (1, 2, 5, 16):
            found += [x.topk(count, 0).indices, x.topk(count, 0, largest=False).indices]
        return found

    same(lines, whole(size, 3, high=high))


def test_nan_is_the_largest() -> None:
    x = torch.tensor([[1.0, torch.nan, -torch.inf, 2], [torch.nan, 0, torch.nan, torch.inf]])
    same(lambda torch, x: (*x.sort(), *x.sort(descending=True), *x.topk(2)), x)
    same(lambda torch, x: (x.unique(), torch.unique(x, return_counts=True)[1]), x)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.unique(),
        lambda torch, x: torch.unique(x, return_inverse=True, return_counts=True),
        lambda torch, x: x.unique(dim=0, return_inverse=True, return_counts=True),
        lambda torch, x: x.unique(dim=1),
        lambda torch, x: (x > 0).unique(),
        lambda torch, x: x.long().flatten().bincount(),
        lambda torch, x: x.long().flatten().bincount(minlength=9),
        lambda torch, x: x.long()[0].bincount(weights=x[1]),
        lambda torch, x: x.long()[0].bincount(x.long()[1]),
        lambda torch, x: torch.searchsorted(x[0].sort().values, x),
        lambda torch, x: torch.searchsorted(x.sort().values, x, right=True),
        lambda torch, x: torch.searchsorted(x[0].sort().values, 1.5, side="right"),
        lambda torch, x: torch.bucketize(x, torch.tensor([1.0, 2.0], dtype=x.dtype)),
        lambda torch, x: torch.bucketize(x, torch.tensor([1, 2]), right=True, out_int32=True),
        lambda torch, x: torch.bucketize(x / 0, torch.tensor([1.0, 2.0], dtype=x.dtype)),
    ],
)
def test_the_different_ones_counts_and_searches(lines: Lines) -> None:
    same(lines, whole(5, 3))
    same(lines, whole(3, 5).T)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.topk(7),
        lambda torch, x: x.topk(-1),
        lambda torch, x: (x > 0).topk(1),
        lambda torch, x: x.sort(3),
        lambda torch, x: x.bincount(),
        lambda torch, x: x.long().bincount(),
        lambda torch, x: (x.long()[0] - 9).bincount(),
        lambda torch, x: x.long()[0].bincount(weights=x),
        lambda torch, x: torch.searchsorted(x.sort().values, x[:1]),
        lambda torch, x: torch.searchsorted(x[0], x, side="left", right=True),
        lambda torch, x: torch.searchsorted(x[0], x, side="up"),
        lambda torch, x: torch.bucketize(x, x),
    ],
)
def test_errors(lines: Lines) -> None:
    same(lines, whole(2, 3))


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: torch.sort(x, True),
        lambda torch, x: x.argsort(True),
        lambda torch, x: x.sort(-1, descending=1),
        lambda torch, x: x.argsort(1, True, True),
        lambda torch, x: x.sort(0, stable=True),
        lambda torch, x: x.argsort(-1, stable=True),
        lambda torch, x: x.topk(2.0),
        lambda torch, x: torch.bucketize(x, [1.0]),
    ],
)
def test_calls_that_torch_has_not(lines: Lines) -> None:
    def kind_of_error(module: Any, x: Any) -> str:
        try:
            return repr(lines(module, x))
        except TypeError as error:
            return type(error).__name__

    same(kind_of_error, whole(2, 3))


def test_nothing_and_no_axes() -> None:
    def lines(torch: Any, x: Any) -> Any:
        nothing, number = torch.zeros(2, 0), torch.tensor(3.0)
        return (
            tuple(nothing.sort()), nothing.argsort(0), tuple(torch.zeros(0, 2).topk(1)),
            torch.zeros(0).unique(), torch.zeros(0).histc(2), tuple(number.sort()),
            tuple(number.topk(1)), torch.zeros(0, dtype=torch.int64).bincount(),
        )  # fmt: skip
