"""Drawings of chapter 06: one small tree of tokens, and the scores of four rewordings.

The probabilities of the tree are made up, so that every number can be followed by hand.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from bottomup.drawings import Box, Drawing, Picture, Wide, left_open
from bottomup.drawings.engine.numbers import signed
from bottomup.drawings.engine.tables import percent
from bottomup.drawings.engine.words import width
from bottomup.experiments.decoding.bleus import corpus_bleu, count
from bottomup.explorables import Explorable

END = "end"
Path = tuple[str, ...]
# By beginning, what may come next; any other beginning has only its end.
TREE: dict[Path, dict[str, float]] = {
    (): {"it": 0.5, "the": 0.3, END: 0.2},
    ("it",): {"ate": 0.5, "slept": 0.3, "ran": 0.2},
    ("it", "ate"): {"meat": 0.6, END: 0.4},
    ("the",): {"cat": 0.9, "meat": 0.1},
    ("the", "cat"): {"ate": 0.8, "slept": 0.2},
    ("the", "cat", "ate"): {"the": 0.75, END: 0.25},
    ("the", "cat", "ate", "the"): {"meat": 1.0},
}
RIGHT = ("the", "cat", "ate", "the", "meat", END)
FIRST, PITCH, ROOM, TALL, TOP = 13.0, 61.0, 56.0, 21.0, 34.0


def following(beginning: Path) -> dict[str, float]:
    """Return the probabilities of what may come after a beginning."""
    return TREE.get(beginning, {END: 1.0})


def probability(path: Path) -> float:
    """Return the product of the probabilities along a path."""
    return math.prod(following(path[:i])[token] for i, token in enumerate(path))


def sentences(beginning: Path = ()) -> list[Path]:
    """Return every sentence that begins so, each with its end, from above to below."""
    found: list[Path] = []
    for token in following(beginning):
        path = (*beginning, token)
        found += [path] if token == END else sentences(path)
    return found


def greedy(path: Path = ()) -> Path:
    """Return what the most probable token at each step gives, from a beginning on."""
    while not path or path[-1] != END:
        after = following(path)
        path = (*path, max(after, key=after.__getitem__))
    return path


def beam(size: int) -> list[tuple[list[Path], list[Path]]]:
    """Return after each step the beginnings that go on, and the sentences found so far."""
    steps: list[tuple[list[Path], list[Path]]] = []
    kept: list[Path] = [()]
    ended: list[Path] = []
    while kept:
        every = [(*path, token) for path in kept for token in following(path)]
        every.sort(key=probability, reverse=True)
        ended = ended + [path for path in every[:size] if path[-1] == END]
        kept = [path for path in every if path[-1] != END][:size]
        steps.append((kept, ended))
    return steps


def _tree(
    looks: Mapping[Path, str], leaves: str, *, depth: int = 9, products: bool = False
) -> Wide:
    """Draw the tree as far as a depth; `leaves` are "probabilities", "?" or nothing."""
    every = sentences()
    canvas = Wide(360, TOP + 26 * len(every))
    heads = [FIRST + ROOM / 2 + PITCH * j for j in range(5)]
    canvas.row(heads, 10, ["1", "2", "3", "4", "5"], size=11, look="quiet")
    canvas.text(357, 10, "sentence", size=11, anchor="end", look="quiet")
    root = Box(2, TOP + 26 * (len(every) - 1) / 2, 4, TALL)
    canvas.dot(*root.right)

    def look(path: Path) -> str:
        return looks.get(path, "quiet" if looks else "")

    def place(path: Path, before: Box) -> None:
        rows = [i for i, each in enumerate(every) if each[: len(path)] == path]
        y = TOP + 26 * (rows[0] + rows[-1]) / 2 - TALL / 2 + 6
        only = path[-1] == END and following(path[:-1]) == {END: 1.0}
        if len(path) <= depth and not only:
            share = f"{following(path[:-1])[path[-1]]:g}"
            shown = percent(probability(path)) if products else share
            x = FIRST + PITCH * (len(path) - 1)
            made = canvas.box(x, y, ROOM, TALL, f"{path[-1]} {shown}", look=look(path), size=11)
            canvas.line(before.right, made.left, look=look(path))
            before = made
        if path[-1] == END:
            words = {"probabilities": percent(probability(path)), "?": "?"}.get(leaves, "")
            faint = "quiet" if looks and look(path) == "quiet" else ""
            canvas.text(357, y + TALL / 2, words, size=12, anchor="end", look=faint)
        elif len(path) < depth:
            for token in following(path):
                place((*path, token), before)

    for token in following(()):
        place((token,), root)
    return canvas


def _along(path: Path, look: str) -> dict[Path, str]:
    return {path[: i + 1]: look for i in range(len(path))}


def _written(path: Path) -> str:
    return " ".join(path[:-1]) or "nothing"


def tree_open() -> Drawing:
    return Picture("A tree of sentences, their probabilities to fill in", _tree({}, "?")).says(
        "Each box is a token with its probability after the tokens before it. Nine ways lead "
        "to an end; the probabilities of the nine sentences are open.",
        caption="Made-up probabilities. Where nothing follows, the sentence ends.",
    )


def tree() -> Drawing:
    best = sorted(sentences(), key=probability, reverse=True)
    told = ", ".join(f"{_written(path)} {percent(probability(path))}" for path in best[:3])
    return Picture(
        "A tree of sentences",
        _tree(_along(best[0], "second") | _along(RIGHT, "lit"), "probabilities"),
    ).says(
        f"The most probable sentences: {told}. All nine together have 100%.",
        caption="Blue: the right translation. Orange: the most probable sentence, which is empty.",
    )


def greedy_open() -> Drawing:
    first = greedy()[0]
    return Picture("Greedy decoding, its first step", _tree({(first,): "second"}, "?")).says(
        f"Of three tokens at the first step, {first} is the most probable. How greedy "
        "decoding goes on from there is open.",
        caption="Orange: the first step. Which way does it go on?",
    )


def greedy_taken() -> Drawing:
    taken = greedy()
    return Picture(
        "Greedy decoding", _tree(_along(taken, "second") | _along(RIGHT, "lit"), "probabilities")
    ).says(
        f"It takes the most probable token each time and says {_written(taken)}, with "
        f"{percent(probability(taken))}. {_written(RIGHT).capitalize()} has "
        f"{percent(probability(RIGHT))}.",
        caption="Orange: what greedy decoding takes. Blue: what it leaves.",
    )


def _beam(size: int, number: int) -> Wide:
    kept, ended = beam(size)[number]
    looks: dict[Path, str] = {}
    for path in kept:
        looks |= _along(path, "lit")
    for path in ended:
        looks |= {each: look for each, look in _along(path, "second").items() if each not in looks}
    canvas = _tree(looks, "", depth=number + 1, products=True)
    for path in ended:
        y = TOP + 26 * sentences().index(path) + 6
        canvas.text(357, y, percent(probability(path)), size=12, anchor="end")
    return canvas


def beam_open() -> Drawing:
    first = [path[0] for path in beam(2)[0][0]]
    return Picture(
        "A beam of two, after its first step", _tree({(token,): "lit" for token in first}, "?")
    ).says(
        f"The tree again. {' and '.join(first)} go on; what comes next is open.",
        caption="Blue: goes on after the first step.",
    )


def beam_of_two() -> Explorable:
    says = []
    for number, (kept, ended) in enumerate(beam(2)):
        going = " and ".join(f"{' '.join(path)} ({percent(probability(path))})" for path in kept)
        best = max(ended, key=probability) if ended else ()
        if kept:
            end = f" Set aside: {_written(best)}." if ended else ""
            says.append(f"Step {number + 1}: {going} {'go' if len(kept) > 1 else 'goes'} on.{end}")
        else:
            says.append(f"The answer is {_written(best)}, with {percent(probability(best))}.")
    return (
        Picture("A beam of two", *(_beam(2, number) for number in range(len(says))))
        .says(
            "Each step keeps the two most probable beginnings; the right sentence is found.",
            caption="Blue: goes on. Orange: ended and set aside. The numbers are products.",
        )
        .in_steps(says)
    )


def beam_of_three() -> Drawing:
    ended = beam(3)[-1][1]
    best = max(ended, key=probability)
    looks: dict[Path, str] = {}
    for path in ended:
        looks |= _along(path, "second")
    looks |= _along(best, "lit")
    return Picture("A beam of three", _tree(looks, "probabilities")).says(
        f"It has found {len(ended)} sentences. The most probable of them says "
        f"{_written(best)}, with {percent(probability(best))}.",
        caption="Orange: sentences that it has found. Blue: the most probable, the empty one.",
    )


BEFORE: tuple[Path, ...] = ((), ("the",))
WAYS = "as it is", "$T$ = 0.5", "top-k, $k$ = 2", "top-p, $p$ = 0.6"


def drawn_from(way: str, shares: Sequence[float]) -> list[float]:
    """Return what a way of drawing makes of some probabilities, the largest first."""
    if way == WAYS[1]:
        shares = [p**2 for p in shares]
    elif way == WAYS[2]:
        shares = [p if rank < 2 else 0.0 for rank, p in enumerate(shares)]
    elif way == WAYS[3]:
        shares = [p if sum(shares[:rank]) < 0.6 - 1e-9 else 0.0 for rank, p in enumerate(shares)]
    return [p / sum(shares) for p in shares]


def ways_to_sample(*, shown: bool = True) -> Drawing:
    canvas = Wide(356, 262)
    for column, way in enumerate(WAYS):
        canvas.text(46 + 88 * column, 9, way, size=12)
    for row, beginning in enumerate(BEFORE):
        tokens, floor = list(following(beginning)), 118 + 124 * row
        name = f"after “{' '.join(beginning)}”" if beginning else "the first token"
        canvas.note(4, floor - 92, name, anchor="start")
        for column, way in enumerate(WAYS):
            left = 8 + 88 * column
            canvas.line((left, floor), (left + 78, floor))
            values = drawn_from(way, list(following(beginning).values()))
            for rank, (token, p) in enumerate(zip(tokens, values, strict=True)):
                x = left + 2 + rank * 26
                canvas.text(x + 11, floor + 11, token, size=11)
                if not shown and column > 1:
                    canvas.text(x + 11, floor - 12, "?", size=12)
                else:
                    canvas.column(x, floor, 22, 62 * p)
                    canvas.text(x + 11, floor - 62 * p - 8, f"{round(100 * p, 6):.0f}%", size=11,
                                look="" if p else "quiet")  # fmt: skip
    if not shown:
        return Picture("Four ways to draw, two to fill in", canvas).says(
            "The first token of the tree, and the token after the, as they are and with "
            "temperature 0.5. What top-k and top-p leave is open."
        )
    (k, then_k), (p, then_p) = (
        [sum(p > 0 for p in drawn_from(way, list(following(before).values()))) for before in BEFORE]
        for way in WAYS[2:]
    )
    return Picture("Four ways to draw", canvas).says(
        f"A low temperature sharpens and keeps every token. Top-k leaves {k} tokens, then "
        f"{then_k}; top-p leaves {p}, then {then_p}, since after the it is sure of cat."
    )


def crossing() -> float:
    """Return the alpha at which the right sentence and the empty one have the same score."""
    ratio = math.log(probability(RIGHT)) / math.log(probability((END,)))
    return math.log(ratio) / math.log((5 + len(RIGHT)) / (5 + 1))


def length_penalty() -> Drawing:
    canvas, left, right, top, floor, most = Wide(354, 208), 44.0, 344.0, 22.0, 160.0, 1.0

    def at(alpha: float, score: float) -> tuple[float, float]:
        return left + (right - left) * alpha / most, top + (floor - top) * score / -2

    for look, path in (("second", (END,)), ("lit", RIGHT)):
        log_p, base = math.log(probability(path)), (5 + len(path)) / 6
        points = [at(step / 40, log_p / base ** (step / 40)) for step in range(41)]
        canvas.line(*points, look=look)
    canvas.line((left, top), (left, floor), (right, floor))
    for score in (0, -1, -2):
        canvas.text(left - 6, at(0, score)[1], signed(score), size=11, anchor="end")
    for alpha in (0, 0.2, 0.4, 0.6, 0.8, 1):
        canvas.text(at(alpha, 0)[0], floor + 12, f"{alpha:g}", size=11)
    cross = crossing()
    x, y = at(cross, math.log(probability((END,))))
    canvas.dot(x, y, 4)
    canvas.line((x, y + 4), (x, floor), look="quiet")
    canvas.text(x + 6, floor - 14, f"$α$ = {cross:.2f}", size=12, anchor="start")
    canvas.text((left + right) / 2, 196, "$α$", size=13)
    canvas.text(left + 6, 9, "score $s(y)$", size=11, anchor="start")
    canvas.text(x + 140, y + 14, "says nothing, $n$ = 1", size=11, anchor="start")
    name = f"the cat ate the meat, $n$ = {len(RIGHT)}"
    canvas.text(x + 20, y - 52, name, size=11, anchor="start")
    return Picture("What the length penalty does", canvas).says(
        "The score of the empty sentence stays, that of the right one rises with alpha. They "
        f"meet at {cross:.2f}; at 0.6 the right sentence is ahead."
    )


REFERENCE = "the cat ate the meat because it was hungry"
NONSENSE = ["the"] * 7
TRIED = (
    "the cat ate the meat because it was fresh",
    "because it was hungry the cat ate the meat",
    "the cat ate the meat",
    "the meat ate the cat because it was hungry",
)


def clipped() -> Drawing:
    canvas, words = Wide(358, 138), REFERENCE.split()
    canvas.note(2, 9, "translation", anchor="start")
    canvas.note(2, 129, "reference", anchor="start")
    free = [j for j, word in enumerate(words) if word == "the"]
    boxes, x = [], 2.0
    for j, word in enumerate(words):
        wide = width(word, 11.5) + 10
        boxes.append(canvas.box(x, 92, wide, 24, word, size=11.5, look="lit" if j in free else ""))
        x += wide + 4
    looks = ["lit" if i < len(free) else "quiet" for i in range(len(NONSENSE))]
    made = canvas.boxes([20 + 44 * i for i in range(7)], 20, 38, 24, NONSENSE, look=looks)
    for i, j in enumerate(free):
        canvas.arrow(made[i].bottom, boxes[j].top, look="lit")
    right = sum((Counter(NONSENSE) & Counter(words)).values())
    canvas.text(300, 68, f"$p_1$ = {right}/{len(NONSENSE)}", size=13)
    return Picture("Clipped", canvas).says(
        "Seven times “the” against a reference that has it twice: each “the” of the reference "
        f"is used once, so {right} of {len(NONSENSE)} count."
    )


def scores() -> dict[str, float]:
    """Return the BLEU of each rewording."""
    return {text: corpus_bleu([text.split()], [REFERENCE.split()]) for text in TRIED}


def four_scores(*, shown: bool = True) -> Drawing:
    canvas, found = Wide(358, 42 + 52 * len(TRIED)), scores()
    xs = [160.0 + 42 * n for n in range(4)]
    canvas.row(xs, 9, [f"$p_{n}$" for n in (1, 2, 3, 4)], size=12)
    canvas.text(354, 9, "BLEU", size=12, anchor="end")
    for row, (text, score) in enumerate(found.items()):
        y, counts = 32 + 52 * row, count([text.split()], [REFERENCE.split()])
        canvas.text(2, y, text, size=12, anchor="start")
        parts = [f"{a}/{b}" for a, b in zip(counts.matches, counts.totals, strict=True)]
        known = range(4) if shown else range(1)
        canvas.row(xs, y + 20, [parts[n] if n in known else "?" for n in range(4)], size=11)
        canvas.bar(2, y + 12, 1.1 * score if shown else 0, 14, "")
        canvas.text(354, y + 20, f"{score:.0f}" if shown else "?", size=13, anchor="end")
    if not shown:
        return Picture("Four translations, their scores to fill in", canvas).says(
            f"The reference is: {REFERENCE}. Of four other sentences the share of right words "
            "is given; pairs, triples, quadruples and the score are open.",
            caption=f"The reference: {REFERENCE}.",
        )
    told = ", ".join(f"{text} {score:.0f}" for text, score in found.items())
    return Picture("Four translations and their scores", canvas).says(
        f"BLEU against the reference, {REFERENCE}: {told}.",
        caption=f"The reference: {REFERENCE}.",
    )


ways_to_sample_open = left_open(ways_to_sample)
four_scores_open = left_open(four_scores)
