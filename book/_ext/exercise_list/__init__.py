"""Sphinx extension that lists the exercises of the course.

``{exercise-list}``: how many there are and how long they take, then a section a chapter, in which
each exercise and each test leads to its place. A script of the book's adds a box to tick off each.

The exercises are those of `bottomup.exercises`, their places those of the chapters' headings; a
build with an exercise that stands nowhere fails. The directive stands last on its page, since it
makes sections.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from docutils import nodes
from languages import anchors
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from bottomup.exercises import Exercise, catalog
from bottomup.i18n import _

from . import listing, places

STYLE = "exercise_list.css"
SCRIPTS = "progress.js", "exercise_list.js"


class ExerciseList(SphinxDirective):
    """Every exercise of the catalog, by chapter."""

    def run(self) -> list[nodes.Node]:
        """Return two sentences on all of them, and the chapters' sections."""
        exercises = list(catalog().values())
        groups = groupby(exercises, key=lambda exercise: exercise.chapter)
        try:
            sections = [self.section(number, list(group)) for number, group in groups]
        except ValueError as problem:
            raise self.error(str(problem)) from problem
        said = [listing.summary(exercises), listing.ticked(exercises), listing.progress(exercises)]
        return [*said, *sections]

    def section(self, number: str, exercises: Sequence[Exercise]) -> nodes.section:
        """Return the section of one chapter."""
        page = places.chapter_page(number, self.env.found_docs)
        chapter = places.read_chapter(number, anchors.english_source(self.env, page))
        title = anchors.titles(self.env, page)[chapter.title]
        own = {_(name): place for name, place in chapter.places.items()}
        chapter = replace(chapter, title=title, places=own)
        address = self.env.app.builder.get_relative_uri(self.env.docname, page)
        return listing.chapter_section(chapter, exercises, address)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer the directive, its style sheet and its scripts."""
    app.add_directive("exercise-list", ExerciseList)
    app.add_css_file(STYLE)
    for script in SCRIPTS:
        app.add_js_file(script, loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
