"""Which cases miss the aim, by kinds that share a reason."""

from collections.abc import Mapping, Sequence

from docutils import nodes

from bottomup.i18n import _
from bottomup.results import (
    Aim,
    Benchmark,
    BenchmarkCase,
    ModelCase,
    PeerBenchmark,
    ScalingBenchmark,
)

from . import scaling
from .tables import batch, kind, layers, mask, quartiles

YES_NO = {"yes": True, "no": False}
# what may narrow a kind down, and the fact of a case that it asks for
OPTIONS = {
    "weights": "need_weights",
    "backward": "backward",
    "masks": "mask",
    "sizes": "n",
    "layers": "layers",
    "widths": "d_model",
    "aims": "name",
    "sides": "side",
}


def cases(measured: Benchmark, options: Mapping[str, str]) -> list[BenchmarkCase | Aim]:
    """Return the cases that miss the aim and fit the options; an option left out fits all.

    Of a benchmark of scaling, whose aims are about several cases each, the aims that are missed.

    Raises:
        ValueError: `weights` or `backward` is neither yes nor no, another option names a value that
            no case has, or the cases have no such fact.
    """
    every: Sequence[BenchmarkCase | Aim] = ()
    if isinstance(measured, ScalingBenchmark):
        every = measured.aims
    elif isinstance(measured, PeerBenchmark):
        every = measured.cases
    missed = [case for case in every if (not case.met if isinstance(case, Aim) else case.missed)]
    wanted = {OPTIONS[name]: _values(name, text, every) for name, text in options.items()}
    return [
        case
        for case in missed
        if all(getattr(case, fact) in values for fact, values in wanted.items())
    ]


def _values(option: str, text: str, every: Sequence[BenchmarkCase | Aim]) -> set[object]:
    """Return the values that an option's text names."""
    fact = OPTIONS[option]
    if not hasattr(every[0], fact):
        raise ValueError(f"{option}: these cases have no such fact")
    if option in ("weights", "backward"):
        if text not in YES_NO:
            raise ValueError(f"{option}: expected yes or no, got {text!r}")
        return {YES_NO[text]}
    values = {str(value): value for value in sorted({getattr(case, fact) for case in every})}
    unknown = [word for word in text.split() if word not in values]
    if unknown:
        raise ValueError(f"{option}: expected some of {', '.join(values)}, got {unknown}")
    return {values[word] for word in text.split()}


def entry(
    missed: Sequence[BenchmarkCase | Aim], reason: Sequence[nodes.Node]
) -> nodes.definition_list:
    """Return the kind of pass, below it the cases, each on a line of its own, and the reason."""
    kinds = "; ".join(dict.fromkeys(about(case) for case in missed))
    term = nodes.term("", kinds[:1].upper() + kinds[1:])
    lines = nodes.line_block("", *(nodes.line("", line(case)) for case in missed))
    definition = nodes.definition("", lines, *reason)
    return nodes.definition_list("", nodes.definition_list_item("", term, definition))


def about(case: BenchmarkCase | Aim) -> str:
    """Name what a case or an aim is about."""
    return scaling.what(case) if isinstance(case, Aim) else kind(case)


def line(case: BenchmarkCase | Aim) -> str:
    """Name a case by what tells it from the others, with its ratio to what it misses the aim of."""
    if isinstance(case, Aim):
        return _("{side}: {value}, wanted {bound}").format(
            side=scaling.side(case.side), value=scaling.value(case), bound=scaling.bound(case)
        )
    times = _("{ratio} times {side}")
    against = ", ".join(
        times.format(ratio=quartiles(case.ratio[side]), side=side) for side in case.missed
    )
    if isinstance(case, ModelCase):
        return _("{layers} layers, width {width}, {batch}: {against}").format(
            layers=layers(case), width=case.d_model, batch=batch(case), against=against
        )
    return _("{mask}, n = {n}: {against}").format(mask=mask(case), n=case.n, against=against)
