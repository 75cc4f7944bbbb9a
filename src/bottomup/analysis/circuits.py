"""A head as two maps, where it reads and what it writes, and scores of heads.

A bias is one more row of a map, which a component that is always 1 reads.
"""

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from bottomup.analysis.heads import check_head, head_maps
from bottomup.checks import checked
from bottomup.data.induction import successors
from bottomup.precision import in_float32
from bottomup.training.device import in_float64


@checked
def with_ones(
    x: Float[Tensor, "*leading d_model"],
) -> Float[Tensor, "*leading d_model+1"]:
    """Append a component that is 1, for the biases: ``(x, 1)``.

    Source: Elhage et al. (2021), section "Transformer Overview", which folds
    biases into the weights so. Chapter 09 derives it.

    Example:
        >>> with_ones(torch.tensor([[3.0, 4.0]]))
        tensor([[3., 4., 1.]])
    """
    return torch.cat([x, torch.ones_like(x[..., :1])], dim=-1)


def query_key(
    attention: nn.Module, head: int
) -> Float[Tensor, "d_model+1 d_model+1"]:
    """Return the one map that decides where a head reads.

    ``W_QK = (W_Q^h; b_Q^h) (W_K^h; b_K^h)^T / sqrt(d_head)``, so that
    ``scores = (x, 1) W_QK (y, 1)^T``

    x are the vectors that the queries are made of and y those of the keys; the
    maps of a head act on rows, [d_model, d_head], with the bias as a last row.
    The scores are those before mask and softmax. W_QK has at most the rank
    d_head.

    Args:
        attention: a `MultiHeadAttention`, or one of another library that
            `head_maps` can read; gradients pass.
        head: its number from 0.

    Source: Elhage et al. (2021), section "Splitting Attention Head terms into
    Query-Key and Output-Value Circuits", without biases. Chapter 09 derives it.

    Example:
        >>> from bottomup.attention import MultiHeadAttention
        >>> query_key(MultiHeadAttention(12, 3), head=1).shape
        torch.Size([13, 13])
    """
    maps = head_maps(attention)
    check_head(head, len(maps.output))
    query, key = maps.query[:, head], maps.key[:, head]  # [d_model + 1, d_head]
    return query @ key.T / query.shape[1] ** 0.5


def output_value(
    attention: nn.Module, head: int
) -> Float[Tensor, "d_model+1 d_model"]:
    """Return the one map that decides what a head writes of what it reads.

    ``W_OV = (W_V^h; b_V^h) W_O^h``, so that the attention's output is
    ``sum_h weights_h (y, 1) W_OV + b_O``

    y are the vectors that the values are made of. A position that is read with
    the weight 1 is written as ``(y, 1) W_OV``. b_O belongs to no head and is
    left out.

    Args:
        attention, head: as in `query_key`.

    Source: Elhage et al. (2021), section "Splitting Attention Head terms into
    Query-Key and Output-Value Circuits", without biases. Chapter 09 derives it.

    Example:
        >>> from bottomup.attention import MultiHeadAttention
        >>> output_value(MultiHeadAttention(12, 3), head=1).shape
        torch.Size([13, 12])
    """
    maps = head_maps(attention)
    check_head(head, len(maps.output))
    return maps.value[:, head] @ maps.output[head]  # [d_model + 1, d_model]


@checked
@in_float32
def composition(
    first: Float[Tensor, "rows inner"], second: Float[Tensor, "inner columns"]
) -> Float[Tensor, ""]:
    """Say how much of what a first map writes a second one reads, from 0 to 1.

    ``||A B||_F / (||A||_F ||B||_F)``

    With a W_OV of an earlier layer as A, B is W_QK for the queries of a later
    head, the transposed W_QK for its keys and its W_OV for its values, each
    without the last row, that of the bias.

    Random maps do not give 0 but about ``1 / sqrt(inner)``, and their ranks
    matter, so a score says something beside that of random maps of the same
    shapes alone. The paper subtracts it.

    Args:
        first, second: maps of rows, the first applied first.

    Source: Elhage et al. (2021), section "Analyzing a Two-Layer Model".
    Chapter 09 measures it.

    Example:
        >>> writes = torch.tensor([[0.0, 1.0], [0.0, 1.0]])  # one axis
        >>> composition(writes, torch.tensor([[1.0], [0.0]]))
        tensor(0.)
        >>> composition(writes, torch.tensor([[0.0], [1.0]]))
        tensor(1.)
    """
    lengths = first.norm() * second.norm()
    if lengths == 0:
        raise ValueError("first, second: expected maps that are not all zero")
    return (first @ second).norm() / lengths


