"""Hints one at a time, and the solution's source."""

from dataclasses import dataclass

from bottomup.exercises.engine.registry import find
from bottomup.i18n import _

_shown: dict[str, int] = {}  # hints given so far in this process, by slug


@dataclass(frozen=True, repr=False)
class Text:
    """Markdown for a notebook, the same words in a terminal."""

    plain: str
    markdown: str

    def __repr__(self) -> str:
        return self.plain

    def _repr_markdown_(self) -> str:
        return self.markdown


def hint(slug: str, *, number: int | None = None) -> Text:
    """Return the next hint for an exercise: each call goes one further, and the last one stays.

    Args:
        slug: the exercise.
        number: which hint, counted from 1, instead of the next one.
    """
    hints = find(slug).hints
    if number is None:
        number = min(_shown.get(slug, 0) + 1, len(hints))
        _shown[slug] = number
    if number not in range(1, len(hints) + 1):
        raise ValueError(f"number: expected a number from 1 to {len(hints)}, got {number!r}")
    label = _("Hint {number} of {count}").format(number=number, count=len(hints))
    text = hints[number - 1]
    if number == len(hints):
        text += "\n\n" + _('That was the last hint. solution("{slug}") shows one answer.').format(
            slug=slug
        )
    return Text(f"{label}: {text}", f"**{label}.** {text}")


def solution(slug: str) -> Text:
    """Return the source of one right answer; a notebook highlights it."""
    source = find(slug).source.rstrip()
    return Text(source, f"```python\n{source}\n```")
