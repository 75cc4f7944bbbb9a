"""The digest of a notebook: one number that changes when its stored outputs may be out of date.

It is the SHA-256 of

- the sources of the notebook's code cells, in order;
- the syntax tree of every module of the package that the cells import, directly or through other
  modules (see `tools.notebooks.closure`), without docstrings and without what an error says;
  comments and layout are not in it;
- the same for the code of every exercise whose slug stands in a cell, as in ``check("slug", f)``,
  and for the quantities of every experiment whose record a cell names;
- the bytes of that experiment's claims, and of every data file of the package that such a module,
  or a cell, names as a string, but for what tells when something was claimed.

Drawings, and scripts and styles of interactive figures, do not count: `tools.notebooks.drawings`
and `tools.notebooks.explorables` renew them in the outputs.

What it does not see: versions of other packages, a module imported by a computed name, code inside
a string or behind a magic command, a data file whose name is put together at run time.

The digests lie beside the notebooks, in ``digests.json``: to renew one changes no notebook.
"""

import ast
import hashlib
import json
import pickle
import threading
from functools import cache
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from bottomup.files import write_atomically
from tools.notebooks import drawings
from tools.notebooks.closure import Package, closure, strings
from tools.notebooks.paths import SOURCE

CLAIMS, TEXT = "claims.yaml", "text.md"
# No stored output shows them: when rules were set, and what is run again under which.
HISTORY = {"register.jsonl", "freeze.json"}
LOCKED = "locked"  # the folder of the records of the locked run, which have the same names
FILE = "digests.json"  # in the folder of the notebooks
WRITING = threading.Lock()  # several notebooks are executed at a time


def notebook_digest(notebook: NotebookNode, package: Package | None = None) -> str:
    """Return the digest of a notebook as 64 hexadecimal digits.

    Raises:
        SyntaxError: a code cell is not Python.
        LookupError: a cell imports a module of the package that does not exist.
    """
    package = package or own_package()
    sources = code_of(notebook)
    trees = [parse_cell(source) for source in sources]
    modules = notebook_modules(notebook, package)
    words = strings(trees).union(*(package.strings(module) for module in modules))
    claims = (
        package.source / f"{room.replace('.', '/')}/{CLAIMS}" for room in rooms(package, trees)
    )
    digest = hashlib.sha256()
    for source in sources:
        _add(digest, "cell", source.encode())
    for module in modules:
        _add(digest, module, _text(package, module).encode())
    for path in (*named_files(package, words), *filter(Path.is_file, claims)):
        _add(digest, path.name, path.read_bytes())
    return digest.hexdigest()


def notebook_modules(notebook: NotebookNode, package: Package | None = None) -> list[str]:
    """Return the modules of the package that a notebook's outputs may depend on."""
    package = package or own_package()
    trees = [parse_cell(source) for source in code_of(notebook)]
    quantities = (f"{room}.quantities" for room in rooms(package, trees))
    start = [*exercise_modules(package, trees), *filter(package.file, quantities)]
    return closure(package, trees, start=start)


def code_of(notebook: NotebookNode) -> list[str]:
    """Return the sources of the code cells, without those that only show a drawing."""
    return [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and drawings.TAG not in cell.metadata.get("tags", [])
    ]


@cache
def own_package() -> Package:
    """Return this repository's package, read once in each process."""
    return Package("bottomup", SOURCE)


def _text(package: Package, module: str) -> str:
    if module not in package.texts:
        package.texts[module] = canonical(without_texts(package.tree(module)))
    return package.texts[module]


def stored_digest(path: Path) -> str | None:
    """Return the digest under which a notebook's outputs held last, or None."""
    return _stored(path.with_name(FILE)).get(path.stem)


