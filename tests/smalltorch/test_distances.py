"""Distances and cosines: as torch's."""

import pytest

from tests.smalltorch.both import normal, same

ORDERS = [2.0, 1.0]


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize(
    "shapes", [((3, 5), (2, 5)), ((7, 3, 5), (1, 2, 5)), ((3, 0), (2, 0)), ((0, 3), (2, 3))]
)
def test_cdist(p, shapes):
    same(
        lambda torch, x, y: torch.cdist(x, y, p=p),
        *(normal(*each) for each in shapes),
        gradients=True,
    )


@pytest.mark.parametrize("p", ORDERS)
def test_gradient_between_equal_rows(p):
    x = normal(5, 3)
    same(lambda torch, x: torch.cdist(x, x, p=p), x, gradients=True)


def test_modes_and_views():
    x, y = normal(3, 5), normal(3, 2)
    for mode in ("use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist", "x", None):
        same(
            lambda torch, x, y, mode=mode: torch.cdist(x.T, y.T, compute_mode=mode),
            x,
            y,
            limit=1e-7,
        )


@pytest.mark.parametrize(
    "shapes", [((2, 3), (2, 4)), ((2,), (2, 4)), ((2, 3), (3,)), ((2, 5, 3), (3, 5, 3))]
)
def test_cdist_refuses(shapes):
    same(lambda torch, x, y: torch.cdist(x, y), *(normal(*each) for each in shapes))


def test_dtypes():
    same(lambda torch: torch.cdist(torch.ones(2, 3).long(), torch.ones(2, 3).long()))
    same(lambda torch: torch.cdist(torch.ones(2, 3), torch.ones(2, 3).double()))
    same(lambda torch: torch.cosine_similarity(torch.ones(2, 3).long(), torch.ones(2, 3).long()))
    same(lambda torch: torch.cosine_similarity(torch.ones(2, 3).long(), torch.ones(2, 3)))
    same(lambda torch: torch.cosine_similarity(torch.ones(2, 3), 3))


@pytest.mark.parametrize("dim", [0, 1, -1, 2])
def test_cosine_similarity(dim):
    x, y = normal(3, 5), normal(1, 5)
    same(lambda torch, x, y: torch.cosine_similarity(x, y, dim=dim), x, y, gradients=True)
    same(lambda torch, x, y: torch.cosine_similarity(x * 0, y, dim), x, y, gradients=True)
    same(lambda torch, x, y: torch.cosine_similarity(x, y, dim, eps=2.0), x, y, gradients=True)
    same(lambda torch, x: torch.cosine_similarity(x[:, None], x, dim=dim), x, gradients=True)
