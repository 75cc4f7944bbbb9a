"""Drawings of chapter 02b."""

import numpy as np

from bottomup.drawings import Canvas, Drawing
from bottomup.drawings.engine.numbers import softmax_of_rows
from bottomup.drawings.engine.words import middles, numbered, width

THINGS = ["red cup", "blue hat", "green coat", "which hat"]


def tape() -> Drawing:
    """Draw a question to an LSTM, which has its last state, and to an LSTMN, which has a tape."""
    nouns = np.eye(3)  # of cup, hat, coat; section 2 compares them by additive attention
    asked = 2 * nouns[1]
    weights = softmax_of_rows(-3 * np.tanh(2 * nouns + asked).sum(axis=1))
    xs = [44.0, 128, 212, 304]
    plain, taped = Canvas(352, 118), Canvas(352, 208)
    for canvas, y, title in (
        (plain, 46, "LSTM: the question meets one state"),
        (taped, 136, "LSTMN: the question reads the tape"),
    ):
        canvas.text(0, 8, title, size=12.5, anchor="start")
        canvas.row(xs, y + 66, THINGS, size=12)
        canvas.arrows(xs, y + 57, y + 27)
        states = canvas.boxes(xs, y, 40, 26, numbered("h", 4), look=("", "", "", "lit"))
        if canvas is plain:
            canvas.chain(*states[:3])
            canvas.chain(*states[2:], look="lit")
        else:
            canvas.chain(*states[:3], look="second")
    for i, x in enumerate(xs[:3]):
        taped.grid(x - 20, 70, [[float(weights[i])]], cell=40, written=".2f")
        taped.line((x, 70), (x, 44), look="lit" if i == 1 else "quiet")
    taped.arrows(xs[:3], 136, 110, look="quiet")
    taped.line((xs[0], 44), (xs[1], 44), look="quiet")
    taped.line((xs[2], 44), (xs[1], 44), look="quiet")
    taped.arrow((xs[1], 44), (xs[3], 44), (xs[3], 136), look="lit")
    taped.text(xs[3] - 6, 33, "reading", size=12)
    taped.text(xs[2] + 26, 90, "weights", size=12, anchor="start")
    taped.text((xs[0] + xs[1]) / 2, 172, "each waits", size=12)
    return Drawing(
        title="A state and a tape",
        says="In an LSTM the question meets the last state alone, which must hold all three "
        f"things. In an LSTMN it reads all states on a tape, here with weights of {weights[0]:.2f},"
        f" {weights[1]:.2f} and {weights[2]:.2f}, so most from the hat. But each state still "
        "waits for the one before.",
        panels=(plain, taped),
    )


def align_compare_aggregate() -> Drawing:
    """Draw how Parikh et al. compare two sentences."""
    first, second = ["dog", "sleeps", "outside"], ["animal", "rests"]
    features = 2 * np.eye(3)  # being, state, place
    scores = features @ features[:2].T
    weights = softmax_of_rows(scores)
    canvas, cell, left, right, top = Canvas(360, 284), 38, 80, 180, 78
    xs = [left + (j + 0.5) * cell for j in range(2)]
    canvas.text(left + cell, 10, "align", size=12.5)
    canvas.text(317, 10, "compare", size=12.5)
    canvas.box(54, top - 4, 20, 3 * cell + 8, "$F$", look="second")
    canvas.box(left - 4, top - 34, 2 * cell + 8, 20, "$F$", look="second")
    canvas.row(xs, 32, second, size=11)
    canvas.arrows(xs, top - 14, top)
    canvas.row([x + right - left for x in xs], top - 10, second, size=11)
    shown = [[f"{score:.0f}" for score in row] for row in scores]
    table = canvas.grid(left, top, scores / 4, cell=cell, look="", written=shown)
    read = canvas.grid(right, top, weights, cell=cell, written=".2f")
    canvas.chain(table, read)
    canvas.text(table.center[0], top + 3 * cell + 14, "scores $e_{ij}$", size=11.5)
    canvas.text(read.center[0], top + 3 * cell + 14, "softmax by row", size=11.5)
    for i, word in enumerate(first):
        y = top + (i + 0.5) * cell
        canvas.text(48, y, word, size=11.5, anchor="end")
        box = canvas.box(276, y - 12, 82, 24, f"{word}; read", size=11.5)
        canvas.arrow((right + 2 * cell, y), box.left)
    total = canvas.box(276, 218, 82, 24, "sum", size=12.5)
    canvas.chain(box, total)
    canvas.text(268, 230, "aggregate", size=12.5, anchor="end")
    canvas.arrow(total.bottom, (317, 262))
    canvas.text(317, 273, "does it follow?", size=12)
    canvas.text(0, 273, "one $F$ for both sides, no order", size=12, anchor="start")
    return Drawing(
        title="Align, compare, aggregate",
        says="The same network F makes features of the words of both sentences; their products "
        "are the scores; by row, the softmax says what each word of the first sentence reads of "
        "the second. Each word and what it reads are compared, and the results are summed. No "
        "state runs along a sentence.",
        panels=(canvas,),
    )


