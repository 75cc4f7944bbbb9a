"""The map of the book: every arrow is a need that a chapter states, and none is missing."""

import re
import xml.etree.ElementTree as ET

from tools.notebooks.paths import ROOT, all_chapters, chapter_number
from tools.records import prose_of

MAP = ET.parse(ROOT / "book/_static/course_map.svg").getroot()
ARROWS = {
    (each.get("data-from"), each.get("data-to")) for each in MAP.iter() if "data-to" in each.attrib
}
CHAPTER = re.compile(r"\((?:\.\./chapters/)?(\d\db?)_\w+\.ipynb\)")


def stated() -> dict[str, set[str]]:
    """What each chapter says at its top that a reader needs, by its number."""
    needs = {}
    for path in all_chapters():
        (top,) = re.findall(r"You need (.+)$", prose_of(path).split("\n## ")[0], re.MULTILINE)
        needs[chapter_number(path)] = set(CHAPTER.findall(top))
    return needs


NEEDS = stated()


def before(chapter: str) -> set[str]:
    """The chapters from which arrows lead to this one, in any number of steps."""
    direct = {start for start, end in ARROWS if end == chapter}
    return direct | {found for each in direct for found in before(each)}


def test_every_chapter_has_a_box_with_its_number():
    boxes = {each.get("data-chapter"): each for each in MAP.iter() if "data-chapter" in each.attrib}
    assert sorted(boxes) == [chapter_number(path) for path in all_chapters()]
    for number, drawn in boxes.items():
        assert "".join(drawn.itertext()).split()[0] == number


def test_every_arrow_is_a_need_that_the_chapter_states():
    assert [(start, end) for start, end in ARROWS if start not in NEEDS[end]] == []


def test_every_stated_need_is_reached_along_the_arrows():
    missing = {chapter: needed - before(chapter) for chapter, needed in NEEDS.items()}
    assert {chapter: left for chapter, left in missing.items() if left} == {}


def test_nothing_needs_a_page_that_goes_deeper():
    assert [start for start, _ in ARROWS if start.endswith("b")] == []
