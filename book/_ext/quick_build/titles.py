"""Make the navigation from titles alone: it shows no headings, of which the API has hundreds.

Sphinx copies all of them for each page, and then drops them.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.addnodes import toctree
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def give_titles(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Have a page's navigation made from titles alone (handler of ``html-page-context``)."""
    whole: Callable[..., str] = context["toctree"]

    def navigation(**options: Any) -> str:
        if not options.get("titles_only"):
            return whole(**options)
        env, kept = app.env, app.env.tocs
        env.tocs = titles(env)
        try:
            return whole(**options)
        finally:
            env.tocs = kept

    context["toctree"] = navigation


@cache
def titles(env: BuildEnvironment) -> dict[str, nodes.bullet_list]:
    """Return the contents of every page without headings: its title and the pages below it."""
    return {page: without_headings(contents) for page, contents in env.tocs.items()}


def without_headings(contents: nodes.bullet_list) -> nodes.bullet_list:
    """Return what Sphinx keeps of a page's contents where it wants titles only."""
    short = contents.deepcopy()
    for item in short.children:
        if len(item) > 1:
            below = list(item.findall(toctree))
            if below:
                item[1][:] = below
            else:
                item.pop(1)
    return short
