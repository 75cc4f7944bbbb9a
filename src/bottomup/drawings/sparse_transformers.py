"""Drawings of chapter 07."""

import math
import random
from collections.abc import Callable

from bottomup.drawings import Canvas, Drawing
from bottomup.explorables import Explorable

Reads = Callable[[int, int], bool]  # of a query and a key that is not later
LOOKS = "lit", "second", "second"  # of what is read: before, after step 1, after step 2


def _pattern(
    canvas: Canvas, x: float, y: float, n: int, cell: float, lit: Reads, second: Reads
) -> None:
    """Draw which keys each query reads; what both sets have is drawn as the second's."""
    earlier = {(i, j) for i in range(n) for j in range(i + 1)}
    later = {(i, j) for i in range(n) for j in range(i + 1, n)}
    both = {place for place in earlier if second(*place)}
    first = {place for place in earlier if lit(*place)} - both
    _tiles(canvas, x, y, cell, later, earlier - first - both, first, both)


def _tiles(canvas: Canvas, x: float, y: float, cell: float, *kinds: set[tuple[int, int]]) -> None:
    """Draw the cells of a table: grey ones, empty ones, blue ones and orange ones."""
    looks = ("lit", None), ("", 0.0), ("lit", 1.0), ("second", 1.0)
    for places, (look, part) in zip(kinds, looks, strict=True):
        if places:
            canvas.cells(x, y, sorted(places), cell=cell, look=look, part=part)


