"""Drawings of chapter 03."""

import math
from collections.abc import Sequence
from statistics import mean, stdev

import numpy as np

from bottomup import results
from bottomup.drawings import Canvas, Drawing
from bottomup.drawings.engine.numbers import shades, signed, softmax_of_rows

X = np.array([[0.9, 0.2, 0.6, 0.1], [0.3, 0.8, 0.1, 0.5], [0.6, 0.4, 0.9, 0.7]])  # d_model 4
LOOKS = "lit", "second"
CAT, MEAT = np.array([1.0, 0]), np.array([0, 1.0])
MINUS = "\N{MINUS SIGN}"


def one_mean() -> Drawing:
    """Draw what one head and what two heads read in a sentence and in its reverse."""
    orders = [("cat", "meat"), ("meat", "cat")]
    values = {"cat": CAT, "meat": MEAT}
    panels = []
    for heads, title in (([(0.5, 0.5)], "one head: one mean"),
                         ([(1.0, 0.0), (0.0, 1.0)], "two heads, side by side")):  # fmt: skip
        canvas, cell = Canvas(346, 176), 28
        canvas.text(0, 8, title, size=12.5, anchor="start")
        for number, order in enumerate(orders):
            y = 46 + 76 * number
            canvas.row((68, 140), y - 14, ("eater", "eaten"), size=11, look="quiet")
            words = canvas.boxes((68, 140), y, 56, 26, order)
            read = np.array(heads) @ np.array([values[word] for word in order])
            for h, head in enumerate(heads):
                x, down = 346 - 2 * cell * (len(heads) - h), y + 36 + 8 * h
                canvas.grid(x, y - 1, read[h : h + 1], cell=cell, look=LOOKS[h], written=".1f")
                for word, weight in zip(words, head, strict=True):
                    if weight:
                        at, to = word.center[0], x + cell
                        canvas.arrow((at, y + 26), (at, down), (to, down), (to, y + cell - 1),
                                     look=LOOKS[h])  # fmt: skip
        panels.append(canvas)
    return Drawing(
        title="One reading and two",
        says="With half of its weight on each, one head reads the same mean of cat and meat "
        "whichever of them eats. Two heads, one on the eater and one on the eaten, put two "
        "readings side by side, and the two sentences differ.",
        panels=tuple(panels),
    )


def hops() -> Drawing:
    """Draw how r rows of weights over the states make r readings."""
    words = ["the", "cat", "ate", "the", "meat", "."]
    # A state has a number each for article, animal, action, thing.
    states = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1],
                       [0, 0, 0, 0.0]])  # fmt: skip
    looks_for = 3 * np.array([[0, 1.0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]])  # W_{s2} times W_{s1}
    weights = softmax_of_rows(looks_for @ np.tanh(states).T)
    read = weights @ states
    canvas, cell, left = Canvas(360, 250), 34, 50
    xs = [left + (j + 0.5) * cell for j in range(len(words))]
    canvas.row(xs, 16, words, size=12)
    canvas.arrows(xs, 24, 38)
    for x, state in zip(xs, states, strict=True):
        canvas.grid(x - 6, 40, state[:, None], cell=12, look="")
    canvas.arrows(xs, 88, 110)
    canvas.grid(left, 112, weights, cell=cell, written=".2f", rows=["hop 1", "hop 2", "hop 3"])
    canvas.text(left - 8, 64, "$H$", size=13, anchor="end")
    small, right = 16, 360 - 4 * 16
    for i in range(3):
        y = 112 + (i + 0.5) * cell
        canvas.arrow((left + 6 * cell, y), (right - 2, y))
        canvas.grid(right, y - small / 2, read[i : i + 1], cell=small)
    canvas.text(left + 3 * cell, 232, "$A$ [hop, position]", size=12)
    canvas.text(right + 2 * small, 232, "$M = AH$", size=12)
    canvas.note(right + 2 * small, 98, "[hop, d_state]")
    return Drawing(
        title="Three hops over six states",
        says="Each hop is one row of weights over all states of the sentence, and each row makes "
        "one reading, a row of M. All rows are computed at once; none asks with a word of the "
        "sentence, each looks for what its learned row looks for.",
        panels=(canvas,),
    )


