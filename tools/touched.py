"""The test files that a change can turn red, for `make check`.

    python -m tools.touched --without tests/site tests/parity --near tests/bench

A test file is reached by a changed file

- that it imports, directly or through others;
- that it names, or a module of tests or tools that it imports: by a string such as
  "book/glossary.md" or "chapters", or by a function that lists such files (`LISTED`);
- that the package finds by its name, where it imports what finds it (`FINDERS`): an exercise, the
  claims of an experiment, a drawing, the catalogue of a language;
- of the same part, but for modules of tests, which imports follow: a script below
  `src/bottomup/explorables` reaches all below `tests/explorables`.

Those come first that import the change over the fewest steps, and of these the ones that import
least: the tests of what was changed run before those of what uses it. Of the folders `--near`,
whose tests take minutes, only what is near counts: what was changed itself, what imports it
directly, and what lies in a room of the same name. `--exercises` prints an expression for pytest's
`-k` that chooses, of what is tried with every exercise, what concerns the changed ones.

What counts as changed is what differs from the last commit; in a clean tree, what the last commit
changed. Every test file is reached where git cannot tell, and by a change of the settings at the
root; a `conftest.py` reaches what lies below it.
"""

import argparse
import ast
import gc
import math
import re
import subprocess
import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from tools.notebooks.closure import Package, executed, imported, strings
from tools.notebooks.paths import ROOT

ALWAYS = ("tests/structure", "tests/chapters")  # they read the whole repository
OURS = ("tests", "tools", "bench")  # folders of modules beside the package
EXERCISES = "src/bottomup/exercises"
EXTENSIONS = "book/_ext"
TRIALS = "tests/exercises/trials"
# What the package, or a tool, finds by its name -> what finds it. No import leads there.
FINDERS = {
    f"{EXERCISES}/*/*/*": f"{EXERCISES}/engine/registry.py",
    "src/bottomup/experiments/*": "src/bottomup/experiments/engine/registry.py",
    "src/bottomup/results/*": "src/bottomup/results/__init__.py",
    "src/bottomup/drawings/*": "tools/notebooks/drawings.py",
    "src/bottomup/locale/*": "tools/translate/strings.py",
    f"{EXTENSIONS}/*": "tools/translate/strings.py",
}
# Where the files are listed -> by which name, and which they are.
LISTING = "tools/notebooks/paths.py"
LISTED = {"all_chapters": "chapters", "find_notebooks": "chapters", "CHAPTERS": "chapters"}
CONTENTS = "_toc.yml"  # who reads it reads the pages that it names
PAGES = ("chapters", "book")
PATH = re.compile(r"[\w.*/-]+")


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
    answer = subprocess.run(
        ["git", *words], cwd=root, capture_output=True, encoding="utf-8", check=False
    )
    lines = answer.stdout.splitlines()
    return {root / line for line in lines} if answer.returncode == 0 else None


def reached(
    changed: Collection[Path] | None,
    tests: Iterable[Path],
    root: Path = ROOT,
    near: Collection[Path] = (),
    files: "Imports | None" = None,
) -> list[Path]:
    """Return those of the test files `tests` that the files `changed` reach, nearest first.

    All for None. In a folder of `near` only those that are near. `files` keeps what was read.
    """
    if changed is None or any(_is_setting(path, root) for path in changed):
        return sorted(test for test in tests if not _is_in(test, near))
    named = [path for path in changed if not _is_test_module(path, root)]
    parts = {_part(path, root) for path in named} - {None, *OURS}  # imports follow ours
    rooms = {_room(path, root) for path in named}
    above = {path.parent for path in changed if path.name == "conftest.py"}
    above |= {root / folder for folder in ALWAYS}
    found_by = {root / finder for path in changed for finder in _finders(path, root)}
    files = files or Imports(root)
    found: list[tuple[float, int, Path]] = []
    for test in tests:
        steps = files.behind(test)
        nearest = min((steps[path] for path in changed if path in steps), default=math.inf)
        if _is_in(test, near):
            is_reached = nearest <= 1 or _room(test, root) in rooms
        else:
            is_reached = (
                nearest < math.inf
                or _part(test, root) in parts
                or not found_by.isdisjoint(steps)
                or any(files.names(file, changed) for file in steps)
            )
        if is_reached or _is_in(test, above):
            found.append((nearest, len(steps), test))
    return [test for _, _, test in sorted(found)]


def _place(path: Path, root: Path) -> tuple[str, ...]:
    """Return the folders of a file within the package, within the tests, or in the repository."""
    folders = path.relative_to(root).parts[:-1]
    for inside in (("src", "bottomup"), ("tests",)):
        if folders[: len(inside)] == inside:
            return folders[len(inside) :]
    return folders


def _part(path: Path, root: Path) -> str | None:
    """Return the part of the package or of the repository that a file belongs to."""
    return next(iter(_place(path, root)), None)


def _room(path: Path, root: Path) -> tuple[str, ...]:
    """Return the part with the folder below it, as a chapter's in the experiments."""
    return _place(path, root)[:2]


def concerning(changed: Collection[Path], trials: Iterable[Path], root: Path = ROOT) -> list[str]:
    """Return the slugs of the changed exercises, and the names of the trials that name one."""
    slugs = [path.parent.name.replace("_", "-") for path in changed if _is_exercise(path, root)]
    own = [
        test.name
        for test in trials
        if not strings([ast.parse(test.read_text(encoding="utf-8"))]).isdisjoint(slugs)
    ]
    return sorted({*slugs, *own})


