"""The ratios of a benchmark, drawn when the page is made."""

import os
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from docutils import nodes
from sphinx.environment import BuildEnvironment

from bottomup.i18n import _
from bottomup.plotting import ratio_dots, use_style
from bottomup.results import Benchmark


def ratios(env: BuildEnvironment, name: str, measured: Benchmark) -> nodes.figure:
    """Return the figure of forward and backward passes, with its caption and a text for it."""
    path = Path(env.app.doctreedir) / "benchmarks" / Path(name).with_suffix(".svg")
    draw(path, measured)
    address = "/" + Path(os.path.relpath(path, env.srcdir)).as_posix()
    image = nodes.image("", uri=address, alt=_("Dots with bars; the tables hold the numbers."))
    return nodes.figure("", image, nodes.caption("", caption()))


def caption() -> str:
    """Say what the figure shows."""
    return _(
        "Forward and backward pass: our time over the peer's. Dots are medians over the rounds, "
        "bars reach from quartile to quartile. At the line both take the same time."
    )


def draw(path: Path, measured: Benchmark) -> None:
    """Write the picture; the same numbers give the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.switch_backend("agg")
    with mpl.rc_context({"svg.hashsalt": path.name}):
        use_style()
        labels = [f"n = {size}" for size in measured.sizes]
        axes = ratio_dots(measured.ratio_panels(backward=True), labels)
        axes[0].figure.savefig(path, metadata={"Date": None})
        plt.close(axes[0].figure)
