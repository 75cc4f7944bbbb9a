"""Chapter 07: a name and quantities in the claims on the trainings."""

from statistics import fmean
from typing import Any

from bottomup.experiments.engine.record import Record

Values = tuple[float, ...]


def names(record: Record) -> dict[str, Any]:
    """Return `unread` by layer, in words."""
    layers = zip(*_by_layer(record, "keys"), strict=True)
    return {"unread_by_layer": ", ".join(f"{1 - fmean(layer):.2f}" for layer in layers)}


def largest(record: Record, name: str) -> Values:
    """Return a head's weight on some keys over a uniform one, the largest of all heads."""
    return tuple(max(map(max, layers)) for layers in _heads(record, name))


def more_local(record: Record) -> Values:
    """Return weight on the last pixels over a uniform one: layer 1's less the others' largest."""
    return tuple(first - max(others) for first, *others in _by_layer(record, "window"))


def unread(record: Record) -> Values:
    """Return 1 less the exponential of the weights' entropy, as a share of the keys; mean."""
    return tuple(1 - fmean(layers) for layers in _by_layer(record, "keys"))


def _by_layer(record: Record, name: str) -> list[list[float]]:
    """Return a reading of the dense network, mean over heads: a seed, a layer."""
    return [[fmean(heads) for heads in layers] for layers in _heads(record, name)]


def _heads(record: Record, name: str) -> list[list[list[float]]]:
    """Return a reading of the dense network: a seed, a layer, a head."""
    return [
        [[head[name] for head in heads.values()] for heads in layers.values()]
        for layers in record.metric("digits_dense.reading")
    ]
