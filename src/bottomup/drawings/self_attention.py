"""Drawings of chapter 02."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bottomup.drawings import Canvas, Drawing
from bottomup.drawings.engine.numbers import softmax_of_rows
from bottomup.drawings.engine.words import width
from bottomup.explorables import Explorable

SENTENCE = "the cat ate the meat because it was hungry".split()
# Section 3: animal, action, thing, pronoun; a query looks for an animal and for a thing.
WORDS = ["cat", "ate", "meat", "it"]
W_Q = np.array([[0.0, 2, 0, 3], [0, 2, 0, 0]])
W_K = np.array([[2.0, 0, 0, 0], [0, 0, 2, 0]])
ATE = 1  # the row that is followed
MINUS = "\N{MINUS SIGN}"


def shades(table: NDArray[np.float64]) -> list[list[float | None]]:
    """Return the entries moved into 0.05 to 1, as strengths of a colour."""
    low, high = table.min(), table.max()
    return [[0.05 + 0.95 * float(v - low) / float(high - low) for v in row] for row in table]


def _spread(words: Sequence[str], left: float, gap: float, size: float) -> list[float]:
    """Return where the middles of words stand that follow each other in a line."""
    middles, x = [], left
    for word in words:
        wide = width(word, size)
        middles.append(x + wide / 2)
        x += wide + gap
    return middles


def path_length() -> Drawing:
    """Draw the way from one word to another: through a recurrent chain, and in self-attention."""
    places = _spread(SENTENCE, 14, 15.5, 12)
    start, end = SENTENCE.index("cat"), SENTENCE.index("it")
    chain, direct = Canvas(360, 146), Canvas(360, 146)
    for canvas in (chain, direct):
        for word, x in zip(SENTENCE, places, strict=True):
            canvas.text(x, 132, word, size=12)
    chain.text(
        0, 10, f"Recurrent: {end - start} steps from cat to it, one after another",
        size=12, anchor="start",
    )  # fmt: skip
    for i, x in enumerate(places):
        look = "lit" if start <= i <= end else ""
        chain.box(x - 8, 62, 16, 24, look=look)
        chain.arrow((x, 122), (x, 86), look="lit" if i == start else "quiet")
        if i:
            lit = start < i <= end
            chain.arrow((places[i - 1] + 8, 74), (x - 8, 74), look="lit" if lit else "")
            if lit:
                chain.text((places[i - 1] + x) / 2, 50, str(i - start), size=12)
    direct.text(0, 10, "Self-attention: 1 step, and all positions at once", size=12, anchor="start")
    for i, x in enumerate(places):
        direct.box(x - 8, 36, 16, 24, look="lit" if i == end else "")
        if i not in (start, end):
            direct.line((x, 122), (places[end], 62), look="quiet")
    direct.line((places[end], 122), (places[end], 62), look="quiet")
    direct.arrow((places[start], 122), (places[end] - 4, 60), look="lit")
    direct.text(places[start + 2] + 2, 78, "1", size=12)
    return Drawing(
        title="From cat to it",
        says=f"In a recurrent network what cat says reaches it over {end - start} steps, each of "
        "which waits for the one before. In self-attention it reads every word directly, in one "
        "step, and so do all the other positions at the same time.",
        panels=(chain, direct),
    )


def from_x_to_output() -> Drawing:
    """Draw the way of a sequence through self-attention, with every shape."""
    n, d_model, d_key, row, cell = 6, 4, 2, 3, 12
    draw = np.random.default_rng(5)
    x = draw.normal(size=(n, d_model))
    to_q, to_k = draw.normal(size=(2, d_key, d_model))
    to_v = draw.normal(size=(d_model, d_model))
    q, k, v = x @ to_q.T, x @ to_k.T, x @ to_v.T
    scores = q @ k.T / math.sqrt(d_key)
    weights = softmax_of_rows(scores)
    canvas = Canvas(360, 456)
    at_q, at_k, at_v, at_s, tall = 62, 172, 294, 117, n * cell

    def tensor(table: NDArray[np.float64], middle: float, y: float, *, own: bool = True) -> None:
        wide = table.shape[1] * cell
        canvas.grid(middle - wide / 2, y, shades(table), cell=cell, look="")
        if own:  # the row of one position
            canvas.box(middle - wide / 2 - 2, y + row * cell, wide + 4, cell, look="lit")

    tensor(x, at_k, 18)
    canvas.text(at_k + 32, 40, f"$X$ [{n}, {d_model}]", size=12, anchor="start")
    canvas.text(at_k + 32, 57, "[position, d_model]", size=11, anchor="start", look="quiet")
    for name, table, middle in (("Q", q, at_q), ("K", k, at_k), ("V", v, at_v)):
        shape = f"[{d_model}, {table.shape[1]}]"
        by = canvas.box(middle - 52, 112, 104, 24, f"times $W_{name}^⊤$ {shape}", size=11)
        canvas.arrow((at_k, 92), (at_k, 100), (middle, 100), by.top) if middle != at_k else (
            canvas.arrow((at_k, 92), by.top)
        )
        canvas.arrow(by.bottom, (middle, 152))
        tensor(table, middle, 154, own=name == "Q")
        canvas.text(middle, 238, f"${name}$ [{n}, {table.shape[1]}]", size=12)
    for middle, to in ((at_q, at_s - 14), (at_k, at_s + 14)):
        canvas.arrow((middle, 248), (middle, 256), (to, 256), (to, 268))
    tensor(scores, at_s, 270)
    canvas.text(at_s + 44, 294, "$QK^⊤ / √d_k$", size=12, anchor="start")
    canvas.text(at_s + 44, 311, f"scores [{n}, {n}]", size=12, anchor="start")
    canvas.text(at_s + 44, 326, "[query, key]", size=11, anchor="start", look="quiet")
    canvas.arrow((at_s, 344), (at_s, 366))
    canvas.text(at_s + 10, 354, "softmax, row by row", size=11, anchor="start")
    tensor(weights, at_s, 368)
    canvas.text(at_s, 449, f"weights [{n}, {n}]", size=12)
    canvas.arrow((at_s + tall / 2 + 3, 404), (at_v - 28, 404))
    canvas.text((at_s + at_v + 8) / 2, 394, "times $V$", size=12)
    canvas.arrow((at_v, 248), (at_v, 366))
    tensor(weights @ v, at_v, 368)
    canvas.text(at_v, 449, f"$O$ [{n}, {d_model}]", size=12)
    return Drawing(
        title="From X to O",
        says=f"{n} positions of width {d_model} become queries and keys of width {d_key} and "
        f"values of width {d_model}; queries and keys make a table of {n} by {n} scores, the "
        "softmax makes each of its rows weights, and the weights take a mean of the values. In a "
        "frame, the row of one position: its own query, all keys and all values make its output.",
        panels=(canvas,),
    )


def one_row() -> Explorable:
    """Draw in steps how a word's row of scores becomes its output."""
    keys, query = W_K.T, W_Q[:, ATE]
    dots = keys @ query
    scaled = dots / math.sqrt(len(query))
    masked = np.where(np.arange(len(WORDS)) <= ATE, scaled, -np.inf)
    weights = softmax_of_rows(masked)
    rows = [
        ("keys $k_j$", [f"({a:.0f}, {b:.0f})" for a, b in keys]),
        ("$q^⊤ k_j$", [f"{v:.0f}" for v in dots]),
        ("divided by $√d_k$", [f"{v:.2f}" for v in scaled]),
        ("masked", [f"{v:.2f}" if v > -np.inf else f"{MINUS}∞" for v in masked]),
        ("softmax", [f"{v:.2f}" for v in weights]),
    ]
    panels = [_row_until(step, rows, weights) for step in range(len(rows) + 1)]
    asks = ", ".join(f"{v:.0f}" for v in query)
    shares = ", ".join(f"{v:.2f} of {w}" for v, w in zip(weights, WORDS, strict=True) if v)
    return Drawing(
        title="One row of attention: what ate reads",
        says=f"The query of ate, ({asks}), is compared with four keys; the four scores are "
        f"divided, masked and sent through the softmax; what ate reads is {shares}.",
        panels=tuple(panels),
    ).in_steps(
        [
            f"The query of “ate” is ({asks}): it asks for an animal (first number) and a thing "
            "(second). Each word offers a key.",
            "One dot product with each key: cat and meat fit equally well.",
            f"Divided by the root of d_k = {len(query)}, the width of a key.",
            "meat and it stand after ate: the causal mask puts minus infinity in their place.",
            f"The softmax makes weights that sum to one: {shares}, exactly 0 of the rest.",
            "Each value, here one-hot, is taken by its weight. Their sum is the output of ate.",
        ]
    )


