"""Drawings of chapter 11."""

from bottomup.drawings import Box, Canvas, Drawing

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
    """Draw the way from sentences to a decoded one, and beside each station what can be wrong."""
    height = sum(_room(diseases) for _name, diseases in STATIONS)
    canvas, y, boxes = Canvas(356, height), 0.0, list[Box]()
    for name, diseases in STATIONS:
        room = _room(diseases)
        box = canvas.box(2, y + (room - 28) / 2, 112, 28, name, look="lit", size=12)
        canvas.chain(*boxes[-1:], box)
        _beside(canvas, y + room / 2, diseases)
        boxes.append(box)
        y += room
    return Drawing(
        title="Where a pipeline can be ill",
        says="From the sentences through batch, network, loss and learning rate to evaluation and "
        "decoding: fourteen bugs, each at its station.",
        panels=(canvas,),
    )


def questions() -> Drawing:
    """Draw the questions in their order, and beside each what it can find."""
    height = sum(_room(found) for _question, found in QUESTIONS)
    canvas, y, boxes = Canvas(356, height + 34), 0.0, list[Box]()
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
    return Drawing(
        title="The order of questions",
        says="Cheap questions with exact answers come first. Each can find the bugs beside it; "
        "where its answer is that of a healthy pipeline, the next one follows.",
        panels=(canvas,),
    )


def _room(words: tuple[str, ...]) -> float:
    """Return the height that a place with these diseases takes."""
    return max(50.0, LINE * len(words) + 12)


def _beside(canvas: Canvas, middle: float, words: tuple[str, ...], x: float = 130) -> None:
    """Write words below each other around a height."""
    first = middle - LINE * (len(words) - 1) / 2
    for number, each in enumerate(words):
        canvas.text(x, first + LINE * number, each, size=12, anchor="start")
