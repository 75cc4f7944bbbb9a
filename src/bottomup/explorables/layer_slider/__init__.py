"""Chapter 08's interactive figure: what each layer of several networks holds, and how near."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike
from torch import Tensor

from bottomup.checks import check_integer, check_number
from bottomup.explorables.shared import inputs
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _

__all__ = ["layer_slider"]

MOST_STATIONS = 13
PAIRS, TOKENS = (1, 6), (2, 12)  # as few and as many
NETWORKS = (1, 4)  # as many as there are colours and marks
NEIGHBOURS = (1, 8)  # types listed for a token
LONGEST_NAME, LONGEST_PAIR, LONGEST_WORD = 12, 28, 16  # letters
ROUNDING = 1e-3  # by which numbers of a record may exceed a bound

Neighbours = Sequence[Sequence[Sequence[tuple[str, float]]]]  # [station][token][type]


def layer_slider(
    *,
    stations: int,
    networks: Sequence[str],
    information: Mapping[str, ArrayLike | Tensor],
    entropy: float,
    distances: Mapping[str, ArrayLike | Tensor],
    sentence: Sequence[str],
    points: Mapping[str, ArrayLike | Tensor],
    neighbours: Mapping[str, Neighbours],
) -> Explorable:
    """Build the figure: move from the embedding to the last layer, in one of several networks.

    A slider sets the station l: 0 is the embedding, l the stream after layer l. Three panels show
    the mutual information I(T; C) between the input token and clusters of the states, of every
    network at every station, below the entropy H(T); the PWCCA distance between networks at this
    station; and the tokens of one sentence as points of a plane, with the path of a chosen token
    and the types of its nearest neighbours.

    The points are called two principal components. Those of a network share one scale over all
    stations, and should share one basis, such as the components of all its stations together:
    where each station has its own, points move because the axes do.

    Args:
        stations: their number, 2 to 13: the embedding, layer 1, ...
        networks: the names of one to four networks, of at most 12 letters. The first is shown
            first.
        information: for each network I(T; C) in nats, between 0 and the entropy [station].
        entropy: H(T) in nats, above 0, that of all networks.
        distances: for one to six pairs, such as "LM–MT" or "LM, other start", the PWCCA distance,
            in [0, 1] [station].
        sentence: two to twelve tokens of at most 16 letters [token].
        points: for each network the places of the tokens [station, token, 2].
        neighbours: for each network, station and token one to eight pairs of a type and its share
            of the token's nearest neighbours, in (0, 1]. What the shares lack to 1 belongs to
            other types.

    Source: the measures of Voita, Sennrich and Titov (2019); PWCCA of Morcos, Raghu and Bengio
    (2018). Used in chapter 08.
    """
    check_integer("stations", stations, at_least=2, below=MOST_STATIONS + 1)
    layers = [_("layer {layer}").format(layer=layer) for layer in range(1, stations)]
    places = [_("embedding"), *layers]
    names = inputs.short_words("networks", networks, LONGEST_NAME, NETWORKS, distinct=True)
    check_number("entropy", entropy, above=0, below=math.inf)
    tokens = inputs.short_words("sentence", sentence, LONGEST_WORD, TOKENS)
    pairs = inputs.short_words("distances", list(distances), LONGEST_PAIR, PAIRS)
    along, most = f"station={len(places)}", entropy + ROUNDING
    nats = inputs.finite_arrays("information", information, names, axes=along, low=0, high=most)
    apart = inputs.finite_arrays("distances", distances, axes=along, low=0, high=1 + ROUNDING)
    axes = f"{along} token={len(tokens)} coordinate=2"
    where = inputs.finite_arrays("points", points, names, axes=axes)
    inputs.check_mapping("neighbours", neighbours, names)
    types: dict[str, int] = {}  # each type once, with its number in the payload
    near = {
        name: _neighbours(f"neighbours[{name!r}]", given, len(places), len(tokens), types)
        for name, given in neighbours.items()
    }
    return Explorable(
        {
            "labels": _labels(),
            "stations": places,
            "networks": names,
            "entropy": entropy,
            "information": [nats[name].tolist() for name in names],
            "pairs": pairs,
            "distances": [curve.tolist() for curve in apart.values()],
            "tokens": tokens,
            "points": [where[name].tolist() for name in names],
            "types": list(types),
            "neighbours": [near[name] for name in names],
            "start": {"token": _most_changed(near[names[0]], tokens, list(types))},
        },
        fallback=_fallback(places, nats, apart, entropy),
        name="layer_slider",
    )


def _neighbours(
    name: str, given: Neighbours, stations: int, tokens: int, types: dict[str, int]
) -> list[list[list[list[Any]]]]:
    """Return [station][token][neighbour] as a type's number and its share, the largest first.

    New types are added to `types`.
    """
    return [
        [
            [[types.setdefault(kind, len(types)), share] for kind, share in _shares(place, pairs)]
            for place, pairs in _listed(station, there, tokens, "token")
        ]
        for station, there in _listed(name, given, stations, "station")
    ]


def _listed(name: str, values: Any, length: int, axis: str) -> list[tuple[str, Any]]:
    """Return each entry with its name, for messages."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise TypeError(f"{name}: expected a sequence, one entry a {axis}, got {values!r}")
    if len(values) != length:
        raise ValueError(f"{name}: expected {length} entries, one a {axis}, got {len(values)}")
    return [(f"{name}[{number}]", value) for number, value in enumerate(values)]


