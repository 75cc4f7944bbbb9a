"""How close the code stands to the idea, for each name of the chapters' equation tables.

    python -m tools.closeness [--src DIR] [--json]

A row tells where the idea stands; the lines of its mechanism (of a class: of its ``forward``, if it
has one; the rest is set-up), of checks, signature and docstring, without blank lines and comments;
files and lines of the package that its module needs; how many functions ``check_*`` run in a small
call, not the first, and its microseconds beside torch's, where torch has the same: with gradients,
as in training, where torch's modules take the same steps (without, some are one kernel of its own).
`--src` names the source of another checkout, with its own chapters.
"""

import argparse
import ast
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

from bench.timing import interleave, ratios
from tools.notebooks.closure import Package, closure, defining_module
from tools.notebooks.paths import SOURCE, all_chapters

APART = ("exercises", "experiments")  # the course's trials, not its ideas
CODE_COLUMNS = {"function", "function or class", "code"}
BESIDE = ("fused_attention", "EncoderLayer")  # in no table, and torch has the same
ROUNDS, CALLS = 15, 200  # of the clock, and in each of them
Definition = ast.FunctionDef | ast.ClassDef
Call = Callable[[], Any]
Calls = dict[str, tuple[Call, Call]]  # ours and torch's, by idea


@dataclass
class Row:
    """What is said of one idea; the last four where torch has the same."""

    idea: str
    module: str
    mechanism: int = 0
    set_up: int = 0
    checks: int = 0
    signature: int = 0
    docstring: int = 0
    files: int = 0
    lines: int = 0
    checks_run: int | None = None
    microseconds: float | None = None
    torch: float | None = None
    ratio: float | None = None


def names_in_tables(markdown: str) -> Iterator[str]:
    """Yield the names in backticks of every table that has a column of code."""
    for block in re.findall(r"(?:^\|.*\n?)+", markdown, re.MULTILINE):
        head, *body = block.splitlines()
        if CODE_COLUMNS & {cell.strip().casefold() for cell in head.split("|")}:
            yield from re.findall(r"`([\w.]+)`", "\n".join(body))


def ideas(chapters: Path) -> list[str]:
    """Return the names in the equation tables of a folder of notebooks, each once."""
    texts = [path.read_text(encoding="utf-8") for path in all_chapters(chapters)]
    cells = [cell for text in texts for cell in json.loads(text)["cells"]]
    prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    names = dict.fromkeys(name for text in prose for name in names_in_tables(text))
    return [name for name in names if not name.startswith("torch.")]


def place(package: Package, name: str) -> tuple[str, Definition]:
    """Return module and definition of `masked_softmax`, `analysis.kmeans`, `LanguageModel.unembed`.

    A `LookupError` says that the package has no such function or class, or two of them.
    """
    paths = (package.source / package.name).iterdir()
    parts = {path.stem for path in paths if path.suffix == ".py" or (path / "__init__.py").exists()}
    head, *rest = name.split(".")
    if head in parts and rest:
        parts, (head, *rest) = {head}, rest
    found = {}
    for part in sorted(parts - {"__init__", *APART}):
        module = defining_module(package, f"{package.name}.{part}", head)
        if node := _defined(package.tree(module), [head, *rest]):
            found[module] = node
    if len(found) != 1:
        raise LookupError(f"{name}: expected one place in {package.name}, got {sorted(found)}")
    return found.popitem()


def _defined(tree: ast.Module | Definition, path: list[str]) -> Definition | None:
    for node in tree.body:
        if isinstance(node, Definition) and node.name == path[0]:
            return _defined(node, path[1:]) if path[1:] else node
    return None


def count(row: Row, node: Definition, text: Sequence[str], part: str = "mechanism") -> None:
    """Add the lines of a definition to a row; `text` holds the lines of its file."""
    first, whole = node.body[0], _lines(node, text)
    docstring = _lines(first, text) if ast.get_docstring(node) is not None else set()
    signature = {line for line in whole if line < first.lineno}
    checks = _checks(node, text)
    rest = whole - docstring - signature
    if isinstance(node, ast.ClassDef):
        part = "set_up"
        methods = [method for method in node.body if isinstance(method, ast.FunctionDef)]
        forward = "forward" in {method.name for method in methods}
        for method in methods:
            mechanism = method.name == "forward" if forward else method.name != "__init__"
            rest -= _lines(method, text)
            count(row, method, text, "mechanism" if mechanism else "set_up")
    row.docstring += len(docstring)
    row.signature += len(signature)
    row.checks += len(rest & checks)
    setattr(row, part, getattr(row, part) + len(rest - checks))


def _lines(node: ast.stmt, text: Sequence[str]) -> set[int]:
    """Return the lines of a statement, from its first decorator on; neither blank nor comment."""
    start = min([node, *getattr(node, "decorator_list", [])], key=lambda each: each.lineno).lineno
    lines = range(start, (node.end_lineno or start) + 1)
    return {n for n in lines if not re.match(r"\s*(#|$)", text[n - 1])}


def _checks(node: ast.stmt, text: Sequence[str]) -> set[int]:
    """Return the lines of a statement that only check."""
    if _only_checks(node):
        return _lines(node, text)
    inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
    return {line for each in inner for line in _checks(each, text)}


