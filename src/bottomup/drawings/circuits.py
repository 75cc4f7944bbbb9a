"""Drawings of chapter 09.

The circuit that is worked by hand continues *cat ate meat cat*; what cuts do comes from the record.
"""

from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bottomup import results
from bottomup.data import InductionTask
from bottomup.drawings import Canvas, Drawing, Picture, Wide, left_open
from bottomup.drawings.engine.numbers import shades, signed, softmax
from bottomup.drawings.engine.tables import percent, table
from bottomup.explorables import Explorable

Matrix = NDArray[np.float64]

TEXT = "BOS", "cat", "ate", "meat", "cat"
LAYERS = "layer 0: look one place back", "layer 1: the last cat asks for “after cat”"
BETA = 40.0  # how much the weights favour a match
WORDS = TEXT[1:4]
PANEL = 328.0  # two of them are as wide as the column of a page


class Continued(NamedTuple):
    """What two heads that are set by hand find at the end of `TEXT`."""

    after: tuple[str, ...]  # the word that layer 0 writes into each row
    weights: list[float]  # of the last word, in layer 1
    answer: str


def continued() -> Continued:
    """Return how layer 0 hands on the word before, and what layer 1 then finds."""
    after = (TEXT[0], *TEXT[:-1])  # the first can look at itself alone
    weights = softmax([BETA * (word == TEXT[-1]) for word in after])
    return Continued(after, weights, TEXT[int(np.argmax(weights))])


def layer_by_layer(*, shown: bool = True) -> Drawing:
    found, xs, wide = continued(), [66.0 + 57 * n for n in range(5)], 50.0
    panels = []
    for layer in range(2):
        canvas = Canvas(PANEL, 218)
        canvas.text(0, 9, LAYERS[layer], size=12.5, anchor="start")
        for y, name in ((202, "is"), (134, "after"), (66, "next")):
            canvas.text(34, y, name, size=12, anchor="end")
        own = canvas.boxes(xs, 190, wide, 24, TEXT, look="lit", size=12)
        words = found.after if shown else ["?"] * 5
        after = canvas.boxes(xs, 122, wide, 24, words, look="second", size=12)
        if layer == 0:
            for one, other in zip(own[:-1], after[1:], strict=True):
                canvas.arrow((one.top[0] + 8, one.y), (other.bottom[0] - 8, other.bottom[1]),
                             look="second")  # fmt: skip
            canvas.arrow(own[0].top, after[0].bottom, look="second")
        else:
            answer = canvas.box(xs[4] - wide / 2, 54, wide, 24, found.answer if shown else "?",
                                look="lit", size=12)  # fmt: skip
            shares = [percent(share) if shown else "?" for share in found.weights]
            canvas.row(xs, 162, shares, size=11.5)
            if shown:
                best = own[int(np.argmax(found.weights))]
                aside = best.right[0] + 3.5
                canvas.arrow(best.right, (aside, best.right[1]), (aside, 66), answer.left,
                             look="lit")  # fmt: skip
        panels.append(canvas)
    if not shown:
        return Picture("Two layers, to fill in", *panels).says(
            "The rows of BOS, cat, ate, meat, cat each hold their own word under is. Layer 0 "
            "looks one place back and writes under after. In layer 1 the last cat looks for after "
            "cat and writes under next. What they write, and the weights of layer 1, are open.",
            caption="The question marks between the rows are the weights of the last cat.",
        )
    told = ", ".join(f"{word} after {last}" for word, last in zip(TEXT, found.after, strict=True))
    return Picture("Two layers continue a text", *panels).says(
        f"Layer 0 writes under after the word one place back: {told}. In layer 1 the last cat "
        f"gives {percent(max(found.weights))} of its weight to {found.answer}, which is after cat, "
        f"and writes {found.answer} under next.",
        caption="Between the rows are the weights of the last cat.",
    )


