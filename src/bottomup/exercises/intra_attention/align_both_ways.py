"""Exercise: the alignment of two sentences by Parikh et al. (2016, section 3.1)."""

from collections.abc import Callable
from math import log
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.intra_attention.pairs import compare_pair, run_on_pair
from bottomup.i18n import _


def align_both_ways(
    first_features: torch.Tensor, second_features: torch.Tensor,
    first: torch.Tensor, second: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    scores = first_features @ second_features.mT  # [batch, first, second]
    reads_second = scores.softmax(dim=-1) @ second
    reads_first = scores.softmax(dim=-2).mT @ first
    return reads_second, reads_first


def with_einsum(
    first_features: Tensor, second_features: Tensor, first: Tensor, second: Tensor
) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("bid,bjd->bij", first_features, second_features)
    over_second = torch.exp(scores - scores.logsumexp(dim=2, keepdim=True))
    over_first = torch.exp(scores - scores.logsumexp(dim=1, keepdim=True))
    return (
        torch.einsum("bij,bjd->bid", over_second, second),
        torch.einsum("bij,bid->bjd", over_first, first),
    )


def with_torch_attention(
    first_features: Tensor, second_features: Tensor, first: Tensor, second: Tensor
) -> tuple[Tensor, Tensor]:
    read = torch.nn.functional.scaled_dot_product_attention
    return (
        read(first_features, second_features, second, scale=1.0),
        read(second_features, first_features, first, scale=1.0),
    )


def with_loops(
    first_features: Tensor, second_features: Tensor, first: Tensor, second: Tensor
) -> tuple[Tensor, Tensor]:
    def read(queries: Tensor, keys: Tensor, words: Tensor) -> Tensor:
        rows = [torch.stack([query @ key for key in keys]).softmax(0) for query in queries]
        return torch.stack([sum(w * x for w, x in zip(row, words, strict=True)) for row in rows])

    inputs = list(zip(first_features, second_features, first, second, strict=True))
    return (
        torch.stack([read(f, s, words) for f, s, _first, words in inputs]),
        torch.stack([read(s, f, words) for f, s, words, _second in inputs]),
    )


# ---- One thing in another way: what the mistakes are made of

Answer = Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
Weigh = Callable[[Tensor], Tensor]


def rows(scores: Tensor) -> Tensor:
    return scores.softmax(dim=-1)


def columns(scores: Tensor) -> Tensor:
    return scores.softmax(dim=-2)


def weighed(for_second: Weigh, for_first: Weigh, *, turned: bool = True) -> Answer:
    """A wrong answer that makes other weights of the right scores; both are [first, second]."""

    def wrong(F_a: Tensor, F_b: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        scores = F_a @ F_b.mT
        backward = for_first(scores)
        return for_second(scores) @ b, (backward.mT if turned else backward) @ a

    return wrong


def scored(score: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]) -> Answer:
    """A wrong answer with other scores, of which the rest is made as it should be."""

    def wrong(F_a: Tensor, F_b: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        scores = score(F_a, F_b, a, b)
        return rows(scores) @ b, columns(scores).mT @ a

    return wrong


# ---- Mistakes

ONE_LENGTH = _("sentences of one length")
ONE_WIDTH = _("features and words of equal width")


def _whole_table(scores: Tensor) -> Tensor:
    return scores.flatten(-2).softmax(dim=-1).reshape(scores.shape)


def _whole_table_unshifted(scores: Tensor) -> Tensor:
    return scores.exp() / scores.exp().sum((-2, -1), keepdim=True)


def _over_the_batch(scores: Tensor) -> Tensor:
    return scores.softmax(dim=0)


def _own_sentence(F_a: Tensor, F_b: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return rows(F_a @ F_a.mT) @ a, rows(F_b @ F_b.mT) @ b


def _features_read(F_a: Tensor, F_b: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    scores = F_a @ F_b.mT
    return rows(scores) @ F_b, columns(scores).mT @ F_a


def _swapped(*inputs: Tensor) -> tuple[Tensor, Tensor]:
    reads_second, reads_first = align_both_ways(*inputs)
    return reads_first, reads_second


MISTAKES = (
    Mistake("row-weights-turned", weighed(rows, rows)),
    Mistake("column-weights-for-both", weighed(columns, columns)),
    Mistake("softmaxes-swapped", weighed(columns, rows)),
    Mistake(
        "whole-table",
        weighed(_whole_table, _whole_table),
        (
            weighed(
                lambda scores: scores.flatten().softmax(0).reshape(scores.shape),
                lambda scores: scores.flatten().softmax(0).reshape(scores.shape),
            ),
            weighed(_whole_table_unshifted, _whole_table_unshifted),
        ),
    ),
    Mistake(
        "over-the-batch",
        weighed(_over_the_batch, _over_the_batch),
        (weighed(rows, _over_the_batch), weighed(columns, _over_the_batch)),
    ),
    Mistake(
        "table-not-turned",
        weighed(rows, columns, turned=False),
        (weighed(rows, rows, turned=False),),
        case=ONE_LENGTH,
    ),
    Mistake("each-reads-itself", _own_sentence),
    Mistake("features-read", _features_read),
    Mistake("F-unused", scored(lambda F_a, F_b, a, b: a @ b.mT)),
    Mistake(
        "F-on-one-side",
        scored(lambda F_a, F_b, a, b: F_a @ b.mT),
        (scored(lambda F_a, F_b, a, b: a @ F_b.mT),),
        case=ONE_WIDTH,
    ),
    Mistake("readings-in-the-wrong-order", _swapped),
    Mistake(
        "scaled",
        scored(lambda F_a, F_b, a, b: F_a @ F_b.mT / F_a.shape[-1] ** 0.5),
        (scored(lambda F_a, F_b, a, b: F_a @ F_b.mT / a.shape[-1] ** 0.5),),
    ),
    Mistake("softmax-missing", weighed(lambda scores: scores, lambda scores: scores)),
    Mistake(
        "no-exponential",
        weighed(
            lambda scores: scores / scores.sum(-1, keepdim=True),
            lambda scores: scores / scores.sum(-2, keepdim=True),
        ),
    ),
)


# ---- Cases


def _random(
    *sizes: int, double: bool = False, scale: float = 1.0
) -> Callable[[torch.Generator], Inputs]:
    batch, first, second, d_feature, d_word = sizes
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator, "dtype": dtype}
        return {
            "first_features": scale * torch.randn(batch, first, d_feature, **options),
            "second_features": scale * torch.randn(batch, second, d_feature, **options),
            "first": torch.randn(batch, first, d_word, **options),
            "second": torch.randn(batch, second, d_word, **options),
        }

    return make


def _hand(generator: torch.Generator) -> Inputs:
    # scores ln 3 and 0: rows of 3:1, 1:3 and 1:3, columns of 3:1:1 and 1:3:3
    return {
        "first_features": torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]]),
        "second_features": torch.tensor([[[log(3), 0.0], [0.0, log(3)]]]),
        "first": torch.tensor([[[10.0], [20.0], [30.0]]]),
        "second": torch.tensor([[[1.0], [5.0]]]),
    }


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _random(1, 2, 3, 2, 1)(generator)
    return {name: tensor.requires_grad_() for name, tensor in inputs.items()}


CASES = (
    Case(_("three words and two"), _hand),
    Case(_("a batch"), _random(2, 3, 5, 7, 11), seed=1),
    Case(ONE_LENGTH, _random(2, 3, 3, 2, 5), seed=2),
    Case(ONE_WIDTH, _random(2, 2, 3, 5, 5), seed=3),
    Case(_("everything of one size"), _random(3, 3, 3, 3, 3), seed=4),
    Case(_("a sentence of one word"), _random(2, 1, 5, 3, 2), seed=5),
    Case(_("float64"), _random(5, 3, 2, 2, 3, double=True), seed=6),
    Case(_("large scores"), _random(1, 3, 2, 2, 1, scale=12.0), seed=7),
    Case(_("the gradients of a small case"), _with_gradients, seed=8),
)

ANSWERS = Answers(
    solution=align_both_ways,
    alternatives=(with_einsum, with_torch_attention, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    run=run_on_pair,
    compare=compare_pair("reads_second", "reads_first"),
)
