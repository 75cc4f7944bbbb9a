"""Numbers written over those of a tensor are torch's."""

import pytest
import torch

from tests.smalltorch.lines import same_gradients, same_line

pytestmark = pytest.mark.filterwarnings("ignore")  # what torch finds out of date

LINES = r"""
v.clone().copy_(torch.ones(2))
v.clone().copy_(1)
v.clone().copy_(torch.ones(2,3))
v.clone().copy_(torch.ones(1,3))
v.clone().fill_(torch.ones(1))
v.clone().fill_('a')
v.long().fill_(1.5)
v.bool().fill_(2)
v.clone().fill_(True)
v.clone().fill_(1j)
v.clone().fill_(None)
torch.fill(v,2.)
torch.zeros(3,3).fill_diagonal_(1)
v.fill_diagonal_(1)
torch.zeros(4,2).fill_diagonal_(1)
torch.zeros(2,2,2).fill_diagonal_(1)
torch.zeros(2,2,3).fill_diagonal_(1)
torch.zeros(3).clone().fill_(1e300)
torch.zeros(3).long().fill_(float('nan'))
torch.zeros(3).bool().fill_(float('nan'))
x.half().fill_(-1e9)
"""
GRADIENTS = r"""
x.fill(y.sum())
x.clone().fill_(y.sum())
x.clone().zero_()
(x * 1).copy_(y)
(x * 1).copy_(y[0, :, :1])
(x[0] * y[0]).fill_diagonal_(2.0)
"""
X = (torch.arange(30.0, dtype=torch.float64) * 7 % 11 / 5 - 1).reshape(2, 3, 5)
Y = (torch.arange(30.0, dtype=torch.float64) * 5 % 13 / 6 - 1).reshape(2, 3, 5)


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_value_strides_and_error_of(line):
    same_line(line)


@pytest.mark.parametrize("line", GRADIENTS.strip().splitlines())
def test_gradients_of(line):
    same_gradients(line, X, Y)
