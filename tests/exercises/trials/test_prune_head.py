"""The exercise of chapter 03 that removes a head: values by hand, the library, typical slips."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from bottomup import attention
from bottomup.exercises import catalog
from tests.drawn import seeded
from tests.exercises.trials.verdicts import named, report_on, wrong_answers

PRUNE_HEAD = catalog()["prune-head"]


def test_the_first_of_two_heads_is_cut_out():
    W_Q, W_K, W_V, b_V, W_O, b_O = (
        x.tolist() for x in PRUNE_HEAD.run(PRUNE_HEAD.solution, PRUNE_HEAD.cases[0].fresh())
    )
    assert (W_Q, W_K) == ([[3, 4]], [[7, 8]])
    assert (W_V, b_V) == ([[3, 3], [4, 4]], [3, 4])
    assert (W_O, b_O) == ([[3, 4], [7, 8]], [9, 10])


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
    assert report_on(PRUNE_HEAD, by_module).passed


@pytest.mark.parametrize("case", range(len(PRUNE_HEAD.cases)))
def test_what_is_left_gives_the_sum_over_the_other_heads(case):
    head, num_heads, *parameters = PRUNE_HEAD.cases[case].fresh().inputs.values()
    parameters = [parameter.double() for parameter in parameters]
    x = torch.randn(2, 5, parameters[0].shape[1], generator=seeded(0))
    on = torch.arange(num_heads) != head
    smaller = module_of(num_heads - 1, *PRUNE_HEAD.solution(head, num_heads, *parameters))
    masked = module_of(num_heads, *parameters)(*[x.double()] * 3, head_mask=on)[0]
    torch.testing.assert_close(smaller(*[x.double()] * 3)[0], masked, rtol=0, atol=1e-12)


def cut(x: Tensor, head: int, heads: int, width: int | None = None) -> Tensor:
    width = len(x) // heads if width is None else width
    return torch.cat([x[: head * width], x[(head + 1) * width :]])


def pruned(**changes: Callable[[Tensor, int, int], Tensor]) -> Callable[..., tuple[Tensor, ...]]:
    """An answer with `torch.cat`, some of its parts changed."""
    parts = {
        **dict.fromkeys(("W_Q", "W_K", "W_V", "b_V"), cut),
        "W_O": lambda x, head, heads: cut(x.T, head, heads).T,
        "b_O": lambda x, head, heads: x,
        **changes,
    }
    return lambda head, heads, *given: tuple(
        part(x, head, heads) for part, x in zip(parts.values(), given, strict=True)
    )


def test_slices_pass():
    assert report_on(PRUNE_HEAD, pruned()).passed


def width_of_the_model_shared_out(head: int, heads: int, *given: Tensor) -> tuple[Tensor, ...]:
    *rows, W_O, b_O = given
    width = len(b_O) // heads  # b_O is d_model wide
    smaller = [cut(x, head, heads, width) for x in rows]
    return *smaller, cut(W_O.T, head, heads, width).T, b_O


def columns_chosen_among_rows(head: int, heads: int, *given: Tensor) -> tuple[Tensor, ...]:
    right = list(PRUNE_HEAD.solution(head, heads, *given))
    stays = (torch.arange(heads) != head).repeat_interleave(len(given[2]) // heads)
    right[4] = given[4][stays]
    return tuple(right)


def zeros_in_its_place(head: int, heads: int, *given: Tensor) -> tuple[Tensor, ...]:
    result = [x.clone() for x in given]
    nn.init.zeros_(result[4].chunk(heads, dim=1)[head])
    return tuple(result)


@wrong_answers(
    {
        "output-map-whole": pruned(W_O=lambda x, head, heads: x),
        "value-bias-forgotten": pruned(b_V=lambda x, head, heads: x),
        "wrong-columns-of-the-output-map": [
            pruned(W_O=lambda x, head, heads: x[:, : -x.shape[1] // heads]),
            pruned(W_O=lambda x, head, heads: x[:, x.shape[1] // heads :]),
        ],
        "counted-from-one": lambda head, heads, *given: pruned()((head - 1) % heads, heads, *given),
        "head-not-asked-for": [
            lambda head, heads, *given: pruned()(heads - 1, heads, *given),
            lambda head, heads, *given: pruned()(0, heads, *given),
        ],
        "rows-of-the-output-map": [
            pruned(W_O=lambda x, head, heads: cut(x, head, heads)),
            columns_chosen_among_rows,
        ],
        "output-map-scaled-up": pruned(
            W_O=lambda x, head, heads: cut(x.T, head, heads).T * heads / (heads - 1)
        ),
        "zeros-in-its-place": zeros_in_its_place,
        "width-of-the-model": width_of_the_model_shared_out,
    }
)
def test_a_slip_of_pruning_is_named(wrong, mistake: str):
    assert named(PRUNE_HEAD, wrong) == mistake


@pytest.mark.parametrize("of", [0, 2], ids=["queries", "values"])
def test_one_list_of_places_for_all_cuts_is_named(of: int):
    def answer(head: int, heads: int, *given: Tensor) -> tuple[Tensor, ...]:
        width = len(given[of]) // heads
        kept = [row for row in range(heads * width) if row // width != head]
        *rows, W_O, b_O = given
        return *(x[kept] for x in rows), W_O[:, kept], b_O

    assert named(PRUNE_HEAD, answer) == "one-width-for-all"


def test_heads_counted_from_one_in_slices_are_named():
    def cut_from_one(x: Tensor, head: int, heads: int) -> Tensor:
        width = len(x) // heads
        return torch.cat([x[: (head - 1) * width], x[head * width :]])

    changed = dict.fromkeys(("W_Q", "W_K", "W_V", "b_V"), cut_from_one)
    answer = pruned(**changed, W_O=lambda x, head, heads: cut_from_one(x.T, head, heads).T)
    assert named(PRUNE_HEAD, answer) == "counted-from-one"


def test_the_differing_parameter_is_named():
    report = report_on(PRUNE_HEAD, pruned(b_O=lambda x, head, heads: x / heads))
    assert report.misconception is None
    assert "In b_O: " in repr(report)
