"""Drawings of chapter 04.

The numbers of *it* and its sentence come from the example that is worked by hand,
`bottomup.data.by_hand`; what is left of a trained network after a cut comes from the record.
"""

import math
from collections.abc import Sequence

import numpy as np

from bottomup import results
from bottomup.data import by_hand
from bottomup.drawings import Box, Canvas, Drawing, Picture, Point, Wide, left_open
from bottomup.drawings.engine.numbers import dot, shades, signed, softmax
from bottomup.drawings.engine.tables import column_names, percent, table
from bottomup.drawings.self_attention import IT, WHICH, WORDS, Matrix, first, rows, second

LAYERS = "attention", "MLP", "attention", "MLP"
EATS = by_hand.COLUMNS.index("eats")
PARTS = "its own row", "+ layer 1", "+ layer 2", "+ the MLP"
CUTS = "whole", "no attention", "no MLP"


def number(value: float) -> str:
    """Return a number of the example with its sign: 2, 0.97, −1.59, 0."""
    return signed(0.0 if abs(value) < 0.005 else value, ".2f").removesuffix(".00")


def in_brackets(values: Sequence[float] | Matrix) -> str:
    """Return a row as it is written in a line."""
    return f"({', '.join(map(number, values))})"


def fits(x: Matrix) -> Matrix:
    """Return how well each row fits the keys of the two neurons, their bias included."""
    return np.asarray(x @ by_hand.NEURONS.double().numpy().T + by_hand.BIAS)


def fact(x: Matrix) -> Matrix:
    """Return what the two neurons add to each row."""
    return np.asarray(np.maximum(fits(x), 0) @ by_hand.FACT.double().numpy().T)


def stations(last: str = "hungry") -> Matrix:
    """Return the rows of a sentence: at first, after each layer, and after the MLP."""
    below, above = first(last), second(last)
    x2 = above.x + above.output
    return np.array([below.x, above.x, x2, x2 + fact(x2)])


def signed_table(
    canvas: Canvas, x: float, y: float, values: Matrix, *, cell: tuple[float, float],
    most: float, rows: Sequence[str] = (), columns: Sequence[str] = (),
    written: Sequence[Sequence[str]] | None = None,
) -> None:  # fmt: skip
    """Draw numbers of either sign: what is negative has the second colour.

    `most` is the number with the strongest colour. `written` is what is to be read in the cells
    instead of the numbers; a cell with a question mark has no colour.
    """
    wide, tall = cell
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            words = written[i][j] if written else number(value)
            strong = 0.0 if words == "?" else min(1.0, abs(value) / most)
            table(canvas, x + j * wide, y + i * tall, [[strong]], cell=cell, written=[[words]],
                  look="second" if value < 0 and strong else "lit",
                  rows=rows[i : i + 1] if j == 0 else (),
                  columns=columns[j : j + 1] if i == 0 else ())  # fmt: skip


def _sum(last: str, *, shown: bool, mlp: bool = False) -> Canvas:
    """Return what each part adds to the row of it, and the sum."""
    x = stations(last)[: 4 if mlp else 3, IT]
    parts = np.array([x[0], *np.diff(x, axis=0)])
    wide, tall, left, top = 44, 26, 112, 48
    canvas = Canvas(360, top + (len(parts) + 1) * tall + 10)
    canvas.text(0, 9, WHICH[by_hand.LAST.index(last)], size=12.5, anchor="start")
    signed_table(canvas, left, top, parts, cell=(wide, tall), most=4, columns=column_names(),
                 rows=PARTS[: len(parts)])  # fmt: skip
    low = top + len(parts) * tall + 6
    canvas.box(left - 3, low - 1, 5 * wide + 6, tall + 2, look="lit")
    signed_table(canvas, left, low, x[-1:], cell=(wide, tall), most=4, rows=["= its stream"],
                 written=None if shown else [["?"] * 5])  # fmt: skip
    return canvas


