"""The modules of the package that code depends on, found by reading and not by running.

A name that a subpackage re-exports leads to the module that defines it: with
``from bottomup.attention import AdditiveAttention`` a notebook depends on
``bottomup.attention.additive`` and on what that imports, not on its neighbours. With
``from bottomup import attention`` the names count that stand behind its dot, as in
``attention.additive_scores``. A whole subpackage counts where reading does not tell what is used:
``import bottomup.attention`` without a name of its own, ``*``, or the bare name of the subpackage.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

from tools.notebooks.uses import attributes_of

# Where the statements stand that a statement holds.
INSIDE = "body", "orelse", "finalbody", "handlers", "cases"


@dataclass(frozen=True)
class Package:
    """An importable package, `name`, whose source lies in the folder `source`/`name`.

    What was read of a module is kept: its tree, the modules it imports, its strings.
    """

    name: str
    source: Path
    _trees: dict[str, ast.Module] = field(default_factory=dict, repr=False, compare=False)
    _imports: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)
    _strings: dict[str, set[str]] = field(default_factory=dict, repr=False, compare=False)

    def file(self, module: str) -> Path | None:
        """Return the file of a module such as "bottomup.masks", or None if there is none."""
        path = self.source.joinpath(*module.split("."))
        candidates = (path / "__init__.py", path.with_suffix(".py"))
        return next((candidate for candidate in candidates if candidate.is_file()), None)

    def is_package(self, module: str) -> bool:
        """Say whether the module is a folder with an ``__init__.py``."""
        path = self.file(module)
        return path is not None and path.name == "__init__.py"

    def is_folder(self, module: str) -> bool:
        """Say whether the module is a folder without one: it holds modules and nothing else."""
        return self.file(module) is None and self.source.joinpath(*module.split(".")).is_dir()

    def tree(self, module: str) -> ast.Module:
        """Return the syntax tree of a module."""
        if module not in self._trees:
            path = self.file(module)
            if path is None:
                raise LookupError(f"there is no module {module}")
            self._trees[module] = ast.parse(path.read_text(encoding="utf-8"), str(path))
        return self._trees[module]

    def imports(self, module: str) -> list[str]:
        """Return the modules of the package that a module imports."""
        if module not in self._imports:
            self._imports[module] = list(imported(self, self.tree(module), module))
        return self._imports[module]

    def strings(self, module: str) -> set[str]:
        """Return every string constant of a module."""
        if module not in self._strings:
            self._strings[module] = strings([self.tree(module)])
        return self._strings[module]

    def modules(self, part: str) -> list[str]:
        """Return the names of all modules below ``name.part``."""
        paths = sorted((self.source / self.name / part).rglob("*.py"))
        parts = [path.relative_to(self.source).with_suffix("").parts for path in paths]
        return [".".join(names).removesuffix(".__init__") for names in parts]


def parse_cell(source: str) -> ast.Module:
    """Return the syntax tree of a cell; lines such as ``%pip`` become ordinary calls first."""
    return ast.parse(TransformerManager().transform_cell(source))


def strings(trees: Iterable[ast.AST]) -> set[str]:
    """Return every string constant of the trees."""
    return {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def closure(package: Package, trees: Iterable[ast.Module], start: Iterable[str] = ()) -> list[str]:
    """Return the modules of `package` that code in `trees` imports, directly or through others.

    The trees share their names, as the cells of a notebook do. The modules of `start`, and what
    they import, are among those returned.
    """
    cells = list(trees)
    waiting = [*start, *(found for cell in cells for found in imported(package, cell, scope=cells))]
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += package.imports(module)
    return sorted(seen)


def imported(
    package: Package, tree: ast.Module, module: str = "", scope: Sequence[ast.Module] = ()
) -> Iterator[str]:
    """Yield the modules that the code of `module` imports, wherever in it the import stands.

    Args:
        package: the package whose modules count.
        tree: the code.
        module: the name of the module whose code it is; "" for a cell.
        scope: the code in which the imported names may be used; `tree` itself by default.
    """
    scope = scope or [tree]
    for node in executed(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _belongs(package, alias.name):
                    yield from _used(package, alias.name, alias.asname, scope)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(package, node, module)
            if _belongs(package, base):
                for alias in node.names:
                    found = defining_module(package, base, alias.name)
                    whole = found == f"{base}.{alias.name}"  # the name is the module itself
                    name = (alias.asname or alias.name) if whole else None
                    yield from _used(package, found, name, scope)


def executed(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement, also of a statement, but those below ``if TYPE_CHECKING``."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
        else:
            waiting += (each for part in INSIDE for each in getattr(node, part, ()))


def _used(
    package: Package, module: str, name: str | None, scope: Sequence[ast.Module]
) -> Iterator[str]:
    """Yield what code in `scope` uses of `module`, which it calls `name`."""
    chains = attributes_of(name, scope) if name and package.is_package(module) else None
    if chains is None:
        yield module
    else:
        yield from (_defining_chain(package, module, chain) for chain in sorted(chains))


def _defining_chain(package: Package, module: str, chain: Sequence[str]) -> str:
    """Return the module that defines what ``module.a.b`` gives for the chain ("a", "b")."""
    found = defining_module(package, module, chain[0])
    inside = found == f"{module}.{chain[0]}" and package.is_package(found) and len(chain) > 1
    return _defining_chain(package, found, chain[1:]) if inside else found


def defining_module(package: Package, module: str, name: str) -> str:
    """Return the module that defines what ``from module import name`` gives.

    Raises:
        LookupError: the module does not exist.
    """
    if package.is_folder(module):
        return f"{module}.{name}"
    if not package.is_package(module):
        package.tree(module)  # says so if it does not exist
        return module
    for node in package.tree(module).body:
        if not isinstance(node, ast.ImportFrom):
            continue
        base = _absolute(package, node, module)
        if base == module or not _belongs(package, base):
            continue  # `from . import minilang` names a submodule: found below
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                return defining_module(package, base, alias.name)
    submodule = f"{module}.{name}"
    return submodule if package.file(submodule) is not None else module


def _belongs(package: Package, module: str) -> bool:
    return module == package.name or module.startswith(f"{package.name}.")


def _absolute(package: Package, node: ast.ImportFrom, module: str) -> str:
    """Return the full name of the module that ``from … import`` names inside `module`."""
    if node.level == 0:
        return node.module or ""
    parts = module.split(".")
    parts = parts if package.is_package(module) else parts[:-1]
    parts = parts[: len(parts) - (node.level - 1)]
    return ".".join([*parts, *([node.module] if node.module else [])])
