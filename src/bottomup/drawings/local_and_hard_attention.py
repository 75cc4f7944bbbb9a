"""Drawings of chapter 01b.

They go on with the four words of chapter 01. Every number comes from there, from the few numbers
that the chapter adds by hand, or from a record.
"""

import math
from collections.abc import Sequence
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from bottomup import results
from bottomup.drawings import Canvas, Drawing, Picture, Point, left_open
from bottomup.drawings.attention import (
    ENGLISH,
    KOREAN,
    NEEDS,
    SECOND,
    role_names,
    score,
    weights_of,
)
from bottomup.drawings.engine.numbers import dot, signed, softmax
from bottomup.drawings.engine.tables import percent, table

TILDE = "s\N{COMBINING TILDE}"
WORDS = len(ENGLISH)
# Section 2: what the state's step counts for its place, and a sentence in another order.
BY_PLACE = 3.0
OTHER, OTHER_KOREAN = ("three", "girls", "read", "books"), ("girl", "three", "book", "read")
OTHER_NEEDS = 1, 0, 3, 2
# Section 4: the place of "three", counted from 0, and D.
CENTER, HALF = 2.0, 2
# Sections 7 to 9: the probability of the right Korean word, if step 2 looks at each word; noise.
RIGHT = 0.2, 0.2, 0.2, 0.8
EVEN = (1 / WORDS,) * WORDS
NOISE = 1.3, 0.2, -0.4, 0.6
NAMES = {
    "location": "location",
    "dot": "dot",
    "general": "general",
    "additive": "additive",
    "dot-local_m": "dot, local-m",
    "general-local_m": "general, local-m",
    "dot-local_p": "dot, local-p",
    "general-local_p": "general, local-p",
}
ESTIMATORS = {
    "reinforce": "no baseline",
    "reinforce_moving": "moving average",
    "reinforce_best": "best constant",
    "gumbel_0_3": "τ = 0.3",
    "gumbel_1": "τ = 1",
    "gumbel_3": "τ = 3",
}
TRAININGS = {
    "soft": "soft",
    "exact": "hard, enumerated",
    "gumbel": "hard, Gumbel",
    "reinforce": "hard, REINFORCE",
    "reinforce_baseline": "hard, with baseline",
}


def windowed(scores: Sequence[float], center: float, half_width: float) -> list[float | None]:
    """Return the weights of the positions in a window, and None outside it."""
    inside = [abs(j - center) <= half_width for j in range(len(scores))]
    kept = iter(softmax([score for score, inner in zip(scores, inside, strict=True) if inner]))
    return [next(kept) if inner else None for inner in inside]


def bell_at(place: float) -> float:
    """Return the height of the Gaussian of local-p at a place."""
    return math.exp(-((place - CENTER) ** 2) / (2 * (HALF / 2) ** 2))


def bells() -> list[float]:
    """Return that height at each of the four words."""
    return [bell_at(j) for j in range(WORDS)]


def by_place() -> list[list[float]]:
    """Return where each of four steps looks that were made for the first sentence."""
    return [softmax([BY_PLACE * (j == needed) for j in range(WORDS)]) for needed in NEEDS]


def in_window() -> list[list[float | None]]:
    """Return where each step looks through a window of one place to each side."""
    return [windowed([score(role, key) for key in range(WORDS)], i, 1)
            for i, role in enumerate(NEEDS)]  # fmt: skip


def under_the_bell() -> list[float]:
    """Return the weights of step 2 under the Gaussian."""
    inside = windowed([score(SECOND, key) for key in range(WORDS)], CENTER, HALF)
    return [(share or 0.0) * bell for share, bell in zip(inside, bells(), strict=True)]


def pushes_of(drawn: int, baseline: float = 0.0) -> list[float]:
    """Return what REINFORCE does to the four scores if a word is drawn."""
    reward = math.log(RIGHT[drawn]) - baseline
    return [reward * ((j == drawn) - EVEN[j]) for j in range(WORDS)]


