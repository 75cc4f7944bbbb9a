"""What is remembered of checks and tests. PYTEST_DONT_REWRITE the assertions of the latter."""

import json
import os
from pathlib import Path

import platformdirs
import pytest
import torch

from bottomup.exercises import catalog, catch, check, progress
from bottomup.exercises.engine.progress_file import beds, file_path, remember_entry
from bottomup.experiments.clinic.ward.sealed import SEALS

SOLVED = catalog()["aer"].solution


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "new folder" / "progress.json"
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(path))
    return path


def wrong(links, sure, possible):
    return 2.0


def unsolved(links, sure, possible): ...


def test_a_passed_exercise_is_remembered_and_a_stub_is_not_counted(file: Path):
    check("aer", unsolved)
    assert not file.exists()
    check("aer", wrong)
    assert progress().solved == ()
    check("aer", SOLVED)
    check("aer", wrong)
    assert progress().solved == ("aer",)
    entry = {"checks": 3, "passed": True}
    assert json.loads(file.read_text(encoding="utf-8")) == {
        "schema": 1,
        "exercises": {"aer": entry},
    }
    assert os.listdir(file.parent) == ["progress.json"]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"schema": 9}', '{"schema": 1, "exercises": 3}', "\x00", '{"schema": 1}'],
)
def test_a_damaged_file_counts_as_empty_and_is_replaced(file: Path, content: str):
    file.parent.mkdir()
    file.write_text(content, encoding="utf-8")
    assert progress().solved == ()
    check("aer", SOLVED)
    assert progress().solved == ("aer",)
    entries = {"aer": {"checks": 1, "passed": True}, "masked-softmax": {"passed": "yes"}}
    file.write_text(json.dumps({"schema": 1, "exercises": entries}), encoding="utf-8")
    assert progress().solved == ("aer",)  # a damaged entry does not spoil the others


def test_a_write_that_fails_leaves_the_old_file_and_the_report(
    file: Path, monkeypatch: pytest.MonkeyPatch
):
    check("aer", wrong)
    before = file.read_text(encoding="utf-8")

    def fail(*paths: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    assert check("aer", SOLVED).passed
    assert file.read_text(encoding="utf-8") == before
    assert os.listdir(file.parent) == ["progress.json"]
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(file / "in a file" / "progress.json"))
    assert check("aer", SOLVED).passed  # a folder that cannot be made does not stop a check
    assert progress().solved == ()


def test_the_file_lies_in_the_user_s_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("BOTTOMUP_PROGRESS", raising=False)
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *names, **options: str(tmp_path))
    monkeypatch.setenv("CI", "false")
    assert file_path() == tmp_path / "progress.json"


@pytest.mark.parametrize("value", ["true", "1", "woodpecker"])
def test_nothing_is_kept_under_ci_unless_a_file_is_named(
    monkeypatch: pytest.MonkeyPatch, value: str
):
    monkeypatch.setenv("CI", value)
    monkeypatch.setenv("BOTTOMUP_PROGRESS", "here.json")
    assert file_path() == Path("here.json")
    monkeypatch.delenv("BOTTOMUP_PROGRESS")
    assert file_path() is None
    assert check("aer", SOLVED).passed
    assert progress().solved == ()


def test_progress_is_shown_as_a_list_and_as_a_table(file: Path):
    check("aer", SOLVED)
    shown = progress()
    tests = [exercise for exercise in catalog().values() if exercise.test_minutes]
    heading = (
        f"1 of {len(catalog())} exercises solved, 0 of {len(tests)} tests catch everything, "
        f"0 of {len(SEALS)} beds diagnosed"
    )
    assert repr(shown).splitlines()[0] == heading
    assert "  [x] 01  Alignment error rate" in repr(shown)
    assert "  [ ] 01  Masked softmax over the source" in repr(shown)
    assert "| 01 | Alignment error rate | yes |  |" in shown._repr_markdown_()


