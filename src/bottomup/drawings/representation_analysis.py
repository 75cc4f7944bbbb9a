"""Drawings of chapter 08."""

import math
import random
from collections import Counter
from collections.abc import Sequence

from bottomup.drawings import Canvas, Drawing, Picture, Point, Wide, left_open
from bottomup.drawings.engine.numbers import dot
from bottomup.explorables import Explorable

LOOKS = "lit", "second", ""
SENTENCE = "the", "cat", "ate", "the", "meat"


def stations() -> Drawing:
    canvas, xs = Wide(352, 246), [20 + 42 * j for j in range(len(SENTENCE))]
    ys = [206 - 30 * station for station in range(7)]
    for x, word in zip(xs, SENTENCE, strict=True):
        own = word == "cat"
        look = "lit" if own else "quiet"
        canvas.text(x, 236, word, look="" if own else "quiet")
        canvas.arrow((x, 227), (x, 214), look=look)
        canvas.line((x, ys[0]), (x, ys[-1]), look=look)
        for y in ys:
            canvas.dot(x, y, 5 if own else 3, look="lit" if own else "")
    for station, y in enumerate(ys):
        canvas.text(212, y, str(station), size=12)
        if station:
            canvas.line((4, y + 15), (200, y + 15), look="quiet")
            canvas.note(222, y + 15, f"layer {station}", anchor="start")
    canvas.note(212, 8, "station")
    canvas.text(310, 206, "which word\nwent in?", size=12)
    canvas.text(310, 28, "which word\nis to come out?", size=11)
    canvas.arrow((310, 48), (310, 186), look="second")
    canvas.arrow((310, 186), (310, 48), look="second")
    return Picture("Seven stations", canvas).says(
        "Each word has a state after the embedding, station 0, and after each of six layers. At "
        "every station two questions are asked: which word went in, and which word is to come out.",
        caption="One column is one word, on its way from the embedding up.",
    )


def three_objectives() -> Drawing:
    sees: dict[str, tuple[list[str], dict[int, str]]] = {
        "LM": ([*SENTENCE], dict(enumerate([*SENTENCE[1:], "."]))),
        "MLM": (["the", "<mask>", *SENTENCE[2:]], {1: "cat"}),
        "MT": ([*SENTENCE], {}),
    }
    reaches = "encoder: the words so far", "encoder: all words", "encoder: all words"
    canvas, xs = Wide(354, 308), [64 + 50 * j for j in range(len(SENTENCE))]
    for row, (name, (given, said)) in enumerate(sees.items()):
        y, asked = 12 + 104 * row, [xs[j] for j in said]
        canvas.text(2, y + 39, name, size=14, anchor="start")
        canvas.row(asked, y, said.values(), size=12)
        canvas.arrows(asked, y + 28, y + 8, look="lit")
        encoder = canvas.box(40, y + 28, 248, 22, reaches[row], size=12)
        canvas.arrows(xs, y + 68, y + 50, look="quiet")
        for x, word in zip(xs, given, strict=True):
            canvas.text(x, y + 76, word, size=12, look="second" if word == "<mask>" else "")
        if name == "MT":
            made = canvas.box(298, y + 26, 54, 26, "decoder", look="quiet", size=11)
            canvas.chain(encoder, made)
            canvas.arrow(made.top, (made.top[0], y + 8), look="lit")
            canvas.text(352, y, "고양이 -는 고기 -를 …", size=12, anchor="end")
    return Picture("Three objectives", canvas).says(
        "LM names at every position the token that follows. MLM names at a hidden position "
        "the word that was there. MT's encoder names nothing; a decoder takes its states and "
        "writes the sentence in Korean.",
        caption="Blue arrows: what the loss asks for.",
    )


