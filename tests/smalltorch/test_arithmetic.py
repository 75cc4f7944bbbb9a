"""Sums, products, quotients and powers are torch's: values, dtypes, strides, errors, gradients."""

import pytest
import torch

from tests.smalltorch.both import held, same

W = torch.tensor([[5, -7, 2], [3, 1, -4]])
F = torch.tensor([[1.5, -2.25, 3.0], [0.7, -0.3, 11.0]])
G = torch.tensor([[2.0, 3.5, -1.25], [0.5, -4.0, 0.9]])
B = torch.tensor([[True, False, True], [False, False, True]])
C = torch.tensor([[1 + 2j, -3j, 0.5 + 0j], [2 - 1j, 1j, -1 + 1j]])
KINDS = [W, W.int(), W.to(torch.int8), F, F.double(), F.half(), F.bfloat16(), B, C]
NUMBERS = [2, -3, 1.7, True, 1.5 - 2j]
BINARY = "add sub mul div floor_divide remainder pow".split()
nan, inf = float("nan"), float("inf")
ODD = torch.tensor([0.0, -0.0, 1.0, -1.0, 2.5, -2.5, inf, -inf, nan])


def fits(name, a, b):
    """Say whether the small torch has it: no complex halves, their powers or quotients by zero."""
    if not (a.is_complex() or b.is_complex()):
        return True
    return name != "pow" and torch.half not in (a.dtype, b.dtype) and torch.bool is not b.dtype


def by_name(name):
    return lambda torch, *operands: getattr(torch, name)(*operands)


@pytest.mark.parametrize("name", BINARY)
def test_tensors_of_all_kinds(name):
    for a in KINDS:
        for b in KINDS:
            if fits(name, a, b):
                same(by_name(name), a, b)
                same(by_name(name), a, b[0])
                same(by_name(name), a, b[1, 0])


@pytest.mark.parametrize("name", BINARY)
def test_tensors_and_numbers(name):
    for a in KINDS:
        for number in NUMBERS:
            if fits(name, a, torch.tensor(number)):
                same(lambda torch, x, n=number: getattr(torch, name)(x, n), a)


