"""The text of an exercise: how it is read, what is said of one that is written otherwise."""

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from markdown_it import MarkdownIt

from bottomup import i18n
from bottomup.exercises.engine import Answers, Case, Mistake
from bottomup.exercises.engine.registry import CHAPTERS, ROOM, assemble, catalog
from bottomup.exercises.engine.texts import Diagnosis, TestText, read_text

TEXT = '''\
# Double

*Difficulty 2, importance 4 of 5, 15 minutes.* Write it.

- Once more.

## Stub

```python
def double(x):
    """Return twice x."""
    # two steps
    ...
```

## Hints

1. Add.
2. Add x
   to x.

## Mistakes

### square

See: Powers of `x`

That is the square.
It grows.

### x-halved

See: Parts

That is the half.
'''
ANSWERS = Answers(
    solution=lambda x: 2 * x,
    alternatives=(),
    mistakes=(Mistake("x-halved", lambda x: x / 2, case="two"), Mistake("square", lambda x: x**2)),
    cases=(Case("two", lambda generator: {"x": 2.0}),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "double.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_every_part_is_read(path: Path):
    text = read_text(path)
    assert (text.title, text.difficulty, text.importance, text.minutes) == ("Double", 2, 4, 15)
    assert text.statement == "Write it.\n\n- Once more."
    assert text.stub == ('def double(x):\n    """Return twice x."""\n    # two steps\n    ...\n')
    assert text.hints == ("Add.", "Add x to x.")
    assert text.mistakes == {
        "square": Diagnosis("That is the square. It grows.", "Powers of `x`"),
        "x-halved": Diagnosis("That is the half.", "Parts"),
    }


@pytest.mark.parametrize(
    "before, after, message",
    [
        ("# Double\n", "", "expected the heading '# Title', got '\\*Difficulty"),
        ("## Stub", "## Stubs", "expected the heading '## Stub', got '## Stubs'"),
        ("## Hints", "### Hints", "expected the heading '## Hints', got '### Hints'"),
        (
            TEXT[TEXT.index("## Mistakes") :],
            "",
            "expected the heading '## Mistakes', got 'nothing'",
        ),
        ("4 of 5", "four of 5", r"'# Double': expected '\*Difficulty 2, importance 3 of 5"),
        ("```python", "```", "'## Stub': expected a fence, ```python"),
        ("2. Add x", "3. Add x", "'## Hints': expected a list numbered 1., 2., 3."),
        ("1. Add", "Add", "'## Hints': expected a list numbered"),
        ("### square", "### A square", "'### A square': expected a mistake's slug as heading"),
        ("### x-halved", "### square", "'### square': expected each mistake once"),
        ("See: Parts\n", "", "'### x-halved': expected 'See: ' with a section's heading"),
        ("That is the half.", "One.\n\nTwo.", "'### x-halved': expected 'See: ' .* one paragraph"),
        ("## Mistakes\n", "## Mistakes\n\nSome.\n", "'## Mistakes': expected a heading such as"),
    ],
)
def test_what_is_written_otherwise_is_an_error_that_names_file_heading_and_expectation(
    path: Path, before: str, after: str, message: str
):
    assert before in TEXT
    path.write_text(TEXT.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=f"double.md: {message}"):
        read_text(path)


def test_code_and_text_are_joined_in_the_order_of_the_code(path: Path):
    exercise = assemble("double-it", "01b", path, ANSWERS)
    assert (exercise.slug, exercise.chapter, exercise.title) == ("double-it", "01b", "Double")
    assert exercise.check_line == 'check("double-it", double)'
    first, second = exercise.misconceptions
    assert (first.slug, first.case, first.see) == ("x-halved", "two", "Parts")
    assert (second.slug, second.wrong(3), second.diagnosis) == (
        "square",
        9,
        "That is the square. It grows.",
    )


def test_a_mistake_of_the_code_without_a_text_is_an_error(path: Path):
    path.write_text(TEXT.replace("### square", "### cube"), encoding="utf-8")
    with pytest.raises(ValueError, match="double.md: '## Mistakes': expected '### square', as in"):
        assemble("double", "01", path, ANSWERS)


def test_a_text_without_a_mistake_of_the_code_is_an_error(path: Path):
    path.write_text(f"{TEXT}\n### cube\n\nSee: Powers\n\nThat is the cube.\n", encoding="utf-8")
    with pytest.raises(ValueError, match="double.md: '### cube': expected a mistake of the code"):
        assemble("double", "01", path, ANSWERS)


def test_a_text_is_translated_block_by_block(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    catalogue = Catalog(locale="eo", domain="bottomup")
    catalogue.add("That is the square. It grows.", "Tio estas la kvadrato.")
    catalogue.add("Parts", "Partoj")
    catalogue.add("Add x to x.", "Adiciu x al x.")
    folder = tmp_path / "qab" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "bottomup.po").open("wb") as file:
        write_po(file, catalogue, omit_header=True)
    monkeypatch.setattr(i18n, "LOCALE_DIR", tmp_path)
    monkeypatch.setenv("BOTTOMUP_LANGUAGE", "qab")
    exercise = assemble("double", "01", path, ANSWERS)
    assert (exercise.title, *exercise.hints) == ("Double", "Add.", "Adiciu x al x.")
    halved, square = exercise.misconceptions
    assert (halved.see, halved.diagnosis) == ("Partoj", "That is the half.")
    assert square.diagnosis == "Tio estas la kvadrato."


# ---- The course's texts


def test_a_test_has_minutes_and_sentences_and_may_be_missing(path: Path):
    assert read_text(path).test is None
    assert assemble("double", "00", path, ANSWERS).test_minutes == 0
    before, after = TEXT.split("## Mistakes")
    path.write_text(
        f"{before}## Test\n\n*8 minutes.* Negative ones too.\n\n## Mistakes{after}",
        encoding="utf-8",
    )
    assert read_text(path).test == TestText(8, "Negative ones too.")
    exercise = assemble("double", "00", path, ANSWERS)
    assert exercise.test_minutes == 8
    assert exercise.test_stub.startswith("def test_double(double):\n")
    assert exercise.catch_line == 'catch("double", test_double)'
    path.write_text(f"{before}## Test\n\nSoon.\n\n## Mistakes{after}", encoding="utf-8")
    with pytest.raises(ValueError, match="'## Test': expected '.10 minutes.*' and two sentences"):
        read_text(path)


def test_every_text_belongs_to_an_exercise_of_the_catalog():
    found = {
        path.stem.replace("_", "-") for folder in CHAPTERS for path in (ROOM / folder).glob("*.md")
    }
    assert found == set(catalog())


@pytest.mark.parametrize("slug", catalog())
def test_a_report_shows_a_text_as_a_page_does_since_only_code_is_marked_up(slug: str):
    exercise = catalog()[slug]
    texts = [*exercise.hints, *(each.diagnosis for each in exercise.misconceptions)]
    marks = {
        token.type
        for text in texts
        for block in MarkdownIt("commonmark").parse(text)
        for token in (block, *(block.children or ()))
    }
    assert marks <= {"paragraph_open", "inline", "paragraph_close", "text", "code_inline"}
