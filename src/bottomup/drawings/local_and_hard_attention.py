"""Drawings of chapter 01b."""

import math
from collections.abc import Sequence
from statistics import mean

from bottomup import results
from bottomup.drawings import Canvas, Drawing, Point
from bottomup.drawings.engine.numbers import dot, signed, softmax
from bottomup.drawings.engine.words import numbered
from bottomup.explorables import Explorable

CONTENT = [0.2, 1.4, 0.1, 0.6, 1.0, 0.3, 0.9, 1.8, 0.4, 0.5]  # made-up scores of ten positions
WIDE = 28  # of a position
XS = [10 + WIDE * (j + 0.5) for j in range(len(CONTENT))]
TILDE = "s\N{COMBINING TILDE}"
# Section 7: scores, and the log-likelihood that each word would give.
E = [0.0, 1.0, 0.5]
REWARD = [-3.0, -1.0, -0.2]


def windowed(scores: list[float], center: float, half_width: float) -> list[float]:
    """Return the weights of the positions in a window, and zero outside it."""
    inside = [abs(j - center) <= half_width for j in range(len(scores))]
    kept = iter(softmax([score for score, inner in zip(scores, inside, strict=True) if inner]))
    return [next(kept) if inner else 0.0 for inner in inside]


def bell(distance: float, half_width: float) -> float:
    """Return the Gaussian of local-p."""
    return math.exp(-(distance**2) / (2 * (half_width / 2) ** 2))


def _source(canvas: Canvas, top: float, inside: Sequence[bool]) -> None:
    """Draw ten source positions, those outside the window dashed."""
    looks = ["lit" if inner else "quiet" for inner in inside]
    canvas.boxes(XS, top, WIDE, 24, [*map(str, range(len(XS)))], look=looks, size=12)


def _bars(canvas: Canvas, foot: float, heights: Sequence[float], tall: float, look: str) -> None:
    for x, height in zip(XS, heights, strict=True):
        canvas.column(x - 9, foot, 18, tall * height, look=look)


def three_wirings() -> Drawing:
    """Draw which vectors of a step are made from which, in the three decoders."""
    panels = []
    for title in ("Bahdanau", "Luong", "input feeding"):
        canvas = Canvas(160, 172, title)
        before = canvas.box(4, 136, 44, 26, "$s_{i-1}$", size=13)
        state = canvas.box(112, 136, 44, 26, "$s_i$", size=13)
        context = canvas.box(58, 86, 44, 26, "$c_i$", size=13)
        reads = canvas.box(112, 30, 44, 26, f"${TILDE}_i$", size=13)
        canvas.chain(before, state)
        canvas.arrow((142, 136), (142, 56))
        canvas.arrow(context.top, (80, 43), reads.left)
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
    return Drawing(
        title="Three wirings of a step",
        says="Bahdanau: the old state asks for the context, and the context enters the new state. "
        "Luong: the new state asks for the context, and nothing that was read enters a state. With "
        "input feeding the attentional state of the step before enters the new state.",
        panels=tuple(panels),
        caption="In orange: what sets each wiring apart.",
    )


def whole_or_window() -> Drawing:
    """Draw what step 4 reads: ten positions, or a window that moves with the step."""
    panels = []
    for title, weights in (
        ("the whole sentence", softmax(CONTENT)),
        ("local-m: $p_i$ = $i$ = 4, $D$ = 2", windowed(CONTENT, 4, 2)),
    ):
        canvas = Canvas(300, 170, title)
        _bars(canvas, 112, weights, 200, "lit")
        _source(canvas, 116, [weight > 0 for weight in weights])
        canvas.note(4, 40, "weights", anchor="start")
        if all(weights):
            canvas.note(150, 156, "every position is scored")
        else:
            canvas.arrow((XS[4], 148), (XS[2] - WIDE / 2, 148))
            canvas.arrow((XS[4], 148), (XS[6] + WIDE / 2, 148))
            canvas.text(XS[4], 160, "$p_i$", size=12)
        panels.append(canvas)
    return Drawing(
        title="The whole sentence, or a window",
        says="Ten source positions, whose scores are the same in both pictures. First, step 4 "
        "gives weight to all of them; then only positions 2 to 6, in a window, are scored, and "
        "their weights sum to one.",
        panels=tuple(panels),
        caption="The scores are made up. Position 7 has the highest one, and lies outside the "
        "window.",
    )


