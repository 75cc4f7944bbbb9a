"""The minutes in the plans for teachers, ``book/teaching.md``, worked out from the exercises.

A lesson's line, its homework, and what a chapter's exercises take together are sums. A lesson on a
whole chapter places each exercise of it: a new one is put at the end of its homework, from where
its author may take it elsewhere, and one that is no more is taken out.
"""

import re
from collections.abc import Mapping

from bottomup.exercises.engine.registry import find
from tools.exercises.cells import exercises_of
from tools.notebooks.paths import ROOT, all_chapters, chapter_number

PAGE = ROOT / "book" / "teaching.md"
NUMBER = r"\d+b?\.\d+"
LIST = rf"{NUMBER}(?:, {NUMBER})*(?: and {NUMBER})?"
LESSON = re.compile(
    r"^: (?P<reading>\d+) minutes of reading, (?P<running>\d+) of running, \d+ of exercises"
    rf"(?P<listed> \({LIST}\))?: \d+ in all\.$",
    re.MULTILINE,
)
HOMEWORK = re.compile(r"Homework: .*")
SUM = re.compile(rf"(?P<listed>{LIST})(?P<told>[^;().:]*) \(\d+(?P<unit>(?: minutes)?)\)")
TOGETHER = re.compile(
    r"(\(\.\./chapters/0?(?P<chapter>\d+b?)_\w+\.ipynb\).*? has )\d+( minutes of exercises)"
)
WHOLE = re.compile(
    r"^.*\(\.\./chapters/0?(?P<chapter>\d+b?)_\w+\.ipynb\)\n(?:: .*\n)+", re.MULTILINE
)


def minutes_by_number() -> dict[str, int]:
    """Return the minutes of each exercise by the number that it has in its chapter."""
    found = {}
    for chapter in map(chapter_number, all_chapters()):
        for place, (_, slug) in enumerate(exercises_of(chapter), 1):
            found[f"{chapter.removeprefix('0')}.{place}"] = find(slug).minutes
    return found


def write() -> bool:
    """Renew the page; say whether it has changed."""
    before = PAGE.read_text(encoding="utf-8")
    after = renewed(before, minutes_by_number())
    if after != before:
        PAGE.write_text(after, encoding="utf-8")
    return after != before


def renewed(page: str, minutes: Mapping[str, int]) -> str:
    """Return the plans with sums over `minutes`, which has those of each exercise by number."""

    def total(listed: str) -> int:
        return sum(minutes[number] for number in re.findall(NUMBER, listed))

    def placed(lesson: re.Match[str]) -> str:
        own = [each for each in minutes if each.startswith(f"{lesson['chapter']}.")]
        lines = lesson[0].splitlines(keepends=True)
        named: set[str] = set()
        for place, line in enumerate(lines):
            if LESSON.match(line) or HOMEWORK.search(line):
                numbers = set(re.findall(rf"\b{lesson['chapter']}\.\d+\b", line))
                for gone in numbers - {*own}:
                    line = re.sub(rf", {re.escape(gone)}\b|\b{re.escape(gone)}, ", "", line)
                lines[place], named = line, named | numbers
        new = [each for each in own if each not in named]
        added = re.compile(rf"(?<=Homework: )({LIST})")
        return added.sub(lambda found: ", ".join([found[0], *new]), "".join(lines), count=1)

    def lesson(found: re.Match[str]) -> str:
        solving = total(found["listed"] or "")
        whole = int(found["reading"]) + int(found["running"]) + solving
        return (
            f": {found['reading']} minutes of reading, {found['running']} of running, "
            f"{solving} of exercises{found['listed'] or ''}: {whole} in all."
        )

    def homework(found: re.Match[str]) -> str:
        return SUM.sub(
            lambda each: f"{each['listed']}{each['told']} ({total(each['listed'])}{each['unit']})",
            found[0],
        )

    def together(found: re.Match[str]) -> str:
        own = [each for each in minutes if each.startswith(f"{found['chapter']}.")]
        return f"{found[1]}{sum(minutes[each] for each in own)}{found[3]}"

    page = WHOLE.sub(placed, page)
    page = LESSON.sub(lesson, page)
    page = HOMEWORK.sub(homework, page)
    return TOGETHER.sub(together, page)
