"""What holds for each drawing of the book: it can be drawn, read on a phone, and heard."""

import re
from collections.abc import Iterator

import nbformat
import pytest

from bottomup.drawings.machine import machine
from tools.notebooks.drawings import TAG, every
from tools.notebooks.paths import ROOT, all_chapters, chapter_number

SMALLEST = 11  # of words, in units: CSS pixels where a drawing has its own size
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


EVERY = dict(every())
SHOWN = set(shown())


@pytest.fixture(params=EVERY)
def html(request: pytest.FixtureRequest) -> str:
    return EVERY[request.param]()._repr_html_()


def test_it_is_a_drawing_that_says_what_it_shows(html):
    labels = re.findall(r'role=\\?"(?:img|group)\\?" aria-label=\\?"(.+?)\\?"', html)
    assert len(max(labels, key=len).split()) > 8  # a name, and a sentence at least


def test_no_word_is_smaller_than_can_be_read(html):
    sizes = [float(size) for size in re.findall(r'font-size=\\?"([\d.]+)', html)]
    assert sizes and min(sizes) >= SMALLEST


def test_its_pictures_are_hidden_where_a_viewer_takes_styles_and_svg_away(html):
    left = re.sub(r"<(style|script|div hidden).*?</(style|script|div)>", "", html, flags=re.DOTALL)
    assert "<svg" in html and "<svg" not in left


def test_it_is_the_same_each_time(request, html):
    assert EVERY[request.node.callspec.params["html"]]()._repr_html_() == html


def test_every_drawing_is_shown():
    assert {name.split()[0] for name in EVERY} - SHOWN == set()


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


def test_an_unknown_chapter_is_refused():
    with pytest.raises(KeyError):
        machine("99")
