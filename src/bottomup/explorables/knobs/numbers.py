"""What a function gives to a figure with knobs: named numbers, and their static picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bottomup.explorables.shared.tables import bar, cell, table
from bottomup.i18n import _

DIGITS = 2  # of each number, in the figure and in its data
MOST_BARS = 3  # columns; with more of them a number has a shade in the place of a bar

Number = float | None
Numbers = Mapping[str, Number] | Mapping[str, Mapping[str, Number]]


@dataclass(frozen=True)
class Table:
    """Rounded numbers with the names of their rows and columns; one column has no name.

    Args:
        rows: the names of the rows.
        columns: the names of the columns.
        values: the numbers, row after row; None is a row that has been cut.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[Number, ...]

    def html(self, caption: Sequence[str], top: float) -> str:
        """Return the table as HTML; the bar of `top` fills its cell."""
        width = len(self.columns)
        bars = width <= MOST_BARS
        draw = bar if bars else cell
        cells = [
            draw(_("cut"), weight=0)
            if value is None
            else draw(f"{value:.{DIGITS}f}", weight=value / top)
            for value in self.values
        ]
        rows = [
            (said(name), cells[width * place : width * (place + 1)])
            for place, name in enumerate(self.rows)
        ]
        return table(caption, [said(name) for name in self.columns if name], rows, bars=bars)


def said(name: str) -> str:
    """Return a name that a chapter gave, in the reader's language; numbers have none."""
    return _(name) if any(map(str.isalpha, name)) else name


def read(numbers: object) -> Table:
    """Return what a function gave as a table.

    Raises:
        TypeError: it is no mapping from names.
        ValueError: it is empty, or its rows have different columns.
    """
    if not isinstance(numbers, Mapping):
        got = type(numbers).__name__
        raise TypeError(f"the function: expected a mapping from names, got {got}")
    rows = {name: row if isinstance(row, Mapping) else {"": row} for name, row in numbers.items()}
    columns = tuple(next(iter(rows.values()), {}))
    if not columns or any(tuple(row) != columns for row in rows.values()):
        raise ValueError("the function: expected rows with the same columns, at least one of each")
    values = [value for row in rows.values() for value in row.values()]
    rounded = (
        None if value is None else round(float(value), DIGITS) + 0.0 for value in values
    )  # no -0.0
    return Table(tuple(map(str, rows)), columns, tuple(rounded))