def split_and_merge() -> Drawing:
    """Draw two heads: project, split the columns, attend, merge, project."""
    draw = np.random.default_rng(4)
    maps = {name: draw.normal(size=(4, 4)) for name in "QKVO"}
    made = {name: X @ maps[name].T for name in "QKV"}
    canvas, cell, middle, xs = Canvas(360, 480), 14, 180, (58, 180, 302)
    x = canvas.grid(middle - 28, 22, shades(X), cell=cell, look="")
    canvas.note(middle, 10, "three words")
    for y, words in (
        (43, "$X$ [position, d_model]"),
        (387, "merged, side by side"),
        (453, "output [position, d_model]"),
    ):
        canvas.text(middle + 38, y, words, size=11.5, anchor="start")
    for name, center in zip("QKV", xs, strict=True):
        bent = [(middle, 72), (center, 72)] if center != middle else []
        canvas.arrow(x.bottom, *bent, (center, 88))
        canvas.text(center + 8, 79, f"$W_{name}^⊤$", size=11.5, anchor="start")
        for h, look in enumerate(LOOKS):
            cut = shades(made[name])[:, 2 * h : 2 * h + 2]
            canvas.grid(center - 28 + 2 * cell * h, 90, cut, cell=cell, look=look)
        canvas.text(center - 34, 111, f"${name}$", size=12.5, anchor="end")
    heads = []
    for h, look in enumerate(LOOKS):
        center, own, bus = 92 + 176 * h, slice(2 * h, 2 * h + 2), 143 + 7 * h
        halves = [at - cell + 2 * cell * h for at in xs]
        for half in halves:
            canvas.line((half, 133), (half, bus), look=look)
        canvas.line((halves[0], bus), (halves[-1], bus), look=look)
        canvas.arrow((center, bus), (center, 164), look=look)
        q, k, v = (made[name][:, own] for name in "QKV")
        weights = softmax_of_rows(q @ k.T / math.sqrt(2))
        heads.append(weights @ v)
        names = ", ".join(f"${name}_{h + 1}$" for name in "QKV")
        canvas.text(center, 173, f"head {h + 1}: {names}", size=12.5)
        canvas.arrow((center, 182), (center, 200))
        canvas.grid(center - 27, 202, weights, cell=18, look=look)
        canvas.text(center, 266, "weights [query, key]", size=11)
        canvas.arrow((center, 274), (center, 292))
        canvas.text(center + 8, 282, f"times $V_{h + 1}$", size=11.5, anchor="start")
        canvas.grid(center - cell, 294, shades(heads[-1]), cell=cell, look=look)
        canvas.text(center + 22, 315, f"head$_{h + 1}$", size=12, anchor="start")
        to = middle - cell + 2 * cell * h
        canvas.arrow((center, 336), (center, 348), (to, 348), (to, 364), look=look)
        canvas.grid(to - cell, 366, shades(heads[-1]), cell=cell, look=look)
    canvas.arrow((middle, 408), (middle, 430))
    canvas.text(middle + 8, 418, "times $W_O^⊤$", size=11.5, anchor="start")
    canvas.grid(middle - 28, 432, shades(np.hstack(heads) @ maps["O"].T), cell=cell, look="")
    return Drawing(
        title="Multi-head attention",
        says="Queries, keys and values are made of the whole X; their columns are cut into two "
        "heads. Each head has a table of weights of its own and reads its own columns of the "
        "values. What the heads read is put side by side and projected once more.",
        panels=(canvas,),
    )


def sum_of_heads() -> Drawing:
    """Draw the output as a sum over heads, each through its block of columns of W_O."""
    draw = np.random.default_rng(2)
    canvas, cell = Canvas(360, 186), 14
    d_value, d_model = 3, 4
    read, maps = np.abs(draw.normal(size=(2, d_value))), draw.normal(size=(2, d_value, d_model))
    added = np.einsum("hv,hvm->hm", read, maps)
    strong = shades(added)
    canvas.note(0, 8, "one position", anchor="start")
    for h, look in enumerate(LOOKS):
        y, own = 38 + 84 * h, slice(h, h + 1)
        canvas.text(38, y - 6, f"head$_{h + 1}$", size=12)
        canvas.grid(38 - 1.5 * cell, y + 12, shades(read[own]), cell=cell, look=look)
        block = canvas.grid(118, y - 2, shades(maps[h]), cell=cell, look=look)
        canvas.text(block.center[0], y - 12, f"$W_{{O,{h + 1}}}^⊤$", size=12)
        canvas.arrow((62, y + 19), block.left)
        part = canvas.grid(216, y + 12, strong[own], cell=cell, look=look)
        canvas.chain(block, part)
        canvas.arrow(part.right, (290, y + 19), (290, 92 if h == 0 else 106), look=look)
    canvas.text(290, 99, "+", size=15)
    canvas.arrow((297, 99), (306, 99))
    total = shades(added.sum(axis=0, keepdims=True), np.abs(added).max())
    canvas.grid(308, 93, total, cell=12, look="")
    canvas.text(332, 117, "output", size=12)
    return Drawing(
        title="The output is a sum over heads",
        says="Each head has a block of the columns of W_O of its own. It maps what the head has "
        "read to the width of the model, and the results are added.",
        panels=(canvas,),
    )


