"""Drawings of chapter 06."""

import math
import random
from collections import Counter

from bottomup.drawings import Canvas, Drawing, Point
from bottomup.drawings.engine.numbers import dot, signed, softmax
from bottomup.explorables import Explorable

# What the chapter's model says of "the aunt rested", to two digits: the first token, and the one
# behind each of the two most probable.
FIRST = {"we": 0.36, "aunt": 0.30, "dog": 0.05}
SECOND = {
    "we": {"-TOP": 0.25, "we": 0.14, "dog": 0.09},
    "aunt": {"-TOP": 0.92, "-PL": 0.03, "-with": 0.02},
}


def greedy_and_best() -> Drawing:
    """Draw two levels of the tree: greedy's path, and the more probable one that it leaves."""
    canvas, looks = Canvas(356, 214), {"we": "second", "aunt": "lit", "dog": ""}
    heads = "first token", "second token", "both"
    canvas.row((127, 240, 322), 8, heads, size=11, look="quiet")
    root = canvas.box(4, 92, 48, 26, "start")
    for number, (word, p) in enumerate(FIRST.items()):
        node = canvas.box(88, (37, 115, 180)[number], 78, 26, f"{word} {p:.2f}", look=looks[word])
        canvas.chain(root, node, look=looks[word])
        for place, (after, q) in enumerate(list(SECOND.get(word, {}).items())[:2]):
            look = "" if place else looks[word]
            y = 22 + 78 * number + 34 * place
            leaf = canvas.box(198, y, 84, 26, f"{after} {q:.2f}", look=look)
            canvas.chain(node, leaf, look=look)
            canvas.text(322, leaf.center[1], f"{p * q:.2f}", look="" if look else "quiet")
    canvas.text(178, 193, "…", look="quiet")
    greedy, best = (FIRST[word] * SECOND[word]["-TOP"] for word in ("we", "aunt"))
    return Drawing(
        title="Greedy and best",
        says="Greedy decoding takes “we”, which has more at the first step than “aunt”, but "
        f"“we -TOP” has {greedy:.2f} in all and “aunt -TOP” {best:.2f}.",
        panels=(canvas,),
        caption="Probabilities of the model, and their product. Orange: what greedy decoding "
        "takes. Blue: what it leaves.",
    )


def positions_computed() -> Drawing:
    """Draw which positions each step computes, without a cache and with one."""
    n, panels, counts = 6, [], []
    for cached in (False, True):
        canvas = Canvas(166, 190)
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
    return Drawing(
        title="What each step computes",
        says=f"Six tokens without a cache: step i computes i positions, {counts[0]} in all. With "
        f"a cache each step computes one, {counts[1]} in all, and reads the earlier ones.",
        panels=tuple(panels),
        caption="Blue: computed in this step. Pale: kept from earlier steps.",
    )


READ = ["BOS", "aunt", "-TOP", "rest"]
QUERIES = [[0.9, 0.1, 0.3], [0.2, 0.9, 0.4], [0.5, 0.6, 0.9], [0.8, 0.7, 0.2]]
KEYS = [[0.3, 0.5, 0.2], [0.9, 0.2, 0.6], [0.1, 0.8, 0.5], [0.6, 0.4, 0.9]]
VALUES = [[0.6, 0.1, 0.3], [0.2, 0.9, 0.4], [0.8, 0.5, 0.1], [0.4, 0.3, 0.9]]
SHARPNESS = 4  # of the query, so that the weights differ visibly


def cache_grows() -> Explorable:
    """Draw four steps of attention with a cache: one key and value more, one query."""
    panels = tuple(_cache(step) for step in range(len(READ)))
    says = [
        f"Step {i + 1} reads {READ[i]}: one query, one new key and value, "
        f"{i + 1} {'score' if i == 0 else 'scores'}."
        + (" The earlier keys and values stay; the earlier queries are gone." if i else "")
        for i in range(len(READ))
    ]
    return Drawing(
        title="A cache that grows",
        says="Each step adds a row to the keys and to the values, and has one query.",
        panels=panels,
    ).in_steps(says)


def _cache(step: int) -> Canvas:
    canvas, cell, top = Canvas(330, 250), 20.0, 44.0
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


DISTRIBUTION = [0.5, 0.2, 0.15, 0.1, 0.05]  # of the chapter's cell


