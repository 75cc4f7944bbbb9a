"""All that can be read of an exercise: a Markdown file, in its folder beside the cases.

It holds a title; difficulty, importance, minutes and statement; and these sections. Stub (a Python
fence), Hints (a numbered list), Solution (a fence), Also right (headings with a name, each above a
fence), Mistakes. Where the chapter also asks for a test, a section Test before the mistakes has
its minutes, says in two sentences what makes one hard, and holds three tests of ours, ``### weak``,
``### typical`` and ``### strong``. A section Also wrong at the end has wrong answers that get no
name.

Below the heading of Mistakes a line ``See: `` has the heading of the section that explains them.
A mistake is a heading with its slug, a line ``See: `` where another section explains it, perhaps a
line ``Case: `` with the case that shows it best, the diagnosis in one paragraph, and its forms:
ways to write it. Leave a blank line between the two. A form is

- a line of a list with edits of a right answer (`edits`), one form for each choice; it may go on in
  lines that are indented by two spaces;
- a line with the name of a function in `cases.py`, or of a tuple of them, in backticks;
- a fence with a whole answer.

``- shown: `` or a fence ```python shown marks one that the page shows; ``tried`` one that only has
to be named. In Also right and Also wrong there may be forms too, below the section's heading.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NoReturn

from bottomup.exercises.engine.edits import NOTATION, Edit, edited, read_family

HEADINGS = ("# Title", "## Stub", "## Hints", "## Solution", "## Also right", "## Mistakes")
TESTS = ("### weak", "### typical", "### strong")
STATEMENT = re.compile(
    r"\*Difficulty (\d), importance (\d) of 5, (\d+) minutes\.\* (.+)", re.DOTALL
)
TEST = re.compile(r"\*(\d+) minutes\.\* (.+)", re.DOTALL)
STUB = re.compile(r"```python\n(.+\n)```", re.DOTALL)
SLUG = re.compile(r"### ([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)")
SEE = re.compile(r"See: (.+)")
DIAGNOSIS = re.compile(
    r"(?:See: (.+)\n)?(?:Case: (.+)\n)?\n?(.+(?:\n(?!- |```).+)*)(?:\n\n([\s\S]+))?"
)
LINE = re.compile(r"- (?:(shown|tried): )?(?:`([A-Za-z_]\w*)`|(.+))")
FENCE = re.compile(r"```python(?: (shown|tried))?\n([\s\S]+?\n)```")
PARTS = re.compile(rf"{FENCE.pattern}|^.+(?:\n  .+)*$", re.MULTILINE)  # indented: the line goes on


@dataclass(frozen=True)
class FormText:
    """A form as it is written: a source, perhaps by an edit of the solution, or a function's name.

    Args:
        kind: "shown", "tried", or nothing.
        source: the whole answer; empty for a function.
        edit: how it differs from the solution, where that is how it is written.
        function: name of a function, or of a tuple of functions, beside the cases.
    """

    kind: str
    source: str = ""
    edit: Edit = ()
    function: str = ""


@dataclass(frozen=True)
class MistakeText:
    """What is said about a mistake, and its forms."""

    text: str
    see: str
    case: str = ""
    forms: tuple[FormText, ...] = ()


@dataclass(frozen=True)
class TestText:
    """What is said above the stub of a test, in Markdown, and how long it takes to write one.

    Args:
        minutes, statement: those.
        sources: three tests of ours by name: weak, typical, strong.
    """

    __test__ = False  # no test of pytest's

    minutes: int
    statement: str
    sources: dict[str, str]


@dataclass(frozen=True)
class ExerciseText:
    """All that can be read of an exercise, in English; the statement is Markdown."""

    title: str
    difficulty: int
    importance: int
    minutes: int
    statement: str
    stub: str
    hints: tuple[str, ...]
    solution: str
    right: tuple[FormText, ...]
    mistakes: dict[str, MistakeText]
    wrong: tuple[FormText, ...] = ()
    test: TestText | None = None


@dataclass(frozen=True)
class Section:
    """A heading such as ``## Stub``, and what stands below it, up to the next heading."""

    path: Path
    heading: str
    body: str

    def read(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        """Match all that stands below the heading."""
        return pattern.fullmatch(self.body) or self.fail(expected)

    def fail(self, expected: str) -> NoReturn:
        """Raise an error that names file, heading and what is expected there."""
        raise ValueError(f"{self.path}: {self.heading!r}: expected {expected}")


def read_text(path: Path) -> ExerciseText:
    """Read the text of an exercise.

    Raises:
        ValueError: a part is missing or written otherwise; it names file, heading, expectation.
    """
    parts = by_heading(sections(path))
    headings = [part[0].heading for part in parts]
    optional = {heading for heading in ("## Test", "## Also wrong") if heading in headings}
    order = [*HEADINGS[:-1], "## Test", HEADINGS[-1], "## Also wrong"]
    order = [heading for heading in order if heading in HEADINGS or heading in optional]
    for heading, expected in zip_longest(headings, order, fillvalue="nothing"):
        if heading != expected and not (expected == "# Title" and heading.startswith("# ")):
            raise ValueError(f"{path}: expected the heading {expected!r}, got {heading!r}")
    (title, *_none), *others = parts
    stub, hints, solution, right, mistakes, wrong, test = (
        next((part for part in others if part[0].heading == f"## {name}"), [])
        for name in ("Stub", "Hints", "Solution", "Also right", "Mistakes", "Also wrong", "Test")
    )
    about = title.read(
        STATEMENT, "'*Difficulty 2, importance 3 of 5, 15 minutes.*' and the statement"
    )
    source = solution[0].read(STUB, "a fence, ```python, with the solution")[1]
    bases = {"": source} | {
        each.heading.removeprefix("### "): each.read(STUB, "a fence, ```python")[1]
        for each in right[1:]
    }
    return ExerciseText(
        title=title.heading.removeprefix("# "),
        difficulty=int(about[1]),
        importance=int(about[2]),
        minutes=int(about[3]),
        statement=about[4],
        stub=stub[0].read(STUB, "a fence, ```python, with the stub")[1],
        hints=read_hints(hints[0]),
        solution=source,
        right=(
            *(FormText("", base) for name, base in bases.items() if name),
            *read_forms(right[0], right[0].body, bases),
        ),
        mistakes=read_mistakes(mistakes, bases),
        wrong=tuple(read_forms(wrong[0], wrong[0].body, bases)) if wrong else (),
        test=read_test(test) if test else None,
    )


def sections(path: Path) -> list[Section]:
    """Cut a text at its headings; a comment in a fence is none."""
    found: list[tuple[str, list[str]]] = []
    fenced = False
    for line in path.read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        if re.match("#+ ", line) and not fenced:
            found.append((line, []))
        elif found:
            found[-1][1].append(line)
        elif line:
            raise ValueError(f"{path}: expected the heading '# Title', got {line!r}")
    return [Section(path, heading, "\n".join(lines).strip()) for heading, lines in found]


def by_heading(found: list[Section]) -> list[list[Section]]:
    """Put the sections with ### behind the one that they stand in."""
    parts: list[list[Section]] = []
    for section in found:
        if section.heading.startswith("### ") and parts:
            parts[-1].append(section)
        else:
            parts.append([section])
    return parts


def read_hints(section: Section) -> tuple[str, ...]:
    """Return the items of a numbered list."""
    before, *parts = re.split(r"^(\d+)\. ", section.body, flags=re.MULTILINE)
    numbers, hints = parts[::2], parts[1::2]
    if before or not hints or numbers != [str(n) for n, _hint in enumerate(hints, 1)]:
        section.fail("a list numbered 1., 2., 3.")
    return tuple(map(one_line, hints))


def read_test(part: list[Section]) -> TestText:
    """Return the minutes and the sentences of a test, and three tests."""
    section, *tests = part
    found = section.read(TEST, "'*10 minutes.*' and two sentences")
    if tuple(test.heading for test in tests) != TESTS:
        section.fail(f"the headings {', '.join(TESTS)}")
    sources = {test.heading[4:]: test.read(STUB, "a fence, ```python")[1] for test in tests}
    return TestText(int(found[1]), found[2], sources)


def read_mistakes(part: list[Section], bases: dict[str, str]) -> dict[str, MistakeText]:
    """Return the mistakes by slug."""
    heading, *found = part
    for_all = heading.read(SEE, "'See: ' with a section's heading")[1]
    mistakes: dict[str, MistakeText] = {}
    for section in found:
        slug = SLUG.fullmatch(section.heading)
        if slug is None:
            section.fail("a mistake's slug as heading, such as '### a-mistake'")
        if slug[1] in mistakes:
            section.fail("each mistake once")
        see, case, text, forms = section.read(
            DIAGNOSIS,
            "lines 'See: ' or 'Case: ' or none, one paragraph, a blank line, and forms",
        ).groups(default="")
        written = tuple(read_forms(section, forms, bases))
        if not any(form.kind != "tried" for form in written):
            section.fail("a blank line below the paragraph, and then a form of the mistake")
        mistakes[slug[1]] = MistakeText(one_line(text), see or for_all, case, written)
    return mistakes


def read_forms(section: Section, body: str, bases: dict[str, str]) -> Iterator[FormText]:
    """Yield the forms in a list; a line of edits holds one for each choice."""
    for part in PARTS.finditer(body):
        if fence := FENCE.fullmatch(part[0]):
            yield FormText(fence[1] or "", fence[2])
            continue
        line = LINE.fullmatch(one_line(part[0])) or section.fail(
            f"a fence, ```python, or '- ', '- shown: ' or '- tried: ', and {NOTATION}"
        )
        kind, function, edits = line.groups(default="")
        if function:
            yield FormText(kind, function=function)
            continue
        try:
            family = read_family(edits)
            for edit in family.edits:
                source = edited(bases[family.base], edit)
                yield FormText(kind, source, () if family.base else edit)
        except KeyError:
            section.fail(f"a name of 'Also right', got {family.base!r}")
        except ValueError as error:
            raise ValueError(f"{section.path}: {section.heading!r}: {error}") from None


def one_line(paragraph: str) -> str:
    """Join the lines of a paragraph."""
    return " ".join(line.strip() for line in paragraph.strip().splitlines())
