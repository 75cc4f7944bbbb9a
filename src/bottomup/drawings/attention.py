"""Drawings of chapter 01.

Every number comes from its example, four words of English and their order in Korean.
"""

import math

import numpy as np

from bottomup.drawings import Canvas, Drawing, Picture, left_open
from bottomup.drawings.engine.alignments import where_steps_look
from bottomup.drawings.engine.numbers import signed, softmax
from bottomup.drawings.engine.tables import percent, table
from bottomup.drawings.engine.words import numbered
from bottomup.explorables import Explorable
from bottomup.i18n import _

ENGLISH = "grandmother", "read", "three", "books"
KOREAN = "grandmother", "book", "three", "read"
NEEDS = 0, 3, 2, 1  # which English word each step needs, and which role
SECOND = NEEDS[1]  # of the step that most drawings show
ROLES = 4
# The example in the mini-language: target tokens, source words, links (target, source).
GLOSSES = ("grandmother", "-TOP.HON", "book", "three", "-CL", "-OBJ", "read", "-HON", "-PAST",
           "-DECL", ".")  # fmt: skip
SOURCE = (*ENGLISH, ".")
SURE = {(0, 0), (2, 3), (3, 2), (6, 1)}
POSSIBLE = SURE | {(1, 0), (4, 2), (4, 3), (5, 2), (5, 3), (7, 1), (8, 1), (9, 1), (10, 4)}
# The strongest weights on words of a trained network; that on the end token is left out.
LINKED = {(0, 0), (1, 0), (2, 3), (3, 2), (4, 1), (5, 1), (6, 1), (7, 0), (8, 0), (9, 4), (10, 0)}


def role_names() -> list[str]:
    """Return the names of the columns, in the reader's language."""
    return _("person, action, count, thing").split(", ")


def hidden(query: int, key: int | None) -> list[float]:
    """Return the tanh units for two roles; a key without a role is padding."""
    return [math.tanh(2 * (role == query) + 2 * (role == key)) for role in range(ROLES)]


def score(query: int, key: int | None) -> float:
    """Return the additive score of two roles."""
    return sum(-3 * unit for unit in hidden(query, key))


def weights_of(query: int) -> list[float]:
    """Return the weights of a step that needs a role, one for each of the four words."""
    return softmax([score(query, key) for key in range(ROLES)])


def one_vector() -> Drawing:
    canvas, xs = Canvas(360, 308), [98, 172, 240, 306]
    rows = {"source": 294, "forward": 244, "backward": 196, "decoder": 72, "target": 14}
    for words, y in rows.items():
        canvas.text(0, y, words, size=11.5, look="quiet", anchor="start")
    canvas.row(xs, 294, ENGLISH, size=12)
    canvas.row(xs, 14, KOREAN, size=12)
    forward = canvas.boxes([x - 10 for x in xs], 233, 28, 22)
    backward = canvas.boxes([x + 10 for x in xs], 185, 28, 22)
    writes = canvas.boxes(xs, 60, 32, 24)
    for x in xs:
        canvas.arrow((x - 3, 284), (x - 9, 255))
        canvas.arrow((x + 4, 284), (x + 11, 207))
    for boxes in forward, backward[::-1], writes:
        canvas.chain(*boxes)
    canvas.arrows(xs, 60, 26)
    vector = canvas.box(132, 124, 140, 30, "$c$", look="lit", size=15)
    canvas.arrow(backward[0].top, (backward[0].top[0], 139), vector.left, look="lit")
    canvas.arrow(forward[-1].right, (350, 244), (350, 139), vector.right, look="lit")
    canvas.line((xs[0], 104), (xs[-1], 104), look="lit")
    canvas.line(vector.top, (vector.top[0], 104), look="lit")
    canvas.arrows(xs, 104, 84, look="lit")
    return Picture("A sentence through one vector", canvas).says(
        "One GRU reads the four English words forwards, another backwards. Their two last "
        "states are joined to one vector c. The decoder writes four Korean words; each of its "
        "steps gets c and nothing else of the source."
    )


def one_vector_or_many() -> Drawing:
    weights = weights_of(SECOND)
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
                canvas.text(*labels[place], percent(weight), size=11, anchor=end)
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
    return Picture("One vector, or all states", *panels).says(
        "First, the ends of the encoder make one vector c, which every decoder step receives. "
        "Then, with attention, all states are kept, and step 2 receives their weighted mean "
        "c_2, mostly the state of books, because s_1 asks for it. Each step gets its own mean.",
        caption="The weights are those of step 2, which writes “book”. Section 3 computes them.",
    )