def three_wirings() -> Drawing:
    panels = []
    for title in ("Bahdanau", "Luong", "input feeding"):
        canvas = Canvas(160, 172, title)
        before = canvas.box(4, 136, 44, 26, "$s_{i-1}$", size=13)
        state = canvas.box(112, 136, 44, 26, "$s_i$", size=13)
        context = canvas.box(58, 86, 44, 26, "$c_i$", size=13)
        predicts = canvas.box(112, 30, 44, 26, f"${TILDE}_i$", size=13)
        canvas.chain(before, state)
        canvas.arrow((142, 136), (142, 56))
        canvas.arrow(context.top, (80, 43), predicts.left)
        if title == "Bahdanau":
            canvas.arrow(before.top, (26, 99), context.left, look="second")
            canvas.arrow(context.right, (126, 99), (126, 136), look="second")
        else:
            canvas.arrow(
                (126, 136), (126, 99), context.right, look="second" if title == "Luong" else ""
            )
        if title == "input feeding":
            fed = canvas.box(4, 30, 44, 26, f"${TILDE}_{{i-1}}$", size=13)
            canvas.arrow(fed.bottom, (26, 122), (118, 122), (118, 136), look="second")
        panels.append(canvas)
    return Picture("Three wirings of a step", *panels).says(
        "In all three, the old state leads to the new one, and context and new state predict "
        "the word. Bahdanau: an arrow leads from the old state to the context, and one from the "
        "context to the new state. Luong: an arrow leads from the new state to the context. Input "
        "feeding: the same, and an arrow from the attentional state of the step before to the "
        "new state.",
        caption="In orange: what sets each wiring apart. Bahdanau et al. have a layer of their own "
        f"in the place of {TILDE}.",
    )


def _steps(
    canvas: Canvas, top: float, weights: Sequence[Sequence[float | None]], source: Sequence[str],
    target: Sequence[str], needs: Sequence[int], *, shown: bool = True,
) -> None:  # fmt: skip
    """Draw a row for each step, a column for each word, the needed words in frames."""
    wide, tall, left = 66, 24, 92
    written = [["" if share is None else percent(share) if shown else "?" for share in row]
               for row in weights]  # fmt: skip
    shares = [[None if share is None else share * shown for share in row] for row in weights]
    table(canvas, left, top, shares, cell=(wide, tall), look="lit", rows=target, columns=source,
          written=written)  # fmt: skip
    for i, needed in enumerate(needs):
        x, y = left + wide * needed + 2, top + tall * i + 2
        right, low = x + wide - 4, y + tall - 4
        canvas.line((x - 1, y), (right, y), (right, low), (x, low), (x, y), look="second")


def two_orders(*, shown: bool = True) -> Drawing:
    canvas, weights = Canvas(360, 280), by_place()
    canvas.text(0, 10, "the sentence that the scores were made for", size=11.5, anchor="start")
    _steps(canvas, 40, weights, ENGLISH, KOREAN, NEEDS)
    canvas.text(0, 154, "a sentence in another order", size=11.5, anchor="start")
    _steps(canvas, 182, weights, OTHER, OTHER_KOREAN, OTHER_NEEDS, shown=shown)
    if not shown:
        share = percent(max(weights[0]))
        return Picture("Scores made for one sentence, and another sentence", canvas).says(
            f"First, grandmother read three books: each step gives {share} of its weight to the "
            "word that it needs. Then, three girls read books, in Korean order girl, three, book, "
            "read: the words that the steps need are framed, and the weights hold question marks.",
            caption="In frames: the word that each step needs.",
        )
    looked = [OTHER[int(np.argmax(row))] for row in weights]
    pairs = ", ".join(f"step {i} looks at {word} and needs {OTHER[needed]}" for i, (word, needed)
                      in enumerate(zip(looked, OTHER_NEEDS, strict=True), 1))  # fmt: skip
    return Picture("The same weights, whatever the words", canvas).says(
        f"The weights of the second sentence are those of the first. In it, {pairs}.",
        caption="In frames: the word that each step needs.",
    )


