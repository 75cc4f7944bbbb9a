"""Drawings of chapter 11: the bugs of the ward, what each shows, and the order of questions."""

from statistics import fmean

from bottomup import results
from bottomup.drawings import Box, Canvas, Drawing, Picture, Wide, left_open
from bottomup.drawings.engine.numbers import signed
from bottomup.drawings.engine.tables import percent
from bottomup.drawings.engine.words import spans, width
from bottomup.experiments.clinic.signs import READINGS, SIGNS, recorded, table
from bottomup.i18n import _

RECORD = "clinic.json"
MINUS = "\N{MINUS SIGN}"
SIGNED = {1: ("+", "lit"), -1: (MINUS, "second"), None: ("?", "quiet")}
# Right of two hundred sentences of chapter 05's translator, with the source mask and without it.
TRANSLATED = {"with the mask": 0.98, "without it": 0.44}
MASKS = {
    "source padding attended": "source padding\nattended",
    "source mask forgotten in decoding": "source mask\nforgotten\nin decoding",
}
STATIONS = (
    ("sentences", ("test sentences in training",)),
    ("batch", ("no shift", "source padding attended")),
    ("embedding", ("no positions", "positions twice")),
    ("attention", ("mask after softmax", "no causal mask", "no root of $d_k$", "heads reshaped")),
    ("loss", ("padding in the loss",)),
    ("learning rate", ("schedule stepped per epoch",)),
    ("evaluation", ("dropout on in evaluation",)),
    ("decoding", ("source mask forgotten in decoding", "cache not reordered")),
)
QUESTIONS = (
    ("Ask twice.", ("dropout on in evaluation",)),
    (
        "Ask alone,\nthen in a batch.",
        ("source padding attended", "heads reshaped", "mask after softmax", "no causal mask"),
    ),
    (
        "Change a token\nit should not see.",
        ("no shift", "no causal mask", "mask after softmax"),
    ),
    ("Swap two words\nof the source.", ("no positions",)),
    (
        "Read the chart's\nfirst steps.",
        ("no root of $d_k$", "schedule stepped per epoch"),
    ),
    (
        "Count the reported\nloss again.",
        ("padding in the loss",),
    ),
    ("Take fresh\nsentences.", ("test sentences in training",)),
    ("Decode alone,\nthen in a batch.", ("source mask forgotten in decoding",)),
    ("Add up what the\nbeam claims.", ("cache not reordered",)),
)
LINE = 16  # between two diseases of one place


def pipeline() -> Drawing:
    height = sum(_room(diseases) for _name, diseases in STATIONS)
    canvas, y, boxes = Wide(356, height, scale=1.5), 0.0, list[Box]()
    for name, diseases in STATIONS:
        room = _room(diseases)
        box = canvas.box(2, y + (room - 28) / 2, 112, 28, name, look="lit", size=12)
        canvas.chain(*boxes[-1:], box)
        _beside(canvas, y + room / 2, diseases)
        boxes.append(box)
        y += room
    return Picture("Where a pipeline can be ill", canvas).says(
        "From the sentences through batch, network, loss and learning rate to evaluation and "
        "decoding: fourteen bugs, each at its station."
    )


def questions() -> Drawing:
    height = sum(_room(found) for _question, found in QUESTIONS)
    canvas, y, boxes = Wide(356, height + 34, scale=1.5), 0.0, list[Box]()
    for question, found in QUESTIONS:
        room = _room(found)
        box = canvas.box(2, y + (room - 36) / 2, 128, 36, question, look="lit", size=11.5)
        canvas.chain(*boxes[-1:], box)
        _beside(canvas, y + room / 2, found, x=148)
        boxes.append(box)
        y += room
    last = canvas.box(2, y + 4, 128, 28, "nothing found", size=11.5)
    canvas.chain(boxes[-1], last)
    canvas.text(148, y + 18, "healthy, or a bug without harm", size=12, anchor="start")
    return Picture("The order of questions", canvas).says(
        "Cheap questions with exact answers come first. Each can find the bugs beside it; "
        "where its answer is that of a healthy pipeline, the next one follows."
    )


def _room(words: tuple[str, ...]) -> float:
    """Return the height that a place with these diseases takes."""
    return max(50.0, LINE * len(words) + 12)


def _beside(canvas: Canvas, middle: float, words: tuple[str, ...], x: float = 130) -> None:
    """Write words below each other around a height."""
    first = middle - LINE * (len(words) - 1) / 2
    for number, each in enumerate(words):
        canvas.text(x, first + LINE * number, each, size=12, anchor="start")


def as_drawn(disease: str) -> str:
    """Return a disease's name as it is drawn."""
    return disease.replace("d_k", "$d_k$")


