"""Drawings of chapter 10b."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np
import torch

from bottomup import blocks, results
from bottomup.attention import alibi_bias
from bottomup.drawings import Box, Canvas, Drawing, Picture, Wide, left_open
from bottomup.drawings.after_2017 import IT, SENTENCE
from bottomup.drawings.after_2017_memory import MEAT, XS
from bottomup.drawings.engine.numbers import signed
from bottomup.drawings.engine.tables import percent, table

HEIGHT = 400
WIDTH = 3  # of a window, in words
PLACES = 0, 10, 30  # where one sentence begins
RECORD = "decoder_of_today.json"
NAMES = {
    "rotary": "rotary", "alibi": "ALiBi", "none": "none", "sinusoidal": "sinusoids",
    "learned": "learned",
}  # fmt: skip
CHANGES = (
    ("positions", "added", "turned", "only distance\ncounts"),
    ("keys", "one a head", "shared", "smaller cache"),
    ("norm", "LayerNorm", "RMSNorm", "less to\ncompute"),
    ("network", "ReLU", "a gate", "lower perplexity\n(its paper)"),
    ("reach", "all words\nbefore", "a window", "a cache\nwith a limit"),
)


def changes(*, shown: bool = True) -> Drawing:
    canvas, left, wide, tall = Wide(360, 228), (0.0, 76.0, 162.0, 252.0), 84.0, 38.0
    for x, name in zip(left[1:], ("2017", "today", "what it buys"), strict=True):
        canvas.text(x + wide / 2 + (10 if x == left[3] else 0), 12, name, size=13)
    for row, (part, before, now, buys) in enumerate(CHANGES):
        y = 28 + 40.0 * row
        canvas.text(0, y + tall / 2, part, size=12, anchor="start")
        canvas.box(left[1], y, wide - 2, tall - 4, before, look="second", size=12)
        canvas.box(left[2], y, wide - 2, tall - 4, now, look="lit", size=12)
        if shown:
            canvas.box(left[3], y, 106, tall - 4, buys, size=12)
        else:
            canvas.box(left[3], y, 106, tall - 4, "?", look="quiet", size=14)
    if not shown:
        said = "; ".join(
            f"{part}, {before} before and {now} now" for part, before, now, _ in _told()
        )
        return Picture("Five changes since 2017", canvas).says(
            f"Five parts of a decoder, in 2017 and today: {said}. What each buys is open."
        )
    said = "; ".join(f"{part}, {now}: {buys}" for part, _, now, buys in _told())
    return Picture("Five changes since 2017, and what each buys", canvas).says(
        f"Five parts of a decoder of today, and what each change buys: {said}."
    )


def _told() -> list[tuple[str, ...]]:
    return [tuple(word.replace("\n", " ") for word in row) for row in CHANGES]


def two_blocks() -> Drawing:
    canvas = Wide(360, HEIGHT, scale=1.6)
    canvas.text(84, 10, "2017", size=13)
    canvas.text(272, 10, "today", size=13)
    _of_2017(canvas)
    _of_today(canvas)
    return Picture("A decoder's block in 2017 and today", canvas).says(
        "2017: sinusoids are added to the embedding; attention with as many keys as heads; "
        "LayerNorm on the stream, after each addition; a feed-forward network with ReLU. Today: "
        "nothing is added to the embedding; RMSNorm in front of each sublayer; queries and keys "
        "are turned by their position; several heads share a key; a gated network, SwiGLU; one "
        "RMSNorm before the logits.",
        caption="Blue: what took another's place. Orange: what it replaced.",
    )


def _of_2017(canvas: Canvas) -> None:
    x, middle, width = 36.0, 116.0, 96.0
    start = canvas.box(4, 366, 160, 28, "Embedding + sinusoids", look="second", size=12)
    attention = canvas.box(middle - width / 2, 284, width, 36, "Attention\na key per head",
                           look="second", size=12)  # fmt: skip
    first = canvas.beside(x, (start.y, 342, 268), attention, attention)
    norm = _norm(canvas, x, 234, "LayerNorm", "second")
    canvas.arrow(first.top, (x, norm.bottom[1]))
    network = canvas.box(middle - width / 2, 154, width, 36, "ReLU network\nbiases",
                         look="second", size=12)  # fmt: skip
    second = canvas.beside(x, (norm.y, 212, 138), network, network)
    last = _norm(canvas, x, 104, "LayerNorm", "second")
    canvas.arrow(second.top, (x, last.bottom[1]))
    logits = canvas.box(4, 36, 160, 28, "Logits", size=12)
    canvas.arrow((x, last.y), (x, logits.bottom[1]))


def _of_today(canvas: Canvas) -> None:
    x, middle, width = 200.0, 292.0, 122.0
    start = canvas.box(192, 366, 160, 28, "Embedding", size=12)
    attention = canvas.box(middle - width / 2, 268, width, 36, "Attention\nturned, k shared",
                           look="lit", size=12)  # fmt: skip
    into = canvas.box(middle - 40, 320, 80, 20, "RMSNorm", look="lit", size=12)
    canvas.arrow(into.top, attention.bottom)
    first = canvas.beside(x, (start.y, 354, 252), attention, into)
    network = canvas.box(middle - width / 2, 154, width, 36, "SwiGLU network\nno biases",
                         look="lit", size=12)  # fmt: skip
    between = canvas.box(middle - 40, 206, 80, 20, "RMSNorm", look="lit", size=12)
    canvas.arrow(between.top, network.bottom)
    second = canvas.beside(x, (first.y, 238, 138), network, between)
    last = canvas.box(x - 8, 92, 80, 20, "RMSNorm", look="lit", size=12)
    canvas.line(second.top, (x, last.bottom[1]))
    logits = canvas.box(192, 36, 160, 28, "Logits", size=12)
    canvas.arrow((x, last.y), (x, logits.bottom[1]))


def _norm(canvas: Canvas, x: float, y: float, name: str, look: str) -> Box:
    return canvas.box(x - 32, y, 80, 20, name, look=look, size=12)


def at_places() -> dict[str, list[float]]:
    """Return the score of *it* for *meat* where their sentence begins at each of `PLACES`."""
    q, k = torch.randn(2, 8, generator=torch.Generator().manual_seed(0)).double()
    P = blocks.sinusoidal_positions(40, 8, dtype=torch.float64)
    zero = torch.zeros(40, 8).double()
    turned_q, turned_k = (blocks.rotate_positions(zero + each) for each in (q, k))
    pairs = [(start + IT, start + MEAT) for start in PLACES]
    return {
        "added": [((q + P[i]) @ (k + P[j])).item() for i, j in pairs],
        "turned": [(turned_q[i] @ turned_k[j]).item() for i, j in pairs],
    }


def _three_places(shown: Sequence[str], asked: Sequence[str]) -> Canvas:
    canvas, found = Wide(360, 172), at_places()
    columns = dict(zip((*shown, *asked), (262.0, 326.0), strict=False))
    canvas.text(72, 12, "words and places", size=12.5)
    for name, x in columns.items():
        canvas.text(x, 12, name, size=12.5)
    for row, start in enumerate(PLACES):
        y = 34 + 46.0 * row
        for place in range(MEAT, IT + 1):
            look = {IT: "lit", MEAT: "second"}.get(place, "")
            x = 36 + 66.0 * (place - MEAT)
            canvas.box(x - 30, y, 60, 22, SENTENCE[place], look=look, size=12)
            canvas.note(x, y + 31, f"{start + place}")
        for name, x in columns.items():
            value = signed(found[name][row], ".2f") if name in shown else "?"
            canvas.text(x, y + 11, value, size=14)
    return canvas


def three_places_open() -> Drawing:
    return Picture("One pair of words at three places", _three_places((), ("added",))).says(
        "Meat and it are two words apart, at the places 4 and 6, 14 and 16, 34 and 36. Their "
        "scores with positions added are open."
    )


def three_places_added() -> Drawing:
    said = ", ".join(f"{value:.2f}" for value in at_places()["added"])
    return Picture(
        "One pair of words at three places: positions added", _three_places(("added",), ())
    ).says(f"With positions added, the scores of it for meat at three places are {said}.")


def three_places() -> Drawing:
    found = at_places()
    said = "; ".join(
        f"{name} " + ", ".join(f"{value:.2f}" for value in values) for name, values in found.items()
    )
    return Picture(
        "One pair of words at three places: added and turned",
        _three_places(("added", "turned"), ()),
    ).says(f"The scores of it for meat at three places, with positions {said}.")


def turned_pairs(*, shown: bool = True) -> Drawing:
    canvas, step, radius = Wide(360, 146), 0.5, 62.0
    for number, (query_at, key_at) in enumerate(((IT, MEAT), (10 + IT, 10 + MEAT))):
        cx, cy = 90 + 180 * number, 98
        canvas.text(cx, 10, f"it at {query_at}, meat at {key_at}", size=12.5)
        for name, at, angle, look in (("q", query_at, 0.3, "lit"), ("k", key_at, 1.0, "second")):
            canvas.line((cx, cy), _on(cx, cy, radius, angle), look="quiet")
            there = angle + at * step
            if number == 0 or shown:
                canvas.arrow((cx, cy), _on(cx, cy, radius, there), look=look)
                canvas.text(*_on(cx, cy, radius + 13, there), f"${name}$", size=13)
        if number and not shown:
            canvas.text(cx - 30, cy, "?", size=16)
    canvas.note(180, 136, "grey: before they are turned")
    if not shown:
        return Picture(
            "Two coordinates of a query and a key, turned: once to fill in", canvas
        ).says(
            "A query and a key, as vectors of two coordinates, are turned by half a radian "
            "for each place. They are drawn at the places 6 and 4; at the places 16 and 14 they "
            "are open."
        )
    return Picture("Two coordinates of a query and a key, turned", canvas).says(
        "A query and a key, as vectors of two coordinates, are turned by half a radian for "
        "each place. At the places 6 and 4, and at 16 and 14, they point elsewhere, and the angle "
        "between them is the same."
    )


def _on(cx: float, cy: float, radius: float, angle: float) -> tuple[float, float]:
    """Return a point of a circle; angles run against the clock."""
    return cx + radius * float(np.cos(angle)), cy - radius * float(np.sin(angle))


def two_orders() -> Drawing:
    canvas, d = Wide(360, 122), 8
    looks = "lit", "second", "", "quiet"
    for row, (name, pairs) in enumerate((
        ("neighbours", [m // 2 for m in range(d)]),
        ("halves", [m % (d // 2) for m in range(d)]),
    )):  # fmt: skip
        y = 30 + 40.0 * row
        canvas.text(74, y + 12, name, size=12, anchor="end")
        for m, pair in enumerate(pairs):
            canvas.box(84 + 34.0 * m, y, 30, 24, "abcd"[pair], look=looks[pair], size=13)
    canvas.row([99 + 34.0 * m for m in range(d)], 16, [f"{m}" for m in range(d)], size=11)
    canvas.note(0, 16, "coordinate", anchor="start")
    canvas.note(219, 112, "the same letter: turned together")
    return Picture("Two orders of the pairs", canvas).says(
        "Of eight coordinates either neighbours turn together, 0 with 1 and 2 with 3, or "
        "those half a vector apart, 0 with 4 and 1 with 5."
    )


def lowered_weights() -> dict[int, list[float]]:
    """Return where *it* looks by the biases alone, for some of eight heads."""
    rows: list[list[float]] = alibi_bias(8, IT + 1)[:, -1].softmax(dim=-1).tolist()
    return {head: rows[head - 1] for head in (1, 2, 4, 8)}


def lowered(*, shown: bool = True) -> Drawing:
    canvas, rows = Wide(360, 158), lowered_weights()
    wide, tall, left = 43.0, 26.0, 56.0
    canvas.row([left + wide * (j + 0.5) for j in range(IT + 1)], 24, SENTENCE[: IT + 1], size=11)
    written = [[percent(value) if shown else "?" for value in row] for row in rows.values()]
    values = [[min(2 * value, 1.0) * shown for value in row] for row in rows.values()]
    table(canvas, left, 36, values, cell=(wide, tall), written=written, look="lit")
    for row, head in enumerate(rows):
        canvas.text(left - 8, 36 + tall * (row + 0.5), f"head {head}", size=12, anchor="end")
    canvas.note(left + 3.5 * wide, 150, "of eight heads; head 1 has the steepest slope")
    if not shown:
        return Picture(
            "Where four heads look, if only the distance counts: to fill in", canvas
        ).says(
            "Four heads with slopes from steep to flat, and the seven words from the to it. "
            "The weights are open."
        )
    return Picture("Where four heads look, if only the distance counts", canvas).says(
        "Each head looks most at it, the word itself: "
        + ", ".join(percent(row[-1]) for row in rows.values())
        + ", from the steepest to the flattest slope. Weights fall with the distance."
    )


def shared_keys() -> Drawing:
    canvas = Wide(346, 268, scale=1.8)
    for number, (groups, name) in enumerate(
        ((6, "multi-head"), (2, "grouped"), (1, "multi-query"))
    ):
        top = 90.0 * number
        canvas.text(0, top + 34, name, size=12.5, anchor="start")
        canvas.text(0, top + 52, f"{groups} of 6", size=12, anchor="start")
        heads = [102.0 + 46 * h for h in range(6)]
        queries = canvas.boxes(heads, top + 8, 30, 20, [f"$q_{h}$" for h in range(6)], size=12)
        each = 6 // groups
        keys = [sum(heads[g * each : (g + 1) * each]) / each for g in range(groups)]
        shared = canvas.boxes(keys, top + 58, 34, 20, [f"$k_{g}$" for g in range(groups)],
                              look="lit", size=11.5)  # fmt: skip
        for h, query in enumerate(queries):
            canvas.line(query.bottom, shared[h // each].top, look="quiet")
    return Picture("Heads that share keys", canvas).says(
        "With six groups every head has its key and value; with two, heads 0 to 2 share the "
        "first and heads 3 to 5 the second; with one all heads share it."
    )


def copied(heads: int = 6, groups: int = 2) -> dict[str, list[int]]:
    """Return the group that each head gets by two ways to copy."""
    number = torch.arange(groups)
    return {
        "each three times": number.repeat_interleave(heads // groups).tolist(),
        "all three times": number.repeat(heads // groups).tolist(),
    }


def two_copies(*, shown: bool = True) -> Drawing:
    canvas, left, wide = Wide(360, 126), 118.0, 40.0
    xs = [left + wide * (h + 0.5) for h in range(6)]
    canvas.text(left - 12, 14, "head", size=12, anchor="end")
    canvas.row(xs, 14, [f"{h}" for h in range(6)], size=12)
    ways = copied()
    groups, other = ways.values()
    for row, (name, got) in enumerate(ways.items()):
        y = 30 + 50.0 * row
        canvas.text(left - 12, y + 12, name, size=12, anchor="end")
        for x, own, group in zip(xs, groups, got, strict=True):
            right = own == group
            look = ("lit" if right else "second") if shown else ""
            canvas.box(x - 17, y, 34, 24, f"$k_{group}$", look=look, size=12)
            sign = "?" if not shown else "=" if right else "\N{NOT EQUAL TO}"
            canvas.text(x, y + 33, sign, size=12)
    if not shown:
        return Picture("Two ways to copy two keys for six heads", canvas).says(
            "One way gives the keys 0 0 0 1 1 1, the other 0 1 0 1 0 1. Which heads get the "
            "key of their group is open."
        )
    wrong = [h for h, (a, b) in enumerate(zip(groups, other, strict=True)) if a != b]
    return Picture("Two ways to copy two keys for six heads: which heads get theirs", canvas).says(
        "Each key three times in a row is right for all heads. All keys three times is wrong "
        f"for the heads {' and '.join(map(str, wrong))}."
    )


def normed() -> dict[str, list[list[float]]]:
    """Return a vector and the same plus one, and what two norms make of both."""
    x, one = torch.tensor([2.0, 0.0, -1.0, -1.0]).double(), torch.ones(4).double()
    both = [x, x + 1]
    return {
        "vector": [each.tolist() for each in both],
        "LayerNorm": [blocks.layer_norm(each, one, 0 * one).tolist() for each in both],
        "RMSNorm": [blocks.rms_norm(each, one).tolist() for each in both],
    }


def shifted(*, shown: bool = True) -> Drawing:
    canvas, wide, tall = Wide(360, 142), 33.0, 26.0
    canvas.text(76 + 2 * wide, 12, "$x$", size=13)
    canvas.text(222 + 2 * wide, 12, "$x + 1$", size=13)
    found = normed()
    for row, (name, both) in enumerate(found.items()):
        y = 28 + 38.0 * row
        canvas.text(68, y + tall / 2, name, size=12, anchor="end")
        for part, values in enumerate(both):
            for j, value in enumerate(values):
                asked = part == 1 and row and not shown
                words = "?" if asked else signed(value + 0.0, ".1f" if row else ".0f")
                look = "" if row == 0 else ("quiet" if asked else "lit" if row == 2 else "second")
                x = 76 + 146.0 * part + wide * j
                canvas.box(x, y, wide - 2, tall, words, look=look, size=12)
    if not shown:
        return Picture("Two norms, and a vector plus one: to fill in", canvas).says(
            "The vector 2, 0, minus 1, minus 1 has mean 0. LayerNorm and RMSNorm make the "
            "same of it. What they make of the vector with 1 added to each number is open."
        )
    now = ", ".join(f"{value:.1f}" for value in found["RMSNorm"][1])
    return Picture("Two norms, and a vector plus one", canvas).says(
        "With 1 added to each number, LayerNorm gives the same as before. RMSNorm gives "
        f"{now}.".replace("-", "minus ")
    )


def gate(*, shown: bool = True) -> Drawing:
    canvas, d = Wide(360, 160), 64
    plain, gated = 4 * d, round(8 * d / 3)
    for x, title, maps, neurons, look in (
        (88.0, "ReLU", ("W_in", "W_out"), f"{plain}", "second"),
        (270.0, "a gate", ("W_gate", "W_in", "W_out"), f"{gated}" if shown else "?", "lit"),
    ):
        canvas.text(x, 10, title, size=12.5)
        part = gated / plain if shown else 0.6
        tall = 100.0 * (part if look == "lit" else 1.0)
        for number, name in enumerate(maps):
            left = x - 29 * len(maps) + 58.0 * number
            canvas.box(left + 2, 78 - tall / 2, 54, tall, look=look)
            canvas.text(left + 29, 78, name.replace("_", " "), size=11)
        canvas.text(x, 146, f"neurons: {neurons}", size=13)
    if not shown:
        return Picture("Two matrices or three: how many neurons?", canvas).says(
            "A ReLU network of 256 neurons has two matrices. A gated network has three. How "
            "many neurons make it as large is open."
        )
    return Picture("Two matrices, or three smaller ones", canvas).says(
        "Two matrices of a ReLU network with 256 neurons are as large as three of a gated "
        f"network with {round(8 * 64 / 3)}."
    )


def window_and_sinks() -> Drawing:
    n, cell, left = len(SENTENCE), 15.0, 54.0
    place = np.arange(n)
    distance = place[:, None] - place
    near = (distance >= 0) & (distance < WIDTH)
    canvas = Wide(360, 186)
    for i, word in enumerate(SENTENCE):
        canvas.text(left - 6, 26 + cell * (i + 0.5), word, size=11, anchor="end")
    for number, (name, seen) in enumerate((
        (f"a window of {WIDTH}", near),
        ("and a sink", near | ((place < 1) & (distance >= 0))),
    )):  # fmt: skip
        x = left + 160 * number
        canvas.text(x + n * cell / 2, 12, name, size=12.5)
        rows = [[float(one) if one else None for one in row] for row in seen]
        canvas.grid(x, 26, rows, cell=cell)
    canvas.note(200, 176, "rows look at columns, in the same order")
    return Picture("A window, and a sink", canvas).says(
        f"A window of {WIDTH} lets each word look at itself and the {WIDTH - 1} before it. A "
        "sink is a first word at which all others may look, too."
    )


def reached(layers: int = 4) -> list[list[int]]:
    """Return the words on which the last one depends: by one layer, by two, and so on."""
    last = len(SENTENCE) - 1
    states, found = {last}, []
    for _ in range(layers):
        states = {j for i in states for j in range(max(0, i - WIDTH + 1), i + 1)}
        found.append(sorted(states))
    return found


def reach(*, shown: bool = True) -> Drawing:
    canvas, layers = Wide(360, 206), reached()
    last = len(SENTENCE) - 1
    states = [[last], *layers]
    for level, seen in enumerate(states):
        y, open_ = 16 + 40.0 * level, level > 1 and not shown
        for place, x in enumerate(XS):
            look = "lit" if place in seen and not open_ else "quiet"
            canvas.box(x - 7, y - 7, 14, 14, look=look)
        for place in seen if level < len(layers) and (level == 0 or shown) else ():
            for key in range(max(0, place - WIDTH + 1), place + 1):
                canvas.line((XS[place], y + 8), (XS[key], y + 32), look="lit")
        if open_:
            canvas.text(XS[2], y, "?", size=14)
    canvas.row(XS, 196, SENTENCE, size=11)
    if not shown:
        return Picture(f"Four layers, a window of {WIDTH}: how far back?", canvas).says(
            f"In the last of four layers, hungry looks at itself and the {WIDTH - 1} words "
            "before. How far the layers below reach is open."
        )
    said = ", ".join(str(len(seen)) for seen in layers)
    return Picture(f"Four layers, a window of {WIDTH}", canvas).says(
        f"Through one to four layers, hungry depends on {said} words."
    )


def said_twice() -> Drawing:
    canvas, parts = Wide(360, 92), ("abcde", "gbhad")
    xs, text, x = [], "", 14.0
    for part in parts:
        for again in range(2):
            for letter in part[: 3 if again and part == parts[-1] else None]:
                known = again and letter != part[0]
                canvas.box(x - 8, 34, 16, 22, look="lit" if known else "")
                canvas.text(x, 45, letter, size=12)
                xs.append(x)
                text += letter
                x += 18.0
            x += 3
    canvas.text(xs[-1] + 18, 45, "?", size=14)
    before = text.rindex(text[-1], 0, len(text) - 1)
    canvas.line((xs[-1], 32), (xs[-1], 22), (xs[before], 22), look="second")
    canvas.arrow((xs[before], 22), (xs[before], 33), look="second")
    canvas.note(180, 10, "the last symbol, a few places ago")
    canvas.note(180, 80, "blue: can be known")
    return Picture("Each part is said twice", canvas).says(
        f"Parts of five symbols, each said twice: {' '.join(text)}, and then a question mark. "
        f"The last symbol, {text[-1]}, came a few places before, followed by {text[before + 1]}."
    )


def shares(reading: str) -> dict[str, list[float]]:
    """Return for each way to give positions which share was right, stretch by stretch."""
    record = results.load(RECORD)
    ends = record.config["stretches"]
    return {
        name: [fmean(record.metric(f"{kind}.{reading}.to_{end:03}")) for end in ends]
        for kind, name in NAMES.items()
    }


def stretches() -> list[str]:
    """Return the names of the stretches of positions."""
    ends = results.load(RECORD).config["stretches"]
    starts = [1, *(end + 1 for end in ends[:-1])]
    return [f"{a}\N{EN DASH}{b}" for a, b in zip(starts, ends, strict=True)]


def _by_stretch(
    canvas: Canvas, y: float, rows: dict[str, list[float]], *, open_: Sequence[str] = (),
    first: bool = False,
) -> None:  # fmt: skip
    """Draw a table of shares; those of `open_` are open, the first one excepted where asked."""
    left, wide, tall = 84.0, 66.0, 26.0
    canvas.row([left + wide * (j + 0.5) for j in range(4)], y - 12, stretches(), size=11)
    for i, (name, values) in enumerate(rows.items()):
        hidden = [name in open_ and not (first and j == 0) for j in range(4)]
        canvas.text(left - 8, y + tall * (i + 0.5), name, size=12, anchor="end")
        table(canvas, left, y + tall * i,
              [[0.0 if away else value for away, value in zip(hidden, values, strict=True)]],
              cell=(wide, tall), look="lit",
              written=[["?" if away else percent(value)
                        for away, value in zip(hidden, values, strict=True)]])  # fmt: skip


def _length() -> int:
    return int(results.load(RECORD).config["length"])


def at_length(*, shown: bool = True) -> Drawing:
    canvas = Wide(360, 100)
    every, near = (shares(reading)["rotary"] for reading in ("whole", "window"))
    rows = {"all in reach": every, f"last {_length()}": near}
    _by_stretch(canvas, 36, rows, open_=() if shown else tuple(rows), first=True)
    if not shown:
        return Picture(f"Trained on {_length()} positions: what is right beyond?", canvas).says(
            f"Rotary positions, trained on {_length()} positions. Within them "
            f"{percent(every[0])} of the symbols are right. In three later "
            "stretches it is open, with all symbols in reach and with the last 32."
        )
    said, then = (", ".join(map(percent, row)) for row in rows.values())
    return Picture(f"Trained on {_length()} positions, asked up to 256", canvas).says(
        f"Symbols right in four stretches: {said} with all symbols in reach; {then} with the "
        f"last {_length()}.",
        caption="Share of symbols named correctly, by position; mean of five networks.",
    )


def five_ways(*, shown: bool = True) -> Drawing:
    panels = []
    for name, reading in (
        ("all symbols in reach", "whole"),
        (f"the last {_length()} symbols", "window"),
    ):
        canvas = Wide(360, 190)
        canvas.text(84 + 132, 10, name, size=12.5)
        open_ = () if shown or reading == "whole" else tuple(NAMES.values())
        _by_stretch(canvas, 46, shares(reading), open_=open_)
        panels.append(canvas)
    if not shown:
        last = ", ".join(f"{name} {percent(row[-1])}" for name, row in shares("whole").items())
        return Picture("Five ways to give positions, all symbols in reach", *panels).says(
            f"Symbols right at the positions 129 to 256, with all symbols in reach: {last}. "
            "With the last 32 it is open."
        )
    last = ", ".join(f"{name} {percent(row[-1])}" for name, row in shares("window").items())
    return Picture("Five ways to give positions", *panels).says(
        f"Symbols right at the positions 129 to 256, with the last 32 in reach: {last}.",
        caption="Share of symbols named correctly, by position; mean of five networks.",
    )


changes_open = left_open(changes)
turned_pairs_open = left_open(turned_pairs)
lowered_open = left_open(lowered)
two_copies_open = left_open(two_copies)
shifted_open = left_open(shifted)
gate_open = left_open(gate)
reach_open = left_open(reach)
at_length_open = left_open(at_length)
five_ways_open = left_open(five_ways)
