"""An exercise's cells in its chapter: statement with hints, stub and check, made from its text.

The cells are found by the slug. Where a chapter holds a cell ``### Exercise: the-slug``, it becomes
the statement, and stub and check are put behind it. Where the text asks for a test, two cells more
stand behind the check, or wherever the chapter has moved them: what to look for, and the stub.
"""

from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from bottomup.exercises import Exercise
from bottomup.exercises.engine.registry import find, places, text_file
from bottomup.exercises.engine.texts import ExerciseText, TestText, read_text
from tools.notebooks.paths import all_chapters, chapter_number

IMPORT = "from bottomup.exercises import check, hint, solution"
IMPORT_CATCH = "from bottomup.exercises import catch"
WHAT_TESTS_LOOK_FOR = "00_warm_up.ipynb#a-test-that-catches"


def write(path: Path) -> bool:
    """Make the cells of a chapter's exercises anew; say whether one has changed."""
    notebook = nbformat.read(path, as_version=4)
    before = nbformat.writes(notebook)
    set_cells(notebook, chapter_number(path))
    changed: bool = nbformat.writes(notebook) != before
    if changed:
        nbformat.write(notebook, path)
    return changed


def set_cells(notebook: NotebookNode, chapter: str) -> None:
    """Make the cells of the exercises of a chapter, such as "01b", what their texts say.

    Raises:
        LookupError: an exercise has no cell in the notebook, or others stand between its cells.
    """
    for number, (folder, slug) in enumerate(exercises_of(chapter), 1):
        text = read_text(text_file(folder, slug))
        index = _statement_cell(notebook, slug)
        place = f"{chapter.removeprefix('0')}.{number}"
        cells = notebook.cells[index : index + 3]
        if cells[0].source == placeholder(slug):
            cells[1:] = [new_code_cell(), new_code_cell(_import_where_missing(notebook))]
            notebook.cells[index : index + 1] = cells
        elif not _are_stub_and_check(cells[1:], slug):
            raise LookupError(f"{slug}: expected the stub's cell and the check's below its hints")
        cells[0].source = statement(text, slug, place)
        cells[1].source = text.stub.rstrip()
        cells[2].source = with_check(cells[2].source, find(slug))
        if text.test:
            about, stub = _test_cells(notebook, find(slug), index + 3)
            about.source = statement_of_test(text.test, place)
            stub.source = stub_of_test(find(slug), imported=IMPORT_CATCH in stub.source)


def exercises_of(chapter: str) -> list[tuple[str, str]]:
    """Return folder and slug of each exercise of a chapter, in their order."""
    return [(folder, slug) for slug, folder in places().items() if find(slug).chapter == chapter]


def placeholder(slug: str) -> str:
    """Return the source of the cell that an author puts where a new exercise belongs."""
    return f"### Exercise: {slug}"


def statement(text: ExerciseText, slug: str, place: str) -> str:
    """Return the Markdown above a stub: heading, effort, statement, hints."""
    hints = "".join(
        f"<details><summary>Hint {number}</summary>\n\n{hint}\n\n</details>\n"
        for number, hint in enumerate(text.hints, 1)
    )
    return (
        f"### Exercise {place}: {text.title}\n\n"
        f"*Difficulty {text.difficulty}, importance {text.importance} of 5, "
        f"{text.minutes} minutes.* {text.statement}\n\n"
        f"{hints}\n{_last_line(slug)}"
    )


def with_check(source: str, exercise: Exercise) -> str:
    """Return the source of a check's cell with its last line made anew."""
    before = source.rpartition("\n")[0]
    return f"{before}\n{exercise.check_line}" if before else exercise.check_line


def statement_of_test(test: TestText, place: str) -> str:
    """Return the Markdown above the stub of a test."""
    look = f"[what a test looks for]({WHAT_TESTS_LOOK_FOR})"
    return (
        f"#### The test of exercise {place}\n\n*{test.minutes} minutes; {look}.* {test.statement}"
    )


def stub_of_test(exercise: Exercise, *, imported: bool) -> str:
    """Return the source of the cell in which a test is written and run."""
    before = f"{IMPORT_CATCH}\n\n\n" if imported else ""
    return f"{before}{exercise.test_stub}\n\n{exercise.catch_line}"


def _test_cells(notebook: NotebookNode, exercise: Exercise, index: int) -> list[NotebookNode]:
    """Return the two cells of a test; where there are none, put them in at `index`."""
    for number, cell in enumerate(notebook.cells):
        if cell.source.endswith(f"    ...\n\n\n{exercise.catch_line}"):
            found: list[NotebookNode] = notebook.cells[number - 1 : number + 1]
            return found
    missing = not any(IMPORT_CATCH in cell.source for cell in notebook.cells)
    cells = [new_markdown_cell(), new_code_cell(IMPORT_CATCH if missing else "")]
    notebook.cells[index:index] = cells
    return cells


def _are_stub_and_check(cells: list[NotebookNode], slug: str) -> bool:
    kinds = [cell.cell_type for cell in cells]
    return kinds == ["code", "code"] and f'check("{slug}", ' in cells[1].source


def _last_line(slug: str) -> str:
    return f'The solution is one call away: `solution("{slug}")`.'


def _statement_cell(notebook: NotebookNode, slug: str) -> int:
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown" and (
            cell.source == placeholder(slug) or cell.source.endswith(_last_line(slug))
        ):
            return index
    raise LookupError(f"{slug}: expected a Markdown cell with the line {placeholder(slug)!r}")


def _import_where_missing(notebook: NotebookNode) -> str:
    """Return the import above the check, and an empty line; the chapter's first check has it."""
    present = any(cell.source.startswith(IMPORT) for cell in notebook.cells)
    return "" if present else f"{IMPORT}\n\n"


def write_all() -> list[str]:
    """Write the cells of every chapter; return the names of those that have changed."""
    return [path.name for path in all_chapters() if write(path)]
