"""Drawings of chapter 03.

What one head and two heads take comes from the example that is worked by hand,
`bottomup.data.by_hand`; accuracies come from the records.
"""

import math
from collections.abc import Sequence
from statistics import mean, stdev

import numpy as np

from bottomup import results
from bottomup.data import by_hand
from bottomup.drawings import Canvas, Drawing, Picture, left_open
from bottomup.drawings.engine.numbers import shades, signed, softmax_of_rows
from bottomup.drawings.engine.tables import column_names, percent, table
from bottomup.drawings.engine.words import middles, width
from bottomup.drawings.self_attention import (
    NAME,
    Layer,
    Matrix,
    attend,
    in_brackets,
    numbers,
    weights_times_values,
)

X = np.array([[0.9, 0.2, 0.6, 0.1], [0.3, 0.8, 0.1, 0.5], [0.6, 0.4, 0.9, 0.7]])  # d_model 4
SYMBOLS = list("kfpbmadtgeoc")  # of sixteen kinds, at twelve positions
LOOKS = "lit", "second"
MINUS = "\N{MINUS SIGN}"

ORDERS = ["cat", "ate", "meat", "it", "hungry"], ["meat", "ate", "cat", "it", "hungry"]
ATE = 1  # the row of *ate* in both
HEADS = {"early": by_hand.EARLY, "late": by_hand.LATE}
ADDED = np.hstack([np.eye(2), np.eye(2)])  # a W_O that adds what both heads took


def layer(words: Sequence[str], head: by_hand.Head, *, place: bool = False) -> Layer:
    """Return what a head makes of a sentence of the example."""
    x = by_hand.rows(*words, place=place)
    return attend(np.asarray(x.double().numpy()), head)


def takes(words: Sequence[str], head: by_hand.Head, *, place: bool = False) -> Matrix:
    """Return what *ate* takes of animal and food."""
    return layer(words, head, place=place).output[ATE, :2]


def scores_of_ate(made: Layer) -> Matrix:
    """Return the scores of *ate*, which the softmax turns into weights."""
    return np.asarray(made.dots[ATE] / math.sqrt(made.key.shape[1]))


def asks(kind: int) -> by_hand.Head:
    """Return chapter 02's first head, whose verbs ask for one thing: 0 an animal, 1 a food."""
    query = by_hand.FIRST.query.clone()
    query[[row for row in range(len(query)) if row != kind]] = 0
    return by_hand.FIRST._replace(query=query)


def side_by_side(words: Sequence[str]) -> Matrix:
    """Return what early and late take for *ate*: four numbers."""
    return np.concatenate([takes(words, head, place=True) for head in HEADS.values()])


def decimals(values: Matrix) -> list[str]:
    """Return how numbers are written of which none is whole."""
    return [signed(value, ".2f") for value in values]


def _one_head(words: Sequence[str], *, shown: bool) -> Canvas:
    """Return the weights of ate, the values of a sentence, and what ate takes."""
    made, wide, tall, left, top = layer(words, by_hand.FIRST), 50, 25, 146, 46
    canvas, low = Canvas(360, top + 5 * tall + 62), top + 5 * tall + 32
    canvas.row(middles(words, 2, 8, NAME), 9, words, size=NAME)
    ate = width(words[ATE], NAME) + 8
    canvas.box(54 - ate, top + ATE * tall + 1, ate, tall - 2, look="lit")
    weights_times_values(canvas, made, ATE, words, wide)
    canvas.note(left + 2 * wide + 10, top + 2.5 * tall, "values", anchor="start")
    canvas.arrow((left + wide, low - 30), (left + wide, low - 4))
    canvas.note(left + wide + 10, low - 17, "weight × value, added up", anchor="start")
    taken = made.output[ATE : ATE + 1, :2]
    table(canvas, left, low, shades(taken, 2) * shown, cell=(wide, tall), rows=["ate takes"],
          written=numbers(taken) if shown else [["?", "?"]])  # fmt: skip
    return canvas


