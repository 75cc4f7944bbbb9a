"""Numbers in prose that come from a record or a benchmark, compared with its file.

A number is followed by an HTML comment, which no reader sees, in a notebook or on the page::

    The accuracy is 0.91<!-- record: attention/recorded accuracy.additive.mean .2f --> at length 40.
    It is 8.1<!-- benchmark: sparse cases.4.ratio.strided.median .1f --> times as fast.

After ``record:`` stand the record's experiment and preset (``locked-same`` or ``locked-varied`` for
one of the locked run), a path of names joined by dots, and a format of Python's `format`. A path
that ends in ``mean``, ``sd``, ``min``, ``max`` or ``n`` is looked up in the metrics of every run
and taken over the runs (``sd`` is the sample deviation).
One that ends in ``mean±sd`` gives both, ``0.91 ± 0.02``.
Any other path is looked up in the record itself: ``seconds``, ``config.steps``. Names of list
elements are their numbers, from 0. The number in the text must be what the format gives: with
``.0%`` it reads 91%, with ``,d`` 60,000. A minus sign and a blank before % may be typeset.

After ``benchmark:`` stands the name of a file of ``make bench``, without its ending. The path is
looked up in the file, and first in what the benchmark says that prose may quote (`quotable`).

``python -m tools.records attention/recorded`` lists the paths of a record with their values,
``python -m tools.records benchmark/sparse`` those of a benchmark.
"""

import json
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from bottomup.results.speed import read_benchmark
from tools.notebooks.paths import ROOT

RESULTS = ROOT / "src" / "bottomup" / "results"
BENCHMARK = "benchmark"  # also what stands before a benchmark's name: "benchmark/sparse"

NUMBER = r"[-−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?[ \u202f\xa0]?%?"
CITATION = re.compile(
    rf"(?P<number>{NUMBER}(?:\s*±\s*{NUMBER})?)?\s*"
    rf"<!--\s*(?P<kind>record|{BENCHMARK}):(?P<body>.*?)-->",
    re.DOTALL,
)
MEAN_AND_SD = "mean±sd"
SPREAD = re.compile(rf"{NUMBER}\s*±\s*{NUMBER}")
QUOTED = re.compile(r'"[^"\n]{1,80}"')

CODE = re.compile(r"^(```+|~~~+).*?^\1|`[^`\n]+`", re.DOTALL | re.MULTILINE)

STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "sd": statistics.stdev,
    "min": min,
    "max": max,
    "n": len,
}


@dataclass(frozen=True)
class Citation:
    """A number in a text, and where it says it comes from: a record, or ``benchmark/NAME``."""

    number: str
    record: str
    path: str
    format: str


def find_citations(text: str) -> list[Citation]:
    """Return the citations of a text; what stands in code is an example, not a citation.

    Raises:
        ValueError: a comment does not have the form ``record: EXPERIMENT/PRESET PATH FORMAT`` or
            ``benchmark: NAME PATH FORMAT``, or no number stands before it.
    """
    citations = []
    for match in CITATION.finditer(CODE.sub("", text)):
        fields = match["body"].split()
        if len(fields) != 3 or not match["number"]:
            shown = match[0].strip()
            what = "NAME" if match["kind"] == BENCHMARK else "EXPERIMENT/PRESET"
            raise ValueError(
                f"expected NUMBER<!-- {match['kind']}: {what} PATH FORMAT -->: {shown}"
            )
        start = f"{BENCHMARK}/" if match["kind"] == BENCHMARK else ""
        citations.append(Citation(match["number"], start + fields[0], *fields[1:]))
    return citations


