"""Chapter 05's figure of a token's way through a Transformer, with and without residual sums."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from bottomup.analysis import Bearings, Journey, Track, bearings
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import check_count, short_word
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.models import TransformerConfig
from bottomup.plotting.arrays import strings

__all__ = ["token_journey"]

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

    Each station stands with its formula, the shape of what leaves it, and for the chosen token the
    measures of `bearings`: the stream's length, the length of what tells this position from the
    others, and the cosines of that rest with the token's own embedding, with its position's vector,
    and in the decoder with the token to be predicted. A switch shows the same weights without the
    sums.

    Args:
        whole: the journey of a sentence pair of at most 12 tokens a side, end marks included.
        cut: the same with ``residual=False``.
        source_words: how each token of the source vocabulary is written, by its number. Those of
            the sentence have 1 to 26 letters.
        target_words: the same for the target vocabulary; also those that the model predicts.

    Source: the stations are those of Vaswani et al. (2017), figure 1. Used in chapter 05.
    """
    _check(whole, cut)
    sources = strings("source_words", source_words, len(whole.encoder.words))
    targets = strings("target_words", target_words, len(whole.decoder.words))
    sides = [
        _side("encoder", (whole.encoder, cut.encoder), sources, whole.config),
        _side("decoder", (whole.decoder, cut.decoder), targets, whole.config),
    ]
    stations = [station for side in sides for station in side["stations"]]
    readings = [one for station in stations for one in station["readings"]]
    return Explorable(
        {
            "labels": _labels(whole.encoder.words.shape[1]),
            "sides": sides,
            "longest": max(max(one["length"]) for one in readings),
            "answers": [_answers(one.decoder, targets) for one in (whole, cut)],
            "expected": _written("target_words", targets, _following(whole.decoder)),
        },
        fallback=_fallback(sides),
        name="token_journey",
    )


def _check(whole: object, cut: object) -> None:
    for name, one, residual in (("whole", whole, True), ("cut", cut, False)):
        if not isinstance(one, Journey):
            raise TypeError(f"{name}: expected a Journey, got {type(one).__name__}")
        if one.residual is not residual:
            raise ValueError(f"{name}: expected a journey with residual={residual}")
        for side in ("encoder", "decoder"):
            track: Track = getattr(one, side)
            check_count(f"{name}.{side}.tokens", track.tokens, 1, MOST_TOKENS)
            layers = {station.layer for station in track.stations} - {None}
            check_count(f"{name}.{side}: layers", layers, 1, MOST_LAYERS)
            if _itinerary(track) != _itinerary(getattr(whole, side)):
                raise ValueError(f"{name}.{side}: expected the tokens and stations of whole.{side}")


def _itinerary(track: Track) -> list[Any]:
    stations = [(one.part, one.layer, tuple(one.x.shape)) for one in track.stations]
    return [track.tokens.tolist(), *stations]


def _side(
    name: str, tracks: Sequence[Track], words: Sequence[str], config: TransformerConfig
) -> dict[str, Any]:
    """Return what is shown of the encoder or the decoder, whole and cut."""
    first = tracks[0]
    read = [bearings(track) for track in tracks]
    prefix = "source_words" if name == "encoder" else "target_words"
    ids = first.tokens.tolist()
    return {
        "name": name,
        "tokens": _written(prefix, words, ids),
        "ids": ids,
        "cosines": list(COSINES if first.following is not None else COSINES[:2]),
        "stations": [
            {
                "part": station.part,
                "name": _station_name(name, station.part, station.layer),
                "formulas": _formulas(station.part, config),
                "shape": str([*station.x.shape]),
                "readings": [_readings(one) for one in measured if one is not None],
            }
            for station, *measured in zip(first.stations, *read, strict=True)
        ],
    }


def _written(name: str, words: Sequence[str], ids: Sequence[int]) -> list[str]:
    return [short_word(name, words[token], LONGEST_WORD) for token in ids]


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
    return [] if track.following is None else track.following.tolist()


