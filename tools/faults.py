"""Plant faults in the package, one at a time, and ask which of them the tests catch.

    python -m tools.faults --seed 1 --each 3                    # three in every room
    python -m tools.faults --rooms attention models --each 20   # twenty in each of some rooms
    python -m tools.faults --tests ../older/tests --out caught.jsonl

A fault is a small change of one line: another comparison or operator, a number off by one, a
condition that always or never holds, a statement left out. The faults are drawn by the seed alone,
so that the same faults can be planted before and after the tests change. A room is a folder of
`src/bottomup`, in the experiments and figures the folder of a chapter. Of each fault the tests of
its part run, the nearest first, in a copy of the repository. A fault is caught when a test fails or
stops with an error, or when they have no end in `--seconds`.

`--out` keeps a line of JSON for each fault; what it holds already is not planted again.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.notebooks.paths import ROOT
from tools.touched import concerned

PACKAGE = "src/bottomup"
BY_CHAPTER = ("experiments", "explorables")  # parts whose rooms are their folders
COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
OPERATORS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "//",
    ast.MatMult: "*", ast.BitAnd: "|", ast.BitOr: "&", ast.Pow: "*",
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """Text of a file from `start` to `end` (positions in its bytes) that becomes `new`."""

    file: str
    line: int
    start: int
    end: int
    new: str

    def plant(self, root: Path) -> None:
        """Write the fault into the copy at `root`."""
        path = root / self.file
        source = path.read_bytes()
        path.write_bytes(source[: self.start] + self.new.encode() + source[self.end :])

    def told(self, root: Path) -> str:
        """Return the file, the line, and what becomes what."""
        old = (root / self.file).read_bytes()[self.start : self.end].decode()
        first = old.splitlines()[0] if old else ""
        return f"{self.file}:{self.line}: {first[:60]!r} -> {self.new[:60]!r}"


def faults_of(path: Path, root: Path) -> Iterator[Fault]:
    """Yield every fault that can be planted in a file of Python."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    file = path.relative_to(root).as_posix()

    def span(node: ast.AST) -> tuple[int, int]:
        begin = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        return begin, end

    def fault(node: ast.AST, new: str, start: int | None = None, end: int | None = None) -> Fault:
        begin, stop = span(node)
        line: int = node.lineno  # type: ignore[attr-defined]
        return Fault(file, line, begin if start is None else start, end or stop, new)

    def between(left: ast.AST, right: ast.AST, new: str, node: ast.AST) -> Iterator[Fault]:
        start, end = span(left)[1], span(right)[0]
        if source[start:end].strip(b" \n").isascii() and not {*source[start:end]} & {*b"()"}:
            yield fault(node, f" {new} ", start, end)

    def visit(node: ast.AST) -> Iterator[Fault]:
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                yield from between(left, right, COMPARISONS[type(operator)], node)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
                if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
                    yield from between(left, right, OPERATORS[type(operator)], node)
            case ast.BoolOp(op=operator, values=[left, right]):
                new = "or" if isinstance(operator, ast.And) else "and"
                yield from between(left, right, new, node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield fault(node, "bool(" + source[slice(*span(operand))].decode() + ")")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                yield fault(node, source[slice(*span(operand))].decode())
            case ast.Constant(value=bool(value)):
                yield fault(node, str(not value))
            case ast.Constant(value=int(value)):
                yield fault(node, str(value + 1))
            case ast.Constant(value=float(value)):
                yield fault(node, repr(value * 2 + 1))
            case ast.If(test=test) | ast.IfExp(test=test):
                yield fault(test, "True")
                yield fault(test, "False")
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise():
                yield fault(node, "pass")
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield fault(value, "None")
        for field, child in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "format_spec", "type_params"):
                continue
            for one in child if isinstance(child, list) else [child]:
                if isinstance(one, ast.AST) and not _is_document(one):
                    yield from visit(one)

    yield from visit(ast.parse(source))


