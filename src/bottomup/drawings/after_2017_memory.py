"""Drawings of chapter 10: what Transformer-XL adds, a memory and distances."""

from statistics import fmean

import torch

from bottomup import results
from bottomup.drawings import Canvas, Drawing, Picture, Wide, left_open
from bottomup.drawings.after_2017 import IT, SENTENCE, bars
from bottomup.drawings.engine.tables import percent
from bottomup.drawings.engine.words import width
from bottomup.explorables import Explorable

MEMORY = "after_2017_memory.json"
LENGTH = 3  # of a segment, of the memory
CAT, MEAT = SENTENCE.index("cat"), SENTENCE.index("meat")
WIDE = [width(word, 11) for word in SENTENCE]
APART = (352 - sum(WIDE)) / len(SENTENCE)
XS = [4 + sum(WIDE[:p]) + WIDE[p] / 2 + APART * (p + 0.5) for p in range(len(SENTENCE))]
DELAY, SYMBOLS = 12, 16  # of the task with random symbols
RUNS = {"no memory": "none", "places from 1": "restarted", "distances": "relative"}


def _segments(canvas: Canvas, y: float, *, lit: tuple[int, ...] = ()) -> None:
    """Write the sentence, with a border after each segment."""
    for place, (x, word) in enumerate(zip(XS, SENTENCE, strict=True)):
        if place in lit:
            wide, look = max(WIDE[place] + 10, 24), "lit" if place == IT else "second"
            canvas.box(x - wide / 2, y - 11, wide, 22, look=look)
        canvas.text(x, y, word, size=11)
    for border in range(LENGTH, len(SENTENCE), LENGTH):
        x = XS[border] - (WIDE[border] + APART) / 2
        canvas.line((x, y - 16), (x, y + 16), look="quiet")


def cut() -> Drawing:
    canvas = Wide(360, 96)
    _segments(canvas, 54, lit=(CAT, IT))
    x, top = XS[IT], 24.0
    canvas.line((x, 42), (x, top), (XS[CAT] + 60, top), look="quiet")
    canvas.text(XS[CAT] + 44, top, "?", size=14)
    for number in range(3):
        canvas.note(XS[LENGTH * number + 1], 86, f"segment {number + 1}")
    return Picture("A sentence in three segments", canvas).says(
        "The cat ate, the meat because, it was hungry. Each segment is computed by itself, so "
        "it cannot look at cat."
    )


def symbols(count: int = 2 * DELAY) -> str:
    """Return random symbols, the letters from a to p."""
    draw = torch.randint(SYMBOLS, (count,), generator=torch.Generator().manual_seed(2))
    return "".join(chr(ord("a") + number) for number in draw.tolist())


