"""Drawings of chapter 11: a patient, bed 4, one question after the other."""

from math import exp

from bottomup import results
from bottomup.drawings import Canvas, Drawing, Picture, Wide, left_open
from bottomup.drawings.clinic import RECORD, as_drawn
from bottomup.drawings.engine.tables import percent
from bottomup.experiments.clinic.signs import table

# What twin and bed 4 answer, as the chapter's cells print it.
SOURCES = ("cab", "hidaebfc")
WRITTEN = {"twin": ("bac", "cfbeadih"), "bed 4": ("", ""), "bed 7": ("", "")}
BESIDE = {"twin": 0.0, "bed 4": 7.3}  # nats by which a neighbour moves it
TARGET, CHANGED, PLACE = "cfbeadih", "cfbegdih", 4
MOVED = {  # nats by which a changed letter moves each of the first predictions
    "twin": (0.0, 0.0, 0.0, 0.0, 0.0, 6.21),
    "bed 4": (0.17, 0.02, 0.03, 0.07, 0.01, 2.65),
}
SUMS = {  # of the rows of a head's weights in the decoder
    "twin": (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    "bed 4": (0.03, 0.72, 0.80, 0.68, 0.64, 0.33),
}
# Question, the answers of twin and bed 4, and the reading that it is with bed 4's outcome.
ASKED = (
    ("Ask twice.", "0", "0", ("asked twice", 0)),
    ("Ask alone and\nin a batch.", "0", "7.3", ("alone less in a batch", 1)),
    ("Change a\nlater token.", "0", "0.17", ("later token changed", 1)),
    ("Add up each\nrow's weights.", "100%", "3\N{EN DASH}80%", ("row sums", -1)),
)
EXACT = (
    ("What changes if we ask twice?", "nothing"),
    ("What changes beside another word?", "nothing"),
    ("What does a later token change?", "nothing"),
    ("What do a row's weights sum to?", "100%"),
    ("Reported loss over recounted loss?", "1"),
)
SCORES = (1.0, 0.5, 2.0)  # of the second position for the first, itself and the third


def three_patients(*, shown: bool = True) -> Drawing:
    canvas = Wide(360, 120)
    for column, word in enumerate(SOURCES):
        canvas.text(140 + 150.0 * column, 12, word, size=13)
    for row, (name, found) in enumerate(WRITTEN.items()):
        y = 28 + 32.0 * row
        canvas.text(52, y + 13, name, size=12.5, anchor="end")
        for column, written in enumerate(found):
            said = (written or "nothing") if shown else "?"
            look = "lit" if shown and written else "second" if shown else "quiet"
            canvas.box(70 + 150.0 * column, y, 140, 26, said, look=look)
    if not shown:
        return Picture("Three networks and two words: to fill in", canvas).says(
            "The healthy twin, bed 4 and bed 7 have to write cab and hidaebfc backwards. What "
            "each of them writes is open."
        )
    return Picture("Three networks and two words", canvas).says(
        "The twin writes bac and cfbeadih. Bed 4 and bed 7 write nothing for either word."
    )


def what_it_sees() -> Drawing:
    canvas, xs = Wide(360, 196), [120.0 + 64 * n for n in range(4)]
    for row, (name, tokens) in enumerate(
        (("training", ("BOS", "b", "a", "c")), ("writing", ("BOS", "", "", "")))
    ):
        y = 10 + 100.0 * row
        canvas.text(0, y + 10, f"in {name}", size=12.5, anchor="start")
        canvas.text(0, y + 60, "decoder gets", size=12, anchor="start")
        canvas.text(0, y + 30, "must say", size=12, anchor="start")
        said = canvas.boxes(xs, y + 18, 44, 24, ("b", "a", "c", "EOS"), look="lit", size=12.5)
        for x, token in zip(xs, tokens, strict=True):
            canvas.box(x - 22, y + 50, 44, 24, token, look="" if token else "quiet", size=12.5)
            canvas.arrow((x, y + 50), (x, said[0].bottom[1]))
        for here, after in zip(said[:-1], xs[1:], strict=True) if not row else ():
            canvas.arrow((after - 12, y + 50), (here.right[0] - 6, here.bottom[1]), look="second")
    return Picture("A leak, in training and in writing", canvas).says(
        "In training the decoder gets BOS, b, a, c, and must say b, a, c, EOS. With a leak, "
        "each place also sees the next token, which is its answer. In writing, the next tokens are "
        "not there yet.",
        caption="Orange: what leaks. In writing, the dashed boxes are still empty.",
    )


def exact(*, shown: bool = True) -> Drawing:
    canvas = Wide(360, 8 + 34 * len(EXACT))
    for row, (question, answer) in enumerate(EXACT):
        y = 4 + 34.0 * row
        canvas.box(2, y, 240, 28, question, size=12)
        said, look = (answer, "lit") if shown else ("?", "quiet")
        box = canvas.box(272, y, 86, 28, said, look=look, size=13)
        canvas.arrow((242, y + 14), box.left)
    if not shown:
        return Picture("Five questions: to fill in", canvas).says(
            "Five questions to a trained network: "
            + " ".join(question for question, _answer in EXACT)
            + " The healthy answers are open."
        )
    return Picture("Five questions and their healthy answers", canvas).says(
        " ".join(f"{question} {answer.capitalize()}." for question, answer in EXACT)
    )


def in_a_batch(*, shown: bool = True) -> Drawing:
    canvas, wide = Wide(360, 176), 30.0
    batches = (("by itself", ("cab",)), ("in a batch", ("cab", "hidaebfc")))
    y = 4.0
    for name, words in batches:
        canvas.text(0, y + 13, name, size=12.5, anchor="start")
        longest = max(map(len, words))
        for word in words:
            for place in range(longest):
                letter = word[place] if place < len(word) else "\N{MIDDLE DOT}"
                look = "quiet" if place >= len(word) else "lit" if word == "cab" else ""
                canvas.box(98 + 32.0 * place, y, wide, 26, letter, look=look, size=13)
            y += 30
        y += 10
    canvas.text(0, y + 6, "what this changes of the answers about cab, in nats", size=12,
                anchor="start")  # fmt: skip
    for column, (name, value) in enumerate(BESIDE.items()):
        x = 98 + 128.0 * column
        canvas.text(x - 8, y + 34, name, size=12.5, anchor="end")
        said, look = (f"{value:g}", "second" if value else "lit") if shown else ("?", "quiet")
        canvas.box(x, y + 21, 60, 26, said, look=look, size=14)
    if not shown:
        return Picture("A word alone, and in a batch: to fill in", canvas).says(
            "The word cab alone, and the same word in a batch with hidaebfc, padded with five "
            "places. By how much this changes what the twin and bed 4 say about cab is open.",
            caption="Dashed: padding.",
        )
    return Picture("A word alone, and in a batch", canvas).says(
        f"A longer word in the batch moves what the twin says about cab by 0 nats, and what "
        f"bed 4 says by up to {BESIDE['bed 4']:g} nats."
    )


def changed(*, shown: bool = True) -> Drawing:
    canvas, xs = Wide(360, 206), [86.0 + 50 * n for n in range(6)]
    for row, (name, word) in enumerate((("original", TARGET), ("changed", CHANGED))):
        canvas.text(0, 14 + 30.0 * row, name, size=12.5, anchor="start")
        for n, x in enumerate(xs):
            look = "second" if n == PLACE else ""
            canvas.box(x - 22, 2 + 30.0 * row, 44, 24, word[n], look=look, size=13)
    canvas.text(0, 86, "place", size=12, anchor="start", look="quiet")
    canvas.row(xs, 86, [f"{n}" for n in range(6)], size=12, look="quiet")
    canvas.text(0, 112, "moves by, in nats", size=12, anchor="start")
    for row, (name, values) in enumerate(MOVED.items()):
        y = 128 + 36.0 * row
        canvas.text(0, y + 13, name, size=12.5, anchor="start")
        for n, (x, value) in enumerate(zip(xs, values, strict=True)):
            said = (f"{value:.2f}" if value else "0") if shown else "?"
            leaks = shown and n <= PLACE and value
            look = "quiet" if not shown else "second" if leaks else "lit" if not value else ""
            canvas.box(x - 22, y, 44, 26, said, look=look, size=12.5)
    if not shown:
        return Picture("One letter of the target changed: to fill in", canvas).says(
            "The target cfbeadih, and the same with g as its fifth letter, at place 4. By how much "
            "this moves the predictions at the places 0 to 5 is open, for the twin and for bed 4."
        )
    bed = ", ".join(f"{value:.2f}" for value in MOVED["bed 4"])
    return Picture("One letter of the target changed", canvas).says(
        "In the twin, the predictions at the places 0 to 4 move by 0, and at place 5 by "
        f"{MOVED['twin'][-1]:.2f} nats. In bed 4 the predictions at the places 0 to 5 move "
        f"by {bed} nats.",
        caption="Orange below: predictions that should not move.",
    )


def row_sums(*, shown: bool = True) -> Drawing:
    canvas, floor = Wide(360, 150), 104.0
    for number, (name, sums) in enumerate(SUMS.items()):
        left = 12 + 180.0 * number
        canvas.text(left + 78, 12, name, size=12.5)
        canvas.line((left - 4, floor), (left + 162, floor), look="quiet")
        for n, value in enumerate(sums):
            x = left + 27.0 * n
            if shown:
                look = "lit" if value == 1 else "second"
                canvas.column(x, floor, 18, 60 * value, f"{100 * value:.0f}", look=look)
            else:
                canvas.text(x + 9, floor - 16, "?", size=13)
            canvas.note(x + 9, floor + 12, f"{n}")
    canvas.note(180, 140, "row of a head's weights; bar: what it sums to, in percent")
    if not shown:
        return Picture("What each row of weights sums to: to fill in", canvas).says(
            "Six rows of one head of the decoder's self-attention, of the twin and of bed 4. "
            "What the weights of each row sum to is open."
        )
    said = ", ".join(percent(value) for value in SUMS["bed 4"])
    return Picture("What each row of weights sums to", canvas).says(
        f"In the twin each of six rows sums to 100%. In bed 4 the sums are {said}."
    )


def by_hand() -> dict[str, list[float]]:
    """Return the weights of the second of three positions, masked before the softmax and after."""
    powers = [exp(score) for score in SCORES]
    return {
        "mask before": [power / sum(powers[:2]) for power in powers[:2]] + [0.0],
        "mask after": [power / sum(powers) for power in powers[:2]] + [0.0],
    }


def two_orders(*, shown: bool = True) -> Drawing:
    canvas, xs = Wide(360, 150), (150.0, 218.0, 286.0)
    canvas.row(xs, 12, ("place 0", "place 1", "place 2"), size=12)
    canvas.text(92, 42, "score", size=12, anchor="end")
    for n, (x, score) in enumerate(zip(xs, SCORES, strict=True)):
        canvas.box(x - 30, 28, 60, 26, f"{score:g}", look="second" if n == 2 else "", size=13)
    canvas.text(342, 12, "sum", size=12)
    found = by_hand()
    for row, (name, weights) in enumerate(found.items()):
        y = 72 + 38.0 * row
        canvas.text(92, y + 13, name, size=12, anchor="end")
        for x, weight in zip((*xs, 342.0), (*weights, sum(weights)), strict=True):
            said = percent(weight) if shown or row == 0 else "?"
            wide = 60 if x < 340 else 34
            look = "quiet" if said == "?" else "lit" if row == 0 else ""
            canvas.box(x - wide / 2, y, wide, 26, said, look=look, size=11.5)
    first, second = (", ".join(map(percent, weights)) for weights in found.values())
    if not shown:
        return Picture("The mask before the softmax, and after it: to fill in", canvas).says(
            "The second of three positions has the scores 1, 0.5 and 2, and may not look at "
            f"the third. With the mask before the softmax its weights are {first}. With the mask "
            "after it they are open.",
            caption="Place 1 looks. In orange: the future.",
        )
    total = percent(sum(found["mask after"]))
    return Picture("The mask before the softmax, and after it", canvas).says(
        f"With the mask before the softmax the weights are {first}, and sum to 100%. With the "
        f"mask after it they are {second}, and sum to {total}."
    )


def left(questions: int) -> list[str]:
    """Return the diseases that bed 4 can still have after so many of the questions."""
    shows = table(results.load(RECORD))
    seen = [reading for *_, reading in ASKED[:questions]]
    return [
        disease
        for disease, signs in shows.items()
        if all(signs[name] in (None, outcome) for name, outcome in seen)
    ]


def _examined(questions: int) -> Canvas:
    tall, every = 40.0, list(table(results.load(RECORD)))
    named = [as_drawn(disease) for disease in left(questions)]
    few = len(named) <= 4
    canvas = Wide(360, 28 + tall * questions + (40 if few else 6), scale=1.7)
    canvas.text(140, 10, "twin", size=12)
    canvas.text(192, 10, "bed 4", size=12)
    canvas.text(288, 10, "can still be", size=12)
    for row, (question, healthy, found, _reading) in enumerate(ASKED[:questions]):
        y = 24 + tall * row
        canvas.text(0, y + 16, question, size=12, anchor="start")
        canvas.text(140, y + 16, healthy, size=13)
        canvas.box(168, y + 2, 50, 28, found, look="" if found == healthy else "second", size=12)
        rest = left(row + 1)
        for part in (1.0, 0.0):
            places = [(0, n) for n, each in enumerate(every) if (each in rest) == bool(part)]
            canvas.cells(228, y + 12, places, cell=7.4, part=part)
        canvas.text(360, y + 16, f"{len(rest)}", size=12.5, anchor="end")
    if few:
        y = 32 + tall * questions
        halves = [", ".join(named[n : n + 2]) for n in range(0, len(named), 2)]
        canvas.text(180, y + 8, ",\n".join(halves), size=12)
    return canvas


def _case(questions: int) -> tuple[str, str, tuple[Canvas, ...], str]:
    """Return what a drawing of so many questions is made of."""
    rest = left(questions)
    named = ", ".join(rest) if len(rest) <= 4 else f"{len(rest)} of 15"
    asked = "; ".join(
        f"{question} twin {healthy}, bed 4 {found}"
        for question, healthy, found, _reading in ASKED[:questions]
    ).replace("\n", " ")  # fmt: skip
    return (
        f"Bed 4 after {questions} of 4 questions",
        f"{asked}. Bed 4 can still be: {named}.",
        (_examined(questions),),
        "Each square is one of the fifteen pipelines, in blue while bed 4 can still be it.",
    )


def asked_twice() -> Drawing:
    return Drawing(*_case(1))


def asked_in_a_batch() -> Drawing:
    return Drawing(*_case(2))


def asked_about_the_future() -> Drawing:
    return Drawing(*_case(3))


def examined() -> Drawing:
    return Drawing(*_case(4))


three_patients_open = left_open(three_patients)
exact_open = left_open(exact)
in_a_batch_open = left_open(in_a_batch)
changed_open = left_open(changed)
row_sums_open = left_open(row_sums)
two_orders_open = left_open(two_orders)
