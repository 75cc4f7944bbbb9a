"""Overwriting a tensor with random numbers.

They are drawn in the order in which the entries lie in memory, which for a transposed tensor is not
row by row.
"""

from collections.abc import Sequence
from operator import lt
from typing import Any

from smalltorch import dtypes
from smalltorch import generator as source
from smalltorch.arguments import bad_call, dtype_argument
from smalltorch.dtypes import class_name, dtype, rounded
from smalltorch.generator import Generator, default_generator
from smalltorch.geometry import positions
from smalltorch.inplace import overwrite, refuse_protected
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor, made, values

FUNCTIONS = ""
METHODS = "uniform_ normal_ bernoulli_ exponential_"


@operation
def uniform_(
    input: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Overwrite a tensor with numbers from a to b."""
    float_kind("uniform_", input.dtype)
    if a > b:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={a:g} > to={b:g}"
        )
    draws = generator_of(generator, "uniform_")
    numbers = draws.draw(source.uniforms, input.numel(), input.dtype)
    if (a, b) == (0, 1):
        return _write(input, numbers)
    low, width = rounded(input.dtype, a), rounded(input.dtype, rounded(input.dtype, b) - a)
    return _write(input, [number * width + low for number in numbers])


@operation
def normal_(
    input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Overwrite a tensor with normal numbers."""
    float_kind("normal_", input.dtype)
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    draws, count = generator_of(generator, "normal_"), input.numel()
    if input.is_contiguous():
        numbers = draws.draw(source.normals, count, input.dtype)
    else:
        numbers = draws.draw(source.single_normals, count)
    if (mean, std) != (0, 1):
        numbers = [number * std + mean for number in numbers]
    return _write(input, numbers)


@operation
def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Overwrite a tensor with ones with probability p, zeros otherwise."""
    draws, count = generator_of(generator, "bernoulli_"), input.numel()
    if isinstance(p, Tensor):
        chances = list(values(p.expand(input.shape)))
        if not all(0 <= chance <= 1 for chance in chances):
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
                "message be improved?  If so, please report an enhancement request to PyTorch.)"
            )
        kind = dtypes.float64 if p.dtype is dtypes.float64 else dtypes.float32
        chances = [chances[entry] for entry in _entries_in_memory(input)]
    else:
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        kind, chances = dtypes.float64, [p] * count
    return _write(input, map(lt, draws.draw(source.uniforms, count, kind), chances))


@operation
def exponential_(
    input: Tensor, lambd: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Overwrite a tensor with numbers whose density falls as exp(-lambd x)."""
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a "
            f"floating point but you specified {class_name(input.dtype)}"
        )
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    draws = generator_of(generator, "exponential_")
    numbers = draws.draw(source.exponentials, input.numel())
    return _write(input, [1 / lambd * number for number in numbers])


def _write(target: Tensor, numbers: Any) -> Tensor:
    """Write numbers in the order in which the entries lie in memory, as torch draws them."""
    refuse_protected(target)
    drawn = list(numbers)
    if not target.is_contiguous():
        in_order = [0] * len(drawn)
        for entry, number in zip(_entries_in_memory(target), drawn, strict=True):
            in_order[entry] = number
        drawn = in_order
    return overwrite(target, made(drawn, target.shape, target.dtype))


def _entries_in_memory(tensor: Tensor) -> Sequence[int]:
    """Return the entries, counted row by row, in the order in which they lie in memory."""
    if tensor.is_contiguous():
        return range(tensor.numel())
    places = positions(tensor.shape, tensor._strides)
    return sorted(range(len(places)), key=places.__getitem__)


def integers(low: int, high: int, count: int, kind: dtype, given: Generator | None) -> Any:
    """Return integers from `low` to `high`, without `high`."""
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    if kind is dtypes.bool_ and high > 2:
        raise RuntimeError("to - 1 is out of bounds for bool")
    return generator_of(given, "randint").draw(source.integers, count, low, high)


def generator_of(given: Any, name: str) -> Generator:
    """Return the generator that is given, or the one that all share."""
    if given is not None and not isinstance(given, Generator):
        raise bad_call(name, given)
    return given or default_generator


def float_kind(name: str, kind: Any, otherwise: dtype | None = None) -> dtype:
    """Return the dtype that an argument names; refuse one that is not of floats."""
    found = dtype_argument(name, kind, otherwise)
    if found.is_floating_point:
        return found
    check = "normal_kernel_cpu" if name.startswith(("randn", "normal")) else "check_uniform_bounds"
    raise NotImplementedError(f"\"{check}\" not implemented for '{class_name(found)}'")