def one_head(*, shown: bool = True) -> Drawing:
    panels = [_one_head(words, shown=shown or words is ORDERS[0]) for words in ORDERS]
    if not shown:
        first, second = (
            ", ".join(f"{word} {percent(share)}" for word, share in zip(
                words, layer(words, by_hand.FIRST).weights[ATE], strict=True))
            for words in ORDERS
        )  # fmt: skip
        return Picture("One head: what ate takes, the second time to fill in", *panels).says(
            f"In cat ate meat it hungry the weights of ate are {first}, and it takes "
            f"{in_brackets(takes(ORDERS[0], by_hand.FIRST))} of animal and food. In meat ate cat "
            f"it hungry they are {second}, and what ate takes holds question marks."
        )
    first, second = (in_brackets(takes(words, by_hand.FIRST)) for words in ORDERS)
    return Picture("One head: the same mean whoever eats", *panels).says(
        f"ate takes {first} of animal and food in cat ate meat it hungry, and {second} in "
        "meat ate cat it hungry. Who ate whom is lost."
    )


def _name_sentences(canvas: Canvas, end: float, y: float, tall: float) -> None:
    """Write both sentences left of two rows, each in two lines."""
    for n, words in enumerate(ORDERS):
        for line, part in enumerate((words[:3], words[3:])):
            middle = y + tall * (n + 0.5) + 15 * (line - 0.5)
            canvas.text(end, middle, " ".join(part), size=NAME, anchor="end")


def _of_both(
    canvas: Canvas, y: float, xs: Sequence[float], tables: Sequence[Matrix], *,
    cell: tuple[float, float],
) -> None:  # fmt: skip
    """Draw, from each of `xs` on, a table with a row for each of the two sentences."""
    _name_sentences(canvas, xs[0] - 8, y, cell[1])
    for x, pairs, look in zip(xs, tables, LOOKS, strict=True):
        table(canvas, x, y, shades(pairs, 2), cell=cell, look=look, written=numbers(pairs),
              columns=column_names()[:2])  # fmt: skip


def animal_and_food() -> Drawing:
    took = [np.array([takes(words, asks(kind)) for words in ORDERS]) for kind in range(2)]
    canvas, wide, tall, xs = Canvas(360, 144), 62, 36, (98, 234)
    canvas.text(90, 58, "ate takes", size=11, anchor="end", look="quiet")
    _of_both(canvas, 68, xs, took, cell=(wide, tall))
    for x, name in zip(xs, ("head 1 asks\nfor an animal", "head 2 asks\nfor a food"),
                       strict=True):  # fmt: skip
        canvas.text(x + wide, 22, name, size=12)
    first, second = (" and ".join(in_brackets(each[n]) for each in took) for n in range(2))
    return Picture("An animal and a food: two heads that lose the order", canvas).says(
        "One head asks for an animal, the other for a food. Of animal and food, ate takes "
        f"{first} in cat ate meat it hungry, and {second} in meat ate cat it hungry."
    )


def rows_with_place() -> Drawing:
    words, wide, tall, left, top = ORDERS[0], 50, 30, 54, 26
    x = layer(words, by_hand.EARLY, place=True).x
    five, place = x[:, :-1], x[:, -1:]
    canvas, names = Canvas(360, top + 5 * tall + 4), column_names(place=True)
    table(canvas, left, top, shades(five), cell=(wide, tall), written=numbers(five), rows=words,
          columns=names[:-1])  # fmt: skip
    table(canvas, left + 5 * wide, top, shades(place), cell=(wide, tall), look="second",
          written=numbers(place), columns=names[-1:])  # fmt: skip
    right, high, low = left + 6 * wide + 2, top + ATE * tall, top + (ATE + 1) * tall
    canvas.line((left - 3, high), (right, high), (right, low), (left - 2, low), (left - 2, high),
                look="lit")  # fmt: skip
    return Picture("A sixth column: the place", canvas).says(
        "The rows of cat ate meat it hungry, with a sixth column that counts the places: "
        + ", ".join(f"{word} {at:g}" for word, at in zip(words, place[:, 0], strict=True))
        + ". The row of ate is in a frame."
    )


