"""Drawings of chapter 07.

Panels have two widths: three of `THIRD`, or two of `HALF`, are as wide as the text on a page, and
each of them fits a phone. What runs measured comes from the records.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from statistics import mean

from bottomup import results
from bottomup.data import digit_images
from bottomup.drawings import Box, Canvas, Drawing, Picture, Wide, left_open
from bottomup.explorables import Explorable

Reads = Callable[[int, int], bool]  # of a query and a key that is not later
Places = Iterable[int]

THIRD, HALF, QUARTER = 208.0, 328.0, 148.0  # widths of panels
WORDS = "The cat ate the meat because it was hungry".split()
CAT, ATE, BECAUSE, IT, WAS, HUNGRY = 1, 2, 5, 6, 7, 8  # their places
ROW = 3  # words in a row: the stride, and the size of a block
KINDS = "dense", "strided", "fixed", "window", "wide", "block"  # as the record names them


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


def _summary(size: int) -> Reads:
    return lambda i, j: j % size == size - 1


def _but(reads: Reads, without: Reads) -> Reads:
    return lambda i, j: reads(i, j) and not without(i, j)


def _either(first: Reads, second: Reads) -> Reads:
    return lambda i, j: first(i, j) or second(i, j)


def _both(first: Reads, second: Reads) -> Reads:
    return lambda i, j: first(i, j) and second(i, j)


def bill() -> Drawing:
    panels, counts, cell = [], [], 5.0
    for n in (9, 18, 36):
        pairs = {(i, j) for i in range(n) for j in range(i + 1)}
        canvas = Canvas(THIRD, n * cell + 26)
        _tiles(canvas, 6, 2, cell, set(), set(), pairs, set())
        canvas.text(6, n * cell + 16, f"{n} words: {len(pairs)} scores", anchor="start")
        counts.append(len(pairs))
        panels.append(canvas)
    return Picture("Twice the words, four times the scores", *panels).says(
        f"9 words need {counts[0]} scores, 18 words {counts[1]}, 36 words {counts[2]}.",
        caption="Each row is a word, each cell a word that it looks at: itself or an earlier one.",
    )


def a_mask_saves_nothing() -> Drawing:
    n, width, cell = 16, 4, 20.0
    every = {(i, j) for i in range(n) for j in range(n)}
    read = {(i, j) for i, j in every if 0 <= i - j < width}
    tiles = {(i, j) for i, j in every if i // width - j // width in (0, 1)}
    masked, tiled = Canvas(HALF, 368), Canvas(HALF, 368)
    for canvas, title, computed in (masked, "under a mask", every), (tiled, "in tiles", tiles):
        canvas.text(HALF / 2, 9, title)
        _tiles(canvas, 4, 22, cell, every - computed, set(), read, computed - read)
        canvas.text(HALF / 2, 358, f"{len(computed)} computed, {len(read)} needed")
    return Picture("A mask saves nothing", masked, tiled).says(
        f"A window of {width} over {n} positions needs {len(read)} scores. Under a mask all "
        f"{n * n} are computed; {len(tiles)} are if each {width} queries meet the keys of their "
        "own tile and of the one before.",
        caption="Blue: computed and needed. Orange: computed and thrown away. Grey: not computed. "
        "Rows are queries, columns keys.",
    )


def four_patterns() -> Drawing:
    """Draw the four kinds of pattern of Child et al. (2019), figure 2, on a digit of 8 x 8 pixels.

    The digit decides where the last two look: at the ink before the pixel, and at its darkest three
    pixels.
    """
    side, cell, query = 8, 17.0, 44
    down, right = divmod(query, side)
    image = digit_images().test[0].tolist()
    before = [divmod(pixel, side) for pixel in range(query)]
    ink = {place for place in before if image[place[0] * side + place[1]] >= 8}
    dark = sorted(ink, key=lambda place: (-image[place[0] * side + place[1]], place))[:3]
    rest = {divmod(pixel, side) for pixel in range(query, side * side)}
    row = {(down, x) for x in range(right)}
    column = {(y, right) for y in range(down)}
    near = {(y, x) for y, x in before if y >= down - 2 and abs(x - right) <= 2}
    panels = []
    for name, first, second in (
        ("near", near, set[tuple[int, int]]()),
        ("a row, then a column", row, column),
        ("everywhere", ink, set[tuple[int, int]]()),
        ("sparse", set(dark), set[tuple[int, int]]()),
    ):
        canvas = Canvas(QUARTER, 168, name)
        _tiles(canvas, 6, 24, cell, rest, set(before) - first - second, first, second)
        _marked(canvas, 6 + right * cell, 24 + down * cell, cell)
        panels.append(canvas)
    return Picture("Four patterns of a dense network", *panels).says(
        "To predict the pixel with the dot, a head looks near it; or one head along its row "
        "and another up its column; or at all that is drawn; or at very few pixels.",
        caption="A sketch after figure 2 of Child et al. The dot is the pixel to be predicted, and "
        "grey comes later. Orange is another layer. The last two depend on what is drawn.",
    )


def _marked(canvas: Canvas, x: float, y: float, cell: float) -> None:
    """Frame a pixel, with a dot in it."""
    canvas.box(x, y, cell, cell)
    canvas.dot(x + cell / 2, y + cell / 2, 3)


def _table(
    canvas: Canvas, top: float, *, lit: Places = (), second: Places = (), open_: Places = ()
) -> list[Box]:
    """Draw the nine words in rows of three; what is in neither set stays in the background."""
    wide, tall, apart = 92.0, 30.0, 16.0
    boxes = []
    for place, word in enumerate(WORDS):
        row, column = divmod(place, ROW)
        look = "second" if place in second else "lit" if place in lit else "quiet"
        x, y = 6 + column * (wide + apart), top + row * (tall + apart)
        words = "?" if place in open_ else word
        boxes.append(canvas.box(x, y, wide, tall, words, look=look))
    return boxes


def _under(canvas: Canvas, boxes: Sequence[Box], stop: int, starts: Places) -> None:
    """Draw arrows from words to a stop in their row, below the row."""
    end = boxes[stop]
    for number, start in enumerate(sorted(starts)):
        low, (x, y) = end.bottom[1] + 8 - 3 * number, boxes[start].bottom
        into = end.center[0] - 14 + 14 * number
        canvas.arrow((x, y), (x, low), (into, low), (into, end.bottom[1]), look="lit")


def _beside(canvas: Canvas, boxes: Sequence[Box], query: int, stops: Places) -> None:
    """Draw arrows from the stops of a column to the query, right of the column."""
    end = boxes[query]
    for number, stop in enumerate(sorted(stops)):
        far, (x, y) = end.right[0] + 12 - 5 * number, boxes[stop].right
        into = end.center[1] + 7 - 14 * number
        canvas.arrow((x, y), (far, y), (far, into), (end.right[0], into), look="second")


def two_windows(*, shown: bool = True) -> Drawing:
    first = range(IT, HUNGRY + 1)
    reached = {j for stop in first for j in range(stop - ROW + 1, stop + 1)}
    one, two = Canvas(HALF, 158, "after one layer"), Canvas(HALF, 158, "after two layers")
    _table(one, 26, second=first)
    rest = set(range(len(WORDS))) - set(first)
    _table(two, 26, lit=reached if shown else (), second=first, open_=() if shown else rest)
    if not shown:
        return Picture("Two windows of three", one, two).says(
            "After one layer hungry has looked at it, was and itself. What it has reached "
            "after two layers is left open.",
            caption="Orange: words at which hungry looks.",
        )
    return Picture("Two windows of three", one, two).says(
        "After one layer hungry has looked at it, was and itself. After two layers it has "
        "reached meat, because, it, was, hungry, and not the cat.",
        caption="Orange: words at which hungry looks. Blue: words that reach it by a stop.",
    )


def two_hops() -> Explorable:
    says = [
        "Step 2 is drawn first: hungry looks at its column, the words ate, because and itself.",
        "Step 1 came before: each of the three had looked at its own window.",
        "The path from cat: in step 1 ate looks at cat, in step 2 hungry looks at ate. Three "
        "locations, two hops.",
    ]
    return (
        Picture("Two hops to everything", *(_column_of_hungry(step) for step in range(3)))
        .says(
            "Hungry looks at three stops, each of which has looked at three words, so that "
            "hungry reaches all nine, each on one path."
        )
        .in_steps(says)
    )


def _column_of_hungry(step: int) -> Canvas:
    canvas = Canvas(352, 166)
    stops: tuple[int, ...] = (ATE, BECAUSE, HUNGRY)
    before = {stop: {j for j in range(len(WORDS)) if 0 <= stop - j < ROW} for stop in stops}
    if step == 2:
        stops, before = (ATE, HUNGRY), {ATE: {CAT, ATE}}
    lit = set().union(*before.values()) if step else set[int]()
    boxes = _table(canvas, 12, lit=lit, second=stops)
    _beside(canvas, boxes, HUNGRY, set(stops) - {HUNGRY})
    for stop in before if step else ():
        _under(canvas, boxes, stop, before[stop] - {stop})
    return canvas


def factors() -> Drawing:
    n, cell, panels, counts = len(WORDS), 20.0, [], []
    window, column = _window(ROW), _column(ROW)

    def product(i: int, j: int) -> bool:
        return sum(column(i, k) and window(k, j) for k in range(j, i + 1)) == 1

    for sign, words, lit, orange in (
        ("", "step 2: column", _nothing, column),
        ("·", "step 1: window", window, _nothing),
        ("=", "product", product, _nothing),
    ):
        canvas = Canvas(THIRD, 228)
        counts.append(sum(lit(i, j) or orange(i, j) for i in range(n) for j in range(i + 1)))
        canvas.text(114, 9, words)
        _pattern(canvas, 24, 22, n, cell, lit, orange)
        canvas.text(114, 216, f"{counts[-1]} ones")
        canvas.text(10, 112, sign, size=20)
        panels.append(canvas)
    return Picture("Two factors of the triangle", *panels).says(
        f"A table with {counts[0]} ones for the columns, times one with {counts[1]} ones for "
        f"the windows, is the full lower triangle with {counts[2]} ones.",
        caption="Rows are queries, columns keys, in the order of the nine words. Every blue cell "
        "of the product is a 1: exactly one stop joins the query and the key.",
    )


def _counted(name: str, first: Reads, second: Reads) -> tuple[Canvas, int]:
    """Draw 16 positions, in orange what only the second set has; count the scores of both."""
    n, canvas = 16, Canvas(THIRD, 240)
    count = _scores(n, first, second)
    canvas.text(106, 9, name)
    _pattern(canvas, 10, 22, n, 12.0, first, _but(second, first))
    canvas.text(106, 228, f"{count} scores")
    return canvas, count


def _scores(n: int, *reads: Reads) -> int:
    """Count the pairs that are in any of the sets, without what comes later."""
    return sum(any(each(i, j) for each in reads) for i in range(n) for j in range(i + 1))


def _two_sets(names: Sequence[str], first: Reads, second: Reads) -> dict[str, Canvas]:
    """Draw two sets of 16 positions, and both together; return them by what they say."""
    panels = {}
    for name, lit, orange in (
        (names[0], first, _nothing), (names[1], _nothing, second), ("both", first, second)
    ):  # fmt: skip
        canvas, count = _counted(name, lit, orange)
        panels[f"{name} {count}"] = canvas
    return panels


def strided_sets() -> Drawing:
    panels = _two_sets(("window", "column"), _window(4), _column(4))
    return Picture("Strided attention", *panels.values()).says(
        f"Scores of 16 positions with a stride of 4: {', '.join(panels)}.",
        caption="16 positions. Rows are queries, columns keys; grey comes later. What is in both "
        "sets is blue.",
    )


def fixed_sets() -> Drawing:
    panels = _two_sets(("own block", "summaries"), _block(4), _summary(4))
    return Picture("Fixed attention", *panels.values()).says(
        f"Scores of 16 positions in blocks of 4, with one summary: {', '.join(panels)}.",
        caption="16 positions. Rows are queries, columns keys; grey comes later. What is in both "
        "sets is blue.",
    )


def fixed_hops(*, shown: bool = True) -> Drawing:
    stops = (ATE, BECAUSE)
    one, two = Canvas(HALF, 166, "step 1: own block"), Canvas(HALF, 166, "step 2: summaries")
    lit = {j for j in range(WAS) if j not in stops}
    boxes = _table(one, 26, lit=lit, second=(*stops, WAS))
    for stop in (*stops, WAS):
        _under(one, boxes, stop, {j for j in range(stop) if j // ROW == stop // ROW})
    unknown = set[int]() if shown else lit
    boxes = _table(two, 26, lit=lit - {IT} if shown else (), second=stops, open_=unknown)
    for stop, side, above, shift in (ATE, 12.0, 5.0, 10.0), (BECAUSE, 7.0, 10.0, 24.0):
        (x, y), top = boxes[stop].right, boxes[WAS].y
        low, into, far = top - above, boxes[WAS].center[0] + shift, x + side
        two.arrow((x, y), (far, y), (far, low), (into, low), (into, top), look="second")
    if shown:
        start, end = boxes[IT].bottom, boxes[WAS].bottom
        low = start[1] + 8
        two.arrow(start, (start[0], low), (end[0], low), end, look="quiet")
    if not shown:
        return Picture("Fixed attention in two steps", one, two).says(
            "In step 1 ate, because and was look at their own rows. In step 2 was looks at "
            "the summaries ate and because. What it reaches is left open.",
            caption="Each row is a block, its last word the summary. Orange on the left: the words "
            "that look. Orange on the right: those at which was looks.",
        )
    return Picture("Fixed attention in two steps", one, two).says(
        "In step 1 ate, because and was look at their own rows. In step 2 was looks at the "
        "summaries ate and because, and so reaches the first two rows. What it knows of it and was "
        "it keeps by the stream.",
        caption="Each row is a block, its last word the summary. Orange on the left: the words "
        "that look. Orange on the right: those at which was looks. Blue: what reaches was by a "
        "summary. Dashed: the residual stream of was.",
    )


def cut_into_products() -> Drawing:
    n, size, cell, panels, says = 16, 4, 9.6, [], []
    order = sorted(range(n), key=lambda j: (j % size, j))
    shapes: list[tuple[str, list[int], Reads, Reads]] = [
        ("block", list(range(n)), _block(size), _block(size)),
        ("column", order, _column(size), _column(size)),
        ("window", list(range(n)), _window(size), lambda i, j: i // size - j // size in (0, 1)),
    ]
    for name, places, reads, tile in shapes:
        canvas, x = Canvas(THIRD, 222), 6.0
        before = size if name == "window" else 0  # places in front of the first, filled with zeros
        middle = x + (n + before) * cell / 2
        canvas.text(middle, 9, name)
        keys = [*range(-before, 0), *places]
        table = {(row, at): (i, j) for row, i in enumerate(places) for at, j in enumerate(keys)}
        read = {at for at, (i, j) in table.items() if 0 <= j <= i and reads(i, j)}
        computed = {at for at, pair in table.items() if tile(*pair)}
        rest = {at for at, (_, j) in table.items() if j >= 0} - computed
        _tiles(canvas, x, 24, cell, rest, set(), read, computed - read)
        canvas.text(middle, 192, f"{len(computed)} computed, {len(read)} needed", size=12)
        if places == order:
            canvas.text(middle, 211, "order 0 4 8 12, 1 5 9 13, …", look="quiet", size=12)
        panels.append(canvas)
        says.append(f"{name} {len(computed)} for {len(read)}")
    return Picture("Three sets as dense products", *panels).says(
        f"Scores computed for those needed, of {n * n}: {', '.join(says)}. The positions of a "
        "column are first brought side by side.",
        caption="Blue: computed and needed. Orange: computed and thrown away. Grey: not computed.",
    )


def counted_cells() -> Drawing:
    size = 4
    drawn = [
        _counted("dense", lambda i, j: True, _nothing),
        _counted("strided", _window(size), _column(size)),
        _counted("fixed", _block(size), _summary(size)),
    ]
    panels, (dense, strided, fixed) = zip(*drawn, strict=True)
    return Picture("Counted at 16 positions", *panels).says(
        f"Of {dense} pairs, strided attention with stride 4 needs {strided} and fixed "
        f"attention with blocks of 4 and one summary {fixed}.",
        caption="Blue: the first set. Orange: what the second set adds. Rows are queries.",
    )


def layers_heads_union() -> Drawing:
    n, cell = len(WORDS), 9.0
    side, middle, low, panels = n * cell, THIRD / 2, 238.0, []
    window, column = _window(ROW), _column(ROW)
    for name, grids in (
        ("layers", [(middle, 138.0, window, _nothing), (middle, 32.0, _nothing, column)]),
        ("heads", [(54.0, 84.0, window, _nothing), (154.0, 84.0, _nothing, column)]),
        ("union", [(middle, 84.0, window, column)]),
    ):
        canvas = Canvas(THIRD, 242)
        canvas.text(middle, 9, name)
        for x, y, first, second in grids:
            _pattern(canvas, x - side / 2, y, n, cell, first, second)
        for x, y, _first, _second in grids:
            if name == "layers":
                canvas.arrow((x, low if y > 100 else 138), (x, y + side))
            else:
                canvas.arrow((middle, low), (x, y + side))
                canvas.arrow((x, y), (middle, 30))
        panels.append(canvas)
    return Picture("Three ways to use two sets", *panels).says(
        "In turn: one layer looks at the window, the next at the column. In heads: some look "
        "at the window, others at the column, in one layer. As a union: every head looks at both "
        "sets with one softmax.",
        caption="Blue: the window. Orange: the column. Both hold the diagonal. Data flows up.",
    )


SCORES = [[1.2, 0.4, 2.0], [1.6, 0.8]]  # of one query with the keys of A and of B


def merge() -> Explorable:
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
    return (
        Picture("One softmax from two", *(_merged(step) for step in range(4)))
        .says("Each part's weights are scaled by its share of the sum of exponentials.")
        .in_steps(says)
    )


def _merged(step: int) -> Canvas:
    canvas, floor, wide, x = Wide(346, 232), 176, 40.0, 50.0
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
    unit, left, floor = 18.0, 14.0, 62.0
    sums = {layers: math.sqrt(2 * layers) for layers in (2, 8, 32, 128)}
    panels = []
    for title, lengths, end, look in (
        ("every update as large as the embedding", list(sums.values()), 16.4, "second"),
        ("updates smaller by 1/√(2$N$)", [1.0], 1.0, "lit"),
    ):
        canvas = Canvas(HALF, 100)
        canvas.text(left, 12, title, size=12.5, anchor="start")
        canvas.arrow((left, floor), (left, floor - unit))
        canvas.line((left, floor), (left + end * unit, floor), look="quiet")
        for length in lengths:
            x = left + unit * length
            canvas.arrow((left, floor), (x, floor - unit), look=look)
            canvas.line((x, floor), (x, floor - unit), look="quiet")
            canvas.text(x, floor + 11, f"{length:g}", size=12)
        if look == "second":
            canvas.text(left - 6, floor + 28, "$N$ =", look="quiet", size=12, anchor="start")
            for layers, length in sums.items():
                place = left + unit * length
                canvas.text(place, floor + 28, f"{layers}", look="quiet", size=12)
        else:
            canvas.text(left, floor + 28, "every $N$", look="quiet", size=12, anchor="start")
        panels.append(canvas)
    share = 1 / math.sqrt(1 + 2 * 128)
    return Picture("A stream of many updates", *panels).says(
        "The embedding is the upright arrow of length 1, the sum of 2N independent updates "
        "stands at a right angle to it and is as long as the root of 2N: 16 at 128 layers, where "
        f"the embedding is {share:.2f} of the stream. With the factor it is 1 at every depth.",
        caption="Upright: the embedding. To the right: the sum of the updates. Coloured: the "
        "stream, which is both.",
    )


def compute_again() -> Explorable:
    says = [
        "After the forward pass: above, every layer has kept its activations; below, the stream in "
        "front of each layer and nothing else.",
        "The backward pass comes to layer 4. Below, layer 4 runs forward again and has its "
        "activations for as long as they are needed.",
        "Then layer 3: the activations of layer 4 are given up, below those of 3 computed again.",
        "And so down to layer 1. Below, at no time does more than one layer hold activations.",
    ]
    return (
        Picture("Kept, or computed again", *(_activations(at) for at in (5, 4, 3, 1)))
        .says(
            "Recomputation keeps the stream in front of each layer and runs each layer forward "
            "once more when the backward pass comes to it."
        )
        .in_steps(says)
    )


def _activations(at: int) -> Canvas:
    """Draw four layers while the backward pass is at layer `at`; 5 is before it."""
    canvas, held, wide = Wide(352, 236), 4, 66
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


def controls() -> Drawing:
    n, size = 16, 4
    needed = _scores(n, _window(size), _column(size))
    wide = next(width for width in range(size, n) if _scores(n, _window(width)) >= needed)
    sets = {"window": _window(size), "wide": _window(wide), "block": _block(size)}
    drawn = {name: _counted(name, reads, _nothing) for name, reads in sets.items()}
    found = ", ".join(f"{name} {count}" for name, (_panel, count) in drawn.items())
    return Picture("Three controls", *(panel for panel, _count in drawn.values())).says(
        f"Scores at 16 positions: {found}. Strided attention needs {needed}. None "
        "of the controls looks far.",
        caption="16 positions, l = 4. Rows are queries, columns keys.",
    )


def runs_by_pattern() -> Drawing:
    record = results.load("sparse_transformers_training.json")
    panels, said = [], []
    for data, title in (("digits", "digits: bits per pixel"), ("text", "text: bits per character")):
        bits = {kind: record.metric(f"{data}_{kind}.bits") for kind in KINDS}
        low, high = min(map(min, bits.values())), max(map(max, bits.values()))
        canvas, left, right, tall = Canvas(HALF, 216, title), 78.0, 270.0, 26.0
        floor = 28 + tall * len(KINDS)
        for number, (kind, values) in enumerate(bits.items()):
            y = 28 + tall * (number + 0.5)
            xs = [left + (right - left) * (value - low) / (high - low) for value in values]
            canvas.line((left - 6, y), (right + 6, y), look="quiet")
            canvas.text(left - 12, y, kind, anchor="end")
            canvas.dots([(x, y) for x in xs], 4, look="lit")
            canvas.line((mean(xs), y - 8), (mean(xs), y + 8), look="second")
            canvas.text(right + 14, y, f"{mean(values):.2f}", anchor="start")
        canvas.text(left, floor + 12, "better", look="quiet", size=12, anchor="start")
        canvas.text(right, floor + 12, "worse", look="quiet", size=12, anchor="end")
        panels.append(canvas)
        found = ", ".join(f"{kind} {mean(values):.2f}" for kind, values in bits.items())
        said.append(f"{title}: {found}.")
    return Picture("Six patterns on digits and on text", *panels).says(
        " ".join(said),
        caption="Each dot is a training, the line their mean. Fewer bits are better. The axes do "
        "not begin at zero.",
    )


def slant() -> Drawing:
    row, cell, panels = 8, 24.0, []
    query = 44  # the pixel in row 5, column 4
    for stride in (7, 8, 9):
        canvas = Canvas(THIRD, 222, f"stride {stride}")
        pixels = {j - 1: query - j for j in range(1, query + 1)}  # position j holds pixel j - 1
        column = {divmod(p, row) for p, back in pixels.items() if back % stride == 0}
        window = {divmod(p, row) for p, back in pixels.items() if 0 < back < stride}
        rest = {divmod(p, row) for p in range(row * row)} - column - window
        _tiles(canvas, 8, 24, cell, set(), rest, window, column)
        down, right = divmod(query, row)
        _marked(canvas, 8 + right * cell, 24 + down * cell, cell)
        panels.append(canvas)
    return Picture("Columns and slants", *panels).says(
        "On rows of 8, a stride of 8 looks straight up, one of 7 up and to the right, one of "
        "9 up and to the left.",
        caption="The dot is the pixel to be predicted. Blue: the window. Orange: each position "
        "that lies a multiple of the stride back. The pixel before the dot is in both.",
    )


def other_patterns() -> Drawing:
    n, cell, window, drawing = 16, 12.0, _window(3), random.Random(3)
    drawn = {i: {drawing.randrange(i + 1) for _ in range(2)} for i in range(n)}

    def everybody(i: int, j: int) -> bool:
        return j < 2 or i < 2

    def random_too(i: int, j: int) -> bool:
        return everybody(i, j) or j in drawn[i]

    panels = []
    for name, added in (
        ("window", _nothing),
        ("and two that all look at", everybody),
        ("and random ones", random_too),
    ):
        canvas = Canvas(THIRD, 220, name)
        _pattern(canvas, 8, 24, n, cell, window, _but(added, window))
        panels.append(canvas)
    return Picture("Other fixed patterns", *panels).says(
        "A window alone; with two positions that all look at, as in Longformer; with random "
        "positions besides, as in BigBird. Drawn for a causal network.",
        caption="Rows are queries, columns keys. Blue: the window. Orange: what is added.",
    )


def reach() -> Drawing:
    share = results.load("sparse_transformers.json").runs[0]["metrics"]["reach"]
    orders = {
        "window, column": ("strided", "first_second"),
        "column, window": ("strided", "second_first"),
        "block, summaries": ("fixed", "first_second"),
        "summaries, block": ("fixed", "second_first"),
    }
    panels, said = [], []
    for title, end in ("without the stream", ""), ("with the stream", "_residual"):
        canvas, found = Canvas(HALF, 132, title), []
        for number, (name, (pattern, order)) in enumerate(orders.items()):
            part, y = share[pattern][order + end]["share"], 26 + 26 * number
            percent = f"{100 * part:.0f}%"
            canvas.text(128, y + 9, name, anchor="end")
            canvas.bar(136, y, 140 * part, 18, percent, look="lit" if part > 0.5 else "second")
            found.append(f"{name} {percent}")
        panels.append(canvas)
        said.append(f"{title}: {', '.join(found)}.")
    return Picture("What two steps reach", *panels).says(
        " ".join(said),
        caption="Percentage of the pairs of a word and an earlier one that two layers join, the "
        "first-named set in the first layer.",
    )


def as_printed() -> Drawing:
    n, size, cell = 9, 3, 14.0
    every = {(i, j) for i in range(n) for j in range(n)}
    sets: list[tuple[str, Reads, Reads]] = [
        ("window", _window(size), lambda i, j: 0 <= i - j <= size),
        ("column", _column(size), _column(size)),
        ("own block", _block(size), _block(size)),
        ("summaries", _summary(size), _summary(size)),
    ]
    panels, said = [], []
    for name, reads, printed in sets:
        right = {(i, j) for i, j in every if j <= i and reads(i, j)}
        wrong = {place for place in every if printed(*place)} - right
        later = {(i, j) for i, j in every if j > i} - wrong
        canvas = Canvas(QUARTER, 178, name)
        _tiles(canvas, 8, 24, cell, later, every - right - wrong - later, right, wrong)
        canvas.text(74, 168, f"{len(wrong)} too many", size=12)
        panels.append(canvas)
        said.append(f"{name} {len(wrong)}")
    return Picture("The sets as printed", *panels).says(
        f"Pairs too many among 9 positions: {', '.join(said)}. In the window they are one "
        "step too far back, in the other three they come later.",
        caption="9 positions, l = 3, c = 1. Rows are queries, columns keys. Blue: the set. "
        "Orange: printed besides. Grey: later.",
    )


def tile_of_window() -> Drawing:
    size, cell, left = 8, 18.0, 32.0
    every = {(i, j) for i in range(size) for j in range(2 * size)}
    band = {(i, j) for i, j in every if 0 <= i + size - j < size}
    canvas = Canvas(352, 186)
    canvas.row([left + size * cell * part for part in (0.5, 1.5)], 9, ["block before", "own block"])
    _tiles(canvas, left, 22, cell, set(), set(), band, every - band)
    canvas.line((left + size * cell, 18), (left + size * cell, 26 + size * cell))
    keys = len({j for _i, j in band})
    canvas.text(left + size * cell, 178, f"{keys} keys needed, {len(band)} scores of {len(every)}")
    return Picture("The band in a tile", canvas).says(
        f"8 queries meet the 16 keys of two blocks; {keys} of the keys and {len(band)} of "
        f"the {len(every)} scores are in the window.",
        caption="Rows are 8 queries, columns keys. Blue: in the window. Orange: computed and cut "
        "away.",
    )


def _curves(
    curves: dict[str, list[tuple[float, float]]],
    names: dict[str, str],
    *,
    below: str,
    powers: tuple[int, int, int],
) -> Canvas:
    """Draw curves by length, upwards by powers of ten, each with a name at its end."""
    canvas, left, right, floor, head = Canvas(352, 236), 46.0, 226.0, 200.0, 20.0
    low, high, step = powers
    lengths = sorted({n for points in curves.values() for n, _value in points})

    def at(n: float, value: float) -> tuple[float, float]:
        along = math.log(n / lengths[0]) / math.log(lengths[-1] / lengths[0])
        up = (math.log10(value) - low) / (high - low)
        return left + along * (right - left), floor - up * (floor - head)

    for power in range(low, high + 1, step):
        y = at(lengths[0], 10**power)[1]
        canvas.line((left - 6, y), (right + 6, y), look="quiet")
        canvas.note(left - 10, y, f"{10**power:g}" if high < 5 else f"$10^{power}$", anchor="end")
    last = -math.inf
    for name in sorted(curves, key=lambda name: -curves[name][-1][1]):
        places = [at(*point) for point in curves[name]]
        look = {"strided": "lit", "fixed": "second"}.get(name, "")
        canvas.line(*places, look=look)
        canvas.dots(places, 3, look=look)
        last = max(places[-1][1], last + 16)
        canvas.text(right + 10, last, names[name], size=12, anchor="start")
    for n in (lengths[0], lengths[len(lengths) // 2], lengths[-1]):
        canvas.note(at(n, 1)[0], floor + 14, f"{n:,.0f}")
    canvas.note((left + right) / 2, floor + 29, below)
    return canvas


def counts_grow() -> Drawing:
    counts = results.load("sparse_transformers.json").runs[0]["metrics"]["counts"]
    kinds = "dense", "strided", "fixed"
    names = {kind: f"{kind}: {counts['growth'][kind]['needed']:.2f}" for kind in kinds}
    curves = {kind: [(float(n), m) for n, m in counts[kind]["needed"].items()] for kind in kinds}
    return Picture(
        "Scores needed", _curves(curves, names, below="positions", powers=(3, 10, 2))
    ).says(
        f"Scores needed grow with a power of the length: {', '.join(names.values())}.",
        caption="Scores needed by one head, both axes by powers of ten. Right: the exponent.",
    )


def peaks() -> Drawing:
    sides = "causal", "masked", "strided", "fixed", "naive"
    run = results.benchmark("sparse.json")
    curves = {
        side: [(float(case.n), case.peak_bytes[side] / 2**20) for case in run.series(side)]
        for side in sides
    }
    names = {side: f"{side}: {curves[side][-1][1]:,.1f}" for side in sides}
    return Picture(
        "Memory of one forward pass", _curves(curves, names, below="positions", powers=(-2, 4, 2))
    ).says(
        f"Peak in MiB at the largest length measured: {', '.join(names.values())}.",
        caption="Peak in MiB, both axes by powers. Right: the value at the largest length.",
    )


def bits_while_training() -> Drawing:
    record = results.load("sparse_transformers_training.json")
    steps, kinds = (375, 750, 1125, 1500), ("dense", "strided", "fixed", "window", "wide")
    rows = [
        [mean(record.metric(f"text_{kind}.curve.step_{step}.bits")) for step in steps]
        for kind in kinds
    ]
    low, high = min(map(min, rows)), max(map(max, rows))
    canvas, cell = Canvas(352, 210), 36.0
    shades = [[(value - low) / (high - low) for value in row] for row in rows]
    written = [[f"{value:.2f}" for value in row] for row in rows]
    canvas.grid(
        120, 24, shades, cell=cell, written=written, rows=kinds, columns=[f"{n}" for n in steps]
    )
    said = [f"{kind} {row[0]} to {row[-1]}" for kind, row in zip(kinds, written, strict=True)]
    return Picture("Bits during the training", canvas).says(
        f"Bits per character after 375 and after 1,500 steps: {', '.join(said)}.",
        caption="Text: bits per character after each quarter of the training. Darker: more bits.",
    )


def in_both_sets() -> Drawing:
    n, size, cell, panels, said = 9, 3, 20.0, [], []
    for name, first, second in (
        ("window and column", _window(size), _column(size)),
        ("own block and summaries", _block(size), _summary(size)),
    ):
        both = _both(first, second)
        canvas, count = Canvas(HALF, 232, name), _scores(n, both)
        _pattern(canvas, 74, 24, n, cell, _either(first, second), both)
        canvas.text(164, 220, f"{count} pairs twice")
        panels.append(canvas)
        said.append(f"{name} {count}")
    return Picture("Counted twice", *panels).says(
        f"Pairs that are in both sets at 9 positions: {', '.join(said)}.",
        caption="9 positions, l = 3. Blue: in one set. Orange: in both, so counted twice.",
    )


two_windows_open = left_open(two_windows)
fixed_hops_open = left_open(fixed_hops)