def predicted_window() -> Explorable:
    """Draw local-p: a centre from the state, a window, a softmax, a Gaussian, their product."""
    center, half = 5.6, 3
    weights = windowed(CONTENT, center, half)
    curve = [bell(j - center, half) for j in range(len(CONTENT))]
    product = [weight * height for weight, height in zip(weights, curve, strict=True)]
    panels = []
    for step in range(4):
        canvas, foot = Canvas(300, 214), 146
        at = 10 + WIDE * (center + 0.5)
        _source(canvas, 150, [step == 0 or weight > 0 for weight in weights])
        state = canvas.box(at - 70, 186, 28, 24, "$s_i$", size=13)
        canvas.arrow(state.right, (at, 198), (at, 174), look="second")
        canvas.text(at + 8, 198, f"$p_i$ = {center}", size=12, anchor="start", look="second")
        if step == 0:
            _bars(canvas, foot, CONTENT, 50, "")
        else:
            _bars(canvas, foot, weights, 330, "quiet" if step == 3 else "lit")
        if step > 1:
            points = [center - half + half * n / 20 for n in range(41)]
            canvas.line(*((10 + WIDE * (j + 0.5), foot - 100 * bell(j - center, half))
                          for j in points), look="second")  # fmt: skip
        if step == 3:
            _bars(canvas, foot, product, 330, "lit")
        total = sum(product if step == 3 else weights)
        words = f"sum of the weights {total:.2f}" if step else "scores $e_{ij}$"
        canvas.text(4, 14, words, size=12, anchor="start")
        panels.append(canvas)
    return Drawing(
        title="Local-p: a window around a predicted centre",
        says="The state gives a centre, a real number. A softmax runs over the positions within "
        "three of it, and a Gaussian around the centre is multiplied in; the weights then sum to "
        "less than one.",
        panels=tuple(panels),
    ).in_steps(
        [
            f"Every position could be scored. The state says where to look: at {center}.",
            f"The softmax runs over the positions that are at most D = {half} away.",
            "The Gaussian has its top at the centre and the width D / 2.",
            f"The product is what is read. It sums to {sum(product):.2f}, and through the Gaussian "
            "a gradient reaches the centre.",
        ]
    )


def mean_or_draw() -> Drawing:
    """Draw what soft and hard attention read under the same weights."""
    alpha, xs = softmax([0.0, 1.0, 0.5]), (50, 130, 210)
    states = [[0.9, 0.1, 0.3], [0.1, 0.8, 0.2], [0.4, 0.2, 0.9]]
    mean_state = [dot(alpha, column) for column in zip(*states, strict=True)]
    panels = []
    for drawn, title, read, words in (
        (None, "soft: the mean", mean_state, "$c_i$: a vector of no word"),
        (2, "hard: $z_i$ = 3 was drawn", states[2], "$c_i$ = $h_3$, a vector of one word"),
    ):
        canvas = Canvas(268, 232)
        canvas.text(130, 12, title, size=12.5)
        canvas.row(xs, 31, numbered("h", 3))
        canvas.row(xs, 76, [f"{weight:.2f}" for weight in alpha], size=12)
        for j, x in enumerate(xs):
            canvas.grid(x - 24, 42, [states[j]], cell=16)
            if drawn in (None, j):
                end = (130 + (x - 130) * 0.18, 168)
                canvas.arrow((x, 88), end, look="" if drawn is None else "lit")
            else:
                canvas.arrow((x, 88), (x, 106), look="quiet")
                canvas.note(x, 118, "not read")
        canvas.grid(106, 170, [read], cell=16)
        canvas.text(98, 178, "$c_i$", size=13, anchor="end")
        canvas.text(130, 206, words, size=12)
        panels.append(canvas)
    return Drawing(
        title="Read the mean, or draw one",
        says="Three states and their weights, the same in both pictures. Soft attention reads the "
        "weighted mean; hard attention draws one position with these probabilities and reads its "
        "state as it is.",
        panels=tuple(panels),
        caption="The numbers are the weights: shares of the mean if soft, probabilities of the "
        "draw if hard.",
    )


