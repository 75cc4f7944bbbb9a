import subprocess
from pathlib import Path

import pytest

from tests.tools.made_up import write_files
from tools.touched import Imports, changed_files, reached

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


@pytest.mark.parametrize("changed", ["pyproject.toml", "tests/figures/conftest.py"])
def test_settings_and_fixtures_reach_all(root: Path, changed: str) -> None:
    assert len(names_reached(root, changed)) == 5


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
    (root / "src/bottomup/masks.py").write_text("from bottomup.heads import causal")
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
    (root / "tools/look.py").write_text("")
    assert changed_files(root) == {root / "tools/look.py"}
    (root / "new.py").write_text("")
    assert changed_files(root) == {root / "tools/look.py", root / "new.py"}