def _is_document(node: ast.AST) -> bool:
    """Say whether a node is a string by itself or an f-string, whose places cannot be told."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom)


def rooms(root: Path = ROOT) -> dict[str, list[Path]]:
    """Return the files of Python of each room."""
    found: dict[str, list[Path]] = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        inside = path.relative_to(root / PACKAGE).parts
        deep = inside[0] in BY_CHAPTER and len(inside) > 2
        name = "/".join(inside[: 2 if deep else 1]) if len(inside) > 1 else "."
        found.setdefault(name, []).append(path)
    return found


def draw(files: Sequence[Path], count: int, seed: str, root: Path = ROOT) -> list[Fault]:
    """Return `count` faults of some files, drawn by a seed; each still compiles."""
    # A file of many faults is not drawn more often than its lines are.
    pool = [fault for path in files for fault in faults_of(path, root)]
    random.Random(seed).shuffle(pool)
    chosen: list[Fault] = []
    for fault in pool:
        source = (root / fault.file).read_bytes()
        changed = source[: fault.start] + fault.new.encode() + source[fault.end :]
        try:
            same = ast.dump(ast.parse(source)) == ast.dump(ast.parse(changed))
        except SyntaxError:
            continue
        if not same and all(fault.line != other.line for other in chosen):
            chosen.append(fault)
        if len(chosen) == count:
            break
    return chosen


def tests_for(fault: Fault, root: Path) -> list[str]:
    """Return the test files of a fault's part, those that name what it is in first."""
    part = fault.file.removeprefix(f"{PACKAGE}/").split("/")[0]
    folders = [root / "tests" / part, root / "tests/properties", root / "tests/parity"]
    own = root / f"tests/test_{Path(fault.file).stem}.py"
    tests = [own] if own.is_file() else []
    for folder in folders:
        tests += sorted(folder.rglob("test_*.py")) if folder.is_dir() else []
    if "/" not in fault.file.removeprefix(f"{PACKAGE}/"):
        tests += sorted((root / "tests").glob("test_*.py"))
    names = list(dict.fromkeys(path.relative_to(root).as_posix() for path in tests))
    return list(dict.fromkeys([*concerned({fault.file}, names, root), *names]))


def caught(fault: Fault, root: Path, tests: Sequence[str], seconds: int) -> str:
    """Plant a fault, run the tests, take it out; return which test failed, or nothing."""
    source = (root / fault.file).read_bytes()
    fault.plant(root)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:nbval",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [*command, *tests], cwd=root, env=environment, capture_output=True, text=True,
            encoding="utf-8", timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "no end"
    finally:
        (root / fault.file).write_bytes(source)
    if done.returncode in (0, 5):
        return ""
    lines = done.stdout.splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return (failed or lines[-1:] or ["?"])[0][:160]


def copy_of_repository(folder: Path, tests: Path | None) -> Path:
    """Return a copy of the files that git knows or would, with the tests of another place."""
    listed = subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, text=True, encoding="utf-8",
    )  # fmt: skip
    root = folder / "copy"
    for name in listed.splitlines():
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name)
    if tests:
        shutil.rmtree(root / "tests")
        shutil.copytree(tests, root / "tests")
    return root


def main(arguments: Sequence[str]) -> int:
    """Plant the faults and say what was caught."""
    parser = argparse.ArgumentParser(prog="python -m tools.faults", description=__doc__)
    parser.add_argument("--rooms", nargs="*", help="all rooms without it")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--each", type=int, default=3, help="faults in each room")
    parser.add_argument("--tests", type=Path, help="the tests of another checkout")
    parser.add_argument("--seconds", type=int, default=300, help="for the tests of one fault")
    parser.add_argument("--out", type=Path, help="a file of JSON lines")
    options = parser.parse_args(arguments)
    found = rooms()
    if unknown := {*(options.rooms or ())} - {*found}:
        parser.error(f"expected some of {', '.join(found)}, got {', '.join(sorted(unknown))}")
    out = options.out
    kept = out.read_text("utf-8").splitlines() if out and out.is_file() else []
    before = {entry["fault"]: entry["by"] for entry in map(json.loads, kept)}
    total = missed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = copy_of_repository(Path(folder), options.tests)
        for room in options.rooms or found:
            for fault in draw(found[room], options.each, f"{options.seed} {room}"):
                told = fault.told(ROOT)
                if told not in before:
                    tests = tests_for(fault, root)
                    by = caught(fault, root, tests, options.seconds) if tests else ""
                    before[told] = by
                    if out:
                        entry = {"room": room, "fault": told, "by": by, "files": len(tests)}
                        with out.open("a", encoding="utf-8") as lines:
                            lines.write(json.dumps({**entry, **asdict(fault)}) + "\n")
                total, missed = total + 1, missed + (not before[told])
                print(f"{room}: {told}\n    {before[told] or 'NOT CAUGHT'}", flush=True)
    print(f"{total} faults, {total - missed} caught")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