def head_as_two_maps() -> Drawing:
    draw = np.random.default_rng(3)
    d_model, d_head, cell = 4, 2, 14
    x_i, y_j = (np.append(draw.normal(size=d_model), 1.0)[None] for _ in range(2))
    W_Q, W_K, W_V = (draw.normal(size=(d_head, d_model + 1)) for _ in range(3))
    W_O = draw.normal(size=(d_model, d_head))
    panels = []
    for title, first, second, names in (
        ("QK map: where it looks", W_Q.T, W_K, ("W_Q^⊤", "W_K", "W_{QK}")),
        ("OV map: what it adds", W_V.T, W_O.T, ("W_V^⊤", "W_O^⊤", "W_{OV}")),
    ):
        canvas, product = Canvas(PANEL, 226), first @ second
        canvas.text(0, 8, title, size=12.5, anchor="start")
        x = 16.0
        for matrix, name, sign in zip((first, second, product), names, ("", "=", ""), strict=True):
            look = "lit" if matrix is product else ""
            made = canvas.grid(x, 76 - cell * len(matrix) / 2, shades(matrix), cell=cell, look=look)
            canvas.text(made.center[0], 28, f"${name}$", size=12.5)
            x = made.right[0] + 24
            canvas.text(x - 12, 76, sign, size=13)
        reads = names[0].startswith("W_Q")
        row = x_i if reads else y_j
        y = 172.0
        left = canvas.grid(8, y - cell / 2, shades(row), cell=cell, look="second")
        canvas.text(left.center[0], y - 20, f"${'x_i' if reads else 'y_j'}$", size=12.5)
        canvas.text(left.right[0] - cell / 2, y, "1", size=11)
        map_box = canvas.box(102, y - 16, 56, 32, f"${names[2]}$", look="lit")
        if reads:
            right = canvas.grid(182, y - cell * 2.5, shades(y_j).T, cell=cell, look="second")
            canvas.text(right.right[0] + 14, y, "$y_j$", size=12.5)
            canvas.text(right.center[0], right.y + 4.5 * cell, "1", size=11)
            canvas.line(map_box.right, right.left)
            canvas.arrow((224, y), (254, y))
            canvas.text(291, y, "score $e_{ij}$", size=12.5)
        else:
            written = canvas.grid(186, y - cell / 2, shades(y_j @ product), cell=cell, look="lit")
            canvas.chain(map_box, written)
            canvas.text(written.center[0], y + 30, "times $α_{ij}$, added to row $i$", size=12)
        canvas.line(left.right, map_box.left)
        panels.append(canvas)
    return Picture("A head as two maps", *panels).says(
        "W_Q and W_K occur only as their product, which gives a score to each pair of rows. "
        "W_V and W_O occur only as theirs, which says what is added where a row is looked at. A 1 "
        "at the end of a row carries the biases."
    )


def heads_of_three_words() -> dict[str, Matrix]:
    """Return what three heads add to the logits (columns) for each word they look at (rows)."""
    same = np.eye(3)
    return {"copies": same, "passes on": np.roll(same, 1, axis=1), "suppresses": -same}


def copying(table: Matrix) -> float:
    """Return the copying score of a head from its table."""
    values = np.linalg.eigvals(table)
    return float(values.real.sum() / np.abs(values).sum()) + 0.0


def three_heads(*, shown: bool = True) -> Drawing:
    panels, scores = [], []
    for name, raises in heads_of_three_words().items():
        canvas, cell, x, y = Canvas(206, 192), 34.0, 74.0, 56.0
        canvas.text(0, 9, name, size=12.5, anchor="start")
        canvas.note(x + 1.5 * cell, 28, "raises")
        canvas.note(0, y - 9, "looks at", anchor="start")
        canvas.grid(x, y, np.zeros((3, 3)), cell=cell, rows=WORDS, columns=WORDS)
        for look, part in ("lit", raises > 0.5), ("second", raises < -0.5):
            places = [(int(i), int(j)) for i, j in np.argwhere(part)]
            if places:
                canvas.cells(x, y, places, cell=cell, look=look)
        for i, j in np.ndindex(3, 3):
            value = round(float(raises[i, j]))
            canvas.text(x + (j + 0.5) * cell, y + (i + 0.5) * cell,
                        signed(value, "+d") if value else "0", size=12,
                        look="" if value else "quiet")  # fmt: skip
        score = signed(round(copying(raises)), "d")
        written = f"copying score {score if shown else '?'}"
        canvas.text(x + 1.5 * cell, y + 3 * cell + 18, written, size=12.5)
        scores.append(f"{name}: {score}")
        panels.append(canvas)
    if not shown:
        return Picture("Three heads, to be scored", *panels).says(
            "Tables of three heads: rows are the words looked at, columns the words whose "
            "logits change. One head raises the word that it looks at, one raises the next word, "
            "one lowers the word that it looks at. Their copying scores are open."
        )
    return Picture("Three heads and their copying scores", *panels).says(
        f"Copying scores of a head that copies, one that passes on to the next word, and one "
        f"that suppresses the word it looks at. {', '.join(scores)}."
    )


