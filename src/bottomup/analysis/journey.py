"""What stands in the stream of a Transformer after every station, and what it still points to."""

import math
from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.blocks import DecoderLayer, EncoderLayer
from bottomup.blocks.residual import Residual
from bottomup.checks import check_choice
from bottomup.data import Batch
from bottomup.masks import causal_mask
from bottomup.models import Transformer, TransformerConfig
from bottomup.training.modes import evaluating

PARTS = (
    *(
        "tokens",
        "embedding",
        "positions",
        "attention",
        "cross_attention",
        "feed_forward",
    ),
    *("norm", "logits"),
)


class Station(NamedTuple):
    """A place on the way, and what leaves it.

    `part` is one of `PARTS`; a layer's parts go by the names they have in the layer. `layer` counts
    from 0 and is None outside the layers. `x` holds token numbers [position], the stream
    [position, d_model], or logits [position, vocabulary].
    """

    part: str
    layer: int | None
    x: Tensor


@dataclass(frozen=True, eq=False)
class Track:
    """One side's stations, and the vectors that its stream is compared with.

    Attributes:
        stations: in the order in which they are passed.
        tokens: what the side reads.
        words: the table that embeds it, without the factor sqrt(d_model).
        places: what is added for each position.
        following: the token that each position should predict; None in the encoder.
        answers: the table that turns the stream into logits; None in the encoder.
    """

    stations: tuple[Station, ...]
    tokens: Int64[Tensor, " position"]
    words: Float[Tensor, "vocabulary d_model"]
    places: Float[Tensor, "position d_model"]
    following: Int64[Tensor, " position"] | None = None
    answers: Float[Tensor, "vocabulary d_model"] | None = None


@dataclass(frozen=True, eq=False)
class Journey:
    """The tracks of both sides, for one sentence pair.

    Attributes:
        encoder: ends with the memory.
        decoder: ends with the logits.
        config: the model's.
        residual: whether the residual connections were in place.
    """

    encoder: Track
    decoder: Track
    config: TransformerConfig
    residual: bool


@torch.no_grad()
def journey(
    model: Transformer, batch: Batch, *, residual: bool = True
) -> Journey:
    """Run one sentence pair through a Transformer and keep what leaves every station.

    The stations of a side: its tokens, their embedding times sqrt(d_model), that plus the
    positions, in every layer self-attention, cross-attention (decoder) and feed-forward network,
    the norm at the end (where there is none, the stream as it is), and the decoder's logits.

    With ``residual=False`` every residual sum keeps its update alone: ``x <- f(N(x))`` instead of
    ``x <- x + f(N(x))``, and with post-norm ``x <- N(f(x))`` instead of ``x <- N(x + f(x))``. The
    weights are the same, so this shows what the sums carry in a model trained with them. It does
    not show that a model could not be trained without them. The cut encoder gives another memory,
    which the cut decoder reads.

    Args:
        model: it runs in evaluation mode, without gradients, and is left as it was.
        batch: one sentence pair, without padding, on the model's device.
        residual: whether to keep the residual connections.

    Source: Vaswani et al. (2017), section 3.1; He et al. (2016) for the connections. Chapter 05
    follows a sentence with it.
    """
    _check(model, batch, residual)
    with evaluating(model):
        model(batch)  # for its checks of tokens and masks
        encoder = _encoder(model, batch, residual)
        decoder = _decoder(model, batch, encoder.stations[-1].x[None], residual)
    return Journey(encoder, decoder, model.config, bool(residual))


def _check(model: object, batch: object, residual: bool) -> None:
    if not isinstance(model, Transformer):
        raise TypeError(
            f"model: expected a Transformer, got {type(model).__name__}"
        )
    if not isinstance(batch, Batch):
        raise TypeError(f"batch: expected a Batch, got {type(batch).__name__}")
    check_choice("residual", residual, (True, False))
    if len(batch) != 1:
        raise ValueError(f"batch: expected one sentence pair, got {len(batch)}")
    for side, mask in (
        ("source", batch.source_mask),
        ("target", batch.target_mask),
    ):
        if not mask.all():
            raise ValueError(f"batch: expected a {side} without padding")
        if mask.shape[1] < 2:
            raise ValueError(
                f"batch: expected a {side} of at least 2 positions, got 1"
            )


def _encoder(model: Transformer, batch: Batch, residual: bool) -> Track:
    ids, table = batch.source, model.source_embedding
    stations, places = _entrance(model, ids, table, model.source_positions)
    x = stations[-1].x[None]  # [1, position, d_model]
    for number, module in enumerate(model.encoder_layers):
        layer = cast(EncoderLayer, module)
        read = layer.around_attention.read(x)
        update = layer.attention(read, read, read, batch.source_mask[:, None])[
            0
        ]
        x = _written(layer.around_attention, x, update, residual)
        stations.append(Station("attention", number, x[0]))
        x = _fed_forward(layer, x, residual)
        stations.append(Station("feed_forward", number, x[0]))
    stations.append(Station("norm", None, model.encoder_norm(x)[0]))
    return Track(tuple(stations), ids[0], table.weight, places)


