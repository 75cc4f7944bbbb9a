"""Exercise: attention to every l-th position back, by a transpose (Child et al., section 5.5)."""

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise
from bottomup.exercises.sparse_transformers.column_attention_mistakes import (
    COST,
    HAND,
    HAND_SCORES,
    MISCONCEPTIONS,
)
from bottomup.exercises.sparse_transformers.cost import compare, counting_on
from bottomup.exercises.sparse_transformers.group_cases import (
    counted,
    given,
    means,
    random,
    with_gradients,
)
from bottomup.i18n import _

STUB = '''\
def attend_along_columns(q, k, v, stride):
    """Causal attention to oneself and every stride-th position back.

    q, k [head, n, d], v [head, n, d_value]; stride divides n. Position i
    reads the positions j <= i with (i - j) % stride == 0, with a softmax
    of q[i] k[j] / sqrt(d) over them.
    No table of n times n numbers is formed, neither scores nor a mask.
    Returns [head, n, d_value], every position at its place.
    """
    ...
'''


def attend_along_columns(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, stride: int
) -> torch.Tensor:
    # [head, n, d] -> [head, row, column, d] -> [head, column, row, d]
    q, k, v = (x.unflatten(1, (-1, stride)).transpose(1, 2) for x in (q, k, v))
    scores = q @ k.mT / q.shape[-1] ** 0.5  # [head, column, row, row]
    later = torch.ones_like(scores, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    return (weights @ v).transpose(1, 2).flatten(1, 2)


def with_slices(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    output = torch.empty_like(v)
    for column in range(stride):
        own = slice(column, None, stride)
        output[:, own] = F.scaled_dot_product_attention(
            q[:, own], k[:, own], v[:, own], is_causal=True
        )
    return output


def with_a_loop(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    rows = []
    for i in range(q.shape[1]):
        own = torch.arange(i % stride, i + 1, stride)
        scores = torch.einsum("hd,hjd->hj", q[:, i], k[:, own]) / q.shape[-1] ** 0.5
        rows.append((scores.softmax(-1)[..., None] * v[:, own]).sum(1))
    return torch.stack(rows, dim=1)


def with_einsum(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    q, k, v = (x.reshape(len(x), -1, stride, x.shape[-1]) for x in (q / q.shape[-1] ** 0.5, k, v))
    scores = torch.einsum("hicd,hjcd->hcij", q, k)
    row = torch.arange(q.shape[1])
    weights = scores.where(row <= row[:, None], -torch.inf).softmax(-1)
    return torch.einsum("hcij,hjcv->hicv", weights, v).flatten(1, 2)


_SIZE = "stride"
CASES = (
    Case(HAND, means(_SIZE, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0], 2)),
    Case(HAND_SCORES, given(_SIZE, [1.0, 2.0, 3.0, 4.0], [0.0, 8.0, 8.0, 0.0], 2, 4)),
    Case(_("five rows of three"), random(_SIZE, 2, 5, 3, 7, 2), seed=1),
    Case(_("as many rows as columns"), random(_SIZE, 2, 5, 5, 3, 7), seed=2),
    Case(_("as many heads as columns"), random(_SIZE, 3, 7, 3, 2, 2), seed=3),
    Case(_("one column"), random(_SIZE, 2, 7, 1, 5, 3), seed=4),
    Case(_("one row"), random(_SIZE, 2, 1, 7, 5, 3), seed=5),
    Case(_("float64"), random(_SIZE, 3, 5, 2, 11, 7, dtype=torch.float64), seed=6),
    Case(COST, counted(_SIZE, 64), seed=7),
    Case(
        _("gradients"),
        with_gradients(random(_SIZE, 1, 3, 2, 2, 2, dtype=torch.float64)),
        seed=8,
    ),
)

COLUMN_ATTENTION = Exercise(
    slug="column-attention",
    title=_("Attention along columns"),
    chapter="07",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Write 0 to 11 in rows of three. Position 7 reads 7, 4 and 1. Which positions make "
            "one group, and how far apart do they lie in memory?"
        ),
        _(
            "`x.unflatten(1, (-1, stride))` makes the table [head, row, column, d]. A product over "
            "the last two axes would compare the positions of a row. Which two axes have to change "
            "places?"
        ),
        _(
            "After `transpose(1, 2)` the columns are a batch axis, and each attends causally over "
            "its rows. The output is in the same order: transpose it back before you flatten."
        ),
    ),
    solution=attend_along_columns,
    alternatives=(with_slices, with_a_loop, with_einsum),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=counting_on(COST, attend_along_columns),
    compare=compare,
)