def load_records(folder: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """Return every record of a folder by ``experiment/preset``, and the benchmarks in it.

    The benchmarks are those of the folder ``benchmarks``. Other JSON files are passed over.

    Raises:
        ValueError: two files hold the same experiment and preset.
    """
    records = load_benchmarks(folder / "benchmarks")
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or not {"experiment", "preset", "runs"} <= set(content):
            continue
        name = f"{content['experiment']}/{content['preset']}"
        if name in records:
            raise ValueError(f"{path}: there are two records of {name}")
        records[name] = content
    return records | load_locked(folder / "locked")


def load_locked(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the records of the locked run, as ``experiment/locked-same`` and ``locked-varied``."""
    return {
        f"{path.stem}/locked-{path.parent.name}": json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*/*.json"))
    }


def load_benchmarks(folder: Path) -> dict[str, dict[str, Any]]:
    """Return every benchmark of a folder by ``benchmark/name``, with what it says can be quoted."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        found[f"{BENCHMARK}/{path.stem}"] = {**content, **read_benchmark(path).quotable()}
    return found


def look_up(record: dict[str, Any], path: str) -> float:
    """Return the value that a path names in a record.

    Raises:
        LookupError: there is no such value.
    """
    names = path.split(".")
    if "runs" in record and names[-1] in STATISTICS and len(names) > 1:
        values = [_walk(run["metrics"], names[:-1], path) for run in record["runs"]]
        return STATISTICS[names[-1]](values)
    value: float = _walk(record, names, path)
    return value


def _walk(value: Any, names: Sequence[str], path: str) -> Any:
    for name in names:
        try:
            value = value[int(name)] if isinstance(value, list) else value[name]
        except (KeyError, IndexError, TypeError, ValueError):
            raise LookupError(f"no {name!r} on the path {path}") from None
    return value


def spreads_without_source(text: str) -> list[str]:
    """Return the numbers with a spread that no record or benchmark stands behind.

    ``0.91 ± 0.02`` in prose is always measured, so it has to say where. Other decimals are not
    asked: most of them are margins, sizes, numbers of papers or of examples. What stands in code or
    in quotation marks is an example.
    """
    prose = QUOTED.sub("", CITATION.sub("", CODE.sub("", text)))
    return [match[0].strip() for match in SPREAD.finditer(prose)]


def compare(text: str, records: dict[str, dict[str, Any]]) -> list[str]:
    """Return one sentence for each number of the text that is not what its record says."""
    try:
        citations = find_citations(text)
    except ValueError as error:
        return [str(error)]
    return [problem for citation in citations if (problem := _problem(citation, records))]


def _problem(citation: Citation, records: dict[str, dict[str, Any]]) -> str | None:
    if citation.record not in records:
        return f"{citation.number}: there is no record {citation.record}"
    try:
        expected = _expected(records[citation.record], citation.path, citation.format)
    except (LookupError, TypeError, ValueError, statistics.StatisticsError) as error:
        return f"{citation.number}: {citation.record} {citation.path}: {error}"
    if _plain(citation.number) != expected:
        return f"{citation.number}: {citation.record} {citation.path} is {expected}"
    return None


def _expected(record: dict[str, Any], path: str, form: str) -> str:
    if not path.endswith(f".{MEAN_AND_SD}"):
        return format(look_up(record, path), form)
    start = path.removesuffix(MEAN_AND_SD)
    return "±".join(format(look_up(record, start + name), form) for name in MEAN_AND_SD.split("±"))


def _plain(number: str) -> str:
    return re.sub(r"\s", "", number).replace("−", "-")


def prose_of(path: Path) -> str:
    """Return the prose of a Markdown file, or of a notebook's Markdown cells."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    notebook = nbformat.read(path, as_version=4)
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def list_metrics(record: dict[str, Any]) -> Iterator[str]:
    """Yield each path into the metrics of a record, with mean and sample deviation over runs.

    Of a benchmark, which has no runs, each path into it.
    """
    if "runs" not in record:
        yield from (f"{path}: {look_up(record, path)}" for path in _leaves(record))
        return
    for path in _leaves(record["runs"][0]["metrics"]):
        mean = look_up(record, f"{path}.mean")
        spread = f" ± {look_up(record, f'{path}.sd'):.4g}" if len(record["runs"]) > 1 else ""
        yield f"{path}: {mean:.6g}{spread}"


def _leaves(value: Any, path: str = "") -> Iterator[str]:
    if not isinstance(value, (dict, list)):
        yield path
        return
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _leaves(inner, f"{path}.{name}" if path else str(name))


def main(names: Sequence[str]) -> int:
    """List the metrics of the named records; without a name, the names."""
    records = load_records()
    unknown = [name for name in names if name not in records]
    if unknown or not names:
        print("records:", ", ".join(records) or "none")
        return len(unknown)
    for name in names:
        print(name, *list_metrics(records[name]), sep="\n  ")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
