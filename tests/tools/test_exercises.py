"""What an author does with exercises: cells of the chapters, frames, messages."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.registry import ROOM, assemble, text_file
from bottomup.exercises.engine.texts import TestText, read_text
from tools.exercises import cells, frame
from tools.exercises.__main__ import main
from tools.exercises.messages import template
from tools.notebooks.paths import all_chapters, chapter_number

SLUG = "intra-attention"
EXERCISE = catalog()[SLUG]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the exercise be the only one of its chapter."""
    monkeypatch.setattr(cells, "exercises_of", lambda chapter: [("intra_attention", SLUG)])


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_a_chapter_holds_its_exercises_as_their_texts_say(path: Path):
    notebook = nbformat.read(path, as_version=4)
    stored = [cell.source for cell in notebook.cells]
    cells.set_cells(notebook, chapter_number(path))
    assert [cell.source for cell in notebook.cells] == stored, "python -m tools.exercises write"
    numbers = re.findall(r"^### Exercise \w+\.(\d+): ", "\n".join(stored), re.MULTILINE)
    count = len(cells.exercises_of(chapter_number(path)))
    assert numbers == [str(number) for number in range(1, count + 1)]


def chapter(*exercise: nbformat.NotebookNode) -> nbformat.NotebookNode:
    prose, code = new_markdown_cell("## A section"), new_code_cell("1 + 1")
    return new_notebook(cells=[prose, *exercise, code])


def sources(notebook: nbformat.NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells]


@pytest.mark.usefixtures("alone")
def test_a_placeholder_becomes_statement_stub_and_check():
    notebook = chapter(new_markdown_cell("### Exercise: intra-attention"))
    cells.set_cells(notebook, "02b")
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "markdown"] + 3 * ["code"]
    _section, statement, stub, check, _code = sources(notebook)
    heading, _empty, about, *_rest = statement.splitlines()
    assert heading == f"### Exercise 2b.1: {EXERCISE.title}"
    assert about.startswith("*Difficulty 3, importance 3 of 5, 15 minutes.* Implement equation (5)")
    for number, hint in enumerate(EXERCISE.hints, 1):
        assert f"<details><summary>Hint {number}</summary>\n\n{hint}\n\n</details>" in statement
    assert statement.endswith('\n\nThe solution is one call away: `solution("intra-attention")`.')
    assert stub == EXERCISE.stub.rstrip()
    assert check == f"{cells.IMPORT}\n\n{EXERCISE.check_line}"


@pytest.mark.usefixtures("alone")
def test_cells_that_are_there_are_made_anew_and_what_stands_above_the_check_stays():
    notebook = chapter(
        new_markdown_cell('### Exercise 9.9: Old\n\n`solution("intra-attention")`'),
        new_markdown_cell(
            '### Exercise 9.9: Old\n\nThe solution is one call away: `solution("intra-attention")`.'
        ),
        new_code_cell("def old(): ..."),
        new_code_cell('# mine\n\ncheck("intra-attention", old)'),
    )
    cells.set_cells(notebook, "02b")
    _section, other, statement, stub, check, _code = sources(notebook)
    assert other.startswith("### Exercise 9.9: Old")
    assert statement.startswith("### Exercise 2b.1: ")
    assert stub == EXERCISE.stub.rstrip()
    assert check == f"# mine\n\n{EXERCISE.check_line}"
    again = sources(notebook)
    cells.set_cells(notebook, "02b")
    assert sources(notebook) == again


@pytest.mark.usefixtures("alone")
def test_an_exercise_without_its_cells_is_an_error():
    with pytest.raises(LookupError, match="intra-attention: expected a Markdown cell with "):
        cells.set_cells(chapter(), "02b")
    notebook = chapter(new_markdown_cell("### Exercise: intra-attention"))
    cells.set_cells(notebook, "02b")
    notebook.cells.insert(2, new_code_cell("x = 1"))
    with pytest.raises(LookupError, match="intra-attention: expected the stub's cell"):
        cells.set_cells(notebook, "02b")


