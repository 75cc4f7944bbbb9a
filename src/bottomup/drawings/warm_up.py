"""Drawings of chapter 00.

The rows of words are those of the example that is worked by hand, `bottomup.data.by_hand`.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import cycle, pairwise

from bottomup.data import by_hand, byte_pairs
from bottomup.drawings import Canvas, Drawing, Picture, left_open
from bottomup.drawings.engine.numbers import dot, signed
from bottomup.drawings.engine.tables import column_names, percent, table
from bottomup.drawings.engine.words import numbered
from bottomup.explorables import Explorable

LOOKS = "lit", "second", ""
FOUND = "cat", "ate", "meat"  # the words that are looked at
LOOK = "hungry", "it", "fresh"  # the words that look
TWO_MODELS = {"model A": (0.5, 0.5), "model B": (0.999, 0.001)}  # of the right word, twice
NATS = [[2.0, 4.0, 0.1, 0.1], [3.0, 1.0, 2.0, 3.0]]  # losses [batch, position]
REAL = [[True, True, False, False], [True, True, True, True]]
TEXT = "low slow low lower low owl slow lower"


def scores(word: str) -> list[float]:
    """Return the dot products of a word's row with those of cat, ate and meat."""
    return [dot(by_hand.ROWS[word], by_hand.ROWS[other]) for other in FOUND]


def dot_products(*, shown: bool = True) -> Drawing:
    wide, tall, left = 40, 30, 58
    canvas = Canvas(360, 172)
    asks, found = by_hand.ROWS["hungry"], [by_hand.ROWS[word] for word in FOUND]
    for top, rows, names in ((26, [asks], ["hungry"]), (78, found, [*FOUND])):
        table(canvas, left, top, [[value / 2 for value in row] for row in rows], cell=(wide, tall),
              written=[[f"{value:g}" for value in row] for row in rows], rows=names,
              columns=column_names() if top == 26 else ())  # fmt: skip
    canvas.text(306, 64, "dot product", size=11.5)
    said = []
    for n, (word, row, score) in enumerate(zip(FOUND, found, scores("hungry"), strict=True)):
        parts = [f"{a:g} · {b:g}" for a, b in zip(asks, row, strict=True) if a * b]
        words = " + ".join(parts) + f" = {score:g}" if parts else f"{score:g}"
        filled = shown or n == 0
        y = 78 + (n + 0.5) * tall
        if filled and score:
            canvas.box(266, y - 12, 80, 24, words, look="lit")
        else:
            canvas.text(306, y, words if filled else "?")
        said.append(f"{word} {score:g}" if filled else f"{word} is open")
    title = "The dot products of hungry" if shown else "One dot product, and two to find"
    return Picture(title, canvas).says(
        "The row of hungry above those of cat, ate and meat. The dot products of hungry: "
        f"{', '.join(said)}."
    )


def softmax() -> Explorable:
    of_hungry = dict(zip(FOUND, scores("hungry"), strict=True))
    exponentials = {word: math.exp(score) for word, score in of_hungry.items()}
    total = sum(exponentials.values())
    panels = []
    heads = "scores $x_j$", "exp $x_j$", "their sum", "$w_j$ = exp $x_j$ / sum"
    for step, head in enumerate(heads):
        canvas = Canvas(340, 190)
        canvas.text(10, 14, head, anchor="start")
        start = 62.0
        for row, (word, look) in enumerate(zip(FOUND, LOOKS, strict=True)):
            y, length = 34 + 34 * row, 22 * exponentials[word]
            canvas.text(10, y + 11, word, size=12, anchor="start")
            if step == 0:
                score = of_hungry[word]
                canvas.bar(62, y, 22 * score, 22, f"{score:g}", look=look)
                if not score:
                    canvas.line((62, y), (62, y + 22), look="quiet")
            else:
                shown = percent(exponentials[word] / total) if step == 3 else (
                    f"{exponentials[word]:.2f}" if of_hungry[word] else "1"
                )  # fmt: skip
                canvas.bar(62, y, length, 22, shown, look=look)
            if step > 1:
                canvas.box(start, 146, length, 22, look=look)
                start += length
        if step > 1:
            canvas.text(10, 157, "sum", size=12, anchor="start")
            shown = "100%" if step == 3 else f"{total:.2f}"
            canvas.text(start + 6, 157, shown, size=12, anchor="start")
        panels.append(canvas)
    most = exponentials["cat"]
    return (
        Picture("From scores to weights", *panels)
        .says(
            "The exponential makes three scores positive; laid end to end they give a sum, "
            "and each divided by the sum is a weight."
        )
        .in_steps(
            [
                "The scores of hungry for cat, ate and meat.",
                "The exponential makes all three positive and keeps their order. For a score of 0 "
                f"it gives 1, for a score of 2 it gives {most:.2f}.",
                f"End to end, the three bars are {total:.2f} long.",
                f"Each bar divided by the sum is a weight: {most:.2f} / {total:.2f} is "
                f"{percent(most / total)}.",
            ]
        )
    )


