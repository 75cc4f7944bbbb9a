"""Drawings of chapter 02b.

The hops look at the sentence that is worked by hand, `bottomup.data.by_hand`.
"""

from itertools import pairwise
from statistics import mean

import numpy as np

from bottomup import results
from bottomup.data import by_hand
from bottomup.drawings import Canvas, Drawing, Picture, left_open
from bottomup.drawings.engine.numbers import shades, signed, softmax_of_rows
from bottomup.drawings.engine.tables import column_names, percent, table
from bottomup.drawings.engine.words import middles, numbered, width
from bottomup.drawings.self_attention import Matrix

THINGS = ["red cup", "blue hat", "green coat", "which hat"]
SIZE = 12.5  # of a title
PLACES = 44.0, 128.0, 212.0, 304.0  # of things, from left to right
OPEN = "?"


def _things(canvas: Canvas, y: float) -> None:
    """Write the things below the boxes of the states, which stand at `y`."""
    canvas.row(PLACES, y + 66, THINGS, size=12)
    canvas.arrows(PLACES, y + 57, y + 27)


def one_state() -> Drawing:
    canvas, y = Canvas(352, 96), 26.0
    _things(canvas, y)
    states = canvas.boxes(PLACES, y, 40, 26, numbered("h", 4), look=("", "", "lit", "lit"))
    canvas.chain(*states[:3])
    canvas.chain(*states[2:], look="lit")
    canvas.text(PLACES[2], 11, "all three things", size=12)
    return Picture("One state for three things", canvas).says(
        "An LSTM reads red cup, blue hat and green coat one after another, and makes a state "
        "after each. The question, which hat, meets the last of these states alone, which has to "
        "hold all three things."
    )


def weights_on_the_tape() -> Matrix:
    """Return the weights of the question on the three things, by additive attention."""
    nouns = np.eye(3)  # cup, hat, coat
    asked = 2 * nouns[1]
    return softmax_of_rows(-3 * np.tanh(2 * nouns + asked).sum(axis=1))


def tape(*, shown: bool = True) -> Drawing:
    canvas, y = Canvas(352, 202), 130.0
    _things(canvas, y)
    states = canvas.boxes(PLACES, y, 40, 26, numbered("h", 4), look=("", "", "", "lit"))
    canvas.chain(*states[:3], look="second")
    weights = weights_on_the_tape() * shown
    written = [percent(share) if shown else OPEN for share in weights]
    for x, share, words in zip(PLACES, weights, written, strict=False):
        table(canvas, x - 22, 66, [[float(share)]], cell=(44, 36), written=[[words]], look="lit")
        canvas.line((x, 66), (x, 40), look="lit" if share > 0.5 else "quiet")
    canvas.arrows(PLACES[:3], y, 104, look="quiet")
    first, hat, last, asks = PLACES
    canvas.line((first, 40), (hat, 40), look="quiet")
    canvas.line((last, 40), (hat, 40), look="quiet")
    canvas.arrow((hat, 40), (asks, 40), (asks, y), look="lit")
    canvas.text(asks - 30, 28, "weighted mean", size=12)
    canvas.text(last + 28, 84, "weights", size=12, anchor="start")
    canvas.text((first + hat) / 2, y + 36, "each waits", size=12)
    if not shown:
        return Picture("A tape, with its weights to fill in", canvas).says(
            "An LSTMN reads red cup, blue hat and green coat one after another, and keeps all "
            "three states. The question, which hat, takes a weighted mean of them. Each of the "
            "three weights is a question mark."
        )
    return Picture("The question looks at the tape", canvas).says(
        "The question gives {} of its weight to red cup, {} to blue hat and {} to green coat. Each "
        "state still waits for the one before.".format(*written)
    )


def _step(name: str, states: list[str]) -> Canvas:
    """Return one step of a recurrent network, with what it gets in the place of its states."""
    canvas = Canvas(172, 150, name)
    gates = canvas.box(46, 66, 80, 28, "gates")
    for number, state in enumerate(states):
        x = 62.0 + 48 * number
        given = canvas.box(x - 20, 116, 40, 26, state, look="lit")
        canvas.arrow(given.top, (x, 94))
        made = canvas.box(x - 20, 22, 40, 26, ("$h_t$", "$c_t$")[number])
        canvas.arrow((x, 66), made.bottom)
    canvas.text(8, 80, "$x_t$", size=SIZE, anchor="start")
    canvas.arrow((24, 80), gates.left)
    return canvas


