"""How cost grows with size, on two logarithmic axes."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_text
from bottomup.plotting.arrays import check_quartiles, finite_array, strings
from bottomup.plotting.curves import MARKERS
from bottomup.plotting.style import INK

STYLES = (":", "--", "-.")  # of guides


def scaling_curves(
    series: Mapping[str, ArrayLike | Tensor],
    *,
    xlabel: str,
    ylabel: str,
    guides: Mapping[str, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw costs over sizes, both on logarithmic axes: a power of the size is a straight line.

    ``cost = a size^k`` has the slope k. A guide is a thin line of a given slope through the last
    point of a series; where the series lies on it, it grows with that power.

    Args:
        series: for each label an array [size, 4] of positive numbers: size, lower quartile, median,
            upper quartile. Sizes rise; series may have different ones. The median is drawn, with a
            bar from quartile to quartile.
        xlabel: what the size is.
        ylabel: what the cost is, with its unit.
        guides: for some of the labels the slope of a guide.
        ax: where to draw; by default a new figure.

    Returns:
        The axes, for further drawing.

    Example:
        >>> series = {"pairs": [[2, 3.9, 4, 4.1], [4, 15.8, 16, 16.2]]}
        >>> axes = scaling_curves(series, xlabel="words", ylabel="pairs", guides={"pairs": 2})
        >>> axes.get_xscale(), axes.get_yscale()
        ('log', 'log')
    """
    check_text("xlabel", xlabel)
    check_text("ylabel", ylabel)
    strings("series", series)
    arrays = _checked(series)
    unknown = [label for label in guides or {} if label not in arrays]
    if unknown:
        raise ValueError(f"guides: expected labels among {list(arrays)}, got {unknown}")
    if ax is None:
        _, ax = plt.subplots()
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    for number, (label, points) in enumerate(arrays.items()):
        size, low, middle, high = points.T
        spread, marker = (middle - low, high - middle), MARKERS[number % len(MARKERS)]
        ax.errorbar(size, middle, yerr=spread, marker=marker, capsize=2.5, label=label)
    for number, (label, slope) in enumerate((guides or {}).items()):
        _guide(ax, arrays[label], slope, STYLES[number % len(STYLES)])
    sizes = np.unique(np.concatenate([points[:, 0] for points in arrays.values()]))
    ax.set_xticks(sizes, labels=[f"{size:,.0f}" for size in sizes])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.grid(axis="y")
    handles, labels = ax.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda k: labels[k] not in arrays)  # guides come last
    ax.legend([handles[k] for k in order], [labels[k] for k in order])
    return ax


def _checked(series: Mapping[str, ArrayLike | Tensor]) -> dict[str, NDArray[np.float64]]:
    if not series:
        raise ValueError("series: expected at least one series, got none")
    arrays = {}
    for label, values in series.items():
        name = f"series[{label!r}]"
        array = finite_array(name, values, axes="size 4")
        if not (np.diff(array[:, 0], prepend=0) > 0).all():
            raise ValueError(f"{name}: expected rising sizes above 0, got {array[:, 0].tolist()}")
        check_quartiles(name, array[:, 1:])
        arrays[label] = array
    return arrays


def _guide(ax: Axes, points: NDArray[np.float64], slope: float, style: str) -> None:
    """Draw the line of the slope through the last point, under the series."""
    size, cost = points[:, 0], points[-1, 2]
    ends = np.array([size[0], size[-1]])
    line = cost * (ends / size[-1]) ** slope
    ax.plot(
        ends, line, color=INK, linewidth=0.9, linestyle=style, zorder=1, label=f"slope {slope:g}"
    )
