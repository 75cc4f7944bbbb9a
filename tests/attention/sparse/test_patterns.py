"""Patterns as values: sets by hand, and the same output as dense attention under their masks."""

from dataclasses import FrozenInstanceError

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from bottomup.attention import (
    SparsePattern,
    fixed_masks,
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


def test_strided_masks_by_hand():
    window, column = strided_masks(5, 2)
    assert window.int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 1, 1],
    ]
    assert column.int().tolist() == [
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [0, 1, 0, 1, 0],
        [1, 0, 1, 0, 1],
    ]


def test_the_papers_window_has_one_position_more_and_the_same_union():
    window, column = strided_masks(11, 3)
    wider, same = strided_masks(11, 3, paper_window=True)
    assert (window[-1].sum(), wider[-1].sum()) == (3, 4)
    assert torch.equal(same, column)
    assert torch.equal(window | column, wider | column)
    # i and, in the paper's window, i - l stand in both sets
    assert (window & column).sum() == 11
    assert (wider & column).sum() == 11 + 8


def test_fixed_masks_by_hand():
    own, summaries = fixed_masks(5, 3, 1)
    assert own.int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 1, 1],
    ]
    assert summaries.int().tolist() == [[0] * 5, [0] * 5, *[[0, 0, 1, 0, 0]] * 3]
    assert fixed_masks(5, 3, 2)[1].int().tolist() == [
        [0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        *[[0, 1, 1, 0, 0]] * 2,
        [0, 1, 1, 0, 1],
    ]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: strided_masks(0, 2), ValueError, "n: expected an integer of at least 1, got 0"),
        (lambda: strided_masks(5, 0), ValueError, "stride: expected an integer of at least 1"),
        (lambda: strided_masks(5, 2.0), TypeError, "stride: expected an integer, got 2.0"),
        (lambda: fixed_masks(5, 0), ValueError, "block: expected an integer of at least 1"),
        (lambda: fixed_masks(5, 3, 0), ValueError, "summary: expected an integer of at least 1"),
        (
            lambda: fixed_masks(5, 3, 4),
            ValueError,
            r"summary: expected an integer in \[1, block=3\]",
        ),
    ],
)
def test_sparse_masks_name_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()


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


def test_what_is_read_by_hand():
    # Queries of zeros give equal weights: the output is the mean over the positions that are read.
    zeros, value = torch.zeros(1, 2, 5, 1), torch.tensor([1.0, 2, 4, 8, 16]).reshape(1, 1, 5, 1)
    pattern = SparsePattern(kind="fixed", width=2, summary=1, merge="heads")
    output = sparse_attention(zeros, zeros, value.expand(1, 2, 5, 1), pattern=pattern)[0, ..., 0]
    # {0}, {0, 1}, {2}, {2, 3}, {4}
    assert output[0].tolist() == pytest.approx([1, 3 / 2, 4, 6, 16])
    # {}, {1}, {1}, {1, 3}, {1, 3}
    assert output[1].tolist() == pytest.approx([0, 2, 2, 5, 5])


@every_pattern
def test_without_a_number_of_heads_the_mask_is_that_of_one_head(kind, merge):
    pattern = SparsePattern(kind=kind, width=3, summary=2, merge=merge)
    halved = merge == "heads" and kind in ("strided", "fixed")
    if halved:
        with pytest.raises(ValueError, match="merge: expected an even number of heads"):
            pattern.mask(7)
    else:
        assert torch.equal(pattern.mask(7), pattern.mask(7, num_heads=5)[:1])


# ---- Attention


@every_pattern
@pytest.mark.parametrize("layer", [0, 1])
def test_equals_dense_attention_under_the_mask(kind, merge, layer, generator):
    for n, width, summary in SIZES:
        pattern = SparsePattern(kind=kind, width=width, summary=summary, merge=merge)
        assert_dense_under_the_mask(pattern, draw(n, generator), layer)


@every_pattern
def test_runs_on_every_device(kind, merge, device, generator):
    pattern = SparsePattern(kind=kind, width=16, summary=3, merge=merge)
    inputs = draw(67, generator, device)
    assert_dense_under_the_mask(pattern, inputs, 1, 1e-12 if device.type == "cpu" else 1e-9)
    assert pattern.mask(7, num_heads=2, device=device).device.type == device.type


@every_pattern
@pytest.mark.parametrize("layer", [0, 1])
def test_the_future_changes_nothing_bit_for_bit(kind, merge, layer, generator):
    n, pattern = 37, SparsePattern(kind=kind, width=5, summary=2, merge=merge)
    inputs = [tensor.detach().float() for tensor in draw(n, generator)]
    before = sparse_attention(*inputs, pattern=pattern, layer=layer)
    for first in (1, 4, 5, 18, 36):
        changed = [tensor.clone() for tensor in inputs]
        for tensor in changed:
            tensor[:, :, first:] = torch.randn(tensor[:, :, first:].shape, generator=generator) * 9
        after = sparse_attention(*changed, pattern=pattern, layer=layer)
        assert torch.equal(after[:, :, :first], before[:, :, :first])
        assert not torch.equal(after[:, :, first:], before[:, :, first:])