def _early_and_late(words: Sequence[str], *, shown: bool) -> Canvas:
    """Return scores, weights and what is taken by both heads."""
    left, tall, top, score, weight = 56, 25, 64, 44, 50
    xs, low = (left, left + score + weight + 10), top + 5 * tall + 42
    canvas = Canvas(360, low + 32)
    canvas.row(middles(words, 2, 8, NAME), 9, words, size=NAME)
    ate = width(words[ATE], NAME) + 8
    canvas.box(left - 4 - ate, top + ATE * tall + 1, ate, tall - 2, look="lit")
    names = column_names()[:2]
    for h, (name, head) in enumerate(HEADS.items()):
        made, x = layer(words, head, place=True), xs[h]
        weights, taken = made.weights[ATE][:, None], made.output[ATE : ATE + 1, :2]
        middle = x + (score + weight) / 2
        canvas.text(middle, top - 28, name, size=NAME)
        table(canvas, x, top, [[0.0]] * 5, cell=(score, tall), look=LOOKS[h],
              written=[[signed(each)] for each in scores_of_ate(made)], columns=["score"],
              rows=words if h == 0 else ())  # fmt: skip
        table(canvas, x + score, top, weights * shown, cell=(weight, tall), look=LOOKS[h],
              written=[[percent(share) if shown else "?"] for share in weights[:, 0]],
              columns=["weight"])  # fmt: skip
        canvas.arrow((middle, top + 5 * tall), (middle, low - 19), look=LOOKS[h])
        table(canvas, x, low, shades(taken, 2) * shown, cell=((score + weight) / 2, 28),
              written=numbers(taken) if shown else [["?", "?"]], look=LOOKS[h], columns=names,
              rows=["ate\ntakes"] if h == 0 else ())  # fmt: skip
    x = xs[1] + score + weight + 10
    canvas.text(x + 44, top - 28, "values", size=NAME)
    table(canvas, x, top, shades(made.value), cell=(44, tall), written=numbers(made.value),
          columns=names)  # fmt: skip
    canvas.note(x + 4, low + 14, "weight × value,\nadded up", anchor="start")
    return canvas


def early_and_late(*, shown: bool = True) -> Drawing:
    panels = [_early_and_late(words, shown=shown) for words in ORDERS]
    if not shown:
        first, second = (
            " and the late head ".join(
                ", ".join(map(signed, scores_of_ate(layer(words, head, place=True))))
                for head in HEADS.values()
            )
            for words in ORDERS
        )
        return Picture("Early and late: the scores of ate", *panels).says(
            f"For ate in cat ate meat it hungry, the early head has the scores {first}. In "
            f"meat ate cat it hungry, the early head has {second}. Weights and what ate takes hold "
            "question marks."
        )
    first, second = (
        " with the early head and ".join(
            in_brackets(takes(words, head, place=True)) for head in HEADS.values()
        )
        for words in ORDERS
    )
    return Picture("Early and late: two heads tell who comes first", *panels).says(
        f"In cat ate meat it hungry, ate takes of animal and food {first} with the late "
        f"one. In meat ate cat it hungry, it takes {second} with the late one."
    )


