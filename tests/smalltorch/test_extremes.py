"""The largest, the smallest, the middle, and where they are: as torch's."""

import pytest
import torch

from tests.smalltorch.both import Lines, kind_of_error, same, whole

NAN = float("nan")


FORMS: list[Lines] = [
    lambda torch, x: x.max(),
    lambda torch, x: x.min(),
    lambda torch, x: tuple(x.max(1)),
    lambda torch, x: tuple(x.min(dim=-1, keepdim=True)),
    lambda torch, x: torch.max(x, 0)[1],
    lambda torch, x: x.max(x.flip(0)),
    lambda torch, x: torch.min(x, other=x.flip(1)),
    lambda torch, x: x.amax(),
    lambda torch, x: x.amax((0, 2)),
    lambda torch, x: x.amin(1, keepdim=True),
    lambda torch, x: (x.argmax(), x.argmax(0), x.argmin(-1, keepdim=True)),
    lambda torch, x: x.argmax(keepdim=True),
    lambda torch, x: x.median(),
    lambda torch, x: tuple(x.median(-1)),
    lambda torch, x: tuple(x.median(0, keepdim=True)),
    lambda torch, x: x.quantile(0.3),
    lambda torch, x: x.quantile(0.5, 1, keepdim=True),
    lambda torch, x: torch.quantile(x, torch.tensor([0.1, 0.7], dtype=x.dtype), dim=-1),
]


@pytest.mark.parametrize("lines", FORMS)
def test_values_and_gradients(lines: Lines) -> None:
    same(lines, whole(3, 5, 2), gradients=True)
    same(lines, whole(2, 3, 5).permute(1, 2, 0), gradients=True)


@pytest.mark.parametrize("lines", FORMS)
def test_nan(lines: Lines) -> None:
    x = whole(3, 5, 2, high=50)
    x[1, 2, 0] = x[1, 4, 0] = NAN
    x[2, 0] = torch.inf
    same(lines, x)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: torch.zeros(0).max(),
        lambda torch, x: torch.zeros(0).amin(),
        lambda torch, x: torch.zeros(0).argmin(),
        lambda torch, x: torch.zeros(0, 3).max(0),
        lambda torch, x: torch.zeros(0, 3).argmax(0),
        lambda torch, x: torch.zeros(0, 3).amax(0),
        lambda torch, x: torch.zeros(0, 3).median(0),
        lambda torch, x: (torch.zeros(0, 3).amax(1), torch.zeros(0, 3).argmax(1)),
        lambda torch, x: tuple(torch.zeros(0, 3).max(1)),
        lambda torch, x: (torch.zeros(0).median(), tuple(torch.zeros(0, 3).median(1))),
        lambda torch, x: x.max(5),
        lambda torch, x: x.argmax(-3),
        lambda torch, x: (x > 1).argmax(1),
        lambda torch, x: (x > 1).median(),
        lambda torch, x: x.long().quantile(0.5),
    ],
)
def test_errors_and_nothing(lines: Lines) -> None:
    same(lines, whole(2, 3))


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: x.max(keepdim=True),
        lambda torch, x: x.max(None),
        lambda torch, x: x.max((0, 1)),
        lambda torch, x: x.max(0.5),
        lambda torch, x: torch.max(x, 0, 1),
        lambda torch, x: x.argmax((0, 1)),
        lambda torch, x: x.median(keepdim=True),
    ],
)
def test_calls_that_torch_has_not(lines: Lines) -> None:
    same(kind_of_error(lines), whole(2, 3))


def test_names_of_the_results() -> None:
    same(lambda torch, x: isinstance(x.max(1), torch.return_types.max), whole(3, 5))