def through_a_window(*, shown: bool = True) -> Drawing:
    canvas, weights = Canvas(360, 128), in_window()
    _steps(canvas, 26, weights, ENGLISH, KOREAN, NEEDS, shown=shown)
    caption = "In frames: the word that each step needs. Grey cells are outside the window."
    if not shown:
        seen = "; ".join(
            f"step {i + 1}, {KOREAN[i]}: "
            + ", ".join(ENGLISH[j] for j, share in enumerate(row) if share is not None)
            for i, row in enumerate(weights)
        )
        return Picture("A window of one place to each side, to fill in", canvas).says(
            f"The words in the window of {seen}. Their weights hold question marks.",
            caption=caption,
        )
    found = [i for i, needed in enumerate(NEEDS) if weights[i][needed] is not None]
    seen = " and ".join(f"step {i + 1}, {KOREAN[i]}" for i in found)
    rest = " ".join(
        f"Step {i + 1}, {KOREAN[i]}, sees "
        + ", ".join(f"{ENGLISH[j]} with {percent(share)}" for j, share in enumerate(row)
                    if share is not None) + "."
        for i, row in enumerate(weights) if i not in found
    )  # fmt: skip
    return Picture("A window of one place to each side", canvas).says(
        f"The word that it needs is in the window of {seen}. {rest}",
        caption=caption,
    )


def bell(*, shown: bool = True) -> Drawing:
    canvas, wide, tall, left, top = Canvas(360, 206), 60, 26, 72, 104
    at = [left + wide * (j + 0.5) for j in range(WORDS)]
    points: list[Point] = [
        (left + wide * (x + 0.5), 76 - 58 * bell_at(x)) for x in np.linspace(-0.5, WORDS - 0.5, 61)
    ]
    canvas.line(*points, look="second")
    middle = left + wide * (CENTER + 0.5)
    canvas.line((middle, 18), (middle, 76), look="quiet")
    canvas.text(middle, 9, "$p_i$", size=12)
    canvas.row(at, 90, ENGLISH, size=11)
    content, curve, product = weights_of(SECOND), bells(), under_the_bell()
    rows = (
        ("softmax", content, [percent(share) for share in content], percent(sum(content)), "lit"),
        ("Gaussian", curve, [f"{height:.2f}" for height in curve], "", "second"),
        ("product", product, [percent(share) for share in product], percent(sum(product)), "lit"),
    )
    for n, (name, values, written, total, look) in enumerate(rows):
        hide = n == 2 and not shown
        y = top + n * (tall + 7)
        table(canvas, left, y, [[0.0 if hide else value for value in values]], cell=(wide, tall),
              look=look, rows=[name], written=[["?"] * WORDS if hide else written])  # fmt: skip
        canvas.text(left + WORDS * wide + 23, y + tall / 2, "?" if hide else total, size=12)
    canvas.note(left + WORDS * wide + 23, 90, "sum")
    if not shown:
        return Picture("A Gaussian around three", canvas).says(
            "Step 2 gives "
            + ", ".join(
                f"{word} {percent(share)}" for word, share in zip(ENGLISH, content, strict=True)
            )
            + ". A bell has its top at three; at the four words its height is "
            + ", ".join(f"{height:.2f}" for height in curve)
            + ". The products, and their sum, hold question marks."
        )
    return Picture("The weights under the Gaussian", canvas).says(
        "The products are "
        + ", ".join(
            f"{word} {percent(share)}" for word, share in zip(ENGLISH, product, strict=True)
        )
        + f". They add up to {percent(sum(product))}."
    )


def _dots(
    canvas: Canvas, place: Sequence[float], y: float, values: Sequence[float], look: str
) -> None:
    """Draw a dot for each value, and a stroke at their mean; `place` is offset and unit."""
    for value in values:
        canvas.dot(place[0] + place[1] * value, y, 4, look=look)
    middle = place[0] + place[1] * mean(values)
    canvas.line((middle, y - 9), (middle, y + 9), look=look)


