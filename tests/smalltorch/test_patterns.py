"""Repeated, turned and cut tensors are torch's."""

import pytest
import torch

from tests.smalltorch.lines import same_gradients, same_line

pytestmark = pytest.mark.filterwarnings("ignore")  # what torch finds out of date

LINES = r"""
v.diag(1)
x.diag()
s.diag()
v.diag_embed()
v.diag_embed(1,0,0)
torch.trace(x)
v.trace()
v.tril()
s.triu()
x.tril(1.0)
torch.tril(x,1)[0]
torch.tril_indices(3,3,-1)
torch.triu_indices(2,3,dtype=torch.int32)
torch.tril_indices(-1,3)
x.repeat(2)
x.repeat(2,1,1)
x.repeat((2,1,1))
x.repeat(2,2,1,1)
x.repeat(-1,1,1)
x.repeat(1.0,1,1)
x.tile(2)
x.tile((2,2))
torch.tile(x,(2,))
x.repeat_interleave(2)
x.repeat_interleave(2,1)
x.repeat_interleave(torch.tensor([1,2,0]),1)
x.repeat_interleave(torch.tensor([1,2]),1)
x.repeat_interleave(torch.tensor([1.,2,0]),1)
x.repeat_interleave(-1,1)
x.repeat_interleave([1,2,0],1)
torch.repeat_interleave(torch.tensor([1,2]))
x.repeat_interleave(torch.tensor([2]),1)
x.repeat_interleave(torch.tensor(2),1)
x.flip(0)
x.flip((0,1))
x.flip(0,0)
x.flip(3)
torch.flip(x,0)
torch.flip(x,[0])
x.roll(1,0)
x.roll(1)
x.roll((1,2),0)
x.roll((1,2))
x.roll(1,(0,1))
x.roll(1,3)
x.roll((1,2),(0,1))
x.roll(shifts=1,dims=-1)
torch.meshgrid(v,v)[0]
torch.meshgrid(v,i,indexing='xy')[0]
torch.meshgrid(v,i,indexing='ij')[1]
torch.meshgrid([v,i.float()],indexing='ab')
torch.meshgrid()
torch.meshgrid(v.long(),i,s.long(),indexing='ij')[0]
torch.meshgrid(v,i,indexing='ij')[0].dtype
torch.cartesian_prod(i,i)
torch.cartesian_prod(i)
torch.cartesian_prod(v,i)
torch.cartesian_prod(x,x)
torch.block_diag(v,x[0])
torch.block_diag(x)
torch.block_diag(s,v)
torch.flip(x,0,1)
torch.tile(x,2,2)
torch.tile(x,2)
x.flip([0])
x.repeat((2,2.))
torch.roll(x,1.0)
x.repeat_interleave(2.0)
x.tril(9)
x.triu(-9)
x.tril(-9)
x.bool().triu()
torch.zeros(0, 3).tril()
torch.zeros(0, 3).repeat(2, 2)
torch.zeros(0).roll(1)
x.roll(-7, 2)
torch.eye(3).repeat(2, 2)
torch.triu(torch.ones(4, 4), diagonal=1)
"""
GRADIENTS = r"""
x.repeat(2, 1, 3)
x.repeat(2, 1, 1, 1)
x.tile(2, 1)
x.repeat_interleave(2, 1)
x.repeat_interleave(torch.tensor([1, 0, 2]), 1)
x.flip(0, 2)
x.roll((1, -2), (1, 2))
x.roll(4)
x.tril()
x.triu(1)
x.mT.tril(-1)
x[0].diag(1)
x[0, 0].diag(-1)
x[0].diag_embed(1)
x[0, :, :3].trace()
torch.block_diag(x[0], y[0])
torch.meshgrid(x[0, 0], y[0, 1], indexing="ij")
torch.cartesian_prod(x[0, 0], y[0, 1])
"""
X = (torch.arange(30.0, dtype=torch.float64) * 7 % 11 / 5 - 1).reshape(2, 3, 5)
Y = (torch.arange(30.0, dtype=torch.float64) * 5 % 13 / 6 - 1).reshape(2, 3, 5)


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_value_strides_and_error_of(line):
    same_line(line)


@pytest.mark.parametrize("line", GRADIENTS.strip().splitlines())
def test_gradients_of(line):
    same_gradients(line, X, Y)