def delay() -> Drawing:
    canvas, cell, text = Wide(360, 132), 14.4, symbols()
    xs = [12 + cell * place + (6 if place >= DELAY else 0) for place in range(2 * DELAY)]
    for place, (x, letter) in enumerate(zip(xs, text, strict=True)):
        look = "second" if place < DELAY else ""
        canvas.box(x - 6.4, 76, 12.8, 20, look=look)
        canvas.text(x, 86, letter, size=11)
    for place in (0, 5, 11):
        x, back = xs[DELAY + place], xs[place]
        canvas.text(x, 32, text[place], size=13, look="lit")
        canvas.arrow((x, 74), (x, 40), look="lit")
        y = 106 + 5 * (place // 5)
        canvas.arrow((back, y), (back, 98), look="second")
        canvas.line((x, 98), (x, y), (back, y), look="second")
    canvas.text(0, 12, "asked: the symbol 12 places before", size=12, anchor="start")
    canvas.note(xs[5], 64, "segment 1")
    canvas.note(xs[DELAY + 2] + 4, 64, "segment 2")
    return Picture("Which symbol was twelve places before?", canvas).says(
        "Two segments of twelve random symbols. At each position of the second segment the "
        "network is asked for the symbol at the same place of the first."
    )


def known(query: int = IT, layers: int = 2) -> dict[int, list[int]]:
    """Return by layer, from the top, which states *it* depends on; layer 0 holds the words."""
    states = {layers: [query]}
    for layer in range(layers, 0, -1):
        reached: set[int] = set()
        for place in states[layer]:
            reached.update(range(max(0, place // LENGTH * LENGTH - LENGTH), place + 1))
        states[layer - 1] = sorted(reached)
    return states


def memory(*, shown: bool = True) -> Drawing:
    canvas, levels = Wide(360, 208), {2: 26.0, 1: 92.0, 0: 158.0}
    states = known() if shown else {2: [IT], 1: known()[1], 0: []}
    oldest = IT - LENGTH
    for layer, y in levels.items():
        for place, x in enumerate(XS):
            lit = place in states[layer]
            own = place // LENGTH == IT // LENGTH
            look = ("lit" if own else "second") if lit else "quiet"
            canvas.box(x - 7, y - 7, 14, 14, look=look)
    for key in states[1]:
        look = "lit" if key // LENGTH == IT // LENGTH else "second"
        canvas.line((XS[IT], levels[2] + 8), (XS[key], levels[1] - 8), look=look)
    for key in range(oldest + 1) if shown else ():
        canvas.line((XS[oldest], levels[1] + 8), (XS[key], levels[0] - 8), look="second")
    for layer, y in levels.items():
        canvas.note(360, y - 16, ("words", "layer 1", "layer 2")[layer], anchor="end")
    _segments(canvas, 186, lit=(IT,) if not shown else (CAT, IT))
    if not shown:
        return Picture("A memory of three states: how far does it reach?", canvas).says(
            "In layer 2, it looks at itself and at the three states of the segment before, "
            "which are kept. What these have looked at is open.",
            caption="Blue: computed in this segment. Orange: remembered.",
        )
    return Picture("A memory of three states, two layers", canvas).says(
        "In layer 2, it looks at three remembered states. The oldest of them has looked, in "
        f"layer 1, at the segment before its own, with cat in it. So it reaches {IT} words back.",
        caption="Blue: computed in this segment. Orange: remembered, or seen by what is "
        "remembered. No gradient goes back into the orange.",
    )


def _places(*, far: bool) -> Canvas:
    canvas = Wide(360, 116 if far else 86)
    _segments(canvas, 20, lit=(CAT, MEAT, IT))
    rows = {"place in its segment": [str(place % LENGTH + 1) for place in range(len(SENTENCE))]}
    if far:
        rows["how far back from it"] = [str(IT - p) if p <= IT else "" for p in range(len(XS))]
    for number, (name, words) in enumerate(rows.items()):
        y = 64.0 + 40 * number - (4 if far else 0)
        canvas.note(0, y - 16, name, anchor="start")
        for place, (x, word) in enumerate(zip(XS, words, strict=True)):
            look = ("second" if number == 0 else "lit") if place in (CAT, MEAT) else ""
            if word:
                canvas.box(x - 13, y - 8, 26, 20, word, look=look, size=12)
    return canvas


def places_again() -> Drawing:
    return Picture("Places that begin anew", _places(far=False)).says(
        "In each of three segments the places are 1, 2, 3. Cat and meat are both at place 2."
    )


def how_far() -> Drawing:
    return Picture("How far, not where", _places(far=True)).says(
        f"Cat and meat are both at place 2 of their segments. But cat is {IT - CAT} words "
        f"back from it, and meat {IT - MEAT}."
    )


def four_terms() -> Drawing:
    canvas, left, wide, tall = Wide(360, 134), 78.0, 138.0, 52.0
    terms = (
        ("(a)  $q_i k_j$", "it asks for a state"),
        ("(b)  $q_i r$", "it asks for 2 words back"),
        ("(c)  $u k_j$", "all ask for a state"),
        ("(d)  $v r$", "all ask for 2 words back"),
    )
    names = "which word it is", "how far back it is"
    canvas.row([left + wide / 2, left + 1.5 * wide + 4], 9, names, size=12)
    canvas.text(70, 22 + tall / 2, "this word\nasks", size=12, anchor="end")
    canvas.text(70, 26 + 1.5 * tall, "every word\nasks", size=12, anchor="end")
    for number, (term, words) in enumerate(terms):
        x, y = left + (wide + 4) * (number % 2), 22 + (tall + 4) * (number // 2)
        canvas.box(x, y, wide, tall, look="second" if number % 2 else "lit")
        canvas.text(x + wide / 2, y + 17, term, size=13)
        canvas.text(x + wide / 2, y + 38, words, size=11)
    return Picture("Four terms of a score", canvas).says(
        "A score adds four terms: what this word asks of the other word, and of its distance; "
        "what every word asks of the other word, and of its distance.",
        caption="Blue: about the word. Orange: about its distance.",
    )


def the_shift() -> Explorable:
    n, m = 3, 5
    rows = [[str(m - 1 - c) for c in range(m)] for _ in range(n)]
    longer = [["\N{MIDDLE DOT}", *row] for row in rows]
    numbers = [each for row in longer for each in row]
    others = [numbers[n * i : n * i + n] for i in range(m + 1)]
    left = numbers[n:]
    shifted = [left[m * i : m * i + m] for i in range(n)]
    says = [
        "One product gives each of the three words a score for every distance, from far to near. "
        "Here each score is its distance. The columns are distances, the same for all words.",
        "A column of zeros in front makes each row longer by one.",
        "The same numbers, in the same order, in rows of 3. Nothing has been moved.",
        "Without the first row, in rows of 5 again: each row begins one place later than the one "
        "above it. The columns are words now, and each word has distance 0 from itself. What "
        "follows is left over from the next row, and a mask covers it.",
    ]
    tables = (rows, longer, others, shifted)
    return (
        Picture(
            "The relative shift", *(_step(step, table, n, m) for step, table in enumerate(tables))
        )
        .says(
            "A column of zeros and a change of shape turn columns of distances into columns of "
            "words."
        )
        .in_steps(says)
    )


def _step(step: int, table: list[list[str]], n: int, m: int) -> Canvas:
    names = ("columns: distances [3, 5]", "a column in front [3, 6]", "in rows of 3 [6, 3]",
             "columns: words [3, 5]")  # fmt: skip
    canvas, wide, tall, left = Wide(330, 222, scale=1.6), 46.0, 27.0, 50.0
    canvas.text(0, 10, names[step], size=12.5, anchor="start")
    for i, row in enumerate(table):
        y = 50 + tall * i
        if step != 2:
            canvas.text(left - 8, y + tall / 2, SENTENCE[IT + i], size=12, anchor="end")
        for j, words in enumerate(row):
            look = ""
            if step == 2 and i == 0:
                look = "quiet"
            elif step == 3:
                look = "lit" if j <= m - n + i else "quiet"
            elif step == 1 and j == 0:
                look = "second"
            canvas.box(left + wide * j, y, wide, tall, words, look=look)
    if step == 3:
        keys = SENTENCE[IT - (m - n) :]
        canvas.row([left + wide * (j + 0.5) for j in range(m)], 40, keys, size=11)
    return canvas


def window_and_memory() -> Drawing:
    window, cell, panels, cost = 8, 22.0, [], []
    half = window // 2
    for title, kept in (("a window slides", False), ("a memory is kept", True)):
        canvas, computed = Canvas(328, 176, title), 0
        for row in range(half):
            y, last = 34 + 28.0 * row, row + (half if kept else window - 1)
            for place in range(0 if kept else row, last + 1):
                new = not kept or place == last
                computed += new
                look = "lit" if new else "second"
                canvas.box(30 + cell * place, y, cell - 3, 19, look=look)
            end = 30 + cell * (last + 1)
            canvas.arrow((end, y + 9), (end + 20, y + 9))
        canvas.text(164, 160, f"computed for {half} predictions: {computed}", size=13)
        panels.append(canvas)
        cost.append(computed)
    return Picture("What four predictions cost", *panels).says(
        "With a window of eight that slides by one, each prediction computes eight positions, "
        f"{cost[0]} for four predictions. With a memory of half the window only the new positions "
        f"are computed, {cost[1]} for four predictions.",
        caption="Blue: computed. Orange: remembered.",
    )


def right() -> dict[str, float]:
    """Return which share of the symbols one layer names, by what it was given."""
    record = results.load(MEMORY)
    return {name: fmean(record.metric(f"delay_{run}.accuracy")) for name, run in RUNS.items()}


def three_trainings(*, shown: bool = True) -> Drawing:
    canvas, found = Wide(352, 112), right()
    canvas.text(2, 9, "symbols named correctly, twelve places back", size=12.5, anchor="start")
    bars(canvas, 26, found, longest=1, left=96, room=210, form="%",
         open_=() if shown else ("distances",), looks=("", "second", "lit"))  # fmt: skip
    if not shown:
        return Picture("Three networks of one layer, one of them open", canvas).says(
            f"Without a memory {percent(found['no memory'])} of the symbols are named, with a "
            f"memory and places from 1 {percent(found['places from 1'])}. With a memory and "
            "distances it is open."
        )
    said = ", ".join(f"{name} {percent(share)}" for name, share in found.items())
    return Picture("Three networks of one layer", canvas).says(
        f"Symbols named correctly: {said}. The last two have a memory of two segments.",
        caption="The last two have a memory of two segments.",
    )


def gained() -> dict[str, float]:
    """Return the bits a character that a memory gains, at the head of a segment and in its rest."""
    record = results.load(MEMORY)
    return {
        name: fmean(record.metric(f"text_remembers.at_0.{part}"))
        - fmean(record.metric(f"text_remembers.at_1.{part}"))
        for name, part in (("first eighth", "early"), ("last half", "late"))
    }


def on_text(*, shown: bool = True) -> Drawing:
    canvas, found = Wide(352, 130), gained()
    canvas.text(2, 9, "bits saved by a memory, for each character", size=12.5, anchor="start")
    for first, last, look, part in ((0, 4, "lit", 0.9), (4, 16, "", 0.0), (16, 32, "second", 0.9)):
        places = [(0, place) for place in range(first, last)]
        canvas.cells(96, 26, places, cell=7, look=look, part=part)
    canvas.text(88, 30, "one segment", size=12, anchor="end")
    bars(canvas, 60, found, longest=1.0, left=96, room=210, form=".2f",
         open_=() if shown else tuple(found), looks=("lit", "second"))  # fmt: skip
    if not shown:
        return Picture("Where in a segment does a memory help?", canvas).says(
            "A segment of 32 characters. What a memory saves over its first eighth, and over "
            "its last half, is open."
        )
    said = " and ".join(f"{value:.2f} over the {name}" for name, value in found.items())
    return Picture("A memory helps at the head of a segment", canvas).says(
        f"A memory saves {said}, in bits for each character.",
        caption="Blue: the first eighth of a segment. Orange: its last half.",
    )


memory_open = left_open(memory)
three_trainings_open = left_open(three_trainings)
on_text_open = left_open(on_text)