def cost() -> Drawing:
    """Draw what more heads cut, and what they multiply."""
    canvas, wide, side = Canvas(360, 180), 96, 24
    for number, h in enumerate((1, 2, 4)):
        middle = 55 + 125 * number
        canvas.text(middle, 8, f"{h} head{'s' * (h > 1)}", size=12.5)
        rows = f"{64 // h} rows each" if h > 1 else "64 rows"
        canvas.text(middle, 27, f"$W_Q$: {rows}", size=11)
        canvas.text(middle, 128, f"{h} × $n^2$ scores", size=11.5)
        for k in range(h):
            look = LOOKS[k % 2]
            canvas.box(middle - wide / 2, 40 + k * 72 / h, wide, 72 / h, look=look)
            x = middle - (side + 3) * h / 2 + k * (side + 3) + 1.5
            canvas.grid(x, 146, [[0.5] * 3] * 3, cell=side / 3, look=look)
    return Drawing(
        title="What heads cost",
        says="With 1, 2 or 4 heads the matrix has the same 64 rows of width 64, only cut into more "
        "pieces. The tables of scores keep their size and become as many as there are heads.",
        panels=(canvas,),
    )


def both_diagonals() -> Drawing:
    """Draw the proof of section 7: four pairs, and two subtractions for each slot."""
    panels = []
    for slot, more, less, one, two in (
        ("second", "b", "a", "t", "u"),
        ("first", "a", "b", "u", "t"),
    ):
        canvas, wide, tall, left, top = Canvas(346, 346), 116, 54, 86, 80
        xs = [left + wide / 2 + j * (wide + 10) for j in range(2)]
        canvas.text(0, 8, f"The {slot} slot", size=13, anchor="start")
        canvas.text(0, 30, "$D(p, q)$ = $w_a g_p + w_b g_q + c$", size=12.5, anchor="start")
        canvas.row(xs, 66, ("second: $t$", "second: $u$"), size=12)
        for i, p in enumerate("tu"):
            y = top + i * (tall + 10)
            canvas.text(left - 10, y + tall / 2, f"first: ${p}$", size=12, anchor="end")
            wants = "tu" if slot == "second" else p + p
            words = [f"wants ${want}$:\n$D({p}, {q})$ {'>' if want == 'u' else '<'} 0"
                     for q, want in zip("tu", wants, strict=True)]  # fmt: skip
            looks = ["lit" if p != q else "second" for q in "tu"]
            canvas.boxes(xs, y, wide, tall, words, look=looks)
        lines = [
            ("second", f"$D(u, u)$ {MINUS} $D(t, t)$ = $(w_a + w_b) Δ$ > 0"),
            ("lit", f"$D({one}, {two})$ {MINUS} $D({two}, {one})$"),
            ("", f"= $w_a g_{one} + w_b g_{two}$ {MINUS} $w_a g_{two}$ {MINUS} $w_b g_{one}$"),
            ("", f"= $(w_{more} {MINUS} w_{less}) Δ$ > 0"),
        ]
        for number, (look, words_of_line) in enumerate(lines):
            line = top + 2 * tall + 34 + 23 * number
            if look:
                canvas.dot(5, line, 4, look=look)
            canvas.text(16, line, words_of_line, size=12.5, anchor="start")
        canvas.text(0, 326, f"$Δ$ > 0, so $w_{more}$ > $w_{less}$", size=13.5, anchor="start")
        panels.append(canvas)
    return Drawing(
        title="One head, two symbols, four pairs",
        says="For the second slot the pairs of equal symbols give (w_a + w_b) Δ > 0 and the pairs "
        "of different ones (w_b - w_a) Δ > 0, so w_b > w_a. For the first slot, with a table and a "
        "Δ of its own, the same gives w_a > w_b. One row of weights cannot be both.",
        panels=tuple(panels),
    )


