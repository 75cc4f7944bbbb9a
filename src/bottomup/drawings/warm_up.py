"""Drawings of chapter 00."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import cycle, pairwise

from bottomup.data import byte_pairs
from bottomup.drawings import Canvas, Drawing
from bottomup.drawings.engine.numbers import signed
from bottomup.drawings.engine.words import numbered
from bottomup.explorables import Explorable

LOOKS = "lit", "second", ""
SCORES = {"dog": 2.0, "cat": 1.0, "door": -1.0}
TABLE = [[0.0, 1.0, 2.0], [3.0, 0.0, 0.0], [1.0, 1.0, 0.0]]  # scores [query, key]
NATS = [[2.0, 4.0, 0.1, 0.1], [3.0, 1.0, 2.0, 3.0]]  # losses [batch, position]
REAL = [[True, True, False, False], [True, True, True, True]]
TEXT = "low slow low lower low owl slow lower"


def softmax() -> Explorable:
    """Draw scores, exponentials, their sum and the weights, one after the other."""
    exponentials = {word: math.exp(score) for word, score in SCORES.items()}
    total = sum(exponentials.values())
    panels = []
    heads = "scores $x_j$", "exp $x_j$", "their sum", "$w_j$ = exp $x_j$ / sum"
    for step, head in enumerate(heads):
        canvas = Canvas(340, 190)
        canvas.text(10, 14, head, anchor="start")
        start = 62.0
        for row, (word, look) in enumerate(zip(SCORES, LOOKS, strict=True)):
            y, length = 34 + 34 * row, 22 * exponentials[word]
            canvas.text(10, y + 11, word, size=12, anchor="start")
            if step == 0:
                score = SCORES[word]
                if score < 0:
                    canvas.box(140 + 40 * score, y, -40 * score, 22, look=look)
                canvas.bar(140, y, max(40 * score, 0), 22, signed(score), look=look)
            else:
                number = exponentials[word] / (total if step == 3 else 1)
                canvas.bar(62, y, length, 22, f"{number:.{3 if step == 3 else 2}f}", look=look)
            if step > 1:
                canvas.box(start, 146, length, 22, look=look)
                start += length
        if step == 0:
            canvas.line((140, 26), (140, 134), look="quiet")
            canvas.note(140, 145, "0")
        if step > 1:
            canvas.text(10, 157, "sum", size=12, anchor="start")
            shown = "1" if step == 3 else f"{total:.2f}"
            canvas.text(start + 6, 157, shown, size=12, anchor="start")
        panels.append(canvas)
    return Drawing(
        title="From scores to weights",
        says="Three scores become positive by the exponential; laid end to end they give a sum, "
        "and each divided by the sum is a weight.",
        panels=tuple(panels),
    ).in_steps(
        [
            "Three scores, one of them negative.",
            "The exponential makes all of them positive and keeps their order: the bar of dog is "
            f"e = {math.e:.2f} times as long as that of cat, which is one below.",
            f"End to end, the three bars are {total:.2f} long.",
            "Measured in units of the sum, the same bars are the weights: no length has changed.",
        ]
    )


def one_sum_a_row() -> Drawing:
    """Draw which exponentials each of three sums divides, without and with an axis of size 1."""
    exponentials = [[math.exp(score) for score in row] for row in TABLE]
    sums = [sum(row) for row in exponentials]
    panels, cell, left, top = [], 36, 58, 62
    xs, ys = [left + cell * (j + 0.5) for j in range(3)], [top + cell * i for i in range(3)]
    for title, kept in ("sums [3]: wrong", False), ("sums [query, 1]: right", True):
        canvas, written = Canvas(268, 192, title), [f"{total:.1f}" for total in sums]
        canvas.row(xs, top + 3 * cell + 12, ("key 0", "key 1", "key 2"), size=11)
        canvas.note(262, 44, "row sums", anchor="end")
        if not kept:
            canvas.boxes(xs, 24, cell, cell - 10, written, look=LOOKS, size=11)
            canvas.arrows(xs, 24 + cell - 10, top)
        for i, (y, row) in enumerate(zip(ys, exponentials, strict=True)):
            canvas.text(left - 6, y + cell / 2, f"query {i}", size=11, anchor="end")
            shown = canvas.boxes(xs, y, cell, cell, [f"{value:.1f}" for value in row], size=11,
                                 look=[LOOKS[i]] * 3 if kept else LOOKS)  # fmt: skip
            by = [sums[i]] * 3 if kept else sums
            total = sum(value / divisor for value, divisor in zip(row, by, strict=True))
            canvas.text(262, y + cell / 2, f"{total:.2f}", size=11, anchor="end")
            if kept:
                made = canvas.box(left + 3 * cell + 16, y + 4, cell, cell - 8, written[i], size=11,
                                  look=LOOKS[i])  # fmt: skip
                canvas.chain(made, shown[-1])
        panels.append(canvas)
    return Drawing(
        title="Which sum divides which number",
        says="Each row has a sum, in the row's colour. With the shape [3] the sums stand above the "
        "columns, and row 0's sum divides column 0; with the shape [query, 1] each divides its own "
        "row.",
        panels=tuple(panels),
        caption="A number has the colour of the sum that divides it. Sum 0 is blue, sum 1 "
        "orange, sum 2 without colour.",
    )


def every_pair() -> Drawing:
    """Draw a table of differences made of a column and a row."""
    a, b, cell, left, top = [5, 2], [1, 3, 4], 40, 150, 66
    canvas, xs = Canvas(330, 176), [left + cell * (j + 0.5) for j in range(3)]
    canvas.text(left + 60, 12, "$b$ [1, key]", size=12)
    canvas.text(52, 46, "$a$ [query, 1]", size=12)
    canvas.boxes(xs, 24, cell, 26, [*map(str, b)], look="second")
    canvas.arrows(xs, 50, top)
    for i, value in enumerate(a):
        y = top + cell * i
        query = canvas.box(72, y, cell, cell, str(value), look="lit")
        row = canvas.boxes(xs, y, cell, cell, [signed(value - other) for other in b])
        canvas.chain(query, row[0])
    canvas.text(left + 60, top + 2 * cell + 16, "$a$ − $b$ [query, key]", size=12)
    return Drawing(
        title="Every pair",
        says="A column of two numbers minus a row of three gives a table of two rows and three "
        "columns: each number of the column meets each number of the row.",
        panels=(canvas,),
    )


def padded_means() -> Drawing:
    """Draw what three means over a padded batch sum up, and by how many places they divide."""
    panels = []
    for number, title in enumerate(("over all places", "padding set to 0", "over real tokens")):
        canvas, cell = Canvas(164, 150, title), 36
        total, places = 0.0, 0
        for i, (row, real) in enumerate(zip(NATS, REAL, strict=True)):
            for j, (nats, token) in enumerate(zip(row, real, strict=True)):
                shown = nats if token or number == 0 else 0.0
                counted = token or number < 2
                look = "lit" if token else "second" if counted else "quiet"
                words = f"{shown:g}" if counted else ""
                canvas.box(10 + cell * j, 26 + cell * i, cell, cell, words, look=look, size=12)
                total, places = total + shown, places + counted
        canvas.text(82, 116, f"sum {total:g}, places {places}", size=12)
        canvas.text(82, 136, f"mean {total / places:.2f}", size=12)
        panels.append(canvas)
    return Drawing(
        title="What a mean divides by",
        says="Losses of two sentences, the first with two places of padding. The mean over all "
        "places and the mean with padding set to zero divide by eight, the mean over real tokens "
        "by six.",
        panels=tuple(panels),
        caption="In blue: real tokens. In orange: padding that is counted. Dashed: left out.",
    )


def slopes() -> Explorable:
    """Draw how the slope of y = ab + aa flows back to a and b."""
    a, b = 2.0, -3.0
    values = {"y": a * b + a * a, "ab": a * b, "aa": a * a, "a": a, "b": b}
    places = {"y": (150, 22), "ab": (84, 104), "aa": (216, 104), "b": (60, 196), "a": (196, 196)}
    names = {"ab": "$a$ · $b$", "aa": "$a$ · $a$"}
    into_a = b, a, a
    panels = []
    for step in range(4):
        canvas = Canvas(320, 250)
        for name, (x, y) in places.items():
            lit = (step > 0 and name == "y") or (step > 1 and len(name) == 2) or step > 2
            words = f"{names.get(name, f'${name}$')} = {signed(values[name])}"
            canvas.box(x - 44, y - 15, 88, 30, words, look="lit" if lit else "", size=12.5)
        edges = [
            ((110, 89), (136, 37)), ((190, 89), (164, 37)),  # into y
            ((60, 181), (76, 119)), ((176, 181), (104, 119)),  # into ab
            ((192, 181), (202, 119)), ((224, 181), (232, 119)),  # into aa
        ]  # fmt: skip
        for number, (low, high) in enumerate(edges):
            back = step >= 2 if number < 2 else step >= 3
            canvas.arrow(*((high, low) if back else (low, high)), look="lit" if back else "")
        if step == 1:
            canvas.text(204, 22, "flow 1", size=12, look="lit", anchor="start")
        if step == 2:
            canvas.text(112, 58, "1", size=12, anchor="end")
            canvas.text(188, 58, "1", size=12, anchor="start")
        if step == 3:
            flows = [(58, 150, a, "end"), (148, 144, into_a[0], "start"),
                     (190, 150, into_a[1], "end"), (236, 150, into_a[2], "start")]  # fmt: skip
            for x, y, flow, anchor in flows:
                canvas.text(x, y, signed(flow), size=12, anchor=anchor)
            parts = " + ".join(map(signed, into_a))
            canvas.text(60, 226, f"grad {a:g}", size=12)
            canvas.text(212, 226, f"grad {parts} = {signed(sum(into_a))}", size=12)
        panels.append(canvas)
    return Drawing(
        title="Slopes flow back",
        says="y is the sum of the products ab and aa. The slope 1 of y is handed back to both "
        "products, and each hands it on to its factors, times the other factor; what arrives at a "
        "is added up.",
        panels=tuple(panels),
    ).in_steps(
        [
            "Forward: the products, then their sum.",
            "Backward: y moves by 1 for each unit that y moves. That is the flow it starts with.",
            "A sum has the slopes 1 and 1, so each product receives the flow 1.",
            "A product hands each factor the flow times the other factor. Three paths end in a, "
            f"and a adds up what they bring: {sum(into_a):g}.",
        ]
    )


def merges() -> Explorable:
    """Draw eight words while the most frequent pair of tokens is merged, again and again."""
    counts = Counter(TEXT.split())
    learned = byte_pairs.learn_merges(counts, merges=5)
    words = {(*word, byte_pairs.END_OF_WORD): count for word, count in counts.items()}
    panels, says = [], []
    for pair in [*learned, None]:
        canvas = Canvas(264, 150)
        for row, (tokens, count) in enumerate(words.items()):
            y, x, joined = 8 + 36 * row, 54.0, False
            canvas.text(40, y + 13, f"{count} ×", size=12, anchor="end", look="quiet")
            for number, token in enumerate(tokens):
                meets = pair is not None and tokens[number : number + 2] == pair
                look = "lit" if meets or joined else ""
                canvas.box(x, y, 34 * len(token) - 6, 26, look=look)
                canvas.row([x + 14 + 34 * n for n in range(len(token))], y + 13, token, size=14)
                x, joined = x + 34 * len(token), meets
        panels.append(canvas)
        if pair is None:
            says.append("After five merges: low_ is one token, and low inside lower another.")
            break
        found = byte_pairs.count_pairs(words)
        ties = sum(count == found[pair] for count in found.values()) - 1
        tied = f", as often as {ties} other pairs; it is first in the alphabet" if ties else ""
        says.append(
            f"{pair[0]} stands directly before {pair[1]} {found[pair]} times{tied}: merge them."
        )
        merged = byte_pairs.merge_pair(words, pair)
        words = dict(zip(map(tuple, merged), words.values(), strict=True))
    return Drawing(
        title="Five merges",
        says="Four words, each as its tokens and with its count; in each step the pair that stands "
        "side by side most often becomes one token.",
        panels=tuple(panels),
    ).in_steps(says)


def same_surprise() -> Drawing:
    """Draw what the word lower costs in three cuts, token by token."""
    counts = Counter(TEXT.split())
    learned = byte_pairs.learn_merges(counts, merges=5)
    cuts: dict[str, Callable[[str], Sequence[str]]] = {
        "word": lambda word: [word + "_"],
        "sub-words": lambda word: byte_pairs.encode_word(word, learned),
        "characters": lambda word: [*word, "_"],
    }
    canvas = Canvas(340, 246)
    for number, (name, split) in enumerate(cuts.items()):
        begins: Counter[tuple[str, ...]] = Counter()
        for word, count in counts.items():
            tokens = split(word)
            for n in range(len(tokens) + 1):
                begins[tuple(tokens[:n])] += count
        tokens, y, x = split("lower"), 26 + 82 * number, 10.0
        canvas.text(10, y - 14, f"{name}: {' '.join(tokens)}", size=12, anchor="start")
        starts = [begins[tuple(tokens[:n])] for n in range(len(tokens) + 1)]
        nats = [math.log(before / after) for before, after in pairwise(starts)]
        for token, cost, look in zip(tokens, nats, cycle(LOOKS[:2])):
            if cost:
                canvas.box(x, y, 228 * cost, 24, f"{token} {cost:.2f}", look=look, size=12)
                x += 228 * cost
        each = sum(nats) / len(nats)
        words = f"{sum(nats):.2f} nats / {len(nats)} = {each:.2f} a token"
        canvas.text(10, y + 37, words, size=12, anchor="start")
        canvas.text(326, y + 37, f"PPL {math.exp(each):.2f}", size=12, anchor="end")
    return Drawing(
        title="The same surprise in three cuts",
        says="The word lower costs the same number of nats as one token, as two and as six; the "
        "more tokens share the cost, the lower the perplexity.",
        panels=(canvas,),
        caption="Tokens that are certain, given those before them, cost nothing and have no box.",
    )


def next_character() -> Drawing:
    """Draw the GRU of section 8 along four characters of text."""
    window, xs = "mouse", [78 + 70 * step for step in range(4)]
    canvas = Canvas(350, 268)
    canvas.text(24, 128, "0", size=13)
    canvas.note(24, 146, "zeros")
    tables = canvas.boxes(xs, 188, 54, 24, ["embed"] * 4, size=11)
    cells = canvas.boxes(xs, 112, 44, 32, ["GRU"] * 4, size=12, look="lit")
    outputs = canvas.boxes(xs, 50, 50, 24, ["linear"] * 4, size=11)
    for column in zip(tables, cells, outputs, strict=True):
        canvas.chain(*column)
    canvas.row(xs, 236, window[:4], size=15)
    canvas.row(xs, 22, window[1:], size=15, look="second")
    canvas.arrows(xs, 227, 212)
    canvas.arrows(xs, 50, 32)
    for x, symbol in zip(xs, numbered("x", 4), strict=True):
        canvas.text(x + 6, 164, symbol, size=12, anchor="start")
    canvas.row([x + 34 for x in xs], 113, numbered("h", 4), size=12)
    canvas.arrow((32, 128), cells[0].left, look="lit")
    canvas.chain(*cells, look="lit")
    canvas.arrow(cells[-1].right, (344, 128), look="lit")
    canvas.note(4, 22, "target", anchor="start")
    canvas.note(4, 236, "input", anchor="start")
    canvas.note(175, 258, "one window of text, a character a step")
    return Drawing(
        title="Every position is a prediction",
        says="A GRU reads the characters m, o, u and s and hands its state from step to step; "
        "above each position stands what it has to predict, the character that comes next.",
        panels=(canvas,),
    )
