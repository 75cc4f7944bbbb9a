"""Exercise: what a Transformer's first layer reads (Vaswani et al., 2017, sections 3.4 and 3.5)."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.blocks import sinusoidal_positions
from bottomup.exercises.encoder_decoder.scaled_embedding_mistakes import (
    HAND,
    LATER,
    MISCONCEPTIONS,
    SQUARE,
)
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.i18n import _

STUB = '''\
def embed(tokens, embedding, positions, start):
    """What the first layer reads: words and positions, of equal size.

    tokens [batch, position]: token numbers. embedding [V, d_model]: one
    row for each token; its entries have a spread of 1 / sqrt(d_model),
    so the rows are multiplied by sqrt(d_model). positions [row, d_model]:
    sines and cosines, to be added as they are. start: the row of the
    first token given; 0 in training, n when n tokens were read before.
    Returns [batch, position, d_model]. A gradient must flow back.
    """
    ...
'''


def embed(
    tokens: torch.Tensor, embedding: torch.Tensor, positions: torch.Tensor, start: int
) -> torch.Tensor:
    length, d_model = tokens.shape[1], embedding.shape[1]
    words = embedding[tokens] * d_model**0.5  # [batch, position, d_model]
    return words + positions[start : start + length]


def with_torch_s_embedding(
    tokens: Tensor, embedding: Tensor, positions: Tensor, start: int
) -> Tensor:
    places = torch.arange(start, start + tokens.shape[1])
    words = F.embedding(tokens, embedding)
    return words * math.sqrt(embedding.shape[-1]) + F.embedding(places, positions)


def with_one_hot_vectors(
    tokens: Tensor, embedding: Tensor, positions: Tensor, start: int
) -> Tensor:
    hot = F.one_hot(tokens, len(embedding)).to(embedding)
    rows = positions.narrow(0, start, tokens.shape[1])
    return torch.einsum("bpv,vd->bpd", hot, embedding.shape[1] ** 0.5 * embedding) + rows


def with_loops(tokens: Tensor, embedding: Tensor, positions: Tensor, start: int) -> Tensor:
    root = math.sqrt(embedding.shape[1])
    sentences = [
        torch.stack([root * embedding[t] + positions[i] for i, t in enumerate(row, start)])
        for row in tokens.tolist()
    ]
    return torch.stack(sentences)


Make = Callable[[torch.Generator], Inputs]


def _by_hand(generator: torch.Generator) -> Inputs:
    return {
        "tokens": torch.tensor([[2, 0]]),
        "embedding": torch.tensor([[1.0, 2, 3, 4], [9, 9, 9, 9], [5, 0, 5, 0]]),
        "positions": torch.tensor([[0.0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5], [1, 0, 1, 0]]),
        "start": 0,
    }


def _random(
    batch: int, length: int, vocabulary: int, d_model: int, *,
    rows: int = 0, start: int = 0, dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """A table of so many rows, or of exactly as many as are needed."""

    def make(generator: torch.Generator) -> Inputs:
        drawn = torch.randn(vocabulary, d_model, generator=generator, dtype=dtype)
        table = sinusoidal_positions(rows or start + length, d_model + d_model % 2)
        return {
            "tokens": torch.randint(vocabulary, (batch, length), generator=generator),
            "embedding": drawn / d_model**0.5,
            "positions": table[:, :d_model].to(dtype).clone(),
            "start": start,
        }

    return make


def _later(generator: torch.Generator) -> Inputs:
    inputs = _by_hand(generator)
    return {**inputs, "tokens": torch.tensor([[1]]), "start": 2}


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _random(2, 3, 5, 2, rows=7, start=1, dtype=torch.float64)(generator)
    learned = {name: inputs[name].requires_grad_() for name in ("embedding", "positions")}
    return {**inputs, **learned}


CASES = (
    Case(HAND, _by_hand),
    Case(LATER, _later),
    Case(_("a batch"), _random(2, 5, 11, 6, rows=13), seed=1),
    Case(SQUARE, _random(3, 3, 7, 10, rows=17), seed=2),
    Case(_("three tokens at once, five were read before"), _random(2, 3, 7, 4, start=5), seed=3),
    Case(_("one sentence"), _random(1, 7, 5, 6, rows=11), seed=4),
    Case(_("a table as long as the sentence"), _random(5, 3, 7, 2), seed=5),
    Case(_("width one"), _random(2, 3, 5, 1, rows=7), seed=6),
    Case(_("float64"), _random(3, 2, 5, 14, rows=7, dtype=torch.float64), seed=7),
    Case(_("gradients for both tables"), _with_gradients, seed=8),
)

SCALED_EMBEDDING = Exercise(
    slug="scaled-embedding",
    title=_("Words and positions, balanced"),
    chapter="05",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Two things are added: a word's vector and a position's vector. Which of them is "
            "larger as it stands, for d_model = 512, and by how much?"
        ),
        _(
            "`embedding[tokens]` has the shape [batch, position, d_model]. The positions need no "
            "batch axis: every sentence gets the same rows."
        ),
        _(
            "In training the rows are 0 to length - 1. With start, they are start to "
            "start + length - 1. Which slice is that, and which axis of tokens is the length?"
        ),
    ),
    solution=embed,
    alternatives=(with_torch_s_embedding, with_one_hot_vectors, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
