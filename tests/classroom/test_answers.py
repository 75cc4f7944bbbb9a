"""Which statements of a notebook define an answer."""

from pathlib import Path

from bottomup.classroom.answers import cells_of, defining, handed_in, source_of


def test_what_an_answer_uses_goes_along_and_nothing_else():
    cells = [
        "import torch, math\nprint('hello')",
        "def half(x):\n    return x / TWO",
        "for step in range(10**9):\n    loss = step",
        "TWO = 2\ndef f(x): return 0",
        'def f(x):\n    """Mine."""\n    return math.sqrt(half(x))  # mina',
    ]
    statements, problem = defining(cells, "f")
    assert problem == ""
    assert statements == [(cells[0], [0]), (cells[1], [0]), (cells[3], [0]), (cells[4], [0])]
    assert "Mine" not in source_of(statements)
    assert "mina" not in source_of(statements)


def test_an_answer_that_is_no_python_is_said_unless_it_is_defined_below():
    assert defining(["def f(x):\n    return ("], "f") == (
        [],
        "f is no Python: '(' was never closed (line 2)",
    )
    assert defining(["def f(x):\n    return (", "f = abs"], "f") == ([("f = abs", [0])], "")
    assert defining(["x = ("], "f") == ([], "f is not defined.")


def test_a_program_with_a_fault_in_one_function_keeps_the_others(tmp_path: Path):
    path = tmp_path / "a.py"
    text = "import math\n\ndef f(x):\n    return (\n\ndef g(x):\n    return math.pi\n"
    path.write_text(text, "utf-8")
    cells = list(cells_of(path))
    assert defining(cells, "g")[1] == ""
    assert "no Python" in defining(cells, "f")[1]


def test_a_student_is_a_file_or_a_folder(tmp_path: Path):
    for name in ("mina.py", "Juan_17/a/x.ipynb", "Juan_17/y.py", ".git/z.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", "utf-8")
    found = {each.student: [path.name for path in each.files] for each in handed_in(tmp_path)}
    assert found == {"Juan_17": ["x.ipynb", "y.py"], "mina": ["mina.py"]}
