"""A canvas: boxes, arrows, grids and words on a plane of at most 360 units, as wide as a phone.

One unit is one CSS pixel where there is room; x grows to the right, y downwards. What a mark looks
like is said by a word: "" for the page's own colour, "lit" for the subject of the drawing,
"second" for what it is told from, "quiet" for what stands in the background.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bottomup.drawings.engine.words import spans, width
from bottomup.i18n import _

WIDEST = 360  # the text column of a page on a phone of 390 px
LOOKS = ("", "lit", "second", "quiet")
SIZE, SMALL = 13.0, 11.0  # of words
LINE = 1.25  # from one line of words to the next, in sizes
HEAD = 6.0  # length of an arrow's head
TIP = 2.0  # between an arrow's head and what it points at

Point = tuple[float, float]
Table = Sequence[Sequence[float | None]] | NDArray[np.float64]


@dataclass(frozen=True)
class Box:
    """A rectangle on a canvas; arrows start and end in the middles of its sides."""

    x: float
    y: float
    width: float
    height: float

    @property
    def svg(self) -> str:
        """Its corner and its size, as SVG has them."""
        return f'x="{self.x:g}" y="{self.y:g}" width="{self.width:g}" height="{self.height:g}"'

    @property
    def center(self) -> Point:
        """The middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def top(self) -> Point:
        """The middle of the upper side."""
        return self.center[0], self.y

    @property
    def bottom(self) -> Point:
        """The middle of the lower side."""
        return self.center[0], self.y + self.height

    @property
    def left(self) -> Point:
        """The middle of the left side."""
        return self.x, self.center[1]

    @property
    def right(self) -> Point:
        """The middle of the right side."""
        return self.x + self.width, self.center[1]