def corruption() -> Drawing:
    columns, rows, cell, drawing = 20, 10, 16.0, random.Random(1)
    chosen = drawing.sample(range(columns * rows), k=round(0.15 * columns * rows))
    masked, exchanged = round(0.8 * len(chosen)), round(0.1 * len(chosen))
    left, cut = len(chosen) - masked - exchanged, masked + exchanged
    canvas = Wide(334, 224, scale=1.6)
    rest = sorted(set(range(columns * rows)) - set(chosen))
    for places, look, part, x, words in (
        (chosen[:masked], "lit", 0.9, 6, f"{masked} <mask>"),
        (chosen[masked:cut], "second", 0.9, 100, f"{exchanged} a random word"),
        (chosen[cut:], "", 0.55, 232, f"{left} left as it is"),
        (rest, "", 0.0, 0, ""),
    ):
        canvas.cells(6, 4, [divmod(place, columns) for place in places], cell=cell, look=look,
                     part=part)  # fmt: skip
        if words:
            canvas.key(x, 176, words, look=look, part=part)
    canvas.text(6, 212, f"{len(chosen)} of {columns * rows} have a loss, in all three kinds",
                size=12, anchor="start")  # fmt: skip
    return Picture("80, 10 and 10 per cent", canvas).says(
        f"Of {columns * rows} tokens {len(chosen)} are chosen: {masked} become a mask token, "
        f"{exchanged} a random word, {left} stay. The loss asks for all of them and for no other."
    )


DRAWS = {"cat": (3, 0), "meat": (0, 3), "it": (1, 1)}  # how often with colour 0 and 1


def a_hint() -> Drawing:
    canvas = Wide(346, 186)
    every = [word for word, row in DRAWS.items() for _ in range(sum(row))]
    parts = [[word for word, row in DRAWS.items() for _ in range(row[c])] for c in (0, 1)]
    before, *after = (_doubt([*Counter(words).values()]) for words in (every, *parts))
    shares = [len(words) / len(every) for words in parts]
    left = dot(shares, after)
    canvas.text(4, 10, "no hint", size=12, anchor="start")
    canvas.text(342, 10, f"$H(T)$ = {before:.2f} nats", size=12, anchor="end")
    canvas.boxes([24 + 42.5 * j for j in range(len(every))], 22, 40, 24, every, size=11)
    for middle, words, doubt, look in zip((83, 255), parts, after, ("lit", "second"), strict=True):
        xs = [middle - 60 + 40.5 * j for j in range(len(words))]
        canvas.boxes(xs, 96, 38, 24, words, look=look, size=11)
        canvas.text(middle, 132, f"doubt {doubt:.2f} nats", size=11)
        canvas.arrow((173, 50), (middle, 92), look=look)
    canvas.text(4, 84, "colour 0", size=11, anchor="start")
    canvas.text(342, 84, "colour 1", size=11, anchor="end")
    canvas.text(342, 156, f"$H(T|C)$ = {left:.2f} nats", size=12, anchor="end")
    worth = f"$I(T; C)$ = {before:.2f} − {left:.2f} = {before - left:.2f}"
    canvas.text(342, 176, worth, size=12, anchor="end")
    return Picture("What a hint is worth", canvas).says(
        f"Eight words: without a hint the doubt is {before:.2f} nats. The colour parts them "
        f"in two groups of four, each with {after[0]:.2f} nats of doubt, so the hint is worth "
        f"{before - left:.2f}."
    )


def _doubt(counts: Sequence[int]) -> float:
    total = sum(counts)
    return -sum(n / total * math.log(n / total) for n in counts if n)


def _information(table: Sequence[Sequence[int]]) -> float:
    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    return abs(_doubt(rows) + _doubt(columns) - _doubt([n for row in table for n in row]))


def _assigned(points: Sequence[Point], centres: Sequence[Point]) -> list[int]:
    return [min(range(len(centres)), key=lambda k: math.dist(point, centres[k]))
            for point in points]  # fmt: skip


def _kmeans(points: Sequence[Point], centres: list[Point], rounds: int) -> list[Point]:
    for _ in range(rounds):
        nearest = _assigned(points, centres)
        for k in range(len(centres)):
            own = [point for point, c in zip(points, nearest, strict=True) if c == k]
            if own:
                centres[k] = (sum(x for x, _ in own) / len(own), sum(y for _, y in own) / len(own))
    return centres


def _table(labels: Sequence[int], clusters: Sequence[int], size: int) -> list[list[int]]:
    met = Counter(zip(labels, clusters, strict=True))
    return [[met[t, c] for c in range(size)] for t in range(size)]


