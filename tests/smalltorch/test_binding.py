"""A call with a misspelt argument ends as in torch; one that only torch has is refused by name."""

import pytest

import smalltorch
from smalltorch.names import known_names
from smalltorch.refusal import LACKED, NotHere
from tests.smalltorch.lines import values_of
from tools.smalltorch_names import arguments

test_an_argument_that_torch_does_not_know = values_of(r"""
torch.softmax(x, dims=-1)
torch.softmax(nope=1)
torch.softmax(x, -1, dims=1)
torch.sum(x, dims=0)
torch.tril(x[0], diag=1)
x[0].tril(diag=1)
torch.cat([x], dims=0)
torch.stack([x], dims=0)
torch.transpose(x, dim=0)
torch.transpose(x)
torch.where(x > 1, x, nope=x)
torch.masked_fill(x, x > 1, val=0)
torch.topk(x, 1, nope=1)
torch.ones(2, nope=1)
torch.ones_like(x, nope=1)
torch.full((2,), 1.0, nope=1)
torch.arange(3, nope=2)
torch.tensor([1], requires_grads=True)
torch.einsum('ijk->i', x, nope=1)
torch.sum()
torch.gather(x, 0)
torch.exp(x=x)
torch.add(x1=x, x2=x)
torch.nn.functional.dropout(x, prob=0.1)
torch.nn.functional.softmax(x, dims=1)
torch.nn.GELU(foo=1)
torch.nn.Softmax(dims=1)
torch.nn.Embedding(2, 3, nope=1)
torch.nn.LayerNorm(3, nope=1)
""")

LACKING = {
    "torch.ones(2, pin_memory=False)": "ones(pin_memory=...)",
    "torch.arange(3, pin_memory=False)": "arange(pin_memory=...)",
    "torch.zeros(2).view(dtype=torch.int32)": "view(dtype=...)",
    "torch.linalg.pinv(torch.eye(2), hermitian=True)": "pinv(hermitian=...)",
    "torch.nn.Embedding(2, 3, max_norm=1.0)": "Embedding(max_norm=...)",
    "torch.nn.MSELoss(reduce=True)": "MSELoss(reduce=...)",
}


@pytest.mark.parametrize("line", LACKING)
def test_an_argument_that_only_torch_has_is_refused_by_name(line: str):
    with pytest.raises(NotHere, match="check this one in the notebook"):
        eval(line, {"torch": smalltorch})
    assert LACKED.pop() == LACKING[line]


def test_the_list_of_arguments_is_of_this_torch():
    for name, found in arguments().items():
        assert known_names()[f"{name}()"] == found, "run python -m tools.smalltorch_names"
