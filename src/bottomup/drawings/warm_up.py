"""Drawings of chapter 00."""

import math
from collections import Counter
from collections.abc import Callable, Sequence

from bottomup.data import byte_pairs
from bottomup.drawings import Canvas, Drawing
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
            y = 34 + 34 * row
            canvas.text(10, y + 11, word, size=12, anchor="start")
            if step == 0:
                zero, length = 140, 40 * SCORES[word]
                canvas.box(zero + min(length, 0), y, abs(length), 22, look=look)
                shown = f"{SCORES[word]:g}".replace("-", "−")
                canvas.text(zero + max(length, 0) + 8, y + 11, shown, size=12, anchor="start")
                continue
            length = 22 * exponentials[word]
            canvas.box(62, y, length, 22, look=look)
            number = exponentials[word] / (total if step == 3 else 1)
            canvas.text(62 + length + 8, y + 11, f"{number:.{3 if step == 3 else 2}f}",
                        size=12, anchor="start")  # fmt: skip
            if step > 1:
                canvas.box(start, 146, length, 22, look=look)
                start += length
        if step == 0:
            canvas.line((140, 26), (140, 134), look="quiet")
            canvas.text(140, 145, "0", size=11, look="quiet")
        if step > 1:
            canvas.text(10, 157, "sum", size=12, anchor="start")
            canvas.text(start + 6, 157, "1" if step == 3 else f"{total:.2f}", size=12,
                        anchor="start")  # fmt: skip
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
    panels = []
    for kept in (False, True):
        canvas, cell, left, top = Canvas(268, 192), 36, 58, 62
        canvas.text(134, 11, "sums [query, 1]: right" if kept else "sums [3]: wrong", size=12.5)
        for i, row in enumerate(exponentials):
            y = top + cell * i
            canvas.text(left - 6, y + cell / 2, f"query {i}", size=11, anchor="end")
            for j, value in enumerate(row):
                look = LOOKS[i if kept else j]
                canvas.box(left + cell * j, y, cell, cell, f"{value:.1f}", look=look, size=11)
            totals = sum(v / (sums[i] if kept else sums[j]) for j, v in enumerate(row))
            canvas.text(262, y + cell / 2, f"{totals:.2f}", size=11, anchor="end")
            if kept:
                x = left + 3 * cell + 16
                divisor = canvas.box(x, y + 4, cell, cell - 8, f"{sums[i]:.1f}", look=LOOKS[i],
                                     size=11)  # fmt: skip
                canvas.arrow(divisor.left, (left + 3 * cell, y + cell / 2))
            else:
                x = left + cell * i
                divisor = canvas.box(x, 24, cell, cell - 10, f"{sums[i]:.1f}", look=LOOKS[i],
                                     size=11)  # fmt: skip
                canvas.arrow(divisor.bottom, (x + cell / 2, top))
        for j in range(3):
            canvas.text(left + cell * (j + 0.5), top + 3 * cell + 12, f"key {j}", size=11)
        canvas.text(262, 44, "row sums", size=11, anchor="end", look="quiet")
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
    a, b, cell = [5, 2], [1, 3, 4], 40
    canvas = Canvas(330, 176)
    left, top = 150, 66
    canvas.text(left + 60, 12, "$b$ [1, key]", size=12)
    canvas.text(52, 46, "$a$ [query, 1]", size=12)
    for j, value in enumerate(b):
        x = left + cell * j
        key = canvas.box(x, 24, cell, 26, str(value), look="second")
        canvas.arrow(key.bottom, (x + cell / 2, top))
    for i, value in enumerate(a):
        y = top + cell * i
        query = canvas.box(72, y, cell, cell, str(value), look="lit")
        canvas.arrow(query.right, (left, y + cell / 2))
        for j, other in enumerate(b):
            canvas.box(left + cell * j, y, cell, cell, f"{value - other}".replace("-", "−"))
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
        canvas, cell = Canvas(164, 150), 36
        canvas.text(82, 12, title, size=12.5)
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
            words = f"{names.get(name, f'${name}$')} = {values[name]:g}".replace("-", "−")
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
                canvas.text(x, y, f"{flow:g}".replace("-", "−"), size=12, anchor=anchor)
            parts = " + ".join(f"{part:g}" for part in into_a)
            canvas.text(60, 226, f"grad {a:g}", size=12)
            canvas.text(212, 226, f"grad {parts} = {sum(into_a):g}".replace("-", "−"), size=12)
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
                for letter in token:
                    canvas.text(x + 14, y + 13, letter, size=14)
                    x += 34
                joined = meets
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
        nats = [
            math.log(begins[tuple(tokens[:n])] / begins[tuple(tokens[: n + 1])])
            for n in range(len(tokens))
        ]
        for place, (token, cost) in enumerate(zip(tokens, nats, strict=True)):
            if cost == 0:
                continue
            shown = f"{token} {cost:.2f}"
            canvas.box(x, y, 228 * cost, 24, shown, look=LOOKS[place % 2], size=12)
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
    window = "mouse"
    canvas = Canvas(350, 268)
    middles = [78 + 70 * step for step in range(4)]
    canvas.text(24, 128, "0", size=13)
    canvas.text(24, 146, "zeros", size=11, look="quiet")
    before = 32.0, 128.0
    for step, x in enumerate(middles):
        table = canvas.box(x - 27, 188, 54, 24, "embed", size=11)
        cell = canvas.box(x - 22, 112, 44, 32, "GRU", look="lit", size=12)
        output = canvas.box(x - 25, 50, 50, 24, "linear", size=11)
        canvas.text(x, 236, window[step], size=15)
        canvas.arrow((x, 227), table.bottom)
        canvas.arrow(table.top, cell.bottom)
        canvas.arrow(cell.top, output.bottom)
        canvas.arrow(output.top, (x, 32))
        canvas.text(x, 22, window[step + 1], size=15, look="second")
        canvas.text(x + 6, 164, f"$x_{step + 1}$", size=12, anchor="start")
        canvas.arrow(before, cell.left, look="lit")
        canvas.text(x + 34, 113, f"$h_{step + 1}$", size=12)
        before = cell.right
    canvas.arrow(before, (344, 128), look="lit")
    canvas.text(4, 22, "target", size=11, look="quiet", anchor="start")
    canvas.text(4, 236, "input", size=11, look="quiet", anchor="start")
    canvas.text(175, 258, "one window of text, a character a step", size=11, look="quiet")
    return Drawing(
        title="Every position is a prediction",
        says="A GRU reads the characters m, o, u and s and hands its state from step to step; "
        "above each position stands what it has to predict, the character that comes next.",
        panels=(canvas,),
    )
