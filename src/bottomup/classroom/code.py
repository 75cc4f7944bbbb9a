"""The code that a check runs, cut down to what it uses: no wrong answer and no other exercise.

Of a module those statements stay that define a name which is asked for, and what these use in turn.
Comments are left out. An import of the course is followed in the same way, but for the engine,
which is carried whole.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import bottomup

PACKAGE = Path(bottomup.__file__).parent
ENGINE = "bottomup.exercises.engine"
# Modules and packages that are carried whole.
WHOLE = (ENGINE, "bottomup.checks", "bottomup.files", "bottomup.i18n")

Names = dict[str, set[str]]  # by module, what is used of it


def file_of(module: str) -> Path | None:
    """Return the file of a module of the course, or None where there is none."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((each for each in candidates if each.is_file()), None)


@cache
def parsed(module: str) -> ast.Module:
    """Return the syntax tree of a module of the course."""
    path = file_of(module)
    if path is None:
        raise LookupError(f"there is no module {module}")
    return ast.parse(path.read_text("utf-8"))


def is_whole(module: str) -> bool:
    """Say whether a module is carried as it stands."""
    return any(module == whole or module.startswith(f"{whole}.") for whole in WHOLE)


def needed(start: Names) -> dict[str, str]:
    """Return by module the source of what defines some names, and of what that uses.

    A module of which nothing is left but names that it passes on, such as the list of a
    subpackage, is among them.
    """
    asked: Names = {}
    waiting = [(module, name) for module, names in start.items() for name in names]
    while waiting:
        module, name = waiting.pop()
        if is_whole(module) or name in asked.setdefault(module, set()):
            continue
        asked[module].add(name)
        for statement in parsed(module).body:
            if name in bound(statement):
                waiting += _followed(module, statement, name)
    return {module: cut(module, names) for module, names in asked.items()}


def _followed(module: str, statement: ast.stmt, name: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement uses to define one of its own, with their modules."""
    if isinstance(statement, ast.ImportFrom):
        base = statement.module or ""
        for alias in statement.names:
            if (alias.asname or alias.name) == name and base.split(".")[0] == "bottomup":
                whole = f"{base}.{alias.name}"
                if file_of(whole) is None:
                    yield base, alias.name
                elif not is_whole(whole):
                    used = attributes(parsed(module), name)
                    yield from ((whole, each) for each in used)
    elif not isinstance(statement, ast.Import):
        yield from ((module, each) for each in read(statement))


def attributes(tree: ast.AST, name: str) -> set[str]:
    """Return what stands behind the dot of a name."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    }


def cut(module: str, names: set[str]) -> str:
    """Return the source of the statements of a module that define some names."""
    kept: list[ast.stmt] = []
    for statement in parsed(module).body:
        if isinstance(statement, ast.ImportFrom | ast.Import):
            aliases = [each for each in statement.names if name_bound(each) in names]
            if isinstance(statement, ast.ImportFrom):
                left: ast.stmt = ast.ImportFrom(statement.module, aliases, statement.level)
            else:
                left = ast.Import(aliases)
            kept += [left] if aliases else []
        elif bound(statement) & names:
            kept.append(statement)
    return ast.unparse(ast.Module(list(map(without_docstrings, kept)), []))


def without_docstrings(statement: ast.stmt) -> ast.stmt:
    """Take the texts out that stand in a definition as a description of it."""
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return statement


def bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement at the top of a module or of a cell gives a value."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return set(map(name_bound, statement.names))
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    return set(_stored([statement]))


def _stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that statements store into, those of functions in them left out."""
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from map(name_bound, node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif not isinstance(node, ast.Lambda | ast.comprehension):
            yield from _stored(ast.iter_child_nodes(node))


def name_bound(alias: ast.alias) -> str:
    """Return the name that an import gives."""
    return alias.asname or alias.name.partition(".")[0]


def read(statement: ast.AST) -> set[str]:
    """Return the names that a statement looks up."""
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
