"""Drawings of chapter 01."""

import math

from bottomup.drawings import Canvas, Drawing
from bottomup.drawings.engine.numbers import signed, softmax
from bottomup.drawings.engine.words import numbered
from bottomup.explorables import Explorable

ENGLISH = "grandmother", "read", "three", "books"
KOREAN = "grandmother", "book", "three", "read"
READS = 0, 3, 2, 1  # what each step needs
DIGITS = "31415"
# A test sentence of the mini-language: target tokens, source words, links (target, source).
GLOSSES = ("mother", "-TOP.HON", "orange", "two", "-CL", "-OBJ", "eat.HON", "-PAST", "-DECL", ".")
SOURCE = ("the", "mother", "ate", "two", "oranges", ".")
SURE = {(0, 1), (2, 4), (3, 3), (6, 2)}
POSSIBLE = SURE | {(1, 0), (1, 1), (4, 3), (4, 4), (5, 3), (5, 4), (7, 2), (8, 2), (9, 5)}
LINKED = {(0, 1), (1, 1), (2, 4), (3, 3), (4, 3), (5, 4), (6, 3), (7, 2), (8, 0), (9, 5)}


def hidden(query: int, key: int | None) -> list[float]:
    """Return the tanh units of section 3 for two roles; a key without a role is padding."""
    return [math.tanh(2 * (role == query) + 2 * (role == key)) for role in range(4)]


def score(query: int, key: int | None) -> float:
    """Return the additive score of section 3."""
    return sum(-3 * unit for unit in hidden(query, key))


def one_vector() -> Drawing:
    """Draw the encoder-decoder of section 1: two GRUs read, their ends are joined, one writes."""
    canvas, xs = Canvas(348, 308), [92 + 54 * place for place in range(len(DIGITS))]
    rows = {"source": 294, "forward": 244, "backward": 196, "decoder": 72, "target": 14}
    for words, y in rows.items():
        canvas.text(4, y, words, size=12, look="quiet", anchor="start")
    canvas.row(xs, 294, DIGITS, size=15)
    canvas.row(xs, 14, reversed(DIGITS), size=15)
    forward = canvas.boxes([x - 10 for x in xs], 233, 28, 22)
    backward = canvas.boxes([x + 10 for x in xs], 185, 28, 22)
    writes = canvas.boxes(xs, 60, 32, 24)
    for x in xs:
        canvas.arrow((x - 3, 284), (x - 9, 255))
        canvas.arrow((x + 4, 284), (x + 11, 207))
    for boxes in forward, backward[::-1], writes:
        canvas.chain(*boxes)
    canvas.arrows(xs, 60, 26)
    vector = canvas.box(130, 124, 140, 30, "$c$", look="lit", size=15)
    canvas.arrow(backward[0].top, (backward[0].top[0], 139), vector.left, look="lit")
    canvas.arrow(forward[-1].right, (342, 244), (342, 139), vector.right, look="lit")
    canvas.line((xs[0], 104), (xs[-1], 104), look="lit")
    canvas.line(vector.top, (vector.top[0], 104), look="lit")
    canvas.arrows(xs, 104, 84, look="lit")
    return Drawing(
        title="A sequence through one vector",
        says="One GRU reads the source forwards, another backwards. Their two last states are "
        "joined to one vector c, and each step of the decoder receives c and nothing else of the "
        "source.",
        panels=(canvas,),
    )


