"""The text of an exercise: a Markdown file beside its code.

It holds a title; difficulty, importance, minutes and statement; and the sections Stub (a Python
fence), Hints (a numbered list) and Mistakes. Where the chapter also asks for a test, a section Test
before the mistakes has its minutes and says in two sentences what makes one hard. A mistake is a
heading with its slug, a line ``See: `` with the heading of the section that explains it, and the
diagnosis.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

HEADINGS = ("# Title", "## Stub", "## Hints", "## Mistakes")  # the mistakes follow, with ###
STATEMENT = re.compile(
    r"\*Difficulty (\d), importance (\d) of 5, (\d+) minutes\.\* (.+)", re.DOTALL
)
TEST = re.compile(r"\*(\d+) minutes\.\* (.+)", re.DOTALL)
STUB = re.compile(r"```python\n(.+\n)```", re.DOTALL)
SLUG = re.compile(r"### ([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)")
DIAGNOSIS = re.compile(r"See: (.+)\n\n(.+(?:\n.+)*)")


@dataclass(frozen=True)
class Diagnosis:
    """What is said about a mistake, and the heading of the section that explains it."""

    text: str
    see: str


@dataclass(frozen=True)
class TestText:
    """What is said above the stub of a test, in Markdown, and how long it takes to write one."""

    __test__ = False  # no test of pytest's

    minutes: int
    statement: str


@dataclass(frozen=True)
class ExerciseText:
    """All that a reader reads of an exercise, in English; the statement is Markdown."""

    title: str
    difficulty: int
    importance: int
    minutes: int
    statement: str
    stub: str
    hints: tuple[str, ...]
    mistakes: dict[str, Diagnosis]
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
    found = sections(path)
    tests = [each for each in found[:-1] if each.heading == "## Test"]
    found = [each for each in found if each not in tests]
    headings = [section.heading for section in found] + ["nothing"] * len(HEADINGS)
    for heading, expected in zip(headings, HEADINGS, strict=False):
        if heading != expected and not (expected == "# Title" and heading.startswith("# ")):
            raise ValueError(f"{path}: expected the heading {expected!r}, got {heading!r}")
    title, stub, hints, mistakes, *diagnoses = found
    if mistakes.body:
        mistakes.fail("a heading such as '### a-mistake'")
    about = title.read(
        STATEMENT, "'*Difficulty 2, importance 3 of 5, 15 minutes.*' and the statement"
    )
    return ExerciseText(
        title=title.heading.removeprefix("# "),
        difficulty=int(about[1]),
        importance=int(about[2]),
        minutes=int(about[3]),
        statement=about[4],
        stub=stub.read(STUB, "a fence, ```python, with the stub")[1],
        hints=read_hints(hints),
        mistakes=read_mistakes(diagnoses),
        test=read_test(tests[0]) if tests else None,
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


def read_hints(section: Section) -> tuple[str, ...]:
    """Return the items of a numbered list."""
    before, *parts = re.split(r"^(\d+)\. ", section.body, flags=re.MULTILINE)
    numbers, hints = parts[::2], parts[1::2]
    if before or not hints or numbers != [str(n) for n, _hint in enumerate(hints, 1)]:
        section.fail("a list numbered 1., 2., 3.")
    return tuple(map(one_line, hints))


def read_test(section: Section) -> TestText:
    """Return the minutes and the sentences of a test."""
    found = section.read(TEST, "'*10 minutes.*' and two sentences")
    return TestText(int(found[1]), found[2])


def read_mistakes(found: list[Section]) -> dict[str, Diagnosis]:
    """Return the diagnoses by slug."""
    mistakes: dict[str, Diagnosis] = {}
    for section in found:
        slug = SLUG.fullmatch(section.heading)
        if slug is None:
            section.fail("a mistake's slug as heading, such as '### a-mistake'")
        if slug[1] in mistakes:
            section.fail("each mistake once")
        see, text = section.read(
            DIAGNOSIS, "'See: ' with a section's heading, an empty line, and one paragraph"
        ).groups()
        mistakes[slug[1]] = Diagnosis(one_line(text), see)
    return mistakes


def one_line(paragraph: str) -> str:
    """Join the lines of a paragraph."""
    return " ".join(line.strip() for line in paragraph.strip().splitlines())