def _only_checks(node: ast.stmt) -> bool:
    """Say whether a statement is a raise, a call of ``check_*``, or a block that does no more."""
    if isinstance(node, ast.Expr | ast.Assign) and isinstance(node.value, ast.Call):
        called = ast.unparse(node.value.func).split(".")[-1]
        return called.lstrip("_").startswith("check_")
    if isinstance(node, ast.If | ast.For):
        raises = isinstance(node.body[-1], ast.Raise) and not node.orelse
        return raises or all(map(_only_checks, [*node.body, *node.orelse]))
    return isinstance(node, ast.Raise)


def calls() -> Calls:
    """Return a small call of an idea, and the one of torch that does the same, by name."""
    import torch  # like the package of --src, not before that is known
    from torch import nn
    from torch.nn.functional import scaled_dot_product_attention as fused

    from bottomup import attention, blocks

    torch.set_num_threads(1)
    n, heads, sizes = 8, 4, (64, 4, 256)
    d_model, _, d_ff = sizes
    x, q = torch.randn(1, n, d_model), torch.randn(1, heads, n, d_model // heads)
    attend = attention.MultiHeadAttention(d_model, heads)
    its = nn.MultiheadAttention(d_model, heads, batch_first=True).eval()
    each = {"average_attn_weights": False}  # each head's weights, as ours
    same: dict[str, Any] = {"dropout": 0.0, "batch_first": True, "norm_first": True}
    norm, its_norm = blocks.LayerNorm(d_model), nn.LayerNorm(d_model)
    ffn = blocks.FeedForward(d_model, d_ff)
    its_ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
    encoder, decoder = blocks.EncoderLayer(*sizes), blocks.DecoderLayer(*sizes)
    its_encoder = nn.TransformerEncoderLayer(*sizes, **same)
    its_decoder = nn.TransformerDecoderLayer(*sizes, **same)
    plain = attention.scaled_dot_product_attention
    return {
        "masked_softmax": (lambda: attention.masked_softmax(x), lambda: x.softmax(dim=-1)),
        "scaled_dot_product_attention": (lambda: plain(q, q, q), lambda: fused(q, q, q)),
        "fused_attention": (lambda: attention.fused_attention(q, q, q), lambda: fused(q, q, q)),
        "MultiHeadAttention": (lambda: attend(x, x, x), lambda: its(x, x, x, **each)),
        "LayerNorm": (lambda: norm(x), lambda: its_norm(x)),
        "FeedForward": (lambda: ffn(x), lambda: its_ffn(x)),
        "EncoderLayer": (lambda: encoder(x), lambda: its_encoder(x)),
        "DecoderLayer": (lambda: decoder(x, x), lambda: its_decoder(x, x)),
    }


def checks_run(call: Call) -> int:
    """Return how many functions named ``check_*`` run in a call that is not the first."""
    names: list[str] = []
    call()
    sys.setprofile(lambda frame, event, _: names.append(frame.f_code.co_name * (event == "call")))
    call()
    sys.setprofile(None)
    return sum(name.lstrip("_").startswith("check_") for name in names)


def measure(row: Row, ours: Call, torchs: Call) -> None:
    """Add to a row what running its call tells."""
    row.checks_run = checks_run(ours)
    sides = {"ours": ours, "torch": torchs}
    loops = {name: lambda side=side: [side() for _ in range(CALLS)] for name, side in sides.items()}
    seconds = interleave(loops, ROUNDS)
    row.microseconds, row.torch = (round(median(seconds[side]) / CALLS * 1e6, 1) for side in sides)
    row.ratio = round(median(ratios(seconds["ours"], seconds["torch"])), 2)


def rows(package: Package, names: Iterable[str], known: Calls) -> Iterator[Row]:
    """Yield the row of each idea that has a place; those with a known call run."""
    for name in names:
        try:
            module, node = place(package, name)
        except LookupError as problem:
            print(problem, file=sys.stderr)
            continue
        row = Row(name, module)
        count(row, node, _text(package, module))
        imported = closure(package, [], start=[module])
        row.files = len(imported)
        row.lines = sum(len(_text(package, each)) for each in imported)
        if name in known:
            measure(row, *known[name])
        yield row


def _text(package: Package, module: str) -> list[str]:
    return Path(package.file(module) or "").read_text(encoding="utf-8").splitlines()


def table(found: Sequence[Row]) -> str:
    """Return the rows as a table."""
    heads = [field.name.replace("_", " ") for field in fields(Row)]
    cells = [["" if value is None else str(value) for value in astuple(row)] for row in found]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in [heads, *cells])


def main(arguments: Sequence[str]) -> None:
    """Print the table, and how many lines of Python the package has."""
    parser = argparse.ArgumentParser(prog="python -m tools.closeness", description=__doc__)
    parser.add_argument("--src", type=Path, default=SOURCE, help="the folder that holds bottomup")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(options.src))
    package = Package("bottomup", options.src)
    names = [*ideas(options.src.parent / "chapters"), *BESIDE]
    found = list(rows(package, names, calls()))
    root = options.src / package.name
    paths = [path for path in root.rglob("*.py") if path.relative_to(root).parts[0] not in APART]
    total = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
    shown = f"{table(found)}\n\n{total} lines outside {' and '.join(APART)}"
    as_json = {"lines": total, "ideas": [asdict(row) for row in found]}
    print(json.dumps(as_json, indent=1) if options.json else shown)


if __name__ == "__main__":
    main(sys.argv[1:])
