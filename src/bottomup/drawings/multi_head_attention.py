"""Drawings of chapter 03."""

from bottomup.drawings import Canvas, Drawing

X = [[0.9, 0.2, 0.6, 0.1], [0.3, 0.8, 0.1, 0.5], [0.6, 0.4, 0.9, 0.7]]  # three words, d_model 4
ROWS = [[[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]],
        [[0.1, 0.1, 0.8], [0.6, 0.2, 0.2], [0.1, 0.7, 0.2]]]  # fmt: skip
LOOKS = "lit", "second"


def split_and_merge() -> Drawing:
    """Draw two heads: project, split, attend, merge, project."""
    canvas, middle = Canvas(340, 396), 170
    x = canvas.grid(middle - 32, 20, X, cell=16, look="")
    canvas.text(middle + 42, 36, "$X$ [position, d_model]", size=11, anchor="start")
    canvas.text(middle, 11, "three words", size=11, look="quiet")
    project = canvas.box(50, 86, 240, 26, "project: $XW_Q$, $XW_K$, $XW_V$, then split")
    canvas.arrow(x.bottom, project.top)
    merge = canvas.box(50, 296, 240, 26, "merge: side by side")
    for number, (rows, look) in enumerate(zip(ROWS, LOOKS, strict=True)):
        center = 92 + number * 156
        columns = slice(2 * number, 2 * number + 2)
        own = ", ".join(f"${name}_{number + 1}$" for name in "QKV")
        canvas.text(center, 134, f"head {number + 1}: {own}", size=12)
        canvas.arrow((center, 112), (center, 126))
        canvas.grid(center - 27, 160, rows, cell=18, look=look)
        canvas.arrow((center, 142), (center, 160))
        canvas.text(center, 224, "weights [query, key]", size=11)
        read = canvas.grid(center - 14, 246, [row[columns] for row in X], cell=14, look=look)
        canvas.arrow((center, 231), (center, 246))
        canvas.text(center + 20, 267, f"$A_{number + 1}V_{number + 1}$", size=12,
                    anchor="start")  # fmt: skip
        canvas.arrow(read.bottom, (center, 296))
    out = canvas.box(50, 340, 240, 26, "project: times $W_O$")
    canvas.arrow(merge.bottom, out.top)
    canvas.arrow(out.bottom, (middle, 386))
    return Drawing(
        title="Multi-head attention",
        says="Queries, keys and values are split into heads; each head has weights of its own and "
        "reads a part of the value's columns; what the heads read stands side by side and is "
        "projected once more.",
        panels=(canvas,),
    )