def test_a_notebook_is_written_only_where_a_cell_has_changed(tmp_path: Path):
    (source,) = [path for path in all_chapters() if chapter_number(path) == "02b"]
    path = tmp_path / source.name
    shutil.copy(source, path)
    assert not cells.write(path)
    assert path.read_bytes() == source.read_bytes()
    stored = path.read_text(encoding="utf-8")
    assert "Implement equation (5) for a batch." in stored
    path.write_text(stored.replace("Implement equation (5)", "Write another"), encoding="utf-8")
    assert cells.write(path)
    assert path.read_bytes() == source.read_bytes()


ASKED = TestText(8, "Which rows?", {})


@pytest.mark.usefixtures("alone")
def test_a_test_stands_behind_the_check_or_where_the_chapter_has_moved_it(
    monkeypatch: pytest.MonkeyPatch,
):
    text = replace(read_text(text_file("intra_attention", SLUG)), test=ASKED)
    monkeypatch.setattr(cells, "read_text", lambda path: text)
    notebook = chapter(new_markdown_cell("### Exercise: intra-attention"))
    cells.set_cells(notebook, "02b")
    _section, _statement, _stub, _check, about, stub, _code = sources(notebook)
    assert about.startswith(
        "#### The test of exercise 2b.1\n\n*8 minutes; [what a test looks for]("
    )
    assert about.endswith(").* Which rows?")
    assert stub == f"{cells.IMPORT_CATCH}\n\n\n{EXERCISE.test_stub}\n\n{EXERCISE.catch_line}"
    notebook.cells.insert(4, notebook.cells.pop())  # the chapter puts a cell of its own between
    moved = sources(notebook)
    assert moved[5:] == [about, stub]
    cells.set_cells(notebook, "02b")
    assert sources(notebook) == moved


# ---- A new exercise


@pytest.fixture
def room(tmp_path: Path) -> Path:
    folder = tmp_path / "self_attention"
    folder.mkdir()
    shutil.copy(ROOM / "self_attention" / "__init__.py", folder)
    return tmp_path


def test_the_frame_of_an_exercise_loads_and_stands_last_in_its_chapter(room: Path):
    text, cases, order = frame.make("self_attention", "two-sums", room)
    names: dict = {}
    exec(cases.read_text(encoding="utf-8"), names)
    exercise = assemble("two-sums", "02", text, SimpleNamespace(**names))
    assert exercise.answer_name == "two_sums" == exercise.solution.__name__
    for mistake in exercise.mistakes:
        assert examine(exercise, mistake.answers[0]).mistake == mistake.slug
    assert all(examine(exercise, answer).passed for answer in exercise.alternatives)
    chapter: dict = {}
    exec(order.read_text(encoding="utf-8"), chapter)
    slugs = [slug for slug, exercise in catalog().items() if exercise.chapter == "02"]
    assert [*chapter["EXERCISES"]] == [*slugs, "two-sums"]
    assert chapter["NUMBER"] == "02"


@pytest.mark.parametrize(
    "folder, slug, message",
    [
        ("02", "two-sums", "chapter: expected one of warm_up, .*got '02'"),
        ("self_attention", "two_sums", "slug: expected words joined by hyphens, got 'two_sums'"),
    ],
)
def test_a_frame_that_cannot_be_made_is_an_error(
    folder: str, slug: str, message: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(ValueError, match=message):
        frame.make(folder, slug)
    assert main(["new", folder, slug]) == 1
    assert re.match(message, capsys.readouterr().err)


def test_a_frame_does_not_replace_an_exercise(room: Path):
    frame.make("self_attention", "two-sums", room)
    with pytest.raises(ValueError, match="already holds two_sums"):
        frame.make("self_attention", "two-sums", room)


def test_every_text_that_is_translated_is_a_message():
    catalogue = template()
    messages = {message.id for message in catalogue}
    for exercise in catalog().values():
        mistakes = exercise.mistakes
        texts = {exercise.title, *exercise.hints}
        texts |= {text for each in mistakes for text in (each.diagnosis, each.see)}
        assert texts <= messages
    assert catalogue["The causal mask"].auto_comments == [
        "exercises/self_attention/causal_mask/text.md"
    ]
    assert read_text(text_file("self_attention", "causal-mask")).title == "The causal mask"
