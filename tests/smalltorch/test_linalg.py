"""Factors, solutions, determinants and norms of matrices: as torch's.

Singular vectors and eigenvectors are unique up to their signs: what does not depend on those is
compared.
"""

import pytest
import torch

from tests.smalltorch.both import normal, same, twice


def square(torch, x):
    return x @ x.mT + torch.eye(x.shape[-2], dtype=x.dtype)


MATRICES = [(3, 3), (5, 2), (2, 5), (7, 2, 3), (1, 1)]


@pytest.mark.parametrize("shape", MATRICES)
@pytest.mark.parametrize("full", [False, True])
def test_svd(shape, full):
    def run(torch, x):
        U, S, Vh = torch.linalg.svd(x, full_matrices=full)
        k = S.shape[-1]
        U, Vh = U[..., :k], Vh[..., :k, :]
        return S, U * S.unsqueeze(-2) @ Vh, U @ U.mT, Vh.mT @ Vh, (U @ Vh).sin(), (U**2 @ Vh**2)

    same(run, normal(*shape))
    same(lambda torch, x: [each.shape for each in torch.linalg.svd(x, full)], normal(*shape))


@pytest.mark.parametrize("shape", MATRICES)
def test_singular_values_and_what_they_give(shape):
    x = normal(*shape)
    same(lambda torch, x: torch.linalg.svdvals(x), x, gradients=True)
    same(lambda torch, x: torch.linalg.matrix_norm(x, "nuc"), x, gradients=True)
    same(lambda torch, x: torch.linalg.matrix_norm(x, 2, keepdim=True), x, gradients=True)
    same(lambda torch, x: torch.linalg.pinv(x), x, gradients=True)
    same(lambda torch, x: torch.svd(x).V.shape, x)
    same(lambda torch, x: torch.svd(x)[1], x.float())


def test_matrices_without_full_rank():
    x = normal(7, 2) @ normal(2, 5)
    same(lambda torch, x: torch.linalg.pinv(x), x)
    same(lambda torch, x: torch.linalg.svd(x).U.mT @ torch.linalg.svd(x).U, x)
    same(lambda torch: torch.linalg.svd(torch.zeros(2, 3)))
    same(lambda torch: torch.linalg.svd(torch.eye(3)))


@pytest.mark.parametrize("shape", [(3, 3), (7, 2, 2), (5, 5), (1, 1)])
def test_eigh(shape):
    def run(torch, x):
        L, V = torch.linalg.eigh(x + x.mT)
        return L, V * L.unsqueeze(-2).exp() @ V.mT, V**2

    same(run, normal(*shape))
    same(lambda torch, x: torch.linalg.eigvalsh(x), normal(*shape), gradients=True)
    same(lambda torch, x: torch.linalg.eigvalsh(x, UPLO="U"), normal(*shape))


@pytest.mark.parametrize("shape", [(3, 3), (7, 2, 2), (5, 5), (1, 1)])
def test_eigenvalues(shape):
    def run(torch, x):
        L, V = torch.linalg.eig(x)
        return (
            L.abs().sort().values,
            L.imag.abs().sort().values,
            (V * L.unsqueeze(-2) @ torch.linalg.inv(V)).real,
        )

    def fourth_powers(torch, x):
        L, V = torch.linalg.eig(x)
        return ((V.abs() ** 4).sum(-2) * L.abs()).sum(-1)

    same(run, normal(*shape), limit=1e-10)
    same(lambda torch, x: torch.linalg.eigvals(x).dtype, normal(*shape).float())


@pytest.mark.parametrize("rows", [
    [[0, 1], [-1, 0]], [[2, 0], [0, 2]], [[0, 0, 1], [1, 0, 0], [0, 1, 0]], [[1, 2], [2, 1]],
    [[0, 0], [0, 0]], [[1, 5, 2], [0, 3, 4], [0, 0, 2]],
])  # fmt: skip
def test_eigenvalues_of_chosen_matrices(rows):
    same(lambda torch: torch.linalg.eigvals(torch.tensor(rows, dtype=torch.float64)))


@pytest.mark.parametrize("shape", MATRICES)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(shape, mode):
    same(lambda torch, x: torch.linalg.qr(x, "r"), normal(*shape))


@pytest.mark.parametrize("shape", [(3, 3), (7, 2, 5), (1, 1)])
def test_cholesky(shape):
    same(lambda torch, x: torch.linalg.cholesky(square(torch, x), upper=True), normal(*shape))


