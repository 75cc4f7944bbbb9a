"""A decoder small enough to know everything about it, and searches that try everything."""

import itertools
import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from bottomup.data import BOS, EOS, make_batch
from tests.drawn import seeded


class State(NamedTuple):
    shift: Tensor
    read: list[list[int]]


class Markov(nn.Module):
    """``logits(v) = table[token, v]``; a varied one depends on the source and the position, too.

    A table of log-probabilities gives exactly those. A varied model has no ties: without it,
    sequences of the same transitions in another order have the same probability. `prefixes` holds,
    for each step, the tokens that each row has read, BOS included, as the reordered states have it.
    """

    def __init__(self, table: Tensor, *, varied: bool = False) -> None:
        super().__init__()
        self.table, self.varied = table, varied
        self.prefixes: list[list[list[int]]] = []

    def start(self, source: Tensor, source_mask: Tensor) -> State:
        total = source.masked_fill(~source_mask, 0).sum(dim=1)
        return State(total, [[] for _ in source])

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State, None]:
        read = [[*before, new] for before, new in zip(state.read, token.tolist(), strict=True)]
        self.prefixes.append(read)
        return self.logits(token, state.shift, len(read[0])), State(state.shift, read), None

    def logits(self, token: Tensor, shift: Tensor, position: int) -> Tensor:
        rows = self.table[token]
        if not self.varied:
            return rows
        places = torch.arange(rows.shape[1]) + shift[:, None]
        return (1 + 0.13 * position) * rows.gather(1, places % rows.shape[1])

    def reorder(self, state: State, index: Tensor) -> State:
        return State(state.shift[index], [state.read[place] for place in index.tolist()])


def source_of(*rows: list[int]) -> tuple[Tensor, Tensor]:
    batch = make_batch([(row, []) for row in rows])
    return batch.source, batch.source_mask


def random_table(size: int, seed: int, scale: float = 2.0) -> Tensor:
    return scale * torch.randn(size, size, generator=seeded(seed), dtype=torch.float64)


def penalty(length: int, alpha: float) -> float:
    return math.exp(alpha * math.log((5 + length) / 6))


def next_log_probabilities(model: Markov, read: list[int], row: list[int]) -> list[float]:
    """log p of each token after what was read, BOS included, for one source without its EOS."""
    shift = torch.tensor([sum(row) + EOS])
    logits = model.logits(torch.tensor(read[-1:]), shift, len(read))[0]
    return (logits - logits.logsumexp(dim=0)).tolist()


def exhaustive(model: Markov, row: list[int], steps: int, alpha: float) -> list[tuple[float, list]]:
    """Return (score, tokens) of every sequence that ends within these steps, the best first."""
    words = [token for token in range(len(model.table)) if token != EOS]
    found = []
    for length in range(steps):
        for tokens in itertools.product(words, repeat=length):
            chain = [BOS, *tokens, EOS]
            total = sum(
                next_log_probabilities(model, chain[:place], row)[chain[place]]
                for place in range(1, len(chain))
            )
            found.append((total / penalty(length + 1, alpha), list(tokens)))
    return sorted(found, key=lambda pair: -pair[0])


def plain_beam(
    model: Markov, row: list[int], *, beam: int, steps: int, alpha: float
) -> list[tuple[float, list[int]]]:
    """Search with lists and loops, to the last step, whatever has ended; (score, tokens)."""
    prefixes, finished = [(0.0, [BOS])], []
    for length in range(1, steps + 1):
        longer = [
            (total + log_probability, [*tokens, token])
            for total, tokens in prefixes
            for token, log_probability in enumerate(next_log_probabilities(model, tokens, row))
        ]
        longer.sort(key=lambda pair: -pair[0])
        finished += [
            (total / penalty(length, alpha), tokens[1:-1])
            for total, tokens in longer[:beam]
            if tokens[-1] == EOS
        ]
        prefixes = [pair for pair in longer if pair[1][-1] != EOS][:beam]
    finished.sort(key=lambda pair: -pair[0])
    return finished + [(total / penalty(steps, alpha), tokens[1:]) for total, tokens in prefixes]
