"""Curves over several seeds."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from torch import Tensor

from bottomup.checks import check_text
from bottomup.plotting.arrays import finite_array, strings

MARKERS = "osD^vPX"
MOST_POINTS_WITH_MARKERS = 25


def curves(
    x: ArrayLike | Tensor,
    runs: Mapping[str, ArrayLike | Tensor],
    *,
    xlabel: str,
    ylabel: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw one line for each entry of `runs`: the mean over seeds, in a band from min to max.

    The legend says so where there is a band. A run of one seed has none. Up to 25 points carry
    markers, so that the lines differ in shape as well as in colour.

    Args:
        x: positions [x], increasing.
        runs: for each label an array [seeds, x].
        xlabel: what x is, with its unit.
        ylabel: what the lines are, with their unit.
        ax: where to draw; by default a new figure.

    Returns:
        The axes, for further drawing.

    Example:
        >>> axes = curves([1, 2], {"two seeds": [[0, 1], [2, 3]]}, xlabel="x", ylabel="y")
        >>> [text.get_text() for text in axes.get_legend().get_texts()]
        ['two seeds']
    """
    positions = finite_array("x", x, axes="x")
    if not (np.diff(positions) > 0).all():
        raise ValueError(f"x: expected increasing positions, got {positions.tolist()}")
    check_text("xlabel", xlabel)
    check_text("ylabel", ylabel)
    strings("runs", runs)
    if len(runs) == 0:
        raise ValueError("runs: expected at least one run, got none")
    axes = f"seeds x={len(positions)}"
    arrays = {label: finite_array(f"runs[{label!r}]", runs[label], axes=axes) for label in runs}
    if ax is None:
        _, ax = plt.subplots()
    for number, (label, values) in enumerate(arrays.items()):
        has_markers = len(positions) <= MOST_POINTS_WITH_MARKERS
        marker = MARKERS[number % len(MARKERS)] if has_markers else None
        (line,) = ax.plot(positions, values.mean(axis=0), marker=marker, label=label)
        if len(values) > 1:
            low, high = values.min(axis=0), values.max(axis=0)
            ax.fill_between(positions, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.grid(axis="y")
    ax.legend(title=_legend_title({len(values) for values in arrays.values()}))
    return ax


def _legend_title(seeds: set[int]) -> str | None:
    """Say what line and band are, and over how many seeds where all runs have as many."""
    if seeds == {1}:
        return None
    count = f"{seeds.pop()} seeds" if len(seeds) == 1 else "seeds"
    return f"mean, min to max of {count}"