def gates() -> Drawing:
    return Picture(
        "One step of an LSTM and of an LSTMN",
        _step("LSTM: the last states", ["$h_{t-1}$", "$c_{t-1}$"]),
        _step("LSTMN: two means", ["$h̃_t$", "$c̃_t$"]),
    ).says(
        "In an LSTM the gates get the word and the two states of the step before. In an LSTMN "
        "they get the word and two weighted means of all the states before. All else is the same."
    )


FIRST, SECOND = ["dog", "sleeps", "outside"], ["animal", "rests"]


def align_compare_aggregate(*, shown: bool = True) -> Drawing:
    features = 2 * np.eye(3)  # being, state, place
    scores = features @ features[:2].T
    weights = softmax_of_rows(scores)
    canvas, cell, left, right, top = Canvas(360, 284), 38, 80, 180, 78
    xs = [left + (j + 0.5) * cell for j in range(2)]
    canvas.text(left + cell, 10, "align", size=SIZE)
    canvas.text(315, 10, "compare", size=SIZE)
    canvas.box(54, top - 4, 20, 3 * cell + 8, "$F$", look="second")
    canvas.box(left - 4, top - 34, 2 * cell + 8, 20, "$F$", look="second")
    canvas.row(xs, 32, SECOND, size=11)
    canvas.arrows(xs, top - 14, top)
    canvas.row([x + right - left for x in xs], top - 10, SECOND, size=11)
    numbers = [[f"{score:.0f}" for score in row] for row in scores]
    dots = table(canvas, left, top, scores / 4, cell=(cell, cell), written=numbers)
    written = [[percent(share) for share in row] for row in weights]
    if not shown:
        weights[-1], written[-1] = 0, [OPEN, OPEN]
    shares = table(canvas, right, top, weights, cell=(cell, cell), written=written, look="lit")
    canvas.chain(dots, shares)
    canvas.text(dots.center[0], top + 3 * cell + 14, "scores $e_{ij}$", size=11.5)
    canvas.text(shares.center[0], top + 3 * cell + 14, "weights", size=11.5)
    for i, word in enumerate(FIRST):
        y = top + (i + 0.5) * cell
        canvas.text(48, y, word, size=11.5, anchor="end")
        box = canvas.box(270, y - 12, 90, 24, f"{word}; taken", size=11.5)
        canvas.arrow((right + 2 * cell, y), box.left)
    total = canvas.box(270, 218, 90, 24, "sum", size=SIZE)
    canvas.chain(box, total)
    canvas.text(264, 230, "aggregate", size=SIZE, anchor="end")
    canvas.arrow(total.bottom, (315, 262))
    canvas.text(315, 273, "does it follow?", size=12)
    canvas.text(0, 273, "one $F$ for both sides, no order", size=12, anchor="start")
    if not shown:
        return Picture("Two sentences, with the weights of one word to fill in", canvas).says(
            "The same network F makes features of the words of both sentences. Their products "
            "are the scores: dog and animal 4, sleeps and rests 4, all others 0. dog gives 98% of "
            "its weight to animal, sleeps as much to rests. The two weights of outside are "
            "question marks."
        )
    return Picture("Align, compare, aggregate", canvas).says(
        "The weights of outside are filled in: 50% for animal and 50% for rests. Each word of "
        "the first sentence is compared with what it takes from the second, and the results are "
        "summed. No state runs along a sentence."
    )


def one_map_two_maps() -> Drawing:
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
    return Picture("One map and two", *panels).says(
        "With one map the table of scores is its own mirror image: dog asks for man as much "
        "as man for dog, and the largest number of each row is on the diagonal. With a map for the "
        "query and one for the key, dog and man differ."
    )


def far_and_near() -> Drawing:
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
    return Picture("How far a bias sees", canvas).says(
        "For the word at place 0, all words from distance 2 on have one and the same bias. It "
        "cannot tell when those at places 4 and 6 are swapped; a swap of 1 and 2 it can tell."
    )


