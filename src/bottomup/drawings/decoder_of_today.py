"""Drawings of chapter 10b."""

import numpy as np

from bottomup.drawings import Box, Canvas, Drawing

HEIGHT = 400


def two_blocks() -> Drawing:
    """Draw a decoder's block as it was in 2017 beside that of today."""
    canvas = Canvas(360, HEIGHT)
    canvas.text(84, 10, "2017", size=13)
    canvas.text(272, 10, "today", size=13)
    _of_2017(canvas)
    _of_today(canvas)
    return Drawing(
        title="A decoder's block in 2017 and today",
        says="2017: sinusoids are added to the embedding; attention with as many keys as heads; "
        "LayerNorm on the stream, behind each addition; a feed-forward network with ReLU. Today: "
        "nothing is added to the embedding; RMSNorm in front of each sublayer; queries and keys "
        "are turned by their position; several heads share a key; a gated network, SwiGLU; one "
        "RMSNorm before the logits.",
        panels=(canvas,),
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


def turned_pairs() -> Drawing:
    """Draw a query and a key at two pairs of positions: the angle between them is the same."""
    canvas, step = Canvas(360, 132), 0.5
    radius = 62.0
    for number, (query_at, key_at) in enumerate(((3, 1), (5, 3))):
        cx, cy = 90 + 180 * number, 102
        canvas.text(cx, 10, f"query at {query_at}, key at {key_at}", size=12.5)
        for name, at, angle, look in (("q", query_at, 0.3, "lit"), ("k", key_at, 1.0, "second")):
            there = angle + at * step
            canvas.line((cx, cy), _on(cx, cy, radius, angle), look="quiet")
            canvas.arrow((cx, cy), _on(cx, cy, radius, there), look=look)
            canvas.text(*_on(cx, cy, radius + 12, there), f"${name}$", size=13)
    canvas.note(180, 122, "grey: before they are turned, half a radian per position")
    return Drawing(
        title="Two coordinates of a query and a key, turned",
        says="A query and a key, as vectors of two coordinates, are turned by half a radian per "
        "position. At positions 3 and 1 and at positions 5 and 3 they point elsewhere, and the "
        "angle between them is the same.",
        panels=(canvas,),
    )


def _on(cx: float, cy: float, radius: float, angle: float) -> tuple[float, float]:
    """Return a point of a circle; angles run against the clock."""
    return cx + radius * float(np.cos(angle)), cy - radius * float(np.sin(angle))


def shared_keys() -> Drawing:
    """Draw which of six heads reads which key: as many keys as heads, two groups, one."""
    panels = []
    for groups, name in ((6, "multi-head"), (2, "grouped"), (1, "multi-query")):
        canvas = Canvas(346, 96)
        canvas.text(0, 10, f"{name}: {groups} of 6", size=12.5, anchor="start")
        heads = [102.0 + 46 * h for h in range(6)]
        queries = canvas.boxes(heads, 24, 30, 18, [f"$q_{h}$" for h in range(6)], size=12)
        each = 6 // groups
        keys = [sum(heads[g * each : (g + 1) * each]) / each for g in range(groups)]
        shared = canvas.boxes(keys, 72, 34, 20, [f"$k_{g}$" for g in range(groups)],
                              look="lit", size=11.5)  # fmt: skip
        for h, query in enumerate(queries):
            canvas.line(query.bottom, shared[h // each].top, look="quiet")
        panels.append(canvas)
    return Drawing(
        title="Heads that share keys",
        says="With six groups every head has its key and value; with two, heads 0 to 2 share the "
        "first and heads 3 to 5 the second; with one all heads share it.",
        panels=tuple(panels),
    )


def window_and_sinks() -> Drawing:
    """Draw what each of ten positions may read: all before it, a window, a window with sinks."""
    n, cell = 10, 10.0
    place = np.arange(n)
    distance = place[:, None] - place
    canvas = Canvas(346, 140)
    for number, (name, seen) in enumerate((
        ("causal", distance >= 0),
        ("window of 4", (distance >= 0) & (distance < 4)),
        ("window, 1 sink", (distance >= 0) & ((distance < 4) | (place < 1))),
    )):  # fmt: skip
        x = 4 + 118 * number
        canvas.text(x + n * cell / 2, 12, name, size=12)
        rows = [[float(cell) if cell else None for cell in row] for row in seen]
        canvas.grid(x, 26, rows, cell=cell)
    canvas.note(173, 134, "rows: queries, columns: keys")
    return Drawing(
        title="A window, and a sink",
        says="A window of 4 lets each position read itself and the three before it. A sink is a "
        "first position that all others may read, too.",
        panels=(canvas,),
    )
