"""The text of an exercise: how it is read, what is said of one that is written otherwise."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from bottomup import i18n
from bottomup.exercises import Case
from bottomup.exercises.engine.registry import CHAPTERS, ROOM, assemble, catalog, file_stem
from bottomup.exercises.engine.texts import FormText, TestText, read_text

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

## Solution

```python
def double(x):
    return 2 * x
```

## Also right

- tried: `2 * x` → `x * 2`

### with-a-sum

```python
def double(x):
    return x + x
```

## Mistakes

See: Parts

### square

See: Powers of `x`

That is the square.
It grows.

- shown: `2` → `x`
- in with-a-sum: `+` → `*`

### x-halved

Case: two

That is the half.

- `2 * x` → `x / 2` or `0.5 * x`,
  and `x):` → itself
- `quarters`

```python tried
def double(x):
    half = x / 2
    return half
```

## Also wrong

- `2` → `3`
'''
CODE = SimpleNamespace(
    CASES=(Case("two", lambda generator: {"x": 2.0}),),
    quarters=(lambda x: x / 4, lambda x: x / 16),
)
HALF = "def double(x):\n    half = x / 2\n    return half\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "text.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_every_part_is_read(path: Path):
    text = read_text(path)
    assert (text.title, text.difficulty, text.importance, text.minutes) == ("Double", 2, 4, 15)
    assert text.statement == "Write it.\n\n- Once more."
    assert text.stub == ('def double(x):\n    """Return twice x."""\n    # two steps\n    ...\n')
    assert text.hints == ("Add.", "Add x to x.")
    assert text.solution == "def double(x):\n    return 2 * x\n"
    assert [form.kind for form in text.right] == ["", "tried"]
    square, halved = text.mistakes.values()
    assert (square.text, square.see) == ("That is the square. It grows.", "Powers of `x`")
    assert (halved.text, halved.see, halved.case) == ("That is the half.", "Parts", "two")


def test_the_forms_of_a_mistake_are_edits_functions_and_whole_answers(path: Path):
    square, halved = read_text(path).mistakes.values()
    shown, in_the_sum = square.forms
    assert (shown.kind, shown.source) == ("shown", "def double(x):\n    return x * x\n")
    assert in_the_sum == FormText(
        "", "def double(x):\n    return x * x\n"
    )  # no edit of the solution
    half, other, quarters, tried = halved.forms
    assert [str(change) for change in half.edit] == ["'2 * x' -> 'x / 2'"]
    assert other.source == "def double(x):\n    return 0.5 * x\n"
    assert quarters == FormText("", function="quarters")
    assert tried == FormText("tried", HALF)


@pytest.mark.parametrize(
    "before, after, message",
    [
        ("# Double\n", "", "expected the heading '# Title', got '\\*Difficulty"),
        ("## Stub", "## Stubs", "expected the heading '## Stub', got '## Stubs'"),
        ("## Also right", "## Right", "expected the heading '## Also right', got '## Right'"),
        (
            TEXT[TEXT.index("## Mistakes") :],
            "",
            "expected the heading '## Mistakes', got 'nothing'",
        ),
        ("4 of 5", "four of 5", r"'# Double': expected '\*Difficulty 2, importance 3 of 5"),
        ("```python", "```", "'## Stub': expected a fence, ```python"),
        ("2. Add x", "3. Add x", "'## Hints': expected a list numbered 1., 2., 3."),
        ("### square", "### A square", "'### A square': expected a mistake's slug as heading"),
        ("### x-halved", "### square", "'### square': expected each mistake once"),
        ("See: Parts\n", "", "'## Mistakes': expected 'See: ' with a section's heading"),
        ("That is the half.", "One.\n\nTwo.", "'### x-halved': expected a fence, ```python, or"),
        ("## Mistakes\n", "## Mistakes\n\nSome.\n", "'## Mistakes': expected 'See: '"),
        ("shown: `2`", "shown: 2", "'### square': expected places such as"),
        ("`2` → `x`", "`3` → `x`", "'### square': expected '3' once, got it 0 times"),
        (
            "- shown: `2` → `x`\n- in with-a-sum: `+` → `*`\n",
            "",
            "'### square': expected a blank line below the paragraph, and",
        ),
    ],
)
def test_what_is_written_otherwise_is_an_error_that_names_file_heading_and_expectation(
    path: Path, before: str, after: str, message: str
):
    assert before in TEXT
    path.write_text(TEXT.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=f"text.md: {message}"):
        read_text(path)


def test_text_and_cases_make_an_exercise(path: Path):
    exercise = assemble("double-it", "01b", path, CODE)
    assert (exercise.slug, exercise.chapter, exercise.title) == ("double-it", "01b", "Double")
    assert exercise.check_line == 'check("double-it", double)'
    assert (exercise.solution(3), exercise.source) == (6, "def double(x):\n    return 2 * x\n")
    assert [answer(3) for answer in (*exercise.alternatives, *exercise.also_right)] == [6, 6]
    assert [answer(3) for answer in exercise.also_wrong] == [9]
    square, halved = exercise.mistakes
    assert (halved.slug, halved.case, halved.see) == ("x-halved", "two", "Parts")
    assert [answer(8) for answer in square.answers] == [64, 64]
    assert [answer(8) for answer in halved.answers] == [4, 4, 2, 0.5]  # the one that is tried aside
    assert [form.kind for form in halved.forms] == ["", "", "", "", "tried"]


@pytest.mark.parametrize(
    "before, after, message",
    [
        ("- `quarters`", "- `thirds`", "x-halved: expected thirds beside the cases"),
        ("def double(x):\n    half", "def half(x):\n    half", "expected double in x-halved 3"),
    ],
)
def test_a_source_or_a_function_that_is_not_there_is_an_error(
    path: Path, before: str, after: str, message: str
):
    path.write_text(TEXT.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        assemble("double", "01", path, CODE)


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
    exercise = assemble("double", "01", path, CODE)
    assert (exercise.title, *exercise.hints) == ("Double", "Add.", "Adiciu x al x.")
    square, halved = exercise.mistakes
    assert (halved.see, halved.case, halved.diagnosis) == ("Partoj", "two", "That is the half.")
    assert square.diagnosis == "Tio estas la kvadrato."


def test_a_test_has_minutes_sentences_and_three_answers_and_may_be_missing(path: Path):
    assert read_text(path).test is None
    assert assemble("double", "00", path, CODE).test_minutes == 0
    fence = "### {}\n\n```python\ndef test_double(double):\n    assert double({}) == {}\n```\n\n"
    fences = "".join(
        fence.format(name, n, 2 * n) for n, name in enumerate(("weak", "typical", "strong"))
    )
    before, after = TEXT.split("## Mistakes")
    test = f"## Test\n\n*8 minutes.* Negative ones too.\n\n{fences}"
    path.write_text(f"{before}{test}## Mistakes{after}", encoding="utf-8")
    read = read_text(path).test
    assert isinstance(read, TestText)
    assert (read.minutes, read.statement) == (8, "Negative ones too.")
    assert [*read.sources] == ["weak", "typical", "strong"]
    assert read.sources["strong"].endswith("assert double(2) == 4\n")
    exercise = assemble("double", "00", path, CODE)
    assert exercise.test_minutes == 8
    assert exercise.test_stub.startswith("def test_double(double):\n")
    assert exercise.catch_line == 'catch("double", test_double)'
    path.write_text(f"{before}{test.replace('*8 minutes.*', 'Soon.')}## Mistakes{after}", "utf-8")
    with pytest.raises(ValueError, match="'## Test': expected '.10 minutes.*' and two sentences"):
        read_text(path)
    path.write_text(f"{before}{test.replace('### strong', '### hard')}## Mistakes{after}", "utf-8")
    with pytest.raises(ValueError, match="'## Test': expected the headings ### weak, ### typical"):
        read_text(path)


def test_every_text_belongs_to_an_exercise_of_the_catalog():
    found = {text.parent.name for folder in CHAPTERS for text in ROOM.glob(f"{folder}/*/text.md")}
    assert found == {file_stem(slug) for slug in catalog()}