def _nothing(_i: int, _j: int) -> bool:
    return False


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
    every = {(i, j) for i in range(n) for j in range(n)}
    read = {(i, j) for i, j in every if 0 <= i - j < width}
    tiles = {(i, j) for i, j in every if i // width - j // width in (0, 1)}
    masked, tiled = Canvas(166, 198), Canvas(166, 198)
    for canvas, title, computed in (masked, "under a mask", every), (tiled, "in tiles", tiles):
        canvas.text(83, 9, title)
        _tiles(canvas, 3, 22, cell, every - computed, set(), read, computed - read)
        canvas.text(83, 191, f"{len(computed)} computed, {len(read)} read", size=12)
    return Drawing(
        title="A mask saves nothing",
        says=f"A window of {width} over {n} positions reads {len(read)} scores. Under a mask all "
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
    canvas, levels = Canvas(352, 206), (166, 98, 30)
    xs = [74 + 270 / (n - 1) * j for j in range(n)]
    stops = [j for j in range(query + 1) if second(query, j)]
    path = (4, 2) if step == 2 else None  # the stop, and where the path begins

    def hop(start: int, level: int, end: int, look: str) -> None:
        canvas.arrow((xs[start], levels[level] - 9), (xs[end], levels[level + 1] + 9), look=look)

    for level, words in zip(levels, ("before", "after\nstep 1", "after\nstep 2"), strict=True):
        canvas.text(4, level, words, size=11, anchor="start", look="quiet")
    ways = [(stop, j) for stop in stops for j in range(stop + 1) if first(stop, j)] if step else []
    for stop, j in ways:
        hop(j, 0, stop, "lit" if path in (None, (stop, j)) else "quiet")
    for stop in stops:
        hop(stop, 1, query, "second" if path is None or path[0] == stop else "quiet")
    if stream:
        for j in range(query + 1):
            if first(query, j):
                hop(j, 0, query, "quiet")
        hop(query, 1, query, "quiet")
    reached = {j for _, j in ways} if path is None else {path[1]}
    passed = set(stops) if path is None else {path[0]}
    for level, seen, look in zip(levels, (reached, passed, {query}), LOOKS, strict=True):
        looks = [look if j in seen else "quiet" for j in range(n)]
        canvas.boxes(xs, level - 9, 18, 18, look=looks)
        for j, x in enumerate(xs):
            canvas.text(x, level, str(j), size=11, look="" if j in seen else "quiet")
    canvas.note(209, 196, "position")
    return canvas


def factors() -> Drawing:
    """Draw the two boolean factors of strided attention and their product."""
    n, stride, cell = 9, 3, 10.0
    canvas = Canvas(352, 132)
    window, column = _window(stride), _column(stride)

    def product(i: int, j: int) -> bool:
        return sum(column(i, k) and window(k, j) for k in range(j, i + 1)) == 1

    counts = []
    for x, words, lit, orange in (
        (6.0, "step 2: column", _nothing, column),
        (131.0, "step 1: window", window, _nothing),
        (256.0, "product", product, _nothing),
    ):
        counts.append(sum(lit(i, j) or orange(i, j) for i in range(n) for j in range(i + 1)))
        canvas.text(x + 45, 9, words, size=12)
        _pattern(canvas, x, 22, n, cell, lit, orange)
        canvas.text(x + 45, 124, f"{counts[-1]} ones", size=12)
    canvas.text(113.5, 67, "·", size=20)
    canvas.text(238.5, 67, "=", size=16)
    return Drawing(
        title="Two factors of the triangle",
        says=f"A matrix with {counts[0]} ones for the columns, times one with {counts[1]} ones for "
        f"the windows, is the full lower triangle with {counts[2]} ones.",
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
        keys = [*range(-before, 0), *places]
        table = {(row, at): (i, j) for row, i in enumerate(places) for at, j in enumerate(keys)}
        read = {at for at, (i, j) in table.items() if 0 <= j <= i and reads(i, j)}
        computed = {at for at, pair in table.items() if tile(*pair)}
        rest = {at for at, (_, j) in table.items() if j >= 0} - computed
        _tiles(canvas, x, 24, cell, rest, set(), read, computed - read)
        canvas.text(middle, 144, f"{len(computed)} computed", size=11.5)
        canvas.text(middle, 160, f"{len(read)} read", size=11.5)
        says.append(f"{name} {len(computed)} for {len(read)}")
    canvas.note(179, 182, "positions of the columns in the order 0 4 8 12, 1 5 9 13, …")
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
        ("dense", lambda i, j: True, _nothing),
        ("strided", _window(size), _column(size)),
        ("fixed", _block(size), _summary(size)),
    ]
    for name, first, second in unions:
        canvas = Canvas(166, 184)
        canvas.text(84, 9, name)
        _pattern(canvas, 12, 22, n, cell, first, _but(second, first))
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
    canvas.row((58, 176, 294), 9, ("layers", "heads", "union"))
    for x, y, first, second in (
        (58, 120, window, _nothing),
        (58, 28, _nothing, column),
        (136, 74, window, _nothing),
        (216, 74, _nothing, column),
        (294, 74, window, column),
    ):
        _pattern(canvas, x - side / 2, y, n, cell, first, second)
    canvas.arrow((58, 120), (58, 28 + side))
    canvas.arrow((58, 206), (58, 120 + side))
    for middle, x in ((176, 136), (176, 216), (294, 294)):
        canvas.arrow((middle, 206), (x, 74 + side))
        canvas.arrow((x, 74), (middle, 30))
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
    canvas, floor, wide, x = Canvas(346, 232), 176, 40.0, 50.0
    exponentials = [[math.exp(s) for s in part] for part in SCORES]
    total = sum(map(sum, exponentials))
    most = max(map(max, exponentials))
    for name, part, look in zip("AB", exponentials, ("lit", "second"), strict=True):
        own, left = sum(part), x
        share = own / total
        for value in part:
            weight = value / own
            shown = (value, weight, weight * share, weight * share)[step]
            height = 140 * (value / most if step == 0 else shown)
            before = (0, 0, 140 * weight, 70 * weight)[step]  # the dashed bar
            if before:
                canvas.box(x, floor - before, wide - 8, before, look="quiet")
            canvas.box(x, floor - height, wide - 8, height, look=look)
            inside = before > height + 18  # the number fits below the dashed line
            tallest = height if inside else max(height, before)
            text = f"{shown:.1f}" if step == 0 else f"{shown:.2f}"
            canvas.text(x + wide / 2 - 4, floor - tallest - 8, text, size=11)
            x += wide
        canvas.line((left - 4, floor), (x - 4, floor))
        below = (f"sum {own:.1f}", f"$z_{name}$ = {math.log(own):.2f}", f"share {share:.2f}",
                 f"weight {share:.2f}")[step]  # fmt: skip
        canvas.text((left + x) / 2 - 4, floor + 16, f"set ${name}$", size=12)
        canvas.text((left + x) / 2 - 4, floor + 36, below, size=12)
        x += 36
    heads = ("$e^s$", "weights in each set", "weights times shares", "one softmax over both")
    canvas.text(173, 10, heads[step])
    return canvas


def stack_grows() -> Drawing:
    """Draw the stream through deeper stacks: independent updates stand at right angles."""
    canvas, unit, left, floor, low = Canvas(350, 172), 19.0, 18.0, 62.0, 148.0
    canvas.text(left, 12, "every update as large as the embedding", size=12, anchor="start")
    canvas.text(left, 112, "updates smaller by 1/√(2$N$)", size=12, anchor="start")
    canvas.note(left, floor + 26, "$N$ =", anchor="start")
    canvas.note(left + 3 * unit, low - 5, "every $N$", anchor="start")
    sums = {layers: math.sqrt(2 * layers) for layers in (2, 8, 32, 128)}
    for y, lengths, end, look in (
        (floor, sums.values(), 16.4, "second"), (low, [1.0], 1.0, "lit")
    ):  # fmt: skip
        canvas.arrow((left, y), (left, y - unit))
        canvas.line((left, y), (left + end * unit, y), look="quiet")
        for length in lengths:
            x = left + unit * length
            canvas.arrow((left, y), (x, y - unit), look=look)
            canvas.line((x, y), (x, y - unit), look="quiet")
            canvas.text(x, y + 11, f"{length:g}", size=11)
    for layers, length in sums.items():
        canvas.note(left + unit * length, floor + 26, f"{layers}")
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
    canvas, held, wide = Canvas(352, 236), 4, 66
    for top, title, again, look in (
        (26, "kept", False, "lit"), (138, "computed again", True, "second")
    ):  # fmt: skip
        count = 0
        canvas.text(4, top - 14, title, size=12, anchor="start")
        for number in range(1, 5):
            x, gone = 14 + 84 * (number - 1), number > at
            kept = not gone and (not again or number == at)
            count += (not gone) + held * kept
            for piece in range(held if kept else 0):
                canvas.box(x, top + 4 + 10 * piece, wide, 7, look=look)
            if not kept:
                canvas.box(x, top + 4, wide, 37, look="quiet")
            canvas.box(x, top + 46, wide, 16, "stream", look="quiet" if gone else "lit", size=11)
            canvas.text(x + wide / 2, top + 74, f"layer {number}", size=11,
                        look="" if number == at else "quiet")  # fmt: skip
            if number == at:
                canvas.line((x, top + 84), (x + wide, top + 84), look=look)
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
        column = {divmod(p, row) for p, back in pixels.items() if back % stride == 0}
        window = {divmod(p, row) for p, back in pixels.items() if 0 < back < stride}
        rest = {divmod(p, row) for p in range(row * row)} - column - window
        _tiles(canvas, x, 24, cell, set(), rest, window, column)
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
    n, cell, window, drawing = 16, 9.0, _window(3), random.Random(3)
    drawn = {i: {drawing.randrange(i + 1) for _ in range(2)} for i in range(n)}

    def everybody(i: int, j: int) -> bool:
        return j < 2 or i < 2

    def random_too(i: int, j: int) -> bool:
        return everybody(i, j) or j in drawn[i]

    panels = []
    for name, added in (
        ("window", _nothing),
        ("and read by everybody", everybody),
        ("and random ones", random_too),
    ):
        canvas = Canvas(166, 170, name)
        _pattern(canvas, 11, 22, n, cell, window, _but(added, window))
        panels.append(canvas)
    return Drawing(
        title="Other fixed patterns",
        says="A window alone; with two positions that everybody reads, as in Longformer; with "
        "random positions besides, as in BigBird. Drawn for a causal network.",
        panels=tuple(panels),
        caption="Rows are queries, columns keys. Blue: the window. Orange: what is added.",
    )
