"""Drawings of chapter 09."""

import numpy as np

from bottomup.drawings import Canvas, Drawing
from bottomup.drawings.engine.numbers import shades, signed
from bottomup.explorables import Explorable

MINUS = "\N{MINUS SIGN}"


def head_as_two_maps() -> Drawing:
    """Draw the two products in which a head's four matrices occur, and what each is for."""
    draw = np.random.default_rng(3)
    d_model, d_head, cell = 4, 2, 14
    x_i, y_j = (np.append(draw.normal(size=d_model), 1.0)[None] for _ in range(2))
    W_Q, W_K, W_V = (draw.normal(size=(d_head, d_model + 1)) for _ in range(3))
    W_O = draw.normal(size=(d_model, d_head))
    panels = []
    for title, first, second, names in (
        ("where it reads", W_Q.T, W_K, ("W_Q^⊤", "W_K", "W_{QK}")),
        ("what it writes", W_V.T, W_O.T, ("W_V^⊤", "W_O^⊤", "W_{OV}")),
    ):
        canvas, product = Canvas(346, 226), first @ second
        canvas.text(0, 8, title, size=12.5, anchor="start")
        x = 20.0
        for table, name, sign in zip((first, second, product), names, ("", "=", ""), strict=True):
            look = "lit" if table is product else ""
            made = canvas.grid(x, 76 - cell * len(table) / 2, shades(table), cell=cell, look=look)
            canvas.text(made.center[0], 28, f"${name}$", size=12.5)
            x = made.right[0] + 24
            canvas.text(x - 12, 76, sign, size=13)
        reads = title.startswith("where")
        row = x_i if reads else y_j
        y = 172.0
        left = canvas.grid(20, y - cell / 2, shades(row), cell=cell, look="second")
        canvas.text(left.center[0], y - 20, f"${'x_i' if reads else 'y_j'}$", size=12.5)
        canvas.text(left.right[0] - cell / 2, y, "1", size=11)
        map_box = canvas.box(118, y - 16, 56, 32, f"${names[2]}$", look="lit")
        if reads:
            right = canvas.grid(202, y - cell * 2.5, shades(y_j).T, cell=cell, look="second")
            canvas.text(right.right[0] + 14, y, "$y_j$", size=12.5)
            canvas.text(right.center[0], right.y + 4.5 * cell, "1", size=11)
            canvas.line(map_box.right, right.left)
            canvas.arrow((244, y), (276, y))
            canvas.text(312, y, "score $e_{ij}$", size=12.5)
        else:
            written = canvas.grid(202, y - cell / 2, shades(y_j @ product), cell=cell, look="lit")
            canvas.chain(map_box, written)
            canvas.text(written.center[0], y + 30, "times $α_{ij}$, added to $x_i$", size=12)
        canvas.line(left.right, map_box.left)
        panels.append(canvas)
    return Drawing(
        title="A head as two maps",
        says="W_Q and W_K occur only as their product, which gives a score to each pair of "
        "positions. W_V and W_O occur only as theirs, which says what is written where a position "
        "is read. A 1 at the end of a state carries the biases.",
        panels=tuple(panels),
    )


def induction_in_steps() -> Explorable:
    """Draw how two layers find what followed a symbol: four steps over one sequence."""
    says = [
        "The sequence is a b c a, and the last position has to say what comes next. A state holds "
        "one thing so far: its own symbol.",
        "Layer 0. A head reads the position before and writes its symbol into another part of the "
        "state: b now also says that it stands behind an a.",
        "Layer 1, where to read. The query of the last position is its own symbol, a. The keys are "
        "what layer 0 wrote. They agree at b.",
        "Layer 1, what to write. The head copies the symbol of the position that it reads, b, to "
        "the logits.",
    ]
    drawing = Drawing(
        title="An induction circuit",
        says="Two layers find an earlier a and say what came behind it.",
        panels=tuple(_induction_step(step) for step in range(len(says))),
    )
    return drawing.in_steps(says)