def _divided(kept: bool, *, shown: bool = True) -> Canvas:
    """Return a table of exponentials and the sums that divide it, kept in a column or not."""
    exponentials = [[math.exp(score) for score in scores(word)] for word in LOOK]
    sums = [sum(row) for row in exponentials]
    cell, left, top = 36, 58, 62
    xs, ys = [left + cell * (j + 0.5) for j in range(3)], [top + cell * i for i in range(3)]
    title = "" if not shown else "sums [query, 1]: right" if kept else "sums [3]: wrong"
    canvas, written = Canvas(272, 192, title), [f"{total:.1f}" for total in sums]
    canvas.row(xs, top + 3 * cell + 12, FOUND, size=11.5)
    canvas.note(266, 44, "row adds up to", anchor="end")
    if not kept:
        canvas.boxes(xs, 24, cell, cell - 10, written, look=LOOKS, size=11)
        canvas.arrows(xs, 24 + cell - 10, top)
    for i, (y, row) in enumerate(zip(ys, exponentials, strict=True)):
        canvas.text(left - 6, y + cell / 2, LOOK[i], size=11.5, anchor="end")
        boxes = canvas.boxes(xs, y, cell, cell, [f"{value:.1f}" for value in row], size=11,
                             look=[LOOKS[i]] * 3 if kept else LOOKS)  # fmt: skip
        by = [sums[i]] * 3 if kept else sums
        total = sum(value / divisor for value, divisor in zip(row, by, strict=True))
        canvas.text(266, y + cell / 2, percent(total) if shown else "?", size=12, anchor="end")
        if kept:
            made = canvas.box(left + 3 * cell + 16, y + 4, cell, cell - 8, written[i], size=11,
                              look=LOOKS[i])  # fmt: skip
            canvas.chain(made, boxes[-1])
    return canvas


def one_sum_a_row_open() -> Drawing:
    return Picture("Divided by the sums of the rows", _divided(kept=False, shown=False)).says(
        "A table of exponentials with a row for hungry, it and fresh and a column for cat, "
        "ate and meat. Above it are the sums of its three rows, 9.4, 3.0 and 9.4, and an arrow "
        "leads from each to the column below. What each row adds up to is open."
    )


def one_sum_a_row() -> Drawing:
    return Picture(
        "Which sum divides which number", _divided(kept=False), _divided(kept=True)
    ).says(
        "Each row has a sum, in the row's colour. With the shape [3] the sums are above the "
        "columns, and the sum of the row of hungry divides the column of cat; with the shape "
        "[query, 1] each divides its own row.",
        caption="A number has the colour of the sum that divides it. The sum of hungry is blue, "
        "that of it orange, that of fresh has no colour.",
    )


def every_pair() -> Drawing:
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
    return Picture("Every pair", canvas).says(
        "A column of two numbers minus a row of three gives a table of two rows and three "
        "columns: each number of the column meets each number of the row."
    )


def two_models() -> Drawing:
    canvas = Canvas(360, 148)
    for n, (name, given) in enumerate(TWO_MODELS.items()):
        y = 14 + 70 * n
        canvas.text(6, y + 24, name, size=12.5, anchor="start")
        for i, share in enumerate(given):
            written = f"{share:.1%}".replace(".0%", "%")
            canvas.text(150, y + 11 + 28 * i, ("first word", "second word")[i], size=11.5,
                        anchor="end")  # fmt: skip
            canvas.bar(158, y + 28 * i, 150 * share, 22, written, look=LOOKS[n])
    return Picture("Two models, two words", canvas).says(
        "The share that each model gave to the word that came. Model A: 50% and 50%. "
        "Model B: 99.9% and 0.1%."
    )