def ways_to_sample() -> Drawing:
    """Draw one distribution as it is, with two temperatures, with top-k and with top-p."""
    canvas, logits = Canvas(348, 290), [math.log(p) for p in DISTRIBUTION]
    ways = {
        "as it is": DISTRIBUTION,
        "$T$ = 0.5": softmax([s / 0.5 for s in logits]),
        "$T$ = 2": softmax([s / 2 for s in logits]),
        "top-k, $k$ = 2": _kept(2),
        "top-p, $p$ = 0.8": _kept(_nucleus(0.8)),
        "top-p, $p$ = 0.4": _kept(_nucleus(0.4)),
    }
    for number, (name, shown) in enumerate(ways.items()):
        left, floor = 4 + number % 3 * 118, 132 + number // 3 * 146
        canvas.text(left + 52, floor - 118, name, size=12)
        canvas.line((left, floor), (left + 106, floor))
        for rank, (before, now) in enumerate(zip(DISTRIBUTION, shown, strict=True)):
            x = left + 2 + rank * 21
            if before != now:
                canvas.column(x, floor, 18, 92 * before, look="quiet")
            canvas.column(x, floor, 18, 92 * now)
            high = max(before, now) if now else before
            number_shown = f"{now:.2f}"[1:] if 0 < now < 1 else f"{now:g}"
            canvas.text(x + 9, floor - 92 * high - 8, number_shown, size=11)
    return Drawing(
        title="Four ways to draw",
        says="A low temperature raises the most probable token and lowers the others, a high one "
        "does the reverse; both keep all five. Top-k and top-p remove the last ones and scale up "
        "the rest.",
        panels=(canvas,),
        caption="Blue: what is drawn from. Dashed: the distribution as it is.",
    )


def _kept(count: int) -> list[float]:
    total = sum(DISTRIBUTION[:count])
    return [p / total if rank < count else 0.0 for rank, p in enumerate(DISTRIBUTION)]


def _nucleus(p: float) -> int:
    """Return how many of the first tokens hold p or more."""
    count = 1
    while sum(DISTRIBUTION[:count]) < p - 1e-9:
        count += 1
    return count


def beam_step() -> Explorable:
    """Draw one step of a beam of two: extend, rank, keep, and reorder the cache."""
    says = [
        "Two beginnings, each with the sum of its log-probabilities. Each has 430 continuations; "
        "the three most probable are shown.",
        "A candidate's score is its beginning's plus the log-probability of the new token.",
        "The two best of all candidates go on, whichever beginning they come from.",
        "The row of the cache goes with them: row 1 is now a copy of row 2, and row 2 of row 1.",
    ]
    return Drawing(
        title="One step of a beam of two",
        says="Each beginning is continued, all candidates are ranked together, and the two best "
        "are kept.",
        panels=tuple(_beam(step) for step in range(4)),
    ).in_steps(says)


def _beam(step: int) -> Canvas:
    canvas, looks = Canvas(352, 268), ("second", "lit")
    beginnings = list(SECOND)
    scores = [
        (math.log(FIRST[word]) + math.log(q), row, after)
        for row, word in enumerate(beginnings)
        for after, q in SECOND[word].items()
    ]
    best = sorted(scores, reverse=True)[:2]
    heads = "beginnings", "candidates", "go on"
    canvas.row((46, 166, 295), 9, heads, size=11, look="quiet")
    roots = []
    for row, word in enumerate(beginnings):
        label = f"{word} {signed(math.log(FIRST[word]), '.2f')}"
        roots.append(canvas.box(4, 48 + 94 * row, 86, 26, label, look=looks[row]))
    places = {}
    for number, (score, row, after) in enumerate(scores):
        kept = step >= 2 and (score, row, after) in best
        look = looks[row] if kept else "quiet" if step >= 2 else ""
        shown = score if step else math.log(SECOND[beginnings[row]][after])
        leaf = canvas.box(120, 20 + 30 * number + 4 * row, 96, 25,
                          f"{after} {signed(shown, '.2f')}", look=look)  # fmt: skip
        canvas.chain(roots[row], leaf, look=look)
        places[score] = leaf
    for place, (score, row, after) in enumerate(best if step >= 2 else ()):
        y, label = 48 + 94 * place, f"{beginnings[row]} {after}"
        made = canvas.box(246, y, 98, 26, label, look=looks[row])
        canvas.text(295, y + 36, signed(score, ".2f"), size=12)
        canvas.chain(places[score], made, look=looks[row])
    canvas.line((4, 208), (348, 208), look="quiet")
    canvas.text(4, 238, "cache", anchor="start", size=12)
    for row in range(2):
        y = 220 + 24 * row
        old = canvas.grid(60, y, [[0.4] * 2], cell=18, look=looks[row])
        if step == 3:
            place = [parent for _, parent, _ in best].index(row)
            new = canvas.grid(246, 220 + 24 * place, [[0.4] * 2], cell=18, look=looks[row])
            canvas.chain(old, new, look=looks[row])
        canvas.text(46, y + 9, str(row + 1), size=11)
    return canvas


