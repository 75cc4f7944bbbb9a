"""Drawings of chapter 07."""

import math
import random
from collections.abc import Callable

from bottomup.drawings import Canvas, Drawing
from bottomup.explorables import Explorable

Reads = Callable[[int, int], bool]  # of a query and a key that is not later


def _pattern(
    canvas: Canvas, x: float, y: float, n: int, cell: float,
    lit: Reads, second: Reads = lambda i, j: False, axes: bool = True,
) -> None:  # fmt: skip
    """Draw which keys each query reads; what both sets have is drawn as the second's."""
    earlier = [(i, j) for i in range(n) for j in range(i + 1)]
    later = [(i, j) for i in range(n) for j in range(i + 1, n)]
    canvas.cells(x, y, later, cell=cell, part=None)
    both = [place for place in earlier if second(*place)]
    first = [place for place in earlier if lit(*place) and not second(*place)]
    neither = [place for place in earlier if not lit(*place) and not second(*place)]
    for places, look, part in ((neither, "", 0.0), (first, "lit", 1.0), (both, "second", 1.0)):
        if places:
            canvas.cells(x, y, places, cell=cell, look=look, part=part)
    if axes:
        canvas.text(x + n * cell / 2, y - 8, "key", size=11, look="quiet")
        canvas.text(x - 5, y + n * cell / 2, "query", size=11, look="quiet", anchor="end")


def _window(stride: int) -> Reads:
    return lambda i, j: i - j < stride


def _column(stride: int) -> Reads:
    return lambda i, j: (i - j) % stride == 0


def _block(size: int) -> Reads:
    return lambda i, j: i // size == j // size


def _summary(size: int, count: int = 1) -> Reads:
    return lambda i, j: j % size >= size - count


def _but(reads: Reads, without: Reads) -> Reads:
    return lambda i, j: reads(i, j) and not without(i, j)