def _row_until(
    step: int, rows: Sequence[tuple[str, Sequence[str]]], weights: NDArray[np.float64]
) -> Canvas:
    canvas, left, wide, tall = Canvas(360, 312), 108, 50, 25
    for j, word in enumerate(WORDS):
        canvas.text(left + (j + 0.5) * wide, 10, word, size=12.5)
    asks = ", ".join(f"{v:.0f}" for v in W_Q[:, ATE])
    canvas.text(left - 10, 10, f"$q$ = ({asks})", size=12, anchor="end",
                look="" if step < 2 else "quiet")  # fmt: skip
    for number, (name, values) in enumerate(rows[: step + 1]):
        y, now = 22 + 42 * number, number == step
        canvas.text(left - 10, y + tall / 2, name, size=12, anchor="end",
                    look="" if now else "quiet")  # fmt: skip
        for j, value in enumerate(values):
            x = left + j * wide
            hidden = number in (3, 4) and j > ATE
            look = "second" if hidden else "lit" if now else ""
            canvas.box(x + 2, y, wide - 4, tall, value, size=12, look=look)
            if number:
                canvas.arrow((x + wide / 2, y - 17), (x + wide / 2, y), look="lit" if now else "")
    for later in range(step + 1, len(rows)):
        for j in range(len(WORDS)):
            canvas.box(left + j * wide + 2, 22 + 42 * later, wide - 4, tall, look="quiet")
    if step == len(rows):
        base, cell = 236, 14
        canvas.text(left - 10, base + 2 * cell, "weight × value", size=12, anchor="end")
        total: list[list[float | None]] = [[float(w)] for w in weights]
        for j, weight in enumerate(weights):
            middle = left + (j + 0.5) * wide
            column: list[list[float | None]] = [[float(weight) * (i == j)] for i in range(4)]
            canvas.arrow((middle, base - 21), (middle, base))
            canvas.grid(middle - cell / 2, base, column, cell=cell)
            canvas.text(middle + wide / 2, base + 2 * cell, "+" if j < 3 else "=", size=13)
        canvas.grid(left + 4 * wide + 18, base, total, cell=cell)
        canvas.text(left + 4 * wide + 25, base + 4 * cell + 11, "$o$", size=12.5)
    return canvas


