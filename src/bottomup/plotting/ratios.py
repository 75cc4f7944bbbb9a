"""Ratios with their quartiles, in panels that stand below each other."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_text
from bottomup.plotting.arrays import check_quartiles, finite_array, strings
from bottomup.plotting.curves import MARKERS
from bottomup.plotting.style import INK

WIDTH, ROW, TITLE, AROUND = 5.0, 0.27, 0.38, 0.95  # inches
FINE = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5)
COARSE = tuple(step * 10.0**power for power in range(-3, 4) for step in (1, 2, 5))
WIDE = 5  # from this factor between the ends on, fine ticks would stand too close
AIR = 1.08  # factor between the outermost number and the edge

Panels = Mapping[str, Mapping[str, ArrayLike | Tensor]]


def ratio_dots(
    panels: Panels,
    row_labels: Sequence[str],
    *,
    xlabel: str = "our time / the peer's time (left of 1: we are faster)",
) -> tuple[Axes, ...]:
    """Draw ratios as dots with bars from quartile to quartile, around a line at 1.

    All panels share one logarithmic axis, so that half and double lie equally far from the line.
    Series differ in colour and in the shape of their dots; the legend names them.

    Args:
        panels: for each title the series by name, each an array [row, 3] of positive numbers: lower
            quartile, median, upper quartile. All panels hold the same series.
        row_labels: one label a row, the first on top.
        xlabel: what the ratio is.

    Returns:
        One axes for each panel, from top to bottom.
    """
    rows = strings("row_labels", row_labels)
    strings("panels", panels)
    check_text("xlabel", xlabel)
    arrays = _checked(panels, len(rows))
    height = AROUND + len(arrays) * (TITLE + ROW * len(rows))
    figure, column = plt.subplots(
        len(arrays), sharex=True, squeeze=False, figsize=(WIDTH, height), layout="constrained"
    )
    axes = tuple(column[:, 0])
    for ax, (title, series) in zip(axes, arrays.items(), strict=True):
        _draw_panel(ax, series, rows)
        ax.set_title(title)
    _scale(axes[-1], arrays)
    axes[-1].set_xlabel(xlabel)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=len(labels))
    return axes


def _checked(panels: Panels, rows: int) -> dict[str, dict[str, NDArray[np.float64]]]:
    if not panels or not all(panels.values()):
        raise ValueError("panels: expected at least one panel, each with a series")
    names = list(next(iter(panels.values())))
    arrays: dict[str, dict[str, NDArray[np.float64]]] = {}
    for title, series in panels.items():
        if list(series) != names:
            raise ValueError(f"panels[{title!r}]: expected the series {names}, got {list(series)}")
        arrays[title] = {}
        for name, values in series.items():
            place = f"panels[{title!r}][{name!r}]"
            arrays[title][name] = finite_array(place, values, axes=f"row={rows} 3")
            check_quartiles(place, arrays[title][name])
    return arrays


def _draw_panel(ax: Axes, series: Mapping[str, NDArray[np.float64]], row_labels: list[str]) -> None:
    rows = np.arange(len(row_labels))
    offsets = (np.arange(len(series)) - (len(series) - 1) / 2) * 0.6 / len(series)
    ax.axvline(1, color=INK, linewidth=1, zorder=1)
    for number, (name, offset) in enumerate(zip(series, offsets, strict=True)):
        low, middle, high = series[name].T
        ax.errorbar(
            middle,
            rows + offset,
            xerr=(middle - low, high - middle),
            fmt=MARKERS[number % len(MARKERS)],
            capsize=2.5,
            elinewidth=1.2,
            label=name,
        )
    ax.set_yticks(rows, labels=row_labels)
    ax.set_ylim(len(row_labels) - 0.5, -0.5)  # the first row on top
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    ax.set_axisbelow(True)


def _scale(ax: Axes, arrays: Mapping[str, Mapping[str, NDArray[np.float64]]]) -> None:
    """Set the shared axis: logarithmic, around 1 and all numbers, with plain numbers as ticks."""
    found = [array for series in arrays.values() for array in series.values()]
    low = min(1.0, *(array.min() for array in found)) / AIR
    high = max(1.0, *(array.max() for array in found)) * AIR
    ax.set_xscale("log")
    ticks = [tick for tick in (FINE if high / low < WIDE else COARSE) if low <= tick <= high]
    ax.set_xticks(ticks, labels=[f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlim(low, high)