def ends() -> list[tuple[str, float, float]]:
    """Return each pipeline, its loss at the end and its share of words written rightly, sorted."""
    record, rows = results.load(RECORD), []
    for disease in SIGNS:
        loss, right = (
            fmean(recorded(record, disease, reading))
            for reading in ("loss at the end", "right in a batch")
        )
        rows.append((disease, loss, right))
    return sorted(rows, key=lambda row: row[1])


def losses(*, shown: bool = True) -> Drawing:
    canvas, left, tall, rows = Wide(360, 26 + 20 * len(SIGNS), scale=1.7), 194.0, 20.0, ends()
    canvas.note(left, 10, "loss, nats", anchor="start")
    canvas.note(358, 10, "right", anchor="end")
    for row, (disease, loss, right) in enumerate(rows):
        y = 24 + tall * row
        look = "lit" if disease == "healthy" else ""
        canvas.text(left - 6, y + 8, as_drawn(disease), size=11, anchor="end")
        canvas.bar(left, y, 84 * loss, 15, f"{loss:.2f}", look=look)
        written = percent(right) if shown else "?"
        canvas.text(358, y + 8, written, size=12, anchor="end")
    canvas.line((left, 20), (left, 22 + tall * len(SIGNS)), look="quiet")
    if not shown:
        said = ", ".join(f"{disease} {loss:.2f}" for disease, loss, _right in rows)
        return Picture("Fifteen pipelines by their training loss", canvas).says(
            f"Training losses at the end, in nats, from low to high: {said}. How many words "
            "each pipeline writes rightly is open.",
            caption="Mean of the last 25 steps. In blue: the healthy pipeline.",
        )
    said = ", ".join(f"{disease} {percent(right)}" for disease, _loss, right in rows)
    return Picture("Fifteen pipelines by their training loss, and what they write", canvas).says(
        "New words written rightly, from the pipeline with the lowest loss to that with the "
        f"highest: {said}.",
        caption="Right: share of new words that it writes backwards without a mistake.",
    )


def signs() -> Drawing:
    found, step, tall = table(results.load(RECORD)), 13.0, 16.0
    left = 360 - step * len(found)
    top = 12 + max(width(_(as_drawn(disease)), 11) for disease in found)
    canvas = Wide(360, top + tall * len(READINGS) + 28, scale=1.8)
    for row, reading in enumerate(READINGS):
        y = top + tall * row
        canvas.text(left - 6, y + tall / 2, reading, size=11, anchor="end")
        canvas.line((left, y), (360, y), look="quiet")
    for column, (disease, shows) in enumerate(found.items()):
        x = left + step * column
        _upright(canvas, x + step / 2, top - 6, as_drawn(disease))
        for row, reading in enumerate(READINGS):
            if shows[reading] != 0:
                sign, look = SIGNED[shows[reading]]
                corner = x + 0.5, top + tall * row + 1
                if look != "quiet":
                    canvas.box(*corner, step - 1, tall - 2, look=look)
                canvas.text(x + step / 2, corner[1] + tall / 2 - 1, sign, size=12)
    low = top + tall * len(READINGS)
    canvas.line((left, low), (360, low), look="quiet")
    canvas.note(180, low + 16, f"+ above, {MINUS} below the healthy band, ? unclear")
    said = "; ".join(
        f"{disease}: {', '.join(_outside(shows)) or 'nothing'}" for disease, shows in found.items()
    )
    return Picture("What each bug shows", canvas).says(
        f"For each pipeline the readings outside of the healthy band. {said}."
    )


def _outside(shows: dict[str, int | None]) -> list[str]:
    return [
        f"{reading} {'above' if sign > 0 else 'below'}" for reading, sign in shows.items() if sign
    ]


def _upright(canvas: Canvas, x: float, y: float, words: str) -> None:
    """Write words from a point upwards, as the heading of a narrow column."""
    line = _(words)
    canvas.marks.append(
        f'<text transform="translate({x + 4:g} {y:g}) rotate(-90)" font-size="11" '
        f'text-anchor="start">{spans(line, 11)}</text>'
    )
    canvas.words.append(line)


