"""One script and one style out of the modules of a figure, so that a page asks for nothing.

Each module stands in the script with the lines of its file, without comments and indentation, in a
scope of its own, below those that it imports. The style of a module is the file beside it with the
same name, if there is one.
"""

import json
import posixpath
import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function\*?|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)

_COMMENT = re.compile(r"^\s*//.*\n|^\s+", re.MULTILINE)  # a line of comment, or what indents one

_MODULE = """\
modules["{module}"] = (() => {{
{body}
return {{ {names} }};
}})();
"""


def entry(name: str) -> str:
    """Return a figure's module: "head_gallery/head_gallery.js"."""
    return f"{name}/{name}.js"


@cache
def script(name: str) -> str:
    """Return a figure's modules as one script, which keeps what they export in ``modules``."""
    return "const modules = {};\n\n" + "\n".join(_scope(module) for module in modules(entry(name)))


@cache
def style(name: str) -> str:
    """Return the styles of a figure's modules, its own last."""
    return _sheets(modules(entry(name)))


def _sheets(of: list[str]) -> str:
    sheets = [module.removesuffix(".js") + ".css" for module in of]
    return short_style("".join(read(sheet) for sheet in sheets if _file(sheet).is_file()))


@cache
def library(module: str, name: str, *, beside: str) -> str:
    """Return a module, with all that it imports, as a classic script for a file of its own.

    What the module exports, and the style of all modules, stand in the global `name`.

    Args:
        module: "translator_live/whole.js".
        name: of the global variable.
        beside: the figure that asks for it; its style is on the page already.
    """
    needed = modules(module)
    known = modules(entry(beside))
    sheets = _sheets([one for one in needed if one not in known])
    scopes = "\n".join(_scope(one) for one in needed)
    return (
        f"globalThis.{name} = (() => {{\nconst modules = {{}};\n\n{scopes}\n"
        f'return {{ ...modules["{module}"], style: {json.dumps(sheets)} }};\n}})();\n'
    )


def short_style(text: str) -> str:
    """Return a style sheet without comments and without the space that a browser does not need."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"\s+", " ", text))
    return text.replace(": ", ":").replace(";}", "}").strip()


def modules(module: str, above: tuple[str, ...] = ()) -> list[str]:
    """Return a module and all that it imports, each once, below what it needs.

    Raises:
        ValueError: modules import each other in a circle.
    """
    if module in above:
        raise ValueError(f"modules import each other: {' → '.join([*above, module])}")
    needed = [found for one in imports(module) for found in modules(one, (*above, module))]
    return list(dict.fromkeys([*needed, module]))


def imports(module: str) -> list[str]:
    """Return the modules that a module imports."""
    return [_resolved(module, path) for _, path in _IMPORT.findall(read(module))]


def exports(module: str) -> list[str]:
    """Return the names that a module exports."""
    return _EXPORT.findall(read(module))


@cache
def read(path: str) -> str:
    """Return the text of a file, named from the folder of all figures."""
    return _file(path).read_text(encoding="utf-8")


def _file(path: str) -> Traversable:
    return files("bottomup.explorables").joinpath(path)


def _resolved(module: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), path))


def _scope(module: str) -> str:
    """Return a module as a function that runs once and hands over what the module exports."""

    def taken(found: re.Match[str]) -> str:
        return f'const {{{found[1]}}} = modules["{_resolved(module, found[2])}"];\n'

    body = _EXPORT.sub("", _IMPORT.sub(taken, _COMMENT.sub("", read(module))))
    if unread := _OTHER.search(body):
        raise ValueError(f"{module}: expected imports and exports by name, got {unread[0]!r}")
    return _MODULE.format(module=module, body=body.rstrip(), names=", ".join(exports(module)))
