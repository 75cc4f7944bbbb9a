"""Text is read and written as UTF-8, whatever the code page of the machine."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tools", "book", "bench", "tests")
TEXT_AT = {"read_text": 0, "write_text": 1}  # where the encoding stands among the arguments
OPENERS = {"open", "fdopen", "NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile"}
OPENERS |= {"TextIOWrapper", "FileHandler", "loadtxt", "genfromtxt", "savetxt", "FileInput"}
HEARING = {"text", "universal_newlines"}  # options of `subprocess`
PICTURES = {"Image"}  # their `open` reads bytes


def in_the_code_page(source: str) -> Iterator[int]:
    """Yield the lines that read or write text, or hear a program, without a stated encoding."""
    if not any(word in source for word in (*TEXT_AT, *OPENERS, "text=True", "universal_newlines")):
        return  # most files
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        owner = getattr(getattr(call.func, "value", None), "id", "")
        said = {keyword.arg: keyword.value for keyword in call.keywords}
        values = [*call.args, *said.values()]
        modes = [value.value for value in ast.walk(ast.List(values)) if is_mode(value)]
        if "encoding" in said:
            continue
        if (
            (name in TEXT_AT and len(call.args) <= TEXT_AT[name])
            or (name in OPENERS and owner not in PICTURES and not any("b" in m for m in modes))
            or said.keys() & HEARING & is_true(said)
        ):
            yield call.lineno


def is_mode(value: ast.AST) -> bool:
    text = value.value if isinstance(value, ast.Constant) else None
    return isinstance(text, str) and 0 < len(text) < 4 and set(text) <= set("rwxabt+")


def is_true(said: dict[str | None, ast.expr]) -> set[str | None]:
    return {name for name, value in said.items() if getattr(value, "value", None) is True}


@pytest.mark.parametrize(
    "line, is_found",
    [
        ("path.read_text()", True),
        ("Path('a').write_text(data=text)", True),
        ("path.open('w')", True),
        ("gzip.open(path, 'rt')", True),
        ("subprocess.run(command, text=True)", True),
        ("path.write_text(text, 'utf-8')", False),
        ("open(path, encoding='utf-8')", False),
        ("path.open('ab' if begun else 'wb')", False),
        ("Image.open(file)", False),
        ("draw(text=tokens)", False),
    ],
)
def test_a_line_that_depends_on_the_code_page_is_found(line: str, is_found: bool):
    assert bool(list(in_the_code_page(line))) == is_found


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_text_depends_on_the_code_page_of_the_machine(folder: str):
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in in_the_code_page(path.read_text("utf-8"))
    ]
    assert not found, "no encoding is stated (encoding='utf-8') in " + ", ".join(found)
