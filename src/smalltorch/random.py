"""Random tensors, and the generator that all share: `torch.random`."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from math import inf, isfinite
from typing import Any

from smalltorch import dtypes
from smalltorch import generator as source
from smalltorch.arguments import (
    bad_call,
    dtype_argument,
    integer_argument,
    size_argument,
    tensor_argument,
)
from smalltorch.autograd import record
from smalltorch.creation import asking
from smalltorch.dtypes import class_name, dtype, packed, rounded
from smalltorch.generator import Generator, default_generator
from smalltorch.geometry import Size
from smalltorch.names import lacking
from smalltorch.overrides import named, operation
from smalltorch.random_fills import (
    bernoulli_,
    float_kind,
    generator_of,
    integers,
    normal_,
    uniform_,
)
from smalltorch.tensor import Tensor, laid_like, made, values

FUNCTIONS = (
    "Generator default_generator manual_seed get_rng_state set_rng_state rand randn randint "
    "randperm rand_like randn_like normal bernoulli multinomial"
)
METHODS = "bernoulli multinomial"
# ---- The generator that all share


def manual_seed(seed: Any) -> Generator:
    """Begin anew with a seed."""
    return default_generator.manual_seed(int(seed))


def get_rng_state() -> Tensor:
    """Return the state of the generator."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Go on from a state that `get_rng_state` returned."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Put the generator back at the end of the block to where it was."""
    before = default_generator.clone_state()
    try:
        yield
    finally:
        if enabled:
            default_generator.follow(before)


# ---- New random tensors


def _drawn(name: str, numbers: Any, doc: str) -> Any:
    """Return a function of a shape that draws numbers of a kind."""

    def function(
        *sizes: Any,
        size: Any = None,
        generator: Generator | None = None,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        shape = _random_size(name, sizes, size)
        kind = float_kind(name, dtype)
        found = generator_of(generator, name).draw(numbers, shape.numel(), kind)
        return asking(made(found, shape, kind), device, requires_grad)

    return named(function, name, doc)


def _drawn_like(name: str, write: Any, doc: str) -> Any:
    """Return a function of a tensor that draws as many numbers of a kind."""

    def function(
        input: Tensor,
        *,
        generator: Generator | None = None,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        kind = float_kind(name, dtype, tensor_argument(name, input).dtype)
        result = laid_like(input, packed(kind, (0,)) * input.numel(), kind)
        return asking(write(result, generator=generator), device, requires_grad)

    return named(function, name, doc)


rand = _drawn("rand", source.uniforms, "Return numbers from 0 to 1, without 1.")
randn = _drawn("randn", source.normals, "Return normal numbers.")
rand_like = _drawn_like("rand_like", uniform_, "Return as many numbers from 0 to 1.")
randn_like = _drawn_like("randn_like", normal_, "Return as many normal numbers.")


@operation
def randint(
    *args: Any,
    low: Any = None,
    high: Any = None,
    size: Any = None,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return integers from `low`, which is 0, to `high`, without `high`: randint(high, size)."""
    given = [*args, *(each for each in (low, high, size) if each is not None)]
    if len(given) == 2:
        if not isinstance(given[1], (tuple, list)):
            raise TypeError(
                "randint(): argument 'size' (position 2) must be tuple of ints, not "
                f"{type(given[1]).__name__}"
            )
        given = [0, *given]
    if (len(given) != 3 or not isinstance(given[2], (tuple, list))
            or not all(hasattr(each, "__index__") for each in given[:2])):  # fmt: skip
        raise bad_call("randint", *args)
    shape = _random_size("randint", (given[2],))
    kind = dtype_argument("randint", dtype, dtypes.int64)
    numbers = integers(int(given[0]), int(given[1]), shape.numel(), kind, generator)
    return asking(made(numbers, shape, kind), device, requires_grad)


