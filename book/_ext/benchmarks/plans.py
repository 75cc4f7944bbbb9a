"""What every experiment costs, as a table: measured for the records, planned for other presets."""

from collections.abc import Mapping
from typing import Any

from docutils import nodes

from bottomup import results
from bottomup.i18n import _

from .scaling import grid


def table(found: Mapping[str, Any]) -> nodes.table:
    """Return a row for each experiment, from what ``bench.plans`` wrote and from the records."""
    cards = next(iter(found["plans"].values()))["largest"]["gpu_hours"]
    heads = [
        _("Experiment"),
        _("Laptop preset, minutes"),
        _("Record, hours (measured)"),
        _("Largest preset, hours"),
        *(_("{card}, hours (not measured)").format(card=card) for card in cards),
        _("Trainings"),
        _("Parameters"),
        "MB",
    ]
    measured = {each.experiment: each.seconds / len(each.seeds) for each in records()}
    body = []
    for name, plans in found["plans"].items():
        laptop, largest = plans["laptop"], plans["largest"]
        body.append([
            name,
            hours(laptop, times=60),
            f"{measured[name] / 3600:.2g}",
            hours(largest),
            *(between(*largest["gpu_hours"][card]) for card in cards),
            f"{largest['trainings']:,}",
            f"{largest['parameters']:,}",
            f"{largest['bytes'] / 1e6:,.0f}",
        ])  # fmt: skip
    caption = _(
        "One seed on one core; trainings, parameters and MB are those of the largest preset"
    )
    return grid(caption, heads, body)


def records() -> list[Any]:
    """Return the committed records of experiments."""
    return [results.load(name) for name in results.available()]


def hours(plan: Mapping[str, Any], times: float = 1) -> str:
    """Write the hours of a plan, as a bound where a part of it was stopped."""
    bound = "≥ " if plan["stopped"] else ""
    return f"{bound}{two_digits(plan['hours'] * times)}"


def between(low: float, high: float) -> str:
    """Write a range."""
    return f"{two_digits(low)}–{two_digits(high)}"


def two_digits(number: float) -> str:
    """Write a number with two digits, or as a whole number where it has more."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
