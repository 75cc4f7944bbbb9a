"""Names on the pages of source code lead on: what a module imports or defines, to its definition.

A reader of ``scaled_dot_product_attention`` follows ``masked_softmax`` where it is called.
"""

import ast
import re
from collections.abc import Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

PAGES = "_modules/bottomup"
DEFINITION = re.compile(
    r'^(<span class="k">(?:def|class)</span>(?:<span class="w">)? (?:</span>)?<span class="n[fc]">)'
    r"(\w+)(</span>)",
    re.M,
)
NAME = re.compile(r'(?<!<span class="o">\.</span>)<span class="n">(\w+)</span>')
IMPORT = re.compile(r'<span class="kn">from</span>.*?<span class="nn">([\w.]+)</span>')
BACK = re.compile(r'(<a class="viewcode-back" href=")([^"#]*)#([^"]+)"')


def link_source(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Link the names on a page of source code (handler of ``html-page-context``)."""
    if pagename.startswith(PAGES):
        module = pagename.removeprefix("_modules/").replace("/", ".")
        linked = DEFINITION.sub(r'\1<span id="def-\2">\2</span>\3', context["body"])
        places = {
            name: f"{app.builder.get_relative_uri(pagename, page)}#def-{defined}"
            for name, (page, defined) in definitions(module).items()
            if page in _written(app)
        }
        lines = linked.split("\n")
        linked = "\n".join(
            line if _foreign(line) else NAME.sub(partial(_link, places), line) for line in lines
        )
        documented = {
            name: f"{app.builder.get_relative_uri(pagename, entry.docname)}#{entry.node_id}"
            for name, entry in app.env.get_domain("py").objects.items()  # type: ignore[attr-defined]
        }
        context["body"] = BACK.sub(partial(_back, documented), linked)


@cache
def definitions(module: str) -> Mapping[str, tuple[str, str]]:
    """Return page and name of every function and class that a module imports or defines."""
    loaded = import_module(module)
    with open(str(loaded.__file__), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    imported = [
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    own = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    found = {}
    for name in [*imported, *own]:
        value = getattr(loaded, name, None)
        home, defined = getattr(value, "__module__", ""), getattr(value, "__qualname__", "")
        if isinstance(home, str) and home.startswith("bottomup") and defined.isidentifier():
            found[name] = f"_modules/{home.replace('.', '/')}", defined
    return found


def _written(app: Sphinx) -> set[str]:
    """Return the pages of source code that viewcode writes."""
    modules = app.env._viewcode_modules  # type: ignore[attr-defined]
    return {f"_modules/{name.replace('.', '/')}" for name, kept in modules.items() if kept}


def _foreign(line: str) -> bool:
    """Say whether a line imports from another package: a name in it may be one of ours as well."""
    module = IMPORT.match(line)
    return module is not None and not module[1].startswith("bottomup")


def _link(places: Mapping[str, str], found: re.Match[str]) -> str:
    """Return a name as a link, if its place is known."""
    place = places.get(found[1])
    return found[0] if place is None else f'<a class="name" href="{place}">{found[0]}</a>'


def _back(documented: Mapping[str, str], found: re.Match[str]) -> str:
    """Return a way back to the API: a name may be documented with another part than its module."""
    start, _, full = found.groups()
    last = full.rpartition(".")[2]
    ways = [full, *(name for name in documented if name.rpartition(".")[2] == last)]
    for name in ways:
        if name in documented:
            return f'{start}{documented[name]}"'
    return found[0]