def two_looks() -> Drawing:
    apart = [word for thing in THINGS for word in thing.split()]
    panels = []
    for title, tokens in (
        ("a thing is one vector: one look", THINGS),
        ("a thing is two words: two looks", apart),
    ):
        canvas = Canvas(352, 104)
        gap = (344 - sum(width(t, 12) for t in tokens)) / (len(tokens) - 1)
        xs = middles(tokens, 4, gap, 12)
        canvas.text(0, 8, title, size=SIZE, anchor="start")
        canvas.row(xs, 94, tokens, size=12)
        found = xs[tokens.index("hat" if tokens is apart else "blue hat")]
        looks = [("lit", 42, xs[-1], found + 5)]
        if tokens is apart:
            looks.append(("second", 60, found - 5, xs[tokens.index("blue")]))
        for number, (look, y, start, end) in enumerate(looks, start=1):
            canvas.arrow((start, 84), (start, y), (end, y), (end, 84), look=look)
            canvas.text((start + end) / 2, y - 10, str(number), size=12)
        panels.append(canvas)
    return Picture("One look and two", *panels).says(
        "Where a thing is one vector, the question looks at the hat, and the colour comes "
        "along. Where colour and noun are two words, a first look leads from the question to the "
        "noun, and a second from there to the colour before it."
    )


SOURCE, STEPS = ["storm", "closes", "airport"], ["step 1", "step 2", "step 3"]
ASKED = np.array([[3.0, 1.0, 0.0], [3.0, 2.0, 0.0], [3.0, 2.0, 1.0]])  # [step, source]


def temporal_weights() -> Matrix:
    """Return the weights of temporal attention for the three steps."""
    powers = np.exp(ASKED)
    quotients = powers.copy()
    quotients[1:] /= powers.cumsum(axis=0)[:-1]
    return np.asarray(quotients / quotients.sum(axis=1, keepdims=True))


THREE_STEPS = (
    "Three steps of a decoder and their scores for storm, closes and airport: 3, 1, 0, then 3, 2, "
    "0, then 3, 2, 1. By the softmax each step looks at storm most."
)


def temporal(*, shown: bool = True) -> Drawing:
    plain, later = softmax_of_rows(ASKED), temporal_weights()
    whole = [[f"{score:.0f}" for score in row] for row in ASKED]
    shares = [[[percent(share) for share in row] for row in each] for each in (plain, later)]
    if not shown:
        later[1:], shares[1][1:] = 0, [[OPEN] * 3] * 2
    panels = []
    for title, values, written, look in (
        ("scores", ASKED / 6, whole, ""),
        ("softmax of each step", plain, shares[0], "lit"),
        ("temporal attention", later, shares[1], "lit"),
    ):
        canvas = Canvas(232, 132)
        canvas.text(52 + 90, 9, title, size=SIZE)
        table(canvas, 52, 44, values, cell=(58, 28), written=written, look=look, rows=STEPS,
              columns=SOURCE)  # fmt: skip
        panels.append(canvas)
    if not shown:
        return Picture("Three steps, two of them to fill in", *panels).says(
            f"{THREE_STEPS} With temporal attention, the weights of steps 2 and 3 are "
            "question marks."
        )
    second, third = (", ".join(map(percent, row)) for row in temporal_weights()[1:])
    return Picture("What three steps look at", *panels).says(
        f"With temporal attention, step 2 has the weights {second} for storm, closes and "
        f"airport, and step 3 {third}."
    )