def minus_log() -> Drawing:
    canvas, left, floor, wide, tall = Canvas(360, 236), 40, 200, 290, 24.0
    canvas.line((left, 22), (left, floor), (left + wide, floor), look="quiet")
    shares = [0.001 * 1.12**n for n in range(61)]
    places = [(left + wide * share, floor + tall * math.log(share)) for share in shares]
    canvas.line(*places, (left + wide, floor))
    for share in (0.0, 0.5, 1.0):
        canvas.note(left + wide * share, floor + 12, f"{share:.0%}")
    for nats in (0, 2, 4, 6):
        canvas.note(left - 8, floor - tall * nats, str(nats), anchor="end")
    canvas.note(left + wide / 2, floor + 28, "share given to the word that came")
    canvas.note(left - 14, 10, "loss in nats", anchor="start")
    for n, (name, given) in enumerate(TWO_MODELS.items()):
        for share in dict.fromkeys(given):
            x, y = left + wide * share, floor + tall * math.log(share)
            canvas.dot(x, y, 5, look=LOOKS[n])
            right, up = (10, 4) if share < 0.1 else (0, 20 if share < 0.9 else 16)
            canvas.text(x + right, y - up, f"{name}: {-math.log(share):.2f}", size=12,
                        anchor="start" if share < 0.9 else "end")  # fmt: skip
    means = {name: -sum(map(math.log, given)) / 2 for name, given in TWO_MODELS.items()}
    return Picture("What a word costs", canvas).says(
        "Minus the logarithm of the share that a model gave to the word that came: 0 at "
        "100%, and without bound towards 0%. The mean over two words is "
        + " and ".join(f"{mean:.2f} for {name}" for name, mean in means.items())
        + "."
    )


def _batch(number: int, title: str) -> tuple[Canvas, float, int]:
    """Return the losses of a batch, those that a mean counts, with their sum and number."""
    canvas, cell = Canvas(164, 150 if title else 104, title), 36
    total, places = 0.0, 0
    for i, (row, real) in enumerate(zip(NATS, REAL, strict=True)):
        for j, (nats, token) in enumerate(zip(row, real, strict=True)):
            shown = nats if token or number == 0 else 0.0
            counted = token or number < 2
            look = "lit" if token else "second" if counted else "quiet"
            words = f"{shown:g}" if counted else ""
            canvas.box(10 + cell * j, 26 + cell * i, cell, cell, words, look=look, size=12)
            total, places = total + shown, places + counted
    return canvas, total, places


def padded_batch() -> Drawing:
    return Picture("The losses of two sentences", _batch(0, "")[0]).says(
        "Losses of two sentences, four places each. The first sentence has two words, of 2 "
        "and 4 nats, and two places of padding, of 0.1 each. The second has four words, of 3, 1, "
        "2 and 3 nats.",
        caption="A row for each sentence. In blue: words. In orange: padding.",
    )


def padded_means() -> Drawing:
    panels = []
    for number, title in enumerate(("over all places", "padding set to 0", "over real tokens")):
        canvas, total, places = _batch(number, title)
        canvas.text(82, 116, f"sum {total:g}, places {places}", size=12)
        canvas.text(82, 136, f"mean {total / places:.2f}", size=12)
        panels.append(canvas)
    return Picture("What a mean divides by", *panels).says(
        "Losses of two sentences, the first with two places of padding. The mean over all places "
        "and the mean with padding set to zero divide by eight, the mean over real tokens by six.",
        caption="In blue: real tokens. In orange: padding that is counted. Dashed: left out.",
    )


A, B = 2.0, -3.0
INTO_A = B, A, A  # what the three paths bring to a


def _slopes(step: int) -> Canvas:
    """Return the numbers of y = ab + aa, and in later steps the slopes that flow back."""
    values = {"y": A * B + A * A, "ab": A * B, "aa": A * A, "a": A, "b": B}
    places = {"y": (150, 22), "ab": (84, 104), "aa": (216, 104), "b": (60, 196), "a": (196, 196)}
    names = {"ab": "$a$ · $b$", "aa": "$a$ · $a$"}
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
        flows = [(58, 150, A, "end"), (148, 144, INTO_A[0], "start"),
                 (190, 150, INTO_A[1], "end"), (236, 150, INTO_A[2], "start")]  # fmt: skip
        for x, y, flow, anchor in flows:
            canvas.text(x, y, signed(flow), size=12, anchor=anchor)
    return canvas


def slopes_open() -> Drawing:
    canvas = _slopes(0)
    canvas.text(60, 226, "slope ?", size=12)
    canvas.text(196, 226, "slope ?", size=12)
    return Picture("What y is made of", canvas).says(
        f"y is the sum of two products, ab and aa. a is {signed(A)} and b is {signed(B)}, so "
        f"ab is {signed(A * B)}, aa is {signed(A * A)} and y is {signed(A * B + A * A)}. The "
        "slopes of y in a and in b are open."
    )


