"""Reading and writing where tensors say is torch's."""

import pytest
import torch

from tests.smalltorch.lines import same_gradients, same_line

pytestmark = pytest.mark.filterwarnings("ignore")  # what torch finds out of date

LINES = r"""
x.gather(1,i)
x.gather(1,torch.zeros(2,1,5).long())
x.gather(1,torch.zeros(3,1,5).long())
x.gather(1,torch.zeros(2,1,5))
x.gather(1,torch.zeros(2,1,5).int())
x.gather(3,torch.zeros(2,1,5).long())
x.gather(-1,torch.zeros(2,1,5).long())
s.gather(0,torch.tensor(0))
s.gather(0,torch.tensor([0,0]))
x.gather(1,torch.zeros(0).long())
x.scatter(1,torch.zeros(2,1,5).long(),1.)
x.scatter(1,torch.zeros(2,1,5).long(),torch.zeros(2,1,4))
x.scatter(1,torch.zeros(2,1,5).long(),torch.zeros(2,1,5).double())
x.scatter(1,torch.zeros(2,1,5),1.)
x.scatter(1,i,1.)
x.scatter(1,torch.zeros(2,4,6).long(),1.)
x.scatter(1,torch.zeros(2,4,5).long(),torch.zeros(2,4,5))
v.scatter(0,torch.tensor([0,0]),torch.tensor([1.,2]))
v.long().scatter(0,i,1.5)
v.bool().scatter(0,i,True)
v.scatter_add(0,i,torch.ones(3))
v.scatter_add(0,i,torch.ones(1))
x.index_select(1,torch.tensor([3]))
x.index_select(1,torch.tensor([-1]))
x.index_select(1,torch.tensor([[0]]))
x.index_select(1,torch.tensor([0.]))
x.index_select(1,torch.tensor(0))
s.index_select(0,torch.tensor(0))
x.index_add(1,i,torch.ones(2,2,5))
x.index_add(1,i,torch.ones(2,3,5))
x.index_add(1,i,torch.ones(2,2,4))
x.index_add(1,torch.tensor([3]),torch.ones(2,1,5))
x.index_add(1,i,torch.ones(2,2,5).long())
x.index_add(1,i.float(),torch.ones(2,2,5))
x.masked_select(x>28)
x.masked_select(m)
x.masked_select(x)
x.take_along_dim(torch.zeros(2,1,1).long(),1)
x.take_along_dim(torch.zeros(2,1).long(),1)
x.take_along_dim(torch.tensor([29,3]))
x.take_along_dim(torch.zeros(2,1,1),1)
x.take_along_dim(torch.zeros(3,1,1).long(),1)
x.nonzero()[:2]
x.nonzero(as_tuple=True)[0]
s.nonzero()
s.nonzero(as_tuple=True)
torch.nonzero(v,as_tuple=False)
torch.argwhere(v)
torch.argwhere(s)
v.clone().masked_fill_(m,torch.ones(2))
torch.take_along_dim(x,torch.zeros(2,3).long(),1)
v.index_select(0,torch.tensor([5]))
x.index_select(0,torch.tensor([5]))
x.index_select(2,torch.tensor([5]))
x.long().index_select(1,torch.tensor([5]))
x.mT.index_select(1,torch.tensor([5]))
x.index_select(1,i.int())
x.index_select(5,i)
x.scatter(1,torch.zeros(2,1,5).long(),torch.tensor(1.))
x.scatter(1,torch.zeros(2,1,5).long(),'a')
x.scatter(1,torch.zeros(2,1,5).long())
x.scatter(1,torch.zeros(2,1,5).long(),True).dtype
x.gather(0,torch.zeros(2,3,5))
x.bool().gather(1,torch.zeros(2,1,5).long()).dtype
s.gather(0,torch.tensor(1))
s.scatter(0,torch.tensor(0),2.)
x.take_along_dim(torch.tensor([30]))
x.take_along_dim(torch.tensor([-1]))
x.masked_select(torch.ones(3,1)>0)
s.masked_select(torch.tensor(True))
x.nonzero(as_tuple=1)
torch.zeros(0,2).nonzero().shape
torch.nonzero([1])
v.index_add(0,i,torch.ones(2),alpha=2.)
v.index_add(0,torch.tensor([0,0]),torch.ones(2))
s.index_add(0,torch.tensor([0]),torch.ones(1))
v.scatter_(0,i,5.)
torch.scatter(v,0,i,torch.tensor([1.,2]))
torch.scatter(v,dim=0,index=i,value=3.)
v.scatter(0,torch.tensor([-1]),1.)
v.index_add_(0,torch.tensor([-1]),torch.ones(1))
v.index_add(0,torch.tensor([[0]]),torch.ones(1))
torch.index_select(input=v,dim=0,index=i)
"""
GRADIENTS = r"""
x.gather(2, torch.tensor([[[0, 4, 4], [1, 1, 2]]]))
x.mT.gather(1, torch.tensor([[[0, 4], [1, 1]]]))
x.scatter(1, torch.tensor([[[0, 2, 1, 1, 0]]]), y[:1, :1])
x.scatter(1, torch.tensor([[[0, 2, 1, 1, 0]]]), 3.0)
x.scatter_add(1, torch.tensor([[[0, 2], [2, 2]]]), y[:1, :2, :2])
x.take_along_dim(torch.tensor([[[0], [4], [4]]]), 2)
x.index_select(1, torch.tensor([2, 0, 2]))
x.index_add(1, torch.tensor([2, 2]), y[:, :2])
x.index_add(1, torch.tensor([2, 2]), y[:, :2], alpha=3)
x.masked_select(y > 0)
"""
X = (torch.arange(30.0, dtype=torch.float64) * 7 % 11 / 5 - 1).reshape(2, 3, 5)
Y = (torch.arange(30.0, dtype=torch.float64) * 5 % 13 / 6 - 1).reshape(2, 3, 5)


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_value_strides_and_error_of(line):
    same_line(line)


@pytest.mark.parametrize("line", GRADIENTS.strip().splitlines())
def test_gradients_of(line):
    same_gradients(line, X, Y)
