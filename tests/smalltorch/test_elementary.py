"""Functions of one number are torch's: values at the edges, dtypes, strides, errors, gradients."""

import pytest
import torch

from tests.smalltorch.both import same, twice

nan, inf = float("nan"), float("inf")
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.3, 7.25, 95.0, -95.0, 800.0, -800.0]
ODD = torch.tensor([*EDGES, inf, -inf, nan])
W = torch.tensor([[5, -7, 2], [3, 1, 0]])
INSIDE = torch.tensor([[0.1, -0.25, 0.7], [-0.9, 0.45, 0.3]])
SMOOTH = (
    "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh "
    "sigmoid erf deg2rad rad2deg reciprocal"
).split()
STEPS = "floor ceil trunc round abs sign sgn relu square neg".split()
OF_TWO = ["xlogy", "logaddexp"]


@pytest.mark.parametrize("name", [*SMOOTH, *STEPS])
def test_values(name):
    for x in (ODD, ODD.double(), ODD.half(), ODD.bfloat16(), W, W.int(), W > 2, INSIDE.T):
        limit = {torch.half: 2e-3, torch.bfloat16: 1.6e-2, torch.double: 1e-11}
        same(lambda torch, x: getattr(torch, name)(x), x, limit=limit.get(x.dtype, 1e-5))
        same(lambda torch, x: getattr(x, name)().stride(), x)
    same(lambda torch, x: getattr(torch, name)(2.0), W)
    same(lambda torch, x: getattr(torch, name)([2.0]), W)
    same(lambda torch, x: getattr(torch, name)(x), torch.zeros(0, 3))


@pytest.mark.parametrize("name", sorted({*SMOOTH, *STEPS} - {"sgn"}))
def test_gradients(name):
    lines = lambda torch, x: getattr(torch, name)(x)  # noqa: E731
    same(lines, INSIDE, gradients=True, limit=1e-5)
    same(lines, (INSIDE + 1.5).double(), gradients=True)
    same(lines, torch.tensor([0.0, 1.0, -1.0, 2.0, -3.0]), gradients=True, limit=1e-5)


@pytest.mark.parametrize("name", SMOOTH)
def test_second_derivatives(name):
    same(twice(lambda torch, x: getattr(torch, name)(x)), INSIDE.abs().double())


@pytest.mark.parametrize("name", OF_TWO)
def test_of_two_numbers(name):
    a, b = ODD.repeat(len(ODD)), ODD.repeat_interleave(len(ODD))
    lines = lambda torch, a, b: getattr(torch, name)(a, b)  # noqa: E731
    same(lines, a, b)
    same(lines, a.half(), b.half())
    same(lines, W, W.T.reshape(2, 3))
    same(lines, INSIDE, W)
    same(lambda torch, a: getattr(torch, name)(a, 1), INSIDE)
    same(lambda torch, a: getattr(torch, name)(2, a), INSIDE)
    same(lines, INSIDE.abs(), INSIDE.abs().flip(1), gradients=True)
    same(
        lines,
        torch.tensor([0.0, 1.0, 2.0, 0.0]),
        torch.tensor([0.0, 1.0, 0.5, 3.0]),
        gradients=True,
    )
    same(lines, INSIDE.T.double().abs(), torch.tensor([2.0, 3.0]).double(), gradients=True)


def test_rounding_to_decimals():
    x = torch.tensor([0.25, 0.35, 125.0, -1.2345, 12.5])
    for decimals in (1, 2, -1):
        same(lambda torch, x, n=decimals: torch.round(x, decimals=n), x)
        same(lambda torch, x, n=decimals: x.round(decimals=n), W)


def test_special():
    for x in (ODD, W, INSIDE.half(), INSIDE.T):
        same(lambda torch, x: torch.special.entr(x), x)
    same(lambda torch, x: torch.special.entr(x), torch.tensor([0.5, 0.0, 2.0]), gradients=True)
    same(
        lambda torch, x: torch.special.xlogy(x, 2.0) + torch.xlogy(3, x),
        INSIDE.abs(),
        gradients=True,
    )
    for name in ("softmax", "log_softmax", "logsumexp"):
        same(lambda torch, x, name=name: getattr(torch.special, name)(x, dim=1), INSIDE)
    same(lambda torch, x: torch.special.nothing(x), INSIDE)
    same(lambda torch, x: torch.entr(x), INSIDE)


def test_in_place_and_out():
    def lines(torch, x):
        x = x.clone()
        x.exp_().sqrt_().abs_().log_().tanh_().relu_().floor_().sigmoid_()
        return x, x._version, torch.exp(x, out=torch.empty(2, 3)), torch.sqrt(x, out=x), x

    same(lines, INSIDE)
    same(lambda torch, x: x.exp_(), W)
    same(lambda torch, x: x.floor_(), W)
    same(lambda torch, x: (x * 1).exp_().relu_().sin_(), INSIDE, gradients=True)
    same(lambda torch, x: x.clone().requires_grad_().exp_(), INSIDE)


@pytest.mark.parametrize("name", "exp tanh sqrt sigmoid relu log sin reciprocal abs floor".split())
def test_what_is_kept_may_not_be_overwritten(name):
    def lines(torch, x, which):
        x = x.detach().requires_grad_()
        a = x * 1
        y = getattr(torch, name)(a)
        (a, y)[which].add_(1)
        return torch.autograd.grad(y.sum(), x)

    same(lambda torch, x: lines(torch, x, 0), INSIDE.abs())
    same(lambda torch, x: lines(torch, x, 1), INSIDE.abs())


@pytest.mark.parametrize("name", ["absolute", "negative"])
def test_other_names(name):
    same(lambda torch, x: getattr(torch, name)(x), INSIDE)
    same(lambda torch, x: getattr(x, name)(), INSIDE)