def eight_decoders() -> Drawing:
    record = results.load("local_and_hard_attention.json")
    canvas, left, wide, low, high = Canvas(360, 262), 122, 226, 60, 95
    unit = wide / (high - low)
    says = []
    for row, (key, name) in enumerate(NAMES.items()):
        y, values = 18 + 26 * row, record.metric(f"translate-{key}-feed.bleu")
        canvas.text(left - 12, y, name, size=11.5, anchor="end")
        canvas.line((left, y), (left + wide, y), look="quiet")
        _dots(canvas, (left - low * unit, unit), y, values, "lit")
        says.append(f"{name} {min(values):.0f} to {max(values):.0f}")
    for tick in (60, 70, 80, 90):
        x = left + unit * (tick - low)
        canvas.line((x, 222), (x, 227))
        canvas.text(x, 237, f"{tick}", size=11)
    canvas.note(left + wide / 2, 254, "BLEU")
    return Picture("Eight decoders, three runs each", canvas).says(
        "BLEU from the lowest to the highest run: " + "; ".join(says) + ".",
        caption="A dot is a run, a stroke the mean of three.",
    )


def mean_or_draw() -> Drawing:
    alpha, xs = weights_of(SECOND), [54 + 82 * j for j in range(WORDS)]
    states = [[float(role == own) for role in range(WORDS)] for own in range(WORDS)]
    context = [dot(alpha, column) for column in zip(*states, strict=True)]
    panels = []
    for drawn, title, taken, words in (
        (None, "soft: the mean", context, "$c_2$: the row of no word"),
        (SECOND, "hard: books was drawn", states[SECOND], "$c_2$ = $h_4$, the row of one word"),
    ):
        canvas = Canvas(356, 226)
        canvas.text(178, 12, title, size=12.5)
        canvas.row(xs, 34, ENGLISH, size=11)
        canvas.row(xs, 76, [percent(weight) for weight in alpha], size=12)
        for j, x in enumerate(xs):
            canvas.grid(x - 32, 44, [states[j]], cell=16)
            if drawn in (None, j):
                canvas.arrow((x, 88), (178 + (x - 178) * 0.3, 150), look="lit" if drawn else "")
        wide = 44
        table(canvas, 178 - 2 * wide, 152, [taken], cell=(wide, 24), look="lit",
              written=[[f"{value:.2f}" if drawn is None else f"{value:.0f}" for value in taken]],
              rows=["$c_2$"])  # fmt: skip
        for j, name in enumerate(role_names()):
            canvas.note(178 + wide * (j - 1.5), 186, name)
        canvas.text(178, 212, words, size=12)
        panels.append(canvas)
    mixed = ", ".join(f"{value:.2f}" for value in context)
    return Picture("Take the mean, or draw one word", *panels).says(
        "Four states and the weights of step 2, the same in both pictures: "
        + ", ".join(f"{word} {percent(share)}" for word, share in zip(ENGLISH, alpha, strict=True))
        + f". Soft attention takes the mean, {mixed}. Hard attention draws one word with these "
        "probabilities, here books, and takes its row as it is.",
        caption="The numbers below the words are shares of the mean if soft, probabilities of the "
        "draw if hard.",
    )


def rewards() -> Drawing:
    canvas, wide, tall, left, top = Canvas(360, 142), 64, 26, 100, 26
    lines = (
        ("weight $p_j$", EVEN, [percent(share) for share in EVEN], "lit"),
        ("right word", RIGHT, [percent(share) for share in RIGHT], "second"),
        ("reward $r_j$", (0.0,) * WORDS, [signed(math.log(share), ".2f") for share in RIGHT], ""),
    )
    for n, (name, values, written, look) in enumerate(lines):
        table(canvas, left, top + n * (tall + 7), [values], cell=(wide, tall), look=look,
              rows=[name], columns=ENGLISH if n == 0 else (), written=[written])  # fmt: skip
    average = dot(EVEN, [math.log(share) for share in RIGHT])
    canvas.text(left + 2 * wide, 132, f"mean reward $L$ = {signed(average, '.2f')}", size=12)
    return Picture("What each word is worth to step 2", canvas).says(
        f"All four words have the weight {percent(EVEN[0])}. The right Korean word has the "
        f"probability {percent(RIGHT[0])} after grandmother, read or three, and "
        f"{percent(RIGHT[SECOND])} after books. The rewards, their logarithms, are "
        f"{signed(math.log(RIGHT[0]), '.2f')} three times and "
        f"{signed(math.log(RIGHT[SECOND]), '.2f')} for books; their mean is "
        f"{signed(average, '.2f')}."
    )