def stream_of_it(*, shown: bool = True) -> Drawing:
    panels = [_sum(last, shown=shown) for last in by_hand.LAST]
    if not shown:
        took = [stations(last)[:, IT] for last in by_hand.LAST]
        each = " ".join(
            f"In the {where}, layer 1 adds {in_brackets(x[1] - x[0])} and layer 2 "
            f"{in_brackets(x[2] - x[1])}."
            for where, x in zip(WHICH, took, strict=True)
        )
        return Picture("What two layers add to the row of it", *panels).says(
            f"The row of it is {in_brackets(took[0][0])} in both sentences. {each} The sums "
            "hold question marks."
        )
    ends = [in_brackets(stations(last)[2, IT]) for last in by_hand.LAST]
    return Picture("The stream of it is a sum", *panels).says(
        f"Its own row and what two layers add make {ends[0]} in the first sentence and "
        f"{ends[1]} in the second."
    )


def block_of_it() -> Drawing:
    eats = [number(stations(last)[3, IT, EATS]) for last in by_hand.LAST]
    return Picture(
        "What each part has added to the stream of it",
        *(_sum(last, shown=True, mlp=True) for last in by_hand.LAST),
    ).says(
        "Two layers of attention add an animal in the first sentence and a food in the second. The "
        f"MLP adds {eats[0]} to eats in the first sentence and {eats[1]} in the second."
    )


def lengths() -> Drawing:
    x, words = stations()[:3], WORDS["hungry"]
    long = np.linalg.norm(x, axis=-1)
    canvas, left, tall = Canvas(360, 172), 110, 22
    for place, (word, look) in enumerate(zip((0, IT), ("lit", "second"), strict=True)):
        top = 20 + 84 * place
        canvas.text(0, top - 10, words[word], size=12.5, anchor="start")
        for n, name in enumerate(("its own row", "after layer 1", "after layer 2")):
            y = top + n * tall
            canvas.text(left - 8, y + 8, name, size=11.5, anchor="end")
            canvas.bar(left, y, 38 * long[n, word], 16, number(long[n, word]), look=look)
    said = [f"{words[word]} " + ", ".join(map(number, long[:, word])) for word in (0, IT)]
    return Picture("The rows grow", canvas).says(
        f"The length of a row at first, after layer 1 and after layer 2: {'; '.join(said)}."
    )


def layer_norm_of_cat() -> Drawing:
    x = stations()[:, 0]
    names = "the row of cat", "twice as long", "cat after two layers"
    wide, tall, left, top = 44, 26, 104, 44
    panels, ends = [], []
    for name, row in zip(names, (x[0], 2 * x[0], x[2]), strict=True):
        centred = row - row.mean()
        size = float(np.sqrt((centred**2).mean()))
        steps = np.array([row, centred, centred / size])
        canvas = Canvas(360, top + 3 * tall + 14)
        canvas.text(0, 9, name, size=12.5, anchor="start")
        names_of_steps = ["its row", f"less {number(row.mean())}", f"over {number(size)}"]
        signed_table(canvas, left, top, steps, cell=(wide, tall), most=4, columns=column_names(),
                     rows=names_of_steps)  # fmt: skip
        panels.append(canvas)
        ends.append(in_brackets(steps[-1]))
    return Picture("Three rows after the norm", *panels).says(
        f"Less its mean and over its typical size, the row of cat becomes {ends[0]}. A row "
        f"twice as long becomes {ends[1]}, and the row after two layers {ends[2]}."
    )


def keys_of_two_neurons() -> Drawing:
    keys = by_hand.NEURONS.double().numpy()
    wide, tall, left, top = 40, 26, 64, 44
    canvas = Canvas(360, 108)
    canvas.text(0, 9, "what a neuron looks for, and what it adds", size=12.5, anchor="start")
    signed_table(canvas, left, top, keys, cell=(wide, tall), most=2, columns=column_names(),
                 rows=["neuron 1", "neuron 2"])  # fmt: skip
    right = left + 5 * wide + 8
    signed_table(canvas, right, top, np.full((2, 1), by_hand.BIAS), cell=(38, tall), most=4,
                 columns=["bias"])  # fmt: skip
    signed_table(canvas, right + 46, top, by_hand.FACT[EATS].double().numpy()[:, None],
                 cell=(38, tall), most=2, columns=["adds"])  # fmt: skip
    first_key, other_key = map(in_brackets, keys)
    return Picture("Two neurons that hold a fact", canvas).says(
        f"The key of neuron 1 is {first_key}, that of neuron 2 {other_key}. Both have a bias "
        f"of {number(by_hand.BIAS)}. The first adds to eats, the second takes away."
    )


