"""What a cell tagged ``hide-output`` prints or draws: folded, and its code stays in sight.

Cells so tagged that follow each other directly share a fold, below the code of all of them. So the
picture of what a cell prints is a drawing's cell, without code on the page, after it. Code that is
hidden (``hide-input``) shares a fold, too, with that of the next cell.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from docutils import nodes

from bottomup.i18n import _

from .fold import fold

KIND = "show"
MODE, PART = "hide_mode", "nb_element"  # of MyST-NB, which would fold each output by itself
INPUT, OUTPUT = "cell_code_source", "cell_code_output"


def fold_outputs(doctree: nodes.document) -> None:
    """Put the outputs of hidden cells into folds."""
    for cells in list(runs(doctree)):
        outputs = [part for cell in cells if (part := output_of(cell))]
        if outputs:
            parent, last = cells[-1].parent, cells[-1]
            parent.insert(parent.index(last) + 1, fold(KIND, _("Show"), *outputs))
        for cell in cells:
            cell[MODE] = "input" if "input" in cell[MODE] else ""
            if not cell.children:
                cell.parent.remove(cell)


def runs(doctree: nodes.document) -> Iterator[Sequence[nodes.container]]:
    """Yield the hidden cells of a page, those together that follow each other directly."""
    cells = [cell for cell in doctree.findall(nodes.container) if is_hidden(cell)]
    starts = [
        number
        for number, (before, cell) in enumerate(pairwise([None, *cells]))
        if before is None or cell is not before.next_node(descend=False, siblings=True)
    ]
    for start, end in pairwise([*starts, len(cells)]):
        yield cells[start:end]


def join_code(doctree: nodes.document) -> None:
    """Put hidden code that shows nothing into the fold of the hidden code after it."""
    for cell in list(doctree.findall(is_hidden_code)):
        after = cell.next_node(descend=False, siblings=True)
        if all(part.get(PART) == INPUT for part in cell.children) and is_hidden_code(after):
            (source,) = after.children[0].children
            after.children[0][:] = [*cell.children[0].children, source]
            cell.parent.remove(cell)


def is_hidden_code(node: nodes.Node) -> bool:
    """Say whether a node is a cell whose code is to be hidden, and whose output, if any, is not."""
    return (
        isinstance(node, nodes.container)
        and node.get(PART) == "cell_code"
        and node.get(MODE) == "input"
        and bool(node.children)
        and node.children[0].get(PART) == INPUT
    )


def is_hidden(cell: nodes.container) -> bool:
    """Say whether a container is a cell whose output is to be hidden."""
    return cell.get(PART) == "cell_code" and cell.get(MODE) in ("output", "input+output")


def output_of(cell: nodes.container) -> nodes.container | None:
    """Take the output out of a cell and return it in a cell of its own, which styles ask for."""
    outputs = [part for part in cell.children if part.get(PART) == OUTPUT]
    for part in outputs:
        cell.remove(part)
    own = cell.copy()
    own[MODE] = ""
    own += outputs
    return own if outputs else None