def _states(number: int, centres: Sequence[Point], spread: float) -> tuple[list[int], list[Point]]:
    """Return labels and states: as many around each centre, in a plane of 200 by 200."""
    drawing = random.Random(number)
    labels = [t for t in range(len(centres)) for _ in range(12)]
    points = [(min(max(x + drawing.gauss(0, spread), 9), 191),
               min(max(y + drawing.gauss(0, spread), 9), 195))
              for x, y in (centres[t] for t in labels)]  # fmt: skip
    return labels, points


def clusters() -> Explorable:
    labels, points = _states(2, [(52, 60), (140, 70), (92, 140)], 23)
    start = points[0], points[3], points[30]
    found = [_kmeans(points, list(start), rounds) for rounds in (0, 0, 6, 6)]
    table = _table(labels, _assigned(points, found[3]), 3)
    value = _information(table)
    says = [
        "Each dot is a state, its colour the word that went in: three words, twelve states each.",
        "Three states serve as first centres. Every state goes to the nearest one.",
        "Each centre moves to the mean of its states, and the states are given anew, until nothing "
        "changes.",
        f"Count how often each word fell into each cluster. The table has {value:.2f} nats, of "
        f"{math.log(3):.2f} that the words hold.",
    ]
    panels = []
    for number, centres in enumerate(found):
        canvas = Wide(346, 216)
        _plane(canvas, 4, 6, points, labels, centres if number else [])
        if number == 3:
            canvas.note(279, 46, "cluster $C$")
            shares = [[n / 12 for n in row] for row in table]
            canvas.grid(240, 72, shares, cell=26, look="", columns=["0", "1", "2"],
                        written=[[*map(str, row)] for row in table])  # fmt: skip
            for t, look in enumerate(LOOKS):
                canvas.dot(229, 85 + 26 * t, 4, look=look)
            canvas.text(279, 176, f"$I(T; C)$ = {value:.2f} nats", size=12)
        panels.append(canvas)
    return (
        Picture("Information by clusters", *panels)
        .says("States are given to clusters by distance, and tokens and clusters are counted.")
        .in_steps(says)
    )


def _plane(
    canvas: Canvas, x: float, y: float, points: Sequence[Point], labels: Sequence[int],
    centres: Sequence[Point], size: Point = (200, 204),
) -> None:  # fmt: skip
    """Draw states in a frame; a dashed line leads from each to the centre of its cluster."""
    canvas.box(x, y, *size, look="quiet")
    at = [(round(x + px), round(y + py)) for px, py in points]
    middles = [(round(x + cx), round(y + cy)) for cx, cy in centres]
    nearest = _assigned(points, centres) if centres else []
    for k, middle in enumerate(middles):
        own = [place for place, cluster in zip(at, nearest, strict=True) if cluster == k]
        if own:
            canvas.line(*(p for place in own for p in (middle, place)), look="quiet")
    for t, look in enumerate(LOOKS):
        own = [place for place, label in zip(at, labels, strict=True) if label == t]
        canvas.dots(own, 3.6, look=look)
    for cx, cy in middles:
        canvas.box(cx - 5, cy - 5, 10, 10)


def stretched(*, shown: bool = True) -> Drawing:
    drawing, factor = random.Random(4), 9.0
    labels = [t for t in range(3) for _ in range(14)]
    flat = [(30 + 50 * t + drawing.uniform(-13, 13), drawing.uniform(-11, 11)) for t in labels]
    panels, values = [], []
    for stretch in (1.0, factor):
        points = [(x, 108 + stretch * y) for x, y in flat]
        starts = [points[0], points[14], points[28]]
        if stretch > 1:  # k-means from states that lie far apart
            ordered = sorted(points, key=lambda point: point[1])
            starts = [ordered[4], ordered[20], ordered[-5]]
        centres = _kmeans(points, starts, 12)
        values.append(_information(_table(labels, _assigned(points, centres), 3)))
        title = "as they are" if stretch == 1 else f"stretched {stretch:g} times"
        canvas = Wide(168, 266, title, scale=1.6)
        solved = shown or stretch == 1
        _plane(canvas, 4, 24, points, labels, centres if solved else [], size=(160, 216))
        value = f"$I(T; C)$ = {values[-1]:.2f} nats" if solved else "$I(T; C)$ = ?"
        canvas.text(84, 254, value, size=12)
        panels.append(canvas)
    if not shown:
        return Picture("Before the stretch", *panels).says(
            f"Three words, told apart by the horizontal axis: clusters find them, {values[0]:.2f} "
            "nats. Then the vertical axis is stretched. What clusters find now is open.",
            caption="Colours: words. Dashed lines lead to the centre of the cluster.",
        )
    return Picture("The stretch", *panels).says(
        f"Three words, told apart by the horizontal axis: clusters find them, {values[0]:.2f} "
        f"nats. Stretch the vertical axis, and the clusters cut across the words: {values[1]:.2f} "
        "nats. Two vertical lines still separate the words.",
        caption="Colours: words. Dashed lines lead to the centre of the cluster.",
    )


