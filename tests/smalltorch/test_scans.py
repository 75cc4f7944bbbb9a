"""Running sums, products and extremes, and softmax: as torch's."""

import pytest
import torch

from tests.smalltorch.both import Lines, held, kind_of_error, normal, same, twice

NAN, INF = float("nan"), float("inf")


SMOOTH: list[Lines] = [
    lambda torch, x: x.cumsum(0),
    lambda torch, x: torch.cumsum(x, dim=-1),
    lambda torch, x: x.cumprod(1),
    lambda torch, x: x.logcumsumexp(1),
    lambda torch, x: x.logcumsumexp(-1),
    lambda torch, x: x.softmax(-1),
    lambda torch, x: torch.softmax(x, 1),
    lambda torch, x: x.softmax(axis=0),
    lambda torch, x: x.log_softmax(-1),
    lambda torch, x: torch.log_softmax(x, dim=1),
]
OTHERS: list[Lines] = [
    lambda torch, x: x.diff(),
    lambda torch, x: torch.diff(x, 2, 1, prepend=x[:, :1]),
    lambda torch, x: x.diff(dim=0, append=x),
    lambda torch, x: x.softmax(1, dtype=torch.float32),
    lambda torch, x: x.log_softmax(1, torch.float32),
    lambda torch, x: x.cumsum(1, dtype=torch.float32),
]


@pytest.mark.parametrize("lines", SMOOTH + OTHERS)
def test_values_and_gradients(lines: Lines) -> None:
    same(lines, normal(3, 5, 2), gradients=True, limit=1e-6 if lines in OTHERS else 0)
    same(lines, normal(2, 3, 5).permute(1, 2, 0), gradients=True, limit=1e-6)
    same(lines, normal(3, 5, 2, dtype=torch.float32), gradients=True, limit=1e-5)
    same(lines, torch.zeros(3, 0, 2))
    same(lines, torch.zeros(3, 5, 0))


@pytest.mark.parametrize("lines", SMOOTH)
def test_second_derivatives(lines: Lines) -> None:
    same(twice(lines), normal(3, 5, 2), limit=1e-9)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.softmax(0),
        lambda torch, x: x.log_softmax(0),
        lambda torch, x: x.logcumsumexp(0),
        lambda torch, x: x.cumprod(0),
    ],
)
@pytest.mark.parametrize(
    "numbers",
    [
        [-INF, 1.0, 2],
        [-INF, -INF, -INF],
        [1.0, INF, 2],
        [0.0, 2, 3],
        [2.0, 0, 0],
        [1000.0, 1, -1e4],
    ],
)
def test_edges(lines: Lines, numbers: list[float]) -> None:
    same(lines, torch.tensor(numbers), gradients=True, limit=1e-6)


@pytest.mark.parametrize("lines", [*SMOOTH[:3], *SMOOTH[5:], OTHERS[0]])
def test_nan(lines: Lines) -> None:
    x = normal(3, 5, 2)
    x[1, 2, 0] = NAN
    same(lines, x)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.long().softmax(1),
        lambda torch, x: x.long().softmax(0),
        lambda torch, x: (x > 0).log_softmax(1),
        lambda torch, x: x.softmax(1, dtype=torch.int64),
        lambda torch, x: x.long().logcumsumexp(0),
        lambda torch, x: x.softmax(2),
        lambda torch, x: x.cumsum(-3),
        lambda torch, x: x.diff(-1),
        lambda torch, x: (
            x.long().cumsum(1),
            (x > 0).cumsum(1),
            (x > 0).cumprod(0),
            (x > 0).diff(),
        ),
        lambda torch, x: (x.half().cumsum(1), x.bfloat16().softmax(1), x.half().log_softmax(0)),
        lambda torch, x: (x.sum().softmax(0), x.sum().log_softmax(-1), x.sum().cumsum(0)),
    ],
)
def test_dtypes_and_errors(lines: Lines) -> None:
    same(lines, normal(2, 3))


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.softmax(),
        lambda torch, x: x.softmax(None),
        lambda torch, x: x.softmax(-1, keepdim=True),
        lambda torch, x: x.cumsum(),
        lambda torch, x: x.cumsum(0, 1),
        lambda torch, x: x.cumsum((0,)),
    ],
)
def test_calls_that_torch_has_not(lines: Lines) -> None:
    same(kind_of_error(lines), normal(2, 3))


@held(normal(2, 3))
def test_softmax_written_to(torch, x):
    shares = x.detach().requires_grad_().softmax(1)
    shares *= 2
    shares.sum().backward()
