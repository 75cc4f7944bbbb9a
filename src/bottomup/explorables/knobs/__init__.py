"""Knobs of a function: they call Python where a kernel runs, else show what was recorded."""

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import product
from typing import Any

from bottomup.checks import check_choice
from bottomup.explorables.knobs.numbers import DIGITS, MOST_BARS, Numbers, Table, read, said
from bottomup.explorables.shared.explorable import Explorable
from bottomup.i18n import _

__all__ = ["Knobs", "knobs"]

MOST_BYTES = 15_000  # of data, so that page and notebook stay light
WIDE = 50  # times 1, or the least value, is far away: even steps would be too coarse

Axis = tuple[float, float, float] | Sequence[float] | Sequence[str]


def knobs(title: str, function: Callable[..., Numbers], **axes: Axis) -> "Knobs":
    """Build the figure: a knob for each axis, and the numbers that the function gives.

    A notebook with a kernel shows widgets, which call the function at each move. There a knob takes
    any number of its range, integers if all its values are, and any string. Elsewhere, as on the
    page, the figure shows what was recorded for all settings. The knobs begin at the function's
    defaults, else at the first value.

    Args:
        title: its name.
        function: takes each axis as a keyword and returns numbers by name, ``{"dog": 0.7}``, drawn
            as bars; or rows of them, ``{"dog": {"seen": 0.7, "heard": 0.2}}``, from four columns on
            drawn as shades. None stands for what was cut. An error that it raises is shown.
        **axes: the values of each argument: three numbers (from, to, step), or a list or range.

    Raises:
        ValueError: an axis has fewer than two values or none that is the default; or the numbers
            of all settings together are more than 15 kB.

    Used in all chapters.
    """
    return Knobs(title, function, {name: stops(name, axis) for name, axis in axes.items()})


def stops(name: str, axis: Axis) -> list[Any]:
    """Return the values of an axis: those of a list, or from, to and step of a tuple."""
    values = list(axis)
    if isinstance(axis, tuple):
        low, high, step = axis
        # Rounded: in steps of 0.1 the third is 0.3 and not 0.30000000000000004.
        values = [round(low + place * step, 10) for place in range(round((high - low) / step) + 1)]
    if len(values) < 2:
        raise ValueError(f"{name}: expected two or more values, got {values}")
    return values


class Knobs:
    """A function with a knob for each of its arguments. End a cell with it to show it.

    Args:
        title: its name.
        function: as `knobs` takes it.
        axes: the values of each argument.
    """

    def __init__(
        self, title: str, function: Callable[..., Numbers], axes: dict[str, list[Any]]
    ) -> None:
        self.title, self.function, self.axes = title, function, axes
        given = inspect.signature(function).parameters
        self.start = {}
        for name, values in axes.items():
            default = given[name].default
            self.start[name] = values[0] if default is inspect.Parameter.empty else default
            check_choice(name, self.start[name], values)
        self.recorded = self.record()

    def __repr__(self) -> str:
        return repr(self.recorded)

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        """Return widget and recorded figure in one output; a viewer shows one of the two."""
        both = {"text/html": self.recorded._repr_html_(), "text/plain": repr(self)}
        return {**self.widget()._repr_mimebundle_(), **both}

    def record(self) -> Explorable:
        """Call the function with all settings and return the figure of what it gives."""
        settings = [
            dict(zip(self.axes, values, strict=True)) for values in product(*self.axes.values())
        ]
        given = [read(self.function(**setting)) for setting in settings]
        # What comes again is stored once: other settings often give the same numbers.
        tables = {table: place for place, table in enumerate(dict.fromkeys(given))}
        names = list(dict.fromkeys((table.rows, table.columns) for table in tables))
        top = largest(tables)
        payload = {
            "labels": {
                "title": _(self.title),
                "cut": _("cut"),
                "most": _("Largest: {row}, {value}."),
                "most_of": _("{column}: largest at {row}, {value}."),
            },
            "axes": [
                {"name": label(name), "texts": [said(text(value)) for value in values],
                 "words": isinstance(values[0], str)}
                for name, values in self.axes.items()
            ],
            "start": [values.index(self.start[name]) for name, values in self.axes.items()],
            "digits": DIGITS,
            "most_bars": MOST_BARS,
            "top": top,
            "names": [[list(map(said, row)) for row in table] for table in names],
            "tables": [
                [names.index((table.rows, table.columns)), *table.values] for table in tables
            ],
            "states": [tables[table] for table in given],
        }  # fmt: skip
        first = self.picture(given[settings.index(self.start)], top, self.start)
        figure = Explorable(payload, fallback=first, name="knobs")
        size = len(figure.data.encode())
        if size > MOST_BYTES:
            raise ValueError(f"{self.title}: {size} bytes, at most {MOST_BYTES}: take larger steps")
        return figure

    def picture(self, table: Table, top: float, setting: dict[str, Any]) -> str:
        """Return a setting and its numbers as HTML."""
        turned = ", ".join(f"{label(name)} {said(text(value))}" for name, value in setting.items())
        return table.html([_(self.title), turned], top)

    def widget(self) -> Any:
        """Return widgets that call the function at each move and show its numbers."""
        import ipywidgets  # here, so that who shows no knobs does not wait for it

        controls = {name: control(name, values, self.start[name])
                    for name, values in self.axes.items()}  # fmt: skip
        shown = ipywidgets.HTML()

        def show(_change: object = None) -> None:
            setting = {name: knob.value for name, knob in controls.items()}
            try:
                table = read(self.function(**setting))
            except Exception as error:  # of a value that only the reader has tried
                shown.value = f"<p>{escape(str(error))}</p>"
            else:
                top = max(self.recorded.payload["top"], largest([table]))
                shown.value = self.picture(table, top, setting)

        for knob in controls.values():
            knob.observe(show, "value")
        show()
        return ipywidgets.VBox([*controls.values(), shown])


def control(name: str, values: list[Any], start: Any) -> Any:
    """Return the widget of an axis: a slider over its range, or a field that takes any words.

    Values far apart get a slider of powers of ten, or integers a field for a number. The function
    is called when a slider is let go, since a call may take a second.
    """
    import ipywidgets

    named = {"value": start, "description": label(name), "continuous_update": False,
             "style": {"description_width": "initial"}}  # fmt: skip
    if isinstance(start, str):
        return ipywidgets.Combobox(options=values, **named)
    low, high = min(values), max(values)
    is_wide = high >= WIDE * max(low, 1)
    if all(isinstance(value, int) for value in values):
        kind = ipywidgets.BoundedIntText if is_wide else ipywidgets.IntSlider
        return kind(min=low, max=high, **named)
    if is_wide and low > 0:
        powers = {"min": math.log10(low), "max": math.log10(high), "step": 0.01}
        return ipywidgets.FloatLogSlider(readout_format=".3g", **powers, **named)
    step = 10.0 ** math.floor(math.log10((high - low) / 100))
    return ipywidgets.FloatSlider(min=low, max=high, step=step, **named)


def largest(tables: Iterable[Table]) -> float:
    """Return the largest number, whose bar fills its cell: the scale that all settings share."""
    numbers = [abs(value) for table in tables for value in table.values if value is not None]
    return max(numbers, default=0.0) or 1.0


def label(name: str) -> str:
    """Return an argument's name as it is read."""
    return _(name.replace("_", " "))


def text(value: Any) -> str:
    """Return a value of an axis as it is written."""
    return value if isinstance(value, str) else f"{value:g}".replace("-", "−")
