"""A canvas: boxes, arrows, grids and words on a plane of at most 360 units, as wide as a phone.

One unit is one CSS pixel where there is room; x grows to the right, y downwards. What a mark looks
like is said by a word: "" for the page's own colour, "lit" for the subject of the drawing,
"second" for what it is told from, "quiet" for what stands in the background.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from bottomup.drawings.engine.words import spans, width

WIDEST = 360  # the text column of a page on a phone of 390 px
LOOKS = ("", "lit", "second", "quiet")
SIZE, SMALL = 13.0, 11.0  # of words
LINE = 1.25  # from one line of words to the next, in sizes
HEAD = 6.0  # length of an arrow's head
TIP = 2.0  # between an arrow's head and what it points at

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle on a canvas; arrows start and end in the middles of its sides."""

    x: float
    y: float
    width: float
    height: float

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
    """A plane to draw on; `svg` is what has been drawn.

    Raises:
        ValueError: it is wider than a phone, a look is none of `LOOKS`, or words do not fit.
    """

    width: float
    height: float
    marks: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    linked: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.width <= WIDEST:
            raise ValueError(f"width: expected at most {WIDEST}, got {self.width}")

    def box(
        self, x: float, y: float, width: float, height: float, label: str = "", *,
        look: str = "", size: float = SIZE, href: str = "",
    ) -> Box:  # fmt: skip
        """Draw a rectangle with words in its middle, as a link where `href` is given."""
        made = Box(x, y, width, height)
        corners = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        self._open(href)
        self.marks.append(f'<rect{_named("box", look)} {corners} rx="4"/>')
        if label:
            self.text(*made.center, label, look=look, size=size, room=width - 4)
        self._close(href)
        return made

    def text(
        self, x: float, y: float, words: str, *,
        look: str = "", size: float = SIZE, anchor: str = "middle", room: float = math.inf,
        href: str = "",
    ) -> None:  # fmt: skip
        """Write words around the height `y`; a line break begins a new line, ``$x_1$`` a symbol.

        `anchor` says which end of the words is at `x`: "start", "middle" or "end".
        """
        lines = words.split("\n")
        ends = {"start": self.width - x, "end": x, "middle": 2 * min(x, self.width - x)}
        room = min(room, ends[anchor])
        for line in lines:
            if width(line, size) > room:
                raise ValueError(f"words: {line!r} needs {width(line, size):.0f}, got {room:.0f}")
        first = y + size * 0.35 - (len(lines) - 1) * size * LINE / 2
        self._open(href)
        for number, line in enumerate(lines):
            place = f'x="{x:g}" y="{first + number * size * LINE:.1f}" font-size="{size:g}"'
            end = "" if anchor == "middle" else f' text-anchor="{anchor}"'
            self.marks.append(f"<text{_named('', look)} {place}{end}>{spans(line, size)}</text>")
        self._close(href)
        self.words.extend(lines)

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

    def dot(self, x: float, y: float, radius: float = 3.0, *, look: str = "") -> None:
        """Draw a filled circle."""
        self.marks.append(f'<circle{_named("dot", look)} cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')

    def grid(
        self, x: float, y: float, values: Sequence[Sequence[float | None]], *,
        cell: float = 18.0, look: str = "lit", written: str = "",
        rows: Sequence[str] = (), columns: Sequence[str] = (),
    ) -> Box:  # fmt: skip
        """Draw a tensor of two axes: each value, from 0 to 1, as the strength of a cell's colour.

        None is a cell that is masked. `rows` stand left of the grid, `columns` above it, `written`
        is the format of a value that is to be read in its cell, such as ".1f".
        """
        made = Box(x, y, cell * len(values[0]), cell * len(values))
        for i, row in enumerate(values):
            for j, value in enumerate(row):
                corner = f'x="{x + j * cell:g}" y="{y + i * cell:g}"'
                shape = f'{corner} width="{cell:g}" height="{cell:g}"'
                shade = "" if value is None else f' style="--part:{value:.2g}"'
                name = _named("masked" if value is None else "cell", look)
                self.marks.append(f"<rect{name} {shape}{shade}/>")
                if written and value is not None:
                    middle = x + (j + 0.5) * cell, y + (i + 0.5) * cell
                    self.text(*middle, format(value, written), size=SMALL)
        for i, name in enumerate(rows):
            self.text(x - 5, y + (i + 0.5) * cell, name, size=SMALL, anchor="end")
        for j, name in enumerate(columns):
            self.text(x + (j + 0.5) * cell, y - 8, name, size=SMALL)
        return made

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

    def _open(self, href: str) -> None:
        if href:
            self.linked = True
            self.marks.append(f'<a href="{escape(href)}">')

    def _close(self, href: str) -> None:
        if href:
            self.marks.append("</a>")


def _named(kind: str, look: str) -> str:
    """Return the class of a mark."""
    if look not in LOOKS:
        raise ValueError(f"look: expected one of {LOOKS}, got {look!r}")
    names = " ".join(name for name in (kind, look) if name)
    return f' class="{names}"' if names else ""