@dataclass
class Canvas:
    """A plane to draw on, with a heading, if any; `svg` is what has been drawn.

    Raises:
        ValueError: it is wider than a phone, a look is none of `LOOKS`, or words do not fit.
    """

    width: float
    height: float
    heading: str = ""
    marks: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    linked: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.width <= WIDEST:
            raise ValueError(f"width: expected at most {WIDEST}, got {self.width}")
        self.text(self.width / 2, 11, self.heading, size=12.5)

    def box(
        self, x: float, y: float, width: float, height: float, label: str = "", *,
        look: str = "", size: float = SIZE, href: str = "",
    ) -> Box:  # fmt: skip
        """Draw a rectangle with words in its middle, as a link where `href` is given."""
        made = Box(x, y, width, height)
        self.marks.append(f'<rect{_named("box", look)} {made.svg} rx="4"/>')
        if href:
            self._link(made, label, look=look, size=size, href=href)
        else:
            self.text(*made.center, label, look=look, size=size, room=width - 4)
        return made

    def text(
        self, x: float, y: float, words: str, *,
        look: str = "", size: float = SIZE, anchor: str = "middle", room: float = math.inf,
    ) -> None:  # fmt: skip
        """Write words, if any, around the height `y`; ``$x_1$`` is a symbol.

        A line break begins a new line. `anchor` says which end of the words is at `x`: "start",
        "middle" or "end".
        """
        if not words:
            return
        lines = _(words).split("\n")
        ends = {"start": self.width - x, "end": x, "middle": 2 * min(x, self.width - x)}
        room = min(room, ends[anchor])
        for line in lines:
            _check_room(line, size, room)
        first = y + size * 0.35 - (len(lines) - 1) * size * LINE / 2
        for number, line in enumerate(lines):
            place = f'x="{x:g}" y="{first + number * size * LINE:.1f}" font-size="{size:g}"'
            end = "" if anchor == "middle" else f' text-anchor="{anchor}"'
            self.marks.append(f"<text{_named('', look)} {place}{end}>{spans(line, size)}</text>")
        self.words.extend(lines)

    def note(self, x: float, y: float, words: str, *, anchor: str = "middle") -> None:
        """Write small words that stay in the background, as `text` does."""
        self.text(x, y, words, look="quiet", size=SMALL, anchor=anchor)

    def row(
        self, xs: Sequence[float], y: float, words: Iterable[str], *,
        look: str = "", size: float = SIZE,
    ) -> None:  # fmt: skip
        """Write words beside each other, one around each of `xs`."""
        for x, word in zip(xs, words, strict=True):
            self.text(x, y, word, look=look, size=size)

    def boxes(
        self, xs: Sequence[float], y: float, width: float, height: float,
        labels: Sequence[str] = (), *, look: str | Sequence[str] = "", size: float = SIZE,
    ) -> list[Box]:  # fmt: skip
        """Draw alike boxes beside each other, the middle of one at each of `xs`."""
        each = zip(xs, labels or [""] * len(xs), _looks(look, len(xs)), strict=True)
        return [
            self.box(x - width / 2, y, width, height, label, look=own, size=size)
            for x, label, own in each
        ]

    def line(self, *points: Point, look: str = "") -> None:
        """Draw a line through the points."""
        path = "M" + " L".join(f"{x:g} {y:g}" for x, y in points)
        self.marks.append(f'<path{_named("line", look)} d="{path}"/>')

    def arrow(self, *points: Point, look: str = "") -> None:
        """Draw a line through the points, with a head just before the last one."""
        (x0, y0), (x, y) = points[-2:]
        length = math.hypot(x - x0, y - y0)
        if length == 0:
            raise ValueError(f"points: the last two are the same, {points[-1]}")
        dx, dy = (x - x0) / length, (y - y0) / length
        x, y = x - TIP * dx, y - TIP * dy
        base = x - HEAD * dx, y - HEAD * dy
        self.line(*points[:-1], base, look=look)
        half = HEAD / 2
        left = base[0] - half * dy, base[1] + half * dx
        right = base[0] + half * dy, base[1] - half * dx
        corners = " ".join(f"{a:.1f},{b:.1f}" for a, b in ((x, y), left, right))
        self.marks.append(f'<polygon{_named("head", look)} points="{corners}"/>')

    def arrows(
        self, xs: Sequence[float], start: float, end: float, *, look: str | Sequence[str] = ""
    ) -> None:
        """Draw upright arrows beside each other, one at each of `xs`."""
        for x, own in zip(xs, _looks(look, len(xs)), strict=True):
            self.arrow((x, start), (x, end), look=own)

    def chain(self, *boxes: Box, look: str = "") -> None:
        """Draw an arrow from each box to the next, between the sides that face each other."""
        for one, other in pairwise(boxes):
            if one.right[0] <= other.x:
                ends = one.right, other.left
            elif other.right[0] <= one.x:
                ends = one.left, other.right
            elif other.bottom[1] <= one.y:
                ends = one.top, other.bottom
            else:
                ends = one.bottom, other.top
            self.arrow(*ends, look=look)

    def plus(self, x: float, y: float) -> Box:
        """Draw an addition around a point."""
        return self.box(x - 8, y - 8, 16, 16, "+")

    def beside(
        self, x: float, ys: tuple[float, float, float], layer: Box, into: Box, *, look: str = ""
    ) -> Box:
        """Draw how a layer reads and changes the stream that runs upwards at `x`.

        `ys` are the heights at which the stream comes from below, at which a way leads off it,
        `into` the layer or its norm, and at which the layer's result is added. Return the addition.
        """
        below, fork, joins = ys
        self.arrow((x, fork), (into.bottom[0], fork), into.bottom)
        self.arrow(layer.top, (layer.top[0], joins), (x + 8, joins))
        self.line((x, below), (x, joins + 8), look=look)
        return self.plus(x, joins)

    def bar(
        self, x: float, y: float, length: float, height: float, value: str, *, look: str = "lit"
    ) -> None:
        """Draw a bar from `x` to the right, if it has a length, and its value behind it."""
        if length:
            self.box(x, y, length, height, look=look)
        self.text(x + length + 6, y + height / 2, value, size=SMALL, anchor="start")

    def column(
        self, x: float, floor: float, width: float, height: float, value: str = "", *,
        look: str = "lit",
    ) -> None:  # fmt: skip
        """Draw a bar from `floor` upwards, if it has a height, and its value above it."""
        if height:
            self.box(x, floor - height, width, height, look=look)
        self.text(x + width / 2, floor - height - 9, value, size=SMALL)

    def dot(self, x: float, y: float, radius: float = 3.0, *, look: str = "") -> None:
        """Draw a filled circle."""
        self.marks.append(f'<circle{_named("dot", look)} cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')

    def thread(self, start: Point, end: Point, thick: float, *, look: str = "") -> None:
        """Draw a line with round ends, as thick as a number is large."""
        (x, y), (a, b) = start, end
        self._round(f"M{x:g} {y:g}L{a:g} {b:g}", f"{thick:.2g}", look)

    def dots(self, places: Iterable[tuple[float, float]], radius: float, *, look: str = "") -> None:
        """Draw filled circles in one mark: lines of no length with round ends."""
        self._round("".join(f"M{x:g} {y:g}h0" for x, y in places), f"{2 * radius:g}", look)

    def _round(self, path: str, thick: str, look: str) -> None:
        """Draw lines with round ends, whose class is named for the dots that such ends make."""
        self.marks.append(f'<path{_named("dots", look)} stroke-width="{thick}" d="{path}"/>')

    def grid(
        self, x: float, y: float, values: Table, *,
        cell: float = 18.0, look: str = "lit", written: str | Sequence[Sequence[str]] = "",
        rows: Sequence[str] = (), columns: Sequence[str] = (),
    ) -> Box:  # fmt: skip
        """Draw a tensor of two axes: each value, from 0 to 1, as the strength of a cell's colour.

        None is a cell that is masked. `rows` stand left of the grid, `columns` above it. `written`
        is what is to be read in the cells: the format of the values, such as ".1f", or the words.
        """
        made = Box(x, y, cell * len(values[0]), cell * len(values))
        for i, row in enumerate(values):
            for j, value in enumerate(row):
                words = "" if isinstance(written, str) else written[i][j]
                if isinstance(written, str) and written and value is not None:
                    words = format(value, written)
                place = Box(x + j * cell, y + i * cell, cell, cell)
                self.shaded(place, value, words, look=look, size=SMALL)
        for i, name in enumerate(rows):
            self.text(x - 5, y + (i + 0.5) * cell, name, size=SMALL, anchor="end")
        for j, name in enumerate(columns):
            self.text(x + (j + 0.5) * cell, y - 8, name, size=SMALL)
        return made

    def shaded(
        self, place: Box, value: float | None, words: str, *,
        look: str, size: float, faded: str = "",
    ) -> None:  # fmt: skip
        """Draw a cell as strong as a value, masked if it is None; `faded` is how its words look."""
        shade = "" if value is None else f' style="--part:{value:.2g}"'
        name = _named("masked" if value is None else "cell", look)
        self.marks.append(f"<rect{name} {place.svg}{shade}/>")
        self.text(*place.center, words, look=faded, size=size)

    def key(self, x: float, y: float, words: str, *, look: str, part: float) -> None:
        """Draw a cell, as strong as `part`, and behind it what its colour means."""
        self.grid(x, y, [[part]], cell=14, look=look)
        self.text(x + 20, y + 7, words, size=SMALL, anchor="start")

    def cells(
        self, x: float, y: float, places: Sequence[tuple[int, int]], *,
        cell: float, look: str = "lit", part: float | None = 1.0,
    ) -> None:  # fmt: skip
        """Draw cells of a grid that are alike, at (row, column): far fewer bytes than `grid`."""
        corners = ((x + column * cell, y + row * cell) for row, column in places)
        path = "".join(f"M{a:g} {b:g}h{cell:g}v{cell:g}h-{cell:g}z" for a, b in corners)
        shade = "" if part is None else f' style="--part:{part:.2g}"'
        name = _named("masked" if part is None else "cell", look)
        self.marks.append(f'<path{name} d="{path}"{shade}/>')

    @property
    def svg(self) -> str:
        """The SVG of what has been drawn; `Drawing` gives it a name."""
        view = f'viewBox="0 0 {self.width:g} {self.height:g}" width="{self.width:g}"'
        return f"<svg {view}>\n" + "\n".join(self.marks) + "\n</svg>"

    def link(
        self, x: float, y: float, words: str, href: str, *, look: str = "", size: float = SIZE
    ) -> None:
        """Write words around a point, as a link."""
        wide, high = width(words, size) + 8, size + 6
        place = Box(x - wide / 2, y - high / 2, wide, high)
        self._link(place, words, look=look, size=size, href=href)

    def _link(self, place: Box, words: str, *, look: str, size: float, href: str) -> None:
        """Write words in the middle of a place, all of which is the link.

        It is HTML inside the SVG: JupyterLab writes the address of each link of an output anew, and
        fails at a link of SVG, whose address cannot be set.
        """
        words = _(words)
        _check_room(words, size, place.width - 4)
        self.linked = True
        self.words.append(words)
        self.marks.append(
            f'<foreignObject {place.svg}><a href="{escape(href)}"{_named("", look)}'
            f' style="font-size:{size:g}px">{escape(words)}</a></foreignObject>'
        )


@dataclass
class Wide(Canvas):
    """A canvas that is shown larger than it is drawn, as wide as the column of a page.

    Its units stay those of a canvas, so that on a phone, where there is no room, it is as readable.
    """

    scale: float = 1.9

    @property
    def svg(self) -> str:
        """The SVG of what has been drawn."""
        own, larger = (f'width="{width:g}">' for width in (self.width, self.scale * self.width))
        return super().svg.replace(own, larger, 1)


def _check_room(words: str, size: float, room: float) -> None:
    if width(words, size) > room:
        raise ValueError(f"words: {words!r} needs {width(words, size):.0f}, got {room:.0f}")


def _looks(look: str | Sequence[str], count: int) -> Sequence[str]:
    """Return a look for each of some marks."""
    return [look] * count if isinstance(look, str) else look


def _named(kind: str, look: str) -> str:
    """Return the class of a mark."""
    if look not in LOOKS:
        raise ValueError(f"look: expected one of {LOOKS}, got {look!r}")
    names = " ".join(name for name in (kind, look) if name)
    return f' class="{names}"' if names else ""