def crossing_order(*, shown: bool = True) -> Drawing:
    canvas, xs = Canvas(356, 156), (62, 152, 230, 308)
    for y, words, name in ((32, ENGLISH, "j"), (122, KOREAN, "i")):
        canvas.row(xs, y, words)
        numbers = [f"${name}$ = {number}" for number in range(1, 5)]
        canvas.row(xs, 14 if name == "j" else 142, numbers, size=11, look="quiet")
    for step, needed in enumerate(NEEDS):
        if shown or not step:
            canvas.arrow((xs[step], 112), (xs[needed], 42), look="" if needed == step else "lit")
        else:
            canvas.text(xs[step], 96, "?", look="quiet")
    if not shown:
        return Picture("Four steps, and the words that they need", canvas).says(
            "Above, the English words grandmother, read, three, books, numbered from 1 to 4. "
            "Below, the Korean order: grandmother, book, three, read. An arrow leads from the "
            "first Korean word to the first English one; the other three are open."
        )
    return Picture("Which English word each step needs", canvas).says(
        "Step 1 needs word 1 and step 3 word 3. Step 2 needs word 4 and step 4 word 2: both "
        "arrows cross that of step 3."
    )


def four_words() -> Drawing:
    canvas, wide, tall, left = Canvas(360, 296), 48, 26, 104
    ones = np.eye(ROLES)
    for y, values, look, symbols, named in (
        (40, ones, "lit", "$h_1$ $h_2$ $h_3$ $h_4$", "what each English word is"),
        (186, ones[list(NEEDS)], "second", "$s_0$ $s_1$ $s_2$ $s_3$", "what each step needs"),
    ):
        words = ENGLISH if look == "lit" else KOREAN
        canvas.text(0, y - 30, named, size=11.5, anchor="start")
        table(canvas, left, y, values, cell=(wide, tall), look=look, rows=words,
              written=[[f"{value:.0f}" for value in row] for row in values],
              columns=role_names())  # fmt: skip
        for number, symbol in enumerate(symbols.split()):
            canvas.text(left + 4 * wide + 12, y + (number + 0.5) * tall, symbol, anchor="start")
    return Picture("Four words, four roles", canvas).says(
        "Two tables with the columns person, action, count and thing. What each English word "
        "is: grandmother a person, read an action, three a count, books a thing. What each step "
        "needs: step 1, which will write grandmother, a person; step 2, book, a thing; step 3, "
        "three, a count; step 4, read, an action. One number in each row is 1, the others are 0."
    )


def units(*, shown: bool = True) -> Drawing:
    canvas, wide, tall, left, top = Canvas(360, 196), 48, 26, 84, 76
    query = np.eye(ROLES)[SECOND]
    canvas.text(0, 36, "$s_1$ needs", size=11.5, anchor="start")
    table(canvas, left, 24, [query], cell=(wide, 24), look="second", columns=role_names(),
          written=[[f"{value:.0f}" for value in query]])  # fmt: skip
    canvas.note(left, 60, "hidden units of each word", anchor="start")
    canvas.text(left + 4 * wide + 40, 60, "score", size=11.5)
    units = np.array([hidden(SECOND, key) for key in range(ROLES)])
    known = np.array([shown or key == 1 for key in range(ROLES)])
    written = [[f"{unit:.3f}" if unit else "0" for unit in row] if told else ["?"] * ROLES
               for row, told in zip(units, known, strict=True)]  # fmt: skip
    table(canvas, left, top, units * known[:, None], cell=(wide, tall), look="lit", rows=ENGLISH,
          written=written)  # fmt: skip
    for key in range(ROLES):
        y = top + (key + 0.5) * tall
        words = signed(score(SECOND, key), ".2f") if known[key] else "?"
        canvas.box(left + 4 * wide + 14, y - 11, 54, 22, words, size=12,
                   look="lit" if shown and key == SECOND else "")  # fmt: skip
    if not shown:
        return Picture("Hidden units and scores of step 2, to fill in", canvas).says(
            "The state s_1 needs a thing. The four hidden units of read are 0, "
            f"{hidden(SECOND, 1)[1]:.3f}, 0 and {hidden(SECOND, 1)[3]:.3f}, and its score is "
            f"{signed(score(SECOND, 1), '.2f')}. The units and scores of the other words hold "
            "question marks."
        )
    return Picture("Hidden units and scores of step 2", canvas).says(
        "Two units of grandmother, read and three are "
        f"{hidden(SECOND, 1)[1]:.3f}, and their scores {signed(score(SECOND, 1), '.2f')}. Only one "
        f"unit of books is not 0: it is {hidden(SECOND, SECOND)[SECOND]:.3f}, and the score "
        f"{signed(score(SECOND, SECOND), '.2f')}, the highest."
    )


