"""A function's source as it stands in the package, to be read in a notebook."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Source:
    """Python code, which a notebook shows in colour."""

    code: str

    def __repr__(self) -> str:
        return self.code

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.code}\n```"


def show_source(function: Callable[..., Any]) -> Source:
    """Return the source of a function, method or class without its docstrings.

    What a decorator wraps is shown, and the decorator above it.
    """
    code = textwrap.dedent(inspect.getsource(function))
    lines = code.splitlines()
    hidden = set(_docstring_lines(ast.parse(code), lines))
    shown = [line for n, line in enumerate(lines, start=1) if n not in hidden]
    return Source("\n".join(shown))


def _docstring_lines(tree: ast.Module, lines: list[str]) -> Iterator[int]:
    """Yield the numbers of the lines of docstrings, and of blank ones below."""
    for node in ast.walk(tree):
        if not isinstance(node, Documented) or ast.get_docstring(node) is None:
            continue
        docstring, *body = node.body
        if body:  # a docstring alone is the body, and stays
            last = docstring.end_lineno or docstring.lineno
            while not lines[last].strip():
                last += 1
            yield from range(docstring.lineno, last + 1)