def store_digest(path: Path, notebook: NotebookNode, package: Package | None = None) -> None:
    """Write down the digest of a notebook that lies, or will lie, at `path`."""
    digest, file = notebook_digest(notebook, package), path.with_name(FILE)
    with WRITING:
        digests = dict(sorted({**_stored(file), path.stem: digest}.items()))
        text = json.dumps(digests, indent=1) + "\n"
        write_atomically(file, lambda part: part.write(text.encode()))


def _stored(file: Path) -> dict[str, str]:
    digests: dict[str, str] = {}
    if file.exists():
        digests = json.loads(file.read_text(encoding="utf-8"))
    return digests


def parse_cell(source: str) -> ast.Module:
    """Return the syntax tree of a cell; lines such as ``%pip`` become ordinary calls first."""
    return ast.parse(TransformerManager().transform_cell(source))


def without_texts(tree: ast.Module) -> ast.Module:
    """Return a copy of the tree without docstrings and without what errors say."""
    copied: ast.Module = pickle.loads(pickle.dumps(tree))  # a deepcopy takes ten times as long
    _WithoutTexts().visit(copied)
    return copied


class _WithoutTexts(ast.NodeTransformer):
    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Keep which error is raised, not what it says: nbval compares an error that is shown."""
        if isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        """Join neighbouring pieces of text: some versions of Python cut it, or add empty ones."""
        self.generic_visit(node)
        joined: list[ast.expr] = []
        for value in node.values:
            last = joined[-1] if joined else None
            if isinstance(last, ast.Constant) and isinstance(value, ast.Constant):
                joined[-1] = ast.Constant(str(last.value) + str(value.value))
            elif not (isinstance(value, ast.Constant) and value.value == ""):
                joined.append(value)
        node.values = joined
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        alone = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if alone else self.generic_visit(node)


def canonical(node: Any) -> str:
    """Write a syntax tree as text that is the same for every version of Python from 3.11.

    Unlike `ast.dump`, which shows empty lists in some versions only, it leaves out every field
    that is empty; fields that later versions add are empty in code that 3.11 can read.
    """
    if isinstance(node, ast.AST):
        fields = ((name, getattr(node, name, None)) for name in node._fields)
        shown = [f"{name}={canonical(value)}" for name, value in fields if value not in (None, [])]
        return f"{type(node).__name__}({', '.join(shown)})"
    if isinstance(node, list):
        return f"[{', '.join(canonical(item) for item in node)}]"
    return repr(node)


def named_files(package: Package, words: set[str]) -> list[Path]:
    """Return the data files of the package whose name stands among the words, or ends one.

    A catalogue of translations is none: the stored outputs are English. Nor is the text of an
    exercise, of which a chapter shows the stub and the title. The claims' file each experiment has:
    `rooms` says whose count.
    """
    names = {word.rsplit("/", 1)[-1] for word in words if not word.endswith(".po")}
    names -= {CLAIMS, TEXT, *HISTORY}
    found = (path for name in sorted(names) for path in package.data_files.get(name, []))
    return [path for path in found if path.parent.parent.name != LOCKED]


def exercise_modules(package: Package, cells: list[ast.Module]) -> list[str]:
    """Return the modules with the cases of the exercises that a cell names by slug."""
    named = strings(cells)
    return [
        module
        for module in package.modules("exercises")
        if module.endswith(".cases") and module.split(".")[-2].replace("_", "-") in named
    ]


def rooms(package: Package, cells: list[ast.Module]) -> list[str]:
    """Return the packages of the experiments whose records a cell names."""
    records = {
        json.loads(path.read_text(encoding="utf-8")).get("experiment")
        for path in named_files(package, strings(cells))
        if path.parent.name == "results" and path.suffix == ".json"
    }
    found = (module.removesuffix(".experiment") for module in package.modules("experiments"))
    start = f"{package.name}.experiments."
    return [room for room in found if room.removeprefix(start).replace(".", "_") in records]


def _add(digest: Any, label: str, content: bytes) -> None:
    """Add a part with its length, so that different lists of parts never give the same bytes."""
    digest.update(f"{label} {len(content)}\n".encode())
    digest.update(content)