def _neurons(last: str, *, shown: bool) -> Canvas:
    x, words = stations(last)[2], WORDS[last]
    on, added = np.maximum(fits(x), 0), fact(x)[:, EATS, None]
    wide, tall, left, top = 40, 26, 54, 44
    canvas = Canvas(360, top + 5 * tall + 12)
    canvas.text(0, 9, WHICH[by_hand.LAST.index(last)], size=12.5, anchor="start")
    table(canvas, left, top, shades(x, 6), cell=(wide, tall),
          written=[[number(value) for value in row] for row in x], rows=words,
          columns=column_names(), frame=IT)  # fmt: skip
    right = left + 5 * wide + 4
    hidden = [["?"] * 2] * len(words)
    signed_table(canvas, right, top, on, cell=(29, tall), most=3, columns=["n. 1", "n. 2"],
                 written=None if shown else hidden)  # fmt: skip
    signed_table(canvas, right + 61, top, added, cell=(40, tall), most=3, columns=["adds"],
                 written=None if shown else hidden)  # fmt: skip
    return canvas


def two_neurons(*, shown: bool = True) -> Drawing:
    panels = [_neurons(last, shown=shown) for last in by_hand.LAST]
    if not shown:
        return Picture("Two neurons meet five rows", *panels).says(
            "The rows of both sentences after two layers of attention. The row of it is "
            + ", then ".join(in_brackets(stations(last)[2, IT]) for last in by_hand.LAST)
            + ". How far each neuron is on, and what both add, is open."
        )
    says = []
    for last, where in zip(by_hand.LAST, WHICH, strict=True):
        added = fact(stations(last)[2])[:, EATS]
        says.append(f"In the {where}, they add to eats: " + ", ".join(
            f"{word} {number(value)}" for word, value in zip(WORDS[last], added, strict=True)
        ) + ".")  # fmt: skip
    return Picture("What two neurons add to five rows", *panels).says(" ".join(says))


def from_word_to_logits() -> Drawing:
    words, cell, left = list(by_hand.ROWS), 15, 56
    x, top = stations(), rows(*words)
    d, n, size = top.shape[1], len(WORDS["hungry"]), len(words)
    logits = top @ x[-1, IT]
    canvas = Wide(360, 318)

    def shaded(y: float, at: float, values: Matrix) -> Box:
        return canvas.grid(at, y, shades(values, 4), cell=cell)

    def named(words: str, y: float, at: float) -> None:
        canvas.text(at, y, words, size=12.5, anchor="start")

    named("embedding [$V$, $d$]", 10, 10)
    table_of_words = shaded(24, left, top)
    named("context matrix [$n$, $d$]", 10, 214)
    sentence = shaded(32, 258, x[0])
    for at, y, written in ((left - 7, 24, words), (251, 32, WORDS["hungry"])):
        for i, word in enumerate(written):
            canvas.text(at, y + (i + 0.5) * cell, word, size=12, anchor="end")
    canvas.arrow((table_of_words.right[0] + 10, 70), (196, 70))
    canvas.text(168, 58, "look up", size=12)
    middle = sentence.bottom[0]
    box = canvas.box(middle - 40, 132, 80, 26, "layers")
    canvas.arrow((middle, sentence.bottom[1] + 2), box.top)
    canvas.line(box.bottom, (middle, 174), (left + 138, 174))
    canvas.arrow((left + 138, 174), (left + 138, 208), look="lit")
    canvas.text(left + 146, 186, "the last row of it", size=12, anchor="start")
    low = 206
    shaded(low, left, top)
    for i, word in enumerate(words):
        canvas.text(left - 7, low + (i + 0.5) * cell, word, size=12, anchor="end")
    shaded(low + cell / 2, left + 130, x[-1, IT][:, None])
    canvas.text(left + 100, low + 45, "·", size=16)
    canvas.text(left + 172, low + 45, "=", size=14)
    table(canvas, left + 246, low, shades(logits[:, None]), cell=(46, cell), look="lit",
          written=[[number(value)] for value in logits], rows=words)  # fmt: skip
    canvas.text(left + 26, low + 106, "unembedding [$V$, $d$]", size=12)
    canvas.text(left + 137, low + 106, "[$d$, 1]", size=12)
    canvas.text(left + 262, low + 106, "logits [$V$, 1]", size=12)
    return Picture("From a word to its row, and from a row to a word", canvas).says(
        f"The embedding has {size} rows of {d} numbers, one for each word. The rows of the "
        f"sentence are its context matrix, {n} by {d}. After the layers, the table of {size} by "
        f"{d} times the last row of it, {d} by 1, gives {size} logits: the highest is that of "
        f"{words[int(logits.argmax())]}, {number(logits.max())}."
    )


