"""Mistakes in what a Transformer's first layer reads: embeddings and positions, balanced."""

from collections.abc import Callable

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Embeddings and positions")
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
    Misconception(
        "not-scaled",
        _with(join=lambda words, places, d: words + places),
        _(
            "The embedding is not scaled. Its entries have a spread of 1 / sqrt(d_model), because "
            "the same matrix gives the logits, while sines and cosines have one of 0.7. At width "
            "512 the position is then sixteen times as loud as the word. Multiply by "
            "sqrt(d_model)."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "root-missing",
        _with(join=lambda words, places, d: words * d + places),
        _(
            "The embedding is multiplied by d_model, not by its root. The entries then have a "
            "spread of sqrt(d_model), and the words drown the positions. The factor is the root."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "divided",
        _with(join=lambda words, places, d: words / d**0.5 + places),
        _(
            "The embedding is divided by sqrt(d_model), as scores in attention are. Its entries "
            "are small already, with a spread of 1 / sqrt(d_model); here they have to grow to the "
            "size of the sines. Multiply."
        ),
        SECTION,
        (_with(join=lambda words, places, d: words / d + places),),
        HAND,
    ),
    Misconception(
        "sum-scaled",
        _with(join=lambda words, places, d: (words + places) * d**0.5),
        _(
            "The sum is scaled, so the positions grow with the words. What matters is the size of "
            "the one against the other, and that has not changed: the words stay as quiet as "
            "before. Scale the embedding, then add the positions."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "positions-scaled",
        _with(join=lambda words, places, d: words + places * d**0.5),
        _(
            "The positions are scaled, where the embedding should be. Sines are larger than the "
            "entries of the embedding by sqrt(d_model) / 1.4 already, and are now larger by "
            "d_model / 1.4. The factor belongs to the embedding."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "root-of-another-size",
        _scaled_by(lambda tokens, embedding: len(embedding) ** 0.5),
        _(
            "The factor is the root of the vocabulary's size, or of the number of positions. The "
            "spread of an entry is 1 / sqrt(d_model), whatever the vocabulary or the sentence. "
            "d_model is the last axis of the embedding."
        ),
        SECTION,
        (_scaled_by(lambda tokens, embedding: tokens.shape[1] ** 0.5),),
    ),
)

PLACES = (
    Misconception(
        "positions-missing",
        _with(join=lambda words, places, d: words * d**0.5),
        _(
            "No position is added. Attention does not see the order of its keys, so an encoder "
            "gives every order of the same words the same vectors. Add the rows of positions."
        ),
        SECTION,
        (_with(join=lambda words, places, d: words),),
        HAND,
    ),
    Misconception(
        "start-ignored",
        _with(look=lambda tokens, positions, start: positions[: tokens.shape[1]]),
        _(
            "The positions always begin at row 0. In training that is right; in generation one "
            "token arrives at a time, and each is told that it is the first word of the sentence. "
            "The row of the first token given is start."
        ),
        SECTION,
        case=LATER,
    ),
    Misconception(
        "slice-ends-too-early",
        _with(look=lambda tokens, positions, start: positions[start : tokens.shape[1]]),
        _(
            "The slice of the table ends too early. Its end is the number of a row, not a count of "
            "rows, and that row itself is left out. `positions[start:length]` is right only while "
            "start is 0; in generation it has too few rows, or none. The slice must end at "
            "start + length."
        ),
        SECTION,
        (
            _with(
                look=lambda tokens, positions, start: positions[start : start + tokens.shape[1] - 1]
            ),
        ),
        LATER,
    ),
    Misconception(
        "positions-from-one",
        _with(
            look=lambda tokens, positions, start: positions[start + 1 : start + 1 + tokens.shape[1]]
        ),
        _(
            "The positions begin one row too late. A model that is trained like this would not "
            "mind, but copied weights give other logits, and the last row of the table is reached "
            "one token early. The first token of a sentence has position 0."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "position-of-the-sentence",
        _with(
            look=lambda tokens, positions, start: positions[start : start + len(tokens)][:, None]
        ),
        _(
            "The position is counted along the batch: every word of a sentence gets the same row, "
            "and sentence 3 another than sentence 2. It comes from code whose first axis is the "
            "position. Here the axes are [batch, position]; use tokens.shape[1]."
        ),
        SECTION,
        (_with(look=lambda tokens, positions, start: positions[: len(tokens)][:, None]),),
        SQUARE,
    ),
    Misconception(
        "as-many-rows-as-sentences",
        _with(look=lambda tokens, positions, start: positions[start : start + len(tokens)]),
        _(
            "As many rows of positions are taken as there are sentences. Where the batch has "
            "another size than the sentence this is an error, or, with one sentence, every word "
            "gets the same position. The number of rows is tokens.shape[1]."
        ),
        SECTION,
        (_with(look=lambda tokens, positions, start: positions[: len(tokens)]),),
    ),
    Misconception(
        "position-of-the-token-number",
        _with(look=lambda tokens, positions, start: positions[tokens]),
        _(
            "The table of positions is asked for the token's number, not for its place. The same "
            "word then has the same position everywhere, and the order is lost. The rows are "
            "start, start + 1 and so on."
        ),
        SECTION,
        (_with(look=lambda tokens, positions, start: positions[tokens % len(positions)]),),
        HAND,
    ),
    Misconception(
        "one-position-for-all",
        _with(look=lambda tokens, positions, start: positions[start]),
        _(
            "Every token gets the position of the first. That is right for a single new token in "
            "generation; in training a whole sentence arrives at once, and its order is lost. Take "
            "the rows from start to start + tokens.shape[1]."
        ),
        SECTION,
        case=HAND,
    ),
)

MISCONCEPTIONS = (*SCALES, *PLACES)
