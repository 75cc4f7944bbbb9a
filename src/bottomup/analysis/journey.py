"""What stands in a Transformer's stream after every station, and points to."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.checks import check_choice
from bottomup.data import Batch
from bottomup.models import Transformer, TransformerConfig
from bottomup.training.modes import evaluating

Call = Callable[[Any, Tensor], Tensor]  # of a part, on what it reads


class Station(NamedTuple):
    """A place on the way, and what leaves it.

    `part` is "tokens", "embedding", "positions", a part by the name it has in
    the layer, "norm" or "logits". `layer` counts from 0 and is None outside the
    layers. `x` holds token numbers [position], the stream [position, d_model],
    or logits [position, vocabulary].
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
        following: the token that each position should predict; None in the
            encoder.
        answers: the table that turns the stream into logits; None in the
            encoder.
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
    """Run one sentence pair through a Transformer and keep every station.

    The stations of a side: its tokens, their embedding times sqrt(d_model),
    that plus the positions, in every layer self-attention, cross-attention
    (decoder) and feed-forward network, the norm at the end (where there is
    none, the stream as it is), and the decoder's logits.

    With ``residual=False`` every residual sum keeps its update alone:
    ``x <- f(N(x))`` instead of ``x <- x + f(N(x))``, and with post-norm
    ``x <- N(f(x))`` instead of ``x <- N(x + f(x))``. The weights are the same,
    so this shows what the sums carry in a model trained with them, not that
    none could be trained without. The cut decoder reads the cut encoder's
    memory.

    Args:
        model: it runs in evaluation mode, without gradients, and is left as it
            was. A class that inherits from `Transformer` and comes to other
            logits than these stations is refused.
        batch: one sentence pair, without padding, on the model's device.
        residual: whether to keep the residual connections.

    Source: Vaswani et al. (2017), section 3.1; He et al. (2016) for the
    connections. Chapter 05 follows a sentence with it.

    Example:
        >>> from bottomup.data import make_batch
        >>> from bottomup.models import TransformerConfig
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> model = Transformer(TransformerConfig.preset("tiny", **sizes))
        >>> found = journey(model, make_batch([([5, 6, 7], [8, 9])]))
        >>> [station.part for station in found.encoder.stations][:4]
        ['tokens', 'embedding', 'positions', 'attention']
    """
    _check(model, batch, residual)
    with evaluating(model):
        logits = model(batch).logits[0]  # it checks tokens and masks, too
        encoder, decoder = _tracks(model, batch, True)
        _check_end(model, decoder.stations[-1].x, logits)
        if not residual:
            encoder, decoder = _tracks(model, batch, False)
    return Journey(encoder, decoder, model.config, bool(residual))


def _tracks(
    model: Transformer, batch: Batch, residual: bool
) -> tuple[Track, Track]:
    encoder = _encoder(model, batch, residual)
    memory = encoder.stations[-1].x[None]  # [1, source, d_model]
    return encoder, _decoder(model, batch, memory, residual)


def _check_end(model: Transformer, found: Tensor, logits: Tensor) -> None:
    """Check that the stations led to the model's own logits."""
    allowed = max(1e-3, 32 * torch.finfo(logits.dtype).eps) * logits.std()
    if not ((found - logits).abs() <= allowed).all():
        wanted, got = "whose logits these stations give", type(model).__name__
        raise TypeError(f"model: expected a Transformer {wanted}, got {got}")


def _encoder(model: Transformer, batch: Batch, residual: bool) -> Track:
    mask = batch.source_mask[:, None]  # [1, 1, source]
    calls: dict[str, Call] = {
        "attention": lambda attend, x: attend(x, x, x, mask)[0],
        "feed_forward": lambda feed, x: feed(x),
    }
    ids, table = batch.source, model.source_embedding
    stations, places = _entrance(model, ids, table, model.source_positions)
    _through(model.encoder_layers, calls, stations, residual)
    x = model.encoder_norm(stations[-1].x)  # [source, d_model]
    stations.append(Station("norm", None, x))
    return Track(tuple(stations), ids[0], table.weight, places)


def _decoder(
    model: Transformer, batch: Batch, memory: Tensor, residual: bool
) -> Track:
    mask = batch.source_mask[:, None]  # [1, 1, source]
    calls: dict[str, Call] = {
        "attention": lambda attend, y: attend(y, y, y, causal=True)[0],
        "cross_attention": lambda attend, y: attend(y, memory, memory, mask)[0],
        "feed_forward": lambda feed, y: feed(y),
    }
    ids, table = batch.target_in, model.target_embedding
    stations, places = _entrance(model, ids, table, model.target_positions)
    _through(model.decoder_layers, calls, stations, residual)
    y = model.decoder_norm(stations[-1].x)  # [target, d_model]
    answers = (table if model.unembedding is None else model.unembedding).weight
    logits = Station("logits", None, y @ answers.T)  # [target, vocabulary]
    stations += [Station("norm", None, y), logits]
    following = batch.target_out[0]
    sides = (table.weight, places, following, answers)
    return Track(tuple(stations), ids[0], *sides)


