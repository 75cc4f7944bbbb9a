"""Choosing between numbers is torch's: promotion, broadcasting, ties, strides, gradients."""

import pytest
import torch

from tests.smalltorch.both import same

nan, inf = float("nan"), float("inf")
M = torch.tensor([[True, False, True], [False, False, True]])
F = torch.tensor([[1.5, -2.25, 3.0], [0.7, -0.3, 11.0]])
G = torch.tensor([[2.0, -2.25, -1.25], [0.5, -4.0, 11.0]])
W = torch.tensor([[5, -7, 2], [3, 1, -4]])
ODD = torch.tensor([0.0, 1.0, -1.0, 2.5, inf, -inf, nan])
KINDS = [W, W.int(), F, F.double(), F.half(), F.bfloat16(), M]
NUMBERS = [2, 0.3, True, -inf, nan]


def test_where_of_all_kinds():
    for a in KINDS:
        for b in KINDS:
            same(lambda torch, m, a, b: torch.where(m, a, b), M, a, b)
            same(lambda torch, m, a, b: torch.where(m, a, b), M, a[:1], b[0, 0])
        for number in NUMBERS:
            same(lambda torch, m, a, n=number: torch.where(m, a, n), M, a)
            same(lambda torch, m, a, n=number: torch.where(m, n, a), M, a)
            same(lambda torch, m, a, n=number: a.where(m, n), M, a)
    for one, other in [(1, 0), (1.5, 2), (True, False), (True, 2), (0.0, -inf)]:
        same(lambda torch, m, a=one, b=other: torch.where(m, a, b), M)
        same(lambda torch, m, a=one, b=other: torch.where(m[0, 0], a, b), M)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, m, f, i: torch.where(i, f, f),
        lambda torch, m, f, i: torch.where(f, f, f),
        lambda torch, m, f, i: torch.where(m),
        lambda torch, m, f, i: torch.where(f > 0, input=f, other=0),
        lambda torch, m, f, i: torch.where(condition=m, input=f, other=0),
        lambda torch, m, f, i: torch.where(m, f),
        lambda torch, m, f, i: torch.where(True, f, f),
        lambda torch, m, f, i: torch.where(m, f, [1.0]),
        lambda torch, m, f, i: torch.where(m, f, 1e300),
        lambda torch, m, f, i: torch.where(m, f, 10**30),
        lambda torch, m, f, i: torch.where(m, f[:, :2], f),
        lambda torch, m, f, i: torch.where(m[:, :1], f, i[1]),
        lambda torch, m, f, i: torch.where(m.T, f.T, 0.0).stride(),
        lambda torch, m, f, i: f.masked_fill(i, 0),
        lambda torch, m, f, i: f.masked_fill(f, 0),
        lambda torch, m, f, i: f.masked_fill(m, None),
        lambda torch, m, f, i: f.masked_fill([True], 0),
        lambda torch, m, f, i: f.masked_fill(m, f),
        lambda torch, m, f, i: f.masked_fill(m, f[0, 0]),
        lambda torch, m, f, i: f.masked_fill(m, -1e39),
        lambda torch, m, f, i: f.half().masked_fill(m, -1e9),
        lambda torch, m, f, i: f.bfloat16().masked_fill(m, -1e9),
        lambda torch, m, f, i: f.masked_fill(m, 1j),
        lambda torch, m, f, i: f.masked_fill(m, 10**30),
        lambda torch, m, f, i: i.masked_fill(m, 1.5),
        lambda torch, m, f, i: i.masked_fill(m, -inf),
        lambda torch, m, f, i: i.int().masked_fill(m, 2**40),
        lambda torch, m, f, i: m.masked_fill(m, 0.0),
        lambda torch, m, f, i: i.masked_fill(m, torch.tensor(inf)),
        lambda torch, m, f, i: i.masked_fill(m, torch.tensor(2.5)),
        lambda torch, m, f, i: f.masked_fill(m[1], -inf),
        lambda torch, m, f, i: f[1].masked_fill(m, -inf),
        lambda torch, m, f, i: f[1].masked_fill_(m, -inf),
        lambda torch, m, f, i: f.masked_fill(m[:, :2], -inf),
        lambda torch, m, f, i: (f.masked_fill_(m, 7), f),
        lambda torch, m, f, i: (f.T.masked_fill_(m.T, 7), f),
        lambda torch, m, f, i: f.T.masked_fill(m.T, 7).stride(),
        lambda torch, m, f, i: torch.masked_fill(f, mask=m, value=torch.tensor(3)),
        lambda torch, m, f, i: torch.maximum(f, 0),
        lambda torch, m, f, i: torch.maximum(0, f),
        lambda torch, m, f, i: torch.minimum(f, i),
        lambda torch, m, f, i: torch.maximum(f.T, f.T).stride(),
        lambda torch, m, f, i: torch.maximum(f + 0j, f + 0j),
        lambda torch, m, f, i: torch.clamp(f),
        lambda torch, m, f, i: torch.clamp(f, "a"),
        lambda torch, m, f, i: torch.clamp(1.0, 0, 1),
        lambda torch, m, f, i: torch.clamp(f, 2, 1),
        lambda torch, m, f, i: torch.clamp(i, 0.5),
        lambda torch, m, f, i: torch.clamp(i, max=2),
        lambda torch, m, f, i: torch.clamp(i, min=f),
        lambda torch, m, f, i: torch.clamp(f, f[0], f[:, :1]),
        lambda torch, m, f, i: torch.clamp(m, 0, 1),
        lambda torch, m, f, i: torch.clamp(f.T, 0).stride(),
        lambda torch, m, f, i: torch.clamp(f, 10**30),
        lambda torch, m, f, i: (f.clamp_(0, 2), f.clip(1), f.clamp_min(1), f.clamp_max(0.5)),
        lambda torch, m, f, i: f.clamp_min(torch.tensor(2.0)),
        lambda torch, m, f, i: f.clamp_(min=0, max=None),
        lambda torch, m, f, i: torch.nan_to_num(i),
    ],
)
def test_lines(lines):
    same(lines, M.clone(), F.clone(), W.clone())


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_infinities(name):
    a, b = ODD.repeat(len(ODD)), ODD.repeat_interleave(len(ODD))
    same(lambda torch, a, b: getattr(torch, name)(a, b), a, b)
    same(lambda torch, a, b: getattr(torch, name)(a, b), a.half(), b.half())


