"""What `x[...]` reads and writes is torch's, and so is what it refuses."""

from tests.smalltorch.lines import gradients_of, values_of

test_value_strides_and_error_of = values_of(r"""
x[:,:,::2].clone()
v.long().__setitem__(0,float('nan'))
v.long().__setitem__(0,float('inf'))
v.long().__setitem__(0,1e30)
v.__setitem__(0,1j)
v.bool().__setitem__(0,2)
v.long().__setitem__(m,1.5)
v.clone().__setitem__(0,torch.ones(1))
v.clone().__setitem__(0,torch.ones(1,1))
v.clone().__setitem__(0,torch.ones(2))
v.clone().__setitem__(slice(0,2),torch.ones(1,2))
v.clone().__setitem__(m,torch.ones(1,2))
v.clone().__setitem__(m,torch.ones(2,1))
v.clone().__setitem__(m,torch.ones(1))
v.clone().__setitem__(i,torch.ones(3))
x.clone().__setitem__((0,i),torch.ones(3))
x.clone().__setitem__((0,i),torch.ones(2,2,5))
x[...,9]
x[:,None,9]
x[0,...,9]
x[0,None,9]
x[:,9]
x[torch.tensor(0),9]
x[0,torch.tensor(9)]
x[[0,9]]
x[[0,1],[0,9]]
x[:,[0,1],[0,9]]
x[[0],:,[9]]
x[None,[0,9]]
x[torch.tensor([0,9]),0]
x[True,9]
x[...,m,0]
x[m]
x[:,m]
x[0,m]
x[None,m]
x[:,m,[0,1,2]]
x[i>0]
x[1.5]
x[0,1.5]
x[0,'a']
x['a']
x[:,'a']
x[{}]
x[object()]
x[0,object()]
x[0:1,1:2,2:3,3:4]
x[None:None]
x[torch.tensor(1):2]
x[torch.tensor(1.):2]
x[torch.tensor([1,2]):2]
x[1:0]
x[5:9]
x[:-1,-2:]
x[i,0]
x[...,i,i]
x[torch.tensor(1.)]
x[0,torch.tensor(1.)]
x[[torch.tensor(0),torch.tensor(1)]]
x[[v.long()[:2]]]
x[[[0,1]]]
x[[[True,False]]]
x[([0,1],)]
x[[0,1],]
x[torch.tensor([],dtype=torch.long)]
x[torch.tensor([])]
x[:, []]
x[[], []]
x[[None]]
x[False]
x[0, True]
x[torch.tensor(False)]
x[torch.tensor([True,False]), torch.tensor([True,False,True])]
x[torch.tensor([[True,False,True],[True,True,True]])]
written(torch.zeros(3),i,torch.tensor(3))
written(torch.zeros(3),i,torch.tensor(3,dtype=torch.float64))
written(torch.zeros(3),i,torch.ones(1,dtype=torch.long))
written(torch.zeros(3),torch.zeros(3)>-1,torch.ones(1,dtype=torch.long))
written(torch.zeros(3),torch.zeros(3)>-1,torch.ones((),dtype=torch.float64))
written(x,(0,torch.ones(3)>0),torch.ones((),dtype=torch.long))[0,0,0]
written(torch.zeros(3).long(),i,torch.tensor(1.5))
written(torch.zeros(3).long(),torch.zeros(3)>-1,torch.tensor(1.5))
written(torch.zeros(3).long(),0,torch.tensor(1.5))
written(s,(),2.)
written(s,0,2.)
written(s,...,2.)
written(s,None,2.)
written(s,True,2.)
written(s,torch.tensor(True),2.)
written(s,torch.tensor(False),2.)
written(s,slice(None),2.)
written(torch.zeros(3),True,5.)
written(torch.zeros(3),False,5.)
written(torch.zeros(3),[0,2],torch.tensor([1.,2]))
written(torch.zeros(3),(i,),[1.,2])
written(x,(slice(None),i),torch.ones(5))[0,:,0]
written(x,(slice(None),i,i),torch.ones(2))[0]
written(x,(i.clamp(max=1),slice(None),i),torch.ones(2,1))[0]
written(x,x>20,torch.ones(9))[1]
written(x,x>20,torch.ones(8))
written(x,x>20,torch.ones(10))
written(x,x[0]>2,1.)
written(torch.zeros(3),[True,False,True],7.)
written(torch.zeros(3),slice(0,2),torch.ones(2).long())
written(torch.zeros(3),0,torch.ones(1,1,1))
written(torch.zeros(3),0,torch.ones(0))
written(torch.zeros(3),slice(1,1),torch.ones(0))
written(torch.zeros(3),slice(1,1),torch.ones(2))
written(torch.zeros(3),slice(1,1),torch.ones(1))
written(torch.zeros(3),torch.tensor([],dtype=torch.long),torch.ones(0))
written(torch.zeros(3),torch.tensor([],dtype=torch.long),torch.ones(2))
written(torch.zeros(3),[],1.)
written(x,0,torch.ones(3,1))[0]
written(x,0,torch.ones(2,3,5))
written(x,0,torch.ones(3))
written(x,(Ellipsis,0),torch.ones(2,3))[0]
written(torch.zeros(3),'a',1)
written(torch.zeros(3),1.5,1)
written(torch.zeros(3),slice(None,None,-1),1)
written(torch.zeros(3),5,1)
written(torch.zeros(3),(0,0),1)
written(torch.zeros(3),i,'a')
written(torch.zeros(3),i,None)
written(torch.zeros(3),0,True)
written(torch.zeros(3).bool(),0,2.5)
written(torch.zeros(3).bool(),0,float('nan'))
written(torch.zeros(3),0,float('inf'))
written(torch.zeros(3).half(),0,1e6)
written(torch.zeros(3).half(),0,70000.)
written(torch.zeros(3).int(),0,2**31)
written(torch.zeros(3).int(),0,2.0**31)
written(torch.zeros(3).float(),0,1e300)
written(torch.zeros(3),i,1e300)
written(torch.zeros(3).long(),i,1.5)
written(torch.zeros(3).long(),torch.zeros(3)>-1,1.5)
written(torch.zeros(3).long(),torch.zeros(3)>-1,float('nan'))
written(torch.zeros(3).long(),i,float('inf'))
written(torch.zeros(3),0,1+0j)
written(torch.zeros(2,dtype=torch.complex64),0,1j)
written(torch.zeros(3),0,torch.tensor(1j))
written(torch.zeros(3),i,torch.zeros(2,dtype=torch.complex64))
x[i>5]
x[(i>5).nonzero()].shape
x[torch.zeros(0)>0]
torch.zeros(0,3)[torch.zeros(0)>0]
torch.zeros(0,3)[0]
torch.zeros(0,3)[-1]
torch.zeros(0,3)[torch.tensor([0])]
x[i.unsqueeze(0),i.unsqueeze(1)]
x[i.clamp(max=1),[0,1],[0,1]]
x[:,i,None]
x[0][i]
x[-1,-1,-1]
x[i.int().clamp(max=1)]
x[torch.tensor(1,dtype=torch.int16)]
x[(0,1)]
x[[0,1],None]
x[[0,1],...,[0,1]]
x[...,[0,1],:]
x[0,...,0,...]
x[None,...,None]
x[[[0,1],[1,0]],]
x[range(1),0]
x[{1}]
x[slice(0,1),'a']
x[1,2,3,4]
x[x>5,0]
x[:,:,:,0]
x[0,1:'a']
x[[0,1.5]]
x[[0,True]]
x[[True,1]]
x[[None,0]]
x[(None,0)]
x[[0,None]]
x[[[0],[1]]]
x[[(0,),(1,)]]
x[[0,[1]]]
torch.zeros(3)[torch.zeros(3).long()]
torch.zeros(3)[i.tolist()]
torch.zeros(3)[tuple(i)]
torch.zeros(3)[tuple(i[:1])]
torch.zeros(3)[list(i)]
x[list(i)]
torch.zeros(3)[i[0]:i[1]]
torch.zeros(3)[i[0]]
torch.zeros(3)[-i]
torch.zeros(3)[torch.tensor(-4)]
torch.zeros(3)[torch.tensor([-4])]
torch.zeros(0, 3)[:, 1]
torch.zeros(0, 3)[torch.zeros(0).long()]
x[x > 99]
x.mT[0, 1:, ::2]
x[:, m, 1:3]
x[..., i, :][..., 1]
written(x.mT, (0, slice(1, 3)), 5.0)
written(x.long(), x > 5, 2)
written(x > 3, 0, True)
written(x.half(), x > 3, -1e9)
written(x.half(), 0, -1e9)
""")
test_gradients_of = gradients_of(r"""
x[1]
x[:, 1:, ::2]
x[..., -1]
x[None, 0, :, None]
x[:, [2, 0, 2]]
x[[0, 1, 1], [2, 0, 0]]
x[:, :, [[0, 4], [1, 1]]]
x[[0], :, [1]]
x[x > 0]
x[:, torch.tensor([True, False, True]), 2:]
x.mT[:, [1, 3]]
x[0, torch.tensor(1)]
written(x, 0, y[1])
written(x, (..., 1), y[:, :, 0])
written(x, x > 0, y[x > 0] * 2)
written(x, x > 0, y.sum())
written(x, (slice(None), [0, 2]), y[:, :1])
written(x, ([0, 1], slice(None), [1, 3]), y[:, :, 0])
written(x.mT, (slice(None), [0, 2]), y[0, 0, 0])
written(x, 0, 7.0)
written(x, [1], 7.0)
written(torch.zeros(2, 3, 5, dtype=x.dtype), (slice(None), 1), y[:, 0] * x[:, 0])
""")