@operation
def randperm(
    n: Any,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the numbers below n in random order."""
    count = integer_argument("randperm", "n", 1, n)
    shape = _random_size("randperm", (count,))
    kind = dtype_argument("randperm", dtype, dtypes.int64)
    numbers = generator_of(generator, "randperm").draw(source.permutation, count)
    return asking(made(numbers, shape, kind), device, requires_grad)


@operation
def normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None,
    dtype: Any = None,
) -> Tensor:  # fmt: skip
    """Return normal numbers of a given mean and standard deviation."""
    tensors = [each for each in (mean, std) if isinstance(each, Tensor)]
    if (size is None) != bool(tensors):
        raise bad_call("normal", mean, std)
    if not isinstance(std, Tensor) and std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    shape = (mean + std).shape if tensors else _random_size("normal", (size,))
    kind = tensors[0].dtype if tensors else dtype_argument("normal", dtype)
    drawn = randn(shape, generator=generator, dtype=kind)
    plain_mean, plain_std = (
        each.detach() if isinstance(each, Tensor) else each for each in (mean, std)
    )
    result: Tensor = drawn * plain_std + plain_mean
    return record(result, "Normal", *((each, lambda gradient: gradient * 0) for each in tensors))


@operation
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None
) -> Tensor:
    """Return ones with the probabilities that a tensor holds, zeros otherwise."""
    tensor_argument("bernoulli", input)
    if p is None and not input.dtype.is_floating_point:
        name = class_name(input.dtype)
        raise NotImplementedError(f"\"bernoulli_tensor_cpu_p_\" not implemented for '{name}'")
    chances = input.detach() if p is None else p
    result = bernoulli_(input.new_zeros(input.shape), chances, generator=generator)
    return record(result, "Bernoulli", (input, lambda gradient: gradient * 0))


@operation
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Return places along the last axis, drawn in proportion to the numbers there."""
    rows = _checked_rows(input, num_samples, replacement)
    draws = generator_of(generator, "multinomial")
    count = input.shape[-1]
    if replacement and num_samples > 1:
        drawn = [_with_replacement(row, num_samples, input.dtype, draws) for row in rows]
    else:
        times = packed(input.dtype, draws.draw(source.exponentials, count * len(rows)))
        drawn = [
            _first_to_arrive(row, times[count * at : count * (at + 1)], num_samples, input.dtype)
            for at, row in enumerate(rows)
        ]
    places = [place for row in drawn for place in row]
    return made(places, (*input.shape[:-1], num_samples), dtypes.int64)


def _checked_rows(input: Tensor, num_samples: int, replacement: bool) -> list[Sequence[float]]:
    name = class_name(tensor_argument("multinomial", input).dtype)
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {name}"
        )
    if input.dim() not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    count, numbers = input.shape[-1], values(input)
    if not replacement and num_samples > count:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    rows = [numbers[at : at + count] for at in range(0, len(numbers), count)]
    if replacement and num_samples > 1:
        wrong = "invalid multinomial distribution (encountering probability entry < 0)"
    else:
        wrong = "probability tensor contains either `inf`, `nan` or element < 0"
    if not all(isfinite(number) and number >= 0 for number in numbers):
        raise RuntimeError(wrong)
    if not all(map(any, rows)):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    return rows


def _first_to_arrive(
    row: Sequence[float], times: Sequence[float], count: int, kind: dtype
) -> list[int]:
    """Return the places whose number, divided by a waiting time, is largest."""
    pairs = zip(row, times, strict=True)
    ranks = packed(kind, [number / time if time else number and inf for number, time in pairs])
    return sorted(range(len(row)), key=ranks.__getitem__, reverse=True)[:count]


def _with_replacement(row: Sequence[float], count: int, kind: dtype, draws: Generator) -> list[int]:
    sums = list(accumulate(row, lambda total, number: rounded(kind, total + number)))
    limits = packed(kind, [each / sums[-1] for each in sums])
    limits[-1] = 1.0
    uniform = draws.draw(source.uniforms, count, dtypes.float64)
    return [bisect_left(limits, number) for number in uniform]


def _random_size(name: str, sizes: Sequence[Any], size: Any = None) -> Size:
    given = sizes if size is None else (size,)
    if not given:
        raise bad_call(name)
    shape = size_argument(name, given)
    if shape and min(shape) < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    return shape


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.random")