def causal_triangle() -> Drawing:
    """Draw scores, mask, masked scores and weights beside each other."""
    x = np.eye(4)
    scores = (x @ W_Q.T) @ (x @ W_K.T).T / math.sqrt(2)
    may = np.tri(4, dtype=bool)
    weights = softmax_of_rows(np.where(may, scores, -np.inf))
    canvas, cell = Canvas(360, 348), 30
    left, right, top, low = 40, 222, 42, 212
    parts = [
        (left, top, "scores", scores / scores.max(), scores, ".1f", ""),
        (right, top, "mask: $m_{ij} = (j ≤ i)$", may * 0.35, may * 1.0, ".0f", "lit"),
        (left, low, "scores, masked", scores / scores.max(), scores, ".1f", ""),
        (right, low, "weights", weights, weights, ".2f", "lit"),
    ]
    for x0, y0, title, strength, values, form, look in parts:
        hides = title != "scores"
        table: list[list[float | None]] = [
            [float(strength[i, j]) if may[i, j] or not hides else None for j in range(4)]
            for i in range(4)
        ]
        columns = WORDS if y0 == top else ()
        box = canvas.grid(x0, y0, table, cell=cell, look=look, rows=WORDS if x0 == left else (),
                          columns=columns)  # fmt: skip
        canvas.text(box.center[0], y0 - (26 if y0 == top else 12), title, size=12)
        for i in range(4):
            for j in range(4):
                words = format(float(values[i, j]), form)
                if title == "scores, masked" and not may[i, j]:
                    words = f"{MINUS}∞"
                canvas.text(x0 + (j + 0.5) * cell, y0 + (i + 0.5) * cell, words, size=11)
    canvas.arrow((left + 60, 164), (left + 60, 191))
    canvas.arrow((right + 60, 164), (right + 60, 177), (left + 70, 177), (left + 70, 191))
    canvas.arrow((left + 122, low + 60), (right - 2, low + 60))
    canvas.text((left + 122 + right - 4) / 2, low + 49, "softmax", size=11)
    return Drawing(
        title="The causal mask",
        says="Row i may read the columns up to i: a lower triangle. The scores above the diagonal "
        "become minus infinity, and the softmax makes weights of exactly 0 of them; each row still "
        "sums to one.",
        panels=(canvas,),
    )