@checked
def previous_token_score(
    weights: Float[Tensor, "*leading position position"],
) -> Float[Tensor, "*leading"]:
    """Return the mean weight that a position gives to the one before it.

    ``mean_i weights[i, i - 1]`` over the positions i = 1, 2, …

    Args:
        weights: of self-attention, queries before keys. With the axes
            ``batch head query key`` the scores have ``batch head``; their mean
            over the batch is a head's.

    Source: Olsson et al. (2022), "Head activation evaluators", "Previous
    token". Chapter 09 uses it.

    Example:
        >>> weights = torch.tensor([[1.0, 0.0], [0.8, 0.2]])
        >>> previous_token_score(weights)
        tensor(0.8000)
    """
    if weights.shape[-1] < 2:
        raise ValueError("weights: expected at least 2 positions, got 1")
    return weights.diagonal(-1, dim1=-2, dim2=-1).mean(dim=-1)


@checked
def prefix_matching_score(
    weights: Float[Tensor, "batch head position position"],
    tokens: Int64[Tensor, "batch position"],
) -> Float[Tensor, " head"]:
    """Return the mean weight on what followed the same token earlier.

    ``mean_i sum_j weights[i, j + 1]``, the sum over all j < i with
    ``token_j = token_i``, the mean over all i, of all sequences, that have one

    Weights that are spread evenly over the positions up to i give
    ``1 / (i + 1)`` for each such j, which is what to compare it with.

    Args:
        weights: of self-attention, queries before keys.
        tokens: what was read; one token at least comes a second time.

    Source: Olsson et al. (2022), "Head activation evaluators", "Prefix
    matching", on random tokens that are repeated. The paper's words there, "the
    tokens that preceded the same token", would name another position than its
    definition of an induction head, which this follows. Chapter 09 uses it.

    Example:
        >>> weights = torch.eye(4)[[0, 0, 0, 1]][None, None]
        >>> tokens = torch.tensor([[5, 6, 7, 5]])  # the last 5 reads the 6
        >>> prefix_matching_score(weights, tokens)
        tensor([1.])
    """
    followed = successors(tokens)  # [batch, query, key]
    asked = followed.any(dim=-1)  # [batch, query]
    if not asked.any():
        raise ValueError("tokens: expected one that comes twice, got none")
    read = (weights * followed[:, None]).sum(dim=-1)  # [batch, head, query]
    return read.transpose(0, 1)[:, asked].mean(dim=-1)


@checked
@in_float32
def copying_score(
    W_OV: Float[Tensor, "d_model d_model"],
    embedding: Float[Tensor, "vocabulary d_model"],
    unembedding: Float[Tensor, "vocabulary d_model"],
) -> float:
    """Say whether a head makes the tokens that it reads more probable.

    ``sum_k lambda_k / sum_k |lambda_k|``, lambda the eigenvalues of
    ``E W_OV U^T``

    The map says of each token that is read (row) how much the logit of each
    token (column) rises. Its eigenvalues are real or come in pairs whose
    imaginary parts cancel. The score lies in [-1, 1]: 1 where each direction
    of tokens raises itself, about 0 for a random map, -1 where each lowers
    itself. It is 0 where all eigenvalues are.

    It is a summary: a map can have positive eigenvalues and still lower some
    token that is read, or raise another one more.

    Args:
        W_OV: from `output_value`, without the last row: a bias raises the same
            logits whatever is read.
        embedding: what each token brings into the stream.
        unembedding: what each token's logit reads off the stream.

    Source: Elhage et al. (2021), sections "Detecting Copying Behavior" and
    "Summarizing OV/QK Matrices". Chapter 09 uses it.

    Example:
        >>> tokens = torch.eye(3)
        >>> copying_score(torch.eye(3), tokens, tokens)
        1.0
        >>> copying_score(-torch.eye(3), tokens, tokens)
        -1.0
    """
    raised = embedding @ W_OV @ unembedding.T  # [token read, token]
    eigenvalues = torch.linalg.eigvals(in_float64(raised.detach()))
    size = eigenvalues.abs().sum().item()
    return eigenvalues.real.sum().item() / size if size else 0.0
