"""Exercise: what a Transformer's first layer reads (Vaswani et al., 2017, sections 3.4 and 3.5)."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.blocks import sinusoidal_positions
from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


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


# ---- Mistakes: embeddings and positions, balanced

HAND = _("two tokens, width four")
LATER = _("the third token of a translation in progress")
SQUARE = _("as many sentences as positions")
Answer = Callable[[Tensor, Tensor, Tensor, int], Tensor]
Look = Callable[[Tensor, Tensor, int], Tensor]  # tokens, positions, start -> rows of the table
Join = Callable[[Tensor, Tensor, float], Tensor]  # token vectors, position vectors, d_model


def _from_start(tokens: Tensor, positions: Tensor, start: int) -> Tensor:
    return positions[start : start + tokens.shape[1]]


def _joined(words: Tensor, places: Tensor, d_model: float) -> Tensor:
    return words * d_model**0.5 + places


def _with(*, look: Look = _from_start, join: Join = _joined) -> Answer:
    """Right but for the rows that are looked up, or for how they are joined."""

    def wrong(tokens: Tensor, embedding: Tensor, positions: Tensor, start: int) -> Tensor:
        places = look(tokens, positions, start)
        return join(embedding[tokens], places, float(embedding.shape[1]))

    return wrong


def _scaled_by(factor: Callable[[Tensor, Tensor], float]) -> Answer:
    def wrong(tokens: Tensor, embedding: Tensor, positions: Tensor, start: int) -> Tensor:
        places = _from_start(tokens, positions, start)
        return embedding[tokens] * factor(tokens, embedding) + places

    return wrong


SCALES = (
    Mistake("not-scaled", _with(join=lambda words, places, d: words + places), case=HAND),
    Mistake("root-missing", _with(join=lambda words, places, d: words * d + places), case=HAND),
    Mistake(
        "divided",
        _with(join=lambda words, places, d: words / d**0.5 + places),
        (_with(join=lambda words, places, d: words / d + places),),
        case=HAND,
    ),
    Mistake(
        "sum-scaled", _with(join=lambda words, places, d: (words + places) * d**0.5), case=HAND
    ),
    Mistake(
        "positions-scaled", _with(join=lambda words, places, d: words + places * d**0.5), case=HAND
    ),
    Mistake(
        "root-of-another-size",
        _scaled_by(lambda tokens, embedding: len(embedding) ** 0.5),
        (_scaled_by(lambda tokens, embedding: tokens.shape[1] ** 0.5),),
    ),
)

PLACES = (
    Mistake(
        "positions-missing",
        _with(join=lambda words, places, d: words * d**0.5),
        (_with(join=lambda words, places, d: words),),
        case=HAND,
    ),
    Mistake(
        "start-ignored",
        _with(look=lambda tokens, positions, start: positions[: tokens.shape[1]]),
        case=LATER,
    ),
    Mistake(
        "slice-ends-too-early",
        _with(look=lambda tokens, positions, start: positions[start : tokens.shape[1]]),
        (
            _with(
                look=lambda tokens, positions, start: positions[start : start + tokens.shape[1] - 1]
            ),
        ),
        case=LATER,
    ),
    Mistake(
        "positions-from-one",
        _with(
            look=lambda tokens, positions, start: positions[start + 1 : start + 1 + tokens.shape[1]]
        ),
        (
            _with(
                look=lambda tokens, positions, start: positions[
                    torch.arange(tokens.shape[1]) + start + 1
                ]
            ),
        ),
        case=HAND,
    ),
    Mistake(
        "position-of-the-sentence",
        _with(
            look=lambda tokens, positions, start: positions[start : start + len(tokens)][:, None]
        ),
        (_with(look=lambda tokens, positions, start: positions[: len(tokens)][:, None]),),
        case=SQUARE,
    ),
    Mistake(
        "as-many-rows-as-sentences",
        _with(look=lambda tokens, positions, start: positions[start : start + len(tokens)]),
        (_with(look=lambda tokens, positions, start: positions[: len(tokens)]),),
    ),
    Mistake(
        "position-of-the-token-number",
        _with(look=lambda tokens, positions, start: positions[tokens]),
        (_with(look=lambda tokens, positions, start: positions[tokens % len(positions)]),),
        case=HAND,
    ),
    Mistake(
        "one-position-for-all",
        _with(look=lambda tokens, positions, start: positions[start]),
        case=HAND,
    ),
)

MISTAKES = (*SCALES, *PLACES)


# ---- Cases

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
    Case(_("the same, with a longer table"), _random(2, 3, 7, 4, rows=13, start=5), seed=9),
    Case(_("one sentence"), _random(1, 7, 5, 6, rows=11), seed=4),
    Case(_("a table as long as the sentence"), _random(5, 3, 7, 2), seed=5),
    Case(_("width one"), _random(2, 3, 5, 1, rows=7), seed=6),
    Case(_("float64"), _random(3, 2, 5, 14, rows=7, dtype=torch.float64), seed=7),
    Case(_("gradients for both tables"), _with_gradients, seed=8),
)

ANSWERS = Answers(
    solution=embed,
    alternatives=(with_torch_s_embedding, with_one_hot_vectors, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