def intra_decoder() -> Drawing:
    """Draw what the steps of a decoder read of their own past."""
    states = np.array([1.0, 2.0, 1.0])  # W_d = 1
    weights = softmax_of_rows(states[2] * states[:2])
    chain, triangle, xs = Canvas(352, 150), Canvas(200, 122), [50.0, 170, 290]
    names = [f"$s_{i}$ = {state:.0f}" for i, state in enumerate(states, start=1)]
    boxes = chain.boxes(xs, 88, 48, 26, names, look=("", "", "lit"))
    chain.chain(*boxes, look="second")
    chain.text(xs[1], 134, "an LSTM makes the states, step after step", size=12)
    label = f"$c^d_3$ = {float(weights @ states[:2]):.2f}"
    context = chain.box(xs[2] - 40, 22, 80, 26, label, look="lit")
    for x, weight, y in zip(xs, weights, (30, 42), strict=False):
        chain.arrow((x, 88), (x, y), (context.x, y), look="lit")
        chain.text(x + 22, y - 10 if y == 30 else y + 11, f"{weight:.2f}", size=12)
    chain.chain(boxes[2], context)
    chain.text(xs[2] + 8, 67, "asks", size=12, anchor="start")
    table: list[list[float | None]] = [[None] * 3 for _ in range(3)]
    for t in range(1, 3):
        table[t][:t] = softmax_of_rows(states[t] * states[:t])
    triangle.grid(70, 20, table, cell=32, written=".2f", rows=["step 1", "step 2", "step 3"],
                  columns=numbered("s", 3))  # fmt: skip
    return Drawing(
        title="Intra-decoder attention",
        says=f"Step 3 reads {weights[0]:.2f} of the first state and {weights[1]:.2f} of the "
        "second, and not itself. As a table this is a lower triangle without its diagonal; the "
        "first row is empty. The states themselves come from an LSTM, one after another.",
        panels=(chain, triangle),
    )


def one_map_two_maps() -> Drawing:
    """Draw scores from one map, which mirror each other, and from two, which need not."""
    words = ["dog", "bites", "man"]
    vectors = np.array([[1, 0], [0, 1], [0.8, 0.6]])
    to_query = np.array([[0, 1.0], [0.5, 0.5]])  # set by hand, like W_Q and W_K of chapter 02
    panels = []
    for title, queries, look in (
        ("one map: $F(a_i)^⊤ F(a_j)$", vectors, "second"),
        ("two maps: $q_i^⊤ k_j$", vectors @ to_query.T, "lit"),
    ):
        canvas, cell, left, top = Canvas(160, 164), 38, 44, 42
        canvas.text(left + 1.5 * cell, 8, title, size=12)
        scores = queries @ vectors.T
        shown = [[f"{score:.1f}" for score in row] for row in scores]
        canvas.grid(left, top, scores * 0.6, cell=cell, look="", written=shown, rows=words,
                    columns=words)  # fmt: skip
        canvas.box(left + 2 * cell, top, cell, cell, look=look)
        canvas.box(left, top + 2 * cell, cell, cell, look=look)
        panels.append(canvas)
    return Drawing(
        title="One map and two",
        says="With one map the table of scores is its own mirror image: dog asks for man as much "
        "as man for dog. With a map for the query and one for the key the two differ.",
        panels=tuple(panels),
    )


