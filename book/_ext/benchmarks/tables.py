"""The cases of a benchmark as tables: one for each kind of pass, one where whole models run."""

from collections import Counter
from collections.abc import Sequence

from docutils import nodes

from bottomup.i18n import _
from bottomup.results import (
    AttentionCase,
    BenchmarkCase,
    DecodingCase,
    ModelCase,
    PeerBenchmark,
    Speed,
    Spread,
)
from bottomup.results.speed import OURS


def summary(cases: Sequence[BenchmarkCase]) -> str:
    """Count cases and verdicts in one sentence."""
    count = Counter(case.verdict for case in cases)
    text = _("Cases: {all}. Faster: {faster}, as fast: {as_fast}, slower: {slower}.")
    return text.format(
        all=len(cases),
        faster=count[Speed.FASTER],
        as_fast=count[Speed.AS_FAST],
        slower=count[Speed.SLOWER],
    )


def kind(case: BenchmarkCase) -> str:
    """Name the kind of run: what is computed and what is returned."""
    if not isinstance(case, AttentionCase):
        return _("greedy decoding") if isinstance(case, DecodingCase) else _("training step")
    words = {
        (False, False): _("forward pass, without weights"),
        (False, True): _("forward pass, with weights"),
        (True, False): _("forward and backward pass, without weights"),
        (True, True): _("forward and backward pass, with weights"),
    }
    return words[case.backward, case.need_weights]


def mask(case: BenchmarkCase) -> str:
    """Name the mask of attention, "" for a whole model."""
    if not isinstance(case, AttentionCase):
        return ""
    words = {"causal": _("causal"), "padded": _("padded")}
    return words.get(case.mask, case.mask)


def layers(case: ModelCase) -> str:
    """Name the layers of both sides."""
    return f"{case.layers} + {case.layers}"


def batch(case: ModelCase) -> str:
    """Name the size of the batch: sequences and positions."""
    return f"{case.batch} × {case.n}"


def tables(measured: PeerBenchmark) -> list[nodes.table]:
    """Return one table for each kind of run."""
    groups: dict[str, list[BenchmarkCase]] = {}
    for case in measured.cases:
        groups.setdefault(kind(case), []).append(case)
    return [table(name, cases) for name, cases in groups.items()]


def table(name: str, cases: Sequence[BenchmarkCase]) -> nodes.table:
    """Return the cases of one kind as a table with a caption, masks or layers apart."""
    names = heads(cases[0])
    columns = (nodes.colspec(colwidth=1) for _column in names)
    head = nodes.row("", *(cell(name) for name in names))
    ordered = sorted(cases, key=place)
    group = nodes.tgroup("", *columns, cols=len(names))
    group += [nodes.thead("", head), nodes.tbody("", *map(row, ordered))]
    caption = nodes.title("", name[:1].upper() + name[1:])
    return nodes.table("", caption, group, classes=["benchmark"])


def place(case: BenchmarkCase) -> tuple[str | int, ...]:
    """Return what orders the rows of a table; equal ones keep the order of the run."""
    if isinstance(case, AttentionCase):
        return (case.mask, case.n)
    return (case.layers,) if isinstance(case, ModelCase) else ()


def facts(case: BenchmarkCase) -> dict[str, nodes.entry]:
    """Return what tells a case from the others of its table, by the names of the columns."""
    if isinstance(case, ModelCase):
        named = {_("Layers"): layers(case), _("Width"): f"{case.d_model}", _("Batch"): batch(case)}
        return {name: number(text) for name, text in named.items()}
    return {_("Mask"): cell(mask(case)), "n": number(f"{case.n}")}


def heads(case: BenchmarkCase) -> list[str]:
    """Return the names of the columns; what decides stands in front, in view on a phone."""
    time = (_("to {peer}").format(peer=peer) for peer in case.ratio)
    memory = _("MB: {sides}").format(sides=", ".join((_("ours"), *case.ratio)))
    return [*facts(case), _("Verdict"), *time, _("ms"), memory]


def row(case: BenchmarkCase) -> nodes.row:
    """Return the row of one case."""
    peaks = (f"{case.peak_bytes[side] / 2**20:,.0f}" for side in (OURS, *case.ratio))
    return nodes.row(
        "",
        *facts(case).values(),
        nodes.entry("", nodes.paragraph("", "", verdict(case))),
        *(number(quartiles(case.ratio[peer])) for peer in case.ratio),
        number(milliseconds(case.seconds[OURS].median)),
        number(" · ".join(peaks)),
    )


def milliseconds(seconds: float) -> str:
    """Write a time in milliseconds, with a decimal below 100."""
    return f"{seconds * 1000:,.1f}" if seconds < 0.1 else f"{seconds * 1000:,.0f}"


def quartiles(ratio: Spread) -> str:
    """Write the median with the quartiles behind it."""
    return f"{ratio.median:.2f} ({ratio.q1:.2f}–{ratio.q3:.2f})"


def verdict(case: BenchmarkCase) -> nodes.inline:
    """Return the verdict, with a class that colours it."""
    words = {
        Speed.FASTER: _("faster"),
        Speed.AS_FAST: _("as fast"),
        Speed.SLOWER: _("slower"),
    }
    classes = ["benchmark-verdict", f"benchmark-{nodes.make_id(case.verdict)}"]
    return nodes.inline("", words[case.verdict], classes=classes)


def cell(text: str) -> nodes.entry:
    """Return a cell of plain text."""
    return nodes.entry("", nodes.paragraph("", text))


def number(text: str) -> nodes.entry:
    """Return a cell that is set flush right and not broken."""
    return nodes.entry("", nodes.paragraph("", text), classes=["benchmark-number"])