# Log-probabilities and lengths, with the end mark, of two translations of "the student became a
# nurse" by the chapter's model.
ENDED = {"without the nurse": (-3.03, 7), "the reference": (-4.87, 9)}


def length_penalty() -> Drawing:
    """Draw the penalised scores of a short and a longer sentence against alpha."""
    canvas, left, right, top, floor, most = Canvas(350, 232), 42, 336, 20, 186, 4.0

    def place(alpha: float, score: float) -> Point:
        return left + (right - left) * alpha / most, top + (floor - top) * score / -5

    for look, (log_p, length) in zip(("second", "lit"), ENDED.values(), strict=True):
        alphas = [most * step / 80 for step in range(81)]
        canvas.line(*(place(a, log_p / ((5 + length) / 6) ** a) for a in alphas), look=look)
    canvas.line((left, top), (left, floor), (right, floor))
    for score in (0, -2, -4):
        canvas.text(left - 6, place(0, score)[1], signed(score), size=11, anchor="end")
    for alpha in (0, 0.6, 1, 2, 3, 4):
        x = place(alpha, 0)[0]
        canvas.line((x, floor), (x, floor + 4))
        canvas.text(x, floor + 14, f"{alpha:g}", size=11)
    (short, n), (long, m) = ENDED.values()
    cross = math.log(long / short) / math.log((5 + m) / (5 + n))
    x, y = place(cross, short / ((5 + n) / 6) ** cross)
    canvas.dot(x, y, 4)
    canvas.line((x, y + 4), (x, floor), look="quiet")
    canvas.text(x + 6, y + 70, f"$α$ = {cross:.1f}", size=12, anchor="start")
    canvas.text((left + right) / 2, 222, "$α$", size=13)
    canvas.text(left + 6, 8, "score $s(y)$", size=11, anchor="start")
    canvas.text(72, 32, f"without the nurse, $n$ = {n}", size=11, anchor="start")
    canvas.text(106, 122, f"the reference, $n$ = {m}", size=11, anchor="start")
    return Drawing(
        title="What the length penalty does",
        says="Both scores rise towards zero as alpha grows, that of the longer sentence faster. "
        f"They meet at {cross:.1f}; at 0.6 and at 1 the short sentence is still ahead.",
        panels=(canvas,),
    )


PREFIXES = [["aunt", "-TOP"], ["we"], ["aunt", "-NOM", "rest"]]
ANSWERS = [["rest", "-PAST", "-DECL", ".", "EOS"], ["-TOP", "rest", "-PAST", "-DECL", ".", "EOS"],
           ["-PAST", "-DECL", ".", "EOS"]]  # fmt: skip


def ragged_prefixes() -> Drawing:
    """Draw three prefixes of different lengths: padded on the left, and read by columns."""
    xs, widest = [37.5 + 46 * j for j in range(7)], max(map(len, PREFIXES))
    padded = Canvas(184, 142, "padded on the left")
    columns = Canvas(352, 142, "all rows begin in column 0")
    for canvas, count in ((padded, widest), (columns, 7)):
        numbers = [x + 1.5 for x in xs[:count]]
        canvas.row(numbers, 32, map(str, range(count)), size=11, look="quiet")
    for row, (prefix, answer) in enumerate(zip(PREFIXES, ANSWERS, strict=True)):
        y, own, missing = 44 + 32 * row, len(prefix), widest - len(prefix)
        padded.boxes(xs[:widest], y, 43, 26, ["pad"] * missing + prefix, size=11,
                     look=["second"] * missing + [""] * own)  # fmt: skip
        columns.boxes(xs, y, 43, 26, (prefix + answer)[:7], size=11,
                      look=[""] * own + ["lit"] * (7 - own))  # fmt: skip
    return Drawing(
        title="Prefixes of different lengths",
        says="Padded on the left, a short prefix begins at position 1 or 2 behind padding. Read by "
        "columns, every prefix begins at position 0, and a row writes as soon as its own prefix "
        "is over.",
        panels=(padded, columns),
        caption="Orange: padding. Blue: written by the model. The numbers are positions.",
    )