OWN = "the", "cat", "ate", "the", "meat", "it", "was"  # each in a cluster of its own


def each_its_own(*, shown: bool = True) -> Drawing:
    canvas, xs = Wide(354, 158), [74 + 43 * j for j in range(len(OWN))]
    value = _doubt([*Counter(OWN).values()])  # each cluster names its word
    mixed = random.Random(3).sample(OWN, k=len(OWN))
    for y, name, words in ((2, "words", OWN), (86, "shuffled", mixed)):
        solved = shown or words is OWN
        canvas.text(2, y + 12, name, size=11, anchor="start")
        canvas.boxes(xs, y, 41, 24, words, size=11, look="lit" if words is OWN else "second")
        known = f"{value:.2f} nats" if solved else "?"
        canvas.row(xs, y + 36, [str(number + 1) for number in range(len(xs))], size=11)
        canvas.note(2, y + 36, "cluster", anchor="start")
        canvas.text(352, y + 56, f"$I(T; C)$ = {known}", size=12, anchor="end")
    if not shown:
        return Picture("A cluster for each word", canvas).says(
            f"Seven words, each in a cluster of its own: the clusters say {value:.2f} nats. "
            "Then the words are shuffled. What the clusters say of them is open."
        )
    return Picture("A cluster for each word, and shuffled words", canvas).says(
        f"Seven words, each in a cluster of its own: the clusters say {value:.2f} nats. After "
        "the words were shuffled they say as much."
    )


def shared_directions() -> Drawing:
    drawing, n = random.Random(7), 40
    X = [(drawing.gauss(0, 30), drawing.gauss(0, 24)) for _ in range(n)]
    Y = []
    for x, _ in X:
        shared, own = x + drawing.gauss(0, 5), drawing.gauss(0, 24)
        Y.append((0.15 * shared + 0.99 * own, 0.15 * own - 0.99 * shared))
    X, Y = _centred(X), _centred(Y)
    rho, a, b = _best_pair(X, Y)
    values = [dot(a, point) for point in X]
    panels = []
    for name, points, (dx, dy) in (("X", X, a), ("Y", Y, b)):
        canvas = Wide(168, 186, f"network ${name}$")
        canvas.box(4, 20, 160, 160, look="quiet")
        at = [(round(84 + px), round(100 + py)) for px, py in points]
        canvas.dots([at[k] for k, value in enumerate(values) if value > 0], 3.4, look="lit")
        canvas.dots([at[k] for k, value in enumerate(values) if value <= 0], 3.4, look="second")
        canvas.arrow((84 - 66 * dx, 100 - 66 * dy), (84 + 66 * dx, 100 + 66 * dy))
        panels.append(canvas)
    unit = _correlation([x for x, _ in X], [x for x, _ in Y])
    return Picture("The first pair of directions", *panels).says(
        "The same samples in two networks: unit 1 of one and unit 1 of the other correlate by "
        f"{unit:.2f}, the values along the two arrows by {rho:.2f}. Nearly all samples to one side "
        "of the middle in one network lie to the same side in the other.",
        caption=f"Horizontally: unit 1. Its correlation is {unit:.2f}, that along the arrows "
        f"{rho:.2f}. Blue: samples in front of the middle of X's arrow.",
    )


def _centred(points: Sequence[Point]) -> list[Point]:
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    return [(x - mx, y - my) for x, y in points]


def _correlation(first: Sequence[float], second: Sequence[float]) -> float:
    return dot(first, second) / math.sqrt(dot(first, first) * dot(second, second))


