"""Marking a class: each answer apart, compared here, and nobody in another's way."""

import csv
import json
import sys
from pathlib import Path

import pytest

from bottomup.classroom import commands, grades
from bottomup.classroom.marking import Mark
from bottomup.exercises.engine.registry import find

ENDLESS = "def stable_softmax(x):\n    while True:\n        pass"
RIGHT = find("causal-mask").source
NAME = find("causal-mask").answer_name
SOFTMAX = find("stable-softmax").answer_name
posix = pytest.mark.skipif(sys.platform == "win32", reason="nothing forks there")


def right(**more: str) -> dict[str, str]:
    return {NAME: RIGHT, SOFTMAX: find("stable-softmax").source, **more}


@pytest.fixture
def marked(handed_out: Path, tmp_path: Path):
    """Return what marks the class and returns its marks."""

    def run(*options: str) -> dict[str, dict[str, Mark]]:
        where = [str(tmp_path / "handed_in"), "--of", str(handed_out), "--to", str(tmp_path / "m")]
        assert commands.main(["mark", *where, "--seconds", "2", *options]) == 0
        kept = json.loads((tmp_path / "m/marked.json").read_text("utf-8"))["students"]
        return {
            name: {slug: Mark(**mark) for slug, mark in about["marks"].items()}
            for name, about in kept.items()
        }

    return run


@posix
@pytest.mark.slow
def test_a_class_is_marked_each_answer_for_itself(
    hand_in, marked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own = tmp_path / "progress.json"
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(own))
    strict = find("causal-mask").mistakes[0]
    hand_in("mina.ipynb", **right())
    hand_in("Juan_17_file/exercises.ipynb", **right(**{NAME: strict.forms[0].source}))
    own_kind = f"def {NAME}(n):\n    return torch.ones(n, n).tril().bool().as_subclass(Own)"
    hand_in("own_kind.ipynb", "class Own(torch.Tensor): ...", **right(**{NAME: own_kind}))
    (tmp_path / "handed_in/late").mkdir()
    hand_in("cells.ipynb", "1 / 0", "%pip install x", "while True: pass", "x = (", **right())
    broken = {
        "endless": f"def {NAME}(n):\n    while True:\n        pass",
        "syntax": f"def {NAME}(n):\n    return (",
        "exits": f"import os\ndef {NAME}(n):\n    os._exit(0)",
        "memory": f"def {NAME}(n):\n    return torch.ones(10**6, 10**6)",
        "crash": f"import ctypes\ndef {NAME}(n):\n    ctypes.string_at(0)",
        "missing": "pass",
        "asks": "from bottomup.exercises.engine.registry import find\n"
        f'{NAME} = find("causal-mask").solution',
        "claims": f'def {NAME}(n):\n    return {{"status": "passed", "trials": []}}',
    }
    for name, source in broken.items():
        hand_in(f"{name}.ipynb", **right(**{NAME: source}))
    marks = marked()
    assert not own.exists()
    assert {name for name, own in marks.items() if own["causal-mask"].status == "passed"} == {
        "mina",
        "cells",
        "own_kind",
    }
    late = marks.pop("late")
    assert {each.message for each in late.values()} == {"No notebook or program was handed in."}
    assert all(own["stable-softmax"].status == "passed" for own in marks.values())
    assert marks["Juan_17_file"]["causal-mask"].mistake == strict.slug
    assert [marks[name]["causal-mask"].score for name in broken] == [0.0] * len(broken)
    said = {name: marks[name]["causal-mask"].message for name in broken}
    assert "was stopped after" in said["endless"]
    assert "never closed (line 2)" in said["syntax"]
    assert [marks[name]["causal-mask"].status for name in ("syntax", "missing")] == [
        "failed",
        "missing",
    ]
    assert "ended its process" in said["exits"]
    assert "memory" in said["memory"]
    assert "crashed" in said["crash"]
    assert said["missing"] == f"{NAME} is not defined."
    assert "No module named 'bottomup" in said["asks"]
    rows = list(csv.reader((tmp_path / "m/grades.csv").read_text("utf-8-sig").splitlines()))
    assert rows[0][:4] == ["student", "stable-softmax", "causal-mask", "sum"]
    assert ["mina", "10.0", "10.0", "20.0"] in [row[:4] for row in rows]
    results = json.loads((tmp_path / "m/results/mina/results.json").read_text("utf-8"))
    assert [test["score"] for test in results["tests"]] == [10.0, 10.0]