def two_masks(*, shown: bool = True) -> Drawing:
    canvas, found = Wide(360, 130), masks()
    canvas.text(196, 12, "right in a batch", size=12)
    canvas.text(312, 12, "alone, in points", size=12)
    for row, (name, (batch, change)) in enumerate(zip(MASKS.values(), found, strict=True)):
        y = 30 + 50.0 * row
        canvas.text(0, y + 18, name, size=12, anchor="start")
        canvas.bar(150, y + 6, 66 * batch, 24, percent(batch), look="")
        canvas.line((150, y), (150, y + 36), look="quiet")
        if shown:
            points = signed(100 * change, "+.0f")
            canvas.box(284, y + 4, 56, 28, points, look="lit" if change > 0 else "second", size=14)
        else:
            canvas.box(284, y + 4, 56, 28, "?", look="quiet", size=14)
    if not shown:
        said = " and ".join(percent(batch) for batch, _change in found)
        return Picture("Two mistakes with one mask: to fill in", canvas).says(
            "In a batch, a network that attends to the source's padding and one whose source "
            f"mask is forgotten in decoding write {said} of the words rightly. How this changes if "
            "the words are written one at a time is open."
        )
    said = " and ".join(signed(100 * change, "+.0f") for _batch, change in found)
    return Picture("Two mistakes with one mask", canvas).says(
        "If the words are written one at a time, the share of right words changes by so many "
        f"points: {said}. The network that attends to padding gets worse alone, the one whose mask "
        "is forgotten in decoding gets better."
    )


def masks() -> list[tuple[float, float]]:
    """Return the share right in a batch, and its change alone, where a source mask is missing."""
    record = results.load(RECORD)

    def of(disease: str, reading: str) -> float:
        return fmean(recorded(record, disease, reading))

    return [
        (of(disease, "right in a batch"), of(disease, "greedy alone less in a batch"))
        for disease in MASKS
    ]


def cut(places: int, *, right: bool) -> list[list[int]]:
    """Return the head, 0 or 1, that gets each number of the rows of a batch, four in a row.

    Args:
        places: rows, those of padding among them.
        right: whether the columns are cut, or the numbers in the order of the rows.
    """
    return [
        [int(j >= 2) if right else int(4 * i + j >= 2 * places) for j in range(4)]
        for i in range(places)
    ]


def reshaped() -> Drawing:
    canvas, cell = Wide(360, 176), 20.0
    shown_as = (
        ("cut rightly", 3, True),
        ("reshaped", 3, False),
        ("reshaped,\nin a batch", 5, False),
    )
    for number, (name, places, right) in enumerate(shown_as):
        x, y = 30 + 122.0 * number, 40.0
        canvas.text(x + 2 * cell, 18, name, size=12)
        heads = cut(places, right=right)
        for head, look in enumerate(("lit", "second")):
            found = [
                (i, j) for i, row in enumerate(heads) for j, of in enumerate(row) if of == head
            ]
            canvas.cells(x, y, found, cell=cell, look=look)
        for i in range(places):
            word = "cab"[i] if i < 3 else "\N{MIDDLE DOT}"
            canvas.text(x - 10, y + cell * (i + 0.5), word, size=12)
    canvas.note(180, 166, "blue: the numbers of head 1, orange: those of head 2")
    return Picture("Which numbers does a head get?", canvas).says(
        "Rows of four numbers, a row for each letter of cab. Cut rightly, head 1 gets the "
        "left half of each row. By a reshape alone it gets the first row and half of the second. "
        "In a batch with two places of padding it gets the first two rows and half of the third."
    )


def translator(*, shown: bool = True) -> Drawing:
    canvas = Wide(360, 176)
    for row, words in enumerate((("the", "cat", "ate", "the", "meat", "."), ("it", "ate", "."))):
        for place in range(6):
            word = words[place] if place < len(words) else "padding"
            look = "second" if word == "padding" else ""
            canvas.box(2 + 60.0 * place, 4 + 30.0 * row, 56, 24, word, look=look, size=12)
    canvas.note(180, 76, "orange: what the mask hides")
    for row, (name, share) in enumerate(TRANSLATED.items()):
        y = 98 + 38.0 * row
        canvas.text(122, y + 13, name, size=12, anchor="end")
        canvas.line((130, y - 3), (130, y + 29), look="quiet")
        if shown:
            canvas.bar(130, y, 180 * share, 26, percent(share), look="" if row == 0 else "second")
        else:
            canvas.text(146, y + 13, "?", size=15)
    if not shown:
        return Picture(
            "The translator with its source mask, and without it: to fill in", canvas
        ).says(
            "A batch of English sentences, the shorter one padded. How many of two hundred "
            "sentences are translated rightly with the source mask, and without it, is open."
        )
    said = ", ".join(f"{name} {percent(share)}" for name, share in TRANSLATED.items())
    return Picture("The translator with its source mask, and without it", canvas).says(
        f"Sentences of two hundred that are translated word for word: {said}."
    )


losses_open = left_open(losses)
two_masks_open = left_open(two_masks)
translator_open = left_open(translator)