def _best_pair(X: Sequence[Point], Y: Sequence[Point]) -> tuple[float, Point, Point]:
    """Return the first canonical correlation of centred samples, with a direction on each side."""
    around = [(math.cos(math.radians(a)), math.sin(math.radians(a))) for a in range(0, 360, 2)]
    in_x = [(a, [dot(a, point) for point in X]) for a in around[:90]]
    in_y = [(b, [dot(b, point) for point in Y]) for b in around]
    return max((_correlation(one, other), a, b) for a, one in in_x for b, other in in_y)


def weighted_correlations() -> Drawing:
    correlations, lengths = (0.95, 0.7, 0.3), (5.0, 2.0, 1.0)
    panels, distances = [], []
    for title, sizes in (("all alike", (1.0, 1.0, 1.0)), ("weighted, PWCCA", lengths)):
        weights = [size / sum(sizes) for size in sizes]
        canvas, x = Wide(168, 206, title), 8.0
        canvas.box(8, 24, 152, 130, look="quiet")
        for number, (rho, weight) in enumerate(zip(correlations, weights, strict=True), start=1):
            made = canvas.box(x, 154 - 130 * rho, 152 * weight, 130 * rho, look="lit")
            canvas.text(*made.center, f"$ρ_{number}$", size=12)
            canvas.note(made.center[0], 166, f"{weight:.2f}")
            x += made.width
        distances.append(1 - dot(weights, correlations))
        canvas.text(84, 192, f"$d$ = {distances[-1]:.2f}", size=13)
        panels.append(canvas)
    return Picture("Weights of directions", *panels).says(
        f"Three correlations. If all count alike the distance is {distances[0]:.2f}; weighed "
        f"by how much of the features each direction makes up it is {distances[1]:.2f}.",
        caption="Height: a correlation. Width: its weight. The distance is the part of the frame "
        "that is left empty.",
    )


def swap() -> Drawing:
    canvas, own, donor = Wide(346, 196), (84.0, 128.0), (236.0, 76.0)
    drawing = random.Random(3)
    for (x, y), look in ((own, "lit"), (donor, "second")):
        for _ in range(16):
            canvas.dot(
                round(x + drawing.gauss(0, 22)), round(y + drawing.gauss(0, 17)), 3, look=look
            )
        canvas.box(x - 5, y - 5, 10, 10)
    h = own[0] + 34, own[1] + 34
    moved = h[0] + donor[0] - own[0], h[1] + donor[1] - own[1]
    canvas.dot(*h, 6, look="lit")
    canvas.dot(*moved, 6, look="second")
    canvas.arrow(h, (moved[0] - 6, moved[1] + 2))
    canvas.arrow(own, (donor[0] - 6, donor[1] + 2), look="quiet")
    canvas.text(h[0] + 8, h[1] + 14, "$h$", size=15)
    canvas.text(moved[0] + 16, moved[1] + 4, "$h'$", size=15)
    canvas.text(70, 72, "states of the word itself", size=11.5, room=140)
    canvas.text(246, 20, "states of the donor", size=11.5)
    return Picture("A swap", canvas).says(
        "From the state the mean of its own type is taken off and the mean of the donor's "
        "type put in: it moves as one mean lies from the other, and keeps what made it differ "
        "from its mean.",
        caption="Squares: the means of the two types. The two arrows are of one length and one "
        "direction.",
    )


def three_kinds_of_evidence() -> Drawing:
    canvas = Wide(352, 226)
    for x, name, look, asked, proof in (
        (59, "probe", "", "finds\nthe word?", "the word can\nbe found"),
        (176, "removal", "lit", "answer:\nchanges?", "the answer\nneeds the part"),
        (293, "swap", "second", "answer:\nthe donor's?", "the part is used\nas the word"),
    ):
        canvas.text(x, 9, name)
        state = canvas.grid(x - 27, 160, [[0.5, 0.9, 0.3]], cell=18, look="")
        canvas.note(x, 189, "state")
        above = canvas.box(x - 44, 106, 88, 26, "layers above", look="" if look else "quiet",
                           size=12)  # fmt: skip
        if name == "removal":
            canvas.box(x - 9, 160, 18, 18, "0", look=look, size=11)
        if name == "swap":
            canvas.grid(x - 9, 160, [[0.9]], cell=18, look=look)
        if name == "probe":
            canvas.arrow((x - 27, 169), (x - 50, 169), (x - 50, 82), look="lit")
        else:
            canvas.chain(state, above)
            canvas.arrow(above.top, (x, 82), look=look)
        canvas.text(x if look else x - 8, 66, asked, size=12)
        canvas.text(x, 212, proof, size=11)
    return Picture("Three kinds of evidence", canvas).says(
        "A probe looks at the state and leaves the network out: the word can be found. A "
        "removal changes the state and asks whether the answer changes. A swap puts in the donor's "
        "part and asks whether the answer becomes the donor's.",
        caption="Below each: what a positive result proves.",
    )