def _entrance(
    model: Transformer, ids: Tensor, table: nn.Embedding, positions: nn.Module
) -> tuple[list[Station], Tensor]:
    """Return the stations before the first layer, and what positions add."""
    embedded = math.sqrt(model.config.d_model) * table(ids)
    stations = [
        Station("tokens", None, ids[0]),
        Station("embedding", None, embedded[0]),
        Station("positions", None, positions(embedded)[0]),
    ]
    return stations, positions(torch.zeros_like(embedded))[0]


def _through(
    layers: Iterable[nn.Module],
    calls: dict[str, Call],
    stations: list[Station],
    residual: bool,
) -> None:
    """Add what leaves each part: ``x + f(N(x))``, or ``f(N(x))`` alone."""
    x = stations[-1].x[None]  # [1, position, d_model]
    for number, layer in enumerate(layers):
        for part, call in calls.items():
            around = getattr(layer, f"around_{part}")
            update = call(getattr(layer, part), around.read(x))
            x = around.write(x if residual else torch.zeros_like(x), update)
            stations.append(Station(part, number, x[0]))


def _check(model: Transformer, batch: Batch, residual: bool) -> None:
    kinds: dict[str, tuple[object, type]] = {
        "model": (model, Transformer),
        "batch": (batch, Batch),
    }
    for name, (value, kind) in kinds.items():
        if not isinstance(value, kind):
            wanted, got = kind.__name__, type(value).__name__
            raise TypeError(f"{name}: expected a {wanted}, got {got}")
    check_choice("residual", residual, (True, False))
    if len(batch) != 1:
        raise ValueError(f"batch: expected one sentence pair, got {len(batch)}")
    for side in ("source", "target"):
        mask = getattr(batch, f"{side}_mask")
        if not mask.all():
            raise ValueError(f"batch: expected a {side} without padding")
        if mask.shape[1] < 2:
            raise ValueError(
                f"batch: expected a {side} of at least 2 positions, got 1"
            )


@dataclass(frozen=True, eq=False)
class Bearings:
    """What the stream points to after a station, by position; see `bearings`.

    Attributes:
        length: the stream's length.
        apart: length of what is left once the sentence's mean is removed.
        word: cosine with the position's own token.
        place: cosine with its own position vector.
        following: cosine with the token to be predicted; None in the encoder.
        word_nearest: whether no other token of the vocabulary has a larger
            cosine.
        place_nearest: whether no other position of the sentence has one.
        following_nearest: whether no other answer has one; None in the encoder.
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
    """Say for each station what the stream points to; None for tokens, logits.

    ``cosine(x_i - mean_j x_j, r_i - mean_j r_j)``

    x_i is the stream at position i, j runs over the sentence's positions, and
    r_i is what it is compared with: the embedding of the token at i, the vector
    of position i, or in the decoder the row of the table of logits that belongs
    to the token to be predicted at i.

    Why the means are removed: neighbouring sinusoids point almost the same way,
    and so may a table's rows and, after a layer's bias, all positions of the
    stream. A plain cosine would then be high for any position's vector. What is
    left tells the positions of this sentence apart.

    What it does not show. Attention may write token or place along other
    directions, where a probe (`linear_probe`) would still find them: a cosine
    near zero is no proof of loss. Random directions have cosines with a
    standard deviation of ``1 / sqrt(d_model)``. Where all positions hold nearly
    the same vector, `apart` is small beside `length`, and the cosines are those
    of a small rest. In the decoder the means run over later positions too,
    which the model cannot read.

    Nearest is meant by the same cosine: among all tokens of the vocabulary,
    shifted by the mean of the sentence's, or among the sentence's positions.
    Tokens that tie are all nearest. A vector of length zero has the cosine 0
    and nothing nearest.

    Chapter 05 uses it.

    Example:
        >>> from bottomup.data import make_batch
        >>> from bottomup.models import TransformerConfig
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> model = Transformer(TransformerConfig.preset("tiny", **sizes))
        >>> track = journey(model, make_batch([([5, 6, 7], [8, 9])])).encoder
        >>> each = bearings(track)[1]  # after the embedding
        >>> each.word  # the stream is the word there
        tensor([1.0000, 1.0000, 1.0000, 1.0000])
    """
    if not isinstance(track, Track):
        raise TypeError(f"track: expected a Track, got {type(track).__name__}")
    return tuple(
        None if part in ("tokens", "logits") else _bearings(x, track)
        for part, _layer, x in track.stations
    )


@torch.no_grad()
def _bearings(x: Tensor, track: Track) -> Bearings:
    apart = x - x.mean(dim=0)  # [position, d_model]
    order = torch.arange(len(x), device=x.device)
    word, word_nearest = _compared(apart, track.words, track.tokens)
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
    """Return the cosine with each own row, and whether it is the largest."""
    rows = table - table[own].mean(dim=0)  # [row, d_model]
    length = apart.norm(dim=-1)  # [position]
    lengths = length[:, None] * rows.norm(dim=-1)
    cosines = torch.where(lengths > 0, (apart @ rows.T) / lengths, 0.0)
    mine = cosines.gather(1, own[:, None])[:, 0]
    rounding = 16 * torch.finfo(cosines.dtype).eps  # equal ones may differ
    nearest = mine >= cosines.amax(dim=-1) - rounding
    return mine, nearest & (length > 0)
