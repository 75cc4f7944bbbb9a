"""What every experiment costs, as a table: measured for the records, planned for other presets."""

from collections.abc import Mapping
from typing import Any

from docutils import nodes

from bottomup import results
from bottomup.i18n import _

from .tables import grid

NONE = "—"  # no record, or a plan that was stopped before the first training


def table(found: Mapping[str, Any]) -> nodes.table:
    """Return a row for each experiment, from what ``tools.plans`` wrote and from the records."""
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
        sizes = (largest["trainings"], largest["parameters"], largest["bytes"] / 1e6)
        reached = largest["trainings"] > 0
        body.append([
            name,
            hours(laptop, times=60),
            two_digits(measured[name] / 3600) if name in measured else NONE,
            hours(largest),
            *(on_card(largest, card) for card in cards),
            *(f"{size:,.0f}" if reached else NONE for size in sizes),
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
    if not plan["trainings"]:
        return NONE
    return bound(plan) + two_digits(plan["hours"] * times)


def on_card(plan: Mapping[str, Any], card: str) -> str:
    """Write the range of a plan's hours on a card."""
    if not plan["trainings"]:
        return NONE
    low, high = plan["gpu_hours"][card]
    return f"{bound(plan)}{two_digits(low)}–{two_digits(high)}"


def bound(plan: Mapping[str, Any]) -> str:
    """Return a sign where a part was stopped."""
    return "≥ " if plan["stopped"] else ""


def two_digits(number: float) -> str:
    """Write a number with two digits, or as a whole number where it has more."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
