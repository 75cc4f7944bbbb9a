"""Which statements of a notebook define an answer."""

import codecs
import json
from pathlib import Path

import pytest

from bottomup.classroom.answers import (
    Answer,
    HandedIn,
    cells_of,
    defining,
    handed_in,
    not_read,
    source_of,
)


def test_what_an_answer_uses_goes_along_and_nothing_else():
    cells = [
        "import torch, math\nprint('hello')",
        "def half(x):\n    return x / TWO",
        "for step in range(10**9):\n    loss = step",
        "TWO = 2\ndef f(x): return 0",
        'def f(x):\n    """Mine."""\n    return math.sqrt(half(x))  # mina',
    ]
    statements, problem, cell = defining(cells, "f")
    assert (problem, cell) == ("", 4)
    assert statements == [(cells[0], [0]), (cells[1], [0]), (cells[3], [0]), (cells[4], [0])]
    assert "Mine" not in source_of(statements)
    assert "mina" not in source_of(statements)


def test_an_answer_that_is_no_python_is_said_unless_it_is_defined_below():
    assert defining(["def f(x):\n    return ("], "f") == Answer(
        [], "f is no Python: '(' was never closed (line 2)", 0
    )
    both = ["def f(x):\n    return (", "f = abs"]
    assert defining(both, "f") == Answer([("f = abs", [0])], cell=1)
    assert defining(["x = ("], "f") == Answer([], "f is not defined.")


def test_a_program_with_a_fault_in_one_function_keeps_the_others(tmp_path: Path):
    path = tmp_path / "a.py"
    text = "import math\n\ndef f(x):\n    return (\n\ndef g(x):\n    return math.pi\n"
    path.write_text(text, "utf-8")
    cells = cells_of(path) or []
    assert defining(cells, "g")[1] == ""
    assert "no Python" in defining(cells, "f")[1]


def test_a_student_is_a_file_or_a_folder(tmp_path: Path):
    for name in ("mina.py", "Juan_17/a/x.ipynb", "Juan_17/y.py", ".git/z.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", "utf-8")
    found = {each.student: [path.name for path in each.files] for each in handed_in(tmp_path)}
    assert found == {"Juan_17": ["x.ipynb", "y.py"], "mina": ["mina.py"]}
    assert not_read(tmp_path) == ["notes.txt"]


def made(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("", "utf-8")
    return folder


def test_an_untouched_stub_does_not_count_before_an_answer(tmp_path: Path):
    stub = "def f(x):\n    ...\n"
    (tmp_path / "anna.py").write_text("def f(x):\n    return x\n", "utf-8")
    (tmp_path / "exercises.py").write_text(stub + "# nothing yet", "utf-8")
    each = HandedIn("anna", (tmp_path / "anna.py", tmp_path / "exercises.py"))
    answer = each.answer("f", stub)
    assert "return x" in answer.statements[0][0]
    assert each.file_of(answer) == "anna.py"
    assert each.file_of(each.answer("g")) == ""
    assert defining([stub], "f", stub).statements == [(stub, [0])]


def test_a_folder_around_the_class_is_no_student(tmp_path: Path):
    folder = made(tmp_path, "Week1/kim/exercises.ipynb", "Week1/lee/exercises.ipynb", "__MACOSX/x")
    assert [each.student for each in handed_in(folder)] == ["kim", "lee"]
    made(tmp_path, "mina.py")
    assert [each.student for each in handed_in(folder)] == ["Week1", "mina"]


def test_every_folder_is_a_student_and_every_other_file_is_named(tmp_path: Path):
    names = ("jo/a.pdf", "colab.IPYNB", "jin.txt", "kim.ipynb.zip", "mina.json")
    folder = made(tmp_path, *names)
    found = {each.student: each for each in handed_in(folder)}
    assert list(found) == ["colab", "jo"]
    assert found["jo"].answer("f") == Answer([], "No notebook or program was handed in.")
    assert not_read(folder) == ["jin.txt", "kim.ipynb.zip"]


@pytest.mark.parametrize(
    ("magic", "is_kept"), [("%%time", True), ("\n%%capture out", True), ("%%bash", False)]
)
def test_a_cell_below_a_magic_is_read_where_it_is_python(tmp_path: Path, magic: str, is_kept: bool):
    cell = {"cell_type": "code", "source": f"{magic}\n%matplotlib inline\ndef f(x): return x"}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell]}), "utf-8")
    assert bool(defining(cells_of(tmp_path / "a.ipynb") or [], "f").statements) == is_kept


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\x89PNG"])
def test_a_notebook_that_cannot_be_read_is_said(tmp_path: Path, content: bytes):
    (tmp_path / "a.ipynb").write_bytes(content)
    (found,) = handed_in(tmp_path)
    assert found.answer("f") == Answer([], "a.ipynb cannot be read as a notebook.")


@pytest.mark.parametrize("begin", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
def test_a_program_is_read_as_windows_writes_it(tmp_path: Path, begin: bytes):
    encoding = "utf-8" if begin == codecs.BOM_UTF8 else "utf-16-le"
    (tmp_path / "a.py").write_bytes(begin + "f = 'ü'\n".encode(encoding))
    assert cells_of(tmp_path / "a.py") == ["f = 'ü'\n"]
