"""Drawings of chapter 02."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bottomup.drawings import Canvas, Drawing
from bottomup.drawings.engine.numbers import signed, softmax_of_rows
from bottomup.drawings.engine.words import middles
from bottomup.explorables import Explorable

SENTENCE = "the cat ate the meat because it was hungry".split()
# Section 3: animal, action, thing, pronoun; a query looks for an animal and for a thing.
WORDS = ["cat", "ate", "meat", "it"]
W_Q = np.array([[0.0, 2, 0, 3], [0, 2, 0, 0]])
W_K = np.array([[2.0, 0, 0, 0], [0, 0, 2, 0]])
ATE = 1  # the row that is followed


def shades(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entries moved into 0.05 to 1, as strengths of a colour."""
    low, high = table.min(), table.max()
    return np.asarray(0.05 + 0.95 * (table - low) / (high - low))


def path_length() -> Drawing:
    """Draw the way from one word to another: through a recurrent chain, and in self-attention."""
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
    canvas.note(at_k + 32, 57, "[position, d_model]", anchor="start")
    for name, table, middle in (("Q", q, at_q), ("K", k, at_k), ("V", v, at_v)):
        shape = f"[{d_model}, {table.shape[1]}]"
        by = canvas.box(middle - 52, 112, 104, 24, f"times $W_{name}^⊤$ {shape}", size=11)
        bent = [(at_k, 100), (middle, 100)] if middle != at_k else []
        canvas.arrow((at_k, 92), *bent, by.top)
        canvas.arrow(by.bottom, (middle, 152))
        tensor(table, middle, 154, own=name == "Q")
        canvas.text(middle, 238, f"${name}$ [{n}, {table.shape[1]}]", size=12)
    for middle, to in ((at_q, at_s - 14), (at_k, at_s + 14)):
        canvas.arrow((middle, 248), (middle, 256), (to, 256), (to, 268))
    tensor(scores, at_s, 270)
    canvas.text(at_s + 44, 294, "$QK^⊤ / √d_k$", size=12, anchor="start")
    canvas.text(at_s + 44, 311, f"scores [{n}, {n}]", size=12, anchor="start")
    canvas.note(at_s + 44, 326, "[query, key]", anchor="start")
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
        ("masked", [signed(v, ".2f").replace("inf", "∞") for v in masked]),
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
    xs = [left + (j + 0.5) * wide for j in range(len(WORDS))]
    canvas.row(xs, 10, WORDS, size=12.5)
    asks = ", ".join(f"{v:.0f}" for v in W_Q[:, ATE])
    canvas.text(left - 10, 10, f"$q$ = ({asks})", size=12, anchor="end",
                look="" if step < 2 else "quiet")  # fmt: skip
    for number, (name, values) in enumerate(rows):
        y, now = 22 + 42 * number, "lit" if number == step else ""
        if number > step:
            canvas.boxes(xs, y, wide - 4, tall, look="quiet")
            continue
        faded = "" if now else "quiet"
        canvas.text(left - 10, y + tall / 2, name, size=12, anchor="end", look=faded)
        hidden = len(WORDS) - ATE - 1 if number in (3, 4) else 0
        looks = [now] * (len(WORDS) - hidden) + ["second"] * hidden
        canvas.boxes(xs, y, wide - 4, tall, values, size=12, look=looks)
        if number:
            canvas.arrows(xs, y - 17, y, look=now)
    if step == len(rows):
        base, cell = 236, 14
        canvas.text(left - 10, base + 2 * cell, "weight × value", size=12, anchor="end")
        canvas.arrows(xs, base - 21, base)
        canvas.row([x + wide / 2 for x in xs], base + 2 * cell, "+++=")
        taken = np.diag(weights)
        for j, x in enumerate(xs):
            canvas.grid(x - cell / 2, base, taken[:, [j]], cell=cell)
        canvas.grid(left + 4 * wide + 18, base, weights[:, None], cell=cell)
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
        (left, low, "scores, masked", scores / scores.max(),
         np.where(may, scores, -np.inf), ".1f", ""),
        (right, low, "weights", weights, weights, ".2f", "lit"),
    ]  # fmt: skip
    for x0, y0, title, strength, values, form, look in parts:
        shown = may | (title == "scores")
        table = [[float(strength[i, j]) if shown[i, j] else None for j in range(4)]
                 for i in range(4)]  # fmt: skip
        words = [[signed(value, form).replace("inf", "∞") for value in row] for row in values]
        box = canvas.grid(x0, y0, table, cell=cell, look=look, written=words,
                          rows=WORDS if x0 == left else (),
                          columns=WORDS if y0 == top else ())  # fmt: skip
        canvas.text(box.center[0], y0 - (26 if y0 == top else 12), title, size=12)
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
    words, xs = ["cat", "meat", "it", "hungry"], [44.0, 136.0, 228.0, 316.0]
    one, two = Canvas(360, 150), Canvas(360, 222)
    for canvas, title, low, below, look in (
        (one, "One layer: no score sees hungry", 138, 126, ""),
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
    two.arrows(xs, 199, 140, look=("", "", "", "second"))
    two.arrow((xs[3] - 6, 199), (xs[2] + 10, 142), look="second")
    two.note(0, 170, "layer 1", anchor="start")
    two.note(0, 90, "layer 2", anchor="start")
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
    return Drawing(
        title="Three ways to name a noun",
        says="When the meat is fresh, a rule that reads what it stands for and a rule that knows "
        "that fresh things are meat both say meat. Change one word, meat to bread, and the first "
        "says bread, the second still meat. A third rule, the first noun that it ever stood for, "
        "says cat both times.",
        panels=tuple(panels),
    )