def _logits(last: str) -> Matrix:
    """Return the logits of five words at it, at each station of its stream."""
    return np.asarray(stations(last)[:, IT] @ rows(*WORDS[last]).T)


def _lens(last: str, *, shown: bool) -> Canvas:
    logits, x, tall, left = _logits(last), 28.0, 30, 124
    canvas = Canvas(360, 190)
    canvas.text(0, 9, WHICH[by_hand.LAST.index(last)], size=12.5, anchor="start")
    below = 182.0
    for n, name in enumerate(PARTS):
        y = 140 - 32 * n
        station = canvas.box(x - 14, y + 4, 28, 22, f"$x_{n}$", size=12, look="lit")
        canvas.line((x, below), station.bottom, look="lit")
        below = station.y
        canvas.text(left - 8, y + 15, name, size=11, anchor="end")
        written = None if shown else [["?"] * 5]
        signed_table(canvas, left, y, logits[n : n + 1], cell=(44, tall), most=8, written=written)
        most = int(logits[n].argmax())
        if shown:
            canvas.box(left + 44 * most + 2, y + 2, 40, tall - 4)
    canvas.row([left + 44 * (j + 0.5) for j in range(5)], 34, WORDS[last], size=12)
    canvas.arrow((x, below), (x, 20), look="lit")
    return canvas


def lens_of_it(*, shown: bool = True) -> Drawing:
    panels = [_lens(last, shown=shown) for last in by_hand.LAST]
    if not shown:
        return Picture("Four stations of the stream of it", *panels).says(
            "The stream of it at first, after layer 1, after layer 2 and after the MLP, in both "
            "sentences, each with a place for the logits of five words; all hold question marks."
        )
    says = []
    for last, where in zip(by_hand.LAST, WHICH, strict=True):
        logits = _logits(last)
        best = [f"{WORDS[last][row.argmax()]} with {number(row.max())}" for row in logits]
        ate = number(logits[-1, 1])
        says.append(f"In the {where}, the highest logit is that of {', then '.join(best)}; "
                    f"the MLP moves that of ate from 0 to {ate}.")  # fmt: skip
    return Picture("The logits at four stations of the stream of it", *panels).says(
        " ".join(says) + " The highest of each station is in a frame."
    )


def _left_of_it(last: str) -> Matrix:
    """Return the row of it in the end: of the whole machine, and without one of its parts."""
    x0, _x1, x2, x3 = stations(last)
    return np.array([x3[IT], (x0 + fact(x0))[IT], x2[IT]])


def _cut(last: str, *, shown: bool) -> Canvas:
    left_of, wide, tall, left, top = _left_of_it(last), 44, 28, 112, 46
    canvas = Canvas(360, top + 3 * tall + 12)
    canvas.text(0, 9, WHICH[by_hand.LAST.index(last)], size=12.5, anchor="start")
    written = [[number(value) for value in row] for row in left_of]
    if not shown:
        written[1:] = [["?"] * 5] * 2
    signed_table(canvas, left, top, left_of, cell=(wide, tall), most=4, written=written,
                 rows=CUTS, columns=column_names())  # fmt: skip
    return canvas


def cuts_of_it(*, shown: bool = True) -> Drawing:
    panels = [_cut(last, shown=shown) for last in by_hand.LAST]
    if not shown:
        whole = [in_brackets(_left_of_it(last)[0]) for last in by_hand.LAST]
        return Picture("The row of it, and two cuts", *panels).says(
            f"In the whole machine the row of it ends as {whole[0]} in the first sentence and "
            f"{whole[1]} in the second. Without attention, and without the MLP, it holds question "
            "marks."
        )
    attention, mlp = _left_of_it("hungry")[1:]
    return Picture("What two cuts leave of the row of it", *panels).says(
        f"Without attention, the row of it ends as {in_brackets(attention)} in both "
        f"sentences. Without the MLP, it ends as {in_brackets(mlp)} in the first sentence. Both "
        "times nothing is left under eats."
    )