@pytest.mark.parametrize("number", NUMBERS[:4])
@pytest.mark.parametrize("x", KINDS[:-1], ids=lambda x: str(x.dtype))
def test_operators(x, number):
    same(lambda torch, x: x + number, x)
    same(lambda torch, x: number + x, x)
    same(lambda torch, x: x - number, x)
    same(lambda torch, x: number - x, x)
    same(lambda torch, x: x * number, x)
    same(lambda torch, x: number * x, x)
    same(lambda torch, x: x / number, x)
    same(lambda torch, x: number / x, x)
    same(lambda torch, x: x // number, x)
    same(lambda torch, x: x % number, x)
    same(lambda torch, x: x**number, x)
    same(lambda torch, x: number ** (x * 1), x)
    same(lambda torch, x: (-x, +x), x)


@pytest.mark.parametrize("name", BINARY)
def test_zeros_and_infinities(name):
    a, b = ODD.repeat(9), ODD.repeat_interleave(9)
    same(by_name(name), a, b)
    same(by_name("reciprocal"), ODD)
    same(by_name("square"), ODD)


@pytest.mark.parametrize("mode", ["floor", "trunc", None, "down"])
def test_rounding_modes(mode):
    for a in (W, F, F.half()):
        for b in (2, -3, 1.7, G):
            if not isinstance(b, torch.Tensor):
                same(lambda torch, a, b=b: torch.div(a, b, rounding_mode=mode), a)
            else:
                same(lambda torch, a, b: torch.div(a, b, rounding_mode=mode), a, b)
    same(lambda torch, a: torch.div(a, torch.zeros(3), rounding_mode=mode), F)
    same(lambda torch, a: a.div(0, rounding_mode=mode), W)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x, i, b: b - b,
        lambda torch, x, i, b: x - b,
        lambda torch, x, i, b: 1 - b,
        lambda torch, x, i, b: -b,
        lambda torch, x, i, b: x + None,
        lambda torch, x, i, b: None * x,
        lambda torch, x, i, b: x - [1, 2],
        lambda torch, x, i, b: "a" + x,
        lambda torch, x, i, b: x / "a",
        lambda torch, x, i, b: x // None,
        lambda torch, x, i, b: x**None,
        lambda torch, x, i, b: torch.add(x, None),
        lambda torch, x, i, b: torch.mul(x, [2.0]),
        lambda torch, x, i, b: torch.pow(x, None),
        lambda torch, x, i, b: torch.pow(2, 3),
        lambda torch, x, i, b: torch.neg(2),
        lambda torch, x, i, b: i**-1,
        lambda torch, x, i, b: i // 0,
        lambda torch, x, i, b: i % 0,
        lambda torch, x, i, b: b // b,
        lambda torch, x, i, b: b**b,
        lambda torch, x, i, b: x + 10**30,
        lambda torch, x, i, b: x * -(10**30),
        lambda torch, x, i, b: x + x[:, :2],
        lambda torch, x, i, b: torch.add(i, i, alpha=1.5),
        lambda torch, x, i, b: torch.sub(x, x, alpha=True),
        lambda torch, x, i, b: torch.addcmul(x, 2.0, x),
        lambda torch, x, i, b: torch.lerp(x, i, 0.5),
        lambda torch, x, i, b: torch.lerp(x, x, x.double()),
        lambda torch, x, i, b: torch.lerp(i, i, 0.5),
        lambda torch, x, i, b: i.clone().add_(1.5),
        lambda torch, x, i, b: i.clone().div_(2),
        lambda torch, x, i, b: b.clone().add_(1),
        lambda torch, x, i, b: x[0].clone().add_(x),
        lambda torch, x, i, b: torch.add(x, 1, out=torch.zeros(2, 3, dtype=torch.int64)),
        lambda torch, x, i, b: torch.add(x.clone().requires_grad_(), 1, out=torch.zeros(2, 3)),
    ],
)
def test_errors(lines):
    same(lines, F, W, B)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, i: i.to(torch.uint8) + 100,
        lambda torch, i: (i * 2**62) * 3,
        lambda torch, i: i.to(torch.int8) * 100,
        lambda torch, i: i + (2**63 - 1),
        lambda torch, i: i**40,
        lambda torch, i: i**1000,
        lambda torch, i: i ** torch.tensor([-1, -2, 3]),
        lambda torch, i: torch.tensor([-1, 1, 2]) ** torch.tensor([-1, -2, -3]),
        lambda torch, i: torch.add(i, i, alpha=3),
        lambda torch, i: torch.rsub(i, 5, alpha=2),
        lambda torch, i: torch.multiply(torch.subtract(i, 2), torch.negative(i)),
    ],
)
def test_whole_numbers(lines):
    same(lines, W)


@pytest.mark.parametrize("kind", [torch.half, torch.bfloat16])
def test_numbers_beside_halves_are_held_in_single_precision(kind):
    x = (torch.arange(1, 14) * 77.7).to(kind)
    for lines in (
        lambda torch, x: x * 0.333333,
        lambda torch, x: 0.333333 * x,
        lambda torch, x: x + 0.333333,
        lambda torch, x: 3.333333 - x,
        lambda torch, x: x / 0.333333,
        lambda torch, x: 3.333333 / x,
        lambda torch, x: x * torch.tensor(0.333333),
    ):
        same(lines, x, limit=1e-9)


@held(F, G)
def test_in_place_and_out(torch, x, y):
    x = x.clone()
    kept, view = x, x[0]
    x += y
    x *= 2
    x -= 1
    x /= 3
    view **= 2
    x //= 0.5
    x %= 3
    x.addcmul_(y, y, value=0.5).lerp_(y, 0.25).neg_().square_().sub_(y, alpha=2)
    out = torch.empty(0)
    return kept, kept is x, x._version, torch.mul(x, y, out=out), out, torch.sub(y, x, out=x), x