def _pushes(baseline: float) -> Canvas:
    """Return what each of four draws does to the four scores, and their mean."""
    canvas, wide, left = Canvas(360, 316), 64, 98
    rows = [pushes_of(drawn, baseline) for drawn in range(WORDS)]
    rows.append([dot(EVEN, column) for column in zip(*rows, strict=True)])
    xs = [left + wide * (j + 0.5) for j in range(WORDS)]
    canvas.row(xs, 300, ENGLISH, size=11)
    canvas.note(left + 2 * wide, 10, "what happens to the score of")
    for line, row in enumerate(rows):
        y = 50 + 56 * line
        name = ENGLISH[line] if line < WORDS else "mean"
        canvas.text(4, y - 7 if line < WORDS else y, name, size=11.5, anchor="start")
        if line < WORDS:
            canvas.note(4, y + 8, "drawn", anchor="start")
        canvas.line((left, y), (left + WORDS * wide, y), look="quiet")
        for j, (x, push) in enumerate(zip(xs, row, strict=True)):
            look = "lit" if line in (j, WORDS) else ""
            canvas.box(x - 26, y - 18 * max(push, 0), 14, 18 * abs(push), look=look)
            canvas.text(x - 8, y - 9 if push > 0 else y + 9, signed(push, "+.2f"), size=11,
                        anchor="start")  # fmt: skip
    return canvas


def pushes() -> Drawing:
    best, other = pushes_of(SECOND)[SECOND], pushes_of(0)[0]
    return Picture("What one draw does to the scores", _pushes(0.0)).says(
        f"Every draw lowers the score of its own word: books by {-best:.2f}, each of the "
        f"others by {-other:.2f}. The mean over the four draws raises books by "
        f"{dot(EVEN, [pushes_of(z)[SECOND] for z in range(WORDS)]):.2f}.",
        caption="Blue: the score of the word drawn; in the last row, the exact gradient.",
    )


def pushes_with_baseline() -> Drawing:
    baseline = dot(EVEN, [math.log(share) for share in RIGHT])
    best, other = pushes_of(SECOND, baseline)[SECOND], pushes_of(0, baseline)[0]
    return Picture("What one draw does, with a baseline", _pushes(baseline)).says(
        f"A draw of books raises its score by {best:.2f}. A draw of another word lowers the "
        f"score of that word by {-other:.2f}. The mean over the four draws is the same as "
        "without a baseline.",
        caption="Blue: the score of the word drawn; in the last row, the exact gradient.",
    )


def straight_through() -> Drawing:
    canvas = Canvas(360, 268)
    one_hot = [float(value == max(NOISE)) for value in NOISE]
    canvas.row([108 + 66 * j for j in range(WORDS)], 10, ENGLISH, size=11)
    canvas.text(66, 32, "$e + g$", size=12, anchor="end")
    table(canvas, 76, 20, [[0.0] * WORDS], cell=(66, 24), rows=[],
          written=[[signed(value, ".1f") for value in NOISE]])  # fmt: skip
    hard = canvas.box(30, 92, 116, 30, "argmax", look="lit")
    bent = canvas.box(214, 92, 124, 30, "softmax($·$ / $τ$)", look="second")
    canvas.arrow((120, 44), hard.top, look="lit")
    canvas.arrow(bent.top, (244, 44), look="second")
    drawn = canvas.grid(40, 158, [one_hot], cell=24, written=".0f")
    soft = canvas.grid(204, 158, [softmax(NOISE)], cell=36, look="second", written=".2f")
    canvas.chain(hard, drawn, look="lit")
    canvas.chain(soft, bent, look="second")
    canvas.box(100, 234, 160, 30, "take $h_z$, loss")
    canvas.arrow(drawn.bottom, (130, 234), look="lit")
    canvas.arrow((230, 234), soft.bottom, look="second")
    canvas.text(84, 66, "forward", size=12, anchor="end")
    canvas.text(286, 66, "gradient", size=12, anchor="start")
    return Picture("Straight through", canvas).says(
        "The scores are 0, so only the noise counts: "
        + ", ".join(f"{word} {signed(value, '.1f')}"
                    for word, value in zip(ENGLISH, NOISE, strict=True))
        + f". Forwards, the argmax chooses {ENGLISH[int(np.argmax(NOISE))]}, and its state alone "
        "is taken. Backwards, the gradient passes through the softmax of the same numbers, as if "
        "its weights had been used.",
        caption="All scores are 0, the noise is made up, and the temperature is 1.",
    )  # fmt: skip