def one_vector_or_many() -> Drawing:
    """Draw what decoder step 2 receives: c alone, or a mean of all states with its own weights."""
    weights = softmax([score(READS[1], key) for key in range(4)])
    panels, xs = [], [70 + 64 * place for place in range(4)]
    for attends in (False, True):
        canvas = Canvas(300, 236, "with attention" if attends else "one fixed vector")
        looks = ["lit"] * 4 if attends else ["", "quiet", "quiet", ""]
        states = canvas.boxes(xs, 178, 34, 28, numbered("h", 4), size=14, look=looks)
        steps = canvas.boxes(xs, 36, 34, 28, numbered("s", 4), size=14)
        canvas.note(4, 192, "encoder", anchor="start")
        canvas.note(4, 50, "decoder", anchor="start")
        canvas.row(xs, 222, ENGLISH, size=11, look="quiet")
        canvas.chain(*steps)
        canvas.chain(*states, look="quiet")
        canvas.chain(*reversed(states), look="quiet")  # a GRU in each direction
        if attends:
            read = canvas.box(xs[1] - 20, 98, 40, 28, "$c_2$", look="lit", size=14)
            canvas.chain(read, steps[1], look="lit")
            labels = (78, 160), (126, 160), (198, 166), (246, 162)
            for place, (box, weight) in enumerate(zip(states, weights, strict=True)):
                look = "lit" if weight == max(weights) else ""
                canvas.arrow(box.top, (read.x + 5 + 10 * place, 126), look=look)
                end = "end" if place < 2 else "start"
                canvas.text(*labels[place], f"{weight:.2f}", size=11, anchor=end)
            canvas.arrow((80, 64), (80, 112), read.left, look="second")
            canvas.text(76, 100, "asks", size=11, anchor="end")
            canvas.arrows([xs[0] - 8, xs[2], xs[3]], 88, 64, look="quiet")
        else:
            vector = canvas.box(100, 106, 132, 28, "$c$", look="lit", size=14)
            canvas.arrow(states[0].top, (124, 134), look="lit")
            canvas.arrow(states[3].top, (208, 134), look="lit")
            for box, x in zip(steps, (116, 146, 186, 216), strict=True):
                canvas.arrow((x, vector.y), box.bottom, look="lit")
        panels.append(canvas)
    return Drawing(
        title="One vector, or all states",
        says="First, the ends of the encoder make one vector c, which every decoder step receives. "
        "Then, with attention, all states are kept, and step 2 receives their weighted mean "
        "c_2, mostly the state of books, because s_1 asks for it. Each step has a mean of its own.",
        panels=tuple(panels),
        caption="The numbers are the weights of step 2, which is to write “book”, as in section 3.",
    )


def crossing_order() -> Drawing:
    """Draw which English word each Korean step needs."""
    canvas, xs = Canvas(356, 156), (62, 152, 230, 308)
    for y, words, name in ((32, ENGLISH, "j"), (122, KOREAN, "i")):
        canvas.row(xs, y, words)
        numbers = [f"${name}$ = {number}" for number in range(1, 5)]
        canvas.row(xs, 14 if name == "j" else 142, numbers, size=11, look="quiet")
    for step, read in enumerate(READS):
        canvas.arrow((xs[step], 112), (xs[read], 42), look="" if read == step else "lit")
    return Drawing(
        title="What each step must read",
        says="The Korean words in their order, each with an arrow to the English word it needs: "
        "step 2 reads position 4 and step 4 position 2, and both arrows cross that of step 3.",
        panels=(canvas,),
    )


def additive_step() -> Explorable:
    """Draw step 2 of section 3: states, hidden units, scores, weights, context, new state."""
    query = READS[1]
    roles = [[float(role == own) for role in range(4)] for own in range(4)]
    units = [hidden(query, key) for key in range(4)]
    scores = [score(query, key) for key in range(4)]
    weights = softmax(scores)
    panels = []
    for step in range(6):
        canvas, xs = Canvas(356, 366), [112 + 68 * place for place in range(4)]
        late = ["quiet" if step < number else "" for number in range(6)]
        names = {"$h_j$": 46, "tanh": 132, "$e_{2j}$": 178, "$α_{2j}$": 224}
        for look, (words, y) in zip(late, names.items(), strict=False):
            canvas.text(66, y, words, size=13, anchor="end", look=look)
        canvas.row(xs, 16, ENGLISH, size=11)
        canvas.arrows([x + 10 for x in xs], 53, 125, look=late[1])
        canvas.arrows([x - 10 for x in xs], 88, 125, look=late[1] or "second")
        canvas.arrows(xs, 139, 168, look=late[2])
        canvas.arrows(xs, 187, 216, look=late[3])
        canvas.boxes(xs, 216, 50, 16, look="quiet")
        for key, x in enumerate(xs):
            canvas.grid(x - 28, 39, [roles[key]], cell=14, look="")
            reached = units[key] if step else [0.0] * 4
            canvas.grid(x - 28, 125, [reached], cell=14, look="lit" if step == 1 else "")
            if step > 1:
                shown = signed(scores[key], ".2f")
                canvas.text(x, 178, shown, size=12, look="lit" if step == 2 else "")
            if step > 2:
                canvas.box(x - 25, 216, 50 * weights[key], 16, look="lit")
                canvas.text(x, 244, f"{weights[key]:.3f}", size=11)
            canvas.line((x, 252), (x, 262), (214, 262), look=late[4])
        canvas.arrow((214, 262), (214, 284), look=late[4])
        canvas.text(36, 60, "$s_1$", size=13)
        canvas.grid(8, 72, [roles[query]], cell=14, look="second")
        asks = late[1] or "second"
        canvas.line((64, 79), (78, 79), (78, 88), (xs[-1] - 10, 88), look=asks)
        canvas.text(180, 292, "$c_2$", size=13, anchor="end", look=late[4])
        read = weights if step > 3 else [0.0] * 4
        canvas.grid(186, 284, [read], cell=14, look="lit")
        cell = canvas.box(186, 326, 56, 26, "GRU", size=12, look=late[5])
        canvas.arrow((214, 298), cell.top, look=late[5])
        canvas.arrow((16, 86), (16, 332), (186, 332), look=late[5] or "second")
        canvas.arrow((150, 346), (186, 346), look=late[5])
        canvas.text(144, 346, "$E y_1$", size=13, anchor="end", look=late[5])
        canvas.arrow(cell.right, (276, 339), look=late[5] or "second")
        canvas.text(290, 339, "$s_2$", size=13, look=late[5])
        panels.append(canvas)
    return Drawing(
        title="One step of additive attention",
        says="The state s_1, which needs a thing, meets each encoder state in a layer of tanh "
        "units; these give four scores, the scores four weights, the weights a mean of the states, "
        "and the mean enters the next state s_2.",
        panels=tuple(panels),
    ).in_steps(
        [
            "The state before step 2 needs a thing, the last of four roles. Each encoder state "
            "says which role its word plays.",
            "Both are projected, added and bent: a mismatch excites two units, the match on books "
            "one. Here the cells are the units, from 0 to 1.",
            f"Each unit counts −3. The match has the highest score, −{-max(scores):.2f}.",
            f"The softmax makes four weights of the scores; books gets {max(weights):.3f}.",
            "The context is the mean of the states under these weights: mostly a thing.",
            "The context, the state before and the word written before make the state after the "
            "step.",
        ]
    )


