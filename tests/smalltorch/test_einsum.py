"""Equations that name axes: values, strides, views, gradients and errors as torch's."""

import pytest
import torch

from tests.smalltorch.both import held, same

SIZES = dict(zip("abcdefgijkn", (2, 3, 5, 2, 7, 3, 5, 2, 3, 5, 7), strict=True))


def operands(equation):
    inputs = equation.replace(" ", "").split("->")[0].split(",")
    generator = torch.Generator().manual_seed(3)
    return [
        torch.randn([SIZES[letter] for letter in each], dtype=torch.float64, generator=generator)
        for each in inputs
    ]


EQUATIONS = """
    ij,jk->ik ij,jk ij,jk->ki i,i-> i,i i,j->ij ij-> ij->j ij->ji ii->i ii-> ii aij,ajk->aik
    aij,ajk->kai aij,ajk,ak->ai abij,abkj->abik aij,bkj->abik ij,ij->ij ij,ij->i ij,j->i ij,i->ij
    abc,ade,ec->ab ij,kn->jn abad->bad iab,jcb->acij ijaj->iaj a,b,c->cab ji,bj->bi k,ck,ck->c
    ai,aj->ij ab,a,cb->ca i,ij,j-> baij,ajbk->kib ab,ab,ab->ba Ai,Aj->ij
""".split()


@pytest.mark.parametrize("equation", EQUATIONS)
def test_values_strides_and_gradients(equation):
    SIZES["A"] = 3
    inputs = operands(equation)
    same(lambda torch, *x: torch.einsum(equation, *x), *inputs, gradients=True)
    same(lambda torch, *x: torch.einsum(equation, *x).stride(), *inputs)
    same(lambda torch, *x: torch.einsum(equation, *x)._base is None, *inputs)


@pytest.mark.parametrize(("equation", "shapes"), [
    ("...ij,...jk->...ik", [(7, 2, 3), (7, 3, 5)]), ("i...,i...->i...", [(2, 3), (2, 1)]),
    ("...ij,...jk->...ik", [(11, 7, 2, 3), (7, 3, 5)]), ("i...,i...", [(2, 3), (2, 3)]),
    ("i...->i", [(2, 3, 5)]), ("...i->...", [(2, 3)]), ("...,...", [(2, 3), (3,)]),
    ("i...j->j...i", [(2, 3, 5)]), ("ij,jk", [(2, 1), (3, 5)]), ("...ii->...i", [(5, 2, 2)]),
    (" i j , j k -> k i", [(2, 3), (3, 5)]), ("...,...->...", [(), (3,)]),
    ("ij,jk->ik", [(2, 0), (0, 3)]), ("bij,bjk->bik", [(1, 2, 3), (7, 3, 5)]),
])  # fmt: skip
def test_dots_and_stretching(equation, shapes):
    inputs = [torch.randn(shape, dtype=torch.float64) for shape in shapes]
    same(lambda torch, *x: torch.einsum(equation, *x), *inputs, gradients=True)
    same(lambda torch, *x: torch.einsum(equation, *x).stride(), *inputs)


@pytest.mark.parametrize(("equation", "shapes"), [
    ("ij,jk->ik", [(2, 3), (5, 7)]), ("ij,jk->ik", [(2, 3)]), ("ij->ij", [(2, 3), (3, 2)]),
    ("ij->ik", [(2, 3)]), ("ij->ii", [(2, 3)]), ("ii->i", [(2, 3)]), ("i->i", [(2, 3)]),
    ("ijk...->i", [(2, 3)]), ("i1->i", [(2, 3)]), ("ij->i1", [(2, 3)]), ("i..->i", [(2, 3)]),
    ("i...j...->i", [(2, 3)]), ("i...->i..", [(2, 3)]), ("i...->i......", [(2, 3)]),
    ("i...,i...->i...", [(2, 3), (2, 5)]), ("ij - > ji", [(2, 3)]), ("", []),
    ("ij,jk->ik", [(2, 3), 3]),
])  # fmt: skip
def test_equations_that_do_not_fit(equation, shapes):
    def run(torch):
        given = [shape if isinstance(shape, int) else torch.zeros(shape) for shape in shapes]
        return torch.einsum(equation, *given)

    same(run)


def test_dtypes():
    same(lambda torch: torch.einsum("ij,jk", torch.ones(2, 3), torch.ones(3, 5).double()))
    same(lambda torch: torch.einsum("ij,i->ij", torch.ones(2, 3).long(), torch.ones(2)))
    same(
        lambda torch: torch.einsum(
            "ij,jk->ik", torch.arange(6).view(2, 3), torch.arange(6).view(3, 2)
        )
    )
    same(lambda torch: torch.einsum("ij,jk", [torch.ones(2, 3), torch.ones(3, 5)]))


@held(torch.ones(3, 3))
def test_a_view_is_a_view(torch, x):
    torch.einsum("ii->i", x).zero_()
    return x
