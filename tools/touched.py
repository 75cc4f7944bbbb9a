"""The test files that a change concerns, for `make check`.

    python -m tools.touched              # with --all every fast one

A changed file concerns the tests

- of its part: of `src/bottomup/analysis/heads.py` those in `tests/analysis`, of
  `src/bottomup/masks.py` the file `tests/test_masks.py`;
- that name it, or a function or class that it defines;
- that read all files of its kind (`READ`).

What else builds on a changed function is left to `make test`. Those come first that name the
change. `--exercises` prints an expression for pytest's `-k`: of what is tried with every exercise,
it chooses the changed ones.

What counts as changed is what differs from the last commit; in a clean tree, what the last commit
changed. All tests are concerned where git cannot tell, and by a change of the settings at the root;
a `conftest.py` concerns what lies beside and below it.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from tools.notebooks.paths import ROOT

EXERCISES = "src/bottomup/exercises/"
LEFT_OUT = ("tests/parity/", "tests/properties/", "tests/site/")  # other parts of `make test`
# Tests that take minutes: of these only what names a change, or lies in the folder of its name.
LONG = ("tests/exercises/trials/", "tests/bench/", "tests/experiments/", "tests/edges/")
PAGES = ("tests/book/*", "tests/chapters/*", "tests/structure/*", "tests/translate/*")
SHOWN = (*PAGES, "*_in_chapters.py", "tests/exercises/test_*", "tests/tools/test_exercises.py")
# How the path of a changed file begins -> the tests that read all such files.
READ = {
    "": ("tests/chapters/*", "tests/structure/*"),
    "_toc.yml": PAGES,
    "book/": PAGES,
    "chapters/": SHOWN,
    "locale/": ("tests/translate/*",),
    "src/bottomup/drawings/": ("*/test_drawings.py",),
    EXERCISES: SHOWN,
    "src/bottomup/experiments/": ("tests/results/*",),
    "src/bottomup/locale/": ("tests/translate/*",),
}


def changed_files(root: Path = ROOT) -> set[str] | None:
    """Return what differs from the last commit, or else what that commit changed.

    None if git does not know: no repository, or a clone that holds one commit alone.
    """
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    edited = _git(root, "diff", "--name-only", "HEAD")
    if new is None or edited is None:
        return None
    return new | edited or _git(root, "diff", "--name-only", "HEAD~1", "HEAD")


def _git(root: Path, *words: str) -> set[str] | None:
    answer = subprocess.run(
        ["git", *words], cwd=root, capture_output=True, encoding="utf-8", check=False
    )
    return {*answer.stdout.splitlines()} if answer.returncode == 0 else None


def concerned(
    changed: Collection[str] | None, tests: Iterable[str], root: Path = ROOT
) -> list[str]:
    """Return those of the test files that the changed files concern; all where none is known."""
    if not changed or any(_is_setting(path) for path in changed):
        return sorted(test for test in tests if not test.startswith(LONG))
    named = "|".join(pattern for path in changed for pattern in _names(path, root))
    name = re.compile(rf"\b(?:{named})\b")
    folders = [pattern for path in changed for pattern in _read_by(path)]
    found = []
    for test in sorted(tests):
        is_named = test in changed or name.search((root / test).read_text(encoding="utf-8"))
        if is_named or any(fnmatch(test, pattern) for pattern in folders):
            found.append((not is_named, test))
    return [test for _, test in sorted(found)]


def _is_setting(path: str) -> bool:
    return "/" not in path and (path.endswith((".toml", ".txt")) or path == "conftest.py")


def _names(path: str, root: Path) -> Iterator[str]:
    """Yield how a test names a file: its path, its exercise, or an import of what it defines."""
    yield re.escape(path)
    yield from (rf'catalog\(\)\["{slug}' for slug in _slugs(path))
    if path.endswith(".py"):
        inside = path.removeprefix("src/").removeprefix("book/_ext/").removesuffix(".py")
        *packages, stem = inside.removesuffix("/__init__").split("/")
        yield r"\.".join([*packages, stem])
        defined = "|".join([stem, *_defined(root / path)])
        for depth in range(1, len(packages) + 1):
            package = r"\.".join(packages[:depth])
            yield rf"from {package} import (?:\([^)]*|.*)\b(?:{defined})"


def _slugs(path: str) -> Iterator[str]:
    if path.startswith(EXERCISES) and path.count("/") == 5:
        yield Path(path).parent.name.replace("_", "-")


def _defined(file: Path) -> list[str]:
    body = ast.parse(file.read_text(encoding="utf-8")).body if file.is_file() else []
    return [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]


def _read_by(path: str) -> Iterator[str]:
    """Yield patterns of the tests of a file's part, and of those that read all files like it."""
    for beginning, tests in READ.items():
        if path.startswith(beginning):
            yield from tests
    folders = Path(path.removeprefix("src/").removeprefix("bottomup/")).parts[:-1]
    if not folders:
        yield f"tests/test_{Path(path).stem}.py"
    elif folders[0] in ("exercises", "experiments"):
        yield f"tests/{'/'.join(folders[:2])}/*"  # a chapter's
    elif folders[0] != "tests":
        yield f"tests/{folders[0]}/*"
    if path.endswith("/conftest.py"):
        yield f"{Path(path).parent.as_posix()}/*"


def main() -> int:
    """Print the test files that the change concerns, a line each; a count to standard error."""
    parser = argparse.ArgumentParser(description="The test files that a change concerns.")
    parser.add_argument("--all", action="store_true", help="whatever was changed")
    parser.add_argument("--exercises", action="store_true", help="the slugs of changed exercises")
    options = parser.parse_args()
    changed = None if options.all else changed_files()
    if options.exercises:
        print(" or ".join(sorted({slug for path in changed or () for slug in _slugs(path)})))
        return 0
    tests = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if not path.stem.endswith("_in_browser")
    ]
    tests = [test for test in tests if not test.startswith(LEFT_OUT)]
    found = concerned(changed, tests)
    print(f"{len(found)} of {len(tests)} test files can see the change", file=sys.stderr)
    print("\n".join(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