def induction_in_steps() -> Explorable:
    says = [
        "The text is cat ate meat cat, and the last row has to say what comes next. Each row holds "
        "one thing so far: its own word.",
        "Layer 0. A head looks one place back and writes the word there into another slot of the "
        "row: ate now also says that it comes after cat.",
        "Layer 1, where to look. The query of the last row is its own word, cat. The keys are what "
        "layer 0 wrote. They agree at ate.",
        "Layer 1, what to add. The head copies the word of the row that it looks at, ate, into the "
        "answer.",
    ]
    drawing = Picture(
        "An induction circuit", *(_induction_step(step) for step in range(len(says)))
    ).says("Two layers find an earlier cat and say what came after it.")
    return drawing.in_steps(says)


STEPS = (
    "each row holds its own word", "layer 0 looks one place back",
    "layer 1: cat asks for “after cat”", "layer 1 copies the word it looks at",
)  # fmt: skip


def _induction_step(step: int) -> Canvas:
    found, xs, wide = continued(), [36.0 + 72 * n for n in range(5)], 68.0
    canvas = Canvas(360, 232)
    canvas.text(0, 10, STEPS[step], size=12.5, anchor="start")
    canvas.row(xs, 222, TEXT, size=14)
    canvas.arrows(xs, 213, 196)
    own = canvas.boxes(xs, 170, wide, 24, [f"is {word}" for word in TEXT], look="lit", size=11.5)
    if step == 0:
        canvas.text(xs[4], 146, "next?", size=13)
        return canvas
    words = [f"after {word}" for word in found.after]
    after = canvas.boxes(xs, 104, wide, 24, words, look="second", size=11.5)
    if step == 1:
        for left, right in zip(own[:-1], after[1:], strict=True):
            canvas.arrow(left.top, right.bottom, look="second")
        canvas.arrow(own[0].top, after[0].bottom, look="second")
        return canvas
    asks, best = own[4], int(np.argmax(found.weights))
    if step == 2:
        canvas.arrow(asks.top, (asks.top[0], 150), (xs[best], 150), after[best].bottom, look="lit")
        return canvas
    out = canvas.box(xs[4] - wide / 2, 40, wide, 24, f"next {found.answer}", look="lit", size=11.5)
    aside = (xs[best] + xs[best + 1]) / 2
    canvas.arrow((aside - 2, own[best].y), (aside - 2, 52), out.left, look="lit")
    return canvas


def a_part_twice() -> Drawing:
    batch = InductionTask(seed=1).evaluation(512, seed=7)
    panels, told = [], []
    for symbols, known in zip(batch.symbols[:2], batch.predictable, strict=False):
        letters = ["abcdefghijklmnopqrstuvwx"[symbol] for symbol in symbols]
        asked = known.nonzero()[:, 0].tolist()
        length, first = len(asked) + 1, asked[0]
        canvas, cell, y = Canvas(PANEL, 74), PANEL / len(letters), 26.0
        copies = {"second": first - length, "lit": first}
        canvas.cells(0, y, [(0, n) for n in range(len(letters))], cell=cell, part=0.0)
        for (look, start), name in zip(copies.items(), ("first", "again"), strict=True):
            canvas.cells(start * cell, y, [(0, n) for n in range(length)], cell=cell, look=look)
            canvas.text((start + length / 2) * cell, 11, name, size=12)
        for n, letter in enumerate(letters):
            canvas.text((n + 0.5) * cell, y + cell / 2, letter, size=12)
        for n in asked:
            canvas.text((n + 0.5) * cell, y + cell + 12, "?", size=12)
        panels.append(canvas)
        told.append(f"In {''.join(letters)} the part {''.join(letters[first : first + length])} "
                    "comes twice.")  # fmt: skip
    return Picture("A part that comes twice", *panels).says(
        " ".join(told) + " Within the second copy the next letter can be known.",
        caption="At a question mark, the next letter can be known.",
    )


