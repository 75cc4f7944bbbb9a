"""Patterns: sets by hand, and the same output as dense attention under their masks."""

import pytest
import torch
from torch import Tensor

from bottomup.attention import (
    SparsePattern,
    scaled_dot_product_attention,
    sparse_attention,
    strided_masks,
)
from bottomup.attention.sparse.patterns import KINDS, WAYS

BATCH, HEAD, D_KEY, D_VALUE = 2, 6, 5, 7
PATTERNS = [(kind, merge) for kind in KINDS for merge in WAYS]
every_pattern = pytest.mark.parametrize("kind, merge", PATTERNS)

# (n, width, summary): one position, fewer than the width, as many, cut last blocks, several tiles
SIZES = [
    (1, 1, 1), (1, 7, 3), (5, 7, 2), (5, 7, 7), (7, 7, 2), (11, 1, 1), (13, 6, 5), (37, 3, 2),
    (67, 16, 3), (71, 19, 1),
]  # fmt: skip

# What each of seven positions reads with l = 3, and in "fixed" with c = 2.
UP_TO = ["0", "01", "012", "0123", "01234", "012345", "0123456"]
WINDOW = ["0", "01", "012", "123", "234", "345", "456"]
COLUMN = ["0", "1", "2", "03", "14", "25", "036"]
STRIDED = ["0", "01", "012", "0123", "1234", "2345", "03456"]
BLOCK = ["0", "01", "012", "3", "34", "345", "6"]
SUMMARIES = ["", "1", "12", "12", "124", "1245", "1245"]
FIXED = ["0", "01", "012", "123", "1234", "12345", "12456"]


def sets(mask: Tensor) -> list[str]:
    return ["".join(str(j) for j in row.nonzero().flatten().tolist()) for row in mask]


def draw(n: int, generator: torch.Generator, device: torch.device | str = "cpu") -> list[Tensor]:
    """Query, key and value in float64, which want gradients."""
    widths = (D_KEY, D_KEY, D_VALUE)
    drawn = [
        torch.randn(BATCH, HEAD, n, width, generator=generator, dtype=torch.float64)
        for width in widths
    ]
    return [tensor.to(device).requires_grad_() for tensor in drawn]


def assert_dense_under_the_mask(
    pattern: SparsePattern, inputs: list[Tensor], layer: int, atol: float = 1e-12
) -> None:
    """Compare outputs and the gradients of a sum in which every output counts differently."""
    n, device = inputs[0].shape[2], inputs[0].device
    mask = pattern.mask(n, num_heads=HEAD, layer=layer, device=device)
    dense, _ = scaled_dot_product_attention(*inputs, mask)
    sparse = sparse_attention(*inputs, pattern=pattern, layer=layer)
    torch.testing.assert_close(sparse, dense, rtol=0, atol=atol)
    weigh = torch.linspace(-1, 2, dense.numel(), dtype=dense.dtype, device=device)
    gradients = [
        torch.autograd.grad(output, inputs, weigh.reshape(dense.shape))
        for output in (sparse, dense)
    ]
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=atol)


# ---- The sets as masks


def test_the_papers_window_has_one_position_more_and_the_same_union():
    window, column = strided_masks(11, 3)
    wider, same = strided_masks(11, 3, paper_window=True)
    assert (window[-1].sum(), wider[-1].sum()) == (3, 4)
    assert torch.equal(same, column)
    assert torch.equal(window | column, wider | column)
    # i and, in the paper's window, i - l stand in both sets
    assert (window & column).sum() == 11
    assert (wider & column).sum() == 11 + 8


# ---- Sets by hand


@pytest.mark.parametrize(
    "kind, merge, layer, first_head, last_head",
    [
        ("dense", "union", 0, UP_TO, UP_TO),
        ("strided", "union", 1, STRIDED, STRIDED),
        ("strided", "heads", 1, WINDOW, COLUMN),
        ("strided", "layers", 0, WINDOW, WINDOW),
        ("strided", "layers", 1, COLUMN, COLUMN),
        ("strided", "layers", 2, WINDOW, WINDOW),
        ("fixed", "union", 1, FIXED, FIXED),
        ("fixed", "heads", 1, BLOCK, SUMMARIES),
        ("fixed", "layers", 4, BLOCK, BLOCK),
        ("fixed", "layers", 3, SUMMARIES, SUMMARIES),
        ("window", "heads", 1, WINDOW, WINDOW),
        ("window", "layers", 1, WINDOW, WINDOW),
        ("block", "heads", 1, BLOCK, BLOCK),
        ("block", "layers", 1, BLOCK, BLOCK),
    ],
)
def test_the_mask_by_hand(kind, merge, layer, first_head, last_head):
    pattern = SparsePattern(kind=kind, width=3, summary=2, merge=merge)
    mask = pattern.mask(7, num_heads=4, layer=layer)
    assert mask.dtype == torch.bool
    assert [sets(head) for head in mask] == [first_head, first_head, last_head, last_head]


# ---- Attention


@every_pattern
@pytest.mark.parametrize("layer", [0, 1])
def test_equals_dense_attention_under_the_mask(kind, merge, layer, generator):
    for n, width, summary in SIZES:
        pattern = SparsePattern(kind=kind, width=width, summary=summary, merge=merge)
        assert_dense_under_the_mask(pattern, draw(n, generator), layer)


# ---- What is refused, and what a pattern is


def test_more_summaries_than_the_block_is_wide_are_refused():
    with pytest.raises(ValueError, match=r"summary: expected an integer in \[1, width=7\], got 8"):
        SparsePattern(kind="fixed", width=7, summary=8)


@pytest.mark.parametrize("kind", ["strided", "fixed"])
def test_an_odd_number_of_heads_cannot_be_halved(kind):
    pattern, odd = SparsePattern(kind=kind, width=3, merge="heads"), torch.zeros(2, 3, 5, 7)
    with pytest.raises(ValueError, match="expected an even number of heads for 'heads'"):
        sparse_attention(odd, odd, odd, pattern=pattern)
    with pytest.raises(ValueError, match="merge: expected an even number of heads .*, got 3"):
        pattern.mask(5, num_heads=3)
