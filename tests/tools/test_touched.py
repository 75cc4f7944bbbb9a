import subprocess
from pathlib import Path

import pytest

from tests.tools.made_up import write_files
from tools.notebooks.paths import ROOT
from tools.touched import Imports, changed_files, concerning, main, reached

FILES = {
    "src/bottomup/__init__.py": "",
    "src/bottomup/masks.py": "def causal(): ...",
    "src/bottomup/heads.py": "from bottomup.masks import causal",
    "src/bottomup/words.py": "WORDS = 3",
    "src/bottomup/figures/steps/steps.js": "",
    "tools/__init__.py": "",
    "tools/look.py": "from bottomup import words\n\ndef look(): ...",
    "tests/helper.py": "from tools.look import look",
    "tests/test_heads.py": "from bottomup.heads import causal",
    "tests/test_words.py": "from tests import helper",
    "tests/figures/steps/test_steps.py": "import json",
    "tests/figures/test_plain.py": "",
    "tests/structure/test_all.py": "",
}
# What is found by its name, or named as a path; the second half lies in folders that take minutes.
NAMED = {
    "_toc.yml": "",
    "chapters/00_warm_up.ipynb": "{}",
    "chapters/01_attention.ipynb": "{}",
    "book/glossary.md": "",
    "locale/ko/book/glossary.po": "",
    "src/bottomup/locale/ko/LC_MESSAGES/bottomup.po": "",
    "src/bottomup/attention/additive.py": "",
    "src/bottomup/exercises/engine/registry.py": "def find(): ...",
    "src/bottomup/exercises/attention/hard_mask/cases.py": "",
    "src/bottomup/exercises/attention/hard_mask/text.md": "",
    "src/bottomup/experiments/engine/registry.py": "def load(): ...",
    "src/bottomup/experiments/attention/claims.yaml": "",
    "tools/notebooks/paths.py": "CHAPTERS = 'chapters'\n\ndef all_chapters(): ...",
    "tools/translate/pages.py": "read = open('_toc.yml')",
    "tools/translate/strings.py": "from bottomup.exercises.engine.registry import find",
    "tests/attention/test_additive.py": "",
    "book/_ext/shown/__init__.py": "from . import reading",
    "book/_ext/shown/reading.py": "from bottomup.exercises.engine.registry import find",
    "tests/book/test_site.py": "import shown",
    "tests/book/test_other.py": "",
    "tests/tools/test_first.py": "FIRST = 'chapters/00_warm_up'",
    "tests/tools/test_prose.py": "from tools.notebooks.paths import all_chapters",
    "tests/tools/test_texts.py": "from bottomup.exercises.engine.registry import find",
    "tests/results/test_ledger.py": "from bottomup.experiments.engine.registry import load",
    "tests/translate/test_pages.py": "from tools.translate import pages",
    "tests/translate/test_strings.py": "from tools.translate import strings\nPLACE = 'locale/ko'",
    "tests/exercises/test_catalog.py": "from bottomup.exercises.engine.registry import find",
    "tests/exercises/trials/test_masks.py": "SLUG = 'hard-mask'",
    "tests/exercises/trials/test_all.py": "from bottomup.exercises.engine.registry import find",
    "tests/experiments/attention/test_lengths.py": "",
    "tests/experiments/decoding/test_search.py": "from bottomup import experiments",
    "src/bottomup/__init__.py": "",
    "src/bottomup/experiments/__init__.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path, FILES)


def names_reached(root: Path, *changed: str) -> set[str]:
    tests = root.joinpath("tests").rglob("test_*.py")
    return {path.name for path in reached({root / name for name in changed}, tests, root)}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("src/bottomup/masks.py", {"test_heads.py"}),  # through heads
        ("src/bottomup/words.py", {"test_words.py"}),  # through a helper and a tool
        ("tools/look.py", {"test_words.py"}),
        ("tests/helper.py", {"test_words.py"}),
        ("tests/test_heads.py", {"test_heads.py"}),
        ("src/bottomup/figures/steps/steps.js", {"test_steps.py", "test_plain.py"}),  # folders
        ("tests/figures/test_plain.py", {"test_plain.py"}),  # of tests, which imports follow
        ("README.md", set()),
    ],
)
def test_a_change_reaches_the_tests_that_can_see_it(
    root: Path, changed: str, expected: set[str]
) -> None:
    assert names_reached(root, changed) == expected | {"test_all.py"}


PROSE = {"test_prose.py", "test_pages.py"}
EXERCISE = {"test_catalog.py", "test_texts.py", "test_strings.py", "test_site.py"}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("chapters/01_attention.ipynb", PROSE),
        ("chapters/00_warm_up.ipynb", PROSE | {"test_first.py"}),
        ("book/glossary.md", {"test_site.py", "test_other.py", "test_pages.py"}),
        ("locale/ko/book/glossary.po", {"test_strings.py"}),
        ("src/bottomup/locale/ko/LC_MESSAGES/bottomup.po", {"test_strings.py"}),
        ("src/bottomup/exercises/attention/hard_mask/text.md", EXERCISE),
        ("src/bottomup/exercises/attention/hard_mask/cases.py", EXERCISE),
        ("src/bottomup/experiments/attention/claims.yaml", {"test_ledger.py", "test_lengths.py"}),
        ("src/bottomup/attention/additive.py", {"test_additive.py"}),  # no room of the same name
        ("tests/experiments/decoding/test_search.py", {"test_search.py"}),
    ],
)
def test_what_is_named_or_found_by_its_name_is_seen(
    tmp_path: Path, changed: str, expected: set[str]
) -> None:
    root = write_files(tmp_path, NAMED)
    near = {root / "tests/exercises/trials", root / "tests/experiments"}
    tests = root.joinpath("tests").rglob("test_*.py")
    assert {path.name for path in reached({root / changed}, tests, root, near)} == expected


