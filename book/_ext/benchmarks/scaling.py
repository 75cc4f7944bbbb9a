"""The cost of attention over the number of positions: tables, aims and figure."""

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
from docutils import nodes
from matplotlib.figure import Figure

from bottomup.i18n import _
from bottomup.plotting import scaling_curves
from bottomup.results import Aim, ScalingBenchmark, ScalingCase, Spread
from bottomup.results.speed_scaling import CAUSAL, FIXED, FLEX, MASKED, STRIDED

Text = Callable[[ScalingCase, str], str]  # of a cell, from a case and the name of a side
DRAWN = (STRIDED, FIXED, CAUSAL, MASKED, FLEX[0])


def side(name: str) -> str:
    """Name a side."""
    words = {
        "strided": _("strided, one softmax"),
        "fixed": _("fixed, one softmax"),
        "window": _("window alone"),
        "column": _("column alone"),
        "block": _("block alone"),
        "causal": _("torch, causal flag"),
        "full": _("torch, no mask"),
        "masked": _("torch, boolean mask"),
        "naive": _("matrix of scores"),
        "flex-strided": _("flex_attention (strided)"),
        "flex-fixed": _("flex_attention (fixed)"),
    }
    return words.get(name, name)


def way(backward: bool) -> str:
    """Name a pass."""
    return _("forward and backward pass") if backward else _("forward pass")


def rows_of(rows: int) -> str:
    """Name the number of rows."""
    return _("one row") if rows == 1 else _("{rows} rows").format(rows=rows)


def sizes(measured: ScalingBenchmark) -> str:
    """Say what was computed, and how often."""
    text = _("Width {width} of a row, float32. Rounds: {rounds}.")
    one = _("{way}, {rows}: {rounds}")
    at = _("{rounds} at n = {n}")
    parts = []
    for backward, rows in measured.passes:
        cases = measured.select(backward=backward, rows=rows)
        listed = ", ".join(at.format(rounds=case.rounds, n=case.n) for case in cases)
        parts.append(one.format(way=way(backward), rows=rows_of(rows), rounds=listed))
    return text.format(width=measured.d_head, rounds="; ".join(parts))


# ---- Tables


def tables(measured: ScalingBenchmark) -> list[nodes.Node]:
    """Return for each kind of pass a table of times and one of memory, and what did not run."""
    found: list[nodes.Node] = []
    for backward, rows in measured.passes:
        cases = sorted(measured.select(backward=backward, rows=rows), key=lambda case: case.n)
        kind = f"{way(backward)}, {rows_of(rows)}"
        found.append(table(_("{kind}: ms, speed-up (quartiles)").format(kind=kind), cases, time))
        found.append(table(_("{kind}: peak MB").format(kind=kind), cases, memory))
    return [*found, *reasons(measured.cases)]


def table(caption: str, cases: Sequence[ScalingCase], text: Text) -> nodes.table:
    """Return a table with a side in each row and a number of positions in each column."""
    names = list(dict.fromkeys(name for case in cases for name in case.seconds))
    heads = ["", *(f"n = {case.n}" for case in cases)]
    body = [[side(name), *(text(case, name) for case in cases)] for name in names]
    return grid(caption[:1].upper() + caption[1:], heads, body)


def grid(caption: str, heads: Sequence[str], body: Sequence[Sequence[str]]) -> nodes.table:
    """Return a table of text, its first column flush left and the others flush right."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _head in heads), cols=len(heads))
    head = nodes.row("", *(entry(text) for text in heads))
    lines = [
        nodes.row("", entry(line[0]), *(entry(text, True) for text in line[1:])) for line in body
    ]
    group += [nodes.thead("", head), nodes.tbody("", *lines)]
    return nodes.table("", nodes.title("", caption), group, classes=["benchmark"])


def entry(text: str, number: bool = False) -> nodes.entry:
    """Return a cell."""
    classes = ["benchmark-number"] if number else []
    return nodes.entry("", nodes.paragraph("", text), classes=classes)


def time(case: ScalingCase, name: str) -> str:
    """Write a side's milliseconds and how many times as fast as the causal kernel it is."""
    if name not in case.seconds:
        return "–"
    ms = f"{case.seconds[name].median * 1e3:,.4g}"
    return f"{ms}, {quartiles(case.speed_up[name])}" if name in case.speed_up else ms


