"""Drawings of chapter 05.

What the decoder asks, finds and takes comes from the example that is worked by hand,
`bottomup.data.by_hand`.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bottomup.data import by_hand
from bottomup.drawings import Box, Canvas, Drawing, Picture, left_open
from bottomup.drawings.engine.numbers import shades, signed, softmax_of_rows
from bottomup.drawings.engine.tables import column_names, percent, table
from bottomup.drawings.self_attention import IT, WHICH, WORDS, second
from bottomup.drawings.self_attention import number as short

Matrix = NDArray[np.float64]

TARGET = "cat", "-TOP", "apple", "-OBJ"
WHO = list(by_hand.QUESTIONS).index("who is it?")


class Crossed(NamedTuple):
    """What the decoder's five questions find in the memory of a sentence."""

    memory: Matrix
    keys: Matrix
    weights: Matrix  # [question, word]
    takes: Matrix  # [question, (animal, food)]


def crossed(last: str = "hungry") -> Crossed:
    """Return what five questions find in a sentence, after the encoder's two layers."""
    layer = second(last)
    memory = layer.x + layer.output
    keys = memory @ by_hand.CROSS_KEY.double().numpy().T
    queries = np.array([*by_hand.QUESTIONS.values()])
    weights = softmax_of_rows(queries @ keys.T / math.sqrt(keys.shape[1]))
    return Crossed(memory, keys, weights, weights @ memory[:, :2])


def written(values: Matrix) -> list[list[str]]:
    """Return how the numbers of a table are written, with a minus as wide as a plus."""
    return [[short(value).replace("-", signed(-1)[0]) for value in row] for row in values]


def whole() -> Drawing:
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
    return Picture("A sentence through the whole machine", canvas).says(
        "The source passes embedding and encoder layers and becomes the memory; the shifted "
        "target passes embedding and decoder layers, each of which looks at the memory, and "
        "becomes logits.",
        caption="In blue what comes from the source, in orange what comes from the target.",
    )


def ways_around() -> Drawing:
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
    return Picture("Ways around a layer", canvas).says(
        "A plain layer passes on its result alone. A highway layer adds its input, weighed by one "
        "minus a gate, to its result, weighed by the gate. A residual layer adds both as they are.",
        caption="In blue the way around, in orange what the highway's gate lets through.",
    )


def two_cuts() -> Drawing:
    canvas = Canvas(360, 216)
    for n, name in enumerate(("attention", "MLP")):
        x = 52.0 + 186 * n
        canvas.text(x + 24, 10, ("cut around attention", "cut around the MLP")[n], size=12)
        canvas.note(x - 26, 196, "× 6", anchor="end")
        below, joins = 206.0, 0.0
        for part, base in ("attention", 188.0), ("MLP", 112.0):
            layer = canvas.box(x - 40, base - 42, 80, 26, part, size=12)
            joins = base - 60
            canvas.arrow((x, below), layer.bottom)
            aside = x + 74
            if part == name:
                canvas.line((x, base - 4), (aside, base - 4), (aside, base - 16), look="quiet")
                canvas.line((aside, base - 44), (aside, joins), (x, joins), look="quiet")
                canvas.text(aside, base - 30, "cut", size=12, look="second")
                canvas.line(layer.top, (x, joins))
                below = joins
            else:
                plus = canvas.plus(x, joins)
                canvas.arrow((x, base - 4), (aside, base - 4), (aside, joins), plus.right,
                             look="lit")  # fmt: skip
                canvas.arrow(layer.top, plus.bottom)
                below = plus.y
        canvas.arrow((x, below), (x, 26))
    return Picture("Two ways to cut", canvas).says(
        "A layer of the encoder with two parts, attention and an MLP, six times. On the left "
        "the skip connection around attention is cut, and the one around the MLP is left. On the "
        "right the skip connection around the MLP is cut, and the one around attention is left.",
        caption="In blue the skip connection that is left.",
    )