@pytest.mark.parametrize("file", ["cases.py", "text.md"])
def test_of_the_trials_what_concerns_a_changed_exercise_is_chosen(
    tmp_path: Path, file: str
) -> None:
    root = write_files(tmp_path, NAMED)
    trials = root.joinpath("tests/exercises/trials").glob("*.py")
    changed = root / f"src/bottomup/exercises/attention/hard_mask/{file}"
    assert concerning({changed}, trials, root) == ["hard-mask", "test_masks.py"]
    assert concerning({root / "src/bottomup/exercises/engine/registry.py"}, trials, root) == []


# What a comma, a diagnosis, a name and a translation can turn red, in this repository.
EDITS = {
    "chapters/03_multi_head_attention.ipynb": {
        "translate/test_escaped.py", "translate/test_blocks.py", "tools/test_exercises.py",
        "book/test_term_links.py", "book/test_teaching.py", "chapters/test_chapters.py",
        "exercises/test_catalog_in_chapters.py", "results/test_claims_in_chapters.py",
    },
    "src/bottomup/exercises/intra_attention/lin_penalty/text.md": {
        "translate/test_check.py", "tools/test_exercises.py",
        "book/test_exercise_list.py", "book/test_shown_answers.py", "book/test_concept_test.py",
    },
    "src/bottomup/exercises/intra_attention/lin_penalty/cases.py": {
        "tools/test_exercises.py", "chapters/test_chapters.py",
    },
    "src/bottomup/experiments/multi_head_attention/claims.yaml": {
        "results/test_ledger.py", "results/test_register.py", "chapters/test_chapters.py",
        "results/test_claims_in_chapters.py",
    },
    "locale/ko/chapters/03_multi_head_attention.po": {"translate/test_check.py"},
}  # fmt: skip


@pytest.mark.slow
def test_edits_of_a_day_reach_what_they_can_turn_red() -> None:
    tests = [*(ROOT / "tests").rglob("test_*.py")]
    files = Imports(ROOT)
    for changed, expected in EDITS.items():
        found = reached({ROOT / changed}, tests, files=files)
        missing = expected - {path.relative_to(ROOT / "tests").as_posix() for path in found}
        assert missing == set(), changed


def test_the_command_prints_files_or_an_expression(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = {ROOT / "src/bottomup/exercises/self_attention/causal_mask/text.md"}
    monkeypatch.setattr("tools.touched.changed_files", lambda: changed)
    monkeypatch.setattr("sys.argv", ["touched", "--exercises"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("causal-mask or test_")


@pytest.mark.parametrize("changed", ["pyproject.toml", "conftest.py"])
def test_settings_reach_all(root: Path, changed: str) -> None:
    assert len(names_reached(root, changed)) == 5
    tests = root.joinpath("tests").rglob("test_*.py")
    found = reached({root / changed}, tests, root, near={root / "tests/figures"})
    assert len(found) == 3  # but those that take minutes


def test_fixtures_reach_what_lies_below_them(root: Path) -> None:
    below = {"test_steps.py", "test_plain.py", "test_all.py"}
    assert names_reached(root, "tests/figures/conftest.py") == below


def test_without_an_answer_of_git_all_are_reached(root: Path) -> None:
    tests = set(root.joinpath("tests").rglob("test_*.py"))
    assert changed_files(root) is None
    assert reached(None, tests, root) == sorted(tests)


def test_the_nearest_come_first(root: Path) -> None:
    own = "from bottomup.masks import causal"
    both = f"from bottomup.heads import causal\n{own}"
    write_files(root, {"tests/test_own.py": own, "tests/test_both.py": both})
    tests = root.joinpath("tests").rglob("test_*.py")
    found = reached({root / "src/bottomup/masks.py"}, tests, root)
    assert [path.stem for path in found] == ["test_own", "test_both", "test_heads", "test_all"]


def test_imports_in_a_circle_end(root: Path) -> None:
    (root / "src/bottomup/masks.py").write_text(
        "from bottomup.heads import causal", encoding="utf-8"
    )
    behind = Imports(root).behind(root / "tests/test_heads.py")
    assert {path.name for path in behind} == {"test_heads.py", "heads.py", "masks.py"}


def test_what_differs_from_the_last_commit_or_what_it_changed(root: Path) -> None:
    def commit(*files: str) -> None:
        subprocess.run(["git", "add", *files], cwd=root, check=True)
        author = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *author, "commit", "-qm", "x"], cwd=root, check=True)

    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    commit("src", "tools")
    assert changed_files(root) == {path for path in root.rglob("tests/**/*.py")}
    commit("tests/helper.py", "tests/figures")
    commit("tests")
    assert changed_files(root) == {  # a clean tree: the last commit's
        root / "tests" / name
        for name in ("test_heads.py", "test_words.py", "structure/test_all.py")
    }
    (root / "tools/look.py").write_text("", encoding="utf-8")
    assert changed_files(root) == {root / "tools/look.py"}
    (root / "new.py").write_text("", encoding="utf-8")
    assert changed_files(root) == {root / "tools/look.py", root / "new.py"}
