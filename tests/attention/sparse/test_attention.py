"""Sparse attention: values by hand, equality with a dense product under the mask, no leak."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from bottomup.attention import (
    block_attention,
    column_attention,
    fixed_attention,
    fixed_masks,
    merge_attention,
    scaled_dot_product_attention,
    strided_attention,
    strided_masks,
    summary_attention,
    window_attention,
)
from bottomup.attention.sparse import kernel as sparse_kernel
from bottomup.masks import padding_mask

BATCH, HEAD, D = 2, 3, 5
Attention = Callable[..., Tensor]

# (n, l): one position, fewer positions than the stride, cut last blocks, several tiles and chunks
SIZES = [(1, 1), (5, 7), (11, 1), (13, 6), (131, 19)]


def patterns(n: int, size: int, summary: int) -> dict[str, tuple[Attention, Tensor]]:
    """Every function, with the mask that says the same."""
    window, column = strided_masks(n, size)
    own, summaries = fixed_masks(n, size, summary)

    def with_options(function: Attention, **options) -> Attention:
        return lambda *inputs: function(*inputs, **options)

    return {
        "strided": (with_options(strided_attention, stride=size), window | column),
        "fixed": (with_options(fixed_attention, block=size, summary=summary), own | summaries),
        "window": (with_options(window_attention, width=size), window),
        "column": (with_options(column_attention, stride=size), column),
        "block": (with_options(block_attention, block=size), own),
        "summary": (with_options(summary_attention, block=size, summary=summary), summaries),
    }


NAMES = list(patterns(1, 1, 1))
every_pattern = pytest.mark.parametrize("name", NAMES)


def draw(n: int, generator: torch.Generator, device: torch.device | str = "cpu") -> list[Tensor]:
    """Query, key and value in float64, which want gradients."""
    drawn = torch.randn(3, BATCH, HEAD, n, D, generator=generator, dtype=torch.float64)
    return [tensor.to(device).requires_grad_() for tensor in drawn]


def assert_equal(sparse: Tensor, dense: Tensor, inputs: list[Tensor], atol: float = 1e-12) -> None:
    """Compare outputs and the gradients of a sum in which every output counts differently."""
    torch.testing.assert_close(sparse, dense, rtol=0, atol=atol)
    weigh = torch.linspace(-1, 2, dense.numel(), dtype=dense.dtype, device=dense.device)
    gradients = [
        torch.autograd.grad(output, inputs, weigh.reshape(dense.shape))
        for output in (sparse, dense)
    ]
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=atol)


@pytest.fixture(params=["fused", "products"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of computing a product; the second is what runs on a GPU."""
    if request.param == "products":
        monkeypatch.setattr(sparse_kernel, "_FORWARD", None)
    return request.param


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have even small inputs worked through head by head and in several steps."""
    monkeypatch.setattr(sparse_kernel, "NUMBERS_AT_ONCE", 251)


# ---- Values


def test_fixed_attention_by_hand():
    zeros, value = torch.zeros(1, 1, 5, 1), torch.tensor([1.0, 2, 4, 8, 16]).reshape(1, 1, 5, 1)
    output = fixed_attention(zeros, zeros, value, block=2, summary=1)
    # {0}, {0, 1}, {1, 2}, {1, 2, 3}, {1, 3, 4}
    assert output.flatten().tolist() == pytest.approx([1, 3 / 2, 3, 14 / 3, 26 / 3])


@every_pattern
@pytest.mark.slow
@pytest.mark.parametrize("n, size", SIZES)
@pytest.mark.parametrize("padded", [False, True])
def test_equals_dense_attention_under_the_mask(name, n, size, padded, kernel, generator):
    inputs = draw(n, generator)
    keys = torch.rand(BATCH, n, generator=generator) < 0.6 if padded else None
    for summary in sorted({1, size // 2, size} - {0}):
        function, mask = patterns(n, size, summary)[name]
        allowed = mask if keys is None else mask & keys[:, None, None]
        dense, _ = scaled_dot_product_attention(*inputs, allowed)
        assert_equal(function(*inputs, keys), dense, inputs)


@every_pattern
@pytest.mark.parametrize("n, size", [(71, 33), (331, 3)])
def test_work_in_steps_changes_nothing(name, n, size, small_steps, generator):
    inputs = draw(n, generator)
    keys = torch.rand(BATCH, n, generator=generator) < 0.6
    function, mask = patterns(n, size, 2)[name]
    dense, _ = scaled_dot_product_attention(*inputs, mask & keys[:, None, None])
    assert_equal(function(*inputs, keys), dense, inputs)


@every_pattern
def test_gradients_are_right(name, kernel, generator):
    inputs = [tensor[:1, :1, :, :2].detach().requires_grad_() for tensor in draw(7, generator)]
    keys = torch.tensor([[False, True, True, False, True, True, True]])
    function, _ = patterns(7, 3, 2)[name]
    assert torch.autograd.gradcheck(lambda *given: function(*given, keys), inputs)


# ---- Halves


def test_heads_give_half_of_them_to_each_set(generator):
    query, key, value = (
        torch.randn(BATCH, 4, 37, D, generator=generator, dtype=torch.float64) for _ in range(3)
    )
    keys = torch.rand(BATCH, 37, generator=generator) < 0.6
    sets = {"strided": strided_masks(37, 6), "fixed": fixed_masks(37, 6, 2)}
    for name, (first, second) in sets.items():
        function = strided_attention if name == "strided" else fixed_attention
        options = {"stride": 6} if name == "strided" else {"block": 6, "summary": 2}
        output = function(query, key, value, keys, **options, merge="heads")
        mask = torch.stack([first, first, second, second]) & keys[:, None, None]
        dense, _ = scaled_dot_product_attention(query, key, value, mask)
        torch.testing.assert_close(output, dense, rtol=0, atol=1e-12)


# ---- What must not be seen


@every_pattern
def test_the_future_changes_nothing_bit_for_bit(name, kernel, generator):
    n, size = 131, 19
    inputs = [tensor.detach().float() for tensor in draw(n, generator)]
    function, _ = patterns(n, size, 2)[name]
    before = function(*inputs)
    for first in (1, size - 1, size, n // 2, n - 1):
        changed = [tensor.clone() for tensor in inputs]
        for tensor in changed:
            tensor[:, :, first:] = torch.randn(tensor[:, :, first:].shape, generator=generator) * 9
        assert torch.equal(function(*changed)[:, :, :first], before[:, :, :first])


@every_pattern
def test_padding_changes_nothing_bit_for_bit(name, kernel, generator):
    query, key, value = (tensor.detach() for tensor in draw(37, generator))
    keys = padding_mask(torch.tensor([37, 23]))
    function, _ = patterns(37, 6, 2)[name]
    before = function(query, key, value, keys)
    key[1, :, 23:], value[1, :, 23:] = 7.0, -9.0
    assert torch.equal(function(query, key, value, keys), before)
    assert torch.equal(function(query, key, value, keys[:, 0]), before)


@every_pattern
def test_a_position_that_may_read_nothing_reads_zeros(name, kernel, generator):
    inputs = draw(37, generator)
    keys = torch.zeros(BATCH, 37, dtype=torch.bool)
    keys[1, 20:] = True
    function, _ = patterns(37, 6, 2)[name]
    output = function(*inputs, keys)
    assert output[0].abs().max() == 0
    assert output[1, :, :20].abs().max() == 0
    assert output[1, :, 20:].abs().max() > 0
    for gradient in torch.autograd.grad(output.square().sum(), inputs):
        assert gradient.isfinite().all()
        assert gradient[0].abs().max() == 0


@pytest.mark.parametrize("summary", [1, 10**9 - 14, 10**9 - 12, 10**9])
def test_a_block_far_longer_than_the_sequence_needs_no_memory(summary, generator):
    query, key, value = torch.randn(3, 1, 2, 13, 5, dtype=torch.float64, generator=generator)
    output = summary_attention(query, key, value, block=10**9, summary=summary)
    read = fixed_masks(13, 10**9, summary)[1]
    expected, _ = scaled_dot_product_attention(query, key, value, read)
    assert torch.allclose(output, expected, atol=1e-12)
    query.requires_grad_()
    summary_attention(query, key, value, block=10**9, summary=summary).sum().backward()
    assert query.grad is not None
    assert query.grad.isfinite().all()


# ---- Bad input


ZEROS = torch.zeros(2, 3, 7, 5)


@pytest.mark.parametrize(
    ("function", "options", "error", "message"),
    [
        (fixed_attention, {"block": 3, "summary": 4}, ValueError, r"summary: expected an integer"),
        (strided_attention, {"stride": 2, "merge": "heads"}, ValueError, "merge: expected an"),
    ],
)
def test_options_are_checked(function, options, error, message):
    with pytest.raises(error, match=message):
        function(ZEROS, ZEROS, ZEROS, **options)


@pytest.mark.parametrize("function", [strided_attention, fixed_attention])
@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"key": ZEROS[:, :, :6]}, ValueError, r"key: expected axes .*n=7.*, got shape"),
        ({"mask": torch.ones(2, 6).bool()}, ValueError, r"mask: expected .*\(2, 7\), got \(2, 6\)"),
        ({"mask": torch.ones(2, 7, 7).bool()}, ValueError, r"mask: expected .*\(2, 1, 7\), got"),
    ],
)
def test_tensors_are_checked(function, changes, error, message):
    option = {"stride": 2} if function is strided_attention else {"block": 2}
    inputs = {"query": ZEROS, "key": ZEROS, "value": ZEROS, **changes}
    with pytest.raises(error, match=message):
        function(**inputs, **option)


OUTPUT, LOG_SUM = torch.zeros(2, 7, 5), torch.zeros(2, 7)


@pytest.mark.parametrize(
    ("outputs", "log_sums", "error", "message"),
    [
        ([], [], ValueError, "log_sums: expected one for each output, and at least one"),
        ([OUTPUT], [LOG_SUM, LOG_SUM], ValueError, "got 2 for 1 outputs"),
        ([OUTPUT, OUTPUT[:1]], [LOG_SUM] * 2, ValueError, r"expected the leading axes \(2,\)"),
        ([OUTPUT] * 2, [LOG_SUM, LOG_SUM[:, :6]], ValueError, "expected axes .*query=7"),
        ([OUTPUT], [LOG_SUM.half()], TypeError, "expected dtype torch.float32 or"),
    ],
)
def test_parts_to_merge_are_checked(outputs, log_sums, error, message):
    with pytest.raises(error, match=message):
        merge_attention(outputs, log_sums)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_a_sharp_softmax_hands_half_precision_no_gradient_that_it_has_not(dtype):
    # Values of another width than the keys: the products are our own.
    generator = torch.Generator().manual_seed(5)
    single = [
        torch.randn(1, 2, 23, width, generator=generator)
        .mul(200)
        .to(dtype)
        .float()
        .requires_grad_()
        for width in (16, 16, 5)
    ]
    half = [x.detach().to(dtype).requires_grad_() for x in single]
    for inputs in (single, half):
        strided_attention(*inputs, stride=5).sum().backward()
    for got, wanted in zip(half[:2], single[:2], strict=True):
        scale = float(half[2].detach().abs().max())
        torch.testing.assert_close(got.grad.float(), wanted.grad, rtol=0, atol=1e-3 * scale)