def cuts_of_a_trained_network() -> Drawing:
    record = results.load("mlp_and_superposition.json")
    found = np.array([
        [np.mean(record.metric(f"dissociation.{cut}.end.{word}.accuracy"))
         for word in ("first", "last", "attribute")]
        for cut in ("intact", "attention_mean", "feed_forward_mean")
    ])  # fmt: skip
    canvas, wide, tall, left, top = Canvas(360, 132), 74, 30, 112, 30
    shown = [[percent(share) for share in row] for row in found]
    signed_table(canvas, left, top, found, cell=(wide, tall), most=1, written=shown, rows=CUTS,
                 columns=["first name", "last name", "sport"])  # fmt: skip
    said = "; ".join(f"{cut}: {', '.join(row)}" for cut, row in zip(CUTS, shown, strict=True))
    return Picture("What two cuts leave in a trained network", canvas).says(
        "How often a probe at the last position finds the first name, the last name and the "
        f"sport. {said}."
    )


def stream() -> Drawing:
    canvas, x, low, step = Canvas(340, 356), 128.0, 308.0, 68.0
    below = low + 16
    canvas.note(x, low + 34, "one position of the sentence")
    stands = "$x_0$"
    canvas.text(x - 12, low + 6, stands, anchor="end")
    for number, name in enumerate(LAYERS, start=1):
        fork, joins = low - 4 - step * (number - 1), low - 54 - step * (number - 1)
        layer = canvas.box(218, joins + 9, 92, 32, name)
        norm = canvas.box(168, joins + 15, 30, 20, "LN", size=11)
        canvas.chain(norm, layer)
        below = canvas.beside(x, (below, fork, joins), layer, norm, look="lit").y
        canvas.text(222, joins - 11, f"$u_{number}$", size=12)
        if name == "attention":
            canvas.arrow((336, layer.center[1]), layer.right, look="second")
        stands = f"{stands} + $u_{number}$" if number < 4 else "$x_4$ = $x_0$ + … + $u_4$"
        canvas.text(x - 12, joins - 12, stands, size=12, anchor="end")
    canvas.arrow((x, below), (x, 14), look="lit")
    return Picture("The residual stream", canvas).says(
        "Each layer takes a copy of the stream through a norm and adds its update to the "
        "stream. Attention also looks at other positions; the MLP has its own position alone.",
        caption="In blue the stream of one position, in orange what attention takes from others.",
    )


def norm_axes() -> Drawing:
    x = [[0.9, 0.2, 0.6, 0.3], [0.3, 0.8, 0.1, 0.4], [0.6, 0.4, 0.9, 0.7], [0.2, 0.5, 0.4, 0.1],
         [0.7, 0.9, 0.2, 0.8]]  # fmt: skip
    cell, left, top = 26.0, 62.0, 48.0
    right, foot = left + 4 * cell, top + 5 * cell
    own, across = Canvas(250, 216), Canvas(250, 216)
    for canvas, title in (own, "over the components: right"), (across, "over the positions: wrong"):
        canvas.text(left + 2 * cell, 12, title, size=12)
        canvas.note(left + 2 * cell, 34, "components")
        canvas.grid(left, top, x[:4], cell=cell, look="", written=".1f",
                    rows=("first word", "", "", ""))  # fmt: skip
        canvas.grid(left, foot - cell, x[4:], cell=cell, look="second", written=".1f",
                    rows=("last word",))  # fmt: skip
    own.box(left - 2, top - 1, 4 * cell + 4, cell + 2, look="lit")
    for number, (row, look) in enumerate(zip(x, ("lit", "", "", "", "second"), strict=True)):
        y = top + (number + 0.5) * cell
        own.arrow((right + 3, y), (right + 22, y), look=look)
        own.text(right + 24, y, f"$μ$ = {sum(row) / 4:.2f}", size=11, anchor="start")
    across.box(left - 1, top - 2, cell + 2, 5 * cell + 4, look="lit")
    xs = [left + (number + 0.5) * cell for number in range(4)]
    means = [f"{sum(column) / 5:.2f}"[1:] for column in zip(*x, strict=True)]
    across.arrows(xs, foot + 3, foot + 18, look="second")
    across.row(xs, foot + 26, means, size=11)
    across.text(left - 5, foot + 26, "$μ$ =", size=11, anchor="end")
    return Picture("Which numbers share a mean", own, across).says(
        "Over the components each position has a mean of its own, and the last word is in one "
        "of five. Over the positions each component has one, and the last word is in all of them.",
        caption="The blue frame holds the numbers of one mean. In orange the last word and the "
        "means that it moves.",
    )


