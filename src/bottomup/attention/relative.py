"""Attention whose scores know how far a key lies back, and no position."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.multi_head import merge_heads, split_heads
from bottomup.checks import check_divisor, check_integer, checked
from bottomup.masks import masked_softmax
from bottomup.precision import in_float32


@checked
def relative_shift(
    by_distance: Float[Tensor, "*leading query distance"],
) -> Float[Tensor, "*leading query key"]:
    """Move each row so that its columns are keys, not distances.

    ``shifted[i, j] = by_distance[i, j + n - 1 - i]`` for ``j <= m - n + i``

    n is the number of queries and m that of keys, the n positions of the
    queries at their end. The columns of `by_distance` run from distance m - 1,
    the farthest, down to 0. Behind a query's own key stands nothing of use:
    a mask has to cover it.

    A column of zeros in front makes each row longer by one. Read on in rows of
    the old length, every row then begins one place later than the one above it.

    Source: Dai et al. (2019), appendix B. Chapter 10 derives it.

    Example:
        >>> by_distance = torch.tensor([[2.0, 1.0, 0.0]]).expand(3, 3)
        >>> relative_shift(by_distance).tril()  # i - j where j <= i
        tensor([[0., 0., 0.],
                [1., 0., 0.],
                [2., 1., 0.]])
    """
    *leading, n, m = by_distance.shape
    longer = nn.functional.pad(by_distance, (1, 0))  # [..., query, 1 + m]
    rows = longer.view(*leading, m + 1, n)  # the same numbers in a row
    return rows[..., 1:, :].reshape(*leading, n, m)  # [..., query, key]


@checked
@in_float32
def relative_scores(
    query: Float[Tensor, "*leading head query d_head"],
    key: Float[Tensor, "*leading head key d_head"],
    distances: Float[Tensor, "head key d_head"],
    u: Float[Tensor, "head d_head"],
    v: Float[Tensor, "head d_head"],
) -> Float[Tensor, "*leading head query key"]:
    """Score by content and by distance, in four terms.

    ``scores[i, j] = (q_i k_j + q_i r_d + u k_j + v r_d) / sqrt(d_head)``, where
    ``d = m - n + i - j`` is how far key j lies before query i

    Args:
        query: of the n newest positions.
        key: of all m positions, the n newest at their end.
        distances: ``r_d``, from d = m - 1 in the first row down to d = 0.
        u: what every query asks of a key's content.
        v: what every query asks of a distance.

    Behind a query's own key the scores mean nothing: mask them.

    Source: Dai et al. (2019), section 3.3, terms (a) to (d). Chapter 10 derives
    it.

    Example:
        >>> query = key = torch.zeros(1, 2, 1)  # one head; content says nothing
        >>> distances = torch.tensor([[[1.0], [0.0]]])  # 1, then 0
        >>> no, one = torch.zeros(1, 1), torch.ones(1, 1)
        >>> relative_scores(query, key, distances, u=no, v=one)[0].tril()
        tensor([[0., 0.],
                [1., 0.]])
    """
    n, m = query.shape[-2], key.shape[-2]
    if n > m:
        wanted = f"at most the {m} positions of key"
        raise ValueError(f"query: expected {wanted}, got {n}")
    content = (query + u[:, None]) @ key.mT  # (a) + (c)
    place = (query + v[:, None]) @ distances.mT  # (b) + (d), by distance
    return (content + relative_shift(place)) * query.shape[-1] ** -0.5


class RelativeAttention(nn.Module):
    """Multi-head attention of a segment to itself and to what came before.

    ``Q = x W_Q^T``, ``K = y W_K^T``, ``V = y W_V^T``, ``r_d = W_R R_d``;
    ``head = softmax(scores) V``, with the `relative_scores` of each head;
    ``output = [head_1 ... head_H] W_O^T``

    y is the segment x with its memory in front, and R_d a table of sinusoids,
    a row for each distance. u and v start as zeros, the maps as Glorot's
    uniform distribution draws them; none has a bias, and u takes its place.

    Args:
        d_model: width of a position, in and out.
        num_heads: number of heads; it divides d_model.

    Source: Dai et al. (2019), section 3.3. Chapter 10 derives it.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        check_integer("d_model", d_model, at_least=1)
        check_integer("num_heads", num_heads, at_least=1)
        check_divisor("num_heads", num_heads, "d_model", d_model)
        self.d_model, self.num_heads = d_model, num_heads
        self.W_Q, self.W_K, self.W_V, self.W_R, self.W_O = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(5)
        )
        for linear in (self.W_Q, self.W_K, self.W_V, self.W_R, self.W_O):
            nn.init.xavier_uniform_(linear.weight)
        self.u = nn.Parameter(torch.zeros(num_heads, d_model // num_heads))
        self.v = nn.Parameter(torch.zeros(num_heads, d_model // num_heads))

    @checked
    def forward(
        self,
        x: Float[Tensor, "batch query d_model"],
        extended: Float[Tensor, "batch key d_model"],
        sinusoids: Float[Tensor, "key d_model"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "batch query d_model"],
        Float[Tensor, "batch head query key"],
    ]:
        """Return ``(output, weights)``.

        Args:
            x: the segment.
            extended: the memory, and the segment behind it.
            sinusoids: R, from the farthest distance, one less than there are
                keys, down to 0.
            mask: True = may attend; broadcasts to ``[query, key]``. It has to
                cover what stands behind a query.
        """
        H = self.num_heads
        read, weights = _read(
            split_heads(self.W_Q(x), H),  # [batch, head, query, d_head]
            split_heads(self.W_K(extended), H),  # [batch, head, key, d_head]
            split_heads(self.W_V(extended), H),
            split_heads(self.W_R(sinusoids), H),  # [head, key, d_head]
            self.u,
            self.v,
            mask,
        )
        return self.W_O(merge_heads(read)), weights  # [batch, query, d_model]


@in_float32
def _read(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    distances: Tensor,
    u: Tensor,
    v: Tensor,
    mask: Tensor | None,
) -> tuple[Tensor, Tensor]:
    scores = relative_scores(query, key, distances, u, v)
    weights = masked_softmax(scores, mask)  # [batch, head, query, key]
    return weights @ value, weights
