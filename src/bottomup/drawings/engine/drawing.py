"""A drawing: one or more canvases side by side, with a name and what it says in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from html import escape

from bottomup.drawings.engine.canvas import Canvas
from bottomup.explorables import Explorable, steps
from bottomup.explorables.shared import bundle
from bottomup.i18n import _

STYLES = "page.css", "drawing.css"  # colours of the page, marks of a drawing


@dataclass(frozen=True, repr=False)
class Drawing:
    """A drawing, as inline SVG. End a cell with it to show it.

    Lines and words have the page's own colour, so that it can be read on a light and a dark page.
    Canvases stand side by side where there is room, else below each other. A viewer that takes
    styles and SVG away, as Jupyter does in a notebook that is not trusted, would leave the SVG's
    words: they stand in what is hidden until the style shows it.

    Args:
        title: its name.
        says: what it shows, in one or two sentences, for readers who hear the page.
        panels: the canvases.
        caption: words below it, if any.
    """

    title: str
    says: str
    panels: tuple[Canvas, ...]
    caption: str = ""

    def __post_init__(self) -> None:
        for name in ("title", "says", "caption"):
            object.__setattr__(self, name, _(getattr(self, name)))

    def __repr__(self) -> str:
        return f"{self.title}: {self.says}"

    def _repr_html_(self) -> str:
        caption = f"<figcaption>{escape(self.caption)}</figcaption>\n" if self.caption else ""
        panels = "\n".join(self.svg(number) for number in range(len(self.panels)))
        return (
            f"<style>\n{style()}</style>\n"
            f'<figure class="bottomup-drawing"><div hidden="hidden">\n{panels}\n</div>\n'
            f"<p>{escape(self.in_words)}</p>\n{caption}</figure>"
        )

    @property
    def in_words(self) -> str:
        """What stands in its place where a viewer takes styles and SVG away."""
        return f"{self!r} {_('(Jupyter draws it in a notebook that is trusted.)')}"

    def svg(self, number: int) -> str:
        """Return one panel; the first one carries the name and the description."""
        panel = self.panels[number]
        # What has links is a group of them; else it is one picture with one description.
        role = "group" if panel.linked else "img"
        said = f"{self.title}. {self.says}" if number == 0 else f"{self.title}, {number + 1}"
        return panel.svg.replace(
            "<svg ", f'<svg class="drawing" role="{role}" aria-label="{escape(said)}" ', 1
        )

    def in_steps(self, says: Sequence[str]) -> Explorable:
        """Return a figure that shows one canvas at a time, each with a sentence below it."""
        svgs = [self.svg(number) for number in range(len(self.panels))]
        return steps(self.title, svgs, [_(each) for each in says])


class Picture:
    """Canvases and their title; what they say makes a `Drawing` of them."""

    def __init__(self, title: str, *panels: Canvas) -> None:
        self.title, self.panels = title, panels

    def says(self, words: str, *, caption: str = "") -> Drawing:
        """Return the drawing that says so in words."""
        return Drawing(self.title, words, self.panels, caption)


@cache
def style() -> str:
    """Return the style sheet of all drawings, as short as it can be: each output holds it."""
    return bundle.short_style("".join(bundle.read(f"shared/{name}") for name in STYLES))


def left_open(draw: Callable[..., Drawing]) -> Callable[[], Drawing]:
    """Return what draws the same with its answers left open, ``draw(shown=False)``."""

    @wraps(draw)
    def asked() -> Drawing:
        return draw(shown=False)

    return asked
