"""New tensors: values, dtypes, strides and errors as torch's, line by line."""

import warnings
from typing import Any

import numpy as np
import pytest
import torch

import smallnumpy
import smalltorch
from tests.smalltorch.both import assert_same, held, same

NESTED = """
tensor([1, 2.0])
tensor([True, 2])
tensor([True, False])
tensor(1 + 2j)
tensor([1, 1j])
tensor([])
tensor([[], []])
tensor([[], [1]])
tensor(((1, 2), [3, 4]))
tensor(range(3))
tensor([range(3)])
tensor([1, [2]])
tensor([[1], 2])
tensor([[1, 2], [3]])
tensor("a")
tensor(["a"])
tensor([1, "a"])
tensor(None)
tensor([1.0, None])
tensor({})
tensor({1, 2})
tensor(i for i in range(2))
tensor(object())
tensor(2**63 - 1)
tensor(2**63)
tensor([2**63])
tensor(1e40)
tensor([1.5, -2.5], dtype=torch.int64)
tensor([float("nan")], dtype=torch.int64)
tensor([300], dtype=torch.uint8)
tensor([-1], dtype=torch.uint8)
tensor([0.5, 0], dtype=torch.bool)
tensor(70000.0, dtype=torch.float16)
tensor([1], dtype=float)
tensor([1], dtype=int)
tensor([1], dtype=bool)
tensor([1], dtype="float")
tensor([1, 2], requires_grad=True)
tensor([1.0], requires_grad=True)
tensor([1], device="cuda")
tensor([1], device="foo")
tensor([torch.ones(2), torch.ones(2)])
tensor([torch.ones(1), torch.ones(1)])
tensor([torch.tensor(1), torch.tensor(2.0)])
tensor([torch.tensor(1), 2.5])
tensor([1.5, torch.tensor(2)])
tensor([[torch.tensor(1.0, dtype=torch.float64)], [2.5]])
tensor([torch.ones(1, 1), torch.ones(1, 1)])
as_tensor([1, 2.0])
asarray(3.0)
Tensor(2, 3).shape
Tensor([1, 2])
Tensor((2, 3))
Tensor(2.0)
Tensor()
Tensor(torch.tensor([1]))
Tensor(torch.Size([2, 3])).shape
""".strip().splitlines()

FULL = """
zeros(2, 3)
zeros((2, 3))
zeros([2, 3])
zeros(())
zeros()
zeros(2.0)
zeros(2, 3.0)
zeros("a")
zeros(True)
zeros(None)
zeros(2, (3,))
zeros([[2]])
zeros(-1)
ones(2, -1)
empty(-1)
full((-1,), 2)
zeros(torch.tensor(2))
zeros(torch.tensor(2.0))
zeros((torch.tensor(2), 3))
zeros(2, dtype=torch.int64, requires_grad=True)
zeros(size=(2,))
ones(2, dtype=torch.bool)
full((2,), 1)
full((2,), 1.5)
full((2,), True)
full((2,), float("nan"))
full(2, 1.0)
full((2,), torch.tensor(3))
full((2,), torch.tensor([3]))
full((2,), "a")
full((2,), 1.5, dtype=torch.int64)
full((2,), -1, dtype=torch.uint8)
full(size=(2,), fill_value=1j)
full_like(torch.ones(2, dtype=torch.int64), 1.5)
full_like(torch.ones(2), float("inf"), dtype=torch.int64)
zeros_like([1])
zeros_like(torch.ones(2), requires_grad=True)
ones_like(torch.ones(2), dtype=float)
eye(3)
eye(2, 3)
eye(3, 2)
eye(-1)
eye(2.0)
eye(0)
eye(2, dtype=torch.bool)
ones(2).new_zeros(2, 3)
ones(2).new_zeros((2, 3))
ones(2).new_zeros(-1)
ones(2).new_zeros()
ones(2).new_full((2,), True)
ones(2).new_full(2, 3)
tensor(1).new_full((2,), 3.5)
ones(2).new_tensor([1, 2])
tensor(1).new_tensor([1.5])
""".strip().splitlines()