def pre_and_post() -> Drawing:
    panels = []
    for title, pre in ("pre-norm, (3)", True), ("post-norm, (4)", False):
        canvas, x = Canvas(190, 300), 44.0
        canvas.text(x + 38, 12, title, size=12)
        canvas.text(x, 290, "$x$")
        below = 281.0
        for name in "attention", "MLP":
            fork = below - 18
            layer = canvas.box(84, fork - (64 if pre else 50), 90, 26, name)
            joins = layer.y - 12
            if pre:
                norm = canvas.box(107, fork - 28, 44, 18, "LN", size=11, look="second")
                canvas.chain(norm, layer)
            into = norm if pre else layer
            plus = canvas.beside(x, (below, fork, joins), layer, into, look="lit")
            below = plus.y
            if not pre:
                norm = canvas.box(x - 22, joins - 34, 44, 18, "LN", size=11, look="second")
                canvas.line(plus.top, norm.bottom, look="lit")
                below = norm.y
        canvas.arrow((x, below), (x, 24), look="lit")
        panels.append(canvas)
    return Picture("Before or after the layer", *panels).says(
        "With pre-norm the stream runs from bottom to top and is only added to; the norm is on the "
        "way into a layer. With post-norm the stream itself passes a norm after every addition.",
        caption="In blue the stream, in orange the norms.",
    )


def each_by_itself(*, shown: bool = True) -> Drawing:
    xs, changed = [30.0 + 40 * i for i in range(5)], ("", "", "", "", "second")
    attention = Canvas(220, 150, "attention: in below, out above")
    mlp = Canvas(220, 150, "MLP: in below, out above")
    ways = [((start, 124), (end, 42)) for start in xs[:4] for end in xs]
    for way in ways:
        attention.line(*way, look="quiet")
    for end in xs:
        if shown:
            attention.arrow((xs[4], 122), (end, 44), look="second")
        else:
            attention.line((xs[4], 124), (end, 42), look="quiet")
    mlp.arrows(xs, 122, 95, look=changed if shown else "")
    mlp.boxes(xs, 73, 34, 20, ["MLP"] * 5, size=11)
    mlp.arrows(xs, 71, 44, look=changed if shown else "")
    for canvas, reached in (attention, "second"), (mlp, changed):
        if shown:
            canvas.boxes(xs, 26, 24, 16, look=reached)
        else:
            canvas.boxes(xs, 26, 24, 16, ["?"] * 5, size=11)
        canvas.boxes(xs, 124, 24, 16, look=changed)
    if not shown:
        return Picture("One changed word", attention, mlp).says(
            "Five words go through attention without a mask, and five through the MLP. The "
            "last word, in orange, is changed. Each output holds a question mark."
        )
    return Picture("Which outputs one changed word reaches", attention, mlp).says(
        "The last of five words is changed. Through attention without a mask all five outputs "
        "change, through the MLP only the last one.",
        caption="In orange the word that is changed and all that changes with it.",
    )


def no_linear_map() -> Drawing:
    canvas, left, low, unit = Canvas(360, 232), 60.0, 200.0, 40.0
    canvas.arrow((left, low), (left + 5 * unit, low))
    canvas.arrow((left, low), (left, low - 4.6 * unit))
    animal, food = column_names()[:2]
    canvas.text(left + 5 * unit + 8, low, animal, size=12, anchor="start")
    canvas.text(left - 8, low - 4.4 * unit, food, size=12, anchor="end")
    said = []
    for place, look in ((IT, "lit"), (4, "second")):
        ends = []
        for last in by_hand.LAST:
            a, f = stations(last)[2, place, :2]
            x, y = left + unit * a, low - unit * f
            word = WORDS[last][place]
            canvas.dot(x, y, 4.5, look=look)
            canvas.text(x + 9, y - 9, word, size=12.5, anchor="start")
            ends.append((x, y))
            said.append(f"{word} {in_brackets((a, f))}")
        canvas.line(*ends, look=look)
    return Picture("Two rows change places", canvas).says(
        "The numbers of animal and food after two layers: " + ", ".join(said) + ". Both pairs "
        "lie on slanted lines along which animal and food have the same sum."
    )


