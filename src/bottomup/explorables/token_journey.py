"""Chapter 05's figure of a token's way through a Transformer, with and without residual sums."""

from collections.abc import Sequence
from html import escape
from typing import Any

import torch
from torch import Tensor

from bottomup.analysis import Bearings, Journey, Station, Track, bearings
from bottomup.explorables.explorable import Explorable
from bottomup.explorables.tables import cell, table
from bottomup.explorables.token_journey_labels import formulas, station_name, texts
from bottomup.explorables.words import short_word
from bottomup.i18n import _
from bottomup.models import TransformerConfig

MOST_TOKENS = 12  # a side; so that the choice of a token fits on a phone
MOST_LAYERS = 6
LONGEST_WORD = 26
ANSWERS = 5  # most probable tokens shown
PLACES = 2  # decimals that are shown and stored
SHARE_PLACES = 4  # of a share that is compared with a bound
COSINES = ("word", "place", "following")


def token_journey(
    whole: Journey, cut: Journey, *, source_words: Sequence[str], target_words: Sequence[str]
) -> Explorable:
    """Build the figure: follow a token from station to station, and cut the residual connections.

    Encoder and decoder are two tracks of stations, each with its formula, the shape of what leaves
    it, and for the chosen token the measures of `bearings`: the stream's length, the length of what
    tells this position from the others, and the cosines of that rest with the token's own
    embedding, with its position's vector, and in the decoder with the token to be predicted. A
    switch shows the same weights without the sums. At the end stand the most probable next tokens,
    with and without.

    Args:
        whole: the journey of a sentence pair of at most 12 tokens a side, end marks included.
        cut: the same with ``residual=False``.
        source_words: how each token of the source vocabulary is written, by its number. Those of
            the sentence have 1 to 26 letters.
        target_words: the same for the target vocabulary; also those that the model predicts.

    Source: the stations are those of Vaswani et al. (2017), figure 1. Used in chapter 05.
    """
    _check(whole, cut)
    labels = texts(whole.encoder.words.shape[1])
    words = (_vocabulary("source_words", source_words, whole.encoder.words),
             _vocabulary("target_words", target_words, whole.decoder.words))  # fmt: skip
    sides = [
        _side(name, tracks, side, whole.config)
        for name, tracks, side in zip(
            ("encoder", "decoder"),
            ((whole.encoder, cut.encoder), (whole.decoder, cut.decoder)),
            words,
            strict=True,
        )
    ]
    expected = [words[1][token] for token in _following(whole.decoder)]
    return Explorable(
        "token-journey",
        {
            "labels": labels,
            "sides": sides,
            "longest": max(
                max(one["length"])
                for side in sides
                for station in side["stations"]
                for one in station["readings"]
            ),
            "answers": [_answers(one.decoder, words[1]) for one in (whole, cut)],
            "expected": [short_word("target_words", word, LONGEST_WORD) for word in expected],
        },
        label=labels["title"],
        fallback=_fallback(sides),
        script="token_journey.js",
        style="token_journey.css",
    )


def _check(whole: object, cut: object) -> None:
    for name, one, residual in (("whole", whole, True), ("cut", cut, False)):
        if not isinstance(one, Journey):
            raise TypeError(f"{name}: expected a Journey, got {type(one).__name__}")
        if one.residual is not residual:
            raise ValueError(f"{name}: expected a journey with residual={residual}")
        for side in ("encoder", "decoder"):
            track: Track = getattr(one, side)
            if len(track.tokens) > MOST_TOKENS:
                raise ValueError(
                    f"{name}.{side}: expected at most {MOST_TOKENS} tokens, got {len(track.tokens)}"
                )
            layers = 1 + max((station.layer or 0) for station in track.stations)
            if layers > MOST_LAYERS:
                raise ValueError(
                    f"{name}.{side}: expected at most {MOST_LAYERS} layers, got {layers}"
                )
            like: Track = getattr(whole, side)
            if _itinerary(track) != _itinerary(like):
                raise ValueError(f"{name}.{side}: expected the tokens and stations of whole.{side}")


def _itinerary(track: Track) -> list[Any]:
    stations = [(one.part, one.layer, tuple(one.x.shape)) for one in track.stations]
    return [track.tokens.tolist(), *stations]


