"""What an author does with exercises: cells of the chapters, frames, messages."""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bottomup.exercises import catalog
from bottomup.exercises.engine.registry import ROOM, assemble, places, text_file
from bottomup.exercises.engine.texts import TestText, read_text
from tools.exercises import catches, cells, frame, reports
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
    assert about.startswith("*Difficulty 3, importance 3 of 5, 15 minutes.* Write equation (5)")
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
def test_the_import_stands_above_the_first_check_alone():
    notebook = chapter(
        new_code_cell(f"{cells.IMPORT}\n\ncheck('other', other)"),
        new_markdown_cell("### Exercise: intra-attention"),
    )
    cells.set_cells(notebook, "02b")
    assert sources(notebook)[4] == EXERCISE.check_line


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
    assert "Write equation (5) for a batch." in stored
    path.write_text(stored.replace("Write equation (5)", "Write another"), encoding="utf-8")
    assert cells.write(path)
    assert path.read_bytes() == source.read_bytes()


ASKED = TestText(8, "Which rows?")


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


@pytest.mark.usefixtures("alone")
def test_catch_is_imported_above_the_first_test_alone(monkeypatch: pytest.MonkeyPatch):
    text = replace(read_text(text_file("intra_attention", SLUG)), test=ASKED)
    monkeypatch.setattr(cells, "read_text", lambda path: text)
    notebook = chapter(
        new_code_cell(cells.IMPORT_CATCH), new_markdown_cell("### Exercise: intra-attention")
    )
    cells.set_cells(notebook, "02b")
    assert sources(notebook)[6].startswith("def test_")


# ---- A new exercise


@pytest.fixture
def room(tmp_path: Path) -> Path:
    folder = tmp_path / "self_attention"
    folder.mkdir()
    shutil.copy(ROOM / "self_attention" / "__init__.py", folder)
    return tmp_path


def test_the_frame_of_an_exercise_loads_and_stands_last_in_its_chapter(room: Path):
    text, code, order = frame.make("self_attention", "two-sums", room)
    names: dict = {}
    exec(code.read_text(encoding="utf-8"), names)
    exercise = assemble("two-sums", "02", text, names["ANSWERS"])
    assert exercise.answer_name == "two_sums" == exercise.solution.__name__
    assert len(exercise.misconceptions) == 1
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
    for exercise in catalog().values():
        misconceptions = exercise.misconceptions
        texts = {exercise.title, *exercise.hints}
        texts |= {text for each in misconceptions for text in (each.diagnosis, each.see)}
        assert texts <= {message.id for message in catalogue}
    assert catalogue["The causal mask"].auto_comments == ["exercises/self_attention/causal_mask.md"]
    assert read_text(text_file("self_attention", "causal-mask")).title == "The causal mask"


# ---- Reports recorded for the book; that they are what the check says is tried with the trials

MASK = catalog()["causal-mask"]
STRICT = "def causal_mask(n):\n    return torch.ones(n, n).tril(-1).bool()\n"
FLIPPED = "def causal_mask(n):\n    return torch.ones(n, n).triu(1).bool()\n"


def wrong_answers(folder: Path, *parts: str) -> Path:
    path = folder / "toy.md"
    path.write_text("\n\n".join(["# Wrong answers", *parts]) + "\n", encoding="utf-8")
    return path


def fence(source: str) -> str:
    return f"```python\n{source}```"


def test_wrong_answers_are_read_by_exercise_and_mistake(tmp_path: Path):
    path = wrong_answers(
        tmp_path, "## a", "### one", fence(STRICT), "## b", "### two", fence("x\n")
    )
    assert reports.read_answers(path) == {"a": [("one", STRICT)], "b": [("two", "x\n")]}


@pytest.mark.parametrize(
    "parts, expected",
    [
        (["### one", fence("x\n")], "'### one': expected a heading ##"),
        (["## a", "prose"], "'## a': expected a heading ##"),
        (["## a", "### one", "prose"], "'### one': expected a fence"),
    ],
)
def test_a_file_of_wrong_answers_that_is_written_otherwise_is_refused(
    tmp_path: Path, parts: list[str], expected: str
):
    with pytest.raises(ValueError, match=re.escape(f"toy.md: {expected}")):
        reports.read_answers(wrong_answers(tmp_path, *parts))


def test_a_report_is_recorded_line_by_line_without_its_looks():
    answers = [reports.WrongAnswer("strict", STRICT), reports.WrongAnswer("inverted", FLIPPED)]
    recorded = reports.record_exercise(MASK, answers)
    assert [answer["mistake"] for answer in recorded["answers"]] == ["strict", "inverted"]
    first = recorded["answers"][0]
    assert first["source"] == STRICT.splitlines()
    assert first["report"][0] == f"{MASK.title}: not right yet"
    assert first["html"][0].startswith('<div class="bottomup-report bottomup-failed"><strong>')
    assert "style=" not in reports.as_text(recorded)
    assert "\n".join(recorded["solution"]) == MASK.source.rstrip()


def test_a_wrong_answer_that_is_named_otherwise_is_not_recorded():
    with pytest.raises(ValueError, match="causal-mask, inverted: expected to be named so, got"):
        reports.record_answer(MASK, reports.WrongAnswer("inverted", STRICT))


@pytest.mark.parametrize("slugs", [[], ["strict"], ["strict", "strict"], ["a", "b", "c"]])
def test_an_exercise_has_two_wrong_answers(slugs: list[str]):
    answers = [reports.WrongAnswer(slug, STRICT) for slug in slugs]
    listed = ", ".join(slugs) or "none"
    with pytest.raises(ValueError, match=f"causal-mask: expected 2 wrong answers, got {listed}"):
        reports.record_exercise(MASK, answers)