def words_and_places(*, shown: bool = True) -> Drawing:
    d, panels = 64, []
    place = math.sqrt(d / 2)
    for factor, name in (1.0, "as they are"), (math.sqrt(d), "word times √d"):
        canvas, unit, (x, y) = Canvas(190, 176, name), 13.0, (52.0, 142.0)
        right, up = x + unit * place, y - unit * factor
        canvas.arrow((x, y), (right, y), look="second")
        canvas.arrow((right, y), (right, up), look="lit")
        if shown:
            canvas.arrow((x, y), (right, up))
        canvas.text((x + right) / 2, 158, f"place {place:.2f}", size=11)
        canvas.text(right + 6, (y + up) / 2, f"word {factor:.0f}", size=11, anchor="start")
        panels.append(canvas)
    if not shown:
        return Picture("A word and its place, to be added", *panels).says(
            "A place has a length of 5.66. A word has a length of 1, or of 8 when it is "
            "multiplied by the root of 64. The sums are open.",
            caption="Drawn at right angles, with d = 64. In blue the word, in orange the place.",
        )
    return Picture("A word and its place, added", *panels).says(
        "A place has a length of 5.66. A word of length 1 hardly turns it; a word of length 8 "
        "does.",
        caption="Drawn at right angles, with d = 64. In blue the word, in orange the place; "
        "the thin arrow is their sum.",
    )


def shift() -> Drawing:
    panels, xs, words = [], [95 + 46.0 * place for place in range(4)], ["21", "22", "23"]
    asked = [*words, "EOS"]
    for title, given, below, above in (
        ("shifted right", ["BOS", *words], "", "lit"),
        ("not shifted", asked, "second", "second"),
    ):
        canvas = Canvas(280, 202)
        canvas.text(166, 12, title, size=12)
        canvas.text(66, 178, "target_in", size=11, anchor="end")
        canvas.boxes(xs, 166, 42, 24, given, size=12, look=below)
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
    return Picture("What is given and what is asked for", *panels).says(
        "Shifted right, each place is given a token and is asked for the next one. Without "
        "the shift each place is asked for the token that it is given.",
        caption="Each column is a position. In orange tokens that can be copied from below.",
    )


def one_pass_and_many() -> Drawing:
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
    return Picture("One pass, and a pass for each token", train, write).says(
        "In training all true tokens are given at once, and every place answers in one pass. "
        "In use the second pass needs the token that the first has written.",
        caption="Below what is given, above what is answered; in blue the answers; in orange the "
        "token that the next pass waits for.",
    )


def memory() -> Drawing:
    panels, says, wide, tall = [], [], 54, 26
    for which, last in zip(WHICH, by_hand.LAST, strict=True):
        rows, canvas = crossed(last).memory, Canvas(360, 182)
        canvas.text(0, 9, which, size=12.5, anchor="start")
        table(canvas, 60, 46, shades(rows), cell=(wide, tall), written=written(rows),
              rows=WORDS[last], columns=column_names(), frame=IT)  # fmt: skip
        panels.append(canvas)
        says.append(f"in the {which} ({', '.join(written(rows[IT][None])[0])})")
    return Picture("The rows after two layers: the memory", *panels).says(
        "Each word has a row of five numbers: animal, food, eats, state, pronoun. The row of it is "
        + " and ".join(says)
        + "."
    )


def cross_attention(*, shown: bool = True) -> Drawing:
    found, words, names = crossed(), WORDS["hungry"], list(by_hand.QUESTIONS)
    canvas, left, wide, tall = Canvas(360, 314), 98, 51, 25
    canvas.note(left + 2.5 * wide, 10, "keys: what the memory offers")
    table(canvas, left, 42, shades(found.keys.T), cell=(wide, tall), look="second",
          written=written(found.keys.T), rows=["animal − food", *column_names()[2:]],
          columns=words)  # fmt: skip
    low = 42 + 4 * tall + 42
    canvas.note(left + 2.5 * wide, low - 12, "weights of the five words")
    canvas.note(left - 8, low - 12, "the decoder asks", anchor="end")
    marks = [[percent(share) if shown else "?" for share in row] for row in found.weights]
    table(canvas, left, low, found.weights * shown, cell=(wide, tall), look="lit", written=marks,
          rows=names)  # fmt: skip
    if not shown:
        keys = written(found.keys)
        offers = "; ".join(
            f"{word} {', '.join(key)}" for word, key in zip(words, keys, strict=True)
        )
        return Picture("Five questions and five keys", canvas).says(
            "Keys of the five words, of four numbers each, animal less food, eats, state and "
            f"pronoun: {offers}. The decoder asks {', '.join(names)} The weights are "
            "open."
        )
    most = [f"{question} {percent(row.max())} on {words[row.argmax()]}"
            for question, row in zip(names, found.weights, strict=True)]  # fmt: skip
    return Picture("Five questions, five words found", canvas).says(
        "Each question gives most of its weight to another word: " + "; ".join(most) + "."
    )