def six_estimators() -> Drawing:
    record = results.load("local_and_hard_attention_gradients.json")
    canvas, left, floor = Canvas(360, 266), 44, 218
    unit_x, unit_y = 62.0, 92.0  # of a factor of ten

    def place(bias: float, variance: float) -> Point:
        return left + unit_x * (math.log10(max(bias, 1e-4)) + 4.2), floor - unit_y * (
            math.log10(variance) + 0.5
        )

    canvas.line((left, 24), (left, floor), (352, floor))
    says = []
    for key, name in ESTIMATORS.items():
        bias, variance = (mean(record.metric(f"estimators.{key}.{what}"))
                          for what in ("bias", "variance"))  # fmt: skip
        gumbel = key.startswith("gumbel")
        x, y = place(bias, variance)
        canvas.dot(x, y, 5, look="second" if gumbel else "lit")
        end = "end" if x > 240 else "start"
        lower = 5 * (key == "reinforce_best") - 5 * (key == "reinforce_moving")
        canvas.text(x - 9 if end == "end" else x + 9, y + lower, name, size=11.5, anchor=end)
        kind = "Gumbel straight-through, " if gumbel else "REINFORCE, "
        says.append(f"{kind}{name}: squared bias {max(bias, 0.0):.3f}, variance {variance:.1f}")
    for value, words in ((1e-4, "none"), (1e-3, "0.001"), (1e-2, "0.01"), (1e-1, "0.1")):
        x, _y = place(value, 1)
        canvas.line((x, floor), (x, floor + 5))
        canvas.text(x, floor + 15, words, size=11)
    for value in (0.5, 1, 2, 5, 10):
        _x, y = place(1, value)
        canvas.line((left - 5, y), (left, y))
        canvas.text(left - 9, y, f"{value:g}", size=11, anchor="end")
    canvas.text(2, 10, "variance of one estimate", size=11.5, anchor="start")
    canvas.text(352, floor + 36, "squared bias", size=11.5, anchor="end")
    for y, name, look in ((30, "REINFORCE", "lit"), (48, "Gumbel straight-through", "second")):
        canvas.dot(206, y, 5, look=look)
        canvas.text(216, y, name, size=11.5, anchor="start")
    return Picture("Six estimators of a gradient", canvas).says(
        "; ".join(says) + ".",
        caption="Both in shares of the squared length of the exact gradient, on axes of powers.",
    )


def five_trainings() -> Drawing:
    record = results.load("local_and_hard_attention_gradients.json")
    canvas, left, wide, low = Canvas(356, 216), 130, 210, 0.4
    unit = wide / (1 - low)
    for row, (key, name) in enumerate(TRAININGS.items()):
        y = 44 + 30 * row
        canvas.text(left - 10, y, name, size=11, anchor="end")
        canvas.line((left, y), (left + wide, y), look="quiet")
        for length, look in ((12, "lit"), (24, "second")):
            values = record.metric(f"{key}_800.accuracy.{length}")
            _dots(canvas, (left - low * unit, unit), y, values, look)
    for tick in (0.4, 0.6, 0.8, 1.0):
        x = left + unit * (tick - low)
        canvas.line((x, 176), (x, 181))
        canvas.text(x, 190, f"{tick:.0%}", size=11)
    canvas.text(left + wide / 2, 207, "digits right", size=11)
    for x, name, look in ((left + 12, "24 digits", "second"), (left + 140, "12 digits", "lit")):
        canvas.dot(x, 16, 4, look=look)
        canvas.text(x + 9, 16, name, size=12, anchor="start")
    return Picture("Five ways of training, three runs each", canvas).says(
        "With 12 digits all five ways are near 100%. With 24, more than any had practised, "
        "all are near a half, and the three that sample lie below soft attention in every run.",
        caption="A dot is a run, a stroke the mean of three.",
    )


