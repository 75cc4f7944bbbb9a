"""The exercise of chapter 03 that removes a head: the library, and what is left."""

import pytest
import torch
from torch import Tensor

from bottomup import attention
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.drawn import seeded

PRUNE_HEAD = catalog()["prune-head"]


def module_of(num_heads, W_Q, W_K, W_V, b_V, W_O, b_O) -> attention.MultiHeadAttention:
    widths = {"d_head": len(W_Q) // num_heads, "d_value": len(W_V) // num_heads}
    with torch.random.fork_rng(devices=[]):
        module = attention.MultiHeadAttention(W_Q.shape[1], num_heads, **widths).to(W_Q)
    given = {"W_Q.weight": W_Q, "W_K.weight": W_K, "W_V.weight": W_V, "W_V.bias": b_V}
    module.load_state_dict({**given, "W_O.weight": W_O, "W_O.bias": b_O}, strict=False)
    return module


def by_module(head: int, num_heads: int, *parameters: Tensor) -> tuple[Tensor, ...]:
    smaller = attention.prune_heads(module_of(num_heads, *parameters), [head])
    kept = (
        smaller.W_Q.weight, smaller.W_K.weight, smaller.W_V.weight, smaller.W_V.bias,
        smaller.W_O.weight, smaller.W_O.bias,
    )  # fmt: skip
    return tuple(parameter.detach() for parameter in kept)


def test_the_library_s_pruning_passes():
    assert examine(PRUNE_HEAD, by_module).passed


@pytest.mark.parametrize("case", range(len(PRUNE_HEAD.cases)))
def test_what_is_left_gives_the_sum_over_the_other_heads(case):
    head, num_heads, *parameters = PRUNE_HEAD.cases[case].fresh().inputs.values()
    parameters = [parameter.double() for parameter in parameters]
    x = torch.randn(2, 5, parameters[0].shape[1], generator=seeded(0))
    on = torch.arange(num_heads) != head
    smaller = module_of(num_heads - 1, *PRUNE_HEAD.solution(head, num_heads, *parameters))
    masked = module_of(num_heads, *parameters)(*[x.double()] * 3, head_mask=on)[0]
    torch.testing.assert_close(smaller(*[x.double()] * 3)[0], masked, rtol=0, atol=1e-12)


def test_the_differing_parameter_is_named():
    def answer(head: int, num_heads: int, *parameters: Tensor) -> tuple[Tensor, ...]:
        *smaller, b_O = PRUNE_HEAD.solution(head, num_heads, *parameters)
        return *smaller, b_O / num_heads

    report = examine(PRUNE_HEAD, answer)
    assert report.mistake is None
    assert "In b_O: " in repr(report)
