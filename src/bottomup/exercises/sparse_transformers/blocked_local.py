"""Exercise: attention within blocks, without the table of all pairs (Child et al., section 5.5)."""

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise
from bottomup.exercises.sparse_transformers.blocked_local_mistakes import (
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
def attend_in_blocks(q, k, v, block):
    """Causal attention in which each position reads its own block only.

    q, k [head, n, d], v [head, n, d_value]; block divides n. Position i
    reads the positions j <= i with j // block == i // block, with a
    softmax of q[i] k[j] / sqrt(d) over them.
    No table of n times n numbers is formed, neither scores nor a mask.
    Returns [head, n, d_value].
    """
    ...
'''


def attend_in_blocks(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, block: int) -> torch.Tensor:
    q, k, v = (x.unflatten(1, (-1, block)) for x in (q, k, v))  # [head, block, place, d]
    scores = q @ k.mT / q.shape[-1] ** 0.5  # [head, block, place, place]
    later = torch.ones_like(scores, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    return (weights @ v).flatten(1, 2)


def with_torch(q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
    q, k, v = (torch.stack(x.split(block, dim=1)) for x in (q, k, v))
    return torch.cat(F.scaled_dot_product_attention(q, k, v, is_causal=True).unbind(), dim=1)


def with_a_loop(q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
    output = torch.empty_like(v)
    for i in range(q.shape[1]):
        own = slice(i - i % block, i + 1)
        scores = (k[:, own] * q[:, i : i + 1]).sum(-1) * q.shape[-1] ** -0.5
        output[:, i] = torch.einsum("hj,hjv->hv", scores.softmax(-1), v[:, own])
    return output


def with_einsum(q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
    heads, n, d = q.shape
    q, k, v = (x.reshape(heads * n // block, block, x.shape[-1]) for x in (q / d**0.5, k, v))
    scores = torch.einsum("gid,gjd->gij", q, k)
    exponentials = torch.exp(scores - scores.amax(-1, keepdim=True)).tril()
    weights = exponentials / exponentials.sum(-1, keepdim=True)
    return torch.einsum("gij,gjv->giv", weights, v).reshape(heads, n, v.shape[-1])


_SIZE = "block"
CASES = (
    Case(HAND, means(_SIZE, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0], 2)),
    Case(HAND_SCORES, given(_SIZE, [1.0, 2.0, 3.0, 4.0], [0.0, 8.0, 0.0, 8.0], 2, 4)),
    Case(_("three blocks of five"), random(_SIZE, 2, 3, 5, 7, 3), seed=1),
    Case(_("as many blocks as places"), random(_SIZE, 2, 5, 5, 3, 7), seed=2),
    Case(_("as many heads as blocks"), random(_SIZE, 3, 3, 7, 2, 2), seed=3),
    Case(_("one block"), random(_SIZE, 2, 1, 7, 5, 3), seed=4),
    Case(_("blocks of one"), random(_SIZE, 2, 7, 1, 5, 3), seed=5),
    Case(_("float64"), random(_SIZE, 3, 2, 5, 11, 7, dtype=torch.float64), seed=6),
    Case(COST, counted(_SIZE, 8), seed=7),
    Case(
        _("gradients"),
        with_gradients(random(_SIZE, 1, 2, 3, 2, 2, dtype=torch.float64)),
        seed=8,
    ),
)

BLOCKED_LOCAL = Exercise(
    slug="blocked-local",
    title=_("Attention within blocks"),
    chapter="07",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Twelve positions in blocks of four: how many of the 144 scores does anybody need? Put "
            "them into three squares. What would the shape of a tensor be that holds these alone?"
        ),
        _(
            "`x.unflatten(1, (-1, block))` cuts [head, n, d] into [head, block number, place, d] "
            "and moves nothing. From there on the blocks are a batch axis like the heads: one "
            "product gives the scores of all blocks."
        ),
        _(
            "Within a block, place i may read the places up to i. One triangle [block, block], or "
            "`triu(1)` of ones like the scores, serves all blocks. Flatten the axes 1 and 2 of the "
            "output."
        ),
    ),
    solution=attend_in_blocks,
    alternatives=(with_torch, with_a_loop, with_einsum),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=counting_on(COST, attend_in_blocks),
    compare=compare,
)
