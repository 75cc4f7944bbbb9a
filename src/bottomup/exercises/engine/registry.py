"""The exercises of the course, by slug: each from its code and the text beside it."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from bottomup.checks import shown
from bottomup.exercises.engine.exercise import (
    Exercise,
    Form,
    Kind,
    Mistake,
    call_with_inputs,
    compare_values,
    defined_last,
)
from bottomup.exercises.engine.shelf import shelf
from bottomup.exercises.engine.source import run
from bottomup.exercises.engine.texts import FormText, read_text
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
    "pretrained",
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
    cases = import_module(f"{room.__name__}.{file_stem(slug)}.cases")
    return assemble(slug, room.NUMBER, text_file(places()[slug], slug), cases)


def catalog() -> dict[str, Exercise]:
    """Return every exercise by its slug, in the order of the book; it loads them all."""
    return {slug: find(slug) for slug in places()}


def file_stem(slug: str) -> str:
    """Return the name of an exercise's folder."""
    return slug.replace("-", "_")


def text_file(folder: str, slug: str) -> Path:
    """Return the Markdown file of an exercise."""
    return ROOM / folder / file_stem(slug) / "text.md"


def assemble(slug: str, chapter: str, path: Path, code: Any) -> Exercise:
    """Join the text of an exercise, in the reader's language, with its cases.

    Args:
        slug: the exercise.
        chapter: its number.
        path: the text.
        code: the module with `CASES`, with functions that the text names, and perhaps with `run`
            and `compare`, and `WITHOUT`, names of cases of the shelf.

    Raises:
        ValueError: the text is written otherwise, or a source or a function is not there.
    """
    text = read_text(path)
    name = defined_last(text.stub)

    def answer(source: str, label: str) -> Any:
        try:
            return run(source, name, f"{slug}, {label}")
        except Exception as error:
            raise ValueError(
                f"{path}: expected {name} in {label}, got {error!r}:\n{source}"
            ) from error

    def forms(texts: Iterable[FormText], label: str) -> Iterator[Form]:
        for number, each in enumerate(texts):
            if each.source:
                made = answer(each.source, f"{label} {number}")
                yield Form(made, each.edit, cast(Kind, each.kind), each.source)
                continue
            built = getattr(code, each.function, None)
            if built is None:
                raise ValueError(f"{path}: {label}: expected {each.function} beside the cases")
            for function in built if isinstance(built, tuple) else (built,):
                yield Form(function, kind=cast(Kind, each.kind))

    cases = (*code.CASES, *shelf(code.CASES, text.stub, getattr(code, "WITHOUT", {})))
    names = {case.name for case in cases}
    for mistake, about in text.mistakes.items():
        if about.case and _(about.case) not in names:
            raise ValueError(
                f"{path}: {mistake}: expected a case such as {names}, got {about.case!r}"
            )
    right = tuple(forms(text.right, "also right"))
    return Exercise(
        slug=slug,
        title=_(text.title),
        chapter=chapter,
        difficulty=text.difficulty,
        importance=text.importance,
        minutes=text.minutes,
        stub=text.stub,
        hints=tuple(_(hint) for hint in text.hints),
        source=text.solution,
        solution=answer(text.solution, "solution"),
        alternatives=tuple(form.answer for form in right if form.kind != "tried"),
        mistakes=tuple(
            Mistake(
                slug=mistake,
                diagnosis=_(about.text),
                see=_(about.see),
                forms=tuple(forms(about.forms, mistake)),
                case=_(about.case) if about.case else "",
            )
            for mistake, about in text.mistakes.items()
        ),
        cases=cases,
        run=getattr(code, "run", call_with_inputs),
        compare=getattr(code, "compare", compare_values),
        test_minutes=text.test.minutes if text.test else 0,
        tests=text.test.sources if text.test else {},
        also_right=tuple(form.answer for form in right if form.kind == "tried"),
        also_wrong=tuple(form.answer for form in forms(text.wrong, "also wrong")),
    )
