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
        joins = canvas.plus(x, 72)
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
        canvas, unit, (x, y) = Canvas(190, 176, name), 13.0, (52.0, 142.0)
        right, up = x + unit * place, y - unit * factor
        canvas.arrow((x, y), (right, y), look="second")
        canvas.arrow((right, y), (right, up), look="lit")
        canvas.arrow((x, y), (right, up))
        canvas.text((x + right) / 2, 158, f"place {place:.2f}", size=11)
        canvas.text(right + 6, (y + up) / 2, f"word {factor:.0f}", size=11, anchor="start")
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
    panels, xs, words = [], [95 + 46.0 * place for place in range(4)], ["21", "22", "23"]
    asked = [*words, "EOS"]
    for title, reads, below, above in (
        ("shifted right", ["BOS", *words], "", "lit"),
        ("not shifted", asked, "second", "second"),
    ):
        canvas = Canvas(280, 202)
        canvas.text(166, 12, title, size=12)
        canvas.text(66, 178, "target_in", size=11, anchor="end")
        canvas.boxes(xs, 166, 42, 24, reads, size=12, look=below)
        canvas.text(66, 42, "target_out", size=11, anchor="end")
        canvas.boxes(xs, 30, 42, 24, asked, size=12, look=above)
        canvas.box(74, 96, 180, 28, "decoder, causal", size=12)
        if below:  # nothing holds the token back
            for x in xs:
                canvas.line((x, 165), (x, 124), look=below)
        else:
            canvas.arrows(xs, 165, 126)
        canvas.arrows(xs, 96, 55, look=above)
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
    train = Canvas(200, 210, "training: one pass")
    write = Canvas(330, 210, "in use: a pass for each token")
    _passed(train, 8, written, TARGET)
    x = 4.0
    for number in range(1, 4):
        _passed(write, x, written[:number], TARGET[number - 1 : number])
        x += 47 * number + 12
        if number < 3:
            below = x + 47 * number + 21.5
            write.arrow((x - 16, 52), (x - 10, 52), (x - 10, 194), (below, 194), (below, 178),
                        look="second")  # fmt: skip
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
        canvas.grid(left + number * cell + 7.5, 44, [[0.5], [0.5]], cell=18)
    wide = 5 * cell + 8
    canvas.box(left - 4, 86, wide, 20, "keys $k_j$ = $W_K z_j$", size=11, look="lit")
    values = canvas.box(left - 4, 276, wide, 20, "values $v_j$ = $W_V z_j$", size=11, look="lit")
    read = canvas.box(left - 4, 320, wide, 24, "$u_i$ = $W_O$ Σ $α_{ij} v_j$", size=12)
    grid = canvas.grid(left, top + 4, weights, cell=cell, look="", written=".1f")
    canvas.chain(grid, values, read)
    canvas.text(30, 100, "stream $Y$", size=11)
    for number, word in enumerate(TARGET):
        y = top + 4 + (number + 0.5) * cell
        canvas.text(46, y, word, size=11, anchor="end")
        canvas.arrow((50, y), (74, y), look="second")
        canvas.text(88, y, f"$q_{number + 1}$", size=12)
        canvas.arrow((98, y), (left - 2, y), look="second")
    for number, words in enumerate(("weights", "$α_{ij}$", "[$T_y$, $T_x$]")):
        canvas.text(left + 5 * cell + 6, top + 46 + 18 * number, words, size=11, anchor="start")
    canvas.arrow((left + 5 * cell, 62), (342, 62), (342, 286), values.right, look="lit")
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
        canvas.text(left + 76, top + 10, name, size=12)
        canvas.line((left, floor), (left + 152, floor))
        for v, share in enumerate(u):
            mass = (kept if v == answer else 0.0) + e * share
            canvas.column(left + 6 + 38 * v, floor, 26, 96 * mass, f"{mass:.3g}",
                          look="lit" if v == answer else "second")  # fmt: skip
        names = "pad", "1", "$t$ = 2", "3"
        canvas.row([left + 19 + 38 * v for v in range(size)], floor + 13, names, size=11)
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
        canvas, x = Canvas(210, 324, "transformer_base_v2" if late else "as printed"), 40.0
        below = 314.0
        for name, base in ("attention", 296.0), ("MLP", 168.0):
            layer = canvas.box(90, base - 76, 108, 26, name, size=12)
            joins = layer.y - 18
            if late:
                norm = canvas.box(122, base - 36, 44, 18, "LN", size=11, look="lit")
                canvas.chain(norm, layer)
                canvas.dot(182, layer.center[1], 5, look="second")
            plus = canvas.beside(x, (below, base, joins), layer, norm if late else layer)
            canvas.dot(92, joins, 5, look="second")
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


def _passed(canvas: Canvas, x: float, reads: Sequence[str], answers: Sequence[str]) -> None:
    """Draw one pass of the decoder over a few tokens, with the answers of the last of them."""
    xs = [x + 21.5 + 47.0 * number for number in range(len(reads))]
    canvas.box(x, 92, 47.0 * len(reads) - 4, 32, "decoder" if len(reads) > 1 else "", size=12)
    canvas.boxes(xs, 154, 43, 24, reads, size=11)
    canvas.arrows(xs, 154, 126)
    canvas.boxes(xs[-len(answers) :], 40, 43, 24, answers, size=11, look="lit")
    canvas.arrows(xs[-len(answers) :], 92, 64, look="lit")
