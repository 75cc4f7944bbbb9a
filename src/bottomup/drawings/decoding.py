"""Drawings of chapter 06: what is computed, what trained translators gave, and how BLEU is tested.

Those of its small tree are in `decoding_by_hand`.
"""

import math
import random
from collections import Counter
from statistics import mean

from bottomup import results
from bottomup.drawings import Canvas, Drawing, Picture, Wide, left_open
from bottomup.drawings.decoding_by_hand import greedy
from bottomup.drawings.engine.numbers import dot, softmax
from bottomup.explorables import Explorable


def positions_computed() -> Drawing:
    n, panels, counts = 6, [], []
    for cached in (False, True):
        canvas = Wide(166, 190)
        rows = [[None if j > i else 0.12 if cached and j < i else 1.0 for j in range(n)]
                for i in range(n)]  # fmt: skip
        numbers = [str(i + 1) for i in range(n)]
        canvas.text(94, 8, "with a cache" if cached else "without a cache")
        canvas.note(2, 28, "step", anchor="start")
        canvas.note(94, 28, "position")
        canvas.grid(34, 50, rows, cell=20, rows=numbers, columns=numbers)
        counts.append(sum(value == 1 for row in rows for value in row))
        canvas.text(94, 181, f"computed: {counts[-1]}")
        panels.append(canvas)
    return Picture("What each step computes", *panels).says(
        f"Six tokens without a cache: step i computes i positions, {counts[0]} in all. With "
        f"a cache each step computes one, {counts[1]} in all, and reads the earlier ones.",
        caption="Blue: computed in this step. Pale: kept from earlier steps.",
    )


READ = ["BOS", "the", "cat", "ate"]
QUERIES = [[0.9, 0.1, 0.3], [0.2, 0.9, 0.4], [0.5, 0.6, 0.9], [0.8, 0.7, 0.2]]
KEYS = [[0.3, 0.5, 0.2], [0.9, 0.2, 0.6], [0.1, 0.8, 0.5], [0.6, 0.4, 0.9]]
VALUES = [[0.6, 0.1, 0.3], [0.2, 0.9, 0.4], [0.8, 0.5, 0.1], [0.4, 0.3, 0.9]]
SHARPNESS = 4  # of the query, so that the weights differ visibly


def cache_grows() -> Explorable:
    panels = tuple(_cache(step) for step in range(len(READ)))
    says = [
        f"Step {i + 1} reads {READ[i]}: one query, one new key and value, "
        f"{i + 1} {'score' if i == 0 else 'scores'}."
        + (" The earlier keys and values stay; the earlier queries are gone." if i else "")
        for i in range(len(READ))
    ]
    return (
        Picture("A cache that grows", *panels)
        .says("Each step adds a row to the keys and to the values, and has one query.")
        .in_steps(says)
    )


def _cache(step: int) -> Canvas:
    canvas, cell, top = Wide(330, 250), 20.0, 44.0
    canvas.row((106, 196, 286), 14, ("query", "keys $K$", "values $V$"), size=12)
    for i, token in enumerate(READ):
        y = top + i * 24
        canvas.text(62, y + 10, token, anchor="end", look="" if i <= step else "quiet")
        for x, rows in ((76, QUERIES), (166, KEYS), (256, VALUES)):
            if i == step or (i < step and rows is not QUERIES):
                canvas.grid(x, y, [rows[i]], cell=cell, look="lit" if i == step else "")
            else:
                canvas.box(x, y, 3 * cell, cell, look="quiet")
    scores = [SHARPNESS * dot(QUERIES[step], key) / math.sqrt(3) for key in KEYS[: step + 1]]
    weights = softmax(scores)
    out = [dot(weights, column) for column in zip(*VALUES[: step + 1], strict=True)]
    below = top + 3 * 24 + cell
    canvas.text(62, 183, "weights", anchor="end")
    made = canvas.grid(76, 170, [weights], cell=26, written=".2f")
    canvas.text(62, 232, "output", anchor="end")
    read = canvas.grid(76, 222, [out], cell=cell)
    canvas.arrow((89, below), (89, 170))
    canvas.arrow((196, below), (196, 183), made.right)
    canvas.arrow((286, below), (286, 232), read.right)
    canvas.arrow((89, made.bottom[1]), (89, 222))
    return canvas


PREFIXES = [["the", "cat"], ["it"], ["the", "cat", "ate"]]