class LargestTensor(TorchDispatchMode):
    """Note the number of entries of the largest tensor that any operation returns."""

    def __init__(self) -> None:
        super().__init__()
        self.entries = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        for tensor in found if isinstance(found, tuple | list) else (found,):
            if isinstance(tensor, Tensor):
                self.entries = max(self.entries, tensor.numel())
        return found


@pytest.mark.slow  # the first operation that is watched takes a second
@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("kind, merge", [(k, m) for k, m in PATTERNS if k != "dense"])
def test_no_matrix_of_query_and_key_is_formed(kind, merge, layer):
    n = 577
    inputs = [torch.ones(1, 2, n, 3, requires_grad=True) for _ in range(3)]
    pattern = SparsePattern(kind=kind, width=24, summary=1, merge=merge)
    with LargestTensor() as largest:
        sparse_attention(*inputs, pattern=pattern, layer=layer).sum().backward()
    assert 2 * n * 3 <= largest.entries < n * n / 4
    with LargestTensor() as largest:
        pattern.mask(n, num_heads=2)
    assert largest.entries >= n * n


# ---- What is refused, and what a pattern is


def test_patterns_are_values():
    pattern = SparsePattern(kind="fixed", width=7, summary=2)
    assert pattern == SparsePattern(kind="fixed", width=7, summary=2, merge="union")
    assert len({pattern, SparsePattern(kind="fixed", width=7, summary=2)}) == 1
    assert pattern != SparsePattern(kind="fixed", width=7)
    with pytest.raises(FrozenInstanceError):
        pattern.width = 5
    with pytest.raises(TypeError, match="positional"):
        SparsePattern("fixed", 7)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"kind": "local"}, ValueError, "kind: expected one of 'dense', .*, got 'local'"),
        ({"merge": "sum"}, ValueError, "merge: expected one of 'union', 'heads', 'layers', got"),
        ({"width": 0}, ValueError, "width: expected an integer of at least 1, got 0"),
        ({"width": 3.0}, TypeError, "width: expected an integer, got 3.0"),
        ({"summary": 0}, ValueError, "summary: expected an integer of at least 1, got 0"),
        ({"summary": True}, TypeError, "summary: expected an integer, got True"),
        ({"summary": 8}, ValueError, r"summary: expected an integer in \[1, width=7\], got 8"),
    ],
)
def test_a_bad_pattern_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        SparsePattern(**{"kind": "fixed", "width": 7, **options})


@pytest.mark.parametrize("kind", KINDS)
def test_bad_arguments_of_attend_are_refused(kind):
    pattern, good = SparsePattern(kind=kind, width=3), torch.zeros(2, 3, 5, 7)
    with pytest.raises(ValueError, match="layer: expected an integer of at least 0, got -1"):
        sparse_attention(good, good, good, pattern=pattern, layer=-1)
    with pytest.raises(TypeError, match="layer: expected an integer, got 1.0"):
        sparse_attention(good, good, good, pattern=pattern, layer=1.0)
    with pytest.raises(ValueError, match=r"query: expected axes \[batch, head, n, d_key\]"):
        sparse_attention(good[0], good, good, pattern=pattern)
    with pytest.raises(ValueError, match="key: expected axes .*n=5"):
        sparse_attention(good, good[:, :, :4], good, pattern=pattern)
    with pytest.raises(TypeError, match=r"value: expected the dtype torch.float32 of query"):
        sparse_attention(good, good, good.double(), pattern=pattern)


@pytest.mark.parametrize("kind", ["strided", "fixed"])
def test_an_odd_number_of_heads_cannot_be_halved(kind):
    pattern, odd = SparsePattern(kind=kind, width=3, merge="heads"), torch.zeros(2, 3, 5, 7)
    with pytest.raises(ValueError, match="expected an even number of heads for 'heads'"):
        sparse_attention(odd, odd, odd, pattern=pattern)
    with pytest.raises(ValueError, match="merge: expected an even number of heads .*, got 3"):
        pattern.mask(5, num_heads=3)


@pytest.mark.parametrize(
    "n, options, error, message",
    [
        (0, {}, ValueError, "n: expected an integer of at least 1, got 0"),
        (5.0, {}, TypeError, "n: expected an integer, got 5.0"),
        (5, {"num_heads": 0}, ValueError, "num_heads: expected an integer of at least 1, got 0"),
        (5, {"layer": -1}, ValueError, "layer: expected an integer of at least 0, got -1"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_bad_arguments_of_mask_are_refused(kind, n, options, error, message):
    with pytest.raises(error, match=message):
        SparsePattern(kind=kind, width=3).mask(n, **options)
