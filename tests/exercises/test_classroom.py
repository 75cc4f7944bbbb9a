"""The report of a class, from files that learners exported."""

import pytest

from bottomup.exercises import catalog, check, progress
from bottomup.exercises.classroom import class_report, main


@pytest.fixture
def learner(tmp_path, monkeypatch):
    def solves(name, *answers):
        monkeypatch.setenv("BOTTOMUP_PROGRESS", str(tmp_path / "own" / name))
        for answer in answers:
            check("causal-mask", answer)
        progress().export(tmp_path / f"{name}.json")

    return solves


@pytest.fixture
def mistakes():
    return {each.slug: each.answers[0] for each in catalog()["causal-mask"].mistakes}


def test_a_class_is_told_which_mistakes_how_many_made(learner, mistakes, tmp_path, capsys):
    right = catalog()["causal-mask"].solution
    learner("a", mistakes["strict"], mistakes["strict"], right)
    learner("b", mistakes["strict"], mistakes["transposed"])
    learner("tuesday/c", right)
    (tmp_path / "d.json").write_text("{", encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "3 learners",
        "2.2 The causal mask (causal-mask): tried by 3, solved by 2",
        "      2  strict: Each position sees what comes before it, but not itself",
        "      1  transposed: Each position sees itself and what comes after it: rows and "
        "columns have changed places",
    ]
    assert said.err.splitlines()[-1] == "nothing found in: d.json"


def test_a_mistake_made_twice_is_counted_in_the_file(learner, mistakes):
    learner("a", mistakes["strict"], mistakes["strict"])
    assert progress().entries["causal-mask"]["mistakes"] == {"strict": 2}


def test_a_folder_without_files_of_learners_says_so(tmp_path, capsys):
    (tmp_path / "notes.json").write_text("[]", encoding="utf-8")
    assert main([str(tmp_path)]) == 1
    assert "no learner's file in" in capsys.readouterr().err


def test_nobody_has_tried_anything():
    assert class_report([]) == "0 learners"
