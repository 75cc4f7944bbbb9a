"""Drawings of chapter 05."""

import math
from collections.abc import Sequence

from bottomup.drawings import Box, Canvas, Drawing
from bottomup.drawings.engine.numbers import softmax

SOURCE = "the cat ate apples .".split()
TARGET = "cat", "-TOP", "apple", "-OBJ"


def whole() -> Drawing:
    """Draw the encoder–decoder as the way of a sentence, with the shape at each station."""
    canvas, wide = Canvas(356, 372), 124.0
    columns = (("source tokens", "$T_x$"), ("target tokens, shifted", "$T_y$"))
    stacks = [["self-attention", "MLP"], ["causal self-attention", "cross-attention", "MLP"]]
    tops: list[Box] = []
    cross = Box(0, 0, 0, 0)
    for number, ((tokens, length), layers) in enumerate(zip(columns, stacks, strict=True)):
        x, look = 24.0 + 190 * number, ("lit", "second")[number]
        middle = x + wide / 2
        canvas.text(middle, 362, tokens, size=11)
        _shape(canvas, middle, 340, f"[{length}]")
        below = canvas.box(x, 284, wide, 36, "embedding,\npositions", size=11)
        canvas.arrow((middle, 354), below.bottom, look=look)
        _shape(canvas, middle, 268, f"[{length}, $d$]")
        low = 222.0
        top = low - 40 * (len(layers) - 1) - 12
        frame = canvas.box(x - 10, top - 10, wide + 20, low + 38 - top + 4, look="quiet")
        canvas.text(x - 8, top - 18, "× $N$", size=11, anchor="start")
        for place, name in enumerate(layers):
            part = canvas.box(x, low - 40 * place, wide, 26, name, size=11)
            canvas.arrow(below.top, part.bottom, look=look)
            below = part
            if name == "cross-attention":
                cross = part
        up = canvas.box(x, frame.y - 62, wide, 26, "LN: memory" if number == 0 else "LN, logits",
                        size=11)  # fmt: skip
        canvas.arrow(below.top, up.bottom, look=look)
        _shape(canvas, middle, frame.y - 15, f"[{length}, $d$]")
        tops.append(up)
    memory, logits = tops
    canvas.arrow(memory.top, (memory.top[0], memory.y - 22), (187, memory.y - 22),
                 (187, cross.center[1]), cross.left, look="lit")  # fmt: skip
    canvas.text(memory.top[0] + 8, memory.y - 36, "memory $Z$ [$T_x$, $d$]", size=11)
    canvas.arrow(logits.top, (logits.top[0], logits.y - 30), look="second")
    _shape(canvas, logits.top[0], logits.y - 16, "[$T_y$, $V$]")
    canvas.text(logits.top[0], logits.y - 40, "$V$ numbers for each place", size=11)
    return Drawing(
        title="A sentence through the whole machine",
        says="The source passes embedding and encoder layers and becomes the memory; the shifted "
        "target passes embedding and decoder layers, each of which reads the memory, and becomes "
        "logits.",
        panels=(canvas,),
        caption="In blue what comes from the source, in orange what comes from the target.",
    )


def ways_around() -> Drawing:
    """Draw a plain, a highway and a residual layer."""
    canvas = Canvas(352, 236)
    for number, kind in enumerate(("plain", "highway", "residual")):
        x = 38.0 + 120 * number
        canvas.text(x, 10, kind, size=12)
        canvas.text(x, 226, "$x$")
        layer = canvas.box(x - 30, 124, 60, 30, "$F(x)$" if kind == "residual" else "$H(x)$")
        canvas.arrow((x, 216), layer.bottom)
        canvas.text(x, 30, "$y$")
        if kind == "plain":
            canvas.arrow(layer.top, (x, 40))
            continue
        canvas.arrow(layer.top, (x, 82), look="" if kind == "residual" else "second")
        joins = canvas.box(x - 8, 64, 16, 16, "+")
        canvas.arrow(joins.top, (x, 40))
        canvas.arrow((x, 186), (x + 58, 186), (x + 58, 72), joins.right, look="lit")
        if kind == "highway":
            canvas.text(x - 10, 102, "$T$", size=12, anchor="end")
            canvas.text(x + 38, 58, "1 − $T$", size=12)
    return Drawing(
        title="Ways around a layer",
        says="A plain layer passes on its result alone. A highway layer adds its input, weighed by "
        "one minus a gate, to its result, weighed by the gate. A residual layer adds both as they "
        "are.",
        panels=(canvas,),
        caption="In blue the way around, in orange what the highway's gate lets through.",
    )