def four_steps() -> Drawing:
    weights = [weights_of(role) for role in NEEDS]
    most, other = percent(max(weights[0])), percent(min(weights[0]))
    return where_steps_look(
        [weights], [KOREAN], ENGLISH,
        title="Where the four steps look",
        says=f"A row for each step, a column for each English word. Step 1, grandmother, gives "
        f"{most} of its weight to grandmother; step 2, book, to books; step 3, three, to three; "
        f"step 4, read, to read. Every other word gets {other}.",
    )  # fmt: skip


def additive_step() -> Explorable:
    query = SECOND
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
                canvas.text(x, 244, percent(weights[key]), size=11)
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
    return (
        Picture("One step of additive attention", *panels)
        .says(
            "The state s_1, which needs a thing, meets each encoder state in a layer of tanh "
            "units; these give four scores, the scores four weights, the weights a mean of the "
            "states, and the mean enters the next state s_2."
        )
        .in_steps(
            [
                "The state before step 2 needs a thing, the last of four roles. Each encoder state "
                "says which role its word plays.",
                "Both are doubled, added and bent. Two units are large where the roles differ, one "
                "where they agree. The cells are the units, from 0 to 1.",
                "Each unit counts −3, so books has the highest score, "
                f"{signed(max(scores), '.2f')}.",
                "The softmax turns the scores into four weights; books gets "
                f"{percent(max(weights))}.",
                "The context is the mean of the states under these weights: mostly a thing.",
                "The GRU reads the word written before and the context, and makes the state after "
                "the step.",
            ]
        )
    )


def three_scores() -> Drawing:
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
    return Picture("Three scores of one query and one key", dot, general, concat).says(
        "Dot multiplies a state and a key of the same width; general puts a matrix between "
        "vectors of different widths; concat multiplies each by a matrix of its own, adds, takes "
        "the tanh, and reads a number off it.",
        caption="Orange: the query and, in concat, its matrix. Blue: the key and its matrix.",
    )


def _factor(
    canvas: Canvas, x: float, y: float, shape: tuple[int, int], look: str, name: str = ""
) -> None:
    """Draw a tensor by its shape alone, its name above it."""
    made = canvas.grid(x, y, [[0.45] * shape[1]] * shape[0], cell=14, look=look)
    canvas.text(made.top[0], y - 14, name)


def _masked_rows() -> dict[str, list[float]]:
    """Return the weights of two words and two places of padding, by where the mask is."""
    scores = [score(1, 0), score(1, 1), score(1, None), score(1, None)]
    unmasked = softmax(scores)
    return {
        "no mask": unmasked,
        "mask after the softmax": [*unmasked[:2], 0.0, 0.0],
        "mask before the softmax": [*softmax(scores[:2]), 0.0, 0.0],
    }


def padded_batch() -> Drawing:
    canvas, xs = Canvas(360, 128), [44, 134, 224, 314]
    short = "grandmother", "slept", "pad 1", "pad 2"
    for y, words in ((6, ENGLISH), (44, short)):
        for x, word in zip(xs, words, strict=True):
            look = "quiet" if word.startswith("pad") else ""
            canvas.box(x - 42, y, 84, 28, word, look=look, size=12)
    canvas.arrows(xs, 94, 74, look="second")
    canvas.row(xs, 104, "????")
    canvas.note(178, 122, "weights of the step that needs an action")
    return Picture("A batch of two sentences", canvas).says(
        "The first row has four words: grandmother, read, three, books. The second has two, "
        "grandmother and slept, and two places of padding. The four weights of the step that needs "
        "an action are open."
    )


