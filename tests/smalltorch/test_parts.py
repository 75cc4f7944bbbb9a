"""Slices, diagonals and pieces are torch's views, with its errors and gradients."""

from tests.smalltorch.lines import gradients_of, values_of

test_value_strides_and_error_of = values_of(r"""
x.narrow(1,2,3)
x.narrow(1,-4,1)
x.narrow(1,-1,1)
x.narrow(1,0,-1)
x.narrow(3,0,1)
s.narrow(0,0,1)
x.select(1,3)
x.select(1,-4)
s.select(0,0)
x.select(3,0)
s.unbind()
x.split(2,1)[1]
x.split(0,1)
x.split(-1,1)
x.split([1,1],1)
x.split([4,-1],1)
x.split((1,2),1)[1]
x.split(2.0)
x.split([1.0,2],1)
x.chunk(0)
x.chunk(4,2)[0]
len(x.chunk(4,2))
len(x.chunk(7,2))
s.chunk(2)
s.split(2)
x.chunk(2.0)
x.tensor_split(2,1)[0]
[a.shape for a in x.tensor_split((1,-1),2)]
[a.shape for a in x.tensor_split(7,2)]
x.tensor_split(0)
x.split_with_sizes([1,1],1)
x.diagonal()
x.diagonal(1,1,2)
x.diagonal(9,1,2)
x.diagonal(0,1,1)
v.diagonal()
x.as_strided((2,2),(1,1))
x.as_strided((2,200),(1,1))
x.unfold(1,2,1)
x.unfold(1,4,1)
x.unfold(1,2,0)
x.unfold(1,-1,1)
x.chunk(2,dim=2)
torch.zeros(0, 3).split(2)
torch.zeros(0, 3).chunk(2)
torch.zeros(0, 3).unbind()
torch.zeros(2, 0).unbind()
list(x[0])
[row.sum() for row in x[0]]
x[0]._base is x
x.mT.split(2, 1)
x[..., 1::2].chunk(2, 0)
x.diagonal(0, 1, 2)._base is x
""")
test_gradients_of = gradients_of(r"""
x.narrow(1, 1, 2)
x.select(2, 3)
x.diagonal(1, 1, 2)
x.mT.diagonal(-1, 1, 2)
x.unfold(2, 3, 1)
x.unfold(2, 2, 3)
x.unbind(1)
x.unbind(1)[2]
x.split(2, 2)[1:]
x.split([1, 3, 1], 2)
x.chunk(2, 1)[0]
x.tensor_split(3, 2)
x.as_strided((2, 3), (15, 6), 1)
x.mT.select(1, 2)
x[:, :1].expand(2, 3, 5).select(1, 0)
""")
