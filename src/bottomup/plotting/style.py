"""One style for all figures of the course."""

import matplotlib as mpl
from cycler import cycler

# Okabe and Ito's colours, which stay apart for colour-blind readers. Their yellow is left out: a
# yellow line on a light ground is too faint to read.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY_BLUE, BLACK = "#E69F00", "#56B4E9", "#000000"
COLORS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY_BLUE, BLACK)

INK, FAINT, CARD = "#222222", "#d9d9d9", "#fdfdfb"


def use_style() -> None:
    """Set matplotlib's defaults to the course's style.

    Figures stand on an opaque, nearly white card, so that a stored picture reads well on a light
    and on a dark page. Lines take Okabe and Ito's colours in order.

    Example:
        >>> use_style()
        >>> mpl.rcParams["axes.spines.top"]
        False
    """
    mpl.rcParams.update(
        {
            "figure.facecolor": CARD,
            "savefig.facecolor": CARD,
            "savefig.bbox": "tight",
            "savefig.dpi": 110,
            "figure.dpi": 110,
            "figure.figsize": (5.6, 3.4),
            "figure.constrained_layout.use": True,
            "axes.facecolor": CARD,
            "axes.edgecolor": INK,
            "axes.labelcolor": INK,
            "axes.prop_cycle": cycler(color=COLORS),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 11,
            "axes.titlelocation": "left",
            "axes.labelsize": 10,
            "axes.grid": False,
            "grid.color": FAINT,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "xtick.labelsize": 9,
            "ytick.labelsize": 9,
            "lines.linewidth": 1.8,
            "lines.markersize": 5,
            "legend.frameon": False,
            "legend.fontsize": 9,
            "legend.title_fontsize": 9,
            "font.family": "DejaVu Sans",
        }
    )
