"""What students handed in: whose a file is, and which statements define an answer.

Of a notebook nothing is run but what defines the functions that were asked for, and what these use:
imports, definitions, assignments. A cell that fails, prints or trains is not in the way.
"""

import ast
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bottomup.classroom.code import bound, read
from bottomup.i18n import _

KINDS = (".ipynb", ".py")
MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)  # of IPython
BEGINNING = re.compile(r"^(?=@|async def |def |class |import |from )", re.MULTILINE)
STAR = "*"

Statements = list[tuple[str, list[int]]]  # by cell its text, and which of its statements to run


@dataclass(frozen=True)
class HandedIn:
    """What one student handed in.

    Args:
        student: a name: that of the file, or of the folder for each student that a learning
            platform makes.
        files: notebooks and programs; of what is defined twice, the last counts.
    """

    student: str
    files: tuple[Path, ...]

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The text of every cell; that of a program is one."""
        return tuple(cell for file in self.files for cell in cells_of(file))

    @property
    def digest(self) -> str:
        """What tells this state of the files from all others."""
        made = hashlib.sha256()
        for file in self.files:
            made.update(file.read_bytes())
        return made.hexdigest()[:16]


def handed_in(folder: Path) -> list[HandedIn]:
    """Return what every student handed in.

    Raises:
        FileNotFoundError: there is nothing.
    """
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        hidden = any(part.startswith((".", "__MACOSX", "__pycache__")) for part in inside)
        if path.suffix in KINDS and path.is_file() and not hidden:
            found.setdefault(inside[0] if len(inside) > 1 else path.stem, []).append(path)
    if not found:
        wanted = _("expected notebooks or programs (.py) of students in {folder}")
        raise FileNotFoundError(wanted.format(folder=folder))
    return [HandedIn(name, tuple(paths)) for name, paths in found.items()]


def cells_of(path: Path) -> Iterator[str]:
    """Yield the texts of a file's cells; none of a file that is not a notebook."""
    text = path.read_text("utf-8", errors="replace")
    if path.suffix == ".py":
        yield from parts(text)
        return
    try:
        cells = json.loads(text)["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        return
    for source in sources:
        if not source.startswith("%%"):
            yield from parts(MAGIC.sub(r"\1pass", source))


def parts(cell: str) -> list[str]:
    """Return a cell; where it is no Python, its definitions apart: one is not in another's way."""
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError):
        return BEGINNING.split(cell)
    return [cell]


def defining(cells: Sequence[str], name: str) -> tuple[Statements, str]:
    """Return the statements that define an answer and what it uses, or why there are none."""
    bodies: list[list[ast.stmt]] = []
    broken: list[tuple[int, str]] = []  # cells that should define it, and what is wrong with them
    for number, cell in enumerate(cells):
        try:
            bodies.append(ast.parse(cell).body)
        except (SyntaxError, ValueError, RecursionError) as error:
            bodies.append([])
            if re.search(rf"^(?:async )?(?:def|class) {name}\b", cell, re.MULTILINE):
                broken.append((number, describe(error)))
    places = [(at, index) for at, body in enumerate(bodies) for index, _stmt in enumerate(body)]
    own = [(at, index) for at, index in places if name in bound(bodies[at][index])]
    if broken and (not own or broken[-1][0] > own[-1][0]):
        return [], _("{name} is no Python: {error}").format(name=name, error=broken[-1][1])
    if not own:
        return [], _("{name} is not defined.").format(name=name)
    wanted, waiting, seen = {own[-1]}, [own[-1]], {name}
    while waiting:
        at, index = waiting.pop()
        for used in (read(bodies[at][index]) | {STAR}) - seen:
            seen.add(used)
            more = [(a, i) for a, i in places if used in bound(bodies[a][i])]
            waiting += set(more) - wanted
            wanted.update(more)
    chosen = {at: sorted(i for a, i in wanted if a == at) for at, _index in sorted(wanted)}
    return [(cells[at], indices) for at, indices in chosen.items()], ""


def describe(error: Exception) -> str:
    """Return an error of Python's reader in a few words."""
    if isinstance(error, SyntaxError):
        return _("{message} (line {line})").format(message=error.msg, line=error.lineno)
    return str(error)


def source_of(statements: Statements) -> str:
    """Return an answer as code alone: without comments, texts that describe it, and other cells."""
    kept: list[ast.stmt] = []
    for text, indices in statements:
        body = ast.parse(text).body
        kept += [body[index] for index in indices]
    for statement in kept:
        for node in ast.walk(statement):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
                node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(ast.Module(kept, []))
