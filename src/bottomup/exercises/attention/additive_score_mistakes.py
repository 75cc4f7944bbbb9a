"""Mistakes in the additive score."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("The additive score")
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
        "query-ignored",
        _of_keys_for_each_query,
        _(
            "The query is not used: the score is v_a · tanh(U_a k), and every row is the same. "
            "Each target word then reads the same mixture of the source, a fixed vector again. "
            "W_a q has to be added before the tanh."
        ),
        SECTION,
        (_of_keys,),
    ),
    Misconception(
        "scaled",
        _divided_by_root(lambda query, key, W_a, U_a, v_a: len(v_a)),
        _(
            "The scores are divided by the square root of a width. That belongs to the scaled dot "
            "product of 2017, whose scores grow with the width. Here v_a learns the scale: with "
            "given weights the attention comes out flatter than it should."
        ),
        SECTION,
        (
            _divided_by_root(lambda query, key, W_a, U_a, v_a: query.shape[-1]),
            _divided_by_root(lambda query, key, W_a, U_a, v_a: key.shape[-1]),
        ),
    ),
    Misconception(
        "product-of-projections",
        _product,
        _(
            "The projections are multiplied, where the formula adds them. A product lets query and "
            "key interact too, but it is another score: weights that were learned for the sum give "
            "other numbers. Additive attention has its name from the sum inside the tanh."
        ),
        SECTION,
    ),
    Misconception(
        "another-bend",
        _from_sums(lambda sums, v_a: torch.sigmoid(sums) @ v_a),
        _(
            "The sum is bent by another function than tanh. The result is a score, but not that of "
            "the formula: a sigmoid or a ReLU never goes below zero, while tanh runs from -1 to 1, "
            "and v_a was learned for that range."
        ),
        SECTION,
        (_from_sums(lambda sums, v_a: torch.relu(sums) @ v_a),),
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
        "first-sentence-only",
        lambda query, key, *maps: _scores(query, key[:1], *maps),
        _(
            "Only the first sentence of the batch is used. With a batch of one nothing is wrong; "
            "in a larger one the other sentences are scored against keys that are not theirs, or "
            "get no scores. Keep the batch axis: `[:, :, None]` and `[:, None]` leave it first."
        ),
        SECTION,
        (
            lambda query, key, *maps: _scores(query[:1], key[:1], *maps)[0],
            lambda query, key, *maps: _scores(query[:1], key[:1], *maps),
        ),
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