def words_and_places() -> Drawing:
    """Draw the sum of a word and a place, as they are and with the word times the root of d."""
    d, panels = 64, []
    place = math.sqrt(d / 2)
    for factor, name in (1.0, "as they are"), (math.sqrt(d), "word times √d"):
        canvas, unit, start = Canvas(190, 176), 13.0, (52.0, 142.0)
        canvas.text(95, 12, name, size=12)
        corner = start[0] + unit * place, start[1]
        tip = corner[0], corner[1] - unit * factor
        canvas.arrow(start, corner, look="second")
        canvas.arrow(corner, tip, look="lit")
        canvas.arrow(start, tip)
        canvas.text((start[0] + corner[0]) / 2, 158, f"place {place:.2f}", size=11)
        canvas.text(corner[0] + 6, (corner[1] + tip[1]) / 2, f"word {factor:.0f}", size=11,
                    anchor="start")  # fmt: skip
        panels.append(canvas)
    return Drawing(
        title="A word and its place, added",
        says="A place has a length of 5.66. A word of length 1 hardly turns it; a word of length 8 "
        "is heard beside it.",
        panels=tuple(panels),
        caption="Drawn at right angles, with d = 64. In blue the word, in orange the place; "
        "the thin arrow is their sum.",
    )


def shift() -> Drawing:
    """Draw what the decoder reads and is asked for, with the shift and without it."""
    panels = []
    words = ["21", "22", "23"]
    for title, reads, asked in (
        ("shifted right", ["BOS", *words], [*words, "EOS"]),
        ("not shifted", [*words, "EOS"], [*words, "EOS"]),
    ):
        canvas, cell = Canvas(280, 202), 46.0
        canvas.text(166, 12, title, size=12)
        for y, name, row in (178.0, "target_in", reads), (42.0, "target_out", asked):
            canvas.text(66, y, name, size=11, anchor="end")
            for number, token in enumerate(row):
                look = "second" if title == "not shifted" else "lit" if name == "target_out" else ""
                canvas.box(74 + cell * number, y - 12, 42, 24, token, size=12, look=look)
        canvas.box(74, 96, 4 * cell - 4, 28, "decoder, causal", size=12)
        for number in range(4):
            x = 95 + cell * number
            if title == "not shifted":
                canvas.line((x, 165), (x, 124), look="second")
                canvas.arrow((x, 96), (x, 55), look="second")
            else:
                canvas.arrow((x, 165), (x, 126))
                canvas.arrow((x, 96), (x, 55), look="lit")
        panels.append(canvas)
    return Drawing(
        title="What is read and what is asked for",
        says="Shifted right, each place reads a token and is asked for the next one. Without the "
        "shift each place is asked for the token that it reads.",
        panels=tuple(panels),
        caption="Each column is a position. In orange tokens that can be copied from below.",
    )


def one_pass_and_many() -> Drawing:
    """Draw training in one pass and writing token by token."""
    written = ["BOS", *TARGET[:3]]
    train, write = Canvas(200, 210), Canvas(330, 210)
    train.text(100, 12, "training: one pass", size=12)
    _passed(train, 8, written, list(TARGET), range(4))
    write.text(165, 12, "in use: a pass for each token", size=12)
    x = 4.0
    for number in range(1, 4):
        _passed(write, x, written[:number], list(TARGET[:number]), [number - 1])
        if number < 3:
            end, gap = x + 47 * number - 4, x + 47 * number + 2
            below = x + 47 * number + 12 + 47 * number + 21.5
            write.arrow((end, 52), (gap, 52), (gap, 194), (below, 194), (below, 178),
                        look="second")  # fmt: skip
        x += 47 * number + 12
    return Drawing(
        title="One pass, and a pass for each token",
        says="In training all true tokens are read at once and every place answers in one pass. In "
        "use the second pass needs the token that the first has written.",
        panels=(train, write),
        caption="Below what is read, above what is answered; in blue the answers; in orange the "
        "token that the next pass waits for.",
    )