def far_and_near() -> Drawing:
    """Draw which swaps of words a bias that ends at distance 2 can see."""
    bias = [0.5, 1.0, 0.0, -1.0, 2.0]  # d_{-2}, ..., d_2
    reach = len(bias) // 2
    row = [bias[max(-reach, min(reach, -j)) + reach] for j in range(7)]
    canvas, cell, left, top = Canvas(352, 150), 40, 62, 62
    xs = [left + (j + 0.5) * cell for j in range(7)]
    written, columns = [[f"{v:.1f}" for v in row]], [f"$a_{j}$" for j in range(7)]
    canvas.grid(left, top, [[v * 0.8 for v in row]], cell=cell, look="", written=written,
                columns=columns)  # fmt: skip
    canvas.text(left - 8, top + 20, "$d_{i-j}$, $i$ = 0", size=11.5, anchor="end")
    for a, b in ((1, 2), (4, 6)):
        middle, under, seen = (xs[a] + xs[b]) / 2, top + cell + 22, row[a] != row[b]
        for x in xs[a], xs[b]:
            canvas.arrow((middle, under), (x, under), (x, top + cell),
                         look="lit" if seen else "second")  # fmt: skip
        sign, words = ("≠", "seen") if seen else ("=", "not seen")
        words = f"{row[a]:.1f} {sign} {row[b]:.1f}: {words}"
        canvas.text(middle, under + 15, words, size=12)
    canvas.text(xs[0], 16, "query", size=12)
    canvas.arrow((xs[0], 25), (xs[0], 45))
    canvas.text(xs[4], 16, "one bias from distance 2 on", size=12)
    start, end = left + 2 * cell + 4, left + 7 * cell - 4
    canvas.line((start, 38), (start, 30), (end, 30), (end, 38))
    return Drawing(
        title="How far a bias sees",
        says="For the word at place 0, all words from distance 2 on have one and the same bias. It "
        "cannot tell when those at places 4 and 6 are swapped; a swap of 1 and 2 it can tell.",
        panels=(canvas,),
    )


def two_readings() -> Drawing:
    """Draw one reading where a thing is one vector, and two where it is two words."""
    apart = [word for thing in THINGS for word in thing.split()]
    panels = []
    for title, tokens in (
        ("a thing is one vector: one reading", THINGS),
        ("a thing is two words: two readings", apart),
    ):
        canvas = Canvas(352, 104)
        gap = (344 - sum(width(t, 12) for t in tokens)) / (len(tokens) - 1)
        xs = middles(tokens, 4, gap, 12)
        canvas.text(0, 8, title, size=12.5, anchor="start")
        canvas.row(xs, 94, tokens, size=12)
        found = xs[tokens.index("hat" if tokens is apart else "blue hat")]
        readings = [("lit", 42, xs[-1], found + 5)]
        if tokens is apart:
            readings.append(("second", 60, found - 5, xs[tokens.index("blue")]))
        for number, (look, y, start, end) in enumerate(readings, start=1):
            canvas.arrow((start, 84), (start, y), (end, y), (end, 84), look=look)
            canvas.text((start + end) / 2, y - 10, str(number), size=12)
        panels.append(canvas)
    return Drawing(
        title="One reading and two",
        says="Where a thing is one vector, the question reads the hat, and its colour comes along. "
        "Where colour and noun are two words, a first reading leads from the question to the noun, "
        "and a second from there to the colour before it.",
        panels=tuple(panels),
    )