def test_clamp_of_infinities():
    for low, high in [(0, 2), (None, 1), (-1, None), (nan, 1), (0, nan), (-inf, inf)]:
        same(lambda torch, x, a=low, b=high: torch.clamp(x, a, b), ODD)
        same(lambda torch, x, a=low, b=high: x.clamp(min=a, max=b), ODD.double())
    same(lambda torch, x: torch.clamp(x, x.flip(0)), ODD)


def test_numbers_in_place_of_nan():
    for kind in (torch.float, torch.double, torch.half, torch.bfloat16):
        same(lambda torch, x: (torch.nan_to_num(x), x.nan_to_num(1.0, 2.0, 3.0)), ODD.to(kind))
    same(lambda torch, x: x.nan_to_num_(posinf=5), ODD.clone())
    same(lambda torch, x: torch.nan_to_num(x * 2, nan=1.0), ODD, gradients=True)


DIFFERENTIABLE = [
    lambda torch, m, x, y: torch.where(m, x, y),
    lambda torch, m, x, y: torch.where(m, x, 0) + torch.where(m, 1.0, y),
    lambda torch, m, x, y: torch.where(m[:, :1], x[0], y.exp()),
    lambda torch, m, x, y: x.masked_fill(m, 3.0) * y,
    lambda torch, m, x, y: x.masked_fill(m, y.sum()),
    lambda torch, m, x, y: x[0].masked_fill(m, -1.0) * y,
    lambda torch, m, x, y: torch.maximum(x, y) + 2 * torch.minimum(x, y),
    lambda torch, m, x, y: torch.maximum(x[:, :1], y),
    lambda torch, m, x, y: x.clamp(-0.3, 3.0),
    lambda torch, m, x, y: x.clamp(min=-0.3) + x.clamp(max=3.0),
    lambda torch, m, x, y: x.clamp(y) + 2 * x.clamp(max=y) + 3 * x.clamp(y, y + 1),
    lambda torch, m, x, y: x.clamp(y, y) + x.clamp_min(0.7) + x.clamp_max(11),
    lambda torch, m, x, y: (x * 1).masked_fill_(m, 2.0) * y,
]


@pytest.mark.parametrize("lines", DIFFERENTIABLE)
def test_gradients(lines):
    same(lines, M, F, G, gradients=True)
    same(lines, M, F.double(), G, gradients=True)


@pytest.mark.parametrize("lines", DIFFERENTIABLE)
def test_second_derivatives(lines):
    def twice(torch, m, x, y):
        result = (lines(torch, m, x, y) ** 3).sum()
        return torch.autograd.grad(result, x, create_graph=True)[0]

    same(twice, M, F.double(), G.double(), gradients=True)