def masks_two_places() -> Drawing:
    panels, rows = [], _masked_rows()
    for title, weights in rows.items():
        canvas = Canvas(200, 160, title)
        named = zip(("grandmother", "slept", "pad 1", "pad 2"), weights, strict=True)
        for place, (word, weight) in enumerate(named):
            y, padding = 28 + 26 * place, place > 1
            canvas.text(78, y + 9, word, size=11, anchor="end", look="quiet" if padding else "")
            look = "second" if padding else "lit"
            canvas.bar(84, y, 76 * weight, 18, percent(weight), look=look)
        canvas.text(84, 146, f"sum {percent(sum(weights))}", size=12, anchor="start")
        panels.append(canvas)
    none, late, early = (list(map(percent, weights)) for weights in rows.values())
    return Picture("Where the mask is applied", *panels).says(
        f"Without a mask, grandmother gets {none[0]}, slept {none[1]}, and each of two places "
        f"of padding {none[2]}. Masked after the softmax, the words keep {late[0]} and {late[1]}. "
        f"Masked before the softmax, they get {early[0]} and {early[1]}."
    )


def no_bend(*, shown: bool = True) -> Drawing:
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
        weights = softmax(row) if shown else [0.0] * len(row)
        written = [[percent(weight) if shown else "?" for weight in weights]]
        made = canvas.grid(left + 4 * cell + 18, y, [weights], cell=cell, written=written)
        canvas.chain(query, scores[0])
        canvas.chain(scores[-1], made)
    canvas.note(left + 2 * cell, top + 3 * cell + 14, "scores")
    canvas.note(left + 6 * cell + 18, top + 3 * cell + 14, "weights")
    canvas.note(178, 196, "three steps, four words, made-up numbers")
    if not shown:
        return Picture("Without the tanh, a score is a sum", canvas).says(
            "Three steps have the numbers 1, −2 and 3, four words the numbers 0, 2, 1 and −1. "
            "The scores of the first step are 1, 3, 2, 0, of the second −2, 0, −1, −3, of the "
            "third 3, 5, 4, 2. The weights are open."
        )
    same = ", ".join(map(percent, softmax(from_key)))
    return Picture("Without the tanh, every step looks alike", canvas).says(
        f"All three rows of weights are the same: {same}."
    )


def links_on_a_grid() -> Drawing:
    canvas, cell, left, top = Canvas(340, 372), 24, 84, 56
    for j, word in enumerate(SOURCE):
        above = 26 if j % 2 else 10 if j else 42
        canvas.text(left + cell * (j + 0.5), top - above, word, size=11)
    every = {(i, j) for i in range(len(GLOSSES)) for j in range(len(SOURCE))}
    for places, look, part in ((every - POSSIBLE, "", 0.0), (POSSIBLE - SURE, "second", 0.7),
                               (SURE, "lit", 0.7)):  # fmt: skip
        canvas.cells(left, top, sorted(places), cell=cell, look=look, part=part)
    for i, gloss in enumerate(GLOSSES):
        canvas.text(left - 6, top + cell * (i + 0.5), gloss, size=11, anchor="end")
    for i, j in sorted(LINKED):
        canvas.dot(left + cell * (j + 0.5), top + cell * (i + 0.5), 4)
    canvas.key(234, 81, "sure", look="lit", part=0.7)
    canvas.key(234, 109, "only possible", look="second", part=0.7)
    canvas.dot(241, 144, 4)
    canvas.text(255, 144, "in $A$", size=11, anchor="start")
    sure, possible = len(LINKED & SURE), len(LINKED & POSSIBLE)
    of = len(LINKED) + len(SURE)
    counts = f"$|A∩S|$ = {sure}, $|A∩P|$ = {possible}, $|A|$ = {len(LINKED)}, $|S|$ = {len(SURE)}"
    canvas.text(170, 338, counts, size=12)
    error = 1 - (sure + possible) / of
    canvas.text(170, 360, f"AER = 1 − ({sure} + {possible}) / {of} = {error:.2f}", size=12)
    return Picture("Links of one sentence", canvas).says(
        "A grid of Korean tokens and English words, with sure and possible links as coloured "
        f"cells and the links of a network as dots. {len(LINKED & POSSIBLE)} of {len(LINKED)} dots "
        f"are on a coloured cell; the error rate is {error:.2f}.",
        caption="The dots are the strongest weights of one trained network on words.",
    )


crossing_order_open = left_open(crossing_order)
units_open = left_open(units)
no_bend_open = left_open(no_bend)