def _induction_step(step: int) -> Canvas:
    symbols, xs, wide = "abca", (48.0, 130.0, 212.0, 294.0), 60.0
    titles = ["each state knows its own symbol", "layer 0 reads the position before",
              "layer 1, query against keys: a meets \N{LEFT DOUBLE QUOTATION MARK}behind a"
              "\N{RIGHT DOUBLE QUOTATION MARK}",
              "layer 1 copies the symbol that it reads"]  # fmt: skip
    canvas = Canvas(360, 232)
    canvas.text(0, 10, titles[step], size=12.5, anchor="start")
    canvas.row(xs, 222, symbols, size=14)
    canvas.arrows(xs, 213, 196)
    own = canvas.boxes(xs, 170, wide, 24, [f"is {s}" for s in symbols], look="lit")
    if step == 0:
        canvas.text(xs[3], 146, "next?", size=13)
        return canvas
    behind = ["", *(f"behind {s}" for s in symbols[:-1])]
    before = canvas.boxes(xs, 104, wide, 24, behind, look="second", size=11.5)
    if step == 1:
        for left, right in zip(own[:-1], before[1:], strict=True):
            canvas.arrow(left.top, right.bottom, look="second")
        return canvas
    asks, found = own[3], before[1]
    if step == 2:
        aside = asks.right[0] + 16
        canvas.arrow(asks.right, (aside, asks.right[1]), (aside, 78), (found.top[0], 78),
                     found.top, look="lit")  # fmt: skip
        return canvas
    out = canvas.box(xs[3] - wide / 2, 40, wide, 24, "say b", look="lit")
    aside = own[1].right[0] + 11
    canvas.arrow(own[1].right, (aside, own[1].right[1]), (aside, 52), out.left, look="lit")
    return canvas


def three_paths() -> Drawing:
    """Draw what layer 1 reads for queries, keys and values, and which path of each is cut."""
    canvas, xs = Canvas(352, 236), (60.0, 176.0, 292.0)
    start = canvas.box(8, 202, 336, 26, "embedding", size=12)
    first = canvas.box(182, 142, 70, 28, "layer 0", look="second", size=12)
    canvas.arrow((first.bottom[0], start.y), first.bottom)
    readers = canvas.boxes(xs, 62, 84, 28, ("$W_Q$", "$W_K$", "$W_V$"), look="lit")
    last = canvas.box(8, 8, 336, 26, "layer 1", look="lit", size=12)
    canvas.arrows(xs, readers[0].y, last.bottom[1])
    for x, reader in zip(xs, readers, strict=True):
        canvas.arrow((x - 18, start.y), (x - 18, reader.bottom[1]))
        canvas.arrow(first.top, (first.top[0], 122), (x + 18, 122), (x + 18, reader.bottom[1]),
                     look="second")  # fmt: skip
        canvas.box(x + 12, 101, 12, 12, "×", look="second", size=11)
    return Drawing(
        title="Three paths from layer 0 to layer 1",
        says="Each of the maps for queries, keys and values of layer 1 reads the embedding and "
        "what layer 0 wrote. A cross marks the path that a cut removes: the map then reads the "
        "embedding alone.",
        panels=(canvas,),
        caption="Orange: what layer 0 wrote. A cut removes one of the crosses' paths and leaves "
        "the rest.",
    )


def noising_and_denoising() -> Drawing:
    """Draw the two directions of a patch, and the question that each answers."""
    panels = []
    for title, into, other, asks, shows in (
        ("noising", "clean", "corrupted", "Does the right answer break?", "the part is needed"),
        ("denoising", "corrupted", "clean", "Does the right answer return?", "the part is enough"),
    ):
        canvas, looks = Canvas(346, 214), {"clean": "lit", "corrupted": "second"}
        canvas.text(0, 8, title, size=12.5, anchor="start")
        rows = []
        for number, run in enumerate((other, into)):
            y = 30 + 66 * number
            canvas.text(0, y + 13, run, size=12, anchor="start")
            look = [looks[other if number and part == 1 else run] for part in range(3)]
            words = ["", "patch" if number else "", ""]
            parts = canvas.boxes((112, 178, 244), y, 46, 26, words, look=look, size=12)
            canvas.chain(*parts)
            rows.append(parts)
        canvas.text(310, 43, "kept", size=12, look="quiet")
        source, target = rows[0][1], rows[1][1]
        canvas.arrow(source.bottom, target.top, look=looks[other])
        canvas.arrow(rows[1][2].right, (284, 109))
        canvas.text(314, 109, "answer", size=12)
        canvas.text(0, 152, asks, size=12.5, anchor="start")
        canvas.text(0, 172, f"If so, {shows}.", size=12.5, anchor="start")
        _scale(canvas, 196, into, looks)
        panels.append(canvas)
    return Drawing(
        title="Two directions of a patch",
        says="Noising puts a part of the corrupted run into the clean one and asks whether the "
        "right answer breaks: the part was needed. Denoising puts a part of the clean run into the "
        "corrupted one and asks whether the right answer returns: the part was enough.",
        panels=tuple(panels),
        caption="Blue: computed from the clean sentence. Orange: from the corrupted one.",
    )