def who_eats() -> Drawing:
    fours = np.array([side_by_side(words) for words in ORDERS])
    less = by_hand.EARLY_LESS_LATE.double().numpy()
    canvas, top, low, wide, tall, xs = Canvas(360, 286), 46, 190, 62, 36, (98, 234)
    end, under = xs[1] + 2 * wide, top + 2 * tall + 8
    eats = column_names()[by_hand.COLUMNS.index("eats")]
    _of_both(canvas, top, xs, (fours[:, :2], fours[:, 2:]), cell=(wide, tall))
    _name_sentences(canvas, xs[0] - 8, low, tall)
    canvas.line((xs[0], under), (end, under))
    canvas.text(90, top - 10, "ate takes", size=11, anchor="end", look="quiet")
    for x, head, name, matrix, left in zip(
        xs, HEADS, ("$W_O$: early + late", f"$W_O$: early {MINUS} late"), (ADDED, less),
        ("who eats is lost", "who eats is kept"), strict=True,
    ):  # fmt: skip
        canvas.text(x + wide, 12, head, size=NAME)
        canvas.arrow((x + wide, under), (x + wide, low - 38))
        canvas.text(x + wide, low - 28, name, size=NAME)
        made = fours @ matrix.T
        for (n, j), value in np.ndenumerate(made):
            at, y = x + j * wide, low + n * tall
            look = "second" if value < 0 else "lit" if matrix is less else ""
            table(canvas, at, y, shades(made[n : n + 1, j : j + 1], 3), cell=(wide, tall),
                  look=look, written=[[""]],
                  columns=column_names()[j : j + 1] if n == 0 else ())  # fmt: skip
            told = [eats if value > 0 else "is eaten"] if matrix is less else []
            lines = decimals(made[n, j : j + 1]) + told
            for line, words in enumerate(lines):
                middle = y + tall / 2 + 14 * (line - (len(lines) - 1) / 2)
                canvas.text(at + wide / 2, middle, words, size=12)
        canvas.text(x + wide, low + 2 * tall + 14, left, size=12)
    sums, lesses = (
        [f"({', '.join(decimals(matrix @ four))})" for four in fours] for matrix in (ADDED, less)
    )
    return Picture("W_O decides whether the difference survives", canvas).says(
        f"Side by side, the heads hold {in_brackets(fours[0])} in cat ate meat it hungry and "
        f"{in_brackets(fours[1])} in meat ate cat it hungry. Added, they make {sums[0]} and "
        f"{sums[1]}: who eats is lost. Early less late makes {lesses[0]} and {lesses[1]}: a plus "
        "says eats, a minus says is eaten."
    )


def split_and_merge() -> Drawing:
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
    return Picture("Multi-head attention", canvas).says(
        "Queries, keys and values are made of the whole X; their columns are cut into two "
        "heads. Each head has a table of weights of its own and takes its own columns of the "
        "values. What the heads take is put side by side and projected once more."
    )


def _numbers(canvas: Canvas, x: float, rows: Matrix, looks: Matrix) -> None:
    """Write a table of numbers; `looks` says to which head each belongs, -1 to none."""
    for head, look in enumerate(LOOKS):
        places = [(int(i), int(j)) for i, j in np.argwhere(looks == head)]
        canvas.cells(x, 24, places, cell=24, look=look, part=0.5)
    empty = [[0.0] * rows.shape[1]] * rows.shape[0]
    written = [[f"{value:.0f}" for value in row] for row in rows]
    canvas.grid(x, 24, empty, cell=24, look="", written=written)


def _cut(cut: Matrix, looks: Matrix) -> Canvas:
    """Return four words of six numbers, and the heads, one behind the other, that a cut makes."""
    canvas, numbers = Canvas(360, 124), np.arange(24.0).reshape(4, 6)
    for i in range(4):
        canvas.text(40, 36 + 24 * i, f"word {i + 1}", size=11.5, anchor="end")
    _numbers(canvas, 46, numbers, looks)
    for h in range(len(cut)):
        canvas.text(244 + 80 * h, 10, f"head {h + 1}", size=12.5)
        _numbers(canvas, 208 + 80 * h, cut[h], np.full((4, 3), h))
    return canvas


def cut_by_columns() -> Drawing:
    heads = np.arange(24.0).reshape(4, 2, 3).transpose(1, 0, 2)
    return Picture("Cut by columns", _cut(heads, np.tile([0, 0, 0, 1, 1, 1], (4, 1)))).says(
        "Four words have six numbers each, from 0 to 23. Head 1 gets the first three columns, "
        "head 2 the last three: of each word a half."
    )


def cut_in_memory() -> Drawing:
    first = np.arange(12.0).reshape(1, 4, 3)
    return Picture(
        "Cut as the numbers follow each other",
        _cut(first, np.repeat([0, 0, -1, -1], 6).reshape(4, 6)),
    ).says(
        "A reshape alone gives head 1 the numbers from 0 to 11: all six of the first word, "
        "and all six of the second."
    )


def sum_of_heads() -> Drawing:
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
    return Picture("The output is a sum over heads", canvas).says(
        "Each head has a block of the columns of W_O of its own. It maps what the head "
        "takes to the width of the model, and the results are added."
    )


