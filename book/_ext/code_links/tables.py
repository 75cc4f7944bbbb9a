"""The names of functions and classes in a page's equation tables."""

from collections.abc import Iterator

from docutils import nodes

COLUMNS = {"function", "function or class", "code"}
ELSEWHERE = "torch."  # another package's: it stays as it is


def names(
    doctree: nodes.document, english: nodes.document | None = None
) -> Iterator[nodes.literal]:
    """Yield the names in the columns of code, in their order.

    On a translated page the heads of the `english` one say which columns these are.
    """
    tables = doctree.findall(nodes.table)
    for table, heads in zip(tables, (english or doctree).findall(nodes.table), strict=True):
        columns = code_columns(heads)
        for body in table.findall(nodes.tbody):
            for row in body.findall(nodes.row):
                for place, entry in enumerate(row.findall(nodes.entry)):
                    if place in columns:
                        yield from filter(is_ours, entry.findall(nodes.literal))


def code_columns(table: nodes.table) -> set[int]:
    """Return which columns of a table have a heading that stands for code."""
    return {
        place
        for head in table.findall(nodes.thead)
        for place, entry in enumerate(head.findall(nodes.entry))
        if entry.astext().casefold() in COLUMNS
    }


def is_ours(literal: nodes.literal) -> bool:
    """Say whether a name is one of this package's."""
    return not literal.astext().startswith(ELSEWHERE)