def ragged_prefixes() -> Drawing:
    xs, widest = [34.0 + 50 * j for j in range(6)], max(map(len, PREFIXES))
    padded = Wide(164, 142, "padded on the left")
    columns = Wide(316, 142, "all rows begin in column 0")
    for canvas, count in ((padded, widest), (columns, len(xs))):
        canvas.row(xs[:count], 32, map(str, range(count)), size=11, look="quiet")
    for row, prefix in enumerate(PREFIXES):
        y, own, missing = 44 + 32 * row, len(prefix), widest - len(prefix)
        whole = [*greedy(tuple(prefix))]
        over = len(xs) - len(whole)
        padded.boxes(xs[:widest], y, 46, 26, ["pad"] * missing + prefix, size=11,
                     look=["second"] * missing + [""] * own)  # fmt: skip
        looks = [""] * own + ["lit"] * (len(whole) - own) + ["quiet"] * over
        columns.boxes(xs, y, 46, 26, whole + [""] * over, size=11, look=looks)
    return Picture("Prefixes of different lengths", padded, columns).says(
        "Padded on the left, a short prefix begins at position 1 or 2, after padding. Read by "
        "columns, every prefix begins at position 0, and a row writes as soon as its own prefix "
        "is over. A row that has ended is computed on, and what it writes is thrown away.",
        caption="Orange: padding. Blue: written by the model. Dashed: thrown away. The numbers are "
        "positions.",
    )


def five_wrong_bleus() -> Drawing:
    precisions = [4 / 5, 3 / 4, 1 / 3, 0 / 2]
    cases = [
        ("arguments swapped", "4 words, all right, of a reference's 6",
         _brevity(4, 6) * 4 / 4, _brevity(6, 4) * 4 / 6),
        ("mean over sentences", "2 of 2 words right, then 3 of 6", (2 + 3) / (2 + 6),
         (2 / 2 + 3 / 6) / 2),
        ("no clipping", "seven times “the”, twice in the reference", 2 / 7, 7 / 7),
        ("no brevity penalty", "“the cat” for 6 words", _brevity(2, 6), 1.0),
        ("arithmetic mean", "$p_1$ to $p_4$: 4/5, 3/4, 1/3, 0/2",
         math.prod(precisions) ** 0.25, sum(precisions) / 4),
    ]  # fmt: skip
    canvas = Wide(346, 58 * len(cases) + 6)
    for number, (name, example, right, wrong) in enumerate(cases):
        y = 58 * number
        canvas.text(4, y + 9, name, size=12.5, anchor="start")
        canvas.note(342, y + 9, example, anchor="end")
        canvas.bar(4, y + 20, 290 * right, 12, f"{right:.2f}")
        canvas.bar(4, y + 36, 290 * wrong, 12, f"{wrong:.2f}", look="second")
    return Picture("Five mistakes", canvas).says(
        "On examples of a few words: swapping the arguments hardly changes the score, the "
        "mean over sentences raises it here, and without clipping, without the brevity penalty "
        "and with the arithmetic mean it is far too high.",
        caption="Blue: right. Orange: wrong. The first four by words alone, without pairs.",
    )


def _brevity(written: int, reference: int) -> float:
    return min(1.0, math.exp(1 - reference / written))


# Right words of two systems in twelve sentences of ten words.
ONE = [8, 7, 9, 5, 6, 8, 7, 4, 9, 6, 7, 8]
OTHER = [7, 7, 8, 6, 4, 8, 5, 4, 8, 6, 6, 7]


def paired_bootstrap() -> Drawing:
    n, draws, drawing = len(ONE), 1000, random.Random(6)
    draw = [[drawing.randrange(n) for _ in range(n)] for _ in range(draws)]
    example = Counter(draw[0])
    gaps = [sum(ONE[i] - OTHER[i] for i in drawn) for drawn in draw]
    canvas, wide = Wide(350, 286), 24.5
    for i in range(n):
        x = 56 + wide * (i + 0.5)
        canvas.note(x, 26, str(i + 1))
        for y, rows, look in ((36, ONE, "lit"), (60, OTHER, "second")):
            canvas.grid(56 + wide * i + 2, y, [[rows[i] / 10]], cell=20, look=look)
        canvas.text(x, 100, f"× {example[i]}", size=11, look="" if example[i] else "quiet")
    for y, words in ((26, "sentence"), (46, "ours"), (70, "other"), (100, "drawn")):
        canvas.text(50, y, words, size=11, anchor="end")
    canvas.note(203, 9, "one draw of twelve sentences out of twelve")
    canvas.note(203, 136, "the difference in each of a thousand draws")
    counts, low, high = Counter(gaps), min(*gaps, 0), max(gaps)
    step, floor = 300 / (high - low + 1), 258
    cut = sorted(gaps)[25], sorted(gaps)[-26]
    for gap in range(low, high + 1):
        x, inside = 40 + step * (gap - low), cut[0] <= gap <= cut[1]
        height = 96 * counts[gap] / max(counts.values())
        canvas.column(x, floor, step - 2, height, look="lit" if inside else "")
        if gap % 5 == 0:
            canvas.text(x + step / 2, floor + 11, f"{gap}", size=11)
    canvas.line((40, floor), (344, floor))
    canvas.text(190, floor + 23, "right words, ours less the other's", size=11)
    return Picture("The paired bootstrap", canvas).says(
        "Sentences are drawn with replacement, some several times, some never; both systems "
        "are scored on the same draw. Over a thousand draws the difference spreads; the middle 95 "
        f"per cent lie between {cut[0]} and {cut[1]}.",
        caption="Made-up counts. In the lower picture blue is the middle 95 %.",
    )


