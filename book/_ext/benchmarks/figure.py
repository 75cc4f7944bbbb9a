"""The ratios or the times of a benchmark, drawn when the page is made."""

import os
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from docutils import nodes
from matplotlib.figure import Figure
from sphinx.environment import BuildEnvironment

from bottomup.i18n import _
from bottomup.plotting import ratio_dots, scaling_curves, use_style
from bottomup.results import Benchmark

from .tables import side, way, what

SIDES = ("strided", "fixed", "causal", "masked", "flex-strided")  # of those over n


def drawn(env: BuildEnvironment, name: str, measured: Benchmark) -> nodes.figure:
    """Return the figure with its caption and a text for it; the same numbers give the same file."""
    path = Path(env.app.doctreedir) / "benchmarks" / Path(name).with_suffix(".svg")
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.switch_backend("agg")
    # In English: matplotlib's font has no Hangul.
    language = os.environ.pop("BOTTOMUP_LANGUAGE", None)
    try:
        with mpl.rc_context({"svg.hashsalt": path.name}):
            use_style()
            picture = times(measured) if measured.is_over_n else ratios(measured)
            picture.savefig(path, metadata={"Date": None})
            plt.close(picture)
    finally:
        if language is not None:
            os.environ["BOTTOMUP_LANGUAGE"] = language
    address = "/" + Path(os.path.relpath(path, env.srcdir)).as_posix()
    image = nodes.image("", uri=address, alt=_("Dots with bars; the tables hold the numbers."))
    return nodes.figure("", image, nodes.caption("", caption(measured)))


def caption(measured: Benchmark) -> str:
    """Say what the figure shows."""
    if measured.is_over_n:
        return _(
            "Time over the number of positions, on one row. Dots are medians over the rounds, bars "
            "reach from quartile to quartile; most are smaller than the dots. Both axes are "
            "logarithmic: a line of slope 2 grows with the square of n."
        )
    return _(
        "Our time over the other side's. Dots are medians over the rounds, bars reach from "
        "quartile to quartile. At the line both take the same time."
    )


def ratios(measured: Benchmark) -> Figure:
    """Return the ratios in a panel for each mask; of attention, those with a backward pass."""
    cases = [case for case in measured.cases if case.backward or case.layers]
    panels: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    rows: dict[str, None] = {}
    for case in cases:
        weights = "with weights" if case.need_weights else "without weights"
        title = "" if case.layers else f"{case.mask} mask, {weights}"
        panel = panels.setdefault(title, {peer: [] for peer in case.ratio})
        for peer, ratio in case.ratio.items():
            panel[peer].append((ratio.q1, ratio.median, ratio.q3))
        rows[" · ".join(what(case)) if case.layers else f"n = {case.n}"] = None
    figure = ratio_dots(panels, list(rows))[0].get_figure(root=True)
    assert figure is not None  # the axes were drawn just now
    return figure


def times(measured: Benchmark) -> Figure:
    """Return the times on one row: the forward pass above, with the backward pass below."""
    figure, axes = plt.subplots(2, figsize=(5.6, 6.8), layout="constrained")
    for ax, backward in zip(axes, (False, True), strict=True):
        here = [name for name in SIDES if measured.series(name, backward=backward)]
        found = measured.times(*here, backward=backward)
        series = {side(name): points for name, points in found.items()}
        guides = {side("causal"): 2, side("strided"): 1.5}
        scaling_curves(series, xlabel="n", ylabel="ms", guides=guides, ax=ax)
        ax.set_title(way(backward))
    return figure