@pytest.mark.parametrize("shape", [(3, 3), (7, 2, 2), (1, 1), (0, 0)])
def test_inverses_and_determinants(shape):
    x = normal(*shape)
    same(lambda torch, x: torch.linalg.inv(x), x, gradients=True, limit=1e-11)
    same(lambda torch, x: torch.inverse(x.mT), x)
    same(lambda torch, x: torch.det(x), x, gradients=True)
    same(lambda torch, x: torch.matrix_power(x, 3), x, gradients=True)
    same(lambda torch, x: torch.linalg.matrix_power(x, -2), x, limit=1e-10)
    same(lambda torch, x: torch.linalg.matrix_power(x, 0), x)


@pytest.mark.parametrize(("a", "b"), [
    ((3, 3), (3,)), ((3, 3), (3, 2)), ((7, 3, 3), (7, 3)), ((7, 3, 3), (3, 2)), ((3, 3), (7, 3, 2)),
    ((3, 3), (2, 3)), ((3, 3), (5,)), ((3, 2), (3,)),
])  # fmt: skip
def test_solve(a, b):
    same(
        lambda torch, x, y: torch.linalg.solve(x, y),
        normal(*a),
        normal(*b),
        gradients=True,
        limit=1e-10,
    )


def test_solve_from_the_right():
    x, y = normal(3, 3), normal(2, 3)
    same(
        lambda torch, x, y: torch.linalg.solve(x, y, left=False), x, y, gradients=True, limit=1e-10
    )


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_solve_triangular(upper, left, unit):
    def run(torch, x, y):
        y = y if left else y.mT
        return torch.linalg.solve_triangular(x, y, upper=upper, left=left, unitriangular=unit)

    same(run, normal(3, 3), normal(3, 5), gradients=True, limit=1e-9)
    same(run, normal(7, 3, 3), normal(3, 5), gradients=True, limit=1e-9)
    same(run, torch.zeros(3, 3), torch.tensor([[0.0], [1.0], [-1.0]]))


@pytest.mark.parametrize(
    "ord", [None, "fro", "nuc", 1, -1, 2, -2, torch.inf, -torch.inf, 0, 3, "x"]
)
@pytest.mark.parametrize("shape", [(3,), (3, 5), (2, 3, 5)])
def test_norms(ord, shape):
    x = normal(*shape)
    same(lambda torch, x: torch.linalg.norm(x, ord), x, gradients=True)
    same(lambda torch, x: torch.linalg.norm(x, ord, dim=-1), x)
    same(lambda torch, x: torch.linalg.norm(x, ord, dim=(0, 1), keepdim=True), x)
    same(lambda torch, x: torch.linalg.matrix_norm(x, ord or "fro", (-1, 0)), x)


SQUARE = "inv eigh eigvalsh eig eigvals cholesky det".split()
ANY = "svd svdvals qr pinv".split()
INTEGERS = "inv svd qr cholesky det".split()


@pytest.mark.parametrize("name", SQUARE + ANY)
def test_what_is_no_matrix(name):
    same(lambda torch, x: getattr(torch.linalg, name)(x), normal(3))


@pytest.mark.parametrize("name", SQUARE)
def test_what_is_not_square(name):
    same(lambda torch, x: getattr(torch.linalg, name)(x), normal(2, 3))


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name):
    same(lambda torch, x: getattr(torch.linalg, name)(x), torch.ones(2, 2).long())


@pytest.mark.parametrize("name", ["inv", "cholesky", "det", "qr"])
@pytest.mark.parametrize("x", [torch.zeros(2, 2), torch.zeros(5, 2, 2)])
def test_singular_matrices(name, x):
    same(lambda torch, x: getattr(torch.linalg, name)(x), x)
    same(lambda torch, x: torch.linalg.solve(x, x), x)


def test_other_refusals():
    same(lambda torch: torch.linalg.cholesky(torch.tensor([[1.0, 2.0], [2.0, 1.0]])))
    same(lambda torch: torch.linalg.eigh(torch.eye(2), UPLO="X"))
    same(lambda torch: torch.linalg.qr(torch.eye(2), "x"))
    same(lambda torch: torch.linalg.svd(torch.full((2, 3), torch.nan)))
    same(lambda torch: torch.linalg.eigh(torch.full((2, 2), torch.nan)))
    same(lambda torch: torch.linalg.solve(torch.eye(2), torch.eye(2).double()))
    same(lambda torch: torch.linalg.solve_triangular(torch.eye(2), torch.ones(2), upper=True))
    same(lambda torch: torch.linalg.no_such_thing)
    same(lambda torch: issubclass(torch.linalg.LinAlgError, RuntimeError))


def test_second_derivatives():
    for lines in (
        lambda torch, x: torch.linalg.inv(x),
        lambda torch, x: torch.linalg.det(x),
        lambda torch, x: torch.linalg.solve(x, x.mT),
    ):
        same(twice(lines), normal(3, 3), limit=1e-7)
