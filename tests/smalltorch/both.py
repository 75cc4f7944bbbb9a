"""Running the same lines with torch and with the small torch, and comparing what comes of them."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch

import smalltorch

LIMITS = {
    "float64": 1e-12, "float32": 2e-6, "float16": 2e-3, "bfloat16": 1.6e-2,
    "complex128": 1e-12, "complex64": 2e-6,
}  # fmt: skip

Lines = Callable[..., Any]


def same(lines: Lines, *inputs: torch.Tensor, gradients: bool = False, limit: float = 0) -> None:
    """Hold what `lines(torch, *inputs)` returns, or raises, to the same with the small torch.

    Args:
        lines: they get the module, torch or the small one, and the inputs.
        inputs: tensors of torch; the small torch gets the same numbers, strides and dtypes.
        gradients: whether the inputs ask for gradients, and those of a weighted sum are compared.
        limit: the relative and absolute difference; that of `LIMITS` for the dtype where it is 0.
    """
    expected = _run(lines, torch, inputs, gradients)
    got = _run(lines, smalltorch, [small(each) for each in inputs], gradients)
    assert_same(got, expected, limit)


def held(*inputs: torch.Tensor, **options: Any) -> Callable[[Lines], Callable[[], None]]:
    """Make a test of lines: it holds them to the same with both, see `same`."""

    def made(lines: Lines) -> Callable[[], None]:
        def test() -> None:
            same(lines, *inputs, **options)

        return test

    return made


def twice(lines: Lines) -> Lines:
    """Return lines that give second derivatives: of the cubes of what `lines` return."""

    def second(module: Any, *tensors: Any) -> Any:
        leaves = [each.detach().clone().requires_grad_() for each in tensors]
        found = lines(module, *leaves)
        parts = found if isinstance(found, tuple | list) else [found]
        total = sum((each**3).sum() for each in parts)
        first = module.autograd.grad(total, leaves, create_graph=True)
        return module.autograd.grad(sum((each**2).sum() for each in first), leaves)

    return second


def kind_of_error(lines: Lines) -> Lines:
    """Return lines that give what `lines` return as text, or the kind of error in a call."""

    def told(module: Any, *tensors: Any) -> str:
        try:
            return repr(lines(module, *tensors))
        except TypeError as error:
            return type(error).__name__

    return told


def normal(*shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """Return random numbers, the same for a shape each time."""
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, dtype=torch.float64, generator=generator).to(dtype)


def whole(*shape: int, high: int = 4) -> torch.Tensor:
    """Return whole numbers below `high`, many of them equal, in float64."""
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randint(0, high, shape, generator=generator).double()


def small(tensor: torch.Tensor) -> Any:
    """Return a tensor of the small torch with the same numbers and strides."""
    kind = getattr(smalltorch, str(tensor.dtype).removeprefix("torch."))
    order = sorted(range(tensor.ndim), key=lambda axis: -tensor.stride(axis))
    laid = tensor.detach().permute(order)
    copy = smalltorch.tensor(laid.tolist(), dtype=kind).reshape(laid.shape)
    return copy.permute([order.index(axis) for axis in range(tensor.ndim)])


def assert_same(got: Any, expected: Any, limit: float = 0) -> None:
    """Compare values, shapes, dtypes, strides, errors and containers of them."""
    if isinstance(expected, torch.Tensor):
        assert isinstance(got, smalltorch.Tensor), got
        assert tuple(got.shape) == tuple(expected.shape)
        assert str(got.dtype) == str(expected.dtype)
        assert got.requires_grad == expected.requires_grad
        name = str(expected.dtype).removeprefix("torch.")
        _close(_flat(got.tolist()), _flat(expected.tolist()), limit or LIMITS.get(name, 0))
    elif isinstance(expected, BaseException):
        assert isinstance(got, BaseException), got
        assert type(got).__name__ == type(expected).__name__, repr(got)
        assert _first_line(got) == _first_line(expected)
    elif isinstance(expected, dict):
        assert list(got) == list(expected)
        for key in expected:
            assert_same(got[key], expected[key], limit)
    elif isinstance(expected, list | tuple) and not isinstance(expected, torch.Size):
        assert len(got) == len(expected)
        for ours, theirs in zip(got, expected, strict=True):
            assert_same(ours, theirs, limit)
    elif isinstance(expected, float | complex):
        _close([got], [expected], limit or 1e-12)
    elif isinstance(expected, torch.dtype):
        assert str(got) == str(expected)
    else:
        assert got == expected


def _run(lines: Lines, module: Any, inputs: Iterable[Any], gradients: bool) -> Any:
    tensors = list(inputs)
    if gradients:
        tensors = [
            each.detach().requires_grad_(each.dtype in (module.float32, module.float64))
            for each in tensors
        ]
    try:
        value = lines(module, *tensors)
        if not gradients:
            return value
        return value, _gradients(module, value, [each for each in tensors if each.requires_grad])
    except Exception as error:
        return error


def _gradients(module: Any, value: Any, leaves: list[Any]) -> Any:
    values = value if isinstance(value, tuple | list) else [value]
    total: Any = 0
    for each in values:
        if each.requires_grad:
            weights = module.linspace(-1, 2, each.numel(), dtype=each.dtype).reshape(each.shape)
            total = total + (each * weights).sum()
    return module.autograd.grad(total, leaves, allow_unused=True)


def _flat(value: Any) -> list[Any]:
    return [x for each in value for x in _flat(each)] if isinstance(value, list) else [value]


def _close(got: list[Any], expected: list[Any], limit: float) -> None:
    for ours, theirs in zip(got, expected, strict=True):
        if isinstance(theirs, float) and math.isnan(theirs):
            assert math.isnan(ours), (got, expected)
        elif ours != theirs:
            assert abs(ours - theirs) <= limit * (1 + abs(theirs)), (got, expected)


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else ""