CUTS = {"": "nothing cut", "queries": "queries", "keys": "keys", "values": "values"}


def left_right() -> dict[str, float]:
    """Return the share of symbols that stay right for each cut, the mean over the record's runs."""
    record = results.load("circuits.json")
    return {cut: fmean(record.metric(f"two_layers.cut.{cut}" if cut else "two_layers.accuracy"))
            for cut in CUTS}  # fmt: skip


def three_cuts(*, shown: bool = True) -> Drawing:
    paths, xs = Canvas(PANEL, 214), (54.0, 164.0, 274.0)
    start = paths.box(6, 184, 316, 26, "embedding", size=12)
    first = paths.box(170, 126, 70, 28, "layer 0", look="second", size=12)
    paths.arrow((first.bottom[0], start.y), first.bottom)
    labels = "$W_Q$: queries", "$W_K$: keys", "$W_V$: values"
    readers = paths.boxes(xs, 48, 96, 28, labels, look="lit", size=12)
    last = paths.box(6, 4, 316, 24, "layer 1", look="lit", size=12)
    paths.arrows(xs, readers[0].y, last.bottom[1])
    for x, reader in zip(xs, readers, strict=True):
        paths.arrow((x - 18, start.y), (x - 18, reader.bottom[1]))
        paths.arrow(first.top, (first.top[0], 108), (x + 18, 108), (x + 18, reader.bottom[1]),
                    look="second")  # fmt: skip
        paths.box(x + 12, 86, 12, 12, "×", look="second", size=11)
    bars, shares = Canvas(PANEL, 214), left_right()
    bars.text(0, 12, "symbols right, by the path that is cut", size=12.5, anchor="start")
    for n, (cut, name) in enumerate(CUTS.items()):
        y = 42 + 42 * n
        bars.text(82, y + 11, name, size=12, anchor="end")
        if shown:
            bars.bar(92, y, 186 * shares[cut], 22, percent(shares[cut]))
        else:
            bars.text(104, y + 11, "?", size=12.5)
        bars.line((92, y - 4), (92, y + 26), look="quiet")
    if not shown:
        return Picture("Three paths from layer 0 to layer 1", paths, bars).says(
            "The queries, the keys and the values of layer 1 are each made from the embedding "
            "and from what layer 0 wrote. A cross marks the path that a cut removes: then this map "
            "gets the embedding alone. How many symbols stay right is open.",
            caption="A cut removes one of the crossed paths and leaves the rest.",
        )
    told = ", ".join(f"{CUTS[cut]} {percent(share)}" for cut, share in shares.items())
    return Picture("Only the keys need layer 0", paths, bars).says(
        f"Symbols still right, mean of five runs. {told}.",
        caption="The bars are means over five runs.",
    )


def noising_and_denoising() -> Drawing:
    panels = []
    for title, into, other, asks, shows in (
        ("noising: break one part", "clean", "corrupted", "Is the right answer lost?",
         "the part is needed"),
        ("denoising: repair one part", "corrupted", "clean", "Is the right answer back?",
         "the part is enough"),
    ):  # fmt: skip
        canvas, looks = Canvas(PANEL, 180), {"clean": "lit", "corrupted": "second"}
        canvas.text(0, 8, title, size=12.5, anchor="start")
        rows = []
        for number, run in enumerate((other, into)):
            y = 30 + 66 * number
            canvas.text(0, y + 13, run, size=12, anchor="start")
            look = [looks[other if number and part == 1 else run] for part in range(3)]
            words = ["", "patch" if number else "", ""]
            parts = canvas.boxes((96, 162, 228), y, 46, 26, words, look=look, size=12)
            canvas.chain(*parts)
            rows.append(parts)
        canvas.text(296, 43, "kept", size=12, look="quiet")
        source, target = rows[0][1], rows[1][1]
        canvas.arrow(source.bottom, target.top, look=looks[other])
        canvas.arrow(rows[1][2].right, (270, 109))
        canvas.text(300, 109, "answer", size=12)
        canvas.text(0, 148, asks, size=12.5, anchor="start")
        canvas.text(0, 168, f"If so, {shows}.", size=12.5, anchor="start")
        panels.append(canvas)
    return Picture("Two directions of a patch", *panels).says(
        "Noising puts a part of the corrupted run into the clean one and asks whether the right "
        "answer is lost: then the part was needed. Denoising puts a part of the clean run into the "
        "corrupted one and asks whether the right answer is back: then the part was enough.",
        caption="In blue what comes from the clean sentence, in orange from the corrupted one.",
    )


