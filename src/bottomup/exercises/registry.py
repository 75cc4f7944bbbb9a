"""All exercises of the course, by slug."""

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from bottomup.exercises.exercise import Exercise

# one module a chapter, named like the notebook without its number; each has a tuple EXERCISES
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
)


@cache
def catalog() -> dict[str, Exercise]:
    """Return every exercise by its slug, in the order of the book."""
    exercises: dict[str, Exercise] = {}
    for chapter in CHAPTERS:
        for exercise in import_module(f"bottomup.exercises.{chapter}").EXERCISES:
            if exercise.slug in exercises:
                raise ValueError(f"exercises: the slug {exercise.slug!r} is used twice")
            exercises[exercise.slug] = exercise
    return exercises


def find(slug: str) -> Exercise:
    """Return the exercise of that slug."""
    exercises = catalog()
    if slug in exercises:
        return exercises[slug]
    names = get_close_matches(str(slug), exercises, n=3) or list(exercises)
    listed = ", ".join(repr(name) for name in names)
    raise ValueError(f"slug: expected an exercise such as {listed}, got {slug!r}")
