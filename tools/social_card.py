"""Draw the picture that stands beside a shared link: the logo, the title and what the book does.

    python -m tools.social_card

It reads the logo's squares, so that both stay the same, and writes `book/_static/social_card.png`.
"""

from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from tools.notebooks.paths import ROOT

LOGO = ROOT / "book/_static/logo.svg"
CARD = ROOT / "book/_static/social_card.png"
SIZE = (1200, 630)  # pixels, the shape that sites show uncut
INK, SOFT = "#1b2733", "#51606e"
GROUP, RECT = (f"{{http://www.w3.org/2000/svg}}{name}" for name in ("g", "rect"))


def draw_logo(ax: Axes, left: float, top: float, scale: float) -> None:
    """Draw the squares of the logo; `left` and `top` in pixels, `scale` pixels for each unit."""
    for group in ElementTree.parse(LOGO).iter(GROUP):
        for square in group.iter(RECT):
            x, y, side, radius = (
                float(square.get(k, 0)) * scale for k in ("x", "y", "width", "rx")
            )
            inner = side - 2 * radius
            box = FancyBboxPatch(
                (left + x + radius, top + y + radius), inner, inner, f"round,pad={radius}", lw=0
            )
            box.set(facecolor=group.get("fill"), alpha=float(group.get("opacity", 1)))
            ax.add_patch(box)


def draw_card(path: Path = CARD) -> None:
    """Write the card as a PNG of `SIZE` pixels."""
    width, height = SIZE
    figure = plt.figure(figsize=(width / 100, height / 100), dpi=100, facecolor="white")
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    ax.axis("off")
    draw_logo(ax, left=80, top=165, scale=300 / 62)
    for text, y, size, weight, color in (
        ("Transformers", 215, 44, "bold", INK),
        ("from the Bottom Up", 282, 44, "bold", INK),
        ("Build each part, measure it,", 372, 25, "normal", SOFT),
        ("and check what the papers found.", 414, 25, "normal", SOFT),
    ):
        ax.text(440, y, text, size=size, weight=weight, color=color, va="center")
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    draw_card()
