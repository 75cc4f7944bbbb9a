"""Anchors on the pages of source code, which ``sphinx.ext.viewcode`` writes.

It sets one where the API documents a function or class, and leads from there back to the API. Other
names of the chapters' tables get theirs here, with a way back to the chapter.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.pycode import ModuleAnalyzer

from .places import Place, find

KEPT_AS = "code"  # in Sphinx's metadata of a page, which it forgets and merges by itself


class Shown(NamedTuple):
    """What viewcode keeps of a module: in `used` its names with an anchor, each with a page."""

    code: str
    tags: dict[str, tuple[str, int, int]]
    used: dict[str, str]
    documented_as: str


def address(place: Place) -> tuple[str, str]:
    """Return page and anchor of a definition."""
    return f"_modules/{place.module.replace('.', '/')}", place.name


def way_back(env: BuildEnvironment, place: Place) -> str:
    """Return the anchor to which the page of source code leads back."""
    return f"{shown(env, place.module).documented_as}.{place.name}"


def add_anchors(app: Sphinx) -> Iterable[Any]:
    """Have viewcode set an anchor for every name of the tables (``html-collect-pages``)."""
    for docname, kept in app.env.metadata.items():
        for name in kept.get(KEPT_AS, ()):
            try:
                place = find(name)
            except LookupError:
                continue  # the page's author has been told
            shown(app.env, place.module).used.setdefault(place.name, docname)
    return []


def shown(env: BuildEnvironment, module: str) -> Shown:
    """Return what viewcode keeps of a module; a module that is new to it is noted there."""
    modules = env._viewcode_modules  # type: ignore[attr-defined]
    if module not in modules:
        analyzer = ModuleAnalyzer.for_module(module)
        modules[module] = analyzer.code, analyzer.find_tags(), {}, module
    return Shown(*modules[module])