def cross_attention() -> Drawing:
    """Draw who asks and who answers, and the table of weights."""
    scores = [[0.4, 2.0, 0.1, 0.4, 0.1], [0.3, 0.9, 0.4, 2.8, 0.2], [0.1, 0.3, 0.6, 2.0, 0.2],
              [0.1, 0.2, 2.6, 0.7, 0.4]]  # fmt: skip
    weights = [softmax(row) for row in scores]
    canvas, cell = Canvas(352, 372), 33.0
    left, top = 112.0, 112.0
    canvas.text(left + 2.5 * cell, 14, "memory $Z$: one row a source word", size=11)
    for number, word in enumerate(SOURCE):
        canvas.text(left + (number + 0.5) * cell, 34, word, size=11)
        canvas.grid(left + number * cell + 7.5, 44, [[0.5], [0.5]], cell=18, look="lit")
    canvas.box(left - 4, 86, 5 * cell + 8, 20, "keys $k_j$ = $W_K z_j$", size=11, look="lit")
    grid = canvas.grid(left, top + 4, weights, cell=cell, look="", written=".1f")
    canvas.text(30, 100, "stream $Y$", size=11)
    for number, word in enumerate(TARGET):
        y = top + 4 + (number + 0.5) * cell
        canvas.text(46, y, word, size=11, anchor="end")
        canvas.arrow((50, y), (74, y), look="second")
        canvas.text(88, y, f"$q_{number + 1}$", size=12)
        canvas.arrow((98, y), (left - 2, y), look="second")
    for number, words in enumerate(("weights", "$α_{ij}$", "[$T_y$, $T_x$]")):
        canvas.text(left + 5 * cell + 6, top + 46 + 18 * number, words, size=11, anchor="start")
    values = canvas.box(left - 4, 276, 5 * cell + 8, 20, "values $v_j$ = $W_V z_j$", size=11,
                        look="lit")  # fmt: skip
    canvas.arrow(grid.bottom, values.top)
    canvas.arrow((left + 5 * cell, 62), (342, 62), (342, 286), values.right, look="lit")
    read = canvas.box(left - 4, 320, 5 * cell + 8, 24, "$u_i$ = $W_O$ Σ $α_{ij} v_j$", size=12)
    canvas.arrow(values.bottom, read.top)
    canvas.arrow(read.left, (30, 332), (30, 262), look="second")
    canvas.text(30, 360, "added to row $i$ of the stream", size=11, anchor="start")
    return Drawing(
        title="Cross-attention",
        says="Each row of the decoder's stream makes a query; the memory makes keys and values. "
        "The table of weights has a row for each target token and a column for each source word, "
        "and what is read is added to the stream.",
        panels=(canvas,),
        caption="Made-up scores. In blue what comes from the memory, in orange what belongs to "
        "the decoder.",
    )


def three_masks() -> Drawing:
    """Draw the masks of the three attentions for a short sentence in a batch."""
    source, target = [True, False, False], [True, True, True, False, False]
    read_source = ["9", *("pad" for word in source if not word)]
    read_target = ["BOS", "6", "7", *("pad" for word in target if not word)]
    panels = []
    for title, rows, columns, allowed in (
        ("of the encoder", read_source, read_source, [source] * 3),
        ("of the decoder", read_target, read_target,
         [[j <= i for j in range(5)] for i in range(5)]),
        ("across", read_target, read_source, [source] * 5),
    ):  # fmt: skip
        canvas, cell = Canvas(200, 214), 28.0
        canvas.text(46 + len(columns) * cell / 2, 12, title, size=12)
        values = [[1.0 if free else None for free in row] for row in allowed]
        canvas.grid(46, 56, values, cell=cell, look="lit", rows=rows, columns=columns)
        canvas.text(46, 32, f"[{len(rows)}, {len(columns)}]", size=11, anchor="start")
        panels.append(canvas)
    return Drawing(
        title="Three masks",
        says="For a source of one word padded to three, the encoder and the attention across may "
        "read the first column alone. The decoder may read everything up to its own place.",
        panels=tuple(panels),
        caption="Rows ask, columns are read; blue may be read, grey may not. The rows of padding "
        "are computed, and no loss and no word reads them.",
    )


