"""Which modules and texts the page gets, found by reading: what the engine and exercises import.

The page loads them before the first check, so that a subpackage is cut down to what is used of it,
and the rest of it says that it is not here.
"""

import ast
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import nbformat

import bottomup
from bottomup import i18n
from bottomup.exercises.engine.registry import CHAPTERS, ROOM, find, places, text_file
from bottomup.exercises.engine.texts import ExerciseText, FormText, read_text
from tools.exercises.messages import messages
from tools.notebooks.closure import Package, closure, defining_module, parse_cell
from tools.notebooks.paths import ROOT, SOURCE, all_chapters, chapter_number

HERE = ROOT / "book" / "answer_here"
RUNNING = ("alarm.py", "jaxtyping.py", "platformdirs.py", "runner.py")  # beside the package
NAME = "bottomup.exercises"
PACKAGE = Package("bottomup", SOURCE)

Files = dict[str, str | bytes]  # by their name in an archive

REST = """

def __getattr__(name):
    from importlib.util import find_spec

    if name.startswith("__") or find_spec(f"{__name__}.{name}"):
        raise AttributeError(name)
    from smalltorch.refusal import not_here

    raise not_here(f"{__name__}.{name}")
"""


def package() -> Files:
    """Return what every check needs: the engine, the chapters' lists, what exercises import."""
    shared = [module for module in modules() if not is_of_an_exercise(module)]
    folders = [f"{NAME}.{folder}" for folder in CHAPTERS]
    files: Files = {name: text_of(HERE / name) for name in RUNNING}
    for module in sorted({*shared, *folders, *parents([*shared, *folders])}):
        path = PACKAGE.file(module)
        if path is None:
            raise LookupError(f"there is no module {module}")
        files[path.relative_to(SOURCE).as_posix()] = cut(module)
    return files


def chapter(folder: str) -> Files:
    """Return the exercises of a chapter, and what its notebook imports above each of them."""
    paths = [
        path for path in sorted(ROOM.joinpath(folder).rglob("*.*")) if path.suffix in (".py", ".md")
    ]
    files: Files = {path.relative_to(SOURCE).as_posix(): text_of(path) for path in paths}
    imports = imported_above(folder)
    return files | {f"imports/{slug}.json": json.dumps(imports[slug]) for slug in imports}


def small_torch() -> Files:
    """Return the page's torch."""
    return {path.relative_to(SOURCE).as_posix(): text_of(path) for path in small_torch_files()}


def small_torch_files() -> list[Path]:
    """Return the files of the page's torch, and of the little numpy beside it."""
    found = (SOURCE.joinpath(name).rglob("*.*") for name in ("smalltorch", "smallnumpy"))
    return sorted(path for paths in found for path in paths if path.suffix in (".py", ".txt"))


def translated(language: str) -> dict[str, str]:
    """Return what the engine, and every exercise's texts and cases, say in another language."""
    said = {text for module in modules() for text in PACKAGE.strings(module)}
    for slug, folder in places().items():
        said.update(messages(folder, slug))
    catalogue = i18n.catalogue(language)
    return {message: catalogue[message] for message in sorted(said & set(catalogue))}


@cache
def modules() -> tuple[str, ...]:
    """Return the modules that engine, exercises and their answers import, themselves among them."""
    start = [NAME, f"{NAME}.engine.outcomes"]
    for folder in CHAPTERS:
        start += PACKAGE.modules(f"exercises/{folder}")
    answers = [
        ast.parse(form.source)
        for slug, folder in places().items()
        for form in all_forms(read_text(text_file(folder, slug)))
        if "bottomup" in form.source
    ]
    return tuple(sorted(set(closure(PACKAGE, [], start)).union(*map(imports_of, answers))))


def imports_of(answer: ast.Module) -> list[str]:
    """Return the modules that an answer imports; answers share no names."""
    return closure(PACKAGE, [answer])


def all_forms(text: ExerciseText) -> Iterator[FormText]:
    """Yield the answers of a text, right and wrong."""
    yield from text.right
    yield from text.wrong
    for mistake in text.mistakes.values():
        yield from mistake.forms


def is_of_an_exercise(module: str) -> bool:
    """Say whether a module stands in a chapter's folder of exercises."""
    parts = module.split(".")
    return parts[:2] == NAME.split(".") and len(parts) > 2 and parts[2] in CHAPTERS


def parents(names: Iterable[str]) -> set[str]:
    """Return the packages that modules lie in."""
    found = set[str]()
    for name in names:
        while name := name.rpartition(".")[0]:
            found.add(name)
    return found


def cut(module: str) -> str:
    """Return the source of a module; of a subpackage's list of names those that are in the page."""
    path = PACKAGE.file(module)
    if path is None:
        raise LookupError(f"there is no module {module}")
    if module == "bottomup":  # to look the version up loads thirty modules of the library
        return f'__version__ = "{bottomup.__version__}"\n{REST}'
    whole = module.startswith(NAME) or not PACKAGE.is_package(module)
    return text_of(path) if whole else "\n".join(kept_imports(module)) + REST


def kept_imports(module: str) -> Iterator[str]:
    """Yield the imports of a subpackage that lead to modules in the page."""
    for node in PACKAGE.tree(module).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [
                alias
                for alias in node.names
                if defining_module(PACKAGE, node.module, alias.name) in modules()
            ]
            if names:
                yield ast.unparse(ast.ImportFrom(node.module, names, node.level))


def imported_above(folder: str) -> dict[str, dict[str, str]]:
    """Return for each exercise of a chapter the names that the notebook imports above its stub.

    A name has the statement that imports it. What the page runs of them is what an answer uses.
    """
    slugs = [slug for slug, place in places().items() if place == folder]
    number = find(slugs[0]).chapter
    path = next(path for path in all_chapters() if chapter_number(path) == number)
    known: dict[str, str] = {}
    found: dict[str, dict[str, str]] = {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        found |= {slug: dict(known) for slug in slugs if f'check("{slug}", ' in cell.source}
        known |= {name: text for name, text in names_imported(cell.source)}
    return found


def names_imported(source: str) -> Iterator[tuple[str, str]]:
    """Yield the names that the imports of a cell give, each with a statement for it alone."""
    for node in parse_cell(source).body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                yield name, ast.unparse(ast.Import([alias]))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                statement = ast.unparse(ast.ImportFrom(node.module, [alias], node.level))
                yield alias.asname or alias.name, statement


def text_of(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text("utf-8")