def found_by_hand() -> dict[str, tuple[int, int]]:
    """Return for each way how many steps of the example look most at the word that they need."""

    def found(weights: Sequence[Sequence[float | None]], needs: Sequence[int]) -> int:
        rows = [[share or 0.0 for share in row] for row in weights]
        return sum(row[j] > 0 and row[j] == max(row) for row, j in zip(rows, needs, strict=True))

    whole = [weights_of(role) for role in NEEDS]
    both = found(by_place(), NEEDS) + found(by_place(), OTHER_NEEDS)
    return {
        "general": (found(whole, NEEDS), WORDS),
        "location": (both, 2 * WORDS),
        "general-local_m": (found(in_window(), NEEDS), WORDS),
        "general-local_p": (found([under_the_bell()], [SECOND]), 1),
    }


def by_hand_and_trained() -> Drawing:
    record = results.load("local_and_hard_attention_alignment.json")
    names = {
        "general": "whole sentence",
        "location": "place alone",
        "general-local_m": "moving window",
        "general-local_p": "predicted centre",
    }
    canvas, left, wide = Canvas(360, 184), 128, 184
    says = []
    for row, (key, name) in enumerate(names.items()):
        y, values = 46 + 30 * row, record.metric(f"translate-{key}.sure_accuracy")
        right, steps = found_by_hand()[key]
        canvas.text(left - 14, y, name, size=11.5, anchor="end")
        canvas.line((left, y), (left + wide, y), look="quiet")
        canvas.dot(left + wide * right / steps, y, 5, look="second")
        canvas.text(356, y, f"{right} / {steps}", size=11, anchor="end")
        _dots(canvas, (left, wide), y, values, "lit")
        says.append(f"{name}: by hand {right} of {steps}, trained {min(values):.0%} to "
                    f"{max(values):.0%}")  # fmt: skip
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = left + wide * tick
        canvas.line((x, 148), (x, 153))
        canvas.text(x, 163, f"{tick:.0%}", size=11)
    for x, name, look in ((left, "by hand", "second"), (left + 100, "trained", "lit")):
        canvas.dot(x, 16, 4, look=look)
        canvas.text(x + 9, 16, name, size=12, anchor="start")
    canvas.note(left + wide / 2, 178, "steps that look most at the right word")
    return Picture("Who finds the right word?", canvas).says(
        "; ".join(says) + ".",
        caption="A blue dot is a run, a stroke the mean of three. On the right, the steps of our "
        "example by hand.",
    )


def five_ways() -> Drawing:
    rows: dict[str, Sequence[float | None]] = {
        "whole sentence": weights_of(SECOND),
        "place alone": by_place()[1],
        "window, $D$ = 1": in_window()[1],
        "under a Gaussian": under_the_bell(),
        "one word drawn": [float(j == SECOND) for j in range(WORDS)],
    }
    canvas, wide, tall, left, top = Canvas(360, 162), 60, 26, 118, 28
    values: NDArray[np.object_] = np.array(list(rows.values()), dtype=object)
    table(canvas, left, top, values.tolist(), cell=(wide, tall), look="lit", rows=list(rows),
          columns=ENGLISH, written=[["" if share is None else percent(share) for share in row]
                                    for row in rows.values()])  # fmt: skip
    says = "; ".join(
        f"{name.replace('$', '')}: "
        + ", ".join(f"{word} {'not seen' if share is None else percent(share)}"
                    for word, share in zip(ENGLISH, row, strict=True))
        for name, row in rows.items()
    )  # fmt: skip
    return Picture("Where step 2 looks, in five ways", canvas).says(
        f"{says}.",
        caption="Step 2 will write “book” and needs “books”.",
    )


two_orders_open = left_open(two_orders)
window_open = left_open(through_a_window)
bell_open = left_open(bell)
