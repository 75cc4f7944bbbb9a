"""The cases of a benchmark as tables: a case in each row, or over n a side in each row."""

from collections import Counter
from collections.abc import Callable, Sequence

from docutils import nodes

from bottomup.i18n import _
from bottomup.results import Benchmark, Case, Speed, Spread


def tables(measured: Benchmark) -> list[nodes.Node]:
    """Return tables of every case, and before those of peers a count of the verdicts."""
    if measured.is_over_n:
        return [table for backward in (False, True) for table in over_n(measured, backward)]
    kinds = dict.fromkeys(map(kind, measured.cases))
    shown = [table(each, [c for c in measured.cases if kind(c) == each]) for each in kinds]
    return [nodes.paragraph("", summary(measured.cases)), *shown]


def grid(caption: str, heads: Sequence[str], body: Sequence[Sequence[str]]) -> nodes.table:
    """Return a table of text, its first column flush left and the others flush right."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _head in heads), cols=len(heads))
    head = nodes.row("", *map(entry, heads))
    lines = [nodes.row("", entry(first), *map(number, rest)) for first, *rest in body]
    group += [nodes.thead("", head), nodes.tbody("", *lines)]
    title = [nodes.title("", caption)] if caption else []
    return nodes.table("", *title, group, classes=["benchmark"])


def entry(text: str) -> nodes.entry:
    """Return a cell; a verdict gets a class that colours it."""
    verdicts = {word(speed): f"benchmark-{nodes.make_id(speed)}" for speed in Speed}
    if text not in verdicts:
        return nodes.entry("", nodes.paragraph("", text))
    inline = nodes.inline("", text, classes=["benchmark-verdict", verdicts[text]])
    return nodes.entry("", nodes.paragraph("", "", inline))


def number(text: str) -> nodes.entry:
    """Return a cell that is set flush right and not broken."""
    return nodes.entry("", nodes.paragraph("", text), classes=["benchmark-number"])


def quartiles(ratio: Spread) -> str:
    """Write a median with its quartiles."""
    return f"{ratio.median:.2f} ({ratio.q1:.2f}–{ratio.q3:.2f})"


# ---- Against peers


def summary(cases: Sequence[Case]) -> str:
    """Count cases and verdicts in one sentence."""
    count = Counter(case.verdict for case in cases)
    text = _("Cases: {all}. Faster: {faster}, as fast: {as_fast}, slower: {slower}.")
    named = {nodes.make_id(speed).replace("-", "_"): count[speed] for speed in Speed}
    return text.format(all=len(cases), **named)


def kind(case: Case) -> str:
    """Name the table of a case; whole models have one without a name."""
    if case.layers:
        return ""
    words = {
        (False, False): _("forward pass, without weights"),
        (False, True): _("forward pass, with weights"),
        (True, False): _("forward and backward pass, without weights"),
        (True, True): _("forward and backward pass, with weights"),
    }
    return words[case.backward, case.need_weights]


def what(case: Case) -> list[str]:
    """Return what tells a case from the others of its table."""
    batch = f"{case.batch} × {case.n}"
    if case.layers:
        return [f"{case.layers} + {case.layers}", f"{case.d_model}", batch]
    return [{"causal": _("causal"), "padded": _("padded")}[case.mask], batch]


def table(name: str, cases: Sequence[Case]) -> nodes.table:
    """Return a row for each case; what decides stands in front, in view on a phone."""
    peers = list(cases[0].ratio)
    facts = [_("Layers"), _("Width"), _("Batch")] if cases[0].layers else [_("Mask"), _("Batch")]
    memory = _("MB: {sides}").format(sides=", ".join((_("ours"), *peers)))
    against = [_("to {peer}").format(peer=peer) for peer in peers]
    heads = [_("Verdict"), *facts, *against, _("ms"), memory, _("Rounds")]
    rows = [
        [
            word(case.verdict),
            *what(case),
            *(quartiles(case.ratio[peer]) for peer in peers),
            milliseconds(next(iter(case.seconds.values())).median),
            " · ".join(f"{count / 2**20:,.0f}" for count in case.peak_bytes.values()),
            f"{case.rounds}",
        ]
        for case in sorted(cases, key=lambda case: (case.mask, case.layers))
    ]
    return grid(name[:1].upper() + name[1:], heads, rows)


def word(speed: Speed) -> str:
    """Name a verdict."""
    words = {Speed.FASTER: _("faster"), Speed.AS_FAST: _("as fast"), Speed.SLOWER: _("slower")}
    return words[speed]


def milliseconds(seconds: float) -> str:
    """Write a time in milliseconds, with a decimal below 100."""
    return f"{seconds * 1000:,.1f}" if seconds < 0.1 else f"{seconds * 1000:,.0f}"


def missed(case: Case) -> str:
    """Name a case that misses its aim, with its ratios to those of whom it does."""
    times = _("{ratio} times {side}")
    against = [times.format(ratio=quartiles(case.ratio[s]), side=s) for s in case.missed]
    return f"{' · '.join(what(case))}: {', '.join(against)}"


# ---- Over the number of positions


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


def over_n(measured: Benchmark, backward: bool) -> list[nodes.table]:
    """Return for each number of rows a table of times and one of memory."""
    found = []
    for rows in dict.fromkeys(case.rows for case in measured.select(backward=backward)):
        cases = measured.select(backward=backward, rows=rows)
        several = _("one row") if rows == 1 else _("{rows} rows").format(rows=rows)
        kind = f"{way(backward)}, {several}"
        times, memory = _("{kind}: ms, speed-up (quartiles)"), _("{kind}: peak MB")
        found += [of_sides(times.format(kind=kind), cases, time)]
        found += [of_sides(memory.format(kind=kind), cases, peak)]
    return found


def of_sides(caption: str, cases: Sequence[Case], text: Callable[[Case, str], str]) -> nodes.table:
    """Return a table with a side in each row and a number of positions in each column."""
    names = dict.fromkeys(name for case in cases for name in case.seconds)
    body = [
        [side(name), *(text(c, name) if name in c.seconds else "–" for c in cases)]
        for name in names
    ]
    rounds = [_("Rounds"), *(f"{case.rounds}" for case in cases)]
    heads = ["", *(f"n = {case.n}" for case in cases)]
    return grid(caption[:1].upper() + caption[1:], heads, [*body, rounds])


def time(case: Case, name: str) -> str:
    """Write a side's milliseconds and how many times as fast as the causal kernel it is."""
    ms = f"{case.seconds[name].median * 1e3:,.4g}"
    return f"{ms}, {quartiles(case.ratio[name])}" if name in case.ratio else ms


def peak(case: Case, name: str) -> str:
    """Write a side's peak memory."""
    return f"{case.peak_bytes[name] / 2**20:,.1f}"
