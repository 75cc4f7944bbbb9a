"""Exercise: the additive score of Bahdanau, Cho and Bengio (2015, appendix A.1.2)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs, Misconception
from bottomup.i18n import _

SECTION = _("The additive score")
STUB = '''\
def additive_scores(query, key, W_a, U_a, v_a):
    """Score every query against every key: v_a · tanh(W_a q_i + U_a k_j).

    query [batch, query, d_query], key [batch, key, d_key],
    W_a [d_attention, d_query], U_a [d_attention, d_key], v_a [d_attention].
    Returns scores [batch, query, key].
    """
    ...
'''


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


Wrong = Callable[..., Tensor]
Projection = Callable[[Tensor, Tensor], Tensor]


def _sums(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor) -> Tensor:
    return (query @ W_a.T)[:, :, None] + (key @ U_a.T)[:, None]


def _from_sums(finish: Callable[[Tensor, Tensor], Tensor]) -> Wrong:
    """A wrong answer that goes astray after the two projections are added."""

    def wrong(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
        return finish(_sums(query, key, W_a, U_a), v_a)

    return wrong


def _from_scores(finish: Callable[[Tensor], Tensor]) -> Wrong:
    """A wrong answer that goes astray after the right scores."""
    return lambda *inputs: finish(additive_scores(*inputs))


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
    return additive_scores(query, key, U_a, W_a, v_a)


MISCONCEPTIONS = (
    Misconception(
        "tanh-missing",
        _from_sums(lambda sums, v_a: sums @ v_a),
        _(
            "The tanh is missing. The score is then a number for the query plus a number for the "
            "key, and the softmax over the keys cancels the query's: every target word gets the "
            "same weights, whatever it looks for. The tanh is what makes the two interact."
        ),
        SECTION,
    ),
    Misconception(
        "tanh-of-each-projection",
        _tanh_each,
        _(
            "The tanh is taken of each projection, and the sum comes after it. The score falls "
            "apart into a number for the query plus a number for the key, so every query gets the "
            "same weights. Add the two projections first, then take the tanh of the sum."
        ),
        SECTION,
    ),
    Misconception(
        "tanh-after-v",
        _from_sums(lambda sums, v_a: torch.tanh(sums @ v_a)),
        _(
            "The tanh comes after the dot product with v_a. The score is then a tanh of (a number "
            "for the query plus a number for the key): the order of the keys is the same for every "
            "query, and no weight can be more than e^2 = 7.4 times another. tanh first, then v_a."
        ),
        SECTION,
    ),
    Misconception(
        "tanh-twice",
        _from_scores(torch.tanh),
        _(
            "There is a second tanh around the finished score. It keeps every score between -1 and "
            "1, so no weight can be more than e^2 = 7.4 times another, and attention stays blurred "
            "over a long sentence. The dot product with v_a is the last step."
        ),
        SECTION,
    ),
    Misconception(
        "projections-swapped",
        _swapped,
        _(
            "W_a and U_a have changed places: W_a belongs to the query, U_a to the key. Where the "
            "two widths are equal nothing complains. A model trained this way only has its names "
            "wrong, but weights loaded from elsewhere give other scores."
        ),
        SECTION,
    ),
    Misconception(
        "output-transposed",
        _from_scores(lambda scores: scores.transpose(1, 2)),
        _(
            "The scores come out as [batch, key, query]. With as many queries as keys nothing "
            "complains, and the softmax over the last axis then runs over the queries. Rows are "
            "queries: put the new axis of the query third and that of the key second."
        ),
        SECTION,
    ),
    Misconception(
        "v-omitted",
        _from_sums(lambda sums, v_a: torch.tanh(sums).sum(-1)),
        _(
            "v_a is not used: the units of the hidden layer are added up with equal weight. A unit "
            "can then only argue for a match, never against it, and none can count more than "
            "another. v_a is learned, and it weighs each unit."
        ),
        SECTION,
        (_from_sums(lambda sums, v_a: torch.tanh(sums).mean(-1)),),
    ),
    Misconception(
        "hidden-units-returned",
        _from_sums(lambda sums, v_a: torch.tanh(sums)),
        _(
            "The result has a fourth axis: one number for each hidden unit, [batch, query, key, "
            "d_attention]. A score is one number for a pair. The dot product with v_a is missing, "
            "which weighs the units and adds them up."
        ),
        SECTION,
    ),
    Misconception(
        "units-not-summed",
        _from_sums(lambda sums, v_a: torch.tanh(sums) * v_a),
        _(
            "Each hidden unit is weighed by v_a, but they are not added up: the result has a "
            "fourth axis, d_attention. A score is one number for a pair. `*` multiplies element by "
            "element, `@` also sums over the last axis."
        ),
        SECTION,
    ),
    Misconception(
        "projection-transposed",
        _with_projections(_plain, _plain),
        _(
            "A projection is transposed: the rows of `query` are vectors, so W_a q for all of them "
            "is `query @ W_a.T`, and likewise `key @ U_a.T`. Without the .T the shapes fit only "
            "where W_a or U_a is square; there nothing complains, and the scores are others."
        ),
        SECTION,
        (_with_projections(_plain, _transposed), _with_projections(_transposed, _plain)),
    ),
    Misconception(
        "softmax-included",
        _from_scores(lambda scores: scores.softmax(-1)),
        _(
            "These are weights, not scores: a softmax over the keys is already in. The mask has to "
            "come between the two, and a second softmax on top makes the weights nearly uniform. "
            "Return v_a · tanh(…) as it is."
        ),
        SECTION,
    ),
)


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


def _with_gradients(generator: torch.Generator) -> Inputs:
    return {name: tensor.requires_grad_() for name, tensor in _hand(generator).items()}


def _long_vectors(generator: torch.Generator) -> Inputs:
    inputs = _random(1, 2, 3, 5, 7, 2)(generator)
    return {**inputs, "query": 100 * inputs["query"], "key": 100 * inputs["key"]}


CASES = (
    Case(_("two queries, three keys, width two"), _hand),
    Case(_("a batch"), _random(2, 3, 5, 7, 11, 13), seed=1),
    Case(_("more queries than keys"), _random(2, 7, 3, 11, 5, 2), seed=2),
    Case(_("queries and keys of one width"), _random(2, 3, 5, 7, 7, 11), seed=3),
    Case(_("all widths equal, as many queries as keys"), _random(2, 3, 3, 5, 5, 5), seed=4),
    Case(_("one query and one key"), _random(3, 1, 1, 2, 5, 7), seed=5),
    Case(_("float64"), _random(2, 3, 5, 7, 2, 3, double=True), seed=6),
    Case(_("long vectors, where tanh saturates"), _long_vectors, seed=7),
    Case(_("the gradients of a small case"), _with_gradients),
)

ADDITIVE_SCORE = Exercise(
    slug="additive-score",
    title=_("The additive score"),
    chapter="01",
    difficulty=2,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Write it first for one query and one key. Which three shapes meet in v_a · tanh(W_a q "
            "+ U_a k)?"
        ),
        _(
            "Project all queries with `query @ W_a.T`, all keys with `key @ U_a.T`: both end in "
            "d_attention."
        ),
        _(
            "Every query meets every key by broadcasting: [batch, query, 1, d_attention] + "
            "[batch, 1, key, d_attention]."
        ),
        _("`a[:, :, None] + b[:, None]`, then tanh, then `@ v_a`, which sums over the last axis."),
    ),
    solution=additive_scores,
    alternatives=(with_einsum, with_linear, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
