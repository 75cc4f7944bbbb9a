"""How code uses a name: the attributes it takes of it, found by reading and not by running."""

import ast
from collections.abc import Iterable

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def attributes_of(name: str, trees: Iterable[ast.AST]) -> set[tuple[str, ...]] | None:
    """Return the chains of attributes that code takes of `name`.

    ``data.minilang.load(9)`` gives ("minilang", "load") for "data". None means that these chains
    do not tell what is used: the name stands bare somewhere (assigned, passed, given to
    ``getattr``), or it is not used at all. A parameter of the same name is another thing: the body
    of its function does not count.
    """
    uses = _Uses(name)
    for tree in trees:
        uses.visit(tree)
    return None if uses.bare or not uses.chains else uses.chains


class _Uses(ast.NodeVisitor):
    def __init__(self, name: str):
        self.name = name
        self.chains: set[tuple[str, ...]] = set()
        self.bare = False

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            chain.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id == self.name:
            self.chains.add(tuple(chain))
        else:
            self.visit(inner)

    def visit_Name(self, node: ast.Name) -> None:
        self.bare |= node.id == self.name

    def visit_Global(self, node: ast.Global) -> None:
        self.bare |= self.name in node.names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_function(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node)

    def _visit_function(self, node: FunctionNode) -> None:
        hidden = self.name in _parameters(node) and not _imports(self.name, node)
        for field, value in ast.iter_fields(node):
            if hidden and field == "body":
                continue
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    self.visit(part)


def _parameters(node: FunctionNode) -> set[str]:
    """Return the names of a function's parameters."""
    given = node.args
    listed = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {argument.arg for argument in listed if argument is not None}


def _imports(name: str, node: ast.AST) -> bool:
    """Say whether an import inside `node` binds the name."""
    return any(
        name in (alias.asname, alias.name.split(".")[0])
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
        for alias in inner.names
    )
