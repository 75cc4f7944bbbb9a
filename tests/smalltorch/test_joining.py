"""Joined tensors are torch's: values, dtypes, errors, gradients."""

from tests.smalltorch.lines import gradients_of, values_of

test_value_strides_and_error_of = values_of(r"""
torch.cat(x)
torch.cat([])
torch.cat([v,1])
torch.cat([v,s])
torch.cat([v,x])
torch.cat([x,torch.zeros(2,4,5)])
torch.cat([x,torch.zeros(2,4,5)],2)
torch.cat([x,torch.zeros(2,4,5)],1)
torch.cat([x,x],3)
torch.cat([v,torch.zeros(0)])
torch.cat([x,torch.zeros(0)])
torch.cat([torch.zeros(0),torch.zeros(0)])
torch.cat([v,torch.tensor([1])]).dtype
torch.cat([torch.tensor([1]),torch.tensor([True])]).dtype
torch.cat([v.half(),torch.tensor([1.])]).dtype
torch.cat(v)
torch.cat(v,v)
torch.cat((v,v),dim=0.0)
torch.cat(v for _ in range(2))
torch.stack([])
torch.stack(x)
torch.stack([v,s])
torch.stack([v,1])
torch.stack([v,v],2)
torch.stack([v,v],-3)
torch.stack(v)
torch.stack([v,v.long()]).dtype
torch.stack(1)
torch.hstack([s,v])
torch.hstack([x,v])
torch.hstack([])
torch.vstack([v,s])
torch.vstack([v,v])
torch.column_stack([v,v])
torch.cat([x,x],axis=1)
torch.stack([x,x],axis=1)
torch.cat([torch.zeros(0, 3), torch.ones(2, 3)])
torch.cat([torch.zeros(2, 0), torch.ones(2, 3)], 1)
torch.cat([x.half(), x.bfloat16()]).dtype
torch.cat([x > 3, x.long()], -1)
torch.stack([s, s])
torch.stack((x.mT, x.mT), dim=-1)
torch.cat((x, x), axis=2)
""")
test_gradients_of = gradients_of(r"""
torch.cat([x, y], 1)
torch.cat([x.mT, x.mT, y.mT], -1)
torch.cat([x, x])
torch.stack([x, y], 1)
torch.hstack([x, y])
torch.vstack([x, y])
torch.column_stack([x[0, 0], y[0, 0]])
""")
