"""Sphinx extension that writes the page on benchmarks from the committed files.

- ``{benchmark-run} FILE``: where and when the run was made, with the file;
- ``{benchmark-figure} FILE``: the ratios of whole models, or of forward and backward passes, or
  times over the number of positions;
- ``{benchmark-tables} FILE``: every case, with its verdict or its speed-up;
- ``{benchmark-aims} FILE``: of a benchmark of scaling, the aims with their verdicts;
- ``{plans} FILE``: what every experiment costs, from a file beside the page;
- ``{benchmark-reason} FILE``: which cases of a kind miss the aim, and below them the directive's
  content, which says why; nothing where none misses it.

The numbers come from `bottomup.results`; the reasons are written by hand.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from bottomup import results

from . import about, figure, missed, plans, scaling, tables

STYLE = "benchmarks.css"


class FromFile(SphinxDirective):
    """A directive about one committed benchmark, which its argument names."""

    required_arguments = 1

    def measured(self) -> results.Benchmark:
        """Return the benchmark that the directive names."""
        return results.benchmark(self.arguments[0])


class BenchmarkRun(FromFile):
    """Where and when a benchmark was run."""

    def run(self) -> list[nodes.Node]:
        """Return a list of facts and the file."""
        return [about.facts(self.env.docname, self.arguments[0], self.measured())]


class BenchmarkFigure(FromFile):
    """The ratios as a figure."""

    def run(self) -> list[nodes.Node]:
        """Return the figure with its caption."""
        return [figure.ratios(self.env, self.arguments[0], self.measured())]


class BenchmarkTables(FromFile):
    """Every case of a benchmark."""

    def run(self) -> list[nodes.Node]:
        """Return a sentence that counts the verdicts, and the tables."""
        measured = self.measured()
        if isinstance(measured, results.ScalingBenchmark):
            return scaling.tables(measured)
        if not isinstance(measured, results.PeerBenchmark):
            raise self.error(f"{self.arguments[0]}: no tables for {type(measured).__name__}")
        return [nodes.paragraph("", tables.summary(measured.cases)), *tables.tables(measured)]


class BenchmarkAims(FromFile):
    """The aims of a benchmark of scaling."""

    def run(self) -> list[nodes.Node]:
        """Return a table of them."""
        measured = self.measured()
        if not isinstance(measured, results.ScalingBenchmark):
            raise self.error(f"{self.arguments[0]}: its aims stand with its cases")
        return [scaling.aims(measured)]


class BenchmarkReason(FromFile):
    """The cases of one kind that miss the aim, and why."""

    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], object]]] = {
        name: directives.unchanged_required for name in missed.OPTIONS
    }

    def run(self) -> list[nodes.Node]:
        """Return the cases and the reason, or nothing where no case misses the aim."""
        try:
            cases = missed.cases(self.measured(), self.options)
        except ValueError as problem:
            raise self.error(str(problem)) from problem
        if not cases:
            return []
        return [missed.entry(cases, self.parse_content_to_nodes())]


class Plans(SphinxDirective):
    """What every experiment costs."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        name, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(name)
        return [plans.table(json.loads(Path(path).read_text("utf-8")))]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer the directives and their style sheet."""
    app.add_directive("benchmark-run", BenchmarkRun)
    app.add_directive("benchmark-figure", BenchmarkFigure)
    app.add_directive("benchmark-tables", BenchmarkTables)
    app.add_directive("benchmark-aims", BenchmarkAims)
    app.add_directive("benchmark-reason", BenchmarkReason)
    app.add_directive("plans", Plans)
    app.add_css_file(STYLE)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
