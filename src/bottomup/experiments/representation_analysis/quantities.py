"""Chapter 08: numbers that claims on networks of three objectives are read from.

A path such as ``lm.next`` begins with a network, ``information.layer_6.plug_in`` goes on from one.
Layer 0 is the embedding.
"""

from collections.abc import Callable, Iterator, Mapping
from statistics import fmean
from typing import Any

from bottomup.experiments.engine.entries import Values
from bottomup.experiments.engine.record import Record

NETWORKS = "networks"  # the variant under which all of a seed's networks are measured
ONE_OBJECTIVE = ("lm_lm", "mlm_mlm", "mt_mt")
TWO_OBJECTIVES = ("lm_mlm", "lm_mt", "mlm_mt")


def names(record: Record) -> dict[str, Any]:
    """Return the networks, the middle layer and the last, and the groups of types by rank."""
    measured = record.runs[0]["metrics"][NETWORKS]
    layers = list(measured["mlm"]["information"])
    groups, size = record.config["groups"], record.config["group_types"]
    return {
        **{name: f"{NETWORKS}.{name}" for name in measured},
        "middle": layers[(len(layers) - 1) // 2],  # of an odd number of layers the one below
        "top": layers[-1],
        "rarest": f"group_{len(groups) - 1}",
        "rare": (groups[-1] + 1, groups[-1] + size),
        "ranks": ", ".join(f"{first + 1}–{first + size}" for first in groups),
    }


def over_layers(record: Record, path: str) -> Values:
    """Return a number's mean over layers, in its unit; of one layer, the number."""
    return tuple(
        fmean(found.values()) if isinstance(found, Mapping) else found
        for found in record.metric(path)
    )


def smaller(record: Record, path: str, *networks: str) -> Values:
    """Return the smallest number of some networks, each a mean over layers, in its unit."""
    paths = (f"{NETWORKS}.{network}.{path}" for network in networks)
    return _of_networks(min, [over_layers(record, path) for path in paths])


def larger(record: Record, path: str, *networks: str) -> Values:
    """Return the largest number of some networks, each a mean over layers, in its unit."""
    paths = (f"{NETWORKS}.{network}.{path}" for network in networks)
    return _of_networks(max, [over_layers(record, path) for path in paths])


def fall(record: Record, network: str) -> Values:
    """Return how much less is told of the token read at the top than at the embedding, in nats."""
    return tuple(first - last for first, last in _ends(record, f"{network}.information", "plug_in"))


def gain(record: Record, series: str) -> Values:
    """Return how much more is told at the top than at the embedding, in held-out nats."""
    return tuple(last - first for first, last in _ends(record, series, "held_out"))


def ends(record: Record, network: str) -> Values:
    """Return the change in the first or last layer, the smaller, less the mean between (PWCCA)."""
    found = []
    for table in record.metric(f"{NETWORKS}.{network}.change.all"):
        first, *between, last = table.values()
        found.append(min(first, last) - fmean(between))
    return tuple(found)


def rare_less_frequent(record: Record, measure: str, *networks: str) -> Values:
    """Return the rarest types' PWCCA distance less the most frequent's, the least of networks."""
    found = [_rare_less_frequent(record, network, measure) for network in networks]
    return _of_networks(min, [tuple(map(fmean, of_network)) for of_network in found])


def frequent_less_rare(record: Record, measure: str, *networks: str) -> Values:
    """Return the most frequent types' PWCCA distance less the rarest's, the least of networks."""
    found = [rare_less_frequent(record, measure, network) for network in networks]
    return tuple(-value for value in _of_networks(max, found))


def rare_less_frequent_below(record: Record, measure: str, network: str) -> Values:
    """Return `rare_less_frequent` of layers 1 and 2."""
    return tuple(fmean(layers[:2]) for layers in _rare_less_frequent(record, network, measure))


def apart(record: Record, view: str, starts: str) -> Values:
    """Return the PWCCA distance of objectives less that of starts, where it is least from layer 1.

    Args:
        record: its networks have two starts.
        view: which tokens: "all", "frequent", or "within" types.
        starts: "across" compares objectives of different starts, "shared" of the same.
    """
    return tuple(min(layers[1:]) for layers in _apart(record, view, starts))


def apart_at_top(record: Record, view: str, starts: str) -> Values:
    """Return what `apart` compares, at the last layer."""
    return tuple(layers[-1] for layers in _apart(record, view, starts))


def nearest(record: Record, view: str, starts: str) -> Values:
    """Return by how much MT and MLM are nearer than LM to its nearer one, a mean from layer 2."""
    return tuple(
        fmean(min(lm_mlm, lm_mt) - mlm_mt for lm_mlm, lm_mt, mlm_mt in layers[2:])
        for layers in _distances(record, f"{starts}.{view}", TWO_OBJECTIVES)
    )


def farthest(record: Record, view: str) -> Values:
    """Return by how much LM and MT are farther apart than any other pair at the top, in PWCCA."""
    tops = [layers[-1] for layers in _distances(record, f"across.{view}", TWO_OBJECTIVES)]
    return tuple(lm_mt - max(lm_mlm, mlm_mt) for lm_mlm, lm_mt, mlm_mt in tops)


def _of_networks(choose: Callable[[Values], float], found: list[Values]) -> Values:
    return tuple(map(choose, zip(*found, strict=True)))


def _ends(record: Record, series: str, measure: str) -> Iterator[tuple[float, float]]:
    """Give the number at the embedding and at the last layer, for each seed."""
    for table in record.metric(f"{NETWORKS}.{series}"):
        first, *_, last = table.values()
        yield first[measure], last[measure]


def _rare_less_frequent(record: Record, network: str, measure: str) -> list[list[float]]:
    """Return the rarest group's number less the most frequent one's, for each seed and layer."""
    rarest = names(record)["rarest"]
    return [
        [groups[rarest] - groups["group_0"] for groups in layers.values()]
        for layers in record.metric(f"{NETWORKS}.{network}.{measure}")
    ]


def _distances(record: Record, path: str, pairs: tuple[str, ...]) -> list[list[Values]]:
    """Return the distance of each pair, for each seed and layer."""
    return [
        list(zip(*(table[pair].values() for pair in pairs), strict=True))
        for table in record.metric(f"{NETWORKS}.distances.{path}")
    ]


def _apart(record: Record, view: str, starts: str) -> list[list[float]]:
    """Return how much farther apart two objectives are than two starts, for each seed and layer."""
    two = _distances(record, f"{starts}.{view}", TWO_OBJECTIVES)
    one = _distances(record, f"across.{view}", ONE_OBJECTIVE)
    return [
        [fmean(between) - fmean(within) for between, within in zip(*layers, strict=True)]
        for layers in zip(two, one, strict=True)
    ]
