"""What several runs measured: a row for each variant, a dot for each run, mean and spread."""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev

from bottomup.drawings.engine.canvas import SMALL, WIDEST, Canvas
from bottomup.drawings.engine.drawing import Drawing
from bottomup.drawings.engine.numbers import signed
from bottomup.drawings.engine.words import width
from bottomup.i18n import _

Rows = Mapping[str, Sequence[float]]  # by variant: a value of each run
NEAR = 30.0  # between marks of an axis, in units
NAMES, TALL, FIGURES = 12.0, 22.0, 96.0  # size of names; height of a row; room for mean and spread


def spreads(measures: Mapping[str, Rows], *, digits: int | Sequence[int] = 2) -> Drawing:
    """Draw what runs of several variants measured, a panel for each measure.

    Args:
        measures: by the name of a measure its rows.
        digits: decimal places, of all measures or of each.

    Raises:
        ValueError: a row has no value, or `digits` does not fit the measures.
    """
    each = [digits] * len(measures) if isinstance(digits, int) else list(digits)
    if len(each) != len(measures):
        raise ValueError(f"digits: expected {len(measures)}, one for each measure, got {len(each)}")
    if any(not values for rows in measures.values() for values in rows.values()):
        raise ValueError("measures: expected a value at least in each row")
    left = 20 + max(width(_(name), NAMES) for rows in measures.values() for name in rows)
    panels, told = [], []
    for (measure, rows), places in zip(measures.items(), each, strict=True):
        panels.append(_panel(measure, rows, places, left))
        found = ", ".join(f"{_(name)} {figures(row, places)}" for name, row in rows.items())
        told.append(f"{_(measure)}: {found}")
    return Drawing(
        title=_("Runs, their mean and spread"),
        says=_("Mean and spread of the runs. {measures}.").format(measures="; ".join(told)),
        panels=tuple(panels),
    )


def figures(values: Sequence[float], digits: int) -> str:
    """Return the mean, with the standard deviation of several values: "0.92 ± 0.01"."""
    spread = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{_written(mean(values), digits)}{spread}"


def _written(value: float, digits: int) -> str:
    """Return a number with a minus sign, if any; one that rounds to zero has none."""
    return signed(round(value, digits) + 0.0, f".{digits}f")


def _panel(measure: str, rows: Rows, digits: int, left: float) -> Canvas:
    canvas = Canvas(WIDEST, 28 + TALL * len(rows) + 18, measure)
    every = [value for values in rows.values() for value in values]
    low, high = min(0.0, *every), max(every)
    high = high if high > low else low + 1
    right, floor = WIDEST - FIGURES - 14, 28 + TALL * len(rows)

    def at(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    canvas.line((at(0), 24), (at(0), floor), look="quiet")
    ends = [low, high]
    for mark in [*ends, *([0.0] if min(abs(at(0) - at(end)) for end in ends) > NEAR else [])]:
        canvas.text(at(mark), floor + 9, _written(mark, digits), look="quiet", size=SMALL)
    for number, (name, values) in enumerate(rows.items()):
        y = 28 + TALL * (number + 0.5)
        canvas.text(left - 10, y, name, size=NAMES, anchor="end")
        canvas.line((at(mean(values)), y - 7), (at(mean(values)), y + 7), look="second")
        canvas.dots([(at(value), y) for value in values], 3.5, look="lit")
        canvas.text(WIDEST - FIGURES, y, figures(values, digits), size=NAMES, anchor="start")
    return canvas
