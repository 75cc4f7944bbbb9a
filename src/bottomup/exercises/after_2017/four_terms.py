"""Exercise: scores by content and by distance (Dai et al., 2019, section 3.3)."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def four_term_scores(
    query: torch.Tensor, key: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    content = (query + u[:, None]) @ key.mT  # (a) + (c), [head, n, m]
    place = torch.einsum("hid,hijd->hij", query + v[:, None], r)  # (b) + (d)
    return (content + place) / query.shape[-1] ** 0.5


def with_loops(query: Tensor, key: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    heads, n, d_head = query.shape
    rows = []
    for h in range(heads):
        for i in range(n):
            for j in range(key.shape[1]):
                q, k, far = query[h, i], key[h, j], r[h, i, j]
                rows.append((q @ k + q @ far + u[h] @ k + v[h] @ far) / d_head**0.5)
    return torch.stack(rows).view(heads, n, -1)


def with_products(query: Tensor, key: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    a = torch.einsum("hid,hjd->hij", query, key)
    b = (r @ query[..., None])[..., 0]
    c = (key * u[:, None]).sum(dim=-1)[:, None]
    d = (r * v[:, None, None]).sum(dim=-1)
    return (a + b + c + d) * query.shape[-1] ** -0.5


# ---- Mistakes


@dataclass(frozen=True)
class Terms:
    """How the four terms are joined; a mistake changes one choice.

    Args:
        before_key, before_r: the vectors that are added to the query, of u and v.
        root: what the sum is divided by, of query and key.
        late: whether the second product is added after the division.
        asks: whether the query meets the distances.
        shared: whether all heads have the first one's vectors.
    """

    before_key: str = "u"
    before_r: str = "v"
    root: Callable[[Tensor, Tensor], float] = lambda query, key: query.shape[-1] ** 0.5
    late: bool = False
    asks: bool = True
    shared: bool = False

    def __call__(self, query: Tensor, key: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        """Return the scores."""
        given = {"u": u, "v": v, "none": torch.zeros_like(u)}
        if self.shared:
            given = {name: vector[:1].expand_as(u) for name, vector in given.items()}
        content = (query + given[self.before_key][:, None]) @ key.mT
        asked = query if self.asks else torch.zeros_like(query)
        place = torch.einsum("hid,hijd->hij", asked + given[self.before_r][:, None], r)
        root = self.root(query, key)
        return content / root + place if self.late else (content + place) / root


def first_term_scaled(query: Tensor, key: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    root, content = query.shape[-1] ** 0.5, query @ key.mT
    return content / root + (Terms()(query, key, r, u, v) * root - content)


def learned_terms_late(query: Tensor, key: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    asked = Terms(before_key="none", before_r="none")(query, key, r, u, v)
    return asked + (Terms()(query, key, r, u, v) - asked) * query.shape[-1] ** 0.5


def before_the_query(query: Tensor, key: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    content = query @ (key + u[:, None]).mT
    place = torch.einsum("hid,hijd->hij", query + v[:, None], r)
    return (content + place) / query.shape[-1] ** 0.5


def key_meets_distance(query: Tensor, key: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    content = (query + u[:, None]) @ key.mT
    place = torch.einsum("hjd,hijd->hij", key, r) + torch.einsum("hd,hijd->hij", v, r)
    return (content + place) / query.shape[-1] ** 0.5


def distances_of(row: int) -> Callable[..., Tensor]:
    """Every query gets the distances of one of them."""
    return lambda query, key, r, u, v: Terms()(query, key, r[:, [row]].expand_as(r), u, v)


def both_before_the_query(query: Tensor, key: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    content = query @ (key + u[:, None]).mT
    place = torch.einsum("hid,hijd->hij", query, r + v[:, None, None])
    return (content + place) / query.shape[-1] ** 0.5


HAND = _("one head of width four, one query, one key")
TWO = _("two heads of different u and v")

MISTAKES = (
    Mistake("u-and-v-swapped", Terms(before_key="v", before_r="u"), case=HAND),
    Mistake("u-for-both", Terms(before_r="u"), case=HAND),
    Mistake("v-for-both", Terms(before_key="v"), case=HAND),
    Mistake(
        "scaled-before-the-second-term",
        Terms(late=True),
        (first_term_scaled, learned_terms_late),
        case=HAND,
    ),
    Mistake("not-scaled", Terms(root=lambda query, key: 1.0), case=HAND),
    Mistake(
        "another-root",
        Terms(root=lambda query, key: (query.shape[0] * query.shape[-1]) ** 0.5),
        (
            Terms(root=lambda query, key: key.shape[1] ** 0.5),
            Terms(root=lambda query, key: query.shape[0] ** 0.5),
            Terms(root=lambda query, key: float(query.shape[-1])),
            Terms(root=lambda query, key: query.shape[-1] ** 0.25),
        ),
        case=TWO,
    ),
    Mistake(
        "without-u-and-v",
        Terms(before_key="none", before_r="none"),
        (Terms(before_key="none"), Terms(before_r="none")),
        case=HAND,
    ),
    Mistake("distance-without-the-query", Terms(asks=False), case=HAND),
    Mistake("u-before-the-query", before_the_query, (both_before_the_query,), case=HAND),
    Mistake("key-meets-the-distance", key_meets_distance, case=HAND),
    Mistake("one-row-of-distances", distances_of(0), (distances_of(-1),), case=TWO),
    Mistake("same-vector-for-all-heads", Terms(shared=True), case=TWO),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _random(
    heads: int, n: int, m: int, d_head: int, *,
    gradient: bool = False, dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    def make(generator: torch.Generator) -> Inputs:
        shapes = {
            "query": (heads, n, d_head), "key": (heads, m, d_head), "r": (heads, n, m, d_head),
            "u": (heads, d_head), "v": (heads, d_head),
        }  # fmt: skip
        return {
            name: torch.randn(shape, generator=generator, dtype=dtype).requires_grad_(gradient)
            for name, shape in shapes.items()
        }

    return make


def _by_hand(generator: torch.Generator) -> Inputs:
    return {
        "query": torch.tensor([[[1.0, 0, 0, 0]]]),
        "key": torch.tensor([[[2.0, 1, 0, 0]]]),
        "r": torch.tensor([[[[4.0, 0, 1, 0]]]]),
        "u": torch.tensor([[0.0, 6, 0, 0]]),
        "v": torch.tensor([[0.0, 0, 8, 0]]),
    }


CASES = (
    Case(HAND, _by_hand),
    Case(TWO, _random(2, 3, 5, 7), seed=1),
    Case(_("three heads, five queries, eleven keys"), _random(3, 5, 11, 2), seed=2),
    Case(_("as many queries as keys"), _random(2, 5, 5, 3), seed=3),
    Case(_("heads of width one"), _random(5, 2, 3, 1), seed=4),
    Case(_("float64"), _random(3, 2, 7, 5, dtype=torch.float64), seed=5),
    Case(_("a gradient for everything"), _random(2, 2, 3, 2, gradient=True), seed=6),
)

ANSWERS = Answers(
    solution=four_term_scores,
    alternatives=(with_loops, with_products),
    mistakes=MISTAKES,
    cases=CASES,
)
