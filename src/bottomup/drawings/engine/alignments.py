"""Where the steps of a decoder look: tables of weights, one below the other or side by side."""

from collections.abc import Sequence

import numpy as np

from bottomup.drawings.engine.canvas import Canvas, Table
from bottomup.drawings.engine.drawing import Drawing
from bottomup.drawings.engine.tables import percent, table
from bottomup.i18n import _


def where_steps_look(
    weights: Sequence[Table], targets: Sequence[Sequence[str]], source: Sequence[str], *,
    headings: Sequence[str] = (), title: str = "", says: str = "",
) -> Drawing:  # fmt: skip
    """Draw tables of weights: a row for each step of a decoder, a column for each source word.

    Args:
        weights: one or more tables, from 0 to 1.
        targets: for each table, the words that its steps write.
        source: the words that are looked at; a table may have the first of them alone.
        headings: a name for each table.
        title: the drawing's name.
        says: what it shows; by default, at which word each step of the last table looks most.
    """
    panels = []
    for number, (shares, words) in enumerate(zip(weights, targets, strict=True)):
        columns, tall, left = len(shares[0]), 24, 80
        wide = (356 - left) / len(source)
        top = 26 + 18 * bool(headings) + 12 * (wide < 60)
        canvas = Canvas(360, top + tall * len(words) + 4, headings[number] if headings else "")
        table(canvas, left, top, shares, cell=(wide, tall), look="lit", rows=words,
              written=[[percent(share or 0.0) for share in row] for row in shares])  # fmt: skip
        for j, word in enumerate(source[:columns]):
            canvas.text(
                left + wide * (j + 0.5), top - (12 if wide >= 60 or j % 2 else 25), word, size=11
            )
        panels.append(canvas)
    if not says:
        most = ", ".join(
            f"{step} → {source[int(np.argmax(row))]} {percent(float(np.max(row)))}"
            for step, row in zip(targets[-1], weights[-1], strict=True)
        )
        says = _("Each step, and the word that it looks at most: {most}.").format(most=most)
    return Drawing(title=title or _("Where each step looks"), says=says, panels=tuple(panels))
