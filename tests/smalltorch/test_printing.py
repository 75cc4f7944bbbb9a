"""Tensors as text: character by character what torch writes."""

import pytest
import torch

import smalltorch
from tests.smalltorch.both import small

TENSORS = """
torch.tensor(1.5)
torch.tensor(2.0)
torch.tensor(-3)
torch.tensor(True)
torch.tensor([])
torch.zeros(0, 3)
torch.zeros(0, dtype=torch.int64)
torch.zeros(0, dtype=torch.float64)
torch.tensor([1.0, 2.5, -0.3])
torch.tensor([1.0, 2.0, -3.0])
torch.tensor([1.0, float("inf"), float("nan"), -float("inf")])
torch.tensor([0.5, float("inf"), float("nan")])
torch.tensor([float("nan")])
torch.zeros(3)
torch.tensor([0.0, -0.0])
torch.tensor([1e-5, 1.0])
torch.tensor([1e-5, 2e-5])
torch.tensor([0.5, 1000.0])
torch.tensor([1e9, 1.0])
torch.tensor([1e9, 2e9])
torch.tensor([123456.0, 1234.0])
torch.tensor([1, -20, 300])
torch.tensor([True, False])
torch.tensor([[1.0, 2.0], [3.5, 4.0]])
torch.tensor([1.5], dtype=torch.float64)
torch.tensor([1, 2], dtype=torch.int32)
torch.tensor([0.1, 0.2], dtype=torch.float16)
torch.tensor([0.1, 0.2], dtype=torch.bfloat16)
torch.tensor([1 + 2j, -0.5 - 1e-3j])
torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex128)
torch.tensor(1 - 2j)
torch.arange(24.0).reshape(2, 3, 4)
torch.arange(30)
torch.arange(30.0) / 7
torch.arange(1001)
torch.arange(2000.0).reshape(40, 50) / 3
torch.arange(3000).reshape(10, 2, 150)
torch.arange(1200.0).reshape(2, 3, 200)
torch.arange(20, dtype=torch.float64) / 7
torch.ones(3, 4).T
torch.ones(2, 2, 0)
""".strip().splitlines()


@pytest.mark.parametrize("line", TENSORS)
def test_text_is_torchs(line: str) -> None:
    tensor = eval(line)
    assert repr(small(tensor)) == repr(tensor)
    assert str(small(tensor)) == str(tensor)


@pytest.mark.parametrize(
    "line",
    [
        "torch.ones(2, requires_grad=True)",
        "torch.ones(2, requires_grad=True) * 2",
        "torch.ones(12, dtype=torch.float64, requires_grad=True) * 2.5",
        "(torch.ones(2, 3, requires_grad=True) * 2).sum()",
    ],
)
def test_history_is_told(line: str) -> None:
    assert repr(eval(line, {"torch": smalltorch})) == repr(eval(line))


def test_default_dtype_goes_without_saying() -> None:
    torch.set_default_dtype(torch.float64)
    smalltorch.set_default_dtype(smalltorch.float64)
    try:
        for line in ("torch.ones(2)", "torch.ones(2, dtype=torch.float32)", "torch.zeros(0)"):
            assert repr(eval(line, {"torch": smalltorch})) == repr(eval(line))
    finally:
        torch.set_default_dtype(torch.float32)
        smalltorch.set_default_dtype(smalltorch.float32)
