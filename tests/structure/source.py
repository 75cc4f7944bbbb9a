"""The package's modules as syntax trees, for the tests of this folder."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.notebooks.closure import Package
from tools.notebooks.paths import ROOT, SOURCE

PACKAGE = Package("bottomup", SOURCE)
FILES = sorted((SOURCE / "bottomup").rglob("*.py"))


def module_name(path: Path) -> str:
    """Return the dotted name of a file: "bottomup.attention.additive"."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def label(path: Path) -> str:
    """Return the path from the root of the repository, for messages."""
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return PACKAGE.tree(module_name(path))


def calls(node: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Yield every call below a node with the dotted name of what is called."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            yield inner, dotted(inner.func)


def dotted(node: ast.AST) -> str:
    """Return a name such as "torch.manual_seed"; `ast.unparse` takes twenty times as long."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
