"""Tables with words at rows and columns, and where a word looks, layer by layer."""

from collections.abc import Sequence

import numpy as np

from bottomup.drawings.engine.canvas import WIDEST, Box, Canvas, Table
from bottomup.drawings.engine.drawing import Drawing
from bottomup.drawings.engine.words import width
from bottomup.i18n import _

NAMES, NUMBERS = 12.5, 12.0  # sizes of words
NOTHING = "0", "0%"  # written in the background
Weights = Sequence[float] | None  # of a word on each word; None where they are still to be found


def column_names(*, place: bool = False) -> list[str]:
    """Return the names of the columns of `bottomup.data.by_hand`, in the reader's language.

    Args:
        place: whether the rows have the last column too, in which each word's place stands.
    """
    names = _("animal, food, eats, state, pronoun, place").split(", ")
    return names if place else names[:-1]


def table(
    canvas: Canvas, x: float, y: float, values: Table, *,
    cell: tuple[float, float], written: Sequence[Sequence[str]], look: str = "",
    rows: Sequence[str] = (), columns: Sequence[str] = (), frame: int | None = None,
) -> Box:  # fmt: skip
    """Draw a table whose cells may be wider than high, as `Canvas.grid` draws a tensor.

    Args:
        canvas: on which to draw.
        x: the left side of the cells.
        y: their upper side.
        values: from 0 to 1, the strength of a cell's colour; None is a cell that is masked.
        cell: width and height of a cell.
        written: what is to be read in the cells; a zero stays in the background.
        look: the colour of the cells.
        rows: names, left of the cells.
        columns: names, above the cells.
        frame: the row in a frame, if any.
    """
    wide, tall = cell
    made = Box(x, y, wide * len(values[0]), tall * len(values))
    if frame is not None and not look:  # whose colour would hide that of other cells
        canvas.box(x - 3, y + frame * tall - 1, made.width + 6, tall + 2, look="lit")
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            place, words = Box(x + j * wide, y + i * tall, wide, tall), written[i][j]
            faded = "quiet" if words in NOTHING else ""
            canvas.shaded(place, value, words, look=look, size=NUMBERS, faded=faded)
    if frame is not None and look:
        left, right, top, low = x - 2, x + made.width + 2, y + frame * tall, y + (frame + 1) * tall
        around = (right, top), (right, low), (left, low)
        canvas.line((left - 1, top), *around, (left, top), look="lit")
    for i, name in enumerate(rows):
        canvas.text(x - 8, y + (i + 0.5) * tall, name, size=NAMES, anchor="end")
    for j, name in enumerate(columns):
        canvas.text(x + (j + 0.5) * wide, y - 10, name, size=11)
    return made


def percent(share: float) -> str:
    """Return a share as it is written in a cell."""
    return f"{100 * share:.0f}%"