def test_a_diagnosed_bed_counts_as_a_solved_exercise_does(file: Path):
    remember_entry("bed 4", True)
    remember_entry("bed 4", False)  # a later attempt takes nothing back
    remember_entry("bed 12", False)
    shown = progress()
    assert shown.entries["bed 4"] == {"checks": 2, "passed": True}
    assert (shown.diagnosed, shown.solved) == (("bed 4",), ())
    assert beds() == tuple(f"bed {number}" for number in range(1, len(SEALS) + 1))
    assert f"1 of {len(SEALS)} beds diagnosed" in repr(shown)
    assert "  [x] 11  bed 4" in repr(shown)
    assert "| 11 | bed 12 |  |  |" in shown._repr_markdown_()


def test_the_best_test_is_remembered_and_counted_apart(file: Path):
    exercise = catalog()["masked-softmax"]

    def of_one_row(masked_softmax):
        weights = masked_softmax(torch.zeros(1, 3), torch.tensor([[True, True, False]]))
        assert weights.tolist() == [[0.5, 0.5, 0]]

    def asleep(masked_softmax):
        masked_softmax(torch.zeros(1, 1), torch.tensor([[True]]))

    check("aer", SOLVED)
    best = catch("masked-softmax", of_one_row).caught
    catch("masked-softmax", asleep)
    catch("masked-softmax", print)  # no test: nothing to remember
    assert json.loads(file.read_text(encoding="utf-8"))["tests"] == {
        "masked-softmax": {"runs": 2, "caught": best}
    }
    shown = progress()
    assert (shown.solved, shown.tested) == (("aer",), ())
    share = f"{best}/{len(exercise.mistakes)}"
    assert f"  [ ] 01  Masked softmax over the source (test: {share})" in repr(shown)
    assert f"| 01 | Masked softmax over the source |  | {share} |" in shown._repr_markdown_()


def test_a_test_that_catches_everything_counts(file: Path):
    of_all = len(catalog()["masked-softmax"].mistakes)
    file.parent.mkdir()
    tests = {"masked-softmax": {"runs": 1, "caught": of_all}, "aer": {"runs": "many"}}
    file.write_text(json.dumps({"schema": 1, "exercises": {}, "tests": tests}), encoding="utf-8")
    assert progress().tested == ("masked-softmax",)


def test_a_file_is_added_and_may_be_added_twice(file: Path, tmp_path: Path):
    other = tmp_path / "from_the_site.json"
    mistakes = {"ratio-alone": 1, "sides-exchanged": 4}
    entries = {
        "aer": {"checks": 2, "passed": False, "mistakes": mistakes},
        "masked-softmax": {"checks": 1, "passed": True},
    }
    tests = {"masked-softmax": {"runs": 3, "caught": 5}}
    other.write_text(json.dumps({"schema": 1, "exercises": entries, "tests": tests}), "utf-8")
    for _time in range(3):
        remember_entry("aer", True, "ratio-alone")
    for _time in range(2):
        added = progress(add=other)
        assert added.solved == ("masked-softmax", "aer")
        assert added.entries["aer"] == {
            "checks": 3,
            "passed": True,
            "mistakes": {"ratio-alone": 3, "sides-exchanged": 4},
        }
        assert added.tests == tests
    assert progress() == added


@pytest.mark.parametrize("content", ["", "[]", '{"schema": 2}', '{"schema": 1, "exercises": {}}'])
def test_a_file_without_progress_is_refused_and_changes_nothing(
    file: Path, tmp_path: Path, content: str
):
    remember_entry("aer", True)
    other = tmp_path / "other.json"
    other.write_text(content, "utf-8")
    with pytest.raises(ValueError, match=r"add: expected a file that holds progress, got .*other"):
        progress(add=other)
    assert progress().solved == ("aer",)


def test_where_nothing_is_kept_a_file_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(tmp_path / "mine.json"))
    remember_entry("aer", True)
    monkeypatch.setenv("BOTTOMUP_PROGRESS", "")
    assert progress(add=tmp_path / "mine.json").solved == ("aer",)
    assert progress().solved == ()
