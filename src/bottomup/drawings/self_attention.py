"""Drawings of chapter 02.

Every number comes from the example that is worked by hand, `bottomup.data.by_hand`.
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bottomup.data import by_hand
from bottomup.drawings import Canvas, Drawing, Picture, left_open
from bottomup.drawings.engine.numbers import shades, signed, softmax_of_rows
from bottomup.drawings.engine.tables import column_names, percent, table
from bottomup.drawings.engine.words import middles
from bottomup.explorables import Explorable

Matrix = NDArray[np.float64]

SENTENCE = "the cat ate the meat because it was hungry".split()
WORDS = {last: ["cat", "ate", "meat", "it", last] for last in by_hand.LAST}
IT, LAST = 3, 4  # rows of the sentence
WHICH = "first sentence", "second sentence"
NAME = 12.5  # size of a name


class Layer(NamedTuple):
    """What a layer makes of the rows `x` of a sentence."""

    x: Matrix
    query: Matrix
    key: Matrix
    value: Matrix
    dots: Matrix  # of queries and keys
    weights: Matrix
    output: Matrix


def attend(x: Matrix, head: by_hand.Head, *, causal: bool = False) -> Layer:
    """Return what one head of the example makes of the rows `x`."""
    query, key, value = (x @ matrix.double().numpy().T for matrix in head)
    dots = query @ key.T
    scores = dots / math.sqrt(key.shape[1])
    if causal:
        scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    weights = softmax_of_rows(scores)
    return Layer(x, query, key, value, dots, weights, weights @ value)


def rows(*words: str) -> Matrix:
    """Return the rows of some words."""
    return np.asarray(by_hand.rows(*words).double().numpy())


def first(last: str = "hungry") -> Layer:
    """Return the first layer of a sentence."""
    return attend(rows(*WORDS[last]), by_hand.FIRST)


def second(last: str = "hungry") -> Layer:
    """Return the second layer, whose rows the first one has added to."""
    below = first(last)
    return attend(below.x + below.output, by_hand.SECOND)


def number(value: float) -> str:
    """Return a number of the example as the chapter writes it: 2, 0.97, −1.89, 0."""
    return signed(value, ".2f").removesuffix(".00")


def numbers(values: Matrix) -> list[list[str]]:
    """Return how the numbers of a table are written."""
    return [[number(value) for value in row] for row in values]


def in_brackets(values: Matrix) -> str:
    """Return a row as it is written in a line."""
    return f"({', '.join(map(number, values))})"


def rows_of_words() -> Drawing:
    words, wide, tall, left, top = list(by_hand.ROWS), 42, 30, 50, 26
    x = rows(*words)
    strong, written = shades(x), numbers(x)
    canvas = Canvas(360, top + 6 * tall + 18)
    table(canvas, left, top, strong[:LAST], cell=(wide, tall), written=written[:LAST],
          rows=words[:LAST], columns=column_names(), frame=IT)  # fmt: skip
    right, bottom = left + 5 * wide + 8, top + LAST * tall
    canvas.line((right - 3, top + 1), (right, top + 1), (right, bottom - 1),
                (right - 3, bottom - 1))  # fmt: skip
    canvas.note(right + 4, (top + bottom) / 2, "both sentences", anchor="start")
    for n, where in enumerate(WHICH):
        y = bottom + 8 + n * (tall + 8)
        own = slice(LAST + n, LAST + n + 1)
        table(canvas, left, y, strong[own], cell=(wide, tall), written=written[own],
              rows=words[own])  # fmt: skip
        canvas.note(right + 4, y + tall / 2, where, anchor="start")
    has = [
        f"{word}: " + ", ".join(
            f"{column} {number(value)}"
            for column, value in zip(by_hand.COLUMNS, row, strict=True) if value
        )
        for word, row in zip(words, x, strict=True)
    ]  # fmt: skip
    return Picture("Six words, five columns", canvas).says(
        "A row of five numbers for each word. " + "; ".join(has) + "; all other numbers are "
        "0. The row of it is in a frame."
    )


def _pairs(values: Matrix, written: Sequence[Sequence[str]], *, masked: bool = False) -> Canvas:
    """Return a table with a row for each word that looks and a column for each word looked at."""
    words, wide, tall, left, top = WORDS["hungry"], 44, 34, 60, 44
    canvas = Canvas(360, top + 5 * tall + 4)
    canvas.note(left + 2.5 * wide, 10, "is looked at")
    canvas.note(left - 8, top - 10, "looks", anchor="end")
    shown = [[None if masked and j > i else values[i, j] for j in range(5)] for i in range(5)]
    table(canvas, left, top, shown, cell=(wide, tall), written=written, rows=words, columns=words,
          look="lit" if masked else "", frame=IT)  # fmt: skip
    return canvas


def dot_products(*, shown: bool = True) -> Drawing:
    x = rows(*WORDS["hungry"])
    dots = x @ x.T
    filled = np.full(dots.shape, shown)
    filled[0, [2, LAST]] = True  # cat and meat, cat and hungry
    written = [[number(dots[i, j]) if filled[i, j] else "?" for j in range(5)] for i in range(5)]
    canvas = _pairs(shades(dots) * filled, written)
    if not shown:
        return Picture("Dot products, two of them filled in", canvas).says(
            f"A table of five by five for cat, ate, meat, it and hungry. cat and hungry score "
            f"{number(dots[0, LAST])}, cat and meat {number(dots[0, 2])}; every other cell holds a "
            "question mark. The row of it is in a frame."
        )
    y = 44 + (IT + 0.5) * 34
    canvas.text(290, y, "it finds itself", size=11, anchor="start")
    diagonal = ", ".join(map(number, dots.diagonal()))
    return Picture("All dot products", canvas).says(
        "The table of five by five is filled in. The largest number of every row is on the "
        f"diagonal: {diagonal}. Every word finds itself, it too."
    )


def query_and_key() -> Drawing:
    layer, names = first(), column_names()
    made = Canvas(360, 306)
    wide, tall, left = 44, 28, 58
    for n, (place, matrix, result, name, says) in enumerate((
        (IT, by_hand.FIRST.query, layer.query[IT], "query", "asks for\na state"),
        (LAST, by_hand.FIRST.key, layer.key[LAST], "key", "offers\na state"),
    )):  # fmt: skip
        y, x = 26 + 154 * n, layer.x[place]
        look, word = ("lit", "second")[n], WORDS["hungry"][place]
        table(made, left, y, shades(x[None]), cell=(wide, tall), written=numbers(x[None]),
              rows=[word], columns=names)  # fmt: skip
        low = y + tall + 46
        table(made, left, low, shades(result[None]), cell=(wide, tall), look=look,
              written=numbers(result[None]), rows=[name])  # fmt: skip
        for to, where in np.argwhere(matrix.double().numpy() * x):
            begin, end = left + (int(where) + 0.5) * wide, left + (int(to) + 0.5) * wide
            made.arrow((begin, y + tall), (end, low), look=look)
            times = number(float(matrix[to, where]))
            beside = (begin + end) / 2 + (7 if begin == end else 14)
            made.text(beside, y + tall + 20, f"times {times}", size=11, anchor="start")
        made.text(left - 8, y + tall + 23, f"$W_{'QK'[n]}$", size=NAME, anchor="end")
        made.text(left + 4 * wide + 12, low + tall / 2, says, size=11.5, anchor="start")
    meets = Canvas(360, 306)
    top, low = 26, 108
    asked = int(layer.query[IT].argmax())
    table(meets, left, top, shades(layer.query[IT][None]), cell=(wide, tall), look="lit",
          written=numbers(layer.query[IT][None]), rows=["it"], columns=names[:4])  # fmt: skip
    meets.text(left + 4 * wide + 12, top + tall / 2, "the query of it", size=11.5, anchor="start")
    meets.text(left, low - 14, "keys: what words offer", size=11, anchor="start")
    meets.text(left + 4 * wide + 62, low - 14, "score", size=11.5)
    table(meets, left, low, shades(layer.key), cell=(wide, tall), look="second",
          written=numbers(layer.key), rows=WORDS["hungry"])  # fmt: skip
    for j, key in enumerate(layer.key):
        at, score = low + (j + 0.5) * tall, layer.dots[IT, j]
        counts = [f"{number(q)} · {number(k)}" for q, k in zip(layer.query[IT], key, strict=True)
                  if q * k]  # fmt: skip
        words = " + ".join(counts) + " = " + number(score) if counts else number(score)
        if score:
            meets.box(left + 4 * wide + 26, at - 12, 72, 24, words, look="lit")
        else:
            meets.text(left + 4 * wide + 62, at, words, look="quiet")
    meets.box(left + asked * wide - 1, top - 1, wide + 2, low + 5 * tall - top + 2, look="")
    scores = ", ".join(map(number, layer.dots[IT]))
    return Picture("The query of it meets five keys", made, meets).says(
        f"The row of it, {in_brackets(layer.x[IT])}, becomes the query "
        f"{in_brackets(layer.query[IT])}: it asks for a state. The row of hungry, "
        f"{in_brackets(layer.x[LAST])}, becomes the key {in_brackets(layer.key[LAST])}: hungry "
        f"offers a state. The scores of it for the five words are {scores}."
    )


def scaling_down() -> Drawing:
    score = float(first().dots[IT, LAST])
    pairs = [(score, score + 1), (score / 2, score / 2 + 1)]
    weights = [
        [float(softmax_of_rows(np.array([0.0, 0, 0, 0, at]))[-1]) for at in pair] for pair in pairs
    ]
    canvas, left, low, wide = Canvas(360, 168), 20, 0.9, 316 / 0.1
    forms = ".2%", ".0%"
    says = []
    for n, (pair, shares, form) in enumerate(zip(pairs, weights, forms, strict=True)):
        y = 46 + 68 * n
        one, other = (number(each) for each in pair)
        canvas.text(left, y - 36, f"a score of {one}, then of {other}", size=12, anchor="start")
        canvas.line((left, y), (left + 0.1 * wide, y), look="quiet")
        start, end = (left + (share - low) * wide for share in shares)
        if end - start > 20:
            canvas.arrow((start + 4, y), (end - 4, y), look="lit")
        canvas.dot(start, y, 5)
        canvas.dot(end, y, 5, look="lit")
        written = [format(share, form) for share in shares]
        if end - start > 40:
            canvas.row((start, end), y - 16, written, size=12)
        else:
            canvas.text(end + 5, y - 16, " → ".join(written), size=12, anchor="end")
        says.append(f"{written[0]} at a score of {one} and {written[1]} at {other}")
    for share in (0.9, 0.95, 1.0):
        x = left + (share - low) * wide
        canvas.line((x, 122), (x, 130), look="quiet")
        canvas.note(x, 138, f"{share:.0%}")
    canvas.note(left + 0.05 * wide, 156, "the weight of hungry; the other four scores are 0")
    return Picture("One point more", canvas).says(
        "The other four scores are 0. hungry gets "
        + says[0]
        + ": hardly a change. It gets "
        + says[1]
        + ": a change that training can use."
    )


def four_coins() -> Drawing:
    ways: dict[int, list[str]] = {}
    for coins in product((-1, 1), repeat=4):
        ways.setdefault(sum(coins), []).append(" ".join(signed(c, "+d")[0] for c in coins))
    sums = np.array([total for total, found in ways.items() for _each in found])
    typical = math.sqrt((sums**2).mean())
    canvas, floor, wide, tall = Canvas(360, 214), 180, 60, 21
    middle, step = 196, 32.0
    places = {total: middle + step * total for total in sorted(ways)}
    for total, x in places.items():
        for n, way in enumerate(ways[total]):
            look = "lit" if abs(total) == typical else ""
            canvas.box(x - wide / 2 + 2, floor - tall * (n + 1), wide - 4, tall - 3, way,
                       look=look, size=12)  # fmt: skip
        canvas.text(x, floor + 14, signed(total), size=12.5)
    canvas.note(places[-4] - 34, floor + 14, "sum", anchor="end")
    ends = [middle - step * typical, middle + step * typical]
    y = floor - 6 * tall - 14
    for end in ends:
        canvas.arrow((middle, y), (end, y), look="lit")
        canvas.line((end, y - 6), (end, y + 6), look="lit")
    canvas.text(middle, y - 16, f"typical size: {number(typical)}", size=12)
    times = {1: "once", 4: "four times", 6: "six times"}
    counted = ", ".join(f"{signed(total)} comes {times[len(ways[total])]}" for total in places)
    return Picture("Sixteen ways four coins can fall", canvas).says(
        f"Each coin counts +1 or −1. Of the sixteen sums, {counted}. The root of "
        f"their mean square is {number(typical)}."
    )


def weights_times_values(
    canvas: Canvas, layer: Layer, row: int, words: Sequence[str], wide: float
) -> None:
    """Draw the weights of a row, and beside them what the words pass on of animal and food."""
    weights, values, tall, top = layer.weights[row], layer.value[:, :2], 25, 46
    table(canvas, 58, top, weights[:, None], cell=(48, tall), look="lit", rows=words,
          written=[[percent(share)] for share in weights])  # fmt: skip
    canvas.text(82, top - 10, "weight", size=11)
    table(canvas, 146, top, shades(values, 2), cell=(wide, tall), written=numbers(values),
          columns=column_names()[:2])  # fmt: skip
    for j in range(len(words)):
        canvas.text(126, top + (j + 0.5) * tall, "×")


def _value(last: str, *, shown: bool) -> Canvas:
    """Return what it takes from the five words of a sentence, and its new row."""
    layer, words = first(last), WORDS[last]
    canvas, wide, tall, left, top = Canvas(360, 310), 42, 25, 146, 46
    canvas.text(0, 9, WHICH[by_hand.LAST.index(last)], size=12.5, anchor="start")
    weights_times_values(canvas, layer, IT, words, wide)
    canvas.note(
        left + 2 * wide + 12, top + 2.5 * tall, "values: what\nwords pass on", anchor="start"
    )
    low = top + 5 * tall + 46
    canvas.arrow((left + wide, low - 44), (left + wide, low - 22))
    canvas.note(left + wide + 10, low - 33, "weight × value, added up", anchor="start")
    takes, own = layer.output[IT], layer.x[IT]
    hidden = [["?"] * 2 + ["0"] * 3, numbers(own[None])[0], ["?"] * 2 + numbers(own[None])[0][2:]]
    table_rows = np.array([takes, own, takes + own])
    written = numbers(table_rows) if shown else hidden
    strong = shades(table_rows, 2)
    if not shown:
        strong[[0, 0, 2, 2], [0, 1, 0, 1]] = 0
    table(canvas, left, low, strong, cell=(wide, tall), written=written, frame=2,
          rows=["it takes", "+ its own row", "= its new row"], columns=column_names())  # fmt: skip
    return canvas


def value(*, shown: bool = True) -> Drawing:
    panels = [_value(last, shown=shown) for last in by_hand.LAST]
    if not shown:
        layers = {last: first(last) for last in by_hand.LAST}
        values = {
            word: in_brackets(layers[last].value[place, :2])
            for last in by_hand.LAST
            for place, word in enumerate(WORDS[last])
        }
        most, other = (percent(layers["hungry"].weights[IT, place]) for place in (LAST, 0))
        return Picture("What it takes, to fill in", *panels).says(
            f"it gives {most} of its weight to the last word and {other} to each other word. "
            "The values, animal and food: "
            + ", ".join(f"{word} {value}" for word, value in values.items())
            + ". What it takes, and its new row, are open."
        )
    new = [first(last).x[IT] + first(last).output[IT] for last in by_hand.LAST]
    return Picture("What it takes, and its new row", *panels).says(
        "The weights of it take a mean of the five values, and this mean is added to its own "
        f"row. Its new row is {in_brackets(new[0])} when the last word is hungry, and "
        f"{in_brackets(new[1])} when the last word is fresh."
    )


def from_x_to_output() -> Drawing:
    layer, cell = first(), 12
    n, d_model = layer.x.shape
    d_key, d_value = layer.key.shape[1], layer.value.shape[1]
    canvas = Canvas(360, 426)
    at_q, at_k, at_v, at_s, tall = 62, 176, 294, 119, n * cell

    def tensor(values: Matrix, middle: float, y: float, *, own: bool = True) -> None:
        wide = values.shape[1] * cell
        canvas.grid(middle - wide / 2, y, shades(values), cell=cell, look="")
        if own:  # the row of it
            canvas.box(middle - wide / 2 - 2, y + IT * cell, wide + 4, cell, look="lit")

    tensor(layer.x, at_k, 18)
    canvas.text(at_k + 38, 40, f"$X$ [{n}, {d_model}]", size=12, anchor="start")
    canvas.note(at_k + 38, 57, "[position, d_model]", anchor="start")
    canvas.note(at_k - 38, 18 + (IT + 0.5) * cell, "it", anchor="end")
    for name, values, middle in (
        ("Q", layer.query, at_q), ("K", layer.key, at_k), ("V", layer.value, at_v),
    ):  # fmt: skip
        shape = f"[{d_model}, {values.shape[1]}]"
        by = canvas.box(middle - 54, 104, 108, 24, f"times $W_{name}^⊤$ {shape}", size=11)
        bent = [(at_k, 92), (middle, 92)] if middle != at_k else []
        canvas.arrow((at_k, 82), *bent, by.top)
        canvas.arrow(by.bottom, (middle, 144))
        tensor(values, middle, 146, own=name == "Q")
        canvas.text(middle, 218, f"${name}$ [{n}, {values.shape[1]}]", size=12)
    for middle, to in ((at_q, at_s - 14), (at_k, at_s + 14)):
        canvas.arrow((middle, 228), (middle, 236), (to, 236), (to, 252))
    tensor(layer.dots, at_s, 254)
    canvas.text(at_s + 40, 268, "$QK^⊤ / √d_k$", size=12, anchor="start")
    canvas.text(at_s + 40, 286, f"scores [{n}, {n}]", size=12, anchor="start")
    canvas.note(at_s + 40, 302, "[query, key]", anchor="start")
    canvas.arrow((at_s, 316), (at_s, 340))
    canvas.text(at_s + 10, 326, "softmax, row by row", size=11, anchor="start")
    tensor(layer.weights, at_s, 342)
    canvas.text(at_s, 416, f"weights [{n}, {n}]", size=12)
    canvas.arrow((at_s + tall / 2 + 4, 372), (at_v - 34, 372))
    canvas.text((at_s + at_v) / 2, 362, "times $V$", size=12)
    canvas.arrow((at_v, 228), (at_v, 340))
    tensor(layer.output, at_v, 342)
    canvas.text(at_v, 416, f"$O$ [{n}, {d_value}]", size=12)
    return Picture("From X to O", canvas).says(
        f"{n} positions of width {d_model} become queries and keys of width {d_key} and "
        f"values of width {d_value}. Queries and keys make a table of {n} by {n} scores, the "
        "softmax turns each of its rows into weights, and the weights take a mean of the values. "
        "In a frame, the row of it: its own query, all keys and all values make its output."
    )


def one_row() -> Explorable:
    layer = first()
    query, d_key = layer.query[IT], layer.key.shape[1]
    share = percent(layer.weights[IT, LAST])
    other = percent(layer.weights[IT, 0])
    dots = ", ".join(map(number, layer.dots[IT]))
    took = in_brackets(layer.output[IT, :2])
    return (
        Picture(
            "One row of attention: where it looks, and what it takes",
            *(_row_until(step, layer) for step in range(6)),
        )
        .says(
            f"The query of it, {in_brackets(query)}, meets five keys. The dot products are "
            f"{dots}. Divided by 2, the root of {d_key}, the softmax gives hungry {share} and each "
            f"other word {other}. The values, taken by these weights, add up to {took}."
        )
        .in_steps(
            [
                f"The query of it is {in_brackets(query)}: it asks for a state.",
                "Each word offers a key. Only hungry offers a state.",
                f"One dot product of the query with each key: {dots}.",
                f"Divide by {number(math.sqrt(d_key))}, the root of the {d_key} numbers of a key.",
                f"The softmax turns the scores into weights: {share} for hungry, {other} for each "
                "other word.",
                f"Each value, animal and food, counts by its weight. Their sum, {took}, is what it "
                "takes.",
            ]
        )
    )


def _row_until(step: int, layer: Layer) -> Canvas:
    """Return the picture of one step; what comes later is an empty box."""
    canvas, left, wide, tall, words = Canvas(360, 300), 100, 44, 25, WORDS["hungry"]
    d_key, names = layer.key.shape[1], column_names()
    xs = [left + (j + 0.5) * wide for j in range(len(words))]
    canvas.row(xs, 10, words, size=12.5)
    canvas.text(74, 10, "$q$", size=NAME)
    query = layer.query[IT][:, None]
    table(canvas, 60, 24, shades(query), cell=(28, 22), written=numbers(query), look="lit",
          rows=names[:4])  # fmt: skip
    for x, key in zip(xs, layer.key, strict=True):
        if step:
            table(canvas, x - 16, 24, shades(key[:, None], 2), cell=(32, 22),
                  look="lit" if step == 1 else "", written=numbers(key[:, None]))  # fmt: skip
        else:
            canvas.box(x - 16, 24, 32, 88, look="quiet")
    if step:
        canvas.text(344, 10, "$k_j$", size=NAME)
    root = math.sqrt(d_key)
    lines = [
        ("$q^⊤ k_j$", [number(v) for v in layer.dots[IT]]),
        (f"divided by {number(root)}", [number(v / root) for v in layer.dots[IT]]),
        ("softmax", [percent(v) for v in layer.weights[IT]]),
    ]
    for n, (name, written) in enumerate(lines):
        y, now = 130 + 43 * n, "lit" if n + 2 == step else ""
        if n + 2 > step:
            canvas.boxes(xs, y, wide - 6, tall, look="quiet")
            continue
        canvas.text(left - 6, y + tall / 2, name, size=12, anchor="end",
                    look="" if now else "quiet")  # fmt: skip
        canvas.boxes(xs, y, wide - 6, tall, written, size=12, look=now)
        canvas.arrows(xs, y - 16, y, look=now)
    base = 256
    if step == 5:
        taken = layer.weights[IT][:, None] * layer.value[:, :2]
        for x, row in zip(xs, taken, strict=True):
            table(canvas, x - 16, base, shades(row[:, None], 1), cell=(32, 20), look="lit",
                  written=numbers(row[:, None]))  # fmt: skip
        canvas.arrows(xs, 242, base, look="lit")
        for x, sign in zip((x + wide / 2 for x in xs), "++++=", strict=True):
            canvas.text(x, base + 20, sign, size=12)
        total = layer.output[IT, :2][:, None]
        canvas.text(344, base - 12, "$o$", size=NAME)
        table(canvas, 328, base, shades(total, 1), cell=(31, 20), look="lit",
              written=numbers(total))  # fmt: skip
        for n, name in enumerate(names[:2]):
            canvas.text(left - 6, base + 10 + 20 * n, name, size=12, anchor="end")
    return canvas


def _lines(last: str, *, shown: bool) -> Canvas:
    """Return lines from it to what it looks at in each layer, as thick as its weight is large."""
    words, at = WORDS[last], (82, 136, 190, 244, 298)
    low, middle, high = 150, 84, 18
    canvas = Canvas(326, 166)
    for name, own, below, layer in (
        ("layer 1", middle, low, first(last)), ("layer 2", high, middle, second(last)),
    ):  # fmt: skip
        canvas.text(0, own, name, size=12, anchor="start", look="quiet")
        if below == middle and not shown:
            canvas.text(at[IT], (own + below) / 2, "?", size=16)
            continue
        for place, share in enumerate(layer.weights[IT]):
            canvas.thread((at[IT], own + 10), (at[place], below - 11), 9 * share, look="lit")
            if share > 0.1:  # beside the middle of its line, on the upper side
                across, down = at[place] - at[IT], below - own - 21
                off = 19 / math.hypot(across, down)
                canvas.text(
                    at[IT] + across / 2 + math.copysign(down * off, across),
                    own + 10 + down / 2 - abs(across) * off,
                    percent(share),
                    size=12,
                )
    for y in (low, middle, high):
        for x, word in zip(at, words, strict=True):
            own = word == words[IT] and y < low
            if own:
                canvas.box(x - 13, y - 10, 26, 20, word, size=12.5, look="lit")
            elif y > high:
                canvas.text(x, y, word, size=12.5)
    return canvas


def two_layers(*, shown: bool = True) -> Drawing:
    panels = [_lines(last, shown=shown) for last in by_hand.LAST]
    share = percent(first().weights[IT, LAST])
    if not shown:
        return Picture("The first layer of two sentences; the second is open", *panels).says(
            f"Two sentences. In layer 1, it gives {share} of its weight to the last word, "
            "hungry or fresh. Layer 2 holds a question mark."
        )
    weights = {last: second(last).weights[IT] for last in by_hand.LAST}
    most = [f"{percent(row.max())} to {WORDS[last][row.argmax()]} when the last word is {last}"
            for last, row in weights.items()]  # fmt: skip
    return Picture("Two layers, two sentences", *panels).says(
        f"In layer 1, it gives {share} of its weight to the last word. In layer 2, it gives "
        f"{', and '.join(most)}."
    )


def causal_mask(*, shown: bool = True) -> Drawing:
    layer = attend(rows(*WORDS["hungry"]), by_hand.FIRST, causal=True)
    weights = layer.weights.copy()
    written = [
        [("0" if shown else "") if j > i else percent(weights[i, j]) for j in range(5)]
        for i in range(5)
    ]
    if not shown:
        written[IT] = ["?"] * (IT + 1) + [""]
        weights[IT] = 0
    canvas = _pairs(weights, written, masked=True)
    canvas.grid(291, 46, [[None]], cell=16, look="")
    canvas.text(313, 54, "masked", size=11, anchor="start")
    if not shown:
        return Picture("The causal mask, with the row of it to fill in", canvas).says(
            "A table of five by five. Each word looks at itself and at the words before it; "
            "the cells to the right are masked. In the row of it, four cells hold question marks, "
            "and the cell of hungry is masked."
        )
    return Picture("The causal mask", canvas).says(
        "Each word looks at itself and at the words before it; the cells to the right are "
        f"masked, and their weights are 0. it gives {percent(layer.weights[IT, 0])} of its weight "
        "to each of cat, ate, meat and it, and nothing to hungry."
    )


def order_lost() -> Drawing:
    orders = ["cat", "ate", "meat"], ["meat", "ate", "cat"]
    layers = [attend(rows(*words), by_hand.FIRST) for words in orders]
    new = [layer.x + layer.output for layer in layers]
    used = [j for j in range(new[0].shape[1]) if new[0][:, j].any()]
    top, wide, tall, left, right = max(map(np.max, new)), 40, 30, 40, 202
    canvas = Canvas(360, 142)
    names = [column_names()[j] for j in used]
    looks = {"cat": "lit", "ate": "", "meat": "second"}
    for n, (words, found) in enumerate(zip(orders, new, strict=True)):
        x = (left, right)[n]
        canvas.row(middles(words, x + 14, 9, NAME), 10, words, size=NAME)
        for i, word in enumerate(words):
            y = 46 + i * tall
            kept = found[i : i + 1, used]
            table(canvas, x, y, shades(kept, top), cell=(wide, tall - 4), look=looks[word],
                  written=numbers(kept), columns=names if i == 0 else ())  # fmt: skip
            end = x - 6 if n == 0 else x + 3 * wide + 6
            canvas.text(end, y + tall / 2 - 2, word, size=NAME, anchor="end" if n == 0 else "start")
    for i, word in enumerate(orders[0]):
        j = orders[1].index(word)
        canvas.line((left + 3 * wide + 3, 46 + (i + 0.5) * tall - 2),
                    (right - 3, 46 + (j + 0.5) * tall - 2), look=looks[word])  # fmt: skip
    return Picture("The same rows in both orders", canvas).says(
        "After the first layer, cat, ate and meat have the same new rows in cat ate meat as "
        "in meat ate cat. Only the order of the rows differs."
    )


def path_length() -> Drawing:
    xs = middles(SENTENCE, 14, 15.5, 12)
    start, end = SENTENCE.index("cat"), SENTENCE.index("it")
    chain, direct = Canvas(360, 146), Canvas(360, 146)
    for canvas, title in (
        (chain, f"Recurrent: {end - start} steps from cat to it, one after another"),
        (direct, "Self-attention: 1 step, and all positions at once"),
    ):
        canvas.text(0, 10, title, size=12, anchor="start")
        canvas.row(xs, 132, SENTENCE, size=12)
    looks = ["lit" if start <= i <= end else "" for i in range(len(xs))]
    states = chain.boxes(xs, 62, 16, 24, look=looks)
    chain.arrows(xs, 122, 86, look=["lit" if i == start else "quiet" for i in range(len(xs))])
    chain.chain(*states[: start + 1])
    chain.chain(*states[start : end + 1], look="lit")
    chain.chain(*states[end:])
    for i in range(start, end):
        chain.text((xs[i] + xs[i + 1]) / 2, 50, str(i + 1 - start), size=12)
    direct.boxes(xs, 36, 16, 24, look=["lit" if i == end else "" for i in range(len(xs))])
    for i, x in enumerate(xs):
        if i != start:
            direct.line((x, 122), (xs[end], 62), look="quiet")
    direct.arrow((xs[start], 122), (xs[end] - 4, 60), look="lit")
    direct.text(xs[start + 2] + 2, 78, "1", size=12)
    return Picture("From cat to it", chain, direct).says(
        f"In a recurrent network, what cat says takes {end - start} steps to reach it, and "
        "each step waits for the one before. In self-attention, it looks at every word directly, "
        "in one step, and all other positions do the same at the same time."
    )


def third_word() -> Drawing:
    words, xs = ["cat", "meat", "it", "hungry"], [44.0, 136.0, 228.0, 316.0]
    one, two = Canvas(360, 150), Canvas(360, 222)
    for canvas, title, low, below, look in (
        (one, "One layer: hungry enters no score", 138, 126, ""),
        (two, "Two layers: it brings hungry along", 210, 116, "second"),
    ):
        canvas.row(xs, low, words)
        canvas.text(0, 8, title, size=12.5, anchor="start")
        canvas.box(xs[3] - 30, low - 14, 60, 26, look="second")
        for noun, from_x, x in zip(words, xs, (90.0, 182.0), strict=False):
            canvas.box(x - 42, 26, 84, 26, f"$q_{{it}}^⊤ k_{{{noun}}}$", look="lit")
            canvas.arrow((from_x, below), (x - 12, 52))
            canvas.arrow((xs[2], below), (x + 20, 52), look=look)
    two.boxes(xs, 118, 28, 22, look=("", "", "second", "second"))
    two.arrows(xs, 195, 140, look=("", "", "", "second"))
    two.arrow((xs[3] - 6, 195), (xs[2] + 10, 142), look="second")
    two.note(0, 170, "layer 1", anchor="start")
    two.note(0, 90, "layer 2", anchor="start")
    return Picture("What a score is made from", one, two).says(
        "In one layer, the score of it for cat is made from these two words alone, and its "
        "score for meat from those two; hungry enters neither. With two layers, it can look at "
        "hungry first, and both scores of the second layer are made from what it then holds."
    )


def name_the_noun() -> Drawing:
    words = "the man bought the ticket because it was cheap".split()
    canvas, xs = Canvas(360, 132), middles(words, 2, 7, 11.5)
    it, noun = words.index("it"), words.index("ticket")
    canvas.row(xs, 10, words, size=11.5)
    layers = canvas.box(2, 42, 356, 26, "one or two layers of self-attention")
    for number, x in enumerate(xs):
        canvas.arrow((x, 20), (x, layers.y), look="lit" if number == it else "quiet")
    answer = canvas.box(xs[it] - 24, 96, 48, 24, "?", look="lit")
    canvas.arrow((xs[it], layers.bottom[1]), answer.top, look="lit")
    canvas.text(answer.left[0] - 8, 108, "which noun?", size=11.5, anchor="end")
    canvas.text(answer.right[0] + 8, 108, words[noun], size=11.5, anchor="start", look="quiet")
    return Picture("Name the noun", canvas).says(
        "The rows of a sentence, the man bought the ticket because it was cheap, go through "
        "one or two layers. At it the network has to name the noun, here ticket."
    )


FOOD = ["meat", "bread", "fish", "rice", "apple"]


def _named(words: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return three rules, each with the word it looks at and the noun that it names."""
    food = next(word for word in words if word in FOOD)
    first = next(word for word in words if word in (*FOOD, "cat"))
    return [
        ("looks at what it stands for", food, food),
        ("knows: fresh things are meat", words[-1], "meat"),
        ("the first noun that it ever stood for", first, first),
    ]