def three_scores() -> Drawing:
    """Draw the shapes that meet in the scores dot, general and concat."""
    dot, general, concat = Canvas(140, 148), Canvas(184, 148), Canvas(284, 148)
    for canvas, x, title, says in (
        (dot, 70, "dot", "same width"),
        (general, 92, "general", "widths may differ"),
        (concat, 142, "concat, or additive", "a sum, and a bend to mix it"),
    ):
        canvas.text(x, 12, title, size=12.5)
        canvas.note(x, 138, says)
    _factor(dot, 8, 76, (1, 4), "second", "$s_i^⊤$")
    _factor(dot, 74, 55, (4, 1), "lit", "$h_j$")
    dot.text(98, 83, "= $e_{ij}$", anchor="start")
    _factor(general, 4, 76, (1, 3), "second", "$s_i^⊤$")
    _factor(general, 56, 62, (3, 4), "", "$W_a$")
    _factor(general, 122, 55, (4, 1), "lit", "$h_j$")
    general.text(144, 83, "= $e_{ij}$", anchor="start")
    _factor(concat, 4, 76, (1, 5), "", "$v_a^⊤$")
    concat.text(77, 83, "tanh(", anchor="start")
    _factor(concat, 114, 48, (5, 3), "second", "$W_a$")
    _factor(concat, 156, 48, (5, 4), "lit", "$U_a$")
    _factor(concat, 222, 34, (3, 1), "second")
    _factor(concat, 222, 76, (4, 1), "lit")
    for y, words in ((55, "$s_i$"), (108, "$h_j$"), (83, ") = $e_{ij}$")):
        concat.text(241, y, words, anchor="start")
    return Drawing(
        title="Three scores of one query and one key",
        says="Dot multiplies a state and a key of the same width; general puts a matrix between "
        "vectors of different widths; concat multiplies each by a matrix of its own, adds, takes "
        "the tanh, and reads a number off it.",
        panels=(dot, general, concat),
        caption="Orange: the query and, in concat, its matrix. Blue: the key and its matrix.",
    )


def _factor(
    canvas: Canvas, x: float, y: float, shape: tuple[int, int], look: str, name: str = ""
) -> None:
    """Draw a tensor by its shape alone, its name above it."""
    made = canvas.grid(x, y, [[0.45] * shape[1]] * shape[0], cell=14, look=look)
    canvas.text(made.top[0], y - 14, name)