def cost(*, shown: bool = True) -> Drawing:
    canvas, wide, side = Canvas(360, 180 if shown else 142), 96, 24
    for number, h in enumerate((1, 2, 4)):
        middle = 55 + 125 * number
        canvas.text(middle, 8, f"{h} head{'s' * (h > 1)}", size=12.5)
        rows = f"{64 // h} rows each" if h > 1 else "64 rows"
        canvas.text(middle, 27, f"$W_Q$: {rows}", size=11)
        canvas.text(middle, 128, f"{h} × $n^2$ scores" if shown else "? scores", size=11.5)
        for k in range(h):
            look = LOOKS[k % 2]
            canvas.box(middle - wide / 2, 40 + k * 72 / h, wide, 72 / h, look=look)
            if not shown:
                continue
            x = middle - (side + 3) * h / 2 + k * (side + 3) + 1.5
            canvas.grid(x, 146, [[0.5] * 3] * 3, cell=side / 3, look=look)
    if not shown:
        return Picture("One matrix, cut for 1, 2 and 4 heads", canvas).says(
            "With 1, 2 or 4 heads the matrix has the same 64 rows of width 64, only cut into "
            "more pieces. The number of scores is a question mark."
        )
    return Picture("What heads cost", canvas).says(
        "With 1, 2 or 4 heads the matrix has the same 64 rows of width 64, only cut into more "
        "pieces. The tables of scores keep their size and become as many as there are heads."
    )


def pair_task() -> Drawing:
    canvas, asked = Canvas(360, 134), (7, 2)
    xs = [24.0 + 28 * i for i in range(12)]
    canvas.row(xs, 9, [str(i) for i in range(12)], size=11)
    looks = [LOOKS[asked.index(i)] if i in asked else "" for i in range(12)]
    boxes = canvas.boxes(xs, 20, 24, 24, SYMBOLS, look=looks)
    canvas.text(10, 108, f"asked: {asked[0]}, then {asked[1]}", size=12.5, anchor="start")
    for slot, (position, look) in enumerate(zip(asked, LOOKS, strict=True)):
        x, y = 200.0 + 92 * slot, 62.0 + 10 * (1 - slot)
        answer = canvas.box(x - 14, 96, 28, 24, SYMBOLS[position], look=look)
        start = boxes[position].bottom
        bent = [(start[0], y), (x, y)] if start[0] != x else []
        canvas.arrow(start, *bent, answer.top, look=look)
        canvas.text(x + 20, 108, ("first", "second")[slot], size=11.5, anchor="start")
    return Picture("Two symbols, in order", canvas).says(
        "Twelve positions hold symbols. A question names position 7, then position 2. The "
        "answer has two slots: first the symbol at position 7, then the symbol at position 2."
    )


def both_diagonals() -> Drawing:
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
    return Picture("One head, two symbols, four pairs", *panels).says(
        "For the second slot the pairs of equal symbols give (w_a + w_b) Δ > 0 and the pairs "
        "of different ones (w_b - w_a) Δ > 0, so w_b > w_a. For the first slot, with a table and a "
        "Δ of its own, the same gives w_a > w_b. One row of weights cannot be both."
    )


def prune() -> Drawing:
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
    return Picture("Removing a head", canvas).says(
        "Head 2 of three owns the middle rows of W_Q, W_K and W_V and the middle columns of "
        "W_O. Cut out, they take one term out of the sum over heads, and the other two terms stay "
        "what they were."
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
    return Picture("How many heads, for two tasks", canvas).says(
        f"Pronouns are named alike with 1 head, {by['1']:.2f}, and with 64, {by['64']:.2f}. Pairs "
        f"are answered in {by['p1']:.2f} of the questions with one head, {by['p2']:.2f} with two, "
        f"{by['p64']:.2f} with 64, and {by['p64, wide v']:.2f} with 64 whose values have width 4."
    )


def keys_in_a_row() -> Drawing:
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
    return Picture("Keys of width 1", *panels).says(
        "Five keys stand in a row. A positive query gives most weight to the right end, a "
        "negative one to the left end; no query makes the one in the middle stand out."
    )


one_head_open = left_open(one_head)
early_and_late_open = left_open(early_and_late)
cost_open = left_open(cost)
