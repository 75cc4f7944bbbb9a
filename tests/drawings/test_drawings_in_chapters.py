"""Where the drawings are shown: each on some page, and the machine at the head of each chapter."""

import re
from collections.abc import Iterator

import nbformat
import pytest

from bottomup.drawings.machine import machine
from tools.notebooks.drawings import TAG, every
from tools.notebooks.paths import ROOT, all_chapters, chapter_number

IMPORTED = re.compile(r"^from bottomup.drawings import (\w+)")
DIRECTIVE = re.compile(r"^```\{drawing\} (\w+\.\w+)$", re.M)
CALL = re.compile(r"\.(\w+)\([^\n]*\)$")


def shown() -> Iterator[str]:
    """Yield module and function of each drawing that a chapter or another page shows."""
    for path in all_chapters():
        for cell in nbformat.read(path, as_version=4).cells:
            if TAG in cell.metadata.get("tags", []):
                module, name = IMPORTED.search(cell.source)[1], CALL.search(cell.source)[1]
                yield f"{module}.{name}"
    for path in (ROOT / "book").rglob("*.md"):
        yield from DIRECTIVE.findall(path.read_text(encoding="utf-8"))


def test_every_drawing_is_shown():
    assert {name.split()[0] for name, _make in every()} - set(shown()) == set()


@pytest.mark.parametrize("path", all_chapters(), ids=chapter_number)
def test_every_chapter_is_headed_by_the_machine_with_its_part_lit(path):
    number = chapter_number(path)
    assert f'drawings.machine(\\"{number}\\")' in path.read_text(encoding="utf-8")
    lit = {"box lit", "line lit"} & set(
        re.findall(r'class="([\w ]+)"', machine(number)._repr_html_())
    )
    assert lit


def test_every_part_of_the_machine_leads_to_a_chapter():
    files = {f"chapters/{path.name}" for path in all_chapters()}
    links = set(re.findall(r'<a href="([^"]+)"', machine("", folder="chapters/")._repr_html_()))
    assert links <= files
    assert len(links) == 7