ROWS = """
arange(5)
arange(5.0)
arange(2, 5)
arange(0, 1, 0.3)
arange(0, 1, 0.1)
arange(5, 2)
arange(5, 2, -1)
arange(2, 2)
arange(1, 2, 0)
arange(float("nan"))
arange(0, float("inf"))
arange(True)
arange("a")
arange()
arange(None)
arange(1, 2, 3, 4)
arange(start=1, end=3)
arange(1, end=3)
arange(1, 3, step=2)
arange(torch.tensor(3))
arange(torch.tensor([1, 2]))
arange(3, dtype=torch.float16)
arange(0.5, 3.6, dtype=torch.int64)
arange(3, dtype=torch.bool)
arange(3, requires_grad=True)
arange((3,))
linspace(0, 1, 1)
linspace(0, 1, 0)
linspace(0, 1, -1)
linspace(0, 1, 2.0)
linspace(0, 10, 4, dtype=torch.int64)
linspace(-3, 10, 7, dtype=torch.int64)
linspace(torch.tensor(0), 1, 3)
linspace(torch.tensor([0.0]), 1, 3)
linspace(-1, 2, 11, dtype=torch.float16)
linspace(-1, 2, 11, dtype=torch.bfloat16)
logspace(0, 1, 4, 2.0)
logspace(0, 2, 3, dtype=torch.int64)
""".strip().splitlines()


@pytest.mark.parametrize("line", NESTED + FULL + ROWS)
def test_line_gives_what_torch_gives(line: str) -> None:
    same(lambda torch: eval(f"torch.{line}", {"torch": torch}))


@pytest.mark.parametrize("count", [2, 3, 17, 29, 100])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_linspace_is_rounded_as_torch_rounds(count: int, kind: str) -> None:
    def numbers(torch: Any) -> Any:
        return torch.linspace(-0.7, 0.5, count, dtype=getattr(torch, kind)).tolist()

    assert numbers(smalltorch) == numbers(torch)


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like"])
@pytest.mark.parametrize(
    "view", ["x", "x.T", "x[:, ::2]", "x.expand(2, 3, 5)", "x.reshape(3, 5, 1).permute(2, 1, 0)"]
)
def test_a_tensor_like_another_keeps_the_order_of_its_axes(name: str, view: str) -> None:
    x = torch.arange(15.0).reshape(3, 5)
    same(lambda torch, x: getattr(torch, name)(eval(view)).stride(), x)


def test_a_tensor_of_arrays() -> None:
    def made(torch: Any, numpy: Any) -> list[Any]:
        rows = [numpy.arange(2), numpy.arange(2) + 0.5]
        return [torch.tensor(rows[0]), torch.tensor(rows[1]), torch.tensor(rows)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lists of arrays are slow
        assert_same(made(smalltorch, smallnumpy), made(torch, np))


def test_writes_to_an_array_show_in_its_tensor() -> None:
    def seen(torch: Any, numpy: Any) -> list[Any]:
        array = numpy.zeros((2, 3))
        tensor = torch.from_numpy(array)
        array[0, 1] = 5.0
        tensor[1, 2] = 7.0
        return [tensor, array.tolist()]

    assert_same(seen(smalltorch, smallnumpy), seen(torch, np))


@held()
def test_default_dtype_is_that_of_new_floats(torch):
    torch.set_default_dtype(torch.float64)
    try:
        made = torch.zeros(1), torch.tensor([1.5]), torch.arange(2.0), torch.full((1,), 2.0)
        return [*made, torch.eye(1), torch.rand(1) * 0, torch.tensor([1]) / 2]
    finally:
        torch.set_default_dtype(torch.float32)


def test_rows_of_uneven_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="expected sequence of length 2 at dim 1"):
        smalltorch.tensor([smallnumpy.arange(2), smallnumpy.arange(3)])
