"""Products of vectors, matrices and stacks of them: as torch's."""

import pytest
import torch

import smalltorch
from tests.smalltorch.both import held, normal, same, small, twice

DOUBLE = torch.float64


SHAPES = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 5)), ((2, 3), (3, 5)), ((7, 2, 3), (3,)),
    ((3,), (7, 3, 5)), ((7, 2, 3), (3, 5)), ((2, 3), (7, 3, 5)), ((7, 2, 3), (7, 3, 5)),
    ((7, 1, 2, 3), (11, 3, 5)), ((1, 2, 3), (7, 3, 5)), ((7, 11, 2, 3), (1, 11, 3, 5)),
    ((0,), (0,)), ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((0, 2, 3), (3, 5)), ((7, 2, 3), (3, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_matmul_of_all_ranks(a, b):
    same(lambda torch, x, y: x @ y, normal(*a), normal(*b), gradients=True)
    same(lambda torch, x, y: (x @ y).stride(), normal(*a), normal(*b))


@pytest.mark.parametrize(
    "dtype",
    [
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.int8,
        torch.uint8,
        torch.complex64,
    ],
)
def test_matmul_of_dtypes(dtype):
    same(
        lambda torch, x, y: torch.matmul(x, y), normal(2, 3, dtype=dtype), normal(3, 5, dtype=dtype)
    )


def test_matmul_of_views():
    x, y = normal(7, 3, 2), normal(5, 7, 3)
    same(lambda torch, x, y: x.mT @ y.permute(1, 2, 0), x, y, gradients=True)
    same(lambda torch, x, y: x[:, 1:, ::2].mT @ y[1:, 2, 1:].T, x, y, gradients=True)
    same(lambda torch, x: x[:1].expand(5, 3, 2) @ x[0, 1], x, gradients=True)
    same(lambda torch, x: x.diagonal(0, 1, 2) @ x[0, 0], x[:2, :2], gradients=True)


def test_second_derivatives():
    for shapes in [((2, 3), (3, 5)), ((7, 2, 3), (3,)), ((3,), (3,)), ((7, 2, 3), (7, 3, 5))]:
        same(twice(lambda torch, x, y: x @ y), *(normal(*shape) for shape in shapes), limit=1e-9)


def test_gradient_of_one_matrix_for_a_stack_keeps_the_shape():
    same(lambda torch, x, w: torch.tanh(x @ w) @ w.T, normal(7, 2, 3), normal(3, 5), gradients=True)


ONE = {
    "mm": ((2, 3), (3, 5)), "bmm": ((7, 2, 3), (7, 3, 5)), "mv": ((2, 3), (3,)),
    "dot": ((3,), (3,)), "outer": ((3,), (5,)),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_products_of_one_rank(name):
    inputs = [normal(*shape) for shape in ONE[name]]
    same(lambda torch, x, y: getattr(torch, name)(x, y), *inputs, gradients=True)
    same(lambda torch, x, y: getattr(x, name)(y), *inputs)


@pytest.mark.parametrize("name", ["mm", "bmm", "mv", "dot", "outer"])
@pytest.mark.parametrize(
    "shapes",
    [((2, 3), (5, 7)), ((2,), (3,)), ((2, 2), (2,)), ((2,), (2, 2)), ((2, 3, 2), (5, 2, 3))],
)
def test_products_of_one_rank_refuse_others(name, shapes):
    same(lambda torch, x, y: getattr(torch, name)(x, y), *(normal(*shape) for shape in shapes))


@pytest.mark.parametrize(("a", "b"), [
    ((2, 3), (5, 7)), ((2, 3), (5,)), ((3,), (5, 7)), ((3,), (5,)), ((7, 2, 3), (5, 2)),
    ((7, 2, 3), (5,)), ((7, 2, 3), (7, 5, 2)), ((7, 2, 3), (5, 3, 2)), ((11, 7, 2, 3), (5, 3, 2)),
    ((3,), (7, 5, 2)), ((2, 3), (7, 5, 2)), ((), (3,)), ((3,), ()),
])  # fmt: skip
def test_what_does_not_fit(a, b):
    same(lambda torch, x, y: x @ y, normal(*a), normal(*b))


def test_what_does_not_fit_in_a_view():
    x = normal(3, 7, 2).transpose(0, 1)
    same(lambda torch, x, y: x @ y, x, normal(3, 5))
    same(lambda torch, x, y: x @ y, x, normal(5))
    same(lambda torch, x, y: x @ y.requires_grad_(), x, normal(3, 5))


@pytest.mark.parametrize(
    "kinds", [(torch.float32, DOUBLE), (DOUBLE, torch.int64), (torch.bool, torch.bool)]
)
@pytest.mark.parametrize(
    "shapes", [((2, 3), (3, 2)), ((5, 2, 3), (5, 3, 2)), ((2, 3), (3,)), ((3,), (3,))]
)
def test_dtypes_that_do_not_fit(kinds, shapes):
    inputs = [normal(*shape, dtype=kind) for shape, kind in zip(shapes, kinds, strict=True)]
    same(lambda torch, x, y: x @ y, *inputs)


def test_what_is_no_tensor():
    same(lambda torch, x: x @ 3, normal(2, 3))
    same(lambda torch, x: 3 @ x, normal(2, 3))
    same(lambda torch, x: torch.matmul(x, 3), normal(2, 3))
    same(lambda torch, x: torch.matmul([1.0], x), normal(2, 3))


@pytest.mark.parametrize(
    ("a", "b"),
    [((3,), (3,)), ((2, 3), (5, 3)), ((2, 3), (5, 7, 3)), ((), (2, 3)), ((2, 3), (5, 7))],
)
def test_inner(a, b):
    same(lambda torch, x, y: torch.inner(x, y), normal(*a), normal(*b), gradients=True)


def test_sums_with_products():
    inputs = normal(5), normal(2, 3), normal(3, 5)
    same(lambda torch, *x: torch.addmm(*x), *inputs, gradients=True)
    same(lambda torch, *x: torch.addmm(*x, beta=2, alpha=0.5), *inputs, gradients=True)
    same(lambda torch, x, *y: torch.addmm(x * torch.nan, *y, beta=0), *inputs)


def test_sums_that_do_not_fit():
    same(lambda torch, *x: torch.addmm(*x), normal(2), normal(2, 3), normal(3, 5))
    same(
        lambda torch, *x: torch.addmm(*x),
        normal(5, dtype=torch.float32),
        normal(2, 3),
        normal(3, 5),
    )


def test_not_finite():
    x = torch.tensor([[torch.inf, 0.0], [torch.nan, 1.0]], dtype=DOUBLE)
    same(lambda torch, x, y: x @ y, x, normal(2, 3))
    same(lambda torch, x, y: x @ y, x, torch.zeros(2, 3, dtype=DOUBLE))
    same(lambda torch, x: x @ x, torch.full((2, 2), 1e38))


@held(normal(2, 3), normal(3, 5))
def test_a_saved_operand_must_not_change(torch, x, y):
    product = x @ y.requires_grad_()
    x.mul_(2)
    return product.sum().backward()


def test_a_product_is_no_view():
    for a, b in SHAPES[:9]:
        assert (small(normal(*a)) @ small(normal(*b)))._base is None
    assert smalltorch.Tensor.__matmul__(small(normal(2)), 3) is NotImplemented