def _fallback(sides: list[dict[str, Any]]) -> str:
    """Return each station's shape and mean cosines, with and without, as a table."""
    labels, rows = _labels(1), []
    for side in sides:
        for station in side["stations"]:
            read = [_mean_cell(one.get(name)) for one in station["readings"] for name in COSINES]
            cells = [cell(station["shape"]), *(read or [cell("")] * 2 * len(COSINES))]
            rows.append((f"{labels[side['name']]}: {station['name']}", cells))
    caption = [
        _("A sentence's way through a Transformer"),
        _("Cosines, means over the tokens: with residual connections, then without."),
    ]
    names = [labels[name] for name in COSINES]
    return table(caption, [_("shape"), *names, *names], rows)


def _mean_cell(values: list[float] | None) -> str:
    if values is None:
        return cell("–")
    mean = sum(values) / len(values)
    return cell(f"{mean:z.2f}".replace("-", "−"), weight=mean)


def _station_name(side: str, part: str, layer: int | None) -> str:
    """Return a station's name, such as "Layer 1: self-attention"."""
    name = {
        "tokens": _("Tokens"),
        "embedding": _("Embedding"),
        "positions": _("Positions"),
        "attention": _("self-attention"),
        "cross_attention": _("cross-attention"),
        "feed_forward": _("feed-forward network"),
        "norm": _("Memory") if side == "encoder" else _("End of the decoder"),
        "logits": _("Logits"),
    }[part]
    if layer is None:
        return name
    return _("Layer {layer}: {name}").format(layer=layer + 1, name=name)


def _formulas(part: str, config: TransformerConfig) -> list[str]:
    """Return what a station computes, with and without the residual connection."""
    pre = config.norm == "pre"
    sublayers = {
        "attention": _("Attention({x})"),
        "cross_attention": _("Attention({x}, memory)"),
        "feed_forward": _("FFN({x})"),
    }
    if part in sublayers:
        update = sublayers[part].format(x="N(x)" if pre else "x")
        both = [f"x + {update}", update]
        return both if pre else [f"N({one})" for one in both]
    only = {
        "tokens": _("numbers in the vocabulary"),
        "embedding": _("√{width} · the token's row of the table").format(width=config.d_model),
        "positions": _("x + the position's vector"),
        "norm": "N(x)" if config.ends_in_norm else "x",
        "logits": _("x · each of the {width} rows of the table").format(
            width=config.target_vocabulary
        ),
    }[part]
    return [only, only]


def _labels(d_model: int) -> dict[str, str]:
    return {
        "title": _("A token's journey"),
        "residual": _("Residual connections"),
        "on": _("on"),
        "off": _("off"),
        "source": _("Source token"),
        "target": _("Target token that the decoder reads"),
        "encoder": _("Encoder"),
        "decoder": _("Decoder"),
        "length": _("length"),
        "apart": _("apart"),
        "word": _("word"),
        "place": _("place"),
        "following": _("next"),
        "number": _("number {number}"),
        "to_answers": _("largest below"),
        "about_length": _("Length: of the stream at this position. Apart: of what is left of it "
                          "without the sentence's mean; this rest tells the position from the "
                          "others."),
        "about_cosines": _("Word, place, next: cosine of the rest with the token's own embedding, "
                           "its position's vector, and the token to be predicted. Random "
                           "directions: about ±{chance}.").format(chance=f"{d_model**-0.5:.2f}"),
        "nearest": _("no other word of the vocabulary, or place of the sentence, is nearer"),
        "brackets": _("the rest is below {percent}\u00a0% of the length; no star there"),
        "answers": _("What comes behind “{token}”: most probable tokens"),
        "with": _("with residual connections"),
        "without": _("without"),
        "token": _("token"),
        "probability": _("probability"),
        "right": _("the true one"),
        "said_on": _("With residual connections"),
        "said_off": _("Without residual connections"),
        "said_source": _("{switch} the memory of “{token}” has the cosine {word} with its own word "
                         "and {place} with its own place; {share}\u00a0% of its length tells "
                         "it from the other positions."),
        "said_target": _("Behind “{token}” the model then expects “{answer}”, probability {share}: "
                         "{verdict}."),
        "said_right": _("right"),
        "said_wrong": _("the true one is “{expected}”"),
    }  # fmt: skip
