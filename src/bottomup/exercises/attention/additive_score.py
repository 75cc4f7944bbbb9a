"""Exercise: the additive score of Bahdanau, Cho and Bengio (2015, appendix A.1.2)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def additive_scores(
    query: torch.Tensor,
    key: torch.Tensor,
    W_a: torch.Tensor,
    U_a: torch.Tensor,
    v_a: torch.Tensor,
) -> torch.Tensor:
    projected_query = (query @ W_a.T)[:, :, None]  # [batch, query, 1, d_attention]
    projected_key = (key @ U_a.T)[:, None]  # [batch, 1, key, d_attention]
    return torch.tanh(projected_query + projected_key) @ v_a


def with_einsum(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    queries = torch.einsum("bqd,ad->bqa", query, W_a)
    keys = torch.einsum("bkd,ad->bka", key, U_a)
    return torch.einsum("bqka,a->bqk", torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1)), v_a)


def with_linear(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    linear = torch.nn.functional.linear
    hidden = torch.tanh(linear(query, W_a).unsqueeze(2) + linear(key, U_a).unsqueeze(1))
    return linear(hidden, v_a[None]).squeeze(-1)


def with_loops(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    rows = [
        [[v_a @ torch.tanh(W_a @ q + U_a @ k) for k in keys] for q in queries]
        for queries, keys in zip(query, key, strict=True)
    ]
    return torch.stack([torch.stack([torch.stack(row) for row in sentence]) for sentence in rows])


# ---- Mistakes

Wrong = Callable[..., Tensor]
Projection = Callable[[Tensor, Tensor], Tensor]


def _sums(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor) -> Tensor:
    return (query @ W_a.T)[:, :, None] + (key @ U_a.T)[:, None]


def _from_sums(finish: Callable[[Tensor, Tensor], Tensor]) -> Wrong:
    """A wrong answer that goes astray after the two projections are added."""

    def wrong(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
        return finish(_sums(query, key, W_a, U_a), v_a)

    return wrong


_scores = _from_sums(lambda sums, v_a: torch.tanh(sums) @ v_a)


def _from_scores(finish: Callable[[Tensor], Tensor]) -> Wrong:
    """A wrong answer that goes astray after the right scores."""
    return lambda *inputs: finish(_scores(*inputs))


def _divided_by_root(width: Callable[..., int]) -> Wrong:
    return lambda *inputs: _scores(*inputs) / width(*inputs) ** 0.5


def _with_projections(project_query: Projection, project_key: Projection) -> Wrong:
    """A wrong answer that projects query or key in another way."""

    def wrong(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
        queries, keys = project_query(query, W_a), project_key(key, U_a)
        return torch.tanh(queries[:, :, None] + keys[:, None]) @ v_a

    return wrong


def _plain(vectors: Tensor, matrix: Tensor) -> Tensor:
    return vectors @ matrix


def _transposed(vectors: Tensor, matrix: Tensor) -> Tensor:
    return vectors @ matrix.T


def _tanh_each(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    return (torch.tanh(query @ W_a.T)[:, :, None] + torch.tanh(key @ U_a.T)[:, None]) @ v_a


def _swapped(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    return _scores(query, key, U_a, W_a, v_a)


def _product(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    return torch.tanh((query @ W_a.T)[:, :, None] * (key @ U_a.T)[:, None]) @ v_a


def _of_keys(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    return (torch.tanh(key @ U_a.T) @ v_a)[:, None]  # [batch, 1, key]


def _of_keys_for_each_query(query: Tensor, *others: Tensor) -> Tensor:
    return _of_keys(query, *others).expand(-1, query.shape[1], -1)


MISTAKES = (
    Mistake("tanh-missing", _from_sums(lambda sums, v_a: sums @ v_a)),
    Mistake("tanh-of-each-projection", _tanh_each),
    Mistake("tanh-after-v", _from_sums(lambda sums, v_a: torch.tanh(sums @ v_a))),
    Mistake("tanh-twice", _from_scores(torch.tanh)),
    Mistake("projections-swapped", _swapped),
    Mistake("output-transposed", _from_scores(lambda scores: scores.transpose(1, 2))),
    Mistake(
        "v-omitted",
        _from_sums(lambda sums, v_a: torch.tanh(sums).sum(-1)),
        (_from_sums(lambda sums, v_a: torch.tanh(sums).mean(-1)),),
    ),
    Mistake("query-ignored", _of_keys_for_each_query, (_of_keys,)),
    Mistake(
        "scaled",
        _divided_by_root(lambda query, key, W_a, U_a, v_a: len(v_a)),
        (
            _divided_by_root(lambda query, key, W_a, U_a, v_a: query.shape[-1]),
            _divided_by_root(lambda query, key, W_a, U_a, v_a: key.shape[-1]),
        ),
    ),
    Mistake("product-of-projections", _product),
    Mistake(
        "another-bend",
        _from_sums(lambda sums, v_a: torch.sigmoid(sums) @ v_a),
        (_from_sums(lambda sums, v_a: torch.relu(sums) @ v_a),),
    ),
    Mistake("hidden-units-returned", _from_sums(lambda sums, v_a: torch.tanh(sums))),
    Mistake("units-not-summed", _from_sums(lambda sums, v_a: torch.tanh(sums) * v_a)),
    Mistake(
        "projection-transposed",
        _with_projections(_plain, _plain),
        (_with_projections(_plain, _transposed), _with_projections(_transposed, _plain)),
    ),
    Mistake(
        "first-sentence-only",
        lambda query, key, *maps: _scores(query, key[:1], *maps),
        (
            lambda query, key, *maps: _scores(query[:1], key[:1], *maps)[0],
            lambda query, key, *maps: _scores(query[:1], key[:1], *maps),
        ),
    ),
    Mistake("softmax-included", _from_scores(lambda scores: scores.softmax(-1))),
)


# ---- Cases


def _random(*sizes: int, double: bool = False) -> Callable[[torch.Generator], Inputs]:
    batch, queries, keys, d_query, d_key, d_attention = sizes
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator, "dtype": dtype}
        return {
            "query": torch.randn(batch, queries, d_query, **options),
            "key": torch.randn(batch, keys, d_key, **options),
            "W_a": torch.randn(d_attention, d_query, **options),
            "U_a": torch.randn(d_attention, d_key, **options),
            "v_a": torch.randn(d_attention, **options),
        }

    return make


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "query": torch.tensor([[[1.0], [-1.0]]]),
        "key": torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]),
        "W_a": torch.tensor([[1.0], [2.0]]),
        "U_a": torch.tensor([[1.0, 0.0], [0.0, 1.0]]),
        "v_a": torch.tensor([2.0, -1.0]),
    }


def _all_of_width_two(generator: torch.Generator) -> Inputs:
    return {
        "query": torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]),
        "key": torch.tensor([[[0.0, 0.0], [1.0, 0.0]]]),
        "W_a": torch.tensor([[0.0, 1.0], [0.0, 2.0]]),
        "U_a": torch.tensor([[1.0, 0.0], [-1.0, 0.0]]),
        "v_a": torch.tensor([2.0, 1.0]),
    }


def _with_gradients(generator: torch.Generator) -> Inputs:
    return {name: tensor.requires_grad_() for name, tensor in _hand(generator).items()}


def _long_vectors(generator: torch.Generator) -> Inputs:
    inputs = _random(1, 2, 3, 5, 7, 2)(generator)
    return {**inputs, "query": 100 * inputs["query"], "key": 100 * inputs["key"]}


CASES = (
    Case(_("two queries, three keys, width two"), _hand),
    Case(_("two queries, two keys, all widths two"), _all_of_width_two),
    Case(_("a batch"), _random(2, 3, 5, 7, 11, 13), seed=1),
    Case(_("more queries than keys"), _random(2, 7, 3, 11, 5, 2), seed=2),
    Case(_("queries and keys of equal width"), _random(2, 3, 5, 7, 7, 11), seed=3),
    Case(_("all widths equal, as many queries as keys"), _random(2, 3, 3, 5, 5, 5), seed=4),
    Case(_("one query and one key"), _random(3, 1, 1, 2, 5, 7), seed=5),
    Case(_("float64"), _random(2, 3, 5, 7, 2, 3, double=True), seed=6),
    Case(_("long vectors, where tanh saturates"), _long_vectors, seed=7),
    Case(_("the gradients of a small case"), _with_gradients),
)

ANSWERS = Answers(
    solution=additive_scores,
    alternatives=(with_einsum, with_linear, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
