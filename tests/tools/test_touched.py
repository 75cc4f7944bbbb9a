import subprocess
from pathlib import Path

import pytest

from tests.tools.made_up import write_files
from tools.notebooks.paths import ROOT
from tools.touched import changed_files, concerned, main

# A change, and what it can turn red: in this repository.
CONCERNED = {
    "chapters/03_multi_head_attention.ipynb": """
        translate/test_escaped.py book/test_term_links.py chapters/test_chapters.py
        results/test_claims_in_chapters.py drawings/test_drawings_in_chapters.py""",
    "src/bottomup/masks.py": "test_masks.py",
    "src/bottomup/analysis/patching.py": "analysis/test_patching.py",
    "src/bottomup/explorables/steps/steps.js": "explorables/steps/test_steps.py",
    "src/bottomup/drawings/circuits.py": "drawings/test_circuits.py tools/test_drawings.py",
    "src/bottomup/exercises/multi_head_attention/prune_head/text.md": """
        book/test_shown_answers.py tools/test_exercises.py translate/test_check.py""",
    "src/bottomup/experiments/circuits/claims.yaml": "results/test_ledger.py",
    "book/glossary.md": "book/test_term_links.py translate/test_source.py",
    "book/_ext/term_links/entries.py": "book/test_term_links.py",
    "tools/translate/blocks.py": "translate/test_blocks.py tools/test_exercises.py",
    "locale/ko/chapters/03_multi_head_attention.po": "translate/test_check.py",
    "tests/tools/made_up.py": "tools/test_touched.py",
    "tests/decoding/test_sampling.py": "decoding/test_sampling.py",
    "tests/results/conftest.py": "results/test_ledger.py",
}
ALL = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]


@pytest.mark.parametrize("changed", CONCERNED)
def test_a_change_concerns_what_it_can_turn_red_and_not_all(changed: str):
    found = concerned({changed}, ALL)
    assert {f"tests/{name}" for name in CONCERNED[changed].split()} <= {*found}
    assert len(found) < len(ALL) / 4
    assert "tests/structure/test_modules.py" in found


def test_a_trial_is_chosen_by_the_exercise_that_it_takes(tmp_path: Path):
    trials = "tests/exercises/trials/test_"
    taken = {f"{trials}{slug}.py": f'X = catalog()["{slug}-one"]' for slug in ("first", "other")}
    write_files(tmp_path, taken)
    changed = "src/bottomup/exercises/attention/first_one/text.md"
    assert concerned({changed}, taken, tmp_path) == [f"{trials}first.py"]


def test_what_names_the_change_comes_first():
    first, other = "tests/analysis/test_patching.py", "tests/analysis/test_pwcca.py"
    assert concerned({"src/bottomup/analysis/patching.py"}, [other, first]) == [first, other]


@pytest.mark.parametrize("changed", [{"pyproject.toml"}, {"conftest.py"}, set(), None])
def test_settings_or_an_unknown_change_concern_all_but_what_takes_minutes(
    changed: set[str] | None,
):
    found = concerned(changed, ALL)
    assert "tests/decoding/test_sampling.py" in found
    assert not [test for test in found if test.startswith("tests/experiments/")]


def test_the_command_prints_files_or_an_expression(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    changed = {"src/bottomup/exercises/self_attention/causal_mask/text.md"}
    monkeypatch.setattr("tools.touched.changed_files", lambda: changed)
    for option, printed in (
        ("--exercises", "causal-mask\n"),
        ("", "tests/book/test_shown_answers.py\n"),
    ):
        monkeypatch.setattr("sys.argv", ["touched", *option.split()])
        assert main() == 0
        assert printed in capsys.readouterr().out


def test_what_differs_from_the_last_commit_or_what_it_changed(tmp_path: Path):
    def git(*words: str) -> None:
        author = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *author, *words], cwd=tmp_path, check=True)

    write_files(tmp_path, {"a/one.py": "1", "two.py": "2"})
    assert changed_files(tmp_path) is None  # no repository
    git("init", "-q")
    git("add", "a")
    git("commit", "-qm", "x")
    assert changed_files(tmp_path) == {"two.py"}
    git("add", "two.py")
    git("commit", "-qm", "y")
    assert changed_files(tmp_path) == {"two.py"}  # a clean tree: the last commit's
    write_files(tmp_path, {"a/one.py": "2", "three.py": "3"})
    assert changed_files(tmp_path) == {"a/one.py", "three.py"}
