"""The same numbers in other dtypes, copies and arrays, and what is said of a tensor's kind."""

import copy
from typing import Any

import pytest
import torch

import smallnumpy
import smalltorch
from tests.smalltorch.both import assert_same, held, same

LINES = """
x.to(torch.float64)
x.to("cpu") is x
x.to(torch.float32) is x
x.to(x) is x
x.to(None) is x
x.to()
x.to(None, torch.float64)
x.to("cpu", torch.float64, True)
x.to(torch.float32, copy=True) is x
x.to(torch.float32, False, True) is x
x.to(torch.tensor(1))
x.to(device="cpu", dtype=torch.half)
x.to(float)
x.to(int)
x.to("cuda")
x.to("foo")
x.to("float64")
x.to([1])
x.to(torch.float32, torch.float64)
x.type_as(torch.tensor(1))
x.float() is x
x.double()
x.half()
x.bfloat16()
x.long()
x.int()
x.short()
x.char()
x.byte()
x.bool()
x.cfloat()
x.cdouble()
x.cpu() is x
x.cuda()
torch.tensor([1.9, -1.9]).long()
torch.tensor([float("inf"), float("nan")]).long()
torch.tensor([float("inf"), float("nan")]).int()
torch.tensor([300.0, -1]).byte()
torch.tensor([300, -1]).byte()
torch.tensor([0.1, 1 / 3]).half()
torch.tensor([0.1, 1 / 3]).bfloat16().float()
x.T.double().stride()
x.T.clone().stride()
x.T.contiguous().stride()
x.contiguous() is x
x[:, ::2].clone()
x.expand(2, 3).clone().stride()
torch.clone([1])
x.requires_grad_().numpy()
torch.ones(2, dtype=torch.bfloat16).numpy()
torch.is_tensor(x), torch.is_tensor(1)
torch.is_floating_point(x), torch.is_floating_point(x.long())
torch.is_floating_point(1)
torch.is_complex(x)
torch.numel(x)
torch.numel([1])
torch.get_default_device().type
torch.is_autocast_enabled(), torch.is_autocast_enabled("cpu")
torch.inf, torch.pi, torch.e, torch.newaxis
1.5 in x
7.0 in x
x.numpy().tolist()
x.T.numpy().tolist()
f"{torch.tensor(1.5)} {torch.tensor(2):03d} {torch.tensor(0.123456):.2f} {x}"
f"{x:.2f}"
""".strip().splitlines()


@pytest.mark.parametrize("line", LINES)
def test_line_gives_what_torch_gives(line: str) -> None:
    x = torch.tensor([[0.0, -1.5, 2.25], [1.5, 100.0, -3.0]])
    same(lambda torch, x: eval(line, {"torch": torch, "x": x}), x)


@pytest.mark.parametrize("kind", ["float64", "float16", "bfloat16", "float32"])
def test_gradient_comes_back_in_its_own_dtype(kind: str) -> None:
    x = torch.linspace(-2, 2, 7)
    same(lambda torch, x: x.to(getattr(torch, kind)) ** 2, x, gradients=True, limit=2e-2)


@pytest.mark.parametrize("line", ["x.clone()", "x.T.contiguous()", "x.double().float()"])
def test_copies_lead_back(line: str) -> None:
    same(lambda torch, x: eval(line) * x.sum(), torch.ones(3, 5), gradients=True)


def copied(torch: Any, way: Any, leaf: bool) -> Any:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    (x * x).sum().backward()
    made = way(x if leaf else x * 2)
    return [made, made.is_leaf, None if made.grad is None else made.grad + 0]


@pytest.mark.parametrize("leaf", [True, False])
@pytest.mark.parametrize("way", [copy.deepcopy, copy.copy])
def test_copies(way: Any, leaf: bool) -> None:
    if way is copy.copy:  # torch leaves the gradient behind
        same(lambda torch: copied(torch, way, leaf)[:2])
    else:
        same(lambda torch: copied(torch, way, leaf))


@held()
def test_one_tensor_is_copied_once(torch):
    x = torch.ones(2)
    a, b = copy.deepcopy([x, x])
    return a is b, a is x


def test_writes_to_a_tensor_show_in_its_array() -> None:
    def run(torch: Any) -> Any:
        x = torch.zeros(2, 3)
        array = x.T.numpy()
        x[0, 1] = 5.0
        array[2, 1] = 7.0
        return array.tolist(), x

    assert_same(run(smalltorch), run(torch))


def test_functions_of_numpy_take_tensors() -> None:
    assert smallnumpy.mean(smalltorch.tensor([1.0, 2.0])) == 1.5
    with pytest.raises(RuntimeError, match="requires grad"):
        smallnumpy.asarray(smalltorch.ones(2, requires_grad=True))
