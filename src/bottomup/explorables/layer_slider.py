"""Chapter 08's interactive figure: what each layer of several networks holds, and how near."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_integer, check_number
from bottomup.explorables.explorable import Explorable
from bottomup.explorables.layer_slider_labels import station_names, texts
from bottomup.explorables.tables import cell, table
from bottomup.explorables.words import short_words
from bottomup.i18n import _
from bottomup.plotting.arrays import finite_array

FEWEST_STATIONS, MOST_STATIONS = 2, 13
MOST_NETWORKS = 4  # as many as there are colours and marks
MOST_PAIRS = 6
FEWEST_TOKENS, MOST_TOKENS = 2, 12
MOST_NEIGHBOURS = 8  # types listed for a token
LONGEST_NAME = 12  # letters of a network
LONGEST_PAIR = 28
LONGEST_WORD = 16
ROUNDING = 1e-3  # by which numbers of a record may exceed a bound
COORDINATES = 2  # of a point

Neighbours = Sequence[Sequence[Sequence[tuple[str, float]]]]  # [station][token][type]


def layer_slider(
    *,
    stations: int | Sequence[str],
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
        stations: the number of stations, 2 to 13, which are then called embedding, layer 1, ...;
            or their names.
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
    places = _stations(stations)
    names = _names("networks", networks, MOST_NETWORKS, LONGEST_NAME)
    check_number("entropy", entropy, above=0, below=math.inf)
    tokens = _tokens(sentence)
    nats = _curves("information", _each("information", information, names), len(places), entropy)
    pairs = _names("distances", _mapping("distances", distances), MOST_PAIRS, LONGEST_PAIR)
    apart = _curves("distances", distances, len(places), 1)
    types: dict[str, int] = {}  # each type once, with its number in the payload
    near = {
        name: _neighbours(f"neighbours[{name!r}]", given, len(places), len(tokens), types)
        for name, given in _each("neighbours", neighbours, names).items()
    }
    where = _points(_each("points", points, names), len(places), len(tokens))
    labels = texts()
    return Explorable(
        "layer-slider",
        {
            "labels": labels,
            "stations": places,
            "networks": names,
            "entropy": entropy,
            "information": [nats[name].tolist() for name in names],
            "pairs": pairs,
            "distances": [apart[pair].tolist() for pair in pairs],
            "tokens": tokens,
            "points": [where[name].tolist() for name in names],
            "types": list(types),
            "neighbours": [near[name] for name in names],
            "start": {"token": _most_changed(near[names[0]], tokens, list(types))},
        },
        label=labels["title"],
        fallback=_fallback(places, nats, apart, entropy),
        script="layer_slider.js",
        style="layer_slider.css",
    )


def _stations(stations: int | Sequence[str]) -> list[str]:
    """Return the stations' names."""
    if isinstance(stations, Sequence):
        return _names("stations", stations, MOST_STATIONS, LONGEST_WORD, fewest=FEWEST_STATIONS)
    check_integer("stations", stations, at_least=FEWEST_STATIONS)
    if stations > MOST_STATIONS:
        raise ValueError(f"stations: expected at most {MOST_STATIONS} stations, got {stations}")
    return station_names(stations)


def _names(name: str, values: Any, most: int, longest: int, *, fewest: int = 1) -> list[str]:
    """Return `fewest` to `most` short names, all different."""
    names = short_words(name, values, longest)
    if not fewest <= len(names) <= most:
        raise ValueError(f"{name}: expected {fewest} to {most} names, got {len(names)}")
    if len(set(names)) < len(names):
        raise ValueError(f"{name}: expected each name once, got {names}")
    return names


def _tokens(sentence: Sequence[str]) -> list[str]:
    tokens = short_words("sentence", sentence, LONGEST_WORD)
    if not FEWEST_TOKENS <= len(tokens) <= MOST_TOKENS:
        raise ValueError(
            f"sentence: expected {FEWEST_TOKENS} to {MOST_TOKENS} tokens, got {len(tokens)}"
        )
    return tokens


def _mapping(name: str, values: Any) -> Mapping[str, Any]:
    if not isinstance(values, Mapping):
        raise TypeError(f"{name}: expected a mapping from names, got {type(values).__name__}")
    return values


def _each(name: str, values: Any, networks: list[str]) -> Mapping[str, Any]:
    """Return a mapping that has an entry for each network and no other."""
    given = _mapping(name, values)
    if set(given) != set(networks):
        raise ValueError(
            f"{name}: expected an entry for each of the networks {networks}, got {list(given)}"
        )
    return given


