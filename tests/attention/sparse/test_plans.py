"""The scores that sparse attention says it computes, against those that it does compute."""

from itertools import pairwise

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bottomup.attention import (
    fixed_attention,
    fixed_masks,
    fixed_scores,
    strided_attention,
    strided_masks,
    strided_scores,
)
from bottomup.attention.sparse import kernel as sparse_kernel

D = 1013  # no product with values has as many keys
SIZES = [(1, 1), (5, 7), (13, 6), (131, 19), (331, 3)]


class Watch(TorchDispatchMode):
    """Notes the entries of all products of queries and keys, and the largest tensor made."""

    def __init__(self) -> None:
        super().__init__()
        self.scores, self.largest = 0, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name == "_scaled_dot_product_flash_attention_for_cpu":
            query, key = args[:2]
            self.scores += query.shape[:3].numel() * key.shape[2]
        elif name == "bmm" and args[0].shape[-1] == D:  # the product with values has keys there
            self.scores += result.numel()
        for tensor in result if isinstance(result, tuple) else (result,):
            if isinstance(tensor, torch.Tensor):
                self.largest = max(self.largest, tensor.untyped_storage().nbytes() // 4)
        return result


@pytest.fixture(params=["fused", "products"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "products":
        monkeypatch.setattr(sparse_kernel, "_FORWARD", None)
    return request.param


def draw(n: int, generator: torch.Generator, d: int = D) -> list[torch.Tensor]:
    return [torch.randn(1, 1, n, d, generator=generator) for _ in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize("n, stride", SIZES)
def test_strided_scores_are_those_of_the_pattern_and_of_the_code(n, stride, kernel, generator):
    with Watch() as watch:
        strided_attention(*draw(n, generator), stride=stride)
    window, column = strided_masks(n, stride)
    assert strided_scores(n, stride) == ((window | column).sum().item(), watch.scores)


@pytest.mark.slow
@pytest.mark.parametrize("n, block", SIZES)
def test_fixed_scores_are_those_of_the_pattern_and_of_the_code(n, block, kernel, generator):
    for summary in sorted({1, block // 2, block} - {0}):
        with Watch() as watch:
            fixed_attention(*draw(n, generator), block=block, summary=summary)
        own, summaries = fixed_masks(n, block, summary)
        needed = (own | summaries).sum().item()
        assert fixed_scores(n, block, summary) == (needed, watch.scores)


def test_scores_by_hand():
    # n = 4, l = 2: {0}, {0, 1}, {0, 1, 2}, {1, 2, 3}; and {0}, {0, 1}, {1, 2}, {1, 2, 3}
    assert strided_scores(4, 2).needed == 1 + 2 + 3 + 3
    assert fixed_scores(4, 2, 1).needed == 1 + 2 + 2 + 3


@pytest.mark.parametrize("count", [strided_scores, fixed_scores])
def test_the_cost_grows_with_the_power_three_halves(count):
    counts = [count(n, round(n**0.5)) for n in (4096, 16384, 65536)]
    for small, large in pairwise(counts):
        assert large.needed / small.needed == pytest.approx(8, rel=0.03)
        assert large.computed / small.computed == pytest.approx(8, rel=0.1)


def test_no_tensor_of_all_pairs_is_made(generator):
    n = 1024
    for function, option in ((strided_attention, "stride"), (fixed_attention, "block")):
        inputs = [tensor.requires_grad_() for tensor in draw(n, generator, 5)]
        with Watch() as watch:
            function(*inputs, **{option: 32}).sum().backward()
        assert 0 < watch.largest < n * n / 8
