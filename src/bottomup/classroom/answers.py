"""What students handed in: whose a file is, and which statements define an answer.

Of a notebook nothing is run but what defines the functions that were asked for, and what these use:
imports, definitions, assignments. A cell that fails, prints or trains is not in the way.
"""

import ast
import codecs
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from bottomup.classroom.code import bound, read, without_docstrings
from bottomup.i18n import _

KINDS = (".ipynb", ".py")
MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)  # of IPython
STILL_PYTHON = {"%%time", "%%timeit", "%%capture"}  # a cell below another one is none
BEGINNING = re.compile(r"^(?=@|async def |def |class |import |from )", re.MULTILINE)
STAR = "*"

Statements = list[tuple[str, list[int]]]  # by cell its text, and which of its statements to run


class Answer(NamedTuple):
    """The statements that define an answer and what it uses, or why there are none.

    Args:
        statements: none where there is a problem.
        problem: what keeps the answer from being run.
        cell: the number of the cell in which it is defined, or should be.
    """

    statements: Statements
    problem: str = ""
    cell: int | None = None


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
    def cells(self) -> tuple[tuple[Path, str], ...]:
        """The text of every cell, with its file; that of a program is one."""
        return tuple((file, cell) for file in self.files for cell in cells_of(file) or ())

    def answer(self, name: str, stub: str = "") -> Answer:
        """Return what defines an answer; one that is still the stub does not count before others.

        Args:
            name: of the answer.
            stub: what was handed out.
        """
        found = defining([cell for _file, cell in self.cells], name, stub)
        damaged = [file.name for file in self.files if cells_of(file) is None]
        if not self.files:
            return Answer([], _("No notebook or program was handed in."))
        if found.cell is None and damaged:
            sentence = _("{names} cannot be read as a notebook.")
            return Answer([], sentence.format(names=", ".join(damaged)))
        return found

    def file_of(self, answer: Answer) -> str:
        """Return the name of the file that an answer is from, where there is a choice."""
        if answer.cell is None or len(self.files) == 1:
            return ""
        return self.cells[answer.cell][0].name

    @property
    def digest(self) -> str:
        """What tells this state of the files from all others."""
        made = hashlib.sha256()
        for file in self.files:
            made.update(file.read_bytes())
        return made.hexdigest()[:16]


def handed_in(folder: Path) -> list[HandedIn]:
    """Return what every student handed in; a folder without a notebook is a student, too.

    Raises:
        FileNotFoundError: there is nothing.
    """
    found: dict[str, list[Path]] = {}
    for path in entries(class_in(folder)):
        if path.is_dir():
            files = [each for each in sorted(path.rglob("*")) if is_answer(each, path)]
            found.setdefault(path.name, []).extend(files)
        elif is_answer(path, path.parent):
            found.setdefault(path.stem, []).append(path)
    if not found:
        wanted = _("expected notebooks or programs (.py) of students in {folder}")
        raise FileNotFoundError(wanted.format(folder=folder))
    return [HandedIn(name, tuple(paths)) for name, paths in found.items()]


def not_read(folder: Path) -> list[str]:
    """Return the names of files that are neither a student's answers nor a student's notes."""
    return [
        path.name
        for path in entries(class_in(folder))
        if path.is_file() and path.suffix.lower() not in (*KINDS, ".json")
    ]


def class_in(folder: Path) -> Path:
    """Return the folder with the students: the one inside, where it alone holds their folders."""
    inside = entries(folder)
    if len(inside) == 1 and inside[0].is_dir():
        deeper = entries(inside[0])
        if len(deeper) > 1 and all(path.is_dir() for path in deeper):
            return inside[0]
    return folder


def entries(folder: Path) -> list[Path]:
    """Return what lies in a folder, but for what systems leave there."""
    return [path for path in sorted(folder.glob("*")) if not is_hidden(path.name)]


def is_hidden(name: str) -> bool:
    """Say whether a system has left this file or folder."""
    return name.startswith((".", "__MACOSX", "__pycache__"))


def is_answer(path: Path, folder: Path) -> bool:
    """Say whether a file in a folder is a notebook or a program of a student's."""
    hidden = any(map(is_hidden, path.relative_to(folder).parts))
    return path.suffix.lower() in KINDS and path.is_file() and not hidden


def cells_of(path: Path) -> list[str] | None:
    """Return the texts of a file's cells; None of a file that is no notebook, as its name says."""
    content = path.read_bytes()
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = content.decode("utf-16" if wide else "utf-8-sig", errors="replace")
    if path.suffix.lower() == ".py":
        return parts(text)
    try:
        cells = json.loads(text)["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        return None
    return [
        part
        for source in sources
        if not source.lstrip().startswith("%%") or source.split()[0] in STILL_PYTHON
        for part in parts(MAGIC.sub(r"\1pass", source))
    ]


def parts(cell: str) -> list[str]:
    """Return a cell; where it is no Python, its definitions apart: one is not in another's way."""
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError):
        return BEGINNING.split(cell)
    return [cell]


def defining(cells: Sequence[str], name: str, stub: str = "") -> Answer:
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
    untouched = set(map(ast.dump, ast.parse(stub).body))
    own = [at for at in own if ast.dump(bodies[at[0]][at[1]]) not in untouched] or own
    if broken and (not own or broken[-1][0] > own[-1][0]):
        at, fault = broken[-1]
        return Answer([], _("{name} is no Python: {error}").format(name=name, error=fault), at)
    if not own:
        return Answer([], _("{name} is not defined.").format(name=name))
    wanted, waiting, seen = {own[-1]}, [own[-1]], {name}
    while waiting:
        at, index = waiting.pop()
        for used in (read(bodies[at][index]) | {STAR}) - seen:
            seen.add(used)
            more = [(a, i) for a, i in places if used in bound(bodies[a][i])]
            waiting += set(more) - wanted
            wanted.update(more)
    chosen = {at: sorted(i for a, i in wanted if a == at) for at, _index in sorted(wanted)}
    statements = [(cells[at], indices) for at, indices in chosen.items()]
    return Answer(statements, cell=own[-1][0])


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
    return ast.unparse(ast.Module(list(map(without_docstrings, kept)), []))
