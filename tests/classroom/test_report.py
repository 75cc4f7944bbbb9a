"""The report of a class, from marks and from files that students exported."""

import json
from pathlib import Path

import pytest

from bottomup.classroom import commands, report
from bottomup.classroom.marking import Mark
from bottomup.exercises import catalog, check, progress
from bottomup.exercises.engine.progress_file import Progress


@pytest.fixture
def student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def solves(name: str, *answers: object) -> None:
        monkeypatch.setenv("BOTTOMUP_PROGRESS", str(tmp_path / "own" / name))
        for answer in answers:
            check("causal-mask", answer)
        progress().export(tmp_path / "in" / f"{name}.json")

    return solves


@pytest.fixture
def mistakes():
    return {each.slug: each.answers[0] for each in catalog()["causal-mask"].mistakes}


def test_a_class_is_told_which_mistakes_how_many_made(student, mistakes, tmp_path: Path, capsys):
    right = catalog()["causal-mask"].solution
    student("a", mistakes["strict"], mistakes["strict"], right)
    student("b", mistakes["strict"], mistakes["transposed"])
    student("tuesday", right)
    (tmp_path / "in/d.json").write_text("{", encoding="utf-8")
    to = tmp_path / "out"
    assert commands.main(["report", str(tmp_path / "in"), "--to", str(to)]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines()[:4] == [
        "3 students",
        "2.2 The causal mask (causal-mask): by their own notes tried by 3, solved by 2, 6 checks",
        "      2  on the way, strict: Each position sees what comes before it, but not itself",
        "      1  on the way, transposed: Each position sees itself and what comes after it: rows "
        "and columns are swapped",
    ]
    assert told.err.splitlines()[-1] == "nothing found in: d.json"
    rows = (to / "report.csv").read_text("utf-8-sig").splitlines()
    assert rows[1].startswith('causal-mask,strict,2,3,2,"Each position sees')
    assert "tuesday" not in (to / "report.html").read_text("utf-8")


def marks_of(**returned: str) -> dict[str, dict[str, Mark]]:
    return {
        name: {"causal-mask": Mark("failed", 9, 3, "<b>", None, value, "case", "def f(): ...")}
        for name, value in returned.items()
    }


def test_answers_without_a_name_are_grouped_by_what_they_return():
    marks = marks_of(a="one", b="two", c="two")
    marks["d"] = {"causal-mask": Mark("failed", 9, 3, "", "strict", "three")}
    marks["e"] = {"causal-mask": Mark("missing")}
    marks["f"] = {"causal-mask": Mark("failed", message="stopped")}
    marks["g"] = {"causal-mask": Mark("passed", 9, 9, "", None, "four")}
    (about,) = report.gathered(marks, {}).values()
    assert about.tried == {"a", "b", "c", "d", "f", "g"}
    assert report.summary(about) == (
        "tried by 6, solved by 1; wrong: 4, of them 75% without a mistake that the course knows; "
        "stopped, crashed or no Python: 1"
    )
    assert about.commonest() == [("two", {"b", "c"}), ("one", {"a"})]
    assert about.share_unnamed == 3 / 4


def test_what_students_note_does_not_count_as_solved():
    entry = {"checks": 2, "passed": True, "mistakes": {"strict": 1}}
    noted = {name: Progress({"causal-mask": entry}, {}) for name in ("a", "nobody")}
    (about,) = report.gathered(marks_of(a="one"), noted).values()
    assert (about.tried, about.solved, about.noted_solved) == ({"a"}, set(), {"a", "nobody"})
    rows = report.table({"causal-mask": about}, names=False).splitlines()
    assert [row.split(",")[:5] for row in rows[1:]] == [
        ["causal-mask", "", "1", "1", "0"],
        ["causal-mask", "strict", "2", "2", "2"],
    ]
    assert [row.split(",")[-1] for row in rows] == ["from", "answers", "notes"]


def test_names_are_told_where_they_are_asked_for_and_nothing_is_taken_for_html():
    found = report.gathered(marks_of(mina="one"), {})
    page = report.page(found, 1, names=False)
    assert "mina" not in page
    assert "&lt;b&gt;" in page
    assert "mina" in report.page(found, 1, names=True)
    assert "mina" in report.table(found, names=True)
    assert "mina" not in report.table(found, names=False)


def test_the_authors_get_code_and_no_names():
    said = json.loads(report.for_authors(report.gathered(marks_of(mina="one", juan="one"), {})))
    assert said["answers"] == [{"exercise": "causal-mask", "students": 2, "code": "def f(): ..."}]


def test_a_folder_without_files_of_students_says_so(tmp_path: Path, capsys):
    (tmp_path / "notes.json").write_text("[]", encoding="utf-8")
    assert commands.main(["report", str(tmp_path), "--to", str(tmp_path / "out")]) == 1
    assert "no student's notes in" in capsys.readouterr().err
