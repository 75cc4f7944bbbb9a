"""Other shapes and orders of axes are torch's: strides, errors, gradients."""

import pytest
import torch

from tests.smalltorch.lines import same_gradients, same_line

pytestmark = pytest.mark.filterwarnings("ignore")  # what torch finds out of date

LINES = r"""
x.view(2.5)
x.reshape(2.5,2)
x.reshape(2, 15/1)
x.reshape((2, 15.0))
torch.reshape(x,(2,15.0))
x.view((2,15.0))
x.view('a')
x.view(-1,-1)
x.view(-1,7)
x.view(-2,15)
x.reshape(4,4)
x.reshape(-1,0)
x.transpose(1,2).view(-1)
v.reshape([])
x.permute(0,1)
x.permute(0,1,1)
x.permute(0,1,5)
torch.permute(x,(0,1))
x.permute(2,0,1.0)
x.transpose(0,3)
x.transpose(0,1.0)
x.t()
s.t()
s.T
v.mT
x.T
x.mT
x.flatten(2,1)
x.flatten(0,5)
s.flatten()
x.flatten(1,1) is x
x.unflatten(1,(2,2))
x.unflatten(1,(-1,3))
x.unflatten(1,3)
x.unflatten(1,())
x.unflatten(5,(3,))
x.unflatten(1,(-1,-1))
x.unflatten(1,(-1,2))
x.unsqueeze(4)
x.unsqueeze(-5)
x.squeeze(3)
x.squeeze((0,3))
x.squeeze((0,0))
x.expand(2,3)
x.expand(2,4,5)
x.expand(-1,2,3,5)
x.expand(2,2,3,5)
x.expand((2,2,3,5))
v.expand(2.0,3)
v.expand(0)
v.expand(-2)
x.expand_as(v)
x.broadcast_to((2,))
torch.broadcast_shapes((2,3),(1,),1)
torch.broadcast_tensors(x,torch.ones(4))
x.sum_to_size(3,5)
x.sum_to_size(4)
torch.atleast_2d(v,s)
x.movedim(0,3)
x.movedim((0,1),(1,))
x.movedim((0,0),(1,2))
x.movedim((0,1),(1,1))
x.movedim((0,1),(2,0))
x.swapaxes(0,1)
x.ravel()
x.view_as(v)
x.reshape_as(v)
x.mT.clone()
x.mT.contiguous()
x.expand(2,2,3,5).clone()
x.permute(2,0,1).clone()
(x.permute(2,0,1)*2)
x.view(5,-1)
x.view(torch.Size([5,6]))
x.view(torch.tensor(30))
x.view(torch.tensor(5),6)
x.reshape(shape=(5,6))
x.view(size=(5,6))
x.expand(size=(2,3,5))
x.permute(dims=(2,0,1))
x.unsqueeze(1.0)
x.flatten(start_dim=1.0)
x.transpose('a','b')
x.squeeze(1.0)
x.T.T
torch.zeros(0,3).view(-1)
torch.zeros(0,3).view(-1,0)
torch.zeros(0,3).view(0,7)
torch.zeros(0,3).view(-1,3)
torch.reshape(x,3,2)
torch.permute(x,1,0)
torch.permute(x,1)
x.squeeze(0,1)
torch.reshape(x,6)
x.permute([1,0])
x.sum_to_size(1,3)
x.sum_to_size((1,3))
x.reshape(2,'a')
x.view(2,3.)
x.expand(2,3.)
x.unsqueeze(dim=0)
torch.broadcast_to(x,2,3)
torch.unflatten(x,1,(3,1))
torch.swapaxes(x,0,1)
torch.flatten(x,0,-1,3)
x.flatten(-1,-2)
torch.zeros(0, 3).reshape(3, 0)
torch.zeros(0, 3).T
torch.zeros(0, 3).unsqueeze(0).squeeze(0)
torch.zeros(1, 3).expand(0, 3)
x[:, 1:].view(2, 10)
x[..., 1:].view(2, 3, 2, 2)
x[..., 1:].view(6, 4)
x[:, 1:].reshape(4, 5)[0]
x.mT.reshape(2, 15)
x.mT.view(2, 5, 3, 1)
x[:, None].expand(2, 4, 3, 5).reshape(8, 15)
x.long().view(30)
x.bool().T
x.reshape(-1, 5)._base is x
x.mT.reshape(30)._base
x.view(-1)._base is x
x.flatten()[3:]._base is x
"""
GRADIENTS = r"""
x.reshape(6, 5)
x.transpose(0, 2).reshape(-1)
x.view(6, 5).T
x.permute(2, 0, 1)
x.mT
x.flatten(1)
x.unflatten(2, (5, 1))
x.movedim(0, -1)
x[:1].squeeze(0).unsqueeze(2)
x[:, :1].expand(2, 4, 5)
x[0, 0].expand(3, 5)
torch.broadcast_tensors(x, y)
x.sum_to_size(3, 1)
"""
X = (torch.arange(30.0, dtype=torch.float64) * 7 % 11 / 5 - 1).reshape(2, 3, 5)
Y = (torch.arange(30.0, dtype=torch.float64) * 5 % 13 / 6 - 1).reshape(2, 3, 5)


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_value_strides_and_error_of(line):
    same_line(line)


@pytest.mark.parametrize("line", GRADIENTS.strip().splitlines())
def test_gradients_of(line):
    same_gradients(line, X, Y)
