"""Exercise: the general score of Luong, Pham and Manning (2015, section 3.1, equation 8)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs, Misconception
from bottomup.i18n import _

SECTION = _("The general score")
BATCH = _("a batch of two, by hand")
STUB = '''\
def general_scores(query, key, W_a):
    """Score every query against every key: q_i · (W_a k_j).

    query [batch, query, d_query], key [batch, key, d_key],
    W_a [d_query, d_key].
    Returns scores [batch, query, key], of the same dtype.
    """
    ...
'''


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


MISCONCEPTIONS = (
    Misconception(
        "W-missing",
        lambda query, key, W_a: query @ key.mT,
        _(
            "W_a is not used: this is the dot score. It needs query and key of one width, and it "
            "compares them coordinate by coordinate, though decoder and encoder were never told "
            "to mean the same by their coordinates. W_a learns the translation between the two."
        ),
        SECTION,
    ),
    Misconception(
        "W-transposed",
        lambda query, key, W_a: query @ W_a.T @ key.mT,
        _(
            "W_a is transposed: you compute q · (W_a^T k). With different widths that raises an "
            "error; with equal widths it passes unseen, and weights loaded from elsewhere give "
            "other scores. W_a [d_query, d_key] takes a key to the width of a query."
        ),
        SECTION,
    ),
    Misconception(
        "W-on-both",
        lambda query, key, W_a: (query @ W_a.T) @ (key @ W_a.T).mT,
        _(
            "W_a is applied to query and key alike, so the score is q · (W_a^T W_a k). That matrix "
            "is symmetric: the score of a for b equals that of b for a, which the general score "
            "need not obey. Apply W_a to one side."
        ),
        SECTION,
        (lambda query, key, W_a: (query @ W_a) @ (key @ W_a).mT,),
    ),
    Misconception(
        "scaled",
        _from_scores(lambda scores, query: scores / query.shape[-1] ** 0.5),
        _(
            "The scores are divided by the square root of the width. That belongs to the scaled "
            "dot product of 2017; the general score has no such factor, since W_a learns its own "
            "scale. With given weights the attention comes out flatter than it should."
        ),
        SECTION,
        (lambda query, key, W_a: general_scores(query, key, W_a) / key.shape[-1] ** 0.5,),
    ),
    Misconception(
        "output-transposed",
        _from_scores(lambda scores, query: scores.transpose(1, 2)),
        _(
            "The scores come out as [batch, key, query]. With as many queries as keys nothing "
            "complains, and the softmax over the last axis then runs over the queries. Rows are "
            "queries, columns are keys."
        ),
        SECTION,
    ),
    Misconception(
        "all-axes-reversed",
        lambda query, key, W_a: query @ W_a @ key.T,
        _(
            "The keys are turned with `.T`. On a tensor with three axes it reverses all of them, "
            "to [d, key, batch]: mostly the shapes then clash, and for a single sentence the "
            "result has wrong numbers. `transpose(1, 2)` or `.mT` swaps the last two axes."
        ),
        SECTION,
        (lambda query, key, W_a: query @ (key @ W_a.T).T,),
    ),
    Misconception(
        "keys-cut-anew",
        lambda query, key, W_a: query @ _cut_anew(key @ W_a.T),
        _(
            "The keys get the shape [batch, d, key], but not by a transpose: `reshape` and `view` "
            "keep the numbers in their order and cut them into new rows. Each column then mixes "
            "coordinates of several keys. `transpose(1, 2)` or `.mT` swaps the axes."
        ),
        SECTION,
        (lambda query, key, W_a: query @ W_a @ _cut_anew(key),),
    ),
    Misconception(
        "tanh-on-top",
        _from_scores(lambda scores, query: torch.tanh(scores)),
        _(
            "There is a tanh around the score. It belongs to the additive score; here it keeps "
            "every score between -1 and 1, so no weight can be more than e^2 = 7.4 times another, "
            "and attention stays blurred over a long sentence. The product is the score."
        ),
        SECTION,
    ),
    Misconception(
        "tanh-inside",
        lambda query, key, W_a: query @ torch.tanh(key @ W_a.T).mT,
        _(
            "There is a tanh inside the product, around a projection. It belongs to the additive "
            "score, where a sum needs a bend. A product mixes query and key without one, and the "
            "tanh flattens all that is large in W_a k."
        ),
        SECTION,
        (lambda query, key, W_a: torch.tanh(query @ W_a) @ key.mT,),
    ),
    Misconception(
        "sentences-summed",
        lambda query, key, W_a: torch.einsum("bqd,de,cke->bqk", query, W_a, key),
        _(
            "The keys of all sentences are added up before they meet the queries. An einsum does "
            "this where the batch has another letter in each factor: a letter that is not in the "
            "result is summed over. Write the same letter for the batch in query, key and result."
        ),
        SECTION,
        (lambda query, key, W_a: torch.einsum("cqd,de,bke->bqk", query, W_a, key),),
        case=BATCH,
    ),
    Misconception(
        "first-sentence-only",
        lambda query, key, W_a: query @ (key @ W_a.T)[0].T,
        _(
            "Only the first sentence of the batch is used. With a batch of one nothing is wrong; "
            "in a larger one the other sentences are scored against keys that are not theirs, or "
            "get no scores. Keep the batch axis: `@` multiplies sentence by sentence."
        ),
        SECTION,
        (
            lambda query, key, W_a: query[0] @ W_a @ key[0].T,
            lambda query, key, W_a: (query[0] @ W_a @ key[0].T)[None],
        ),
        case=BATCH,
    ),
    Misconception(
        "softmax-included",
        _from_scores(lambda scores, query: scores.softmax(-1)),
        _(
            "These are weights, not scores: a softmax over the keys is already in. The mask has to "
            "come between the two, and a second softmax on top makes the weights nearly uniform. "
            "Return the scores as they are."
        ),
        SECTION,
    ),
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
    Case(_("queries and keys of one width"), _random(2, 3, 5, 7, 7), seed=3),
    Case(_("one width, as many queries as keys"), _random(2, 3, 3, 5, 5), seed=4),
    Case(_("one query and one key"), _random(3, 1, 1, 2, 5), seed=5),
    Case(_("float64"), _random(2, 5, 3, 2, 7, double=True), seed=6),
    Case(_("one sentence, as many keys as the widths"), _random(1, 2, 3, 3, 3), seed=7),
    Case(_("the gradients of a small case"), _with_gradients),
)

GENERAL_SCORE = Exercise(
    slug="general-score",
    title=_("The general score"),
    chapter="01",
    difficulty=1,
    minutes=8,
    stub=STUB,
    hints=(
        _(
            "q_i · (W_a k_j): W_a k_j has the width of a query. How do you compute it for all keys "
            "at once?"
        ),
        _("`key @ W_a.T` is [batch, key, d_query]: every key in the query's width."),
        _(
            "Multiply the queries with those: swap the last two axes, so that [query, d] meets [d, "
            "key]."
        ),
    ),
    solution=general_scores,
    alternatives=(with_projected_query, with_einsum, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
