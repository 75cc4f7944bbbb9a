"""Exercise: the general score of Luong, Pham and Manning (2015, section 3.1, equation 8)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _

BATCH = _("a batch of two, by hand")


def general_scores(query: torch.Tensor, key: torch.Tensor, W_a: torch.Tensor) -> torch.Tensor:
    projected_key = key @ W_a.T  # [batch, key, d_query]
    return query @ projected_key.transpose(1, 2)


def with_projected_query(query: Tensor, key: Tensor, W_a: Tensor) -> Tensor:
    return (query @ W_a) @ key.mT


def with_einsum(query: Tensor, key: Tensor, W_a: Tensor) -> Tensor:
    return torch.einsum("bqd,de,bke->bqk", query, W_a, key)


def with_loops(query: Tensor, key: Tensor, W_a: Tensor) -> Tensor:
    scores = torch.zeros(query.shape[0], query.shape[1], key.shape[1], dtype=query.dtype)
    for batch, i, j in torch.cartesian_prod(*map(torch.arange, scores.shape)).tolist():
        scores[batch, i, j] = query[batch, i] @ W_a @ key[batch, j]
    return scores


def _cut_anew(keys: Tensor) -> Tensor:
    return keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1])


def _from_scores(finish: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A wrong answer that goes astray after the right scores; it also receives the query."""
    return lambda query, key, W_a: finish(general_scores(query, key, W_a), query)


MISTAKES = (
    Mistake("W-missing", lambda query, key, W_a: query @ key.mT),
    Mistake("W-transposed", lambda query, key, W_a: query @ W_a.T @ key.mT),
    Mistake(
        "W-on-both",
        lambda query, key, W_a: (query @ W_a.T) @ (key @ W_a.T).mT,
        (lambda query, key, W_a: (query @ W_a) @ (key @ W_a).mT,),
    ),
    Mistake(
        "scaled",
        _from_scores(lambda scores, query: scores / query.shape[-1] ** 0.5),
        (lambda query, key, W_a: general_scores(query, key, W_a) / key.shape[-1] ** 0.5,),
    ),
    Mistake("output-transposed", _from_scores(lambda scores, query: scores.transpose(1, 2))),
    Mistake(
        "all-axes-reversed",
        lambda query, key, W_a: query @ W_a @ key.T,
        (lambda query, key, W_a: query @ (key @ W_a.T).T,),
    ),
    Mistake(
        "keys-cut-anew",
        lambda query, key, W_a: query @ _cut_anew(key @ W_a.T),
        (lambda query, key, W_a: query @ W_a @ _cut_anew(key),),
    ),
    Mistake("tanh-on-top", _from_scores(lambda scores, query: torch.tanh(scores))),
    Mistake(
        "tanh-inside",
        lambda query, key, W_a: query @ torch.tanh(key @ W_a.T).mT,
        (lambda query, key, W_a: torch.tanh(query @ W_a) @ key.mT,),
    ),
    Mistake(
        "sentences-summed",
        lambda query, key, W_a: torch.einsum("bqd,de,cke->bqk", query, W_a, key),
        (lambda query, key, W_a: torch.einsum("cqd,de,bke->bqk", query, W_a, key),),
        case=BATCH,
    ),
    Mistake(
        "first-sentence-only",
        lambda query, key, W_a: query @ (key @ W_a.T)[0].T,
        (
            lambda query, key, W_a: query[0] @ W_a @ key[0].T,
            lambda query, key, W_a: (query[0] @ W_a @ key[0].T)[None],
        ),
        case=BATCH,
    ),
    Mistake("softmax-included", _from_scores(lambda scores, query: scores.softmax(-1))),
)


def _random(*sizes: int, double: bool = False) -> Callable[[torch.Generator], Inputs]:
    batch, queries, keys, d_query, d_key = sizes
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator, "dtype": dtype}
        return {
            "query": torch.randn(batch, queries, d_query, **options),
            "key": torch.randn(batch, keys, d_key, **options),
            "W_a": torch.randn(d_query, d_key, **options),
        }

    return make


def _with_gradients(generator: torch.Generator) -> Inputs:
    return {name: tensor.requires_grad_() for name, tensor in _hand(generator).items()}


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "query": torch.tensor([[[1.0, 0.0], [1.0, 1.0]]]),
        "key": torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]]),
        "W_a": torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    }


def _by_hand(*sentences: tuple[list[list[float]], list[list[float]]]) -> Callable[..., Inputs]:
    """Queries and keys of each sentence, all of width two."""
    queries, keys = zip(*sentences, strict=True)
    return lambda generator: {
        "query": torch.tensor(queries),
        "key": torch.tensor(keys),
        "W_a": torch.tensor([[1.0, 2.0], [0.0, 1.0]]),
    }


_SENTENCE = ([[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 1.0]])
_OTHER = ([[2.0, 0.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 2.0]])

CASES = (
    Case(_("two queries of width two, three keys of width three"), _hand),
    Case(_("two queries, two keys, all of width two"), _by_hand(_SENTENCE)),
    Case(BATCH, _by_hand(_SENTENCE, _OTHER)),
    Case(_("a batch"), _random(2, 3, 5, 7, 11), seed=1),
    Case(_("wide queries, narrow keys"), _random(3, 7, 2, 11, 5), seed=2),
    Case(_("queries and keys of equal width"), _random(2, 3, 5, 7, 7), seed=3),
    Case(_("equal widths, as many queries as keys"), _random(2, 3, 3, 5, 5), seed=4),
    Case(_("one query and one key"), _random(3, 1, 1, 2, 5), seed=5),
    Case(_("float64"), _random(2, 5, 3, 2, 7, double=True), seed=6),
    Case(_("one sentence, as many keys as the widths"), _random(1, 2, 3, 3, 3), seed=7),
    Case(_("the gradients of a small case"), _with_gradients),
)

ANSWERS = Answers(
    solution=general_scores,
    alternatives=(with_projected_query, with_einsum, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