def clipped() -> Drawing:
    """Draw which words of a nonsense sentence may count, and which pairs."""
    hypothesis, reference = ["the"] * 7, "the cat is on the mat".split()
    canvas = Canvas(346, 146)
    canvas.note(4, 9, "translation", anchor="start")
    canvas.note(4, 137, "reference", anchor="start")
    free = [j for j, word in enumerate(reference) if word == "the"]
    looks = ["lit" if j in free else "" for j in range(len(reference))]
    boxes = canvas.boxes([29 + 57.5 * j for j in range(6)], 96, 50, 26, reference, look=looks)
    looks = ["lit" if i < len(free) else "quiet" for i in range(7)]
    made = canvas.boxes([25.5 + 49 * i for i in range(7)], 22, 43, 26, hypothesis, look=looks)
    for i, j in enumerate(free):
        canvas.arrow(made[i].bottom, boxes[j].top, look="lit")
    right = sum((Counter(hypothesis) & Counter(reference)).values())
    canvas.text(286, 70, f"$p_1$ = {right}/{len(hypothesis)}", size=13)
    return Drawing(
        title="Clipped",
        says="Seven times “the” against a reference that has it twice: each “the” of the reference "
        f"is used once, so {right} of {len(hypothesis)} count.",
        panels=(canvas,),
    )


def five_wrong_bleus() -> Drawing:
    """Draw the right and the wrong number of five mistakes, each on an example of a few words."""
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
    canvas = Canvas(346, 58 * len(cases) + 6)
    for number, (name, example, right, wrong) in enumerate(cases):
        y = 58 * number
        canvas.text(4, y + 9, name, size=12.5, anchor="start")
        canvas.note(342, y + 9, example, anchor="end")
        canvas.bar(4, y + 20, 290 * right, 12, f"{right:.2f}")
        canvas.bar(4, y + 36, 290 * wrong, 12, f"{wrong:.2f}", look="second")
    return Drawing(
        title="Five mistakes",
        says="On examples of a few words: swapping the arguments hardly changes the score, the "
        "mean over sentences raises it here, and without clipping, without the brevity penalty "
        "and with the arithmetic mean it is far too high.",
        panels=(canvas,),
        caption="Blue: right. Orange: wrong. The first four by words alone, without pairs.",
    )


def _brevity(written: int, reference: int) -> float:
    return min(1.0, math.exp(1 - reference / written))


# Right words of two systems in twelve sentences of ten words.
ONE = [8, 7, 9, 5, 6, 8, 7, 4, 9, 6, 7, 8]
OTHER = [7, 7, 8, 6, 4, 8, 5, 4, 8, 6, 6, 7]


def paired_bootstrap() -> Drawing:
    """Draw one draw of sentences with replacement, and the differences of a thousand."""
    n, draws, drawing = len(ONE), 1000, random.Random(6)
    draw = [[drawing.randrange(n) for _ in range(n)] for _ in range(draws)]
    example = Counter(draw[0])
    gaps = [sum(ONE[i] - OTHER[i] for i in drawn) for drawn in draw]
    canvas, wide = Canvas(350, 286), 24.5
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
    return Drawing(
        title="The paired bootstrap",
        says="Sentences are drawn with replacement, some several times, some never; both systems "
        "are scored on the same draw. Over a thousand draws the difference spreads; the middle 95 "
        f"per cent lie between {cut[0]} and {cut[1]}.",
        panels=(canvas,),
        caption="Made-up counts. In the lower picture blue is the middle 95 %.",
    )


def training_and_writing() -> Drawing:
    """Draw which columns are asked for their next token, in training and in writing."""
    words = [*READ, "-PAST"]
    xs, panels = [28 + 56 * j for j in range(len(READ))], []
    for writing in (False, True):
        canvas, asked = Canvas(240, 168), xs[-1:] if writing else xs
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
    return Drawing(
        title="Training and writing",
        says="In training every column is asked for its next token, all in one pass. In writing "
        "the last column alone is asked, and what it says is read in the next step.",
        panels=tuple(panels),
        caption="Blue: asked in this pass. Dashed: computed before, of which keys and values are "
        "kept.",
    )
