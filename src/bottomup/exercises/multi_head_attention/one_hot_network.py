"""Two heads on one-hot vectors: what they answer and what they read, on every question."""

from collections.abc import Iterable, Sequence
from itertools import permutations, product

import torch
from torch import Tensor

from bottomup.attention import attend, merge_heads, scaled_dot_scores, split_heads
from bottomup.checks import check_axes

CLEAR = 1e-6  # by less, two scores count as equal


def every_sequence(positions: int, symbols: int) -> tuple[str, ...]:
    """Return all sequences of symbols, a digit for each: symbols^positions of them."""
    digits = map(str, range(symbols))
    return tuple(map("".join, product(digits, repeat=positions)))


def questions(positions: int) -> tuple[tuple[int, int], ...]:
    """Return all ordered pairs of different positions."""
    return tuple(permutations(range(positions), 2))


def two_heads_read(
    query: Tensor, key: Tensor, value: Tensor, weights: Iterable[Tensor]
) -> tuple[Tensor, Tensor]:
    """Return what two heads make of one-hot vectors, and what they read.

    As `multi_head_attention`, but query, key and value differ in width, and the output has room for
    two symbols.

    Args:
        query: [sequence, question, 2 positions].
        key: [sequence, position, positions].
        value: [sequence, position, symbols].
        weights: W_Q [2 d_head, 2 positions], W_K [2 d_head, positions], W_V [2 d_value, symbols]
            and W_O [2 symbols, 2 d_value]; the rows of head 1 stand above those of head 2.

    Returns:
        The output, [sequence, question, 2 symbols], and the weights of each head.

    Raises:
        TypeError, ValueError: a matrix is not of floating-point numbers or has other sizes.
    """
    W_Q, W_K, W_V, W_O = weights
    positions, symbols = key.shape[-1], value.shape[-1]
    rows = check_axes("W_Q", W_Q, "2d_head 2positions", **{"2positions": 2 * positions})["2d_head"]
    check_axes("W_K", W_K, "2d_head positions", **{"2d_head": rows, "positions": positions})
    rows = check_axes("W_V", W_V, "2d_value symbols", symbols=symbols)["2d_value"]
    check_axes("W_O", W_O, "2symbols 2d_value", **{"2symbols": 2 * symbols, "2d_value": rows})
    inputs = zip((query, key, value), (W_Q, W_K, W_V), strict=True)
    Q, K, V = (split_heads(x @ W.detach().double().T, 2) for x, W in inputs)
    heads, read = attend(scaled_dot_scores(Q, K), V)
    return merge_heads(heads) @ W_O.detach().double().T, read


def behaviour(weights: Iterable[Tensor], symbols: int, sequences: Sequence[str]) -> Tensor:
    """Ask the two heads every question about some sequences.

    Args:
        weights: W_Q, W_K, W_V, W_O as `two_heads_read` takes them.
        symbols: number of different symbols.
        sequences: equally long, a digit for each symbol.

    Returns:
        Four numbers for each sequence and question, [sequence, question, 4]: the symbol with the
        largest score in each slot, and the position with the largest weight in each head; -1 where
        none is largest alone.

    Raises:
        TypeError, ValueError: as `two_heads_read`.
    """
    rows = _numbers(sequences)
    count, positions = rows.shape
    place, symbol = torch.eye(positions).double(), torch.eye(symbols).double()
    query = place[torch.tensor(questions(positions))].flatten(1)  # [question, 2 positions]
    output, read = two_heads_read(
        query.expand(count, -1, -1), place.expand(count, -1, -1), symbol[rows], weights
    )
    answers = _largest(output.unflatten(-1, (2, symbols)))  # [sequence, question, slot]
    positions_read = _largest(read.transpose(1, 2))  # [sequence, question, head]
    return torch.cat([answers, positions_read], dim=-1)


def right_answers(sequences: Sequence[str]) -> Tensor:
    """Return the two symbols asked for, [sequence, question, 2]."""
    rows = _numbers(sequences)
    return rows[:, torch.tensor(questions(rows.shape[1]))]


def _numbers(sequences: Sequence[str]) -> Tensor:
    return torch.tensor([list(map(int, row)) for row in sequences])


def _largest(scores: Tensor) -> Tensor:
    """Return the index of the largest score, and -1 where none is largest alone."""
    best = scores.topk(2, dim=-1)
    alone = best.values[..., 0] - best.values[..., 1] > CLEAR  # False for NaN
    return torch.where(alone, best.indices[..., 0], -1)
