"""Chapter 04: what the claims on the MLP compute from the record, and what their texts name."""

from fractions import Fraction
from statistics import fmean
from typing import Any

from bottomup.experiments.engine.record import Record

STATIONS = ("joined", "end")  # before the MLP and behind it


def names(record: Record) -> dict[str, Any]:
    """Return the widest MLPs, the facts that are stored by width or learnt, and other numbers."""
    config = record.config
    widths = config["widths"]
    stored = {width: fmean(record.metric(f"capacity.capacity.{width}")) for width in widths}
    return {
        "own_changed": min(record.metric("exact.own_changed")),
        "factor": 2 ** (1 / config["per_doubling"]),
        "capacities": ", ".join(f"{width}: {facts:.0f}" for width, facts in stored.items()),
        "narrow": widths[-2],
        "wide": widths[-1],
        "facts": config["first_names"] * config["last_names"],
    }


def off(record: Record, path: str, share: str) -> tuple[float, ...]:
    """Distance of a share from a fraction, such as 2/3."""
    return tuple(abs(found - float(Fraction(share))) for found in record.metric(path))


def exponent(record: Record, variant: str, doubling: str) -> tuple[float, ...]:
    """log2 of the ratio of the facts stored, at the first doubling of the width or at the last."""
    widths = record.config["widths"]
    width = {"first": widths[1], "last": widths[-1]}[doubling]
    return record.metric(f"{variant}.exponents.{width}")


def slowest_doubling(record: Record) -> tuple[float, ...]:
    """Smallest log2 of the ratio of the facts stored, over all doublings of the width."""
    return tuple(min(found.values()) for found in record.metric("capacity.exponents"))


def least(record: Record, *paths: str) -> tuple[float, ...]:
    """Smallest of some numbers, such as the accuracies of two probes."""
    return tuple(map(min, zip(*map(record.metric, paths), strict=True)))


def most(record: Record, *paths: str) -> tuple[float, ...]:
    """Largest of some numbers, such as the accuracies under two kinds of ablation."""
    return tuple(map(max, zip(*map(record.metric, paths), strict=True)))


def without_attention(record: Record) -> tuple[float, ...]:
    """Largest excess over chance with attention ablated: first name read, or attribute named."""
    ablated = [f"dissociation.attention_{kind}" for kind in ("mean", "resample")]
    probes = [f"{kind}.{station}.first.accuracy" for kind in ablated for station in STATIONS]
    read, named = most(record, *probes), most(record, *(f"{kind}.accuracy" for kind in ablated))
    return tuple(
        max(first - by["first"], fact - by["attribute"])
        for first, fact, by in zip(read, named, record.metric("dissociation.chance"), strict=True)
    )