def _scale(canvas: Canvas, y: float, start: str, looks: dict[str, str]) -> None:
    """Draw the effect's scale: 0 is the corrupted run, 1 the clean one."""
    ends = {"corrupted": 60.0, "clean": 286.0}
    canvas.line((ends["corrupted"], y), (ends["clean"], y), look="quiet")
    for (run, x), value in zip(ends.items(), "01", strict=True):
        canvas.dot(x, y, 4, look=looks[run])
        canvas.text(x + (-14 if value == "0" else 14), y, value, size=11)
    away = 44 if start == "corrupted" else -44
    canvas.arrow((ends[start] + away / 8, y - 8), (ends[start] + away, y - 8))


def logit_of_parts() -> Drawing:
    """Draw a difference of two logits as a sum over what the parts of a network wrote."""
    names = ["embedding", "layer 0", "layer 1", "MLP"]
    wrote = np.array([[0.9, -0.3, 0.1, 0.2], [0.2, 0.4, -0.5, 0.1],
                      [-0.4, 1.6, 0.3, -1.1], [0.3, 0.5, -0.2, -0.4]])  # fmt: skip
    apart = np.array([-0.3, 1.4, 0.1, -1.0])  # one token's row of the output table less another's
    total = wrote.sum(axis=0)
    scale = (total - total.mean()).std()
    shares = (wrote - wrote.mean(axis=1, keepdims=True)) / scale @ apart
    canvas, cell, left = Canvas(360, 262), 16, 78
    canvas.note(left + 2 * cell, 10, "wrote")
    canvas.note(268, 10, "share of the logit difference")
    for number, (name, row, share) in enumerate(zip(names, wrote, shares, strict=True)):
        y = 24 + 36 * number
        canvas.text(0, y + 8, name, size=12, anchor="start")
        strong = shades(row[None], float(np.abs(total).max()))
        canvas.grid(left, y, np.minimum(strong, 1), cell=cell, look="lit" if share > 0 else "")
        canvas.arrow((left + 4 * cell, y + 8), (196, y + 8))
        _share(canvas, y, float(share))
    canvas.line((0, 166), (354, 166), look="quiet")
    canvas.text(0, 186, "stream", size=12, anchor="start")
    canvas.grid(left, 178, shades(total[None]), cell=cell, look="")
    canvas.arrow((left + 4 * cell, 186), (196, 186))
    _share(canvas, 178, float(shares.sum()))
    canvas.text(180, 222, f"each row: centre it, divide by the one scale $σ$ = {scale:.2f}",
                size=12)  # fmt: skip
    canvas.text(180, 244, f"of the whole stream, then times $g ⊙ (u_a$ {MINUS} $u_b)$", size=12)
    return Drawing(
        title="What a logit is made of",
        says="The stream is the sum of what the parts wrote. If every part is divided by the scale "
        "of the whole stream, the shares of the parts add up to the logit difference: "
        + " + ".join(signed(float(share), ".1f") for share in shares)
        + f" = {signed(float(shares.sum()), '.1f')}.",
        panels=(canvas,),
    )


def _share(canvas: Canvas, y: float, share: float) -> None:
    zero, unit = 236.0, 24.0
    length = min(abs(share) * unit, 96)
    canvas.line((zero, y - 4), (zero, y + 20), look="quiet")
    if share >= 0:
        canvas.bar(zero, y + 1, length, 14, signed(share, ".1f"))
    else:
        canvas.box(zero - length, y + 1, length, 14, look="second")
        canvas.text(zero + 6, y + 8, signed(share, ".1f"), size=11, anchor="start")
