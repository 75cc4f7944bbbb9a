"""The tables that stand in for interactive figures where no script runs."""

from collections.abc import Iterable, Sequence
from html import escape

_CELL = "padding: 0.15em 0.5em; text-align: right; font-weight: normal; border: 0"
_BAR = "padding: 0.15em 0.5em; text-align: left; font-weight: normal; min-width: 12em; border: 0"
_ROW_NAME = (
    "padding: 0.15em 0.75em 0.15em 0; text-align: left; font-weight: normal; border: 0; "
    "white-space: nowrap"
)


def table(
    caption: Sequence[str],
    head: Sequence[str],
    rows: Iterable[tuple[str, Iterable[str]]],
    *,
    bars: bool = False,
) -> str:
    """Return a table as HTML that scrolls where it is wider than the page.

    Args:
        caption: its lines.
        head: the columns' names, without the one of the rows' names.
        rows: each row's name and its cells, made by `cell` or by `bar`.
        bars: the cells are bars, whose numbers stand at the left; so do the columns' names.
    """
    style = _BAR if bars else _CELL
    columns = "".join(f'<th scope="col" style="{style}">{escape(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row" style="{_ROW_NAME}">{escape(name)}</th>{"".join(cells)}</tr>'
        for name, cells in rows
    )
    lines = "<br>".join(escape(line) for line in caption)
    return (
        f'<div style="overflow-x: auto" tabindex="0" role="region" '
        f'aria-label="{escape(caption[0])}">'
        '<table style="border-collapse: collapse; font-size: 0.85em; color: inherit">'
        f'<caption style="caption-side: top; text-align: left; color: inherit">{lines}</caption>'
        f'<thead><tr><td style="border: 0"></td>{columns}</tr></thead><tbody>{body}</tbody>'
        "</table></div>"
    )


def cell(html: str, *, weight: float = 0.0) -> str:
    """Return a cell. The larger the weight, the darker its ground; pale, so that text stays clear.

    Args:
        html: what stands in it; words must be escaped.
        weight: drawn as 0 below 0, and as 1 above 1.
    """
    shade = f"background: rgba(0, 114, 178, {0.45 * min(max(weight, 0), 1):.2f})"
    return f'<td style="{_CELL}; {shade}">{html}</td>'


def weight_cell(weight: float) -> str:
    """Return a cell with a weight in two digits, and its shade."""
    return cell(f"{weight:.2f}", weight=weight)


def bar(html: str, *, weight: float) -> str:
    """Return a cell with a bar behind what stands in it, as wide as the weight of the cell.

    Args:
        html: what stands in it; words must be escaped.
        weight: drawn as 0 below 0, and as 1 above 1.
    """
    end = f"{100 * min(max(weight, 0), 1):.0f}%"
    blue, grey = "rgba(0, 114, 178, 0.4)", "rgba(128, 128, 128, 0.08)"
    ground = f"linear-gradient(to right, {blue} {end}, {grey} {end})"
    return f'<td style="{_BAR}; background: {ground}">{html}</td>'