def three_roads() -> Drawing:
    panels = []
    for food in ("meat", "bread"):
        words = f"the cat ate the {food} because it was fresh".split()
        canvas, xs = Canvas(360, 188), middles(words, 2, 9.5, 12)
        canvas.row(xs, 10, words, size=12)
        it = xs[words.index("it")]
        rules = zip(_named(words), ("lit", "second", ""), strict=True)
        for number, ((rule, looked, named), look) in enumerate(rules):
            y, x = 54 + 54 * number, xs[words.index(looked)]
            canvas.row((it, x), y - 13, ("it", looked), size=11, look="quiet")
            canvas.dot(it, y, look=look)
            canvas.dot(x, y, look=look)
            canvas.arrow((it, y), (x + (3 if x < it else -3), y), look=look)
            canvas.text(2, y + 17, rule, size=11.5, anchor="start")
            canvas.box(304, y - 12, 54, 24, named, size=12.5, look=look)
        panels.append(canvas)
    return Picture("Three ways to name a noun", *panels).says(
        "When the meat is fresh, a rule that looks at what it stands for and a rule that "
        "knows that fresh things are meat both say meat. Change meat to bread, and the first rule "
        "says bread, the second still says meat. A third rule, the first noun that it ever stood "
        "for, says cat both times."
    )


dot_products_open = left_open(dot_products)
value_open = left_open(value)
two_layers_open = left_open(two_layers)
causal_mask_open = left_open(causal_mask)