def how_much() -> Drawing:
    scores = {("Ada", "Reed"): 1.4, ("Ada", "Sol"): -0.9, ("Bo", "Reed"): -0.2, ("Bo", "Sol"): 0.6}
    own = {names: softmax([score, 0.0])[0] for names, score in scores.items()}
    same = dict.fromkeys(own, sum(own.values()) / len(own))
    panels = []
    for title, weights in ("a weight for each pair", own), ("the same weight for all", same):
        canvas = Canvas(250, 138, title)
        for number, ((given, family), weight) in enumerate(weights.items()):
            y = 38 + number * 28
            canvas.text(68, y, f"{given} {family}", size=11, anchor="end")
            canvas.bar(76, y - 9, 120 * weight, 18, f"{weight:.2f} $v$({given})",
                       look="lit" if given == "Ada" else "second")  # fmt: skip
        panels.append(canvas)
    return Picture("What attention takes, and how much of it", *panels).says(
        "Attention takes the first name, in an amount that depends on both names: four pairs, four "
        "amounts. With the same weight for all, people with one first name get the same update.",
        caption="Made-up scores. Each bar is what the last position gets: weight times the value "
        "of the first name.",
    )


def crowded() -> Drawing:
    panels = []
    for columns in [_direction(0), _direction(90)], [_direction(90 - 72 * i) for i in range(5)]:
        count, cell = len(columns), 30.0
        canvas = Canvas(196, 350, f"{count} features, 2 dimensions")
        _plane(canvas, (98, 98), 52, columns)
        left, top = 98 - count * cell / 2 + 6, 198.0
        canvas.text(98, top - 27, "$W^⊤ W$", size=12)
        names = [str(i + 1) for i in range(count)]
        canvas.grid(left, top, [[0.0] * count] * count, cell=cell, look="", rows=names,
                    columns=names)  # fmt: skip
        for i, one in enumerate(columns):
            for j, other in enumerate(columns):
                _number(canvas, left + j * cell, top + i * cell, dot(one, other), cell,
                        "lit" if i == j else "second")  # fmt: skip
        panels.append(canvas)
    return Picture("Two directions in a plane, and five", *panels).says(
        "Two directions at right angles have no product with each other. Of five, 72 degrees "
        "apart, neighbours have a product of 0.31 and the others of minus 0.81.",
        caption="In blue what comes back of a feature itself, in orange interference.",
    )


def pair_and_pentagon() -> Drawing:
    return Picture("What the ReLU takes away", _read(2), _read(5)).says(
        "In a pair of opposite directions, minus one comes back for the other feature, and "
        "the ReLU makes it zero. In a pentagon, 0.31 comes back for both neighbours, and stays.",
        caption="Feature 1 alone is on. In orange what comes back for features that are off.",
    )


def _read(count: int) -> Canvas:
    columns = [_direction(90 - 360 / count * i) for i in range(count)]
    canvas = Canvas(270, 240, f"{count} features, lengths 1")
    _plane(canvas, (135, 86), 44, columns)
    read = [dot(columns[0], column) for column in columns]
    rows = {"$W^⊤ h$": read}
    rows["ReLU"] = [max(0.0, value) for value in read]
    left, cell = 66.0, 38.0
    xs = [left + (i + 0.5) * cell for i in range(count)]
    canvas.row(xs, 159, [str(i + 1) for i in range(count)], size=11)
    for number, (name, values) in enumerate(rows.items()):
        y = 166 + number * 36
        canvas.text(left - 6, y + 17, name, size=11, anchor="end")
        for i, value in enumerate(values):
            _number(canvas, left + i * cell + 2, y, value, 34, "lit" if i == 0 else "second")
    return canvas