def below_the_curve() -> Drawing:
    """Draw the two objectives of section 6 on the curve of log sigmoid."""
    h, alpha = (-1.0, 3.0), (0.5, 0.5)

    def log_likelihood(c: float) -> float:
        return -math.log1p(math.exp(-c))

    def place(c: float, value: float) -> Point:
        return 60 + 52 * (c + 1.6), 26 - 110 * value

    canvas = Canvas(340, 236)
    for cs, look in (([-1.4 + 5.0 * n / 60 for n in range(61)], ""), (h, "quiet")):
        canvas.line(*(place(c, log_likelihood(c)) for c in cs), look=look)
    middle, average = dot(alpha, h), dot(alpha, [log_likelihood(c) for c in h])
    for c in (*h, middle):
        x, _ = place(c, 0)
        canvas.line((x, 208), (x, 214))
        canvas.text(x, 224, signed(c), size=11)
    for c in h:
        x, y = place(c, log_likelihood(c))
        canvas.dot(x, y, 4)
        shown, at = signed(log_likelihood(c), ".3f"), (x + 8, y + 16) if c < 0 else (x, y - 13)
        canvas.text(*at, shown, size=11, anchor="start" if c < 0 else "middle")
    x, y = place(middle, log_likelihood(middle))
    low = place(middle, average)
    canvas.line((20, 208), (330, 208))
    canvas.text(334, 224, "$c$", size=12, anchor="end")
    canvas.text(20, 12, "log $p(y$ | $c)$", size=12, anchor="start")
    canvas.dot(x, y, 5, look="lit")
    canvas.text(x - 8, y - 10, f"soft −{-log_likelihood(middle):.3f}", size=12, anchor="end")
    canvas.dot(*low, 5, look="second")
    canvas.text(low[0] + 10, low[1] + 12, f"hard −{-average:.3f}", size=12, anchor="start")
    return Drawing(
        title="Two objectives at the same weights",
        says="The log-likelihood as a curve over what was read. Soft attention is judged on the "
        "curve at the mean of -1 and 3; hard attention by the mean of the two heights, which lies "
        "below the curve.",
        panels=(canvas,),
    )


def pushes() -> Drawing:
    """Draw what each draw of section 7 does to the three scores, without and with a baseline."""
    alpha, xs = softmax(E), [118 + 68 * j for j in range(3)]
    panels = []
    for title, baseline in ("no baseline", 0.0), ("baseline $b$ = $L$", dot(alpha, REWARD)):
        canvas = Canvas(310, 286)
        canvas.text(150, 12, title, size=12.5)
        rows = [
            [(REWARD[z] - baseline) * ((j == z) - alpha[j]) for j in range(3)] for z in range(3)
        ]
        rows.append([dot(alpha, column) for column in zip(*rows, strict=True)])  # exact
        for line, row in enumerate(rows):
            y = 62 + 60 * line
            name = f"word {line + 1} drawn" if line < 3 else "mean"
            canvas.text(4, y - 8, name, size=11, anchor="start")
            if line < 3:
                canvas.note(4, y + 8, f"α = {alpha[line]:.2f}", anchor="start")
            canvas.line((92, y), (300, y), look="quiet")
            for j, (x, push) in enumerate(zip(xs, row, strict=True)):
                look = "lit" if line in (j, 3) else ""
                canvas.box(x - 8, y - 16 * max(push, 0), 16, 16 * abs(push), look=look)
                shown, above = signed(push, "+.2f"), y - 9 if push > 0 else y + 9
                canvas.text(x + 12, above, shown, size=11, anchor="start")
        canvas.row(xs, 272, numbered("e", 3))
        panels.append(canvas)
    return Drawing(
        title="What one draw does to the scores",
        says="For each word that may be drawn, bars say how the three scores are pushed. Without "
        "a baseline every draw lowers its own word; with it, the third word, the best one, is "
        "raised. The mean over draws is the same in both.",
        panels=tuple(panels),
        caption="Blue: the score of the word drawn; in the last row, the exact gradient.",
    )