def _decoder(
    model: Transformer, batch: Batch, memory: Tensor, residual: bool
) -> Track:
    ids, table = batch.target_in, model.target_embedding
    answers = (table if model.unembedding is None else model.unembedding).weight
    stations, places = _entrance(model, ids, table, model.target_positions)
    y, causal = (
        stations[-1].x[None],
        causal_mask(ids.shape[1], device=ids.device),
    )
    for number, module in enumerate(model.decoder_layers):
        layer = cast(DecoderLayer, module)
        read = layer.around_attention.read(y)
        update = layer.attention(read, read, read, causal)[0]
        y = _written(layer.around_attention, y, update, residual)
        stations.append(Station("attention", number, y[0]))
        read = layer.around_cross_attention.read(y)
        update = layer.cross_attention(
            read, memory, memory, batch.source_mask[:, None]
        )[0]
        y = _written(layer.around_cross_attention, y, update, residual)
        stations.append(Station("cross_attention", number, y[0]))
        y = _fed_forward(layer, y, residual)
        stations.append(Station("feed_forward", number, y[0]))
    y = model.decoder_norm(y)[0]
    stations += [
        Station("norm", None, y),
        Station("logits", None, y @ answers.T),
    ]
    return Track(
        tuple(stations),
        ids[0],
        table.weight,
        places,
        batch.target_out[0],
        answers,
    )


def _entrance(
    model: Transformer, ids: Tensor, table: nn.Embedding, positions: nn.Module
) -> tuple[list[Station], Tensor]:
    """Return the stations before the first layer, and what was added for each position."""
    embedded = math.sqrt(model.config.d_model) * table(ids)
    placed = positions(embedded)
    places = positions(torch.zeros_like(embedded))
    return [
        Station("tokens", None, ids[0]),
        Station("embedding", None, embedded[0]),
        Station("positions", None, placed[0]),
    ], places[0]


def _fed_forward(
    layer: EncoderLayer | DecoderLayer, x: Tensor, residual: bool
) -> Tensor:
    update = layer.feed_forward(layer.around_feed_forward.read(x))
    return _written(layer.around_feed_forward, x, update, residual)


def _written(
    around: Residual, x: Tensor, update: Tensor, residual: bool
) -> Tensor:
    """Return the stream after a sublayer; without the connection it is written on an empty one."""
    return around.write(x if residual else torch.zeros_like(x), update)


@dataclass(frozen=True, eq=False)
class Bearings:
    """What the stream points to after one station, for each position; see `bearings`.

    Attributes:
        length: the stream's length.
        apart: length of what is left once the sentence's mean is removed.
        word: cosine with the position's own token.
        place: cosine with its own position vector.
        following: cosine with the token to be predicted; None in the encoder.
        word_nearest: whether no other token of the vocabulary has a larger cosine.
        place_nearest: whether no other position of the sentence has a larger cosine.
        following_nearest: whether no other answer has a larger cosine; None in the encoder.
    """

    length: Float[Tensor, " position"]
    apart: Float[Tensor, " position"]
    word: Float[Tensor, " position"]
    place: Float[Tensor, " position"]
    following: Float[Tensor, " position"] | None
    word_nearest: Bool[Tensor, " position"]
    place_nearest: Bool[Tensor, " position"]
    following_nearest: Bool[Tensor, " position"] | None


def bearings(track: Track) -> tuple[Bearings | None, ...]:
    """Say for each station of a track what the stream points to; None for tokens and logits.

    ``cosine(x_i - mean_j x_j, r_i - mean_j r_j)``

    x_i is the stream at position i, j runs over the sentence's positions, and r_i is what it is
    compared with: the embedding of the token at i, the vector of position i, or in the decoder the
    row of the table of logits that belongs to the token to be predicted at i.

    Why the means are removed: neighbouring sinusoids point almost the same way, and so may a
    table's rows and, after a layer's bias, all positions of the stream. A plain cosine would then
    be high for any position's vector. What is left tells the positions of this sentence apart.

    What it does not show. The two directions need not carry the token or the place: attention may
    write either along others, and a probe (`linear_probe`) would still find it there, so that a
    cosine near zero is no proof of loss. Two directions drawn at random have cosines with a
    standard deviation of ``1 / sqrt(d_model)``. Lengths get lost in a cosine: where all positions
    hold nearly the same vector, `apart` is small beside `length`, and the cosines are those of a
    small rest. In the decoder the means run over later positions too, which the model cannot read.

    Nearest is meant by the same cosine: among all tokens of the vocabulary, shifted by the mean of
    the sentence's, or among the sentence's positions. Tokens that tie are all nearest. A vector of
    length zero has the cosine 0 and nothing nearest.

    Chapter 05 uses it.
    """
    if not isinstance(track, Track):
        raise TypeError(f"track: expected a Track, got {type(track).__name__}")
    return tuple(
        None
        if station.part in ("tokens", "logits")
        else _bearings(station.x, track)
        for station in track.stations
    )


@torch.no_grad()
def _bearings(x: Tensor, track: Track) -> Bearings:
    apart = x - x.mean(dim=0)
    word, word_nearest = _compared(apart, track.words, track.tokens)
    order = torch.arange(len(x), device=x.device)
    place, place_nearest = _compared(apart, track.places, order)
    following, following_nearest = None, None
    if track.following is not None and track.answers is not None:
        following, following_nearest = _compared(
            apart, track.answers, track.following
        )
    return Bearings(
        length=x.norm(dim=-1),
        apart=apart.norm(dim=-1),
        word=word,
        place=place,
        following=following,
        word_nearest=word_nearest,
        place_nearest=place_nearest,
        following_nearest=following_nearest,
    )


def _compared(
    apart: Tensor, table: Tensor, own: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the cosine with each position's own row, and whether no row has a larger one."""
    rows = table - table[own].mean(dim=0)
    lengths = apart.norm(dim=-1)[:, None] * rows.norm(dim=-1)
    products = apart @ rows.T
    cosines = torch.where(
        lengths > 0, products / lengths, 0.0
    )  # [position, row]
    mine = cosines.gather(1, own[:, None])[:, 0]
    rounding = (
        16 * torch.finfo(cosines.dtype).eps
    )  # by which equal ones may differ
    return mine, (mine >= cosines.amax(dim=-1) - rounding) & (
        apart.norm(dim=-1) > 0
    )