def who_is_it(*, shown: bool = True) -> Drawing:
    canvas, top, tall = Canvas(360, 300), 84, 25
    does = "leaves it out", "writes meat"
    for n, last in enumerate(by_hand.LAST):
        x, found, words = 184.0 * n, crossed(last), WORDS[last]
        left, solved = x + 52, shown or n == 0
        canvas.text(x, 9, WHICH[n], size=12.5, anchor="start")
        asks = canvas.box(left - 4, 26, 88, 24, "who is it?", look="lit", size=12)
        canvas.arrow((left + 21, asks.bottom[1]), (left + 21, top - 20), look="lit")
        weights = found.weights[WHO][:, None]
        table(canvas, left, top, weights * solved, cell=(42, tall), look="lit", rows=words,
              written=[[percent(share) if solved else "?"] for share in weights[:, 0]],
              columns=["weight"])  # fmt: skip
        values = found.memory[:, :2]
        table(canvas, left + 48, top, shades(values), cell=(38, tall), written=written(values),
              columns=column_names()[:2])  # fmt: skip
        low = top + 5 * tall + 20
        takes = found.takes[WHO][None]
        canvas.arrow((left + 86, low - 20), (left + 86, low))
        canvas.text(left + 40, low + tall / 2, "is taken", size=12, anchor="end")
        table(canvas, left + 48, low, shades(takes, float(values.max())) * shown, cell=(38, tall),
              written=written(takes) if shown else [["?", "?"]], look="lit")  # fmt: skip
        canvas.arrow((left + 86, low + tall), (left + 86, low + tall + 20))
        canvas.box(left + 24, low + tall + 20, 102, 24, does[n] if shown else "?", size=12)
    share = percent(crossed().weights[WHO, IT])
    if not shown:
        return Picture("Who is it? Two sentences, to fill in", canvas).says(
            f"In the first sentence the question gives {share} of its weight to it. The "
            "weights in the second sentence, and what the decoder takes in both, are open."
        )
    takes = [f"({', '.join(written(crossed(last).takes[WHO][None])[0])})" for last in by_hand.LAST]
    return Picture("Who is it? The same weights, another find", canvas).says(
        f"In both sentences the question gives {share} of its weight to it. Of animal and "
        f"food the decoder takes {takes[0]} in the first sentence, and leaves it out. In the "
        f"second sentence the decoder takes {takes[1]}, and writes meat."
    )


def three_masks() -> Drawing:
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
    return Picture("Three masks", *panels).says(
        "For a source of one word padded to three, the encoder and the attention across may "
        "look at the first column alone. The decoder may look at everything up to its own place.",
        caption="Rows look, columns are looked at; blue is allowed, grey is not. The rows of "
        "padding are computed, and nothing uses them.",
    )


def smoothed() -> Drawing:
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
    return Picture("One-hot and smoothed targets", canvas).says(
        "One-hot asks for the right token alone. Smoothed by 0.3, a share goes to all four "
        "tokens, to the three others, or to the two others that are no padding.",
        caption="The distribution q over four tokens. In blue the right one, in orange the others.",
    )


def printed_and_released() -> Drawing:
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
    return Picture("As printed, and as most people know it", *panels).says(
        "As printed, the norm follows the addition and dropout falls on the updates. In the "
        "later code the norm is before each layer, and dropout also falls on the attention weights "
        "and after the ReLU.",
        caption="In blue the norms; each orange dot is a place of dropout. Not drawn: dropout "
        "after the embeddings, in both, and the norm at the end of the later stack.",
    )


def _shape(canvas: Canvas, x: float, y: float, shape: str) -> None:
    """Write a shape beside an arrow that runs upwards at x."""
    canvas.text(x + 6, y, shape, size=11, anchor="start")


def _passed(canvas: Canvas, x: float, given: Sequence[str], answers: Sequence[str]) -> None:
    """Draw one pass of the decoder over a few tokens, with the answers of the last of them."""
    xs = [x + 21.5 + 47.0 * number for number in range(len(given))]
    canvas.box(x, 92, 47.0 * len(given) - 4, 32, "decoder" if len(given) > 1 else "", size=12)
    canvas.boxes(xs, 154, 43, 24, given, size=11)
    canvas.arrows(xs, 154, 126)
    canvas.boxes(xs[-len(answers) :], 40, 43, 24, answers, size=11, look="lit")
    canvas.arrows(xs[-len(answers) :], 92, 64, look="lit")


words_and_places_open = left_open(words_and_places)
cross_attention_open = left_open(cross_attention)
who_is_it_open = left_open(who_is_it)
