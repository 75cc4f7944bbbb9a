"""The exercises of the course, by slug: each from its code and the text beside it."""

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path

from bottomup.checks import shown
from bottomup.exercises.engine.exercise import Answers, Exercise, Misconception
from bottomup.exercises.engine.texts import read_text
from bottomup.i18n import _

ROOM = Path(__file__).parents[1]
# one folder a chapter, named like the notebook without its number
CHAPTERS = (
    "warm_up",
    "attention",
    "local_and_hard_attention",
    "self_attention",
    "intra_attention",
    "multi_head_attention",
    "mlp_and_superposition",
    "encoder_decoder",
    "decoding",
    "sparse_transformers",
    "representation_analysis",
    "circuits",
    "after_2017",
    "decoder_of_today",
    "clinic",
)


@cache
def places() -> dict[str, str]:
    """Return the folder of every exercise by its slug, in the order of the book; it loads none."""
    rooms = {folder: import_module(f"bottomup.exercises.{folder}") for folder in CHAPTERS}
    return {slug: folder for folder, room in rooms.items() for slug in room.EXERCISES}


def find(slug: str) -> Exercise:
    """Return the exercise of that slug, and load no other."""
    if not isinstance(slug, str) or slug not in places():
        got = shown(slug)
        names = get_close_matches(got.strip("'"), places(), n=3) or places()
        listed = ", ".join(repr(name) for name in names)
        raise ValueError(f"slug: expected an exercise such as {listed}, got {got}")
    return _find(slug)


@cache
def _find(slug: str) -> Exercise:
    room = import_module(f"bottomup.exercises.{places()[slug]}")
    code = import_module(f"{room.__name__}.{file_stem(slug)}")
    return assemble(slug, room.NUMBER, text_file(places()[slug], slug), code.ANSWERS)


def catalog() -> dict[str, Exercise]:
    """Return every exercise by its slug, in the order of the book; it loads them all."""
    return {slug: find(slug) for slug in places()}


def file_stem(slug: str) -> str:
    """Return the name that the files of an exercise have, without .py and .md."""
    return slug.replace("-", "_")


def text_file(folder: str, slug: str) -> Path:
    """Return the Markdown file of an exercise."""
    return ROOM / folder / f"{file_stem(slug)}.md"


def assemble(slug: str, chapter: str, path: Path, answers: Answers) -> Exercise:
    """Join the code of an exercise with its text, in the reader's language.

    Raises:
        ValueError: a mistake stands in one of them only.
    """
    text = read_text(path)
    named = {mistake.slug for mistake in answers.mistakes}
    for mistake in sorted(named - set(text.mistakes)):
        raise ValueError(f"{path}: '## Mistakes': expected '### {mistake}', as in the code")
    for mistake in sorted(set(text.mistakes) - named):
        raise ValueError(f"{path}: '### {mistake}': expected a mistake of the code, got none")
    return Exercise(
        slug=slug,
        title=_(text.title),
        chapter=chapter,
        difficulty=text.difficulty,
        importance=text.importance,
        minutes=text.minutes,
        stub=text.stub,
        hints=tuple(_(hint) for hint in text.hints),
        solution=answers.solution,
        alternatives=answers.alternatives,
        misconceptions=tuple(
            Misconception(
                slug=mistake.slug,
                wrong=mistake.wrong,
                diagnosis=_(text.mistakes[mistake.slug].text),
                see=_(text.mistakes[mistake.slug].see),
                variants=mistake.variants,
                case=mistake.case,
            )
            for mistake in answers.mistakes
        ),
        cases=answers.cases,
        run=answers.run,
        compare=answers.compare,
        test_minutes=text.test.minutes if text.test else 0,
    )
