"""Which cases miss the aim, by kinds that share a reason."""

from collections.abc import Mapping, Sequence

from docutils import nodes

from bottomup.i18n import _
from bottomup.results import Benchmark, BenchmarkCase, Speed

from .tables import kind, mask, quartiles

YES_NO = {"yes": True, "no": False}
OPTIONS = ("weights", "backward", "masks", "sizes")  # what may narrow a kind down


def cases(measured: Benchmark, options: Mapping[str, str]) -> list[BenchmarkCase]:
    """Return the cases that miss the aim and fit the options; an option left out fits all.

    Raises:
        ValueError: `weights` or `backward` is neither yes nor no, or a mask or size is unknown.
    """
    wanted: dict[str, set[object]] = {}
    for option, fact in (("weights", "need_weights"), ("backward", "backward")):
        if option in options:
            if options[option] not in YES_NO:
                raise ValueError(f"{option}: expected yes or no, got {options[option]!r}")
            wanted[fact] = {YES_NO[options[option]]}
    if "masks" in options:
        wanted["mask"] = _known("masks", options, {case.mask: case.mask for case in measured.cases})
    if "sizes" in options:
        wanted["n"] = _known("sizes", options, {str(size): size for size in measured.sizes})
    missed = (case for case in measured.cases if case.verdict is Speed.SLOWER)
    return [
        case
        for case in missed
        if all(getattr(case, fact) in values for fact, values in wanted.items())
    ]


def _known(option: str, options: Mapping[str, str], values: Mapping[str, object]) -> set[object]:
    words = options[option].split()
    unknown = [word for word in words if word not in values]
    if unknown:
        raise ValueError(f"{option}: expected some of {', '.join(values)}, got {unknown}")
    return {values[word] for word in words}


def entry(missed: Sequence[BenchmarkCase], reason: Sequence[nodes.Node]) -> nodes.definition_list:
    """Return the kind of pass, below it the cases, each on a line of its own, and the reason."""
    kinds = "; ".join(dict.fromkeys(kind(case) for case in missed))
    term = nodes.term("", kinds[:1].upper() + kinds[1:])
    lines = nodes.line_block("", *(nodes.line("", line(case)) for case in missed))
    definition = nodes.definition("", lines, *reason)
    return nodes.definition_list("", nodes.definition_list_item("", term, definition))


def line(case: BenchmarkCase) -> str:
    """Name a case by mask and size, with its ratio to the rival."""
    return _("{mask}, n = {n}: {ratio} times {rival}").format(
        mask=mask(case), n=case.n, ratio=quartiles(case.ratio[case.rival]), rival=case.rival
    )