def autoencoder() -> Drawing:
    directions = [_direction(90 - 72 * i) for i in range(5)]
    h = tuple(0.8 * part for part in directions[1])
    near = math.cos(2 * math.pi / 5)
    gain, b_enc = 1 / (1 - near), -0.8 * near / (1 - near)
    f = [max(0.0, gain * dot(d, h) + b_enc) for d in directions]
    back = [dot(f, column) for column in zip(*directions, strict=True)]
    canvas, cell, middle = Canvas(344, 232), 30.0, 104.0
    for x, name, values, look, y in (
        (24.0, "$h$", h, "lit", middle - 42),
        (155.0, "$f$", f, "second", 14.0),
        (292.0, "$h'$", back, "lit", middle - 42),
    ):
        canvas.text(x + 15, y, name)
        for k, value in enumerate(values):
            _number(canvas, x, middle + (k - len(values) / 2) * cell, value, cell, look)
    encode = canvas.box(74, middle - 34, 46, 68, "$E$")
    decode = canvas.box(220, middle - 34, 46, 68, "$D$")
    canvas.arrow((54, middle), encode.left)
    canvas.arrow(encode.right, (155, middle))
    canvas.arrow((185, middle), decode.left)
    canvas.arrow(decode.right, (292, middle))
    canvas.text(170, 196, "few of many are not zero", size=11)
    canvas.row((39, 307), 154, ("d_input", "d_input"), size=11)
    canvas.text(170, 214, "dictionary", size=11)
    plane = Canvas(190, 232)
    plane.text(95, 14, "the columns $d_i$ of $D$, and $h$", size=12)
    _plane(plane, (95, 116), 62, directions, first="second", names="d")
    plane.arrow((95, 116), (95 + 62 * h[0], 116 - 62 * h[1]), look="lit")
    plane.text(95 + 26, 128, "$h$")
    return Picture("A sparse autoencoder", canvas, plane).says(
        "Two numbers are encoded into five, of which one is not zero, and that one times its "
        "direction gives the two numbers back.",
        caption="In blue the vector, in orange its code and the directions of the dictionary.",
    )


def tools() -> Drawing:
    canvas, x, below = Canvas(352, 350), 150.0, 338.0
    logits = canvas.box(x - 48, 20, 96, 26, "$U$ LN($x$)")
    for name, fork in ("attention", 316), ("MLP", 192):
        layer = canvas.box(196, fork - 58, 92, 30, name)
        below = canvas.beside(x, (below, fork, fork - 82), layer, layer, look="lit").y
    canvas.arrow((x, below), logits.bottom, look="lit")
    canvas.text(320, 223, "weights of\nattention", size=11)
    canvas.arrow((320, 241), (320, 273), (288, 273), look="second")
    canvas.line((213, 118), (223, 102), look="second")
    canvas.text(276, 76, "ablation by zero, by mean\nor another sample", size=11)
    canvas.arrow((256, 94), (224, 108), look="second")
    for y, words in (213.0, "linear probe"), (168.0, "sparse autoencoder"), (78.0, "logit lens"):
        canvas.text(114, y, words, size=11, anchor="end")
        canvas.arrow((118, y), (x, y), look="second")
    return Picture("Where each tool takes hold", canvas).says(
        "Probe, autoencoder and lens look at a vector of the stream; the weights of attention "
        "are inside a layer; an ablation replaces what a layer adds.",
        caption="In blue the stream, in orange where each tool takes hold.",
    )


def _direction(degrees: float) -> Point:
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def _number(canvas: Canvas, x: float, y: float, value: float, cell: float, look: str) -> None:
    """Draw a number of either sign: its size as colour, and its sign in writing."""
    form = ".1f" if cell < 34 else ".2f"
    shown = signed(value, form) if float(format(value, form)) else "0"
    canvas.grid(x, y, [[min(1.0, abs(value))]], cell=cell, look=look, written=[[shown]])


def _plane(
    canvas: Canvas, middle: Point, unit: float, columns: Sequence[Sequence[float]], *,
    first: str = "lit", names: str = "W",
) -> None:  # fmt: skip
    """Draw directions as arrows from the middle, each with its name."""
    for number, (a, b) in enumerate(columns):
        length = math.hypot(a, b)
        tip = middle[0] + unit * a, middle[1] - unit * b
        canvas.arrow(middle, tip, look="second" if number else first)
        out = unit + 12 / length
        canvas.text(middle[0] + out * a, middle[1] - out * b, f"${names}_{number + 1}$", size=12)


stream_of_it_open = left_open(stream_of_it)
two_neurons_open = left_open(two_neurons)
lens_of_it_open = left_open(lens_of_it)
cuts_of_it_open = left_open(cuts_of_it)
each_by_itself_open = left_open(each_by_itself)