def slopes() -> Explorable:
    panels = [_slopes(step) for step in range(4)]
    parts = " + ".join(map(signed, INTO_A))
    panels[3].text(60, 226, f"grad {A:g}", size=12)
    panels[3].text(212, 226, f"grad {parts} = {signed(sum(INTO_A))}", size=12)
    return (
        Picture("Slopes flow back", *panels)
        .says(
            "y is the sum of the products ab and aa. The slope 1 of y is handed back to both "
            "products, and each hands it on to its factors, times the other factor; what arrives "
            "at a is added up."
        )
        .in_steps(
            [
                "Forward: the products, then their sum.",
                "Backward: y moves by 1 for each unit that y moves. That is the flow it starts "
                "with.",
                "A sum has the slopes 1 and 1, so each product receives the flow 1.",
                "A product hands each factor the flow times the other factor. Three paths end in "
                f"a, and a adds up what they bring: {sum(INTO_A):g}.",
            ]
        )
    )


Tokens = tuple[str, ...]


def _text() -> dict[Tokens, int]:
    """Return the words of the text as characters and an end mark, with their counts."""
    return {(*word, byte_pairs.END_OF_WORD): n for word, n in Counter(TEXT.split()).items()}


def _words(words: dict[Tokens, int], pair: tuple[str, str] | None) -> Canvas:
    """Return the words as their tokens, with a pair of tokens in blue."""
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
    return canvas


def merges_open() -> Drawing:
    words = _text()
    written = ", ".join(f"{''.join(tokens)} {count}" for tokens, count in words.items())
    return Picture("Four words as characters", _words(words, None)).says(
        f"Four words, each cut into its characters and an end mark, with how often it occurs: "
        f"{written}."
    )


def merges() -> Explorable:
    learned = byte_pairs.learn_merges(Counter(TEXT.split()), merges=5)
    words = _text()
    panels, says = [], []
    for pair in [*learned, None]:
        panels.append(_words(words, pair))
        if pair is None:
            says.append("After five merges: low_ is one token, and low inside lower another.")
            break
        found = byte_pairs.count_pairs(words)
        ties = sum(count == found[pair] for count in found.values()) - 1
        tied = f", as often as {ties} other pairs; it is first in the alphabet" if ties else ""
        says.append(
            f"{pair[0]} comes directly before {pair[1]} {found[pair]} times{tied}: merge them."
        )
        merged = byte_pairs.merge_pair(words, pair)
        words = dict(zip(map(tuple, merged), words.values(), strict=True))
    return (
        Picture("Five merges", *panels)
        .says(
            "Four words, each as its tokens and with its count; in each step the most frequent "
            "pair of neighbours becomes one token."
        )
        .in_steps(says)
    )


def same_surprise() -> Drawing:
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
    return Picture("The same surprise in three cuts", canvas).says(
        "The word lower costs the same number of nats as one token, as two and as six; the "
        "more tokens share the cost, the lower the perplexity.",
        caption="Tokens that are certain, given those before them, cost nothing and have no box.",
    )


def next_character() -> Drawing:
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
    return Picture("Every position is a prediction", canvas).says(
        "A GRU reads the characters m, o, u and s and hands its state from step to step; "
        "above each position is the character that it has to predict, the next one."
    )


def learning() -> Drawing:
    canvas = Canvas(360, 300)
    left, right, wide = 10, 210, 140
    steps = [
        (left, 12, "text", "cut into tokens"),
        (left, 86, "rows", "numbers of each token"),
        (left, 160, "scores", "made from the rows"),
        (left, 234, "weights", "softmax: they add up to 100%"),
        (right, 234, "loss", "−log of the right token"),
        (right, 160, "gradient", "slope in every number"),
        (right, 86, "step", "change each number a little"),
    ]  # fmt: skip
    boxes = []
    for x, y, name, says in steps:
        look = "second" if name in ("loss", "gradient", "step") else "lit"
        boxes.append(canvas.box(x, y, wide, 26, name, look=look))
        canvas.note(x + wide / 2, y + 36, says)
    for one, other in pairwise(boxes[:4]):
        canvas.arrow((one.center[0], one.y + 46), (other.center[0], other.y), look="lit")
    canvas.chain(boxes[3], boxes[4], look="lit")
    for one, other in pairwise(boxes[4:]):
        canvas.arrow(one.top, (other.center[0], other.y + 46), look="second")
    canvas.chain(boxes[6], boxes[1], look="second")
    return Picture("How a network learns", canvas).says(
        "A text is cut into tokens, each token has a row of numbers, the rows make scores, "
        "and the softmax makes weights that add up to 100%. The loss is minus the logarithm of the "
        "right token's weight. The gradient says how the loss depends on every number, and a step "
        "changes each number a little, the rows among them. Then it begins again."
    )


dot_products_open = left_open(dot_products)