def training_and_writing() -> Drawing:
    words = [*READ, "the"]
    xs, panels = [28 + 56 * j for j in range(len(READ))], []
    for writing in (False, True):
        canvas, asked = Wide(240, 168), xs[-1:] if writing else xs
        canvas.text(112, 9, "writing" if writing else "training")
        canvas.row(xs, 156, READ, size=12)
        looks = ["lit" if x in asked else "quiet" for x in xs]
        canvas.arrows(xs, 147, 122, look=["" if x in asked else "quiet" for x in xs])
        canvas.boxes(xs, 82, 36, 40, look=looks)
        canvas.arrows(asked, 82, 54, look="lit")
        canvas.row(asked, 42, words[-len(asked) :], size=12)
        if writing:
            canvas.arrow((xs[-1] + 24, 42), (232, 42), (232, 146), look="second")
            canvas.note(224, 156, "next")
        panels.append(canvas)
    return Picture("Training and writing", *panels).says(
        "In training every column is asked for its next token, all in one pass. In writing "
        "the last column alone is asked, and what it says is read in the next step.",
        caption="Blue: asked in this pass. Dashed: computed before, of which keys and values are "
        "kept.",
    )


SEARCH = "decoding_search.json"
ALPHAS = {"no penalty": "0", "$α$ = 1": "1"}  # as the record names them


def by_width(alpha: str) -> dict[int, float]:
    """Return the BLEU of the translators of 150 steps by the width of the beam, three seeds."""
    record = results.load(SEARCH)
    path = f"translator_150.beam.{alpha}"
    return {int(b): mean(record.metric(f"{path}.{b}.bleu")) for b in record.metric(path)[0]}


def widths(*, shown: bool = True) -> Drawing:
    canvas, left, right, top, floor = Wide(356, 214), 44.0, 262.0, 18.0, 166.0
    low, high, widest = 42.0, 54.0, 50

    def at(beams: float, bleu: float) -> tuple[float, float]:
        x = left + 10 + (right - left - 20) * math.log(beams) / math.log(widest)
        return x, floor - (floor - top) * (bleu - low) / (high - low)

    canvas.line((left, top), (left, floor), (right, floor))
    for tick in range(42, 55, 4):
        canvas.text(left - 6, at(1, tick)[1], str(tick), size=11, anchor="end")
    plain, penalised = map(by_width, ALPHAS.values())
    for (name, alpha), look in zip(ALPHAS.items(), ("lit", "second"), strict=True):
        points = plain if alpha == "0" else penalised
        if alpha == "0":
            for beams in points:
                canvas.text(at(beams, low)[0], floor + 12, str(beams), size=11)
        drawn = {b: bleu for b, bleu in points.items() if shown or (alpha == "0" and b <= 2)}
        if len(drawn) > 1:
            canvas.line(*(at(b, bleu) for b, bleu in drawn.items()), look=look)
        for b, bleu in drawn.items():
            canvas.dot(*at(b, bleu), 3.5, look=look)
        y = at(1, points[widest])[1] if shown else at(1, 48)[1]
        canvas.text(right + 8, y, name if shown else f"{name}: ?", size=12, anchor="start")
        if not shown:
            break
    canvas.text(left + 6, 8, "BLEU", size=11, anchor="start")
    canvas.text((left + right) / 2, 200, "width of the beam", size=12)
    if not shown:
        return Picture("Wider beams, their scores to fill in", canvas).says(
            f"Trained translators score {plain[1]:.0f} BLEU with a beam of 1 and "
            f"{plain[2]:.0f} with a beam of 2. Up to a beam of 50 the score is open."
        )
    return Picture("Wider beams", canvas).says(
        f"Without a penalty the score falls from {plain[2]:.0f} BLEU with a beam of 2 to "
        f"{plain[50]:.0f} with one of 50. With alpha 1 it stays at {penalised[50]:.0f}.",
        caption="Means of three translators of 150 steps, 200 sentences.",
    )


widths_open = left_open(widths)