def a_mask_saves_nothing() -> Drawing:
    """Draw the scores that a masked product computes, and those of a product in tiles."""
    n, width, cell = 16, 4, 10.0
    window = _window(width)
    masked, tiled = Canvas(166, 198), Canvas(166, 198)
    read = sum(window(i, j) for i in range(n) for j in range(i + 1))
    tiles = {(i, j) for i in range(n) for j in range(n)
             if i // width - j // width in (0, 1)}  # fmt: skip
    for canvas, title, computed in (
        (masked, "under a mask", {(i, j) for i in range(n) for j in range(n)}),
        (tiled, "in tiles", tiles),
    ):
        canvas.text(83, 9, title)
        read_here = [(i, j) for i, j in sorted(computed) if 0 <= i - j < width]
        thrown = sorted(computed - set(read_here))
        rest = [(i, j) for i in range(n) for j in range(n) if (i, j) not in computed]
        canvas.cells(3, 22, rest, cell=cell, part=None)
        canvas.cells(3, 22, thrown, cell=cell, look="second", part=0.9)
        canvas.cells(3, 22, read_here, cell=cell, part=0.9)
        canvas.text(83, 191, f"{len(computed)} computed, {read} read", size=12)
    return Drawing(
        title="A mask saves nothing",
        says=f"A window of {width} over {n} positions reads {read} scores. Under a mask all "
        f"{n * n} are computed; {len(tiles)} are if each {width} queries meet the keys of their "
        "own tile and of the one before.",
        panels=(masked, tiled),
        caption="Blue: computed and read. Orange: computed and thrown away. Grey: not computed. "
        "Rows are queries, columns keys.",
    )


def two_hops() -> Explorable:
    """Draw how position 7 reaches everything from 0 to 7 in two steps."""
    says = [
        "Step 2 is the upper row of arrows: position 7 reads its column, positions 1, 4 and 7.",
        "Step 1 is the lower row: each of the three stops has read its own window before.",
        "The path (2, 4, 7): in step 1 position 4 reads position 2, in step 2 position 7 reads "
        "position 4. Three locations, two hops.",
    ]
    panels = tuple(_hops(9, 7, _window(3), _column(3), step) for step in range(3))
    return Drawing(
        title="Two hops to everything",
        says="Position 7 reads three stops, which have read two, three and three positions, "
        "so that 7 reaches 0 to 7, each on one path.",
        panels=panels,
    ).in_steps(says)


def _hops(
    n: int, query: int, first: Reads, second: Reads, step: int = 1, stream: bool = False
) -> Canvas:
    """Draw what `query` reads in the second step, and what that has read in the first."""
    canvas, apart, levels = Canvas(352, 206), 270 / (n - 1), (166, 98, 30)
    xs = [74 + apart * j for j in range(n)]
    stops = [j for j in range(query + 1) if second(query, j)]
    reached = {j for stop in stops for j in range(stop + 1) if first(stop, j)}
    for level, words in zip(levels, ("before", "after\nstep 1", "after\nstep 2"), strict=True):
        canvas.text(4, level, words, size=11, anchor="start", look="quiet")
    path = (4, 2) if step == 2 else None  # the stop, and where the path begins
    for stop in stops:
        for j in range(stop + 1):
            if first(stop, j) and step:
                look = "lit" if path in (None, (stop, j)) else "quiet"
                canvas.arrow((xs[j], levels[0] - 9), (xs[stop], levels[1] + 9), look=look)
        look = "second" if path is None or path[0] == stop else "quiet"
        canvas.arrow((xs[stop], levels[1] - 9), (xs[query], levels[2] + 9), look=look)
    if stream:
        for j in range(query + 1):
            if first(query, j):
                canvas.arrow((xs[j], levels[0] - 9), (xs[query], levels[1] + 9), look="quiet")
        canvas.arrow((xs[query], levels[1] - 9), (xs[query], levels[2] + 9), look="quiet")
    for j, x in enumerate(xs):
        for number, level in enumerate(levels):
            look = ""
            if number == 0 and step and (j in reached if path is None else j == path[1]):
                look = "lit"
            if number == 1 and (j in stops if path is None else j == path[0]):
                look = "second"
            if number == 2 and j == query:
                look = "second"
            canvas.box(x - 9, level - 9, 18, 18, look=look or "quiet")
            canvas.text(x, level, str(j), size=11, look="" if look else "quiet")
    canvas.text(209, 196, "position", size=11, look="quiet")
    return canvas


def factors() -> Drawing:
    """Draw the two boolean factors of strided attention and their product."""
    n, stride, cell = 9, 3, 10.0
    canvas = Canvas(352, 132)
    window, column = _window(stride), _column(stride)
    paths: list[list[float | None]] = [
        [None if j > i else float(sum(column(i, k) and window(k, j) for k in range(j, i + 1)))
         for j in range(n)] for i in range(n)
    ]  # fmt: skip
    second, first = (
        sum(reads(i, j) for i in range(n) for j in range(i + 1)) for reads in (column, window)
    )
    places = 6.0, 131.0, 256.0
    for x, words in zip(places, ("step 2: column", "step 1: window", "product"), strict=True):
        canvas.text(x + 45, 9, words, size=12)
    _pattern(canvas, places[0], 22, n, cell, lambda i, j: False, column, axes=False)
    _pattern(canvas, places[1], 22, n, cell, window, axes=False)
    _pattern(canvas, places[2], 22, n, cell, lambda i, j: paths[i][j] == 1, axes=False)
    canvas.text(113.5, 67, "·", size=20)
    canvas.text(238.5, 67, "=", size=16)
    ones = sum(value == 1 for row in paths for value in row)
    for x, words in zip(places, (f"{second} ones", f"{first} ones", f"{ones} ones"), strict=True):
        canvas.text(x + 45, 124, words, size=12)
    return Drawing(
        title="Two factors of the triangle",
        says=f"A matrix with {second} ones for the columns, times one with {first} ones for the "
        f"windows, is the full lower triangle with {ones} ones.",
        panels=(canvas,),
        caption="Rows are queries, columns keys. Every blue cell of the product is a 1: exactly "
        "one stop joins the query and the key.",
    )


def fixed_hops() -> Drawing:
    """Draw what position 10 reaches with own block first and summaries second."""
    return Drawing(
        title="Fixed attention in two steps",
        says="Position 10 reads the summaries 3 and 7, which have read their blocks: 0 to 7. What "
        "its own block gave it, 8 to 10, lies at position 10 after step 1, which step 2 does not "
        "read. The residual stream keeps it.",
        panels=(_hops(12, 10, _block(4), _summary(4), stream=True),),
        caption="Blocks of 4, one summary. Orange: step 2. Blue: step 1 of the two summaries. "
        "Dashed arrows: step 1 of position 10, and the stream that carries it on.",
    )


def cut_into_products() -> Drawing:
    """Draw block, column and window as dense products: what is read, and what is computed."""
    n, size, cell = 16, 4, 6.4
    canvas, says = Canvas(358, 190), []
    order = sorted(range(n), key=lambda j: (j % size, j))
    shapes: list[tuple[str, list[int], Reads, Reads]] = [
        ("block", list(range(n)), _block(size), _block(size)),
        ("column", order, _column(size), _column(size)),
        ("window", list(range(n)), _window(size), lambda i, j: i // size - j // size in (0, 1)),
    ]
    for number, (name, places, reads, tile) in enumerate(shapes):
        before = size if name == "window" else 0  # places in front of the first, filled with zeros
        x = 4 + 115 * number
        middle = x + (n + before) * cell / 2
        canvas.text(middle, 9, name)
        kinds: dict[str, list[tuple[int, int]]] = {"lit": [], "second": [], "rest": []}
        for row, i in enumerate(places):
            for at, j in [*enumerate(range(-before, 0)), *enumerate(places, start=before)]:
                own = 0 <= j <= i and reads(i, j)
                kind = "lit" if own else "second" if tile(i, j) else "rest"
                if kind != "rest" or j >= 0:
                    kinds[kind].append((row, at))
        canvas.cells(x, 24, kinds.pop("rest"), cell=cell, part=None)
        for look, cells in kinds.items():
            canvas.cells(x, 24, cells, cell=cell, look=look, part=0.9)
        read = len(kinds["lit"])
        computed = read + len(kinds["second"])
        canvas.text(middle, 144, f"{computed} computed", size=11.5)
        canvas.text(middle, 160, f"{read} read", size=11.5)
        says.append(f"{name} {computed} for {read}")
    canvas.text(179, 182, "positions of the columns in the order 0 4 8 12, 1 5 9 13, …", size=11,
                look="quiet")  # fmt: skip
    return Drawing(
        title="Three sets as dense products",
        says=f"Scores computed for those read, of {n * n}: {', '.join(says)}. The positions of a "
        "column are first brought side by side.",
        panels=(canvas,),
        caption="Blue: computed and read. Orange: computed and thrown away. Grey: not computed.",
    )


def counted_cells() -> Drawing:
    """Draw the scores that three causal patterns need at 16 positions."""
    n, size, cell = 16, 4, 9.0
    panels, counts = [], []
    unions: list[tuple[str, Reads, Reads]] = [
        ("dense", lambda i, j: True, lambda i, j: False),
        ("strided", _window(size), _column(size)),
        ("fixed", _block(size), _summary(size)),
    ]
    for name, first, second in unions:
        canvas = Canvas(166, 184)
        canvas.text(84, 9, name)
        _pattern(canvas, 12, 22, n, cell, first,
                 _but(second, first), axes=False)  # fmt: skip
        counts.append(sum(first(i, j) or second(i, j) for i in range(n) for j in range(i + 1)))
        canvas.text(84, 177, f"{counts[-1]} scores")
        panels.append(canvas)
    return Drawing(
        title="Counted at 16 positions",
        says=f"Of {counts[0]} pairs, strided attention with stride 4 needs {counts[1]} and fixed "
        f"attention with blocks of 4 and one summary {counts[2]}.",
        panels=tuple(panels),
        caption="Blue: the first set. Orange: what the second set adds. Rows are queries.",
    )


def layers_heads_union() -> Drawing:
    """Draw three ways to use two sets: in turn by layer, side by side in heads, as a union."""
    n, size, cell = 9, 3, 7.5
    side = n * cell
    canvas = Canvas(352, 214)
    window, column = _window(size), _column(size)
    nothing: Reads = lambda i, j: False  # noqa: E731
    for middle, name in ((58, "layers"), (176, "heads"), (294, "union")):
        canvas.text(middle, 9, name)
    _pattern(canvas, 58 - side / 2, 120, n, cell, window, axes=False)
    _pattern(canvas, 58 - side / 2, 28, n, cell, nothing, column, axes=False)
    canvas.arrow((58, 120), (58, 28 + side))
    canvas.arrow((58, 206), (58, 120 + side))
    for x, first, second in ((136, window, nothing), (216, nothing, column)):
        _pattern(canvas, x - side / 2, 74, n, cell, first, second, axes=False)
        canvas.arrow((176, 206), (x, 74 + side))
        canvas.arrow((x, 74), (176, 30))
    _pattern(canvas, 294 - side / 2, 74, n, cell, window, column, axes=False)
    canvas.arrow((294, 206), (294, 74 + side))
    canvas.arrow((294, 74), (294, 30))
    return Drawing(
        title="Three ways to use two sets",
        says="In turn: one layer reads the window, the next the column. In heads: some read the "
        "window, others the column, in one layer. As a union: every head reads both sets with one "
        "softmax.",
        panels=(canvas,),
        caption="Blue: the window. Orange: the column. Both hold the diagonal. Data flows up.",
    )


SCORES = [[1.2, 0.4, 2.0], [1.6, 0.8]]  # of one query with the keys of A and of B


def merge() -> Explorable:
    """Draw how two softmaxes become one: by their shares of the common denominator."""
    sums = [sum(math.exp(s) for s in part) for part in SCORES]
    logs = [math.log(total) for total in sums]
    shares = [total / sum(sums) for total in sums]
    says = [
        "Exponentials of the scores of one query: three keys in A, two in B. Their sums are "
        f"{sums[0]:.1f} and {sums[1]:.1f}.",
        f"Each part divides by its own sum and sums to one. It hands out the logarithm, "
        f"{logs[0]:.2f} and {logs[1]:.2f}.",
        f"The shares of the common denominator: {shares[0]:.2f} and {shares[1]:.2f}. Multiply each "
        "part by its share.",
        "The result is the softmax over all five keys. The mean of the parts, dashed, gives both "
        "sets the same say.",
    ]
    return Drawing(
        title="One softmax from two",
        says="Each part's weights are scaled by its share of the sum of exponentials.",
        panels=tuple(_merged(step) for step in range(4)),
    ).in_steps(says)


def _merged(step: int) -> Canvas:
    canvas, floor, wide = Canvas(346, 232), 176, 40.0
    sums = [sum(math.exp(s) for s in part) for part in SCORES]
    most = max(math.exp(s) for part in SCORES for s in part)
    x = 50.0
    for part, (scores, look) in enumerate(zip(SCORES, ("lit", "second"), strict=True)):
        left = x
        for s in scores:
            value = math.exp(s)
            weight = value / sums[part]
            share = sums[part] / sum(sums)
            shown = (value, weight, weight * share, weight * share)[step]
            height = 140 * (value / most if step == 0 else shown)
            if step == 3:
                canvas.box(x, floor - 70 * weight, wide - 8, 70 * weight, look="quiet")
            elif step == 2:
                canvas.box(x, floor - 140 * weight, wide - 8, 140 * weight, look="quiet")
            canvas.box(x, floor - height, wide - 8, height, look=look)
            before = {2: 140 * weight, 3: 70 * weight}.get(step, 0)
            inside = before > height + 18  # the number fits below the dashed line
            tallest = height if inside else max(height, before)
            text = f"{shown:.1f}" if step == 0 else f"{shown:.2f}"
            canvas.text(x + wide / 2 - 4, floor - tallest - 8, text, size=11)
            x += wide
        canvas.line((left - 4, floor), (x - 4, floor))
        total, z = f"sum {sums[part]:.1f}", math.log(sums[part])
        name = "AB"[part]
        below = (total, f"$z_{name}$ = {z:.2f}", f"share {sums[part] / sum(sums):.2f}",
                 f"weight {sums[part] / sum(sums):.2f}")[step]  # fmt: skip
        canvas.text((left + x) / 2 - 4, floor + 16, f"set ${name}$", size=12)
        canvas.text((left + x) / 2 - 4, floor + 36, below, size=12)
        x += 36
    heads = ("$e^s$", "weights in each set", "weights times shares", "one softmax over both")
    canvas.text(173, 10, heads[step])
    return canvas


def stack_grows() -> Drawing:
    """Draw the stream through deeper stacks: independent updates stand at right angles."""
    canvas, unit, left = Canvas(350, 172), 19.0, 18.0
    floor = 62.0
    canvas.text(left, 12, "every update as large as the embedding", size=12, anchor="start")
    canvas.arrow((left, floor), (left, floor - unit))
    canvas.line((left, floor), (left + 16.4 * unit, floor), look="quiet")
    canvas.text(left, floor + 26, "$N$ =", size=11, look="quiet", anchor="start")
    for layers in (2, 8, 32, 128):
        x = left + unit * math.sqrt(2 * layers)
        canvas.arrow((left, floor), (x, floor - unit), look="second")
        canvas.line((x, floor), (x, floor - unit), look="quiet")
        canvas.text(x, floor + 11, f"{math.sqrt(2 * layers):g}", size=11)
        canvas.text(x, floor + 26, f"{layers}", size=11, look="quiet")
    low = 148.0
    canvas.text(left, 112, "updates smaller by 1/√(2$N$)", size=12, anchor="start")
    canvas.line((left, low), (left + unit, low), look="quiet")
    canvas.arrow((left, low), (left, low - unit))
    canvas.arrow((left, low), (left + unit, low - unit), look="lit")
    canvas.line((left + unit, low), (left + unit, low - unit), look="quiet")
    canvas.text(left + unit, low + 12, "1", size=11)
    canvas.text(left + 3 * unit, low - 5, "every $N$", size=11, look="quiet", anchor="start")
    share = 1 / math.sqrt(1 + 2 * 128)
    return Drawing(
        title="A stream of many updates",
        says="The embedding is the upright arrow of length 1, the sum of 2N independent updates "
        "stands at a right angle to it and is as long as the root of 2N: 16 at 128 layers, where "
        f"the embedding is {share:.2f} of the stream. With the factor it is 1 at every depth.",
        panels=(canvas,),
        caption="Upright: the embedding. To the right: the sum of the updates. Coloured: the "
        "stream, which is both.",
    )


def compute_again() -> Explorable:
    """Draw what is kept for the backward pass, and what is computed a second time."""
    says = [
        "After the forward pass: above, every layer has kept its activations; below, the stream in "
        "front of each layer and nothing else.",
        "The backward pass comes to layer 4. Below, layer 4 runs forward again and has its "
        "activations for as long as they are needed.",
        "Then layer 3: the activations of layer 4 are given up, below those of 3 computed again.",
        "And so down to layer 1. Below, at no time does more than one layer hold activations.",
    ]
    return Drawing(
        title="Kept, or computed again",
        says="Recomputation keeps the stream in front of each layer and runs each layer forward "
        "once more when the backward pass comes to it.",
        panels=tuple(_activations(at) for at in (5, 4, 3, 1)),
    ).in_steps(says)


def _activations(at: int) -> Canvas:
    """Draw four layers while the backward pass is at layer `at`; 5 is before it."""
    canvas, layers, held, wide = Canvas(352, 236), 4, 4, 66
    for row, again in enumerate((False, True)):
        top, count = 26 + 112 * row, 0
        canvas.text(4, top - 14, "computed again" if again else "kept", size=12, anchor="start")
        for number in range(1, layers + 1):
            x = 14 + 84 * (number - 1)
            gone = number > at
            kept = not gone and (not again or number == at)
            count += (not gone) + held * kept
            for piece in range(held if kept else 0):
                canvas.box(x, top + 4 + 10 * piece, wide, 7, look="second" if again else "lit")
            if not kept:
                canvas.box(x, top + 4, wide, 37, look="quiet")
            canvas.box(x, top + 46, wide, 16, "stream", look="quiet" if gone else "lit", size=11)
            canvas.text(x + wide / 2, top + 74, f"layer {number}", size=11,
                        look="" if number == at else "quiet")  # fmt: skip
            if number == at:
                canvas.line((x, top + 84), (x + wide, top + 84), look="second" if again else "lit")
        canvas.text(348, top - 14, f"{count} tensors held", size=12, anchor="end")
    return canvas


def slant() -> Drawing:
    """Draw which pixels strides of 7, 8 and 9 read on rows of 8."""
    canvas, row, cell = Canvas(352, 138), 8, 12.5
    query = 44  # the pixel in row 5, column 4
    for number, stride in enumerate((7, 8, 9)):
        x = 6 + 118 * number
        canvas.text(x + 50, 9, f"stride {stride}")
        pixels = {j - 1: query - j for j in range(1, query + 1)}  # position j holds pixel j - 1
        column = [divmod(p, row) for p, back in pixels.items() if back % stride == 0]
        window = [divmod(p, row) for p, back in pixels.items() if 0 < back < stride]
        rest = {divmod(p, row) for p in range(row * row)} - {*column, *window}
        for places, look, part in ((sorted(rest), "", 0.0), (window, "lit", 0.9),
                                   (column, "second", 0.9)):  # fmt: skip
            canvas.cells(x, 24, places, cell=cell, look=look, part=part)
        down, right = divmod(query, row)
        canvas.box(x + right * cell, 24 + down * cell, cell, cell)
        canvas.dot(x + (right + 0.5) * cell, 24 + (down + 0.5) * cell, 3)
    return Drawing(
        title="Columns and slants",
        says="On rows of 8, a stride of 8 reads straight up, one of 7 up and to the right, one of "
        "9 up and to the left.",
        panels=(canvas,),
        caption="The dot is the pixel to be predicted. Blue: the window. Orange: each position "
        "that lies a multiple of the stride back. The pixel before the dot is in both.",
    )


def other_patterns() -> Drawing:
    """Draw what later work adds to a window: positions that all read, and random ones."""
    n, width, cell = 16, 3, 9.0
    panels = []
    everybody: Reads = lambda i, j: j < 2 or i < 2  # noqa: E731
    drawing = random.Random(3)
    drawn = {i: {drawing.randrange(i + 1) for _ in range(2)} for i in range(n)}
    for name, added in (
        ("window", lambda i, j: False),
        ("and read by everybody", everybody),
        ("and random ones", lambda i, j: everybody(i, j) or j in drawn[i]),
    ):
        canvas = Canvas(166, 170)
        canvas.text(83, 9, name, size=12)
        _pattern(canvas, 11, 22, n, cell, _window(width), _but(added, _window(width)), axes=False)
        panels.append(canvas)
    return Drawing(
        title="Other fixed patterns",
        says="A window alone; with two positions that everybody reads, as in Longformer; with "
        "random positions besides, as in BigBird. Drawn for a causal network.",
        panels=tuple(panels),
        caption="Rows are queries, columns keys. Blue: the window. Orange: what is added.",
    )
