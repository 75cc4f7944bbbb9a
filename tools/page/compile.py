"""Runs in the page's Python: make bytecode of what is packed, and leave out what nothing loads.

Bytecode starts three times as fast as source, and only the Python that runs it can make it. Of the
library stays what is loaded once the engine has judged a few answers, and what a reader may import.
"""

import ast
import importlib
import importlib.util
import marshal
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

ZIPPED = "python314.zip"  # the library's place in /lib
PACK, LIBRARY, PAGE = Path("/pack"), Path("/pyodide/python_stdlib.zip"), "/lib/page"
HEADER = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)  # no look at a source
DATE = (2020, 1, 1, 0, 0, 0)  # the same bytes each time
# What answers import, besides what the engine does.
FOR_READERS = """__future__ abc array bisect cmath collections collections.abc contextlib copy csv
dataclasses datetime decimal enum fractions functools heapq inspect io itertools json linecache math
numbers operator os pathlib pprint queue random re statistics string struct sys textwrap threading
time timeit traceback types typing unicodedata uuid warnings""".split()


def compiled(name: str, source: str, where: str, optimize: int = 0) -> bytes:
    """Return bytecode that is taken without a look at its source.

    A docstring goes, unless it is all there is of a function: a stub's body is told by it.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1 and is_text(body[0]):
            del body[0]
    code = compile(tree, f"{where}/{name}", "exec", dont_inherit=True, optimize=optimize)
    return HEADER + marshal.dumps(code)


def is_text(node: ast.AST) -> bool:
    """Say whether a statement is nothing but a text."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def repack(old: Path, new: Path, convert: Callable[[str, bytes], tuple[str, bytes] | None]) -> None:
    """Write an archive with what `convert` makes of each file's name and content."""
    with zipfile.ZipFile(old) as before, zipfile.ZipFile(new, "w") as after:
        for name in sorted(before.namelist()):
            if (kept := convert(name, before.read(name))) is not None:
                info = zipfile.ZipInfo(kept[0], DATE)
                after.writestr(info, kept[1], zipfile.ZIP_DEFLATED, 9)


def of_ours(name: str, content: bytes) -> tuple[str, bytes]:
    """Convert a file of an archive of ours."""
    if not name.endswith(".py"):
        return name, content
    return f"{name}c", compiled(name, content.decode(), PAGE)


def of_the_library(name: str, content: bytes) -> tuple[str, bytes] | None:
    """Convert a file of the library, if it is loaded."""
    if name not in loaded:
        return None
    if not name.endswith(".py"):
        return name, content
    return f"{name}c", compiled(name, content.decode(), f"/lib/{ZIPPED}", optimize=2)


def rehearse() -> None:
    """Load the engine and every exercise, and have answers judged, so that all is loaded."""
    sys.path.insert(0, PAGE)
    runner = importlib.import_module("runner")
    from bottomup.exercises import catalog

    catalog()
    for body in ("return torch.ones(length, length)", "return 1 / 0", "return (", "..."):
        runner.check("causal-mask", f"def causal_mask(length):\n    {body}\n")
    runner.check("causal-mask", "import missing")
    runner.catch("causal-mask", "def test_causal_mask(answer):\n    assert answer(3).any()\n")
    for name in FOR_READERS:
        importlib.import_module(name)


built = PACK / "built"
for archive in sorted(PACK.joinpath("source").rglob("*.zip")):
    target = built / archive.relative_to(PACK / "source")
    target.parent.mkdir(parents=True, exist_ok=True)
    repack(archive, target, of_ours)
    with zipfile.ZipFile(target) as packed:
        packed.extractall(PAGE)
rehearse()
origins = [getattr(module, "__file__", None) or "" for module in [*sys.modules.values()]]
loaded = {origin.partition(f"{ZIPPED}/")[2] for origin in origins if ZIPPED in origin}
repack(LIBRARY, built / LIBRARY.name, of_the_library)