GATES = {"both parts are needed": min, "either part is enough": max}


def two_gates(*, shown: bool = True) -> Drawing:
    panels = []
    for name, gate in GATES.items():
        canvas = Canvas(PANEL, 176)
        canvas.text(0, 9, name, size=12.5, anchor="start")
        parts = [canvas.box(20, 32 + 38 * n, 60, 26, f"part {'AB'[n]}", look="lit", size=12)
                 for n in range(2)]  # fmt: skip
        joint = canvas.box(132, 48, 56, 30, "and" if gate is min else "or", size=12.5)
        for part, y in zip(parts, (56.0, 70.0), strict=True):
            canvas.arrow(part.right, (joint.x, y))
        canvas.arrow(joint.right, (236, 63))
        canvas.text(270, 63, "answer", size=12.5)
        lost = gate(1, 1) - gate(0, 1)  # break A while B works
        back = gate(1, 0) - gate(0, 0)  # repair A while B stays broken
        for y, what, answer in (
            (126, "break A alone: the answer is", ("not lost", "lost")[lost]),
            (156, "repair A alone: the answer is", ("not restored", "restored")[back]),
        ):
            canvas.text(0, y, what, size=12.5, anchor="start")
            found = "second" if shown and "not" not in answer else ""
            canvas.box(196, y - 13, 96, 26, answer if shown else "?", look=found, size=12.5)
        panels.append(canvas)
    if not shown:
        return Picture("Two parts, two tests, to fill in", *panels).says(
            "On the left the answer needs both parts, on the right either part is enough. "
            "What happens when one part is broken, and when one of two broken parts is repaired, "
            "is open."
        )
    return Picture("Each test misses one kind of circuit", *panels).says(
        "Where both parts are needed, breaking one loses the answer, and repairing one does "
        "not bring it back. Where either part is enough, breaking one does not lose the answer, "
        "and repairing one brings it back."
    )


def ten_parts() -> Drawing:
    canvas = Wide(360, 172)
    canvas.box(4, 22, 56, 146, "memory", look="second", size=12)
    for layer in range(2):
        y = 108.0 - 66 * layer
        heads = [canvas.box(78 + 43 * h, y, 38, 26, f"{layer}.{h}", look="lit", size=12)
                 for h in range(4)]  # fmt: skip
        mlp = canvas.box(264, y, 56, 26, f"MLP {layer}", look="lit", size=12)
        canvas.line((60, y + 13), (78, y + 13), look="second")
        canvas.text(78, y + 38, f"cross-attention, layer {layer}", size=11, anchor="start")
        stream = 340.0
        canvas.arrow((heads[-1].right[0], y + 20), (250, y + 20), (250, y + 42), (stream, y + 42))
        canvas.arrow((stream, y + 36), (mlp.center[0], y + 36), mlp.bottom)
        canvas.arrow((mlp.right[0], y + 13), (stream, y + 13))
    canvas.arrow((340, 166), (340, 26), look="lit")
    canvas.text(330, 12, "answer", size=12)
    return Picture("Ten parts between the memory and the answer", canvas).says(
        "The decoder has two layers. In each, four heads of cross-attention look at the "
        "memory and add to the stream, then an MLP does. Head 0.3 is head 3 of layer 0; all are "
        "counted from 0.",
        caption="Self-attention is left out.",
    )


PARTS = "embedding", "layer 0", "layer 1", "MLP"