def wiring() -> Drawing:
    canvas, layers, floor = Wide(350, 226), 6, 172.0
    # What is added is independent of the stream: squares of lengths add.
    pre = [1 / math.sqrt(1 + layer) for layer in range(layers + 1)]
    post = [1 / math.sqrt(2) ** layer for layer in range(layers + 1)]
    for layer in range(layers + 1):
        x = 14 + 48 * layer
        canvas.column(x, floor, 17, 130 * pre[layer])
        canvas.column(x + 20, floor, 17, 130 * post[layer], look="second")
        canvas.text(x + 19, floor + 12, str(layer), size=11)
    canvas.line((8, floor), (346, floor))
    canvas.note(174, floor + 28, "station")
    words = "the word's own part, as a share of the stream's length"
    canvas.text(8, 12, words, size=12, anchor="start")
    canvas.text(8, 217, "blue: LayerNorm before each part", size=11, anchor="start")
    canvas.text(342, 217, "orange: after", size=11, anchor="end")
    return Picture("Where the norm is", canvas).says(
        "If each layer adds something independent as long as the embedding, six layers leave "
        f"{pre[-1]:.2f} of a stream that is only added to, and "
        f"{post[-1]:.2f} of one that is normalised after each addition."
    )


def taps() -> Drawing:
    canvas = Wide(352, 216, scale=1.6)
    names = ["embed", "encoder.layers.0", "encoder.layers.1"]
    reads = ["the word: clusters", "what is near: neighbours",
             "change from the one before"]  # fmt: skip
    canvas.text(70, 208, "tokens", size=12)
    below = (70.0, 199.0)
    for number, name in enumerate(names):
        y = 150 - 58 * number
        made = canvas.box(8, y, 124, 28, name, size=12)
        canvas.arrow(below, made.bottom)
        below = made.top
        canvas.dot(70, y - 12, 4, look="lit")
        canvas.arrow((74, y - 12), (176, y - 12), look="lit")
        canvas.text(152, y - 22, f"{number}", size=11)
    canvas.arrow(below, (70, 6))
    canvas.box(176, 8, 172, 140, look="quiet")
    canvas.text(262, 28, "at each station", size=12)
    for number, words in enumerate(reads):
        canvas.text(262, 62 + 30 * number, words, size=11)
    return Picture("Where the states are taken", canvas).says(
        "The outputs of the named submodules are the stations. At each one the function "
        "measures what clusters say of the token, who its neighbours are, and how much changed."
    )


def two_reasons() -> Drawing:
    canvas = Wide(346, 188)
    canvas.text(136, 12, "keeps the token", size=12)
    canvas.text(270, 12, "turns it into the next", size=12)
    for row, words in enumerate(("sees\nboth\nsides", "sees\none\nside")):
        canvas.text(30, 62 + 84 * row, words, size=12)
    canvas.box(72, 26, 128, 72, "MT and MLM", look="lit")
    canvas.box(208, 26, 128, 72, look="quiet")
    canvas.text(272, 62, "nothing to predict", size=11.5, look="quiet")
    trial = canvas.box(72, 110, 128, 72, "an MLM that\nsees one side", look="quiet")
    lm = canvas.box(208, 110, 128, 72, "LM", look="second")
    canvas.line(trial.top, (136, 98))
    canvas.line(trial.right, lm.left)
    return Picture("Two reasons at once", canvas).says(
        "MT and MLM see both sides and keep the token; LM sees one side and turns the token "
        "into the next. An MLM that sees one side only differs from each in one thing.",
        caption="The lines join what differs in one property alone.",
    )


stretched_open = left_open(stretched)
each_its_own_open = left_open(each_its_own)