@posix
@pytest.mark.slow
def test_who_has_changed_nothing_is_not_run_again(hand_in, marked, monkeypatch: pytest.MonkeyPatch):
    hand_in("mina.ipynb", **right())
    before = marked("--secret", "a")

    def never(*_args: object, **_named: object) -> None:
        raise AssertionError("run again")

    monkeypatch.setattr("bottomup.classroom.marking.Questions", never)
    assert marked("--secret", "a") == before
    with pytest.raises(AssertionError, match="run again"):
        marked("--secret", "b")


@posix
@pytest.mark.slow
def test_an_answer_made_for_the_visible_cases_fails_on_hidden_ones(hand_in, marked, tmp_path: Path):
    exercise = find("stable-softmax")
    table = [
        [each.inputs["scores"].tolist(), exercise.solution(each.inputs["scores"]).tolist()]
        for each in exercise.cases
        if not each.wants_gradients
    ]
    learned = (
        (
            f"def {SOFTMAX}(x):\n    for known, value in {table!r}:\n"
            "        if str(x.tolist()) == str(known):\n"
            "            return torch.tensor(value, dtype=x.dtype)\n"
            "    return torch.softmax(x, -1) if x.requires_grad else x"
        )
        .replace("inf", "math.inf")
        .replace("nan", "math.nan")
    )
    hand_in("mina.ipynb", **right(**{SOFTMAX: learned}))
    hand_in("juan.ipynb", **right(**{SOFTMAX: f"def {SOFTMAX}(x):\n    return 0 * x"}))
    (tmp_path / "m/results/gone").mkdir(parents=True)
    (tmp_path / "m/results/gone/results.json").write_text("{}", "utf-8")
    marks = marked()
    mina, juan = (marks[name]["stable-softmax"] for name in ("mina", "juan"))
    assert mina.status == "failed"
    assert mina.message == f"{mina.agreeing_hidden} of {mina.hidden} hidden cases agree."
    assert mina.agreeing_hidden < mina.hidden
    assert juan.message.endswith(f" 0 of {juan.hidden} hidden cases agree.")
    assert juan.score == 0
    assert not (tmp_path / "m/results/gone").exists()


def test_points_are_the_share_of_the_cases_and_no_cell_is_a_formula():
    marks = {"=mina": {"causal-mask": Mark("failed", 8, 2, "=1+1", "strict")}}
    line = grades.table(marks, ["causal-mask"], 4).splitlines()[1]
    assert line == "'=mina,1.0,1.0,strict: =1+1"


def test_no_points_where_no_hidden_case_agrees():
    assert Mark("failed", 8, 5, hidden=3).score == 0
    assert Mark("failed", 8, 6, hidden=3, agreeing_hidden=1).score == 6 / 8


def test_the_file_that_was_marked_is_named_where_there_are_several():
    assert grades.in_a_line(Mark("passed", message="Right.", file="a.py")) == "Right. (a.py)"


def test_what_was_not_read_and_a_lone_student_are_said(
    tmp_path: Path, handed_out: Path, capsys, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("bottomup.classroom.marking.mark", lambda *_all, **_more: {})
    for name in ("week1/kim.py", "week1/lee.py"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")
    where = ["--of", str(handed_out), "--to", str(tmp_path / "m")]
    assert commands.main(["mark", str(tmp_path / "in"), *where]) == 0
    assert "week1 is taken for one student" in capsys.readouterr().err
    (tmp_path / "in/jin.txt").write_text("", "utf-8")
    assert commands.main(["mark", str(tmp_path / "in"), *where]) == 0
    assert "nor a program: jin.txt" in capsys.readouterr().err


def test_nothing_handed_in_or_handed_out_is_said(tmp_path: Path, capsys):
    assert commands.main(["mark", str(tmp_path), "--of", str(tmp_path)]) == 1
    assert "expected notebooks or programs" in capsys.readouterr().err
    (tmp_path / "a.py").write_text("", "utf-8")
    assert commands.main(["mark", str(tmp_path), "--of", str(tmp_path)]) == 1
    assert "expected checks.zip in" in capsys.readouterr().err