def _vocabulary(name: str, words: Sequence[str], like: Tensor) -> Sequence[str]:
    if isinstance(words, str):
        raise TypeError(f"{name}: expected a sequence of strings, got {words!r}")
    if len(words) != len(like):
        raise ValueError(
            f"{name}: expected {len(like)} words, one a token of the vocabulary, got {len(words)}"
        )
    return words


def _side(
    name: str, tracks: Sequence[Track], words: Sequence[str], config: TransformerConfig
) -> dict[str, Any]:
    """Return what is shown of the encoder or the decoder, whole and cut."""
    first, _cut = tracks
    read = [bearings(track) for track in tracks]
    prefix = "source_words" if name == "encoder" else "target_words"
    return {
        "name": name,
        "tokens": [short_word(prefix, words[token], LONGEST_WORD) for token in _ids(first)],
        "ids": _ids(first),
        "cosines": list(COSINES if first.following is not None else COSINES[:2]),
        "stations": [
            _station(name, station, config, [one[number] for one in read])
            for number, station in enumerate(first.stations)
        ],
    }


def _ids(track: Track) -> list[int]:
    return [int(token) for token in track.tokens.tolist()]


def _station(
    side: str, station: Station, config: TransformerConfig, read: Sequence[Bearings | None]
) -> dict[str, Any]:
    return {
        "part": station.part,
        "name": station_name(side, station.part, station.layer),
        "formulas": formulas(station.part, config),
        "shape": str([*station.x.shape]),
        "readings": [_readings(one) for one in read if one is not None],
    }


def _readings(one: Bearings) -> dict[str, Any]:
    """Return each measure's numbers, a position each, rounded as they are shown."""
    shown: dict[str, Any] = {"length": _rounded(one.length), "apart": _rounded(one.apart)}
    shares = one.apart / one.length.clamp(min=torch.finfo(one.length.dtype).tiny)
    shown["share"] = _rounded(shares, SHARE_PLACES)
    for name in COSINES:
        cosines, nearest = getattr(one, name), getattr(one, f"{name}_nearest")
        if cosines is not None:
            shown[name] = _rounded(cosines)
            shown[f"{name}_nearest"] = [int(yes) for yes in nearest.tolist()]
    return shown


def _rounded(values: Tensor, places: int = PLACES) -> list[float]:
    return [round(value, places) for value in values.tolist()]


def _answers(track: Track, words: Sequence[str]) -> list[list[list[Any]]]:
    """Return for each position the most probable tokens: word, probability, whether it is right."""
    probabilities = track.stations[-1].x.softmax(dim=-1)
    best = probabilities.topk(min(ANSWERS, probabilities.shape[-1]))
    shown = zip(best.indices.tolist(), best.values.tolist(), _following(track), strict=True)
    return [
        [
            [short_word("target_words", words[token], LONGEST_WORD), share, token == right]
            for token, share in zip(tokens, shares, strict=True)
        ]
        for tokens, shares, right in shown
    ]


def _following(track: Track) -> list[int]:
    """Return what the decoder should predict."""
    return [] if track.following is None else [int(token) for token in track.following.tolist()]


def _fallback(sides: list[dict[str, Any]]) -> str:
    """Return each station's shape and mean cosines, with and without, as a table."""
    rows = []
    for side in sides:
        for station in side["stations"]:
            cells = cell(escape(station["shape"]))
            for readings in station["readings"]:
                for name in COSINES:
                    cells += _mean_cell(readings.get(name))
            cells += "" if station["readings"] else cell("") * 2 * len(COSINES)
            rows.append((f"{texts(1)[side['name']]}: {station['name']}", cells))
    caption = [
        _("A sentence's way through a Transformer"),
        _("Cosines, means over the tokens: with residual connections, then without."),
    ]
    names = [texts(1)[name] for name in COSINES]
    return table(caption, [_("shape"), *names, *names], rows)


def _mean_cell(values: list[float] | None) -> str:
    if values is None:
        return cell("–")
    mean = sum(values) / len(values)
    written = f"{mean:.2f}".replace("-0.00", "0.00").replace("-", "−")
    return cell(written, weight=max(0.0, min(mean, 1.0)))
