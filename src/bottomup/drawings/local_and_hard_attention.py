"""Drawings of chapter 01b."""

import math
from collections.abc import Sequence
from statistics import mean

from bottomup import results
from bottomup.drawings import Canvas, Drawing
from bottomup.drawings.engine.numbers import softmax
from bottomup.explorables import Explorable

CONTENT = [0.2, 1.4, 0.1, 0.6, 1.0, 0.3, 0.9, 1.8, 0.4, 0.5]  # made-up scores of ten positions
WIDE = 28  # of a position
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
    for j in range(len(CONTENT)):
        look = "lit" if inside[j] else "quiet"
        canvas.box(10 + WIDE * j, top, WIDE, 24, f"{j}", look=look, size=12)


def _bars(canvas: Canvas, foot: float, heights: list[float], tall: float, look: str) -> None:
    for j, height in enumerate(heights):
        if height:
            canvas.box(15 + WIDE * j, foot - tall * height, WIDE - 10, tall * height, look=look)


def whole_or_window() -> Drawing:
    """Draw what step 4 reads: ten positions, or a window that moves with the step."""
    panels = []
    for center in (None, 4):
        weights = softmax(CONTENT) if center is None else windowed(CONTENT, center, 2)
        canvas = Canvas(300, 170)
        canvas.text(150, 12, "the whole sentence" if center is None else
                    "local-m: $p_i$ = $i$ = 4, $D$ = 2", size=12.5)  # fmt: skip
        _bars(canvas, 112, weights, 200, "lit")
        _source(canvas, 116, [weight > 0 for weight in weights])
        canvas.text(4, 40, "weights", size=11, look="quiet", anchor="start")
        if center is None:
            canvas.text(150, 156, "every position is scored", size=11, look="quiet")
        else:
            middle = 10 + WIDE * 4.5
            for end in (10 + WIDE * 2, 10 + WIDE * 7):
                canvas.arrow((middle, 148), (end, 148))
            canvas.text(middle, 160, "$p_i$", size=12)
        panels.append(canvas)
    return Drawing(
        title="The whole sentence, or a window",
        says="Ten source positions with the same scores. First, step 4 gives weight to all of "
        "them; then only positions 2 to 6, in a window, are scored, and their weights sum to one.",
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
            canvas.text(4, 14, "scores $e_{ij}$", size=12, anchor="start")
        if step in (1, 2):
            _bars(canvas, foot, weights, 330, "lit")
        if step == 3:
            _bars(canvas, foot, weights, 330, "quiet")
            _bars(canvas, foot, product, 330, "lit")
        if step > 1:
            low, high = center - half, center + half
            points = [low + (high - low) * n / 40 for n in range(41)]
            canvas.line(*((10 + WIDE * (j + 0.5), foot - 100 * bell(j - center, half))
                          for j in points), look="second")  # fmt: skip
        if step:
            total = sum(product if step == 3 else weights)
            canvas.text(4, 14, f"sum of the weights {total:.2f}", size=12, anchor="start")
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
    alpha, middles = softmax([0.0, 1.0, 0.5]), (50, 130, 210)
    states = [[0.9, 0.1, 0.3], [0.1, 0.8, 0.2], [0.4, 0.2, 0.9]]
    drawn = 2
    panels = []
    for hard in (False, True):
        canvas = Canvas(268, 232)
        canvas.text(130, 12, "hard: $z_i$ = 3 was drawn" if hard else "soft: the mean", size=12.5)
        for j, (x, state, weight) in enumerate(zip(middles, states, alpha, strict=True)):
            canvas.grid(x - 24, 42, [state], cell=16, look="lit")
            canvas.text(x, 31, f"$h_{j + 1}$", size=13)
            read = not hard or j == drawn
            label = f"{weight:.2f}"
            canvas.text(x, 76, label, size=12)
            if hard and not read:
                canvas.arrow((x, 88), (x, 106), look="quiet")
            else:
                end = (130 + (x - 130) * 0.18, 168)
                canvas.arrow((x, 88), end, look="lit" if hard else "")
        if hard:
            for x in middles[:2]:
                canvas.text(x, 118, "not read", size=11, look="quiet")
        values = states[drawn] if hard else [
            sum(w * s[k] for w, s in zip(alpha, states, strict=True)) for k in range(3)
        ]  # fmt: skip
        canvas.grid(106, 170, [values], cell=16, look="lit")
        canvas.text(98, 178, "$c_i$", size=13, anchor="end")
        words = "$c_i$ = $h_3$, a vector of one word" if hard else "$c_i$: a vector of no word"
        canvas.text(130, 206, words, size=12)
        panels.append(canvas)
    return Drawing(
        title="Read the mean, or draw one",
        says="Three states with the same three weights. Soft attention reads their weighted mean; "
        "hard attention draws one position with these probabilities and reads its state as it is.",
        panels=tuple(panels),
        caption="The numbers are the weights: shares of the mean if soft, probabilities of the "
        "draw if hard.",
    )


def below_the_curve() -> Drawing:
    """Draw the two objectives of section 6 on the curve of log sigmoid."""
    h, alpha = (-1.0, 3.0), (0.5, 0.5)

    def log_likelihood(c: float) -> float:
        return -math.log1p(math.exp(-c))

    canvas = Canvas(340, 236)

    def place(c: float, value: float) -> tuple[float, float]:
        return 60 + 52 * (c + 1.6), 26 - 110 * value

    curve = [-1.4 + 5.0 * n / 60 for n in range(61)]
    canvas.line(*(place(c, log_likelihood(c)) for c in curve))
    canvas.line(*(place(c, log_likelihood(c)) for c in h), look="quiet")
    middle = sum(a * c for a, c in zip(alpha, h, strict=True))
    average = sum(a * log_likelihood(c) for a, c in zip(alpha, h, strict=True))
    for c in h:
        x, y = place(c, log_likelihood(c))
        canvas.dot(x, y, 4)
        canvas.line((x, 208), (x, 214))
        canvas.text(x, 224, f"{c:g}".replace("-", "−"), size=11)
        shown = f"{log_likelihood(c):.3f}".replace("-", "−")
        if c < 0:
            canvas.text(x + 8, y + 16, shown, size=11, anchor="start")
        else:
            canvas.text(x, y - 13, shown, size=11)
    x, y = place(middle, log_likelihood(middle))
    low = place(middle, average)
    canvas.line((x, 208), (x, 214))
    canvas.text(x, 224, f"{middle:g}", size=11)
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
    alpha = softmax(E)
    average = sum(a * r for a, r in zip(alpha, REWARD, strict=True))
    panels = []
    for baseline in (0.0, average):
        canvas = Canvas(310, 286)
        canvas.text(150, 12, "baseline $b$ = $L$" if baseline else "no baseline", size=12.5)
        rows = [
            [(REWARD[z] - baseline) * ((j == z) - alpha[j]) for j in range(3)] for z in range(3)
        ]
        exact = [sum(a * row[j] for a, row in zip(alpha, rows, strict=True)) for j in range(3)]
        for line, row in enumerate([*rows, exact]):
            y = 62 + 60 * line
            name = f"word {line + 1} drawn" if line < 3 else "mean"
            canvas.text(4, y - 8, name, size=11, anchor="start")
            if line < 3:
                canvas.text(4, y + 8, f"α = {alpha[line]:.2f}", size=11, anchor="start",
                            look="quiet")  # fmt: skip
            canvas.line((92, y), (300, y), look="quiet")
            for j, push in enumerate(row):
                x = 118 + 68 * j
                own = j == line or line == 3
                top = y - 16 * max(push, 0)
                canvas.box(x - 8, top, 16, 16 * abs(push), look="lit" if own else "")
                shown = f"{push:+.2f}".replace("-", "−")
                canvas.text(x + 12, y - 9 if push > 0 else y + 9, shown, size=11, anchor="start")
        for j in range(3):
            canvas.text(118 + 68 * j, 272, f"$e_{j + 1}$", size=13)
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
    soft = softmax(noisy)
    top = max(noisy)
    canvas.text(175, 14, "$e + g$: " + ", ".join(f"{value:.1f}" for value in noisy), size=13)
    start = canvas.box(105, 2, 140, 26)
    hard = canvas.box(26, 82, 116, 30, "argmax", look="lit")
    bent = canvas.box(208, 82, 124, 30, "softmax($·$ / $τ$)", look="second")
    canvas.arrow((140, start.y + 26), (84, 82), look="lit")
    canvas.arrow((270, 82), (214, 28), look="second")
    canvas.grid(48, 146, [[float(value == top) for value in noisy]], cell=24, look="lit",
                written=".0f")  # fmt: skip
    canvas.grid(210, 146, [soft], cell=40, look="second", written=".2f")
    canvas.arrow(hard.bottom, (84, 146), look="lit")
    canvas.arrow((270, 146), bent.bottom, look="second")
    canvas.box(96, 218, 158, 30, "read $h_z$, loss")
    canvas.arrow((84, 170), (140, 218), look="lit")
    canvas.arrow((214, 218), (270, 186), look="second")
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
    canvas, left, wide = Canvas(350, 216), 126, 210
    low, high = 0.4, 1.0
    for row, (key, name) in enumerate(names.items()):
        y = 42 + 30 * row
        canvas.text(left - 10, y, name, size=11, anchor="end")
        canvas.line((left, y), (left + wide, y), look="quiet")
        for length, look in ((12, "lit"), (24, "second")):
            values = record.metric(f"{key}_800.accuracy.{length}")
            for value in values:
                canvas.dot(left + wide * (value - low) / (high - low), y, 4, look=look)
            middle = left + wide * (mean(values) - low) / (high - low)
            canvas.line((middle, y - 9), (middle, y + 9), look=look)
    for tick in (0.4, 0.6, 0.8, 1.0):
        x = left + wide * (tick - low) / (high - low)
        canvas.line((x, 176), (x, 181))
        canvas.text(x, 190, f"{tick:.1f}", size=11)
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