def _shares(name: str, given: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return checked types and shares, the largest share first."""
    for pair in given:
        inputs.check_parts(name, pair, "(type, share)")
        check_number(f"{name}: share of {pair[0]!r}", pair[1], above=0, at_most=1)
    inputs.short_words(
        name, [kind for kind, _share in given], LONGEST_WORD, NEIGHBOURS, distinct=True
    )
    total = sum(share for _kind, share in given)
    if total > 1 + ROUNDING:
        raise ValueError(f"{name}: expected shares that sum to at most 1, got {total:.4g}")
    return sorted(((kind, float(share)) for kind, share in given), key=lambda one: -one[1])


def _most_changed(near: list[Any], tokens: list[str], types: list[str]) -> int:
    """Return the token whose own type's share among its neighbours varies most."""
    spans = []
    for place, token in enumerate(tokens):
        own = [sum(s for kind, s in station[place] if types[kind] == token) for station in near]
        spans.append(max(own) - min(own))
    return spans.index(max(spans))


def _fallback(
    stations: list[str], nats: inputs.Arrays, apart: inputs.Arrays, entropy: float
) -> str:
    """Return information and distances at every station as a table."""
    rows = [
        (f"{form}: {name}", [cell(f"{value:.2f}", weight=value / most) for value in curve])
        for form, curves, most in ((_("information"), nats, entropy), (_("distance"), apart, 1))
        for name, curve in curves.items()
    ]
    information = _("Information I(T; C) about the input token, in nats; H(T) = {entropy}.")
    caption = [
        _("What the layers hold"),
        information.format(entropy=f"{entropy:.2f}"),
        _("PWCCA distance between two networks, from 0 to 1."),
    ]
    return table(caption, stations, rows)


def _labels() -> dict[str, Any]:
    return {
        "title": _("Layer slider"),
        "station": _("Station"),
        "network": _("Network"),
        "before": _("station before"),
        "after": _("station after"),
        "information": _("Information about the input token, I(T; C) in nats"),
        "curves": _("Information about the input token in nats, station by station. {curves}. "
                    "{entropy}."),
        "curve": _("{network}: {values}"),
        "entropy": _("H(T) = {entropy}"),
        "axis": _("station (0: {first})"),
        "distances": _("PWCCA distance between networks at this station"),
        "pair": _("pair"),
        "distance": _("distance"),
        "scale": _("0: no distance. A full bar: {most}."),
        "plane": _("The sentence’s tokens: {network}, {station}"),
        "plane_aloud": _("The sentence’s tokens as points of a plane: {network}, {station}."),
        "token": _("Token"),
        "how": _("Two principal components, one scale for all stations of a network. The line "
                 "leads from station 0 to where the chosen token is now. Choose a token by its "
                 "name or its point."),
        "neighbours": _("Neighbours of “{token}”: {network}, {station}"),
        "type": _("type"),
        "share": _("share"),
        "percent": _("{share}\u00a0%"),
        "others": _("other types"),
        "neighbour": _("{type} {share}\u00a0%"),
        "said": _("{network}, {station}: clusters tell {value} of the input token’s {entropy} "
                  "nats."),
        "said_apart": _("PWCCA distance: {pairs}."),
        "apart": _("{pair} {distance}"),
        "said_near": _("Neighbours of “{token}”: {types}."),
    }  # fmt: skip
