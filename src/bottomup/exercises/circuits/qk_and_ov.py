"""Exercise: a head as two maps, scores and writings (Elhage et al., 2021), biases included."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def two_maps(
    head: int, num_heads: int,
    W_Q: torch.Tensor, b_Q: torch.Tensor, W_K: torch.Tensor, b_K: torch.Tensor,
    W_V: torch.Tensor, b_V: torch.Tensor, W_O: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    pairs = ((W_Q, b_Q), (W_K, b_K), (W_V, b_V))
    joined = (torch.cat([W, b[:, None]], dim=1) for W, b in pairs)
    Q, K, V = (rows.chunk(num_heads)[head] for rows in joined)  # [d_head, d_model + 1]
    W_OV = V.T @ W_O.chunk(num_heads, dim=1)[head].T
    return Q.T @ K / len(Q) ** 0.5, W_OV


Maps = tuple[Tensor, Tensor]


def with_blocks(
    head: int, num_heads: int,
    W_Q: Tensor, b_Q: Tensor, W_K: Tensor, b_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor,
) -> Maps:  # fmt: skip
    d_model, width, wide = W_Q.shape[1], len(W_Q) // num_heads, len(W_V) // num_heads
    narrow = slice(head * width, (head + 1) * width)
    broad = slice(head * wide, (head + 1) * wide)
    W_QK = W_Q.new_zeros(d_model + 1, d_model + 1)
    W_QK[:-1, :-1] = W_Q[narrow].T @ W_K[narrow]
    W_QK[:-1, -1] = b_K[narrow] @ W_Q[narrow]
    W_QK[-1, :-1] = b_Q[narrow] @ W_K[narrow]
    W_QK[-1, -1] = b_Q[narrow] @ b_K[narrow]
    written = W_O[:, broad]
    W_OV = torch.cat([W_V[broad].T @ written.T, (written @ b_V[broad])[None]])
    return W_QK / width**0.5, W_OV


def by_asking_the_head(
    head: int, num_heads: int,
    W_Q: Tensor, b_Q: Tensor, W_K: Tensor, b_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor,
) -> Maps:  # fmt: skip
    """Without knowing the maps: from what the head does with unit vectors and with zeros."""
    probes = torch.cat([torch.eye(W_Q.shape[1]), torch.zeros(1, W_Q.shape[1])]).to(W_Q)

    def made(W: Tensor, b: Tensor) -> Tensor:
        of_head = torch.nn.functional.linear(probes, W, b).unflatten(1, (num_heads, -1))[:, head]
        return torch.cat([of_head[:-1] - of_head[-1], of_head[-1:]])  # the zeros show the bias

    Q, K, V = made(W_Q, b_Q), made(W_K, b_K), made(W_V, b_V)
    writes = W_O.unflatten(1, (num_heads, -1))[:, head]
    return torch.einsum("ic,jc->ij", Q, K) / Q.shape[1] ** 0.5, torch.einsum("ic,oc->io", V, writes)


# ---- One step in another way: what the mistakes are made of

Answer = Callable[..., Maps]
Join = Callable[[Tensor, Tensor], Tensor]  # weights and bias -> [rows, d_model + 1]
Cut = Callable[[Tensor, int, int], Tensor]  # rows, head, heads -> the rows of one head


def behind(W: Tensor, b: Tensor) -> Tensor:
    return torch.cat([W, b[:, None]], dim=1)


def zeros_behind(W: Tensor, b: Tensor) -> Tensor:
    return behind(W, 0 * b)


def own_rows(x: Tensor, head: int, heads: int) -> Tensor:
    return x.chunk(heads)[head]


@dataclass(frozen=True)
class Steps:
    """The steps to the two maps; a mistake replaces some of them.

    Args:
        join: how query, key and value get their bias.
        cut: the head's rows of queries and keys.
        cut_values: the head's rows of values; None where `cut` does it.
        columns: from W_O, head, heads and the values' rows to [d_model, d_value].
        compose: from Q and K to W_QK.
        write: from V and the head's columns of W_O to W_OV.
        root: what W_QK is divided by, from the head's rows, W_Q and heads.
    """

    join: tuple[Join, Join, Join] = (behind, behind, behind)
    cut: Cut = own_rows
    cut_values: Cut | None = None
    columns: Callable[[Tensor, int, int], Tensor] = lambda W_O, head, heads: W_O.chunk(
        heads, dim=1
    )[head]
    compose: Callable[[Tensor, Tensor], Tensor] = lambda Q, K: Q.T @ K
    write: Callable[[Tensor, Tensor], Tensor] = lambda V, columns: V.T @ columns.T
    root: Callable[[Tensor, Tensor], float] = lambda Q, W_Q: len(Q) ** 0.5

    def __call__(
        self, head: int, num_heads: int,
        W_Q: Tensor, b_Q: Tensor, W_K: Tensor, b_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor,
    ) -> Maps:  # fmt: skip
        """Return W_QK and W_OV."""
        given = ((W_Q, b_Q), (W_K, b_K), (W_V, b_V))
        rows = [join(W, b) for join, (W, b) in zip(self.join, given, strict=True)]
        Q, K = (self.cut(x, head, num_heads) for x in rows[:2])
        V = (self.cut_values or self.cut)(rows[2], head, num_heads)
        W_QK = self.compose(Q, K) / self.root(Q, W_Q)
        return W_QK, self.write(V, self.columns(W_O, head, num_heads))


RIGHT = Steps()


def with_step(**changed: Any) -> Answer:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


def joined_by(query: Join = behind, key: Join = behind, value: Join = behind) -> Answer:
    return with_step(join=(query, key, value))


def cutting(cut: Cut) -> Answer:
    """Rows and columns are cut in another way, all alike."""
    return with_step(cut=cut, columns=lambda W_O, head, heads: cut(W_O.T, head, heads).T)


# ---- Mistakes


def without_column(W: Tensor, b: Tensor) -> Tensor:
    return W


def in_front(W: Tensor, b: Tensor) -> Tensor:
    return torch.cat([b[:, None], W], dim=1)


def whole(x: Tensor, head: int, heads: int) -> Tensor:
    return x


def one_width(
    head: int, num_heads: int,
    W_Q: Tensor, b_Q: Tensor, W_K: Tensor, b_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor,
) -> Maps:  # fmt: skip
    """The same slice for values and for W_O as for queries and keys."""
    width = len(W_Q) // num_heads
    places = slice(head * width, (head + 1) * width)
    W_QK, _W_OV = RIGHT(head, num_heads, W_Q, b_Q, W_K, b_K, W_V, b_V, W_O)
    return W_QK, behind(W_V, b_V)[places].T @ W_O[:, places].T


def width_of_the_model(
    head: int, num_heads: int,
    W_Q: Tensor, b_Q: Tensor, W_K: Tensor, b_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor,
) -> Maps:  # fmt: skip
    """The width of a head is d_model / num_heads, whatever the matrices say."""
    width = W_Q.shape[1] // num_heads
    places = slice(head * width, (head + 1) * width)
    Q, K, V = (behind(W, b)[places] for W, b in ((W_Q, b_Q), (W_K, b_K), (W_V, b_V)))
    return Q.T @ K / width**0.5, V.T @ W_O[:, places].T


def whole_by_own_root(head: int, num_heads: int, *given: Tensor) -> Maps:
    """Nothing is cut, and yet the root is that of one head's width."""
    cut = cutting(whole)(head, num_heads, *given)
    return cut[0] * num_heads**0.5, cut[1]