def masks_two_places() -> Drawing:
    """Draw the weights of two words and two places of padding, masked nowhere, late, in time."""
    scores = [score(1, 0), score(1, 1), score(1, None), score(1, None)]
    unmasked = softmax(scores)
    rows = {
        "no mask": unmasked,
        "mask after the softmax": [*unmasked[:2], 0.0, 0.0],
        "mask before the softmax": [*softmax(scores[:2]), 0.0, 0.0],
    }
    panels = []
    for title, weights in rows.items():
        canvas = Canvas(200, 160, title)
        named = zip(("grandmother", "slept", "pad 1", "pad 2"), weights, strict=True)
        for place, (word, weight) in enumerate(named):
            y, padding = 28 + 26 * place, place > 1
            canvas.text(78, y + 9, word, size=11, anchor="end", look="quiet" if padding else "")
            shown = f"{weight:.3f}" if weight else "0"
            canvas.bar(84, y, 76 * weight, 18, shown, look="second" if padding else "lit")
        canvas.text(84, 146, f"sum {sum(weights):.2f}", size=12, anchor="start")
        panels.append(canvas)
    return Drawing(
        title="Where the mask stands",
        says="Without a mask two places of padding get more than two thirds of the weight. Masked "
        "after the softmax, what is left sums to less than one; masked before it, the weights of "
        "the two words sum to one.",
        panels=tuple(panels),
    )


def no_bend() -> Drawing:
    """Draw the scores without tanh as a column plus a row, and the weights of each row."""
    from_query = [1.0, -2.0, 3.0]
    from_key = [0.0, 2.0, 1.0, -1.0]
    canvas, cell, left, top = Canvas(356, 206), 32, 78, 62
    xs = [left + cell * (j + 0.5) for j in range(4)]
    canvas.text(left + 2 * cell, 11, "$v_a^⊤ U_a h_j$", size=13)
    canvas.text(2, 48, "$v_a^⊤ W_a s_{i-1}$", size=13, anchor="start")
    canvas.boxes(xs, 24, cell, 24, [*map(signed, from_key)], look="lit", size=12)
    canvas.arrows(xs, 48, top)
    for i, own in enumerate(from_query):
        y, row = top + cell * i, [own + value for value in from_key]
        query = canvas.box(22, y + 3, 34, 26, signed(own), look="second", size=12)
        scores = canvas.boxes(xs, y, cell, cell, [*map(signed, row)], size=12)
        weights = canvas.grid(left + 4 * cell + 18, y, [softmax(row)], cell=cell, written=".2f")
        canvas.chain(query, scores[0])
        canvas.chain(scores[-1], weights)
    canvas.note(left + 2 * cell, top + 3 * cell + 14, "scores [query, key]")
    canvas.note(left + 6 * cell + 18, top + 3 * cell + 14, "weights")
    canvas.note(178, 196, "three queries, four keys")
    return Drawing(
        title="Without the bend",
        says="A score without tanh is a number of the query plus a number of the key. The query's "
        "number shifts its whole row, and a softmax does not see a shift: all rows of weights are "
        "the same.",
        panels=(canvas,),
    )


def links_on_a_grid() -> Drawing:
    """Draw sure, possible and predicted links of one sentence, and count the error rate."""
    canvas, cell, left, top = Canvas(340, 356), 24, 84, 62
    for j, word in enumerate(SOURCE):
        canvas.text(left + cell * (j + 0.5), top - (10 if j % 2 == 0 else 26), word, size=11)
    every = {(i, j) for i in range(len(GLOSSES)) for j in range(len(SOURCE))}
    for places, look, part in ((every - POSSIBLE, "", 0.0), (POSSIBLE - SURE, "second", 0.7),
                               (SURE, "lit", 0.7)):  # fmt: skip
        canvas.cells(left, top, sorted(places), cell=cell, look=look, part=part)
    for i, gloss in enumerate(GLOSSES):
        canvas.text(left - 6, top + cell * (i + 0.5), gloss, size=11, anchor="end")
    for i, j in sorted(LINKED):
        canvas.dot(left + cell * (j + 0.5), top + cell * (i + 0.5), 4)
    canvas.key(247, 81, "sure", look="lit", part=0.7)
    canvas.key(247, 109, "only possible", look="second", part=0.7)
    canvas.dot(254, 144, 4)
    canvas.text(268, 144, "in $A$", size=11, anchor="start")
    sure, possible = len(LINKED & SURE), len(LINKED & POSSIBLE)
    of = len(LINKED) + len(SURE)
    counts = f"$|A∩S|$ = {sure}, $|A∩P|$ = {possible}, $|A|$ = {len(LINKED)}, $|S|$ = {len(SURE)}"
    canvas.text(170, 322, counts, size=12)
    error = 1 - (sure + possible) / of
    canvas.text(170, 344, f"AER = 1 − ({sure} + {possible}) / {of} = {error:.2f}", size=12)
    return Drawing(
        title="Links of one sentence",
        says="A grid of target tokens and source words, with sure and possible links as coloured "
        "cells and made-up predicted links as dots; two of the ten dots lie on no coloured cell.",
        panels=(canvas,),
        caption="The links A are made up.",
    )
