"""The test files that a change can turn red, for `make check`.

    python -m tools.touched --without tests/site tests/parity

A test file is reached by a changed module that it imports, directly or through others, and by any
changed file in a folder of the same name, but for modules of tests, which imports follow: a script
of `src/bottomup/explorables/steps` reaches `tests/explorables/steps`. Those come first that import
the change over the fewest steps, and of these the ones that import least: the tests of what was
changed run before those of what uses it. What counts as changed is what differs from the last
commit; in a clean tree, what the last commit changed. Every test file is reached where git cannot
tell, and by a change of a file on which all depend (the settings at the root, a `conftest.py`).
"""

import argparse
import ast
import math
import subprocess
import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from tools.notebooks.closure import Package, imported
from tools.notebooks.paths import ROOT

ALWAYS = ("tests/structure", "tests/chapters")  # they read the whole repository
OURS = ("tests", "tools", "bench")  # folders of modules beside the package


def changed_files(root: Path = ROOT) -> set[Path] | None:
    """Return what differs from the last commit, or else what that commit changed.

    None if git does not know: no repository, or a clone that holds one commit alone.
    """
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    edited = _git(root, "diff", "--name-only", "HEAD")
    if new is None or edited is None:
        return None
    return new | edited or _git(root, "diff", "--name-only", "HEAD~1", "HEAD")


def _git(root: Path, *words: str) -> set[Path] | None:
    answer = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    lines = answer.stdout.splitlines()
    return {root / line for line in lines} if answer.returncode == 0 else None


def reached(
    changed: Collection[Path] | None, tests: Iterable[Path], root: Path = ROOT
) -> list[Path]:
    """Return those of the test files `tests` that the files `changed` reach, nearest first.

    All for None.
    """
    if changed is None or any(_reaches_all(path, root) for path in changed):
        return sorted(tests)
    named = [path for path in changed if not _is_test_module(path, root)]
    folders = {part for path in named for part in path.relative_to(root).parts[:-1]} - {*OURS}
    folders |= {part for folder in ALWAYS for part in Path(folder).parts[1:]}
    files = Imports(root)
    found: list[tuple[float, int, Path]] = []
    for test in tests:
        steps = files.behind(test)
        nearest = min((steps[path] for path in changed if path in steps), default=math.inf)
        if nearest < math.inf or folders.intersection(test.relative_to(root).parts):
            found.append((nearest, len(steps), test))
    return [test for _, _, test in sorted(found)]


def _is_test_module(path: Path, root: Path) -> bool:
    return path.suffix == ".py" and path.is_relative_to(root / "tests")


def _reaches_all(path: Path, root: Path) -> bool:
    settings = path.parent == root and path.suffix in {".toml", ".txt", ".cfg"}
    return settings or path.name == "conftest.py"


class Imports:
    """Which files of the repository a file imports; what was read of one is kept.

    Args:
        root: the repository: the package lies in its folder `src`, tests and tools beside it.
    """

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._package = Package("bottomup", root / "src")
        self._direct: dict[Path, list[Path]] = {}

    def behind(self, path: Path) -> dict[Path, int]:
        """Return the file `path` and all that it imports, each with the fewest steps to it."""
        steps, waiting = {path: 0}, deque([path])
        while waiting:
            file = waiting.popleft()
            for each in self._imported_by(file):
                if each not in steps:
                    steps[each] = steps[file] + 1
                    waiting.append(each)
        return steps

    def _imported_by(self, path: Path) -> list[Path]:
        if path not in self._direct:
            source = self._package.source
            if path.is_relative_to(source):
                name = ".".join(path.relative_to(source).with_suffix("").parts)
                modules = self._package.imports(name.removesuffix(".__init__"))
                found: list[Path] = []
            else:
                tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
                modules = list(imported(self._package, tree))
                found = list(self._beside_the_package(tree))
            files = (self._package.file(module) for module in modules)
            self._direct[path] = found + [file for file in files if file is not None]
        return self._direct[path]

    def _beside_the_package(self, tree: ast.Module) -> Iterator[Path]:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
                base = self._root.joinpath(*(node.module or "").split("."))
                names = [base / f"{alias.name}.py" for alias in node.names]
                yield from filter(Path.is_file, [base.with_suffix(".py"), *names])


def main() -> int:
    """Print the reached test files of `tests`, a line each; a count goes to standard error."""
    parser = argparse.ArgumentParser(description="The test files that a change can turn red.")
    parser.add_argument("--all", action="store_true", help="whatever was changed")
    parser.add_argument("--without", nargs="*", default=[], help="folders of tests to leave out")
    options = parser.parse_args()
    left_out = {ROOT / folder for folder in options.without}
    tests = [
        path
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if left_out.isdisjoint(path.parents) and not path.stem.endswith("_in_browser")
    ]
    found = reached(None if options.all else changed_files(), tests)
    print(f"{len(found)} of {len(tests)} test files can see the change", file=sys.stderr)
    print("\n".join(str(path.relative_to(ROOT)) for path in found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