def intra_decoder() -> Drawing:
    states = np.array([1.0, 2.0, 1.0])  # W_d = 1
    weights = softmax_of_rows(states[2] * states[:2])
    chain, triangle, xs = Canvas(352, 150), Canvas(224, 122), [50.0, 170, 290]
    names = [f"$s_{i}$ = {state:.0f}" for i, state in enumerate(states, start=1)]
    boxes = chain.boxes(xs, 88, 48, 26, names, look=("", "", "lit"))
    chain.chain(*boxes, look="second")
    chain.text(xs[1], 134, "an LSTM makes the states, step after step", size=12)
    label = f"$c^d_3$ = {float(weights @ states[:2]):.2f}"
    context = chain.box(xs[2] - 40, 22, 80, 26, label, look="lit")
    for x, weight, y in zip(xs, weights, (30, 42), strict=False):
        chain.arrow((x, 88), (x, y), (context.x, y), look="lit")
        chain.text(x + 22, y - 10 if y == 30 else y + 11, percent(weight), size=12)
    chain.chain(boxes[2], context)
    chain.text(xs[2] + 8, 67, "asks", size=12, anchor="start")
    values: list[list[float | None]] = [[None] * 3 for _ in range(3)]
    for t in range(1, 3):
        values[t][:t] = softmax_of_rows(states[t] * states[:t])
    written = [["" if share is None else percent(share) for share in row] for row in values]
    table(triangle, 70, 20, values, cell=(44, 32), written=written, look="lit", rows=STEPS,
          columns=numbered("s", 3))  # fmt: skip
    first, second = map(percent, weights)
    return Picture("Intra-decoder attention", chain, triangle).says(
        f"Step 3 gives {first} of its weight to the first state and {second} to the second, "
        "and none to itself. As a table this is a lower triangle without its diagonal; the first "
        "row is empty. The states themselves come from an LSTM, one after another."
    )


WORDS = ["cat", "ate", "meat", "it", "hungry"]
# W_{s2} times W_{s1}: what each hop looks for. A state keeps the last word away.
LOOKS_FOR = np.array([[4.0, 0, 0, -4, 0], [0, 0, 4, -4, 0], [4, 4, 0, -4, 0]])


def hop_weights(states: Matrix) -> Matrix:
    """Return A, the weights of the hops over the states."""
    return softmax_of_rows(LOOKS_FOR @ np.tanh(states).T)


def states_and_hops() -> tuple[Matrix, Matrix]:
    """Return the rows of the sentence, and the weights of the three hops over them."""
    states = np.asarray(by_hand.rows(*WORDS).double().numpy())
    return states, hop_weights(states)


def hops(*, shown: bool = True) -> Drawing:
    states, weights = states_and_hops()
    taken = weights @ states
    hops, wide, tall, left = ["hop 1", "hop 2", "hop 3"], 60, 28, 54
    looks, takes = Canvas(360, 136), Canvas(360, 136)
    looks.text(left + 2.5 * wide, 9, "$A$: the weights of each hop", size=SIZE)
    table(looks, left, 44, weights, cell=(wide, tall), look="lit", rows=hops, columns=WORDS,
          written=[[percent(share) for share in row] for row in weights])  # fmt: skip
    written = [[signed(value, ".2f") for value in row] for row in taken]
    if not shown:
        taken[-1], written[-1] = 0, [OPEN] * 5
    takes.text(left + 2.5 * wide, 9, "$M = AH$: the mean that each hop takes", size=SIZE)
    table(takes, left, 44, shades(taken, 2), cell=(wide, tall), rows=hops, written=written,
          columns=column_names())  # fmt: skip
    if not shown:
        cat, _, meat, *_ = map(percent, weights[-1])
        return Picture("Three hops, the last to fill in", looks, takes).says(
            "Three hops over the rows of cat, ate, meat, it and hungry. Hop 1 gives "
            f"{percent(weights[0, 0])} of its weight to cat, hop 2 {percent(weights[1, 1])} to "
            f"ate, hop 3 {cat} to cat and {meat} to meat. What hop 3 takes is a row of question "
            "marks."
        )
    return Picture("Three hops and what they take", looks, takes).says(
        f"Hop 3 takes ({', '.join(written[-1])}): half of what cat holds, and half of what meat "
        "holds."
    )


def overlaps(*, shown: bool = True) -> Drawing:
    weights = np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]])
    shared = weights @ weights.T
    canvas, tall, hops = Canvas(360, 84), 28, ["hop 1", "hop 2"]
    canvas.text(138, 9, "$A$: the weights", size=SIZE)
    table(canvas, 54, 22, weights, cell=(42, tall), look="lit", rows=hops,
          written=[[percent(share) for share in row] for row in weights])  # fmt: skip
    canvas.text(312, 9, "$A A^⊤$", size=SIZE)
    written = [[f"{value:g}" if shown else OPEN for value in row] for row in shared]
    table(canvas, 270, 22, shared if shown else 0 * shared, cell=(42, tall), written=written)
    if not shown:
        return Picture("Two hops over four words", canvas).says(
            "Hop 1 gives half its weight to each of the first two of four words, hop 2 half "
            "to each of the last two. The four products of their weights are question marks."
        )
    return Picture("What two hops share", canvas).says(
        "The table of products has 0.5 twice on its diagonal, and 0 beside it: the hops share "
        "no word, and each is spread over two."
    )


