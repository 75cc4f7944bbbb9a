"""Drawings of chapter 10: what XLNet adds, orders and two streams."""

from statistics import fmean

import numpy as np
import torch
from numpy.typing import NDArray

from bottomup import results
from bottomup.drawings import Canvas, Drawing, Picture, Wide, left_open
from bottomup.drawings.after_2017 import bars
from bottomup.drawings.engine.tables import percent, table
from bottomup.experiments.after_2017.orders import new_york as ny
from bottomup.models import two_stream_masks

ORDERS = "after_2017_orders.json"
WORDS = ("new", "york", "is", "a", "city")
FIRST, SECOND = ("new", "los", "san"), ("york", "orleans", "angeles", "diego")
ASKED = {"BERT, both at once": "one_pass", "XLNet, one by one": "xlnet",
         "BERT, one by one": "two_passes"}  # fmt: skip


def pairs(*, apart: bool) -> NDArray[np.float64]:
    """Return the share of each pair of words about a city, true or from two words apart."""
    whole = ny.truth("city")
    whole = ny.independent(whole) if apart else whole
    rows, columns = ([ny.NUMBER[word] for word in words] for words in (FIRST, SECOND))
    return whole[rows][:, columns].numpy()


def two_words(*, shown: bool = True) -> Drawing:
    panels = []
    for title, apart in (("in the language", False), ("each word by itself", True)):
        canvas, values = Canvas(328, 172, title), pairs(apart=apart)
        true = pairs(apart=False)
        given = shown or not apart
        written = [[percent(share) if given else "?" for share in row] for row in values]
        table(canvas, 56, 54, values * 2.5 * given, cell=(66, 32), written=written, look="lit",
              rows=FIRST, columns=SECOND)  # fmt: skip
        if apart and shown:
            never = percent(float(values[true == 0].sum()))
            canvas.text(188, 160, f"on pairs that never come: {never}", size=12)
        panels.append(canvas)
    if not shown:
        return Picture("Two hidden words: how likely is each pair?", *panels).says(
            "In the language: new york 30%, new orleans 20%, los angeles 30%, san diego 20%. "
            "What comes out if each word is named by itself is open.",
            caption="Rows: the first word. Columns: the second.",
        )
    wrong = pairs(apart=True)[FIRST.index("los"), SECOND.index("york")]
    return Picture("Two hidden words, together and apart", *panels).says(
        "In the language: new york 30%, new orleans 20%, los angeles 30%, san diego 20%. If "
        f"each word is named by itself, every pair gets a share: los york gets {percent(wrong)}.",
        caption="Rows: the first word. Columns: the second.",
    )


def orders() -> Drawing:
    panels, said = [], []
    for title, order in (("left to right", (0, 1, 2, 3, 4)), ("another order", (2, 3, 4, 0, 1))):
        canvas, cell = Canvas(328, 246, title), 34.0
        times = torch.tensor(order).argsort().tolist()
        mask = two_stream_masks(torch.tensor(order)).query
        values = [[0.9 if may else None for may in row] for row in mask.tolist()]
        canvas.note(26, 44, "when", anchor="middle")
        canvas.note(252, 30, "may look at")
        table(canvas, 112, 58, values, cell=(cell, cell), written=[[""] * 5] * 5, look="lit",
              rows=WORDS)  # fmt: skip
        canvas.row([112 + cell * (j + 0.5) for j in range(5)], 46, WORDS, size=11)
        for place, time in enumerate(times):
            canvas.box(14, 62 + cell * place, 24, 24, str(time + 1), look="second", size=12)
        panels.append(canvas)
        said.append(", ".join(WORDS[place] for place in order))
    return Picture("An order is a mask", *panels).says(
        f"Under the order {said[0]}, each word is predicted from those to its left. Under the "
        f"order {said[1]}, new is predicted from is, a, city, and york from these and new.",
        caption="Orange: when a word is predicted. Blue: the words it is predicted from.",
    )


def next_place() -> Drawing:
    canvas, xs = Wide(352, 128), [36 + 70.0 * place for place in range(5)]
    boxes = canvas.boxes(xs, 96, 60, 24, ["?", "?", *WORDS[2:]], size=13,
                         look=["second", "second", "quiet", "quiet", "quiet"])  # fmt: skip
    state = canvas.box(xs[4] - 46, 26, 76, 26, "state", look="lit", size=13)
    for box in boxes[2:]:
        canvas.arrow(box.top, state.bottom, look="quiet")
    for number, box in enumerate(boxes[:2]):
        canvas.arrow(state.left, box.top, look="second")
        canvas.note(box.center[0], 64 - 20 * number, ("order 1", "order 2")[number])
    return Picture("One state, two places", canvas).says(
        "The state at city has looked at is, a and city. In one order the first word comes "
        "next, in the other the second word."
    )


def two_streams() -> Drawing:
    xs = (32.0, 98.0, 164.0, 230.0, 296.0)
    panels = []
    for asked, seen in ((0, (2, 3, 4)), (1, (0, 2, 3, 4))):
        canvas = Canvas(328, 176)
        when = ("first", "then")[asked]
        canvas.text(0, 10, f"{when}: which word is at position {asked}?", size=13, anchor="start")
        content = [
            canvas.box(x - 29, 120, 58, 24, word, look="lit" if number in seen else "quiet")
            for number, (x, word) in enumerate(zip(xs, WORDS, strict=True))
        ]
        query = canvas.box(xs[asked] - 29, 36, 58, 24, "?", look="second", size=13)
        for number in seen:
            canvas.arrow(content[number].top, query.bottom, look="lit")
        canvas.text(326, 48, "query $g$", size=13, anchor="end")
        canvas.text(326, 164, "content $h$", size=13, anchor="end")
        panels.append(canvas)
    return Picture("Two streams", *panels).says(
        "The query stream is at a place and looks at the words that come before it in the "
        "order, never at its own. First the place of new looks at is, a and city; then the place "
        "of york looks at new as well. The content stream holds the words."
    )


def never() -> dict[str, float]:
    """Return which share each way of asking gives to pairs that never come."""
    record = results.load(ORDERS)
    return {name: fmean(record.metric(f"new_york.{way}.impossible")) for name, way in ASKED.items()}


def never_come(*, shown: bool = True) -> Drawing:
    canvas, found = Wide(352, 112), never()
    canvas.text(2, 9, "given to pairs that never come", size=12.5, anchor="start")
    hide = () if shown else ("BERT, one by one",)
    bars(canvas, 26, found, longest=0.6, left=130, room=170, form="%", open_=hide,
         looks=("second", "lit", "second"))  # fmt: skip
    if not shown:
        bert, xlnet, _twice = map(percent, found.values())
        return Picture("Pairs that never come, one way of asking open", canvas).says(
            f"BERT, asked for both words at once, gives them {bert}. XLNet, asked for one by "
            f"one, gives them {xlnet}. BERT, asked for one by one, is open.",
            caption="Mean over sentences about cities and about states.",
        )
    said = "; ".join(f"{name} {percent(share)}" for name, share in found.items())
    return Picture("Pairs that never come", canvas).says(
        f"Given to pairs that never come: {said}.",
        caption="Mean over sentences about cities and about states.",
    )


two_words_open = left_open(two_words)
never_open = left_open(never_come)
