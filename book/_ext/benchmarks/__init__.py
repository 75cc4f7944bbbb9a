"""Sphinx extension that writes the page on benchmarks from the committed files.

- ``{benchmark} FILE``: where and when the run was made, a figure, and every case in tables;
- ``{benchmark-reason} FILE FACTS``: the cases that miss the aim among those with the facts
  (``layers=2 batch=1``), and below them the directive's content, which says why; nothing where none
  misses it;
- ``{plans} FILE``: what every experiment costs, from a file beside the page.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from bottomup import results
from bottomup.i18n import _
from bottomup.results import Benchmark, Case

from . import figure, plans, tables

FOLDER = "/src/bottomup/results/benchmarks"  # from the folder of _config.yml


class BenchmarkShown(SphinxDirective):
    """A committed benchmark, which the argument names."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a list of facts with the file, the figure, and the tables."""
        name = self.arguments[0]
        measured = results.benchmark(name)
        facts = [nodes.paragraph("", line) for line in about(measured)]
        file = addnodes.download_reference(
            "", "", nodes.literal("", name), refdoc=self.env.docname, reftarget=f"{FOLDER}/{name}"
        )
        items = [*facts, nodes.paragraph("", _("The figures: "), file)]
        listed = nodes.bullet_list("", *(nodes.list_item("", item) for item in items))
        return [listed, figure.drawn(self.env, name, measured), *tables.tables(measured)]


def about(measured: Benchmark) -> Iterator[str]:
    """Yield what it ran on, with which versions, and when."""
    text = _(
        "{processor}, {cores} cores, of which {threads} was used, {system}. "
        "Load at the start: {load}."
    )
    load = measured.machine["load_at_start"]
    yield text.format(**measured.machine, threads=measured.threads, load=load)
    named = ", ".join(f"{name} {number}" for name, number in measured.versions.items())
    changed = _(" with changes that were not committed yet") if measured.dirty else ""
    yield _("{versions}, and this package at commit {commit}{changed}.").format(
        versions=named[:1].upper() + named[1:], commit=measured.base_commit[:10], changed=changed
    )
    day, time = measured.date.split("T")
    text = _("Run on {day} at {time} UTC; it took {minutes:.0f} minutes.")
    yield text.format(day=day, time=time[:5], minutes=measured.minutes)


class BenchmarkReason(SphinxDirective):
    """The cases with some facts that miss the aim, and why."""

    required_arguments = 2
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the cases and the reason, or nothing where no case misses the aim."""
        missed = missed_cases(*self.arguments)
        if not missed:
            return []
        terms = [nodes.term("", tables.missed(case)) for case in missed]
        reason = nodes.definition("", *self.parse_content_to_nodes())
        return [nodes.definition_list("", nodes.definition_list_item("", *terms, reason))]


def missed_cases(name: str, facts: str) -> list[Case]:
    """Return the cases of a file that have the facts and miss the aim."""
    wanted = dict(fact.split("=") for fact in facts.split())
    return [case for case in results.benchmark(name).select(**wanted) if case.missed]


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
    app.add_directive("benchmark", BenchmarkShown)
    app.add_directive("benchmark-reason", BenchmarkReason)
    app.add_directive("plans", Plans)
    app.add_css_file("benchmarks.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