def where_it_looks(
    sentences: Sequence[Sequence[str]], weights: Sequence[Sequence[Weights]], *,
    names: Sequence[str] = (), word: str = "it", asker: str = "",
) -> Drawing:  # fmt: skip
    """Draw how much of its weight a word gives to each word of its sentence, layer by layer.

    Each sentence is a list of its words with a column for each layer. Two sentences of two layers
    stand side by side on a phone; where there is no room for that, one stands below the other.

    Args:
        sentences: the words of each sentence.
        weights: for each sentence and each layer the weight of `word` on every word of the
            sentence, from 0 to 1; None instead of a layer's weights leaves it open, with "?".
        names: of the layers; "layer 1", "layer 2", ... where none are given.
        word: the word that looks. Its first place in each sentence is marked.
        asker: who looks in its stead, where that is no word of the sentences: a decoder's token.

    Raises:
        ValueError: an argument does not fit the others, `word` is not in a sentence, a weight is
            not from 0 to 1, or there are more layers than a phone has room for.
    """
    layers = _layers(sentences, weights, word)
    names = names or [_("layer {number}").format(number=n + 1) for n in range(layers)]
    if len(names) != layers:
        raise ValueError(f"names: expected {layers}, one for each layer, got {len(names)}")
    left = 16 + max(width(each, NAMES) for sentence in sentences for each in sentence)
    needs = max(width(name, NUMBERS) for name in names) + 6
    room = (WIDEST - 8) / 2
    beside = 2 if len(sentences) > 1 and left + layers * needs <= room - 2 else 1
    if beside == 1:
        room = WIDEST
    wide = min((room - 2 - left) / layers, 72)
    if wide < needs:
        raise ValueError(f"weights: expected fewer layers than {layers}, or shorter names")
    panels = []
    pairs = list(zip(sentences, weights, strict=True))
    for first in range(0, len(pairs), beside):
        group = pairs[first : first + beside]
        tall = max(len(sentence) for sentence, _rows in group)
        canvas = Canvas(left + layers * wide + (beside - 1) * (WIDEST - room) + 2, 26 + 25 * tall)
        for number, (sentence, rows) in enumerate(group):
            _list(canvas, number * (WIDEST - room) + left, wide, sentence, rows, names, word)
        panels.append(canvas)
    return Drawing(
        title=_("Where a word looks"),
        says=_most(sentences, weights, names, asker or word),
        panels=tuple(panels),
    )


def _list(
    canvas: Canvas, x: float, wide: float, words: Sequence[str], weights: Sequence[Weights],
    names: Sequence[str], word: str,
) -> None:  # fmt: skip
    """Draw the list of one sentence, its cells from `x` on."""
    tall, place = 24.0, list(words).index(word)
    shares = np.array([[0.0] * len(words) if row is None else row for row in weights]).T
    written = [["?" if row is None else percent(row[i]) for row in weights]
               for i in range(len(words))]  # fmt: skip
    wider = width(word, NAMES) + 8
    canvas.box(x - 4 - wider, 25 + place * tall, wider, tall - 2, look="lit")
    table(canvas, x, 24, shares, cell=(wide, tall), written=written, look="lit", rows=words,
          columns=names)  # fmt: skip


def _most(
    sentences: Sequence[Sequence[str]], weights: Sequence[Sequence[Weights]],
    names: Sequence[str], word: str,
) -> str:  # fmt: skip
    """Return at which word the word looks most in each layer, in words."""
    said = []
    for sentence, rows in zip(sentences, weights, strict=True):
        spoken = " ".join(sentence).removesuffix(" .")
        for name, row in zip(names, rows, strict=True):
            if row is None:
                continue
            most = max(range(len(row)), key=row.__getitem__)
            where = _("{layer}: {word} gives {share} of its weight to {most}.")
            if spoken:
                where = _("In “{sentence}”, {layer}: {word} gives {share} of its weight to {most}.")
            said.append(where.format(
                sentence=spoken, layer=name, word=word, share=percent(row[most]),
                most=sentence[most],
            ))  # fmt: skip
            spoken = ""
    return " ".join(said)


def _layers(
    sentences: Sequence[Sequence[str]], weights: Sequence[Sequence[Weights]], word: str
) -> int:
    """Return the number of layers of each sentence."""
    if not sentences or len(weights) != len(sentences):
        raise ValueError(
            f"weights: expected one entry for each of {len(sentences)} sentences, "
            f"got {len(weights)}"
        )
    for sentence, rows in zip(sentences, weights, strict=True):
        if word not in sentence:
            raise ValueError(f"word: expected a word of {list(sentence)}, got {word!r}")
        for row in rows:
            if row is None:
                continue
            if len(row) != len(sentence):
                raise ValueError(
                    f"weights: expected {len(sentence)}, one for each word, got {len(row)}"
                )
            if not all(0 <= share <= 1 for share in row):
                raise ValueError(f"weights: expected numbers from 0 to 1, got {list(row)}")
    counts = {len(rows) for rows in weights}
    if len(counts) > 1 or counts == {0}:
        raise ValueError(f"weights: expected as many layers in each sentence, got {counts}")
    return counts.pop()