def test_a_chapter_records_all_of_its_exercises(tmp_path: Path):
    wrong_answers(tmp_path, "## another").rename(tmp_path / "intra_attention.md")
    with pytest.raises(ValueError, match="the exercises .'lstmn-step', .*'., got .'another'"):
        reports.record("intra_attention", tmp_path)


# ---- Tests recorded for the book; that they are what catch says is tried with the trials

ALL = """def test_causal_mask(causal_mask):
    for n in (1, 2, 5):
        assert causal_mask(n).tolist() == [[j <= i for j in range(n)] for i in range(n)]
"""
SOME = """def test_causal_mask(causal_mask):
    assert causal_mask(2).tolist() == [[True, False], [True, True]]
"""
FEW = """def test_causal_mask(causal_mask):
    assert causal_mask(3).shape == (3, 3)
"""


def test_three_tests_are_recorded_with_a_survivor_of_the_typical_one(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(catches, "check_scores", lambda slug, reports: None)
    recorded = catches.record_tests(MASK, {"weak": FEW, "typical": FEW, "strong": ALL})
    typical, strong = recorded["tests"]
    assert (typical["kind"], typical["source"]) == ("typical", FEW.splitlines())
    assert any(line.endswith(", a survivor") for line in typical["report"])
    assert not any(line.endswith(", a survivor") for line in strong["report"])
    assert "style=" not in reports.as_text(recorded)


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ({"weak": FEW}, "expected weak, typical, strong, got"),
        ({"weak": ALL, "typical": ALL, "strong": ALL}, "weak: expected at most 60%"),
        ({"weak": FEW, "typical": FEW, "strong": ALL}, "typical: expected more than weak"),
        ({"weak": FEW, "typical": ALL, "strong": ALL}, "typical: expected more than weak"),
        ({"weak": FEW, "typical": STRICT, "strong": ALL}, "typical: expected a score"),
    ],
)
def test_tests_whose_scores_are_not_apart_are_not_recorded(sources: dict[str, str], expected: str):
    sources = {
        kind: source.replace("def causal_mask(n)", "def test_causal_mask(causal_mask)")
        for kind, source in sources.items()
    }
    with pytest.raises(ValueError, match=f"causal-mask(, |: ){expected}"):
        catches.record_tests(MASK, sources)


def test_a_chapter_records_the_tests_that_it_asks_for_and_no_other(tmp_path: Path):
    assert catches.record("intra_attention", tmp_path) == {}
    with pytest.raises(ValueError, match=r"expected tests for \['masked-softmax'\], got \[\]"):
        catches.record("attention", tmp_path)


def test_a_chapter_without_tests_gets_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reports, "NOTED", tmp_path / "noted/noted.json")
    assert reports.write_all(tmp_path, lambda chapter, folder, kept: {}) == []
    assert [*tmp_path.glob("*.json")] == []


# ---- Only what is asked for and may have changed is recorded again


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Return what records made-up reports, and says which exercises it has run."""
    monkeypatch.setattr(reports, "NOTED", tmp_path / "noted.json")

    def run(*names: str, shown: str = "as before", made_anew: bool = True) -> list[str]:
        found: list[str] = []

        def record(chapter: str, folder: Path, kept: Mapping[str, Any]) -> dict[str, Any]:
            slugs = [slug for slug, each in places().items() if each == chapter]
            found.extend(slug for slug in slugs if slug not in kept)
            return {slug: kept.get(slug, {"solution": [shown]}) for slug in slugs}

        reports.write_all(tmp_path, record, names)
        return found

    return run


def test_a_chapter_or_an_exercise_is_recorded_alone(runs: Callable[..., list[str]], tmp_path: Path):
    chapter = [slug for slug, each in places().items() if each == "self_attention"]
    assert runs("self_attention") == chapter
    assert [path.name for path in tmp_path.glob("*_*.json")] == ["self_attention.json"]
    (tmp_path / "noted.json").unlink()
    assert runs("causal-mask", shown="another") == ["causal-mask"]
    stored = json.loads((tmp_path / "self_attention.json").read_text("utf-8"))
    assert [*stored] == chapter
    assert [slug for slug in stored if stored[slug]["solution"] == ["another"]] == ["causal-mask"]
    with pytest.raises(ValueError, match="expected a chapter's folder or a slug, got 'mask'"):
        runs("mask")


def test_what_this_machine_made_from_the_same_files_is_not_made_again(
    runs: Callable[..., list[str]], tmp_path: Path
):
    chapter = runs("intra_attention")
    assert runs("intra_attention") == []
    wrong_answers(tmp_path, f"## {chapter[1]}", "### one", fence("x = 1\n")).rename(
        tmp_path / "intra_attention.md"
    )
    assert runs("intra_attention") == [chapter[1]]
    path = tmp_path / "intra_attention.json"
    path.write_text(path.read_text("utf-8").replace("as before", "by hand", 1), "utf-8")
    assert runs("intra_attention") == [chapter[0]]
    assert "by hand" not in path.read_text("utf-8")


def test_another_text_or_code_of_an_exercise_has_it_made_again(
    runs: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    runs("intra_attention")
    other = tmp_path / "other.md"
    other.write_text("another text", "utf-8")
    real = reports.text_file
    monkeypatch.setattr(
        reports,
        "text_file",
        lambda folder, slug: other if slug == "lstmn-step" else real(folder, slug),
    )
    assert runs("intra_attention") == ["lstmn-step"]
    monkeypatch.setattr(reports, "closure", lambda package, trees, start: start[:1])
    assert "lstmn-step" in runs("intra_attention")