def third_word() -> Drawing:
    """Draw which words a score is made from, in one layer and in two."""
    words, at = ["cat", "meat", "it", "hungry"], [44.0, 136.0, 228.0, 316.0]
    pairs = [(0, 90.0), (1, 182.0)]
    one, two = Canvas(360, 150), Canvas(360, 222)

    def scores(canvas: Canvas, below: float, look: str) -> None:
        for noun, x in pairs:
            box = canvas.box(x - 42, 26, 84, 26, f"$q_{{it}}^⊤ k_{{{words[noun]}}}$", look="lit")
            canvas.arrow((at[noun], below), (x - 12, box.y + 26))
            canvas.arrow((at[2], below), (x + 20, box.y + 26), look=look)

    for canvas, low in ((one, 138), (two, 210)):
        for word, x in zip(words, at, strict=True):
            canvas.text(x, low, word, size=13)
    one.text(0, 8, "One layer: no score sees hungry", size=12.5, anchor="start")
    scores(one, 126, "")
    one.box(at[3] - 30, 124, 60, 26, look="second")
    two.text(0, 8, "Two layers: it brings hungry along", size=12.5, anchor="start")
    for i, x in enumerate(at):
        two.box(x - 14, 118, 28, 22, look="second" if i == 3 or i == 2 else "")
        two.arrow((x, 199), (x, 140), look="second" if i == 3 else "")
    two.arrow((at[3] - 6, 199), (at[2] + 10, 142), look="second")
    two.text(0, 170, "layer 1", size=11, anchor="start", look="quiet")
    two.text(0, 90, "layer 2", size=11, anchor="start", look="quiet")
    scores(two, 116, "second")
    two.box(at[3] - 30, 196, 60, 26, look="second")
    return Drawing(
        title="What a score is made from",
        says="In one layer the score of it and cat is made from these two words, that of it and "
        "meat from those two; hungry touches neither. In two layers it can read hungry first, and "
        "both scores of the second layer are made from what it then holds.",
        panels=(one, two),
    )


FOOD = ["meat", "bread", "fish", "rice", "apple"]


def _named(words: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return three rules, each with the word it looks at and the noun that it names."""
    food = next(word for word in words if word in FOOD)
    first = next(word for word in words if word in (*FOOD, "cat"))
    return [
        ("reads what it stands for", food, food),
        ("knows: fresh things are meat", words[-1], "meat"),
        ("the first noun that it ever stood for", first, first),
    ]


def three_roads() -> Drawing:
    """Draw three rules that name a noun, on a sentence and on the same with one word changed."""
    panels = []
    for food in ("meat", "bread"):
        words = f"the cat ate the {food} because it was fresh".split()
        canvas, places = Canvas(360, 188), _spread(words, 2, 9.5, 12)
        for word, x in zip(words, places, strict=True):
            canvas.text(x, 10, word, size=12)
        it = places[words.index("it")]
        for number, (rule, looked, named) in enumerate(_named(words)):
            y, x = 54 + 54 * number, places[words.index(looked)]
            look = "lit" if number == 0 else "second" if number == 1 else ""
            for place, word in ((it, "it"), (x, looked)):
                canvas.text(place, y - 13, word, size=11, look="quiet")
                canvas.dot(place, y, look=look)
            canvas.arrow((it, y), (x + (3 if x < it else -3), y), look=look)
            canvas.text(2, y + 17, rule, size=11.5, anchor="start")
            canvas.box(304, y - 12, 54, 24, named, size=12.5, look=look)
        panels.append(canvas)
    return Drawing(
        title="Three ways to name a noun",
        says="When the meat is fresh, a rule that reads what it stands for and a rule that knows "
        "that fresh things are meat both say meat. Change one word, meat to bread, and the first "
        "says bread, the second still meat. A third rule, the first noun that it ever stood for, "
        "says cat both times.",
        panels=tuple(panels),
    )


__all__ = [
    "causal_triangle",
    "from_x_to_output",
    "one_row",
    "path_length",
    "third_word",
    "three_roads",
]
