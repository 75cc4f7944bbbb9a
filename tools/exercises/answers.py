"""Every answer that the course knows, with a name."""

from collections.abc import Iterator
from typing import Any

from bottomup.exercises import Exercise


def answers(exercise: Exercise) -> Iterator[tuple[str, Any]]:
    """Yield every answer that an exercise holds, with a name that stays when its code moves."""
    yield "solution", exercise.solution
    for number, answer in enumerate(exercise.alternatives):
        yield f"alternative {number}", answer
    for mistake in exercise.mistakes:
        for number, answer in enumerate(mistake.answers):
            yield f"{mistake.slug} {number}", answer
        for number, form in enumerate(form for form in mistake.forms if form.kind == "tried"):
            yield f"{mistake.slug} tried {number}", form.answer
    for number, answer in enumerate(exercise.also_right):
        yield f"also right {number}", answer
    for number, answer in enumerate(exercise.also_wrong):
        yield f"also wrong {number}", answer