def prune() -> Drawing:
    """Draw which rows and columns belong to one of three heads."""
    canvas, looks, rows, columns, x = Canvas(360, 178), ("", "second", ""), 72, 96, 256
    names = [f"$W_{name}$" for name in "QKVO"]
    canvas.row((38, 116, 194, x + columns / 2), 10, names, size=12.5)
    for h, look in enumerate(looks):
        canvas.boxes((38, 116, 194), 24 + h * rows / 3, 60, rows / 3, look=look)
        canvas.box(x + h * columns / 3, 24, columns / 3, rows, look=look)
    canvas.text(125, 112, "rows of head 2", size=12)
    canvas.text(x + columns / 2, 112, "columns of head 2", size=12)
    terms = [f"head$_{h + 1}$ $W_{{O,{h + 1}}}^⊤$" for h in range(3)]
    canvas.boxes((52, 160, 268), 142, 92, 28, terms, size=12, look=looks)
    canvas.row((106, 214), 156, "++")
    return Drawing(
        title="Removing a head",
        says="Head 2 of three owns the middle rows of W_Q, W_K and W_V and the middle columns of "
        "W_O. Cut out, they take one term out of the sum over heads, and the other two terms stay "
        "what they were.",
        panels=(canvas,),
    )


def _dots(
    canvas: Canvas, title: str, points: Sequence[tuple[str, Sequence[float]]], *,
    y: float, look: str, apart: int = 0,
) -> None:  # fmt: skip
    """Draw a mean with its spread for each number of heads, on an axis from 0 to 1."""
    left, wide, tall = 40.0, 312.0, 96.0
    canvas.text(0, y, title, size=12.5, anchor="start")
    base = y + 22 + tall

    def height(value: float) -> float:
        return base - tall * value

    for tick in (0, 0.5, 1):
        canvas.text(left - 6, height(tick), f"{tick:g}", size=11, anchor="end")
        canvas.line((left, height(tick)), (left + wide, height(tick)), look="quiet")
    for number, (name, values) in enumerate(points):
        x = left + wide * (number + 0.5) / len(points)
        center, spread = mean(values), stdev(values)
        last = number >= len(points) - apart
        mark = "second" if last else look
        canvas.line((x, height(center - spread)), (x, height(min(1, center + spread))), look=mark)
        canvas.dot(x, height(center), 4, look=mark)
        canvas.text(x, base + 14, name, size=11.5)


def heads_and_tasks() -> Drawing:
    """Draw accuracy by the number of heads, for the two tasks of the record."""
    record = results.load("multi_head_attention.json")
    pairs = results.load("multi_head_attention_retrieval.json")
    named = [(str(h), record.metric(f"heads_{h}.accuracy")) for h in record.config["heads"]]
    asked = [(str(h), pairs.metric(f"{h}_linear.both")) for h in (1, 2, 4, 32, 64)]
    asked.append(("64, wide v", pairs.metric("64_linear_v4.both")))
    canvas = Canvas(360, 322)
    _dots(canvas, "pronouns named rightly", named, y=8, look="")
    _dots(canvas, "both symbols answered", asked, y=164, look="lit", apart=1)
    canvas.note(196, 314, "heads")
    by = {name: mean(values) for name, values in (*named, *((f"p{n}", v) for n, v in asked))}
    return Drawing(
        title="How many heads, for two tasks",
        says=f"Pronouns are named alike with 1 head, {by['1']:.2f}, and with 64, {by['64']:.2f}. "
        f"Pairs are answered in {by['p1']:.2f} of the questions with one head, {by['p2']:.2f} with "
        f"two, {by['p64']:.2f} with 64, and {by['p64, wide v']:.2f} with 64 whose values have "
        "width 4.",
        panels=(canvas,),
    )


def keys_in_a_row() -> Drawing:
    """Draw what a head with keys of width 1 can ask for."""
    keys, xs = np.array([-2.0, -1, 0, 1, 2]), [20 + 30 * i for i in range(5)]
    panels = []
    for query in (1.5, -1.5):
        weights = softmax_of_rows(query * keys)
        canvas = Canvas(160, 132)
        canvas.text(80, 8, f"$q$ = {signed(query)}", size=12.5)
        for x, weight in zip(xs, weights, strict=True):
            top = 97 - 62 * float(weight)
            canvas.line((x, 97), (x, top), look="lit")
            canvas.dot(x, top, 4, look="lit")
        canvas.row(xs, 113, map(signed, keys), size=11.5)
        canvas.line((8, 97), (152, 97))
        most, end = weights.max(), xs[int(weights.argmax())]
        aside = 6 if end == xs[0] else -6
        canvas.text(end + aside, 86 - 62 * float(most), f"{most:.2f}", size=11.5)
        canvas.note(80, 127, "keys of width 1")
        panels.append(canvas)
    return Drawing(
        title="Keys of width 1",
        says="Five keys stand in a row. A positive query gives most weight to the right end, a "
        "negative one to the left end; no query makes the one in the middle stand out.",
        panels=tuple(panels),
    )