def _curves(
    name: str, values: Mapping[str, ArrayLike | Tensor], stations: int, most: float
) -> dict[str, NDArray[np.float64]]:
    """Return for each entry its numbers between 0 and `most`, one a station."""
    curves = {}
    for key, given in values.items():
        curve = finite_array(f"{name}[{key!r}]", given, axes="station")
        if len(curve) != stations:
            raise ValueError(
                f"{name}[{key!r}]: expected {stations} numbers, one a station, got {len(curve)}"
            )
        if curve.min() < 0 or curve.max() > most + ROUNDING:
            worst = curve.min() if curve.min() < 0 else curve.max()
            raise ValueError(f"{name}[{key!r}]: expected numbers in [0, {most:g}], got {worst:.4g}")
        curves[key] = curve
    return curves


def _points(
    points: Mapping[str, ArrayLike | Tensor], stations: int, tokens: int
) -> dict[str, NDArray[np.float64]]:
    """Return for each network its places [station, token, 2]."""
    checked = {}
    for network, given in points.items():
        name = f"points[{network!r}]"
        places = finite_array(name, given, axes="station token coordinate")
        if places.shape != (stations, tokens, COORDINATES):
            raise ValueError(
                f"{name}: expected axes [station={stations}, token={tokens}, "
                f"coordinate={COORDINATES}], got shape {places.shape}"
            )
        checked[network] = places
    return checked


def _neighbours(
    name: str, given: Neighbours, stations: int, tokens: int, types: dict[str, int]
) -> list[list[list[list[Any]]]]:
    """Return [station][token][neighbour] as a type's number and its share, the largest first.

    New types are added to `types`.
    """

    def of_token(name: str, one: Any) -> list[list[Any]]:
        return [[types.setdefault(kind, len(types)), share] for kind, share in _shares(name, one)]

    def of_station(name: str, one: Any) -> list[Any]:
        return _listed(name, one, tokens, "token", of_token)

    return _listed(name, given, stations, "station", of_station)


def _listed(
    name: str, values: Any, length: int, axis: str, checked: Callable[[str, Any], Any]
) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise TypeError(f"{name}: expected a sequence, one entry a {axis}, got {values!r}")
    if len(values) != length:
        raise ValueError(f"{name}: expected {length} entries, one a {axis}, got {len(values)}")
    return [checked(f"{name}[{number}]", value) for number, value in enumerate(values)]


def _shares(name: str, given: Any) -> list[tuple[str, float]]:
    """Return checked types and shares, the largest share first."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise TypeError(f"{name}: expected a sequence of pairs (type, share), got {given!r}")
    for pair in given:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(f"{name}: expected pairs (type, share), got {pair!r}")
        check_number(f"{name}: share of {pair[0]!r}", pair[1], above=0, at_most=1)
    _names(name, [kind for kind, _share in given], MOST_NEIGHBOURS, LONGEST_WORD)
    total = sum(share for _kind, share in given)
    if total > 1 + ROUNDING:
        raise ValueError(f"{name}: expected shares that sum to at most 1, got {total:.4g}")
    return sorted(((kind, float(share)) for kind, share in given), key=lambda one: -one[1])


def _most_changed(near: list[Any], tokens: list[str], types: list[str]) -> int:
    """Return the token whose own type's share among its neighbours varies most."""
    spans = []
    for number, token in enumerate(tokens):
        own = [
            sum(share for kind, share in station[number] if types[kind] == token)
            for station in near
        ]
        spans.append(max(own) - min(own))
    return spans.index(max(spans))


def _fallback(
    stations: list[str],
    nats: Mapping[str, NDArray[np.float64]],
    apart: Mapping[str, NDArray[np.float64]],
    entropy: float,
) -> str:
    """Return information and distances at every station as a table."""
    rows = [
        (f"{form}: {name}", "".join(cell(f"{value:.2f}", weight=value / most) for value in curve))
        for form, curves, most in ((_("information"), nats, entropy), (_("distance"), apart, 1))
        for name, curve in curves.items()
    ]
    caption = [
        _("What the layers hold"),
        _("Information I(T; C) about the input token, in nats; H(T) = {entropy}.").format(
            entropy=f"{entropy:.2f}"
        ),
        _("PWCCA distance between two networks, from 0 to 1."),
    ]
    return table(caption, stations, rows)