def _is_exercise(path: Path, root: Path) -> bool:
    """Say whether a file lies in the folder of an exercise, where its text is."""
    return path.is_relative_to(root / EXERCISES) and path.with_name("text.md").is_file()


def _finders(path: Path, root: Path) -> Iterator[str]:
    place = path.relative_to(root).as_posix()
    yield from (finder for pattern, finder in FINDERS.items() if fnmatch(place, pattern))


def _is_in(path: Path, folders: Collection[Path]) -> bool:
    return not {*folders}.isdisjoint(path.parents)


def _is_test_module(path: Path, root: Path) -> bool:
    return path.suffix == ".py" and path.is_relative_to(root / "tests")


def _is_setting(path: Path, root: Path) -> bool:
    return path.parent == root and (
        path.suffix in {".toml", ".txt", ".cfg"} or path.name == "conftest.py"
    )


def _matches(name: str, path: Path) -> bool:
    """Say whether a name stands for a file, or for a folder in which it lies."""
    if "*" in name:
        return fnmatch(path.as_posix(), name)
    return name in (path.as_posix(), path.with_suffix("").as_posix()) or Path(name) in path.parents


class Imports:
    """Which files of the repository a file imports; what was read of one is kept.

    Args:
        root: the repository: the package lies in its folder `src`, tests and tools beside it.
    """

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._package = Package("bottomup", root / "src")
        self._direct: dict[Path, list[Path]] = {}
        self._named: dict[Path, set[str]] = {}
        self._trees: dict[Path, ast.Module] = {}
        self._first = {path.name for path in root.iterdir()} - {*OURS, "src"}

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
                modules = list(imported(self._package, self._tree(path)))
                found = list(self._beside_the_package(path))
            files = (self._package.file(module) for module in modules)
            self._direct[path] = found + [file for file in files if file is not None]
        return self._direct[path]

    def names(self, file: Path, changed: Collection[Path]) -> bool:
        """Say whether a module beside the package names a file, or a folder in which it lies."""
        if file not in self._named:
            self._named[file] = self._named_by(file)
        return any(
            _matches(name, path.relative_to(self._root))
            for name in self._named[file]
            for path in changed
        )

    def _named_by(self, file: Path) -> set[str]:
        """Return the paths that stand in a module as strings, and those that it has listed."""
        if file.is_relative_to(self._package.source) or file == self._root / LISTING:
            return set()
        named: set[str] = set()
        for node in ast.walk(self._tree(file)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if PATH.fullmatch(node.value) and node.value.split("/")[0] in self._first:
                    named.add(node.value.rstrip("/"))
            elif isinstance(node, ast.ImportFrom):
                named |= {LISTED[each.name] for each in node.names if each.name in LISTED}
        return named | ({*PAGES} if CONTENTS in named else set())

    def _tree(self, file: Path) -> ast.Module:
        if file not in self._trees:
            self._trees[file] = ast.parse(file.read_text(encoding="utf-8"), str(file))
        return self._trees[file]

    def _beside_the_package(self, path: Path) -> Iterator[Path]:
        """Yield what a file imports of tests, tools and the site's extensions."""
        for node in executed(self._tree(path)):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._modules(self._base(alias.name, 0, path), [])
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node.module or "", node.level, path)
                yield from self._modules(base, [alias.name for alias in node.names])

    def _base(self, module: str, level: int, path: Path) -> Path:
        """Return where a module would lie, without its ending."""
        parts = module.split(".") if module else []
        if level:
            return path.parents[level - 1].joinpath(*parts)
        home = self._root if parts[0] in OURS else self._root / EXTENSIONS
        return home.joinpath(*parts)

    @staticmethod
    def _modules(base: Path, names: list[str]) -> Iterator[Path]:
        files = [base.with_suffix(".py"), base / "__init__.py"]
        yield from filter(Path.is_file, [*files, *(base / f"{name}.py" for name in names)])


def main() -> int:
    """Print the reached test files of `tests`, a line each; a count goes to standard error."""
    parser = argparse.ArgumentParser(description="The test files that a change can turn red.")
    parser.add_argument("--all", action="store_true", help="whatever was changed")
    parser.add_argument("--without", nargs="*", default=[], help="folders of tests to leave out")
    parser.add_argument("--near", nargs="*", default=[], help="folders in which only these count")
    parser.add_argument("--exercises", action="store_true", help="what concerns changed exercises")
    options = parser.parse_args()
    changed = None if options.all else changed_files()
    if options.exercises:
        trials = sorted((ROOT / TRIALS).glob("test_*.py"))
        print(" or ".join(concerning(changed or (), trials)))
        return 0
    left_out = {ROOT / folder for folder in options.without}
    tests = [
        path
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if left_out.isdisjoint(path.parents) and not path.stem.endswith("_in_browser")
    ]
    found = reached(changed, tests, near={ROOT / folder for folder in options.near})
    print(f"{len(found)} of {len(tests)} test files can see the change", file=sys.stderr)
    print("\n".join(str(path.relative_to(ROOT)) for path in found))
    return 0


if __name__ == "__main__":
    gc.disable()  # it would walk the kept trees again and again: half of the time
    sys.exit(main())
