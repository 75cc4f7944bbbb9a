"""Heat maps of attention: query rows, key columns."""

from collections.abc import Iterable, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_integer, check_number, check_text
from bottomup.plotting.arrays import finite_array, strings
from bottomup.plotting.style import CARD, INK, VERMILION

MOST_CELLS_WITH_NUMBERS = 64
LONGEST_LEVEL_LABEL = 5  # letters that fit above a column; longer key labels are turned
CELL = (0.48, 0.36)  # inches
LETTER = 0.08  # inches, about
ROUNDING = 1e-6  # softmax in float32 may exceed 1 by this much


def heat_map(
    weights: ArrayLike | Tensor,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    *,
    links: Iterable[tuple[int, int]] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    largest: float | None = None,
    label: str | None = None,
) -> Axes:
    """Draw a matrix [query, key]: row i shows what query i reads.

    Weights, all of them within [0, 1], are drawn on a scale from 0 to 1, the same in every
    picture. Other numbers, such as scores, are drawn on a scale of two colours, symmetric around
    0. Up to 64 cells show their numbers.

    Args:
        weights: the matrix, an array or tensor with axes [query, key].
        query_labels: one label a row.
        key_labels: one label a column.
        links: gold links ``(query, key)``, drawn as outlined squares.
        ax: where to draw; by default a new figure whose size follows the matrix.
        title: text above the picture.
        largest: where the scale of two colours ends, so that several pictures share one.
        label: what the numbers are; by default weights or scores.

    Returns:
        The axes, for further drawing.

    Example:
        >>> axes = heat_map([[1.0, 0.0], [0.5, 0.5]], ["he", "ate"], ["he", "ate"])
        >>> [label.get_text() for label in axes.get_xticklabels()]
        ['he', 'ate']
    """
    if largest is not None:
        check_number("largest", largest, above=0, at_most=1e300)
    matrix = finite_array("weights", weights, axes="query key")
    rows, columns = matrix.shape
    queries = strings("query_labels", query_labels, rows)
    keys = strings("key_labels", key_labels, columns)
    for name, text in {"title": title, "label": label}.items():
        if text is not None:
            check_text(name, text)
    squares = [_checked_link(link, rows, columns) for link in links or ()]
    if ax is None:
        _, ax = plt.subplots(figsize=_figure_size(queries, keys))
    image = _draw_cells(ax, matrix, largest, label)
    if matrix.size <= MOST_CELLS_WITH_NUMBERS:
        _write_numbers(ax, image, matrix)
    for query, key in squares:
        corner = (key - 0.44, query - 0.44)
        outline = Rectangle(corner, 0.88, 0.88, fill=False, edgecolor=VERMILION, linewidth=1.8)
        ax.add_patch(outline)
    _label_axes(ax, queries, keys)
    if title is not None:
        ax.set_title(title)
    return ax


def _figure_size(queries: list[str], keys: list[str]) -> tuple[float, float]:
    width = 1.4 + LETTER * max(map(len, queries)) + CELL[0] * len(keys)
    height = 0.9 + LETTER * 0.7 * max(map(len, keys)) + CELL[1] * len(queries)
    return min(width, 11.0), min(height, 10.0)


def _checked_link(link: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    if not isinstance(link, tuple) or len(link) != 2:
        raise TypeError(f"links: expected pairs (query, key), got {link!r}")
    check_integer("links", link[0], at_least=0, below=rows)
    check_integer("links", link[1], at_least=0, below=columns)
    return link


def _draw_cells(
    ax: Axes, matrix: NDArray[np.float64], largest: float | None, label: str | None
) -> AxesImage:
    are_weights = largest is None and matrix.min() >= 0 and matrix.max() <= 1 + ROUNDING
    largest = largest or float(np.abs(matrix).max())
    scale = Normalize(0, 1) if are_weights else Normalize(-largest, largest)
    colors = "Blues" if are_weights else "PuOr_r"
    image = ax.imshow(matrix, cmap=colors, norm=scale, aspect="auto", interpolation="nearest")
    label = label or ("weight" if are_weights else "score")
    beside = ax.inset_axes((1 + 0.3 / matrix.shape[1], 0, 0.3 / matrix.shape[1], 1))
    bar = ax.figure.colorbar(image, cax=beside, label=label)
    bar.outline.set_visible(False)
    return image


def _write_numbers(ax: Axes, image: AxesImage, matrix: NDArray[np.float64]) -> None:
    colors = image.to_rgba(matrix, norm=True)
    for (query, key), value in np.ndenumerate(matrix):
        red, green, blue, _ = colors[query, key]
        is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        color = CARD if is_dark else INK
        ax.text(key, query, f"{value:.2f}", ha="center", va="center", fontsize=8, color=color)


def _label_axes(ax: Axes, queries: list[str], keys: list[str]) -> None:
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_yticks(range(len(queries)), labels=queries)
    ax.set_xticks(range(len(keys)), labels=keys)
    if max(map(len, keys)) > LONGEST_LEVEL_LABEL:
        plt.setp(ax.get_xticklabels(), rotation=45, ha="left", rotation_mode="anchor")
    ax.set_xlabel("key")
    ax.set_ylabel("query")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