def smoothed() -> Drawing:
    """Draw what the model is asked for: one-hot, and smoothed in three conventions."""
    answer, size, e = 2, 4, 0.3
    shares = {
        "one-hot": [0.0] * size,
        "all": [1 / size] * size,
        "others": [0.0 if v == answer else 1 / (size - 1) for v in range(size)],
        "no_padding": [0.0 if v in (0, answer) else 1 / (size - 2) for v in range(size)],
    }
    canvas = Canvas(344, 336)
    for number, (name, u) in enumerate(shares.items()):
        left, top = 8.0 + 176 * (number % 2), 172.0 * (number // 2)
        floor, kept = top + 134, 1.0 if name == "one-hot" else 1 - e
        q = [(kept if v == answer else 0.0) + e * share for v, share in enumerate(u)]
        canvas.text(left + 76, top + 10, name, size=12)
        canvas.line((left, floor), (left + 152, floor))
        for v, mass in enumerate(q):
            x = left + 6 + 38 * v
            if mass:
                canvas.box(x, floor - 96 * mass, 26, 96 * mass,
                           look="lit" if v == answer else "second")  # fmt: skip
            canvas.text(x + 13, floor - 96 * mass - 9, f"{mass:.3g}", size=11)
            canvas.text(x + 13, floor + 13, ("pad", "1", "$t$ = 2", "3")[v], size=11)
    return Drawing(
        title="One-hot and smoothed targets",
        says="One-hot asks for the right token alone. Smoothed by 0.3, a share goes to all four "
        "tokens, to the three others, or to the two others that are no padding.",
        panels=(canvas,),
        caption="The distribution q over four tokens. In blue the right one, in orange the others.",
    )


def printed_and_released() -> Drawing:
    """Draw a layer as the paper prints it and as the authors' code has it later."""
    panels = []
    for late in False, True:
        canvas, x = Canvas(210, 324), 40.0
        canvas.text(105, 12, "transformer_base_v2" if late else "as printed", size=12)
        part = canvas.box(90, 220, 108, 26, "attention", size=12)
        below = 314.0
        for number, name in enumerate(("attention", "MLP")):
            base = 296.0 - 128 * number
            layer = part if number == 0 else canvas.box(90, 92, 108, 26, name, size=12)
            if late:
                norm = canvas.box(122, base - 40 + 4, 44, 18, "LN", size=11, look="lit")
                canvas.arrow((x, base), (144, base), norm.bottom)
                canvas.arrow(norm.top, layer.bottom)
                canvas.dot(182, layer.center[1], 5, look="second")
            else:
                canvas.arrow((x, base), (144, base), layer.bottom)
            joins = layer.y - 18
            canvas.arrow(layer.top, (144, joins), (x + 8, joins))
            canvas.dot(92, joins, 5, look="second")
            canvas.line((x, below), (x, joins + 8))
            plus = canvas.box(x - 8, joins - 8, 16, 16, "+")
            below = plus.y
            if not late:
                norm = canvas.box(x - 22, joins - 32, 44, 18, "LN", size=11, look="lit")
                canvas.line(plus.top, norm.bottom)
                below = norm.y
        canvas.arrow((x, below), (x, 24))
        panels.append(canvas)
    return Drawing(
        title="As printed, and as most people know it",
        says="As printed, the norm follows the addition and dropout falls on the updates. In the "
        "later code the norm is before each layer, and dropout also falls on the attention weights "
        "and behind the ReLU.",
        panels=tuple(panels),
        caption="In blue the norms; each orange dot is a place of dropout. Not drawn: dropout "
        "behind the embeddings, in both, and the norm at the end of the later stack.",
    )


def one_layer_again() -> Drawing:
    """Draw two layers with weights of their own, and one layer used twice."""
    panels = []
    for title, names in ("two layers", ("layer 1", "layer 2")), ("one layer twice", ("layer 1",)):
        canvas, x = Canvas(200, 170), 70.0
        canvas.text(x, 12, title, size=12)
        if len(names) == 2:
            low = canvas.box(x - 44, 112, 88, 28, names[0], look="lit")
            high = canvas.box(x - 44, 58, 88, 28, names[1], look="second")
            canvas.arrow((x, 164), low.bottom)
            canvas.arrow(low.top, high.bottom)
            canvas.arrow(high.top, (x, 30))
        else:
            only = canvas.box(x - 44, 85, 88, 28, names[0], look="lit")
            canvas.arrow((x, 164), only.bottom)
            canvas.arrow(only.top, (x, 30))
            canvas.arrow((x, 56), (146, 56), (146, 140), (x + 3, 140), look="lit")
            canvas.text(152, 98, "again", size=11, anchor="start")
        panels.append(canvas)
    return Drawing(
        title="Two layers, and one layer twice",
        says="Two layers have weights of their own; one layer used twice has one set of weights "
        "and reads what it has written.",
        panels=tuple(panels),
    )


def _shape(canvas: Canvas, x: float, y: float, shape: str) -> None:
    """Write a shape beside an arrow that runs upwards at x."""
    canvas.text(x + 6, y, shape, size=11, anchor="start")


def _passed(
    canvas: Canvas, x: float, reads: Sequence[str], answers: Sequence[str], counts: Sequence[int]
) -> None:
    """Draw one pass of the decoder over a few tokens."""
    step, wide = 47.0, 43.0
    canvas.box(x, 92, step * len(reads) - 4, 32, "decoder" if len(reads) > 1 else "", size=12)
    for number, (token, answer) in enumerate(zip(reads, answers, strict=True)):
        at = x + step * number
        canvas.box(at, 154, wide, 24, token, size=11)
        canvas.arrow((at + wide / 2, 154), (at + wide / 2, 126))
        if number in counts:
            above = canvas.box(at, 40, wide, 24, answer, size=11, look="lit")
            canvas.arrow((at + wide / 2, 92), above.bottom, look="lit")
