"""The ratios or the times of a benchmark, drawn when the page is made."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from docutils import nodes
from matplotlib.figure import Figure
from sphinx.environment import BuildEnvironment

from bottomup.i18n import _
from bottomup.plotting import ratio_dots, use_style
from bottomup.results import (
    AttentionBenchmark,
    Benchmark,
    DecodingBenchmark,
    ScalingBenchmark,
    TrainingBenchmark,
)
from bottomup.results.speed import Panels

from . import scaling
from .tables import batch


def ratios(env: BuildEnvironment, name: str, measured: Benchmark) -> nodes.figure:
    """Return the figure with its caption and a text for it."""
    path = Path(env.app.doctreedir) / "benchmarks" / Path(name).with_suffix(".svg")
    draw(path, measured)
    address = "/" + Path(os.path.relpath(path, env.srcdir)).as_posix()
    image = nodes.image("", uri=address, alt=_("Dots with bars; the tables hold the numbers."))
    return nodes.figure("", image, nodes.caption("", caption(measured)))


def caption(measured: Benchmark) -> str:
    """Say what the figure shows."""
    if isinstance(measured, ScalingBenchmark):
        return scaling.caption()
    whats = {TrainingBenchmark: _("Training step"), DecodingBenchmark: _("Greedy decoding")}
    what = whats.get(type(measured), _("Forward and backward pass"))
    return _(
        "{what}: our time over the other side's. Dots are medians over the rounds, bars reach from "
        "quartile to quartile. At the line both take the same time."
    ).format(what=what)


def panels(measured: Benchmark) -> tuple[Panels, list[str]]:
    """Return the ratios panel by panel, and the names of the rows of each."""
    if isinstance(measured, TrainingBenchmark):
        names = [f"{d_model} · {batch} × {n}" for d_model, batch, n in measured.batches]
        return measured.ratio_panels(), names
    if isinstance(measured, DecodingBenchmark):
        rows = [f"{c.layers} + {c.layers} · {c.d_model} · {batch(c)}" for c in measured.cases]
        return measured.ratio_panels(), rows
    if isinstance(measured, AttentionBenchmark):
        return measured.ratio_panels(backward=True), [f"n = {size}" for size in measured.sizes]
    raise TypeError(f"no panels for {type(measured).__name__}")


def draw(path: Path, measured: Benchmark) -> None:
    """Write the picture; the same numbers give the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.switch_backend("agg")
    with mpl.rc_context({"svg.hashsalt": path.name}), in_english():
        use_style()
        drawn = picture(measured)
        drawn.savefig(path, metadata={"Date": None})
        plt.close(drawn)


@contextmanager
def in_english() -> Iterator[None]:
    """Say in English what is said inside: matplotlib's font has no Hangul."""
    before = os.environ.pop("BOTTOMUP_LANGUAGE", None)
    try:
        yield
    finally:
        if before is not None:
            os.environ["BOTTOMUP_LANGUAGE"] = before


def picture(measured: Benchmark) -> Figure:
    """Return what is drawn: times over n, or ratios."""
    if isinstance(measured, ScalingBenchmark):
        return scaling.figure(measured)
    figure = ratio_dots(*panels(measured))[0].get_figure(root=True)
    assert figure is not None  # the axes were drawn just now
    return figure