def logit_of_parts() -> Drawing:
    wrote = np.array([[0.9, -0.3, 0.1, 0.2], [0.2, 0.4, -0.5, 0.1],
                      [-0.4, 1.6, 0.3, -1.1], [0.3, 0.5, -0.2, -0.4]])  # fmt: skip
    apart = np.array([-0.3, 1.4, 0.1, -1.0])  # one token's row of the output table less another's
    total = wrote.sum(axis=0)
    scale = (total - total.mean()).std()
    shares = (wrote - wrote.mean(axis=1, keepdims=True)) / scale @ apart
    canvas, cell, left = Wide(360, 206), 17, 74
    canvas.note(left + 2 * cell, 10, "wrote")
    canvas.note(262, 10, "share of the logit difference")
    for number, (name, row, share) in enumerate(zip(PARTS, wrote, shares, strict=True)):
        y = 24 + 34 * number
        canvas.text(0, y + 8, name, size=12, anchor="start")
        strong = shades(row[None], float(np.abs(total).max()))
        look = "lit" if share > 0 else "second"
        canvas.grid(left, y, np.minimum(strong, 1), cell=cell, look=look)
        canvas.arrow((left + 4 * cell, y + 8), (192, y + 8))
        _share(canvas, y, float(share))
    canvas.line((0, 162), (354, 162), look="quiet")
    canvas.text(0, 184, "stream", size=12, anchor="start")
    canvas.grid(left, 176, shades(total[None]), cell=cell, look="")
    canvas.arrow((left + 4 * cell, 184), (192, 184))
    _share(canvas, 176, float(shares.sum()))
    return Picture("What a logit is made of", canvas).says(
        "The stream is the sum of what the parts wrote. If every part is divided by the scale "
        "of the whole stream, the shares of the parts add up to the logit difference: "
        + " + ".join(signed(float(share), ".1f") for share in shares)
        + f" = {signed(float(shares.sum()), '.1f')}.",
        caption="In blue a part that raises the difference, in orange one that lowers it.",
    )


def _share(canvas: Canvas, y: float, share: float) -> None:
    zero, unit = 232.0, 24.0
    length = min(abs(share) * unit, 96)
    canvas.line((zero, y - 4), (zero, y + 20), look="quiet")
    if share >= 0:
        canvas.bar(zero, y + 1, length, 14, signed(share, ".1f"))
    else:
        canvas.box(zero - length, y + 1, length, 14, look="second")
        canvas.text(zero + 6, y + 8, signed(share, ".1f"), size=11, anchor="start")


HEADS = [f"cross_{layer}_head_{head}" for layer in range(2) for head in range(4)]
MLPS = ["feed_forward_0", "feed_forward_1"]
KINDS = {"subject": "the subject differs", "verb_tense": "the verb's tense differs"}


def restored(kind: str) -> Matrix:
    """Return what each part restores in three other trainings, [part, training], at least 0."""
    effects = results.load("circuits_translator.json").metric("patching.effect")
    table = [[effect[part][kind] for effect in effects] for part in (*HEADS, *MLPS)]
    return np.maximum(np.array(table), 0.0)


def three_trainings(*, shown: bool = True) -> Drawing:
    names = [*(f"head {layer}.{head}" for layer in range(2) for head in range(4)),
             "MLP 0", "MLP 1"]  # fmt: skip
    panels = []
    for kind, title in KINDS.items():
        canvas, values = Canvas(PANEL, 288), restored(kind)
        canvas.text(0, 9, title, size=12.5, anchor="start")
        written = [[percent(value) if shown else "?" for value in row] for row in values]
        table(canvas, 70, 44, values if shown else values * 0, cell=(82, 24), written=written,
              look="lit", rows=names, columns=("run 1", "run 2", "run 3"))  # fmt: skip
        panels.append(canvas)
    if not shown:
        return Picture("Three other trainings, to fill in", *panels).says(
            "Two tables of ten parts by three trainings, one where the subject differs and "
            "one where the tense of a verb differs. What each part restores is open."
        )
    subject, tense = restored("subject"), restored("verb_tense")
    best = ", ".join(percent(share) for share in tense[:8].max(axis=0))
    return Picture("What each part restores in three other trainings", *panels).says(
        f"For the subject each head of layer 1 restores {percent(subject[4:8].min())} to "
        f"{percent(subject[4:8].max())}, and no head of layer 0 more than "
        f"{percent(subject[:4].max())}. For the tense the strongest head, always in layer 1, "
        f"restores {best}, and no head of layer 0 more than {percent(tense[:4].max())}."
    )


layer_by_layer_open = left_open(layer_by_layer)
three_heads_open = left_open(three_heads)
three_cuts_open = left_open(three_cuts)
two_gates_open = left_open(two_gates)
three_trainings_open = left_open(three_trainings)