def straight_through() -> Drawing:
    """Draw the two ways of Gumbel straight-through: forwards by argmax, backwards by softmax."""
    canvas = Canvas(350, 252)
    noise = [1.3, 0.2, -0.4]  # made up
    noisy = [score + g for score, g in zip(E, noise, strict=True)]
    one_hot = [float(value == max(noisy)) for value in noisy]
    canvas.text(175, 14, "$e + g$: " + ", ".join(f"{value:.1f}" for value in noisy), size=13)
    canvas.box(105, 2, 140, 26)
    hard = canvas.box(26, 82, 116, 30, "argmax", look="lit")
    bent = canvas.box(208, 82, 124, 30, "softmax($·$ / $τ$)", look="second")
    canvas.arrow((140, 28), hard.top, look="lit")
    canvas.arrow(bent.top, (214, 28), look="second")
    drawn = canvas.grid(48, 146, [one_hot], cell=24, written=".0f")
    soft = canvas.grid(210, 146, [softmax(noisy)], cell=40, look="second", written=".2f")
    canvas.chain(hard, drawn, look="lit")
    canvas.chain(soft, bent, look="second")
    canvas.box(96, 218, 158, 30, "read $h_z$, loss")
    canvas.arrow(drawn.bottom, (140, 218), look="lit")
    canvas.arrow((214, 218), soft.bottom, look="second")
    canvas.text(78, 54, "forward", size=12, anchor="end")
    canvas.text(262, 50, "gradient", size=12, anchor="start")
    return Drawing(
        title="Straight through",
        says="Forwards, the argmax of the noisy scores gives a one-hot row, and one state is read. "
        "Backwards, the gradient passes through the softmax of the same scores, as if its weights "
        "had been read.",
        panels=(canvas,),
        caption="Temperature 1; the noise g is made up.",
    )


def five_trainings() -> Drawing:
    """Draw the share of right digits of five ways of training, a dot for each seed."""
    record = results.load("local_and_hard_attention_gradients.json")
    names = {
        "soft": "soft",
        "exact": "hard, enumerated",
        "gumbel": "hard, Gumbel",
        "reinforce": "hard, REINFORCE",
        "reinforce_baseline": "hard, with baseline",
    }
    canvas, left, wide, low = Canvas(350, 216), 126, 210, 0.4

    def place(share: float) -> float:
        return left + wide * (share - low) / (1 - low)

    for row, (key, name) in enumerate(names.items()):
        y = 42 + 30 * row
        canvas.text(left - 10, y, name, size=11, anchor="end")
        canvas.line((left, y), (left + wide, y), look="quiet")
        for length, look in ((12, "lit"), (24, "second")):
            values = record.metric(f"{key}_800.accuracy.{length}")
            for value in values:
                canvas.dot(place(value), y, 4, look=look)
            middle = place(mean(values))
            canvas.line((middle, y - 9), (middle, y + 9), look=look)
    for tick in (0.4, 0.6, 0.8, 1.0):
        canvas.line((place(tick), 176), (place(tick), 181))
        canvas.text(place(tick), 190, f"{tick:.1f}", size=11)
    canvas.text(left + wide / 2, 207, "share of digits right", size=11)
    canvas.text(left + 28, 18, "length 24", size=12, look="second")
    canvas.text(left + wide - 30, 18, "length 12", size=12, look="lit")
    return Drawing(
        title="Five ways of training, three seeds",
        says="At length 12 all five ways are near 1; at length 24, never trained, all are near a "
        "half, and the three that sample lie below soft attention in every seed.",
        panels=(canvas,),
        caption="A dot is a seed, a stroke the mean of three.",
    )