def words_named() -> Drawing:
    record = results.load("multi_head_attention_readings.json")
    shares = [mean(record.metric(f"{name}.all")) for name in ("hops_1", "hops_6", "hops_6_penalty")]
    canvas = Canvas(360, 88)
    for number, name in enumerate(["one hop", "six hops", "six, with the penalty"]):
        y = 4.0 + 28 * number
        canvas.text(140, y + 10, name, size=12, anchor="end")
        canvas.bar(148, y, 160 * shares[number], 20, percent(shares[number]), look="lit")
    one, six, apart = map(percent, shares)
    return Picture("All three words named", canvas).says(
        f"With one hop the network names all three words in {one} of the sentences, with six "
        f"hops in {six}, and with six hops and the penalty in {apart}."
    )


def ancestors() -> Drawing:
    return Picture(
        "Four ways to look inside a sentence", _lstmn(), _parikh(), _paulus(), _lin()
    ).says(
        "LSTMN: each state takes a mean of all states before it, which are made one after "
        "another. Parikh et al.: every word looks at every word, and no state joins them. Paulus "
        "et al.: each state of a decoder, once it is made, looks at the states before it. Lin et "
        "al.: several hops look at the states of the whole sentence, each with weights of its own."
    )


def _panel(title: str, names: list[str], *, joined: bool) -> tuple[Canvas, list[float]]:
    """Return a panel with four boxes, which a recurrent network may join, and their places."""
    canvas, xs = Canvas(172, 112), [22.0, 64.0, 106.0, 148.0]
    canvas.text(86, 9, title, size=SIZE)
    boxes = canvas.boxes(xs, 80, 28, 24, names)
    if joined:
        canvas.chain(*boxes, look="second")
    return canvas, xs


def _lstmn() -> Canvas:
    canvas, xs = _panel("LSTMN: a tape", numbered("h", 4), joined=False)
    for x in xs[:3]:
        canvas.line((x, 80), (x, 46), look="lit")
    canvas.arrow((xs[0], 46), (xs[3], 46), (xs[3], 80), look="lit")
    for one, other in pairwise(xs[:3]):
        canvas.arrow((one + 14, 92), (other - 14, 92), look="second")
    return canvas


def _parikh() -> Canvas:
    canvas, xs = _panel("Parikh: all pairs", numbered("a", 4), joined=False)
    for n, x in enumerate(xs):
        canvas.line((x, 80), (x, 62), look="lit")
        canvas.box(x - 14, 24, 28, 24, f"$a'_{n + 1}$")
        canvas.arrow((x, 62), (x, 48), look="lit")
    canvas.line((xs[0], 62), (xs[3], 62), look="lit")
    return canvas


def _paulus() -> Canvas:
    canvas, xs = _panel("Paulus: its own past", numbered("s", 4), joined=True)
    for x in xs[:3]:
        canvas.line((x, 80), (x, 36), look="lit")
    canvas.box(xs[3] - 14, 24, 28, 24, "$c^d_4$", look="lit")
    canvas.arrow((xs[0], 36), (xs[3] - 14, 36), look="lit")
    canvas.arrow((xs[3], 80), (xs[3], 48))
    return canvas


def _lin() -> Canvas:
    canvas, xs = _panel("Lin: hops", numbered("h", 4), joined=True)
    for hop, look in ((0, "lit"), (1, "second")):
        middle = xs[0] + 42 + hop * 42
        box = canvas.box(middle - 18, 24, 36, 22, f"$m_{hop + 1}$", look=look)
        for x in xs:
            canvas.line((x + (-3, 3)[hop], 80), (box.center[0], 46), look=look)
    return canvas


tape_open = left_open(tape)
align_compare_aggregate_open = left_open(align_compare_aggregate)
temporal_open = left_open(temporal)
hops_open = left_open(hops)
overlaps_open = left_open(overlaps)