def without_the_corner(*given: Any) -> Maps:
    W_QK, W_OV = RIGHT(*given)
    W_QK[-1, -1] = 0
    return W_QK, W_OV


def exchanged(*given: Any) -> Maps:
    W_QK, W_OV = RIGHT(*given)
    return W_OV, W_QK


SQUARE = _("two heads of width one, square maps")

MISTAKES = (
    Mistake(
        "biases-left-out",
        joined_by(zeros_behind, zeros_behind, zeros_behind),
        (
            joined_by(without_column, without_column, without_column),
            joined_by(zeros_behind, zeros_behind, behind),
        ),
    ),
    Mistake("product-of-the-biases-left-out", without_the_corner),
    Mistake("query-bias-left-out", joined_by(query=zeros_behind)),
    Mistake("key-bias-left-out", joined_by(key=zeros_behind)),
    Mistake(
        "value-bias-left-out", joined_by(value=zeros_behind), (joined_by(value=without_column),)
    ),
    Mistake("root-forgotten", with_step(root=lambda Q, W_Q: 1.0)),
    Mistake(
        "another-root",
        with_step(root=lambda Q, W_Q: W_Q.shape[1] ** 0.5),
        (
            with_step(root=lambda Q, W_Q: len(W_Q) ** 0.5),
            with_step(root=lambda Q, W_Q: (W_Q.shape[1] + 1) ** 0.5),
            with_step(root=lambda Q, W_Q: float(len(Q))),
        ),
    ),
    Mistake(
        "root-for-both-maps",
        with_step(write=lambda V, columns: V.T @ columns.T / len(V) ** 0.5),
    ),
    Mistake("query-and-key-exchanged", with_step(compose=lambda Q, K: K.T @ Q)),
    Mistake("output-before-value", with_step(write=lambda V, columns: columns @ V)),
    Mistake(
        "rows-of-the-output-map",
        with_step(columns=lambda W_O, head, heads: W_O.chunk(heads)[head].T),
        case=SQUARE,
    ),
    Mistake(
        "heads-not-cut",
        cutting(whole),
        (
            with_step(cut=whole, columns=lambda W_O, head, heads: W_O, root=lambda Q, W_Q: 1.0),
            with_step(cut_values=whole, columns=lambda W_O, head, heads: W_O),
            whole_by_own_root,
        ),
    ),
    Mistake(
        "counted-from-one", cutting(lambda x, head, heads: own_rows(x, (head - 1) % heads, heads))
    ),
    Mistake("every-so-many-rows", cutting(lambda x, head, heads: x[head::heads])),
    Mistake("one-width-for-all", one_width),
    Mistake("width-of-the-model", width_of_the_model),
    Mistake("ones-in-front", joined_by(in_front, in_front, in_front)),
    Mistake("results-exchanged", exchanged),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _random(
    head: int, num_heads: int, d_model: int, d_head: int, d_value: int,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    narrow, wide = num_heads * d_head, num_heads * d_value
    shapes = {
        "W_Q": (narrow, d_model), "b_Q": (narrow,),
        "W_K": (narrow, d_model), "b_K": (narrow,),
        "W_V": (wide, d_model), "b_V": (wide,),
        "W_O": (d_model, wide),
    }  # fmt: skip

    def make(generator: torch.Generator) -> Inputs:
        drawn = {
            name: torch.randn(shape, generator=generator, dtype=dtype)
            for name, shape in shapes.items()
        }
        return {"head": head, "num_heads": num_heads, **drawn}

    return make


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "head": 1,
        "num_heads": 2,
        "W_Q": torch.tensor([[9.0, 9.0], [1.0, 2.0]]),
        "b_Q": torch.tensor([9.0, 3.0]),
        "W_K": torch.tensor([[9.0, 9.0], [1.0, 0.0]]),
        "b_K": torch.tensor([9.0, 2.0]),
        "W_V": torch.tensor([[9.0, 9.0], [0.0, 1.0]]),
        "b_V": torch.tensor([9.0, 5.0]),
        "W_O": torch.tensor([[9.0, 1.0], [9.0, 3.0]]),
    }


CASES = (
    Case(_("the second of two heads, of width one"), _hand),
    Case(_("a head in the middle"), _random(1, 3, 5, 2, 7), seed=1),
    Case(_("the last head"), _random(4, 5, 7, 3, 2), seed=2),
    Case(SQUARE, _random(0, 2, 2, 1, 1), seed=3),
    Case(_("three heads, square maps"), _random(1, 3, 6, 2, 2), seed=4),
    Case(_("heads wider than the stream"), _random(0, 2, 3, 11, 5), seed=5),
    Case(_("as wide as there are heads"), _random(2, 3, 7, 3, 3), seed=6),
    Case(_("float64"), _random(3, 5, 11, 2, 3, torch.float64), seed=7),
)

ANSWERS = Answers(
    solution=two_maps,
    alternatives=(with_blocks, by_asking_the_head),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named("W_QK", "W_OV"),
)
