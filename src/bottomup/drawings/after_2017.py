"""Drawings of chapter 10."""

from bottomup.drawings import Canvas, Drawing
from bottomup.explorables import Explorable


def segments_and_memory() -> Drawing:
    """Draw three segments and two layers, and what the last position can know of."""
    length, levels = 4, (176.0, 106.0, 36.0)
    canvas, last = Canvas(360, 222), 3 * length - 1
    xs = [62 + 25.4 * j for j in range(last + 1)]
    reads = {
        (2, last): range(length, last + 1),  # the memory, and its own segment
        (1, length): range(length + 1),
    }
    for (level, query), keys in reads.items():
        for key in keys:
            own = key // length == query // length
            canvas.line(
                (xs[query], levels[level] + 7),
                (xs[key], levels[level - 1] - 7),
                look="lit" if own else "second",
            )
    known = [range(last + 1), range(length, last + 1), (last,)]
    for level, (y, words) in enumerate(zip(levels, ("tokens", "layer 1", "layer 2"), strict=True)):
        canvas.text(0, y, words, size=11, anchor="start", look="quiet")
        for j, x in enumerate(xs):
            look = "quiet"
            if j in known[level]:
                look = "lit" if j // length == 2 else "second"
            canvas.box(x - 6, y - 6, 12, 12, look=look)
    for number, name in enumerate(("segment 1", "segment 2", "segment 3")):
        middle = (xs[number * length] + xs[number * length + length - 1]) / 2
        canvas.text(middle, 208, name, size=12)
    return Drawing(
        title="Segments and memory",
        says="The last position of segment 3 reads, in layer 2, its own segment and the states of "
        "segment 2, which are kept. The first of these has read segment 1 in layer 1. So two "
        "layers and a memory of 4 reach 11 positions back.",
        panels=(canvas,),
        caption="Blue: computed in this segment. Orange: remembered, or read by what is "
        "remembered. No gradient goes back into the orange.",
    )


def the_shift() -> Explorable:
    """Draw the relative shift in four steps, with each distance as its own score."""
    n, m = 3, 5
    rows = [[str(m - 1 - c) for c in range(m)] for _ in range(n)]
    longer = [["\N{MIDDLE DOT}", *row] for row in rows]
    numbers = [each for row in longer for each in row]
    others = [numbers[n * i : n * i + n] for i in range(m + 1)]
    left = numbers[n:]
    shifted = [left[m * i : m * i + m] for i in range(n)]
    says = [
        "One product gives every query a score for every distance, from far to near. Here each "
        "score is its distance. The columns are distances, the same for all queries.",
        "A column of zeros in front makes each row longer by one.",
        "The same numbers, in the same order, in rows of 3. Nothing has been moved.",
        "Without the first row, in rows of 5 again: each row begins one place later than the one "
        "above it. The columns are keys, and 0 stands at each query's own key. Behind it stands "
        "what the next row begins with: a mask covers it.",
    ]
    tables = (rows, longer, others, shifted)
    return Drawing(
        title="The relative shift",
        says="A column of zeros and a change of shape turn columns of distances into columns of "
        "keys.",
        panels=tuple(_step(step, table, n, m) for step, table in enumerate(tables)),
    ).in_steps(says)


def _step(step: int, table: list[list[str]], n: int, m: int) -> Canvas:
    names = ("distances [3, 5]", "a column in front [3, 6]", "in rows of 3 [6, 3]", "keys [3, 5]")
    canvas, cell = Canvas(300, 206), 26.0
    canvas.text(0, 10, names[step], size=12.5, anchor="start")
    for i, row in enumerate(table):
        for j, words in enumerate(row):
            look = ""
            if step == 2 and i == 0:
                look = "quiet"
            elif step == 3:
                look = "lit" if j <= m - n + i else "quiet"
            elif step == 1 and j == 0:
                look = "second"
            canvas.box(10 + cell * j, 34 + cell * i, cell, cell, words, look=look)
    return canvas


def three_fates() -> Drawing:
    """Draw what BERT does with a chosen word, and what the loss asks each time."""
    canvas = Canvas(352, 166)
    xs = (78.0, 140.0, 202.0)
    canvas.text(140, 10, "what the network reads", size=12.5)
    canvas.text(302, 10, "the loss asks", size=12.5)
    fates = (("80 %", "[MASK]", "lit"), ("10 %", "house", "second"), ("10 %", "cat", ""))
    for row, (share, word, look) in enumerate(fates):
        y = 28.0 + 36 * row
        canvas.text(0, y + 12, share, size=12.5, anchor="start")
        canvas.boxes(xs[:1], y, 56, 24, ["the"], look="quiet")
        canvas.boxes(xs[1:2], y, 56, 24, [word], look=look, size=12)
        canvas.boxes(xs[2:], y, 56, 24, ["sat"], look="quiet")
        canvas.arrow((234, y + 12), (276, y + 12))
        canvas.text(302, y + 12, "cat", size=13)
    canvas.note(0, 152, "\N{LEFT DOUBLE QUOTATION MARK}the\N{RIGHT DOUBLE QUOTATION MARK} and "
                "\N{LEFT DOUBLE QUOTATION MARK}sat\N{RIGHT DOUBLE QUOTATION MARK} were not chosen: "
                "no loss there", anchor="start")  # fmt: skip
    return Drawing(
        title="Three fates of a chosen word",
        says="Of the words that BERT chooses, 80 % become a mask, 10 % another word, 10 % stay. "
        "The loss asks for the original each time, so a visible word may be wrong or asked for.",
        panels=(canvas,),
    )


def two_streams() -> Drawing:
    """Draw who reads whom where two words are predicted, one and then the other."""
    words, xs = ("new", "york", "is", "a", "city"), (34.0, 107.0, 180.0, 253.0, 326.0)
    panels = []
    for asked, seen in ((0, (2, 3, 4)), (1, (0, 2, 3, 4))):
        canvas = Canvas(360, 164)
        when = ("first", "then")[asked]
        canvas.text(0, 10, f"{when}: which word stands at position {asked}?", size=12.5,
                    anchor="start")  # fmt: skip
        content = [
            canvas.box(x - 31, 118, 62, 24, word, look="lit" if number in seen else "quiet")
            for number, (x, word) in enumerate(zip(xs, words, strict=True))
        ]
        query = canvas.box(
            xs[asked] - 31, 34, 62, 24, f"position {asked}", look="second", size=11.5
        )
        for number in seen:
            canvas.arrow(content[number].top, query.bottom, look="lit")
        canvas.text(356, 46, "query $g$", size=12.5, anchor="end")
        canvas.text(356, 154, "content $h$", size=12.5, anchor="end")
        panels.append(canvas)
    return Drawing(
        title="Two streams",
        says="The query stream stands at a place and reads the words that come before it in the "
        "order, never its own. First the place of new reads is, a and city; then the place of york "
        "reads new as well. The content stream holds the words that are read.",
        panels=tuple(panels),
    )