def quartiles(times: Spread) -> str:
    """Write a median with its quartiles."""
    return f"{times.median:.2f} ({times.q1:.2f}–{times.q3:.2f})"


def memory(case: ScalingCase, name: str) -> str:
    """Write a side's peak memory."""
    return f"{case.peak_bytes[name] / 2**20:,.1f}" if name in case.peak_bytes else "–"


def reasons(cases: Sequence[ScalingCase]) -> list[nodes.bullet_list]:
    """Return why some sides did not run everywhere, as a list with one item for each reason."""
    by_reason: dict[str, dict[str, None]] = {}
    for case in cases:
        for name, reason in case.left_out.items():
            by_reason.setdefault(reason, {})[side(name)] = None
    items = [
        nodes.list_item("", nodes.paragraph("", f"{'; '.join(names)}: {reason}"))
        for reason, names in by_reason.items()
    ]
    return [nodes.bullet_list("", *items)] if items else []


# ---- Aims


def aims(measured: ScalingBenchmark) -> nodes.table:
    """Return the aims, each with what was measured and a verdict."""
    heads = [_("Aim"), "", _("Wanted"), _("Measured"), _("Verdict")]
    body = [
        [what(aim), side(aim.side), bound(aim), value(aim), verdict(aim)] for aim in measured.aims
    ]
    return grid(summary(measured.aims), heads, body)


def summary(found: Sequence[Aim]) -> str:
    """Count the aims that are met, in one sentence."""
    met = sum(aim.met for aim in found)
    return _("Aims: {all}. Met: {met}, missed: {missed}.").format(
        all=len(found), met=met, missed=len(found) - met
    )


def what(aim: Aim) -> str:
    """Say what an aim is about."""
    words = {
        "exponent": _("exponent of the forward time, n = 256 to 16,384"),
        "speed": _("forward, n = 16,384: times as fast as with the causal flag"),
        "training": _("forward and backward, n = 4,096: times as fast"),
        "memory": _("forward, n = 16,384: peak memory over that of a boolean mask"),
    }
    return words[aim.name]


def bound(aim: Aim) -> str:
    """Say what an aim asks for."""
    form = _("at most {bound:g}") if aim.at_most else _("at least {bound:g}")
    return form.format(bound=aim.bound)


def value(aim: Aim) -> str:
    """Write what was measured."""
    return f"{aim.value:.3f}" if aim.name == "memory" else f"{aim.value:.2f}"


def verdict(aim: Aim) -> str:
    """Say whether an aim is met."""
    return _("met") if aim.met else _("missed")


# ---- Figure


def caption() -> str:
    """Say what the figure shows."""
    return _(
        "Time over the number of positions, on one row. Dots are medians over the rounds, bars "
        "reach from quartile to quartile; most are smaller than the dots. Both axes are "
        "logarithmic: a line of slope 2 grows with the square of n."
    )


def figure(measured: ScalingBenchmark) -> Figure:
    """Return the times on one row: the forward pass above, with the backward pass below."""
    drawn, axes = plt.subplots(2, figsize=(5.6, 6.8), layout="constrained")
    for ax, backward in zip(axes, (False, True), strict=True):
        cases = measured.select(backward=backward, rows=1)
        here = [name for name in DRAWN if any(name in case.seconds for case in cases)]
        if not here:
            continue
        series = measured.times(*here, backward=backward)
        named = {side(name): points for name, points in series.items()}
        guides = {side(CAUSAL): 2, side(STRIDED): 1.5}
        scaling_curves(named, xlabel="n", ylabel="ms", guides=guides, ax=ax)
        ax.set_title(way(backward))
    return drawn
