"""The README, the landing page and *How to use this book*: short, and every number is held."""

import re
import tomllib

import pytest
import torch

from bottomup import results
from bottomup.data import by_hand
from bottomup.exercises import catalog
from bottomup.experiments import Kind
from tools.notebooks.paths import ROOT, all_chapters, chapter_number

TWINS = "The cat ate the meat because *it* was *hungry*.", "because *it* was *fresh*."
PAGES = {"README.md": 300, "book/index.md": 600, "book/how_to_use.md": 520}  # words in sight
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)
TABLE = re.compile(r"^(```\{table\}.*?^```|\|.*?)$", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
ADDRESS = re.compile(r"\]\([^)]*\)|\{doc\}|\{kbd\}|<[^>]*>|^\[?!\[.*$", re.MULTILINE)
DIRECTIVE = re.compile(r"^```\{.*?^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(?<!`)`[^`\n]+`")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def without(source: str, *patterns: re.Pattern[str]) -> str:
    for pattern in patterns:
        source = pattern.sub(" ", source)
    return source


def held() -> dict[str, str]:
    """Return what a number on these pages may be, and what it counts."""
    project = tomllib.loads(text("pyproject.toml"))["project"]
    kinds = [claim.kind for claim in results.ledger()]
    port = re.search(r"^PORT +\?= (\d+)$", text("Makefile"), re.MULTILINE)
    assert port is not None
    return {
        str(len(catalog())): "exercises",
        str(len(all_chapters())): "chapters",
        str(kinds.count(Kind.PAPER)): "statements",
        project["requires-python"].removeprefix(">="): "or later",
        port[1]: "",  # of the site
        "2": "GB of disk",
    }


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_with_the_twins_and_is_short(name: str):
    page = text(name)
    for sentence in TWINS:
        assert page.index(sentence) < 700
    seen = page.partition("## Chapters")[0] if name == "README.md" else page
    words = without(seen, FOLD, TABLE, FENCE, ADDRESS)
    assert len(re.findall(r"\w[\w’'.-]*", words)) <= PAGES[name]


@pytest.mark.parametrize("name", PAGES)
def test_every_number_is_held(name: str):
    page = text(name).partition("## Chapters")[0] if name == "README.md" else text(name)
    prose = without(page, TABLE, DIRECTIVE, ADDRESS, CODE)
    numbers, chapters = held(), {chapter_number(path) for path in all_chapters()}
    others = {"8888", "02.6", "6", "7"} if name == "book/how_to_use.md" else set()
    found = {match[0] for match in NUMBER.finditer(prose)}
    assert found - numbers.keys() - chapters - others == set()
    for number in found & numbers.keys():
        after = re.findall(rf"(?<![\w.,]){re.escape(number)}(?![.,]?\w)(.*)", prose)
        assert all(rest.strip().startswith(numbers[number]) for rest in after), number


def test_what_else_has_a_number_agrees():
    """The usual port of JupyterLab, a claim, the disk that the set-up asks for."""
    assert "localhost:8888/" in text("book/_ext/shown_answers/launch.py")
    assert "02.6" in {claim.id for claim in results.ledger()}
    for page in ("README.md", "INSTALL.md", "Makefile"):
        assert "2 GB" in text(page)
    # tests/site/test_front_door.py compares this with the files.
    assert "loads 6 to 7 MB, once" in text("book/how_to_use.md")


def test_the_first_machine_has_nineteen_numbers():
    """The rows of the words, and what chapter 02's two layers ask, offer and pass on."""
    first, second = by_hand.FIRST, by_hand.SECOND
    assert torch.equal(first.key, second.key) and torch.equal(first.value, second.value)
    matrices = [torch.tensor([*by_hand.ROWS.values()]), *first, second.query]
    assert sum(int((matrix != 0).sum()) for matrix in matrices) == 19
    for name in ("README.md", "book/index.md"):
        assert "nineteen numbers" in text(name)