@held(F)
def test_a_mode_sees_each_call_once(torch, x):
    class Seen(torch.overrides.TorchFunctionMode):
        calls = 0

        def __torch_function__(self, func, types, args=(), kwargs=None):
            type(self).calls += 1
            return func(*args, **(kwargs or {}))

    with Seen():
        results = [x + 1, 1 - x, 2 / x, x**2, torch.lerp(x, x, 0.5), x.clamp(0, 1), x.exp()]
        results += [torch.where(x > 0, x, 0), torch.add(x, x, out=x.new_empty(0))]
    return results, Seen.calls


@held(F, torch.arange(6.0).reshape(3, 2) + 1, torch.arange(18.0).reshape(3, 2, 3))
def test_strides_follow_the_operands(torch, a, b, c):
    results = [a.T + 1, a.T * a.T, a.T + b, b + a.T, a.T[:, 0:1] * b, c.permute(2, 0, 1) - 1]
    results += [c.permute(0, 2, 1) * b, c[:, ::2] / 2, a[:1].expand(2, 3).T + 1, -a.T, 2 * c.mT]
    return [(each, each.stride(), each.is_contiguous()) for each in results]


def test_empty_and_without_axes():
    same(lambda torch, x: (x + 1, x * x, x / 2, x**2), torch.zeros(0, 3))
    same(lambda torch, x: (x + 1, x * x, x / 2, x**2, 2 - x), torch.tensor(3))
    same(lambda torch, x: x + torch.zeros(3), torch.zeros(0, 1))


ZERO_AND_MORE = torch.tensor([0.0, 1.0, 2.0, -1.5, 3.0])
SOME = torch.tensor([2.0, 2.0, -1.0, 0.7, 0.5])
DIFFERENTIABLE = [
    lambda torch, x, y: x + y,
    lambda torch, x, y: torch.add(x, y, alpha=3),
    lambda torch, x, y: 2 - x - y,
    lambda torch, x, y: torch.rsub(x, y, alpha=2),
    lambda torch, x, y: x * y * 3,
    lambda torch, x, y: x / y,
    lambda torch, x, y: 3 / y,
    lambda torch, x, y: torch.div(x, y, rounding_mode="floor") + x * y,
    lambda torch, x, y: x**2 + x**3 + x**0 + x**1,
    lambda torch, x, y: x.abs() ** y,
    lambda torch, x, y: 2**x + 0 ** y.abs(),
    lambda torch, x, y: y.reciprocal() - y.square() + -x,
    lambda torch, x, y: torch.lerp(x, y, 0.3) + torch.lerp(x, y, y),
    lambda torch, x, y: x[:, None] * y + x,
    lambda torch, x, y: x // y,
    lambda torch, x, y: 5 % y,
]


@pytest.mark.parametrize("lines", DIFFERENTIABLE)
def test_gradients(lines):
    same(lines, ZERO_AND_MORE, SOME, gradients=True)
    same(lines, ZERO_AND_MORE.double(), SOME.double(), gradients=True)


@pytest.mark.parametrize("lines", DIFFERENTIABLE)
def test_second_derivatives(lines):
    def twice(torch, x, y):
        (slope,) = torch.autograd.grad(lines(torch, x, y).sum(), y, create_graph=True)
        return slope if slope.requires_grad else slope + y * 0

    same(twice, ZERO_AND_MORE + 0.5, SOME, gradients=True, limit=2e-5)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x, y: x * y,
        lambda torch, x, y: x / y,
        lambda torch, x, y: x**2,
        lambda torch, x, y: x + y,
        lambda torch, x, y: -x,
        lambda torch, x, y: x * 2,
        lambda torch, x, y: x / 2,
        lambda torch, x, y: 2 / x,
    ],
)
def test_what_is_kept_may_not_be_overwritten(lines):
    def overwritten(torch, x, y, which):
        a, b = x * 1, y * 1
        result = lines(torch, a, b)
        (a, b, result)[which].add_(1)
        return torch.autograd.grad(result.sum(), (x, y), allow_unused=True)

    for which in range(3):
        leaves = (F.clone().requires_grad_(), G.clone().requires_grad_())
        same(
            lambda torch, x, y, w=which: overwritten(
                torch, x.detach().requires_grad_(), y.detach().requires_grad_(), w
            ),
            *leaves,
        )
