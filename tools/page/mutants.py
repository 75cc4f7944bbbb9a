"""Automatic edits of every right answer, of which nobody has thought, under torch and in the page.

A wrong answer that the page passes and torch does not is the worst fault there is.
"""

from collections.abc import Iterator, Sequence
from random import Random

from bottomup.exercises.engine.registry import places, text_file
from bottomup.exercises.engine.texts import read_text
from tools.exercises.mutants import mutants
from tools.page.compared import Job, Said, compared

OF_AN_EXERCISE = 40  # of its edits, drawn by its name


def edited(slugs: Sequence[str] = (), count: int = OF_AN_EXERCISE) -> Iterator[Job]:
    """Yield edits of the right answers to some exercises, or to all."""
    for slug in slugs or places():
        text = read_text(text_file(places()[slug], slug))
        right = [text.solution, *(form.source for form in text.right if form.source)]
        made = sorted({mutant.source for source in right for mutant in mutants(source)})
        for source in Random(slug).sample(made, min(count, len(made))):
            yield {"slug": slug, "text": source}


def judged_otherwise(
    slugs: Sequence[str] = (), count: int = OF_AN_EXERCISE
) -> Iterator[tuple[Job, Said, Said]]:
    """Yield the edits with another verdict or mistake in the page, those that pass there first."""
    found = [
        (job, torch, small)
        for job, torch, small in compared("mutants", edited(slugs, count))
        if (torch["verdict"], torch["mistake"]) != (small["verdict"], small["mistake"])
        and "died" not in (torch["verdict"], small["verdict"])
    ]
    yield from sorted(found, key=lambda each: not is_false_pass(*each))


def is_false_pass(_job: Job, torch: Said, small: Said) -> bool:
    """Say whether the page passes what torch does not."""
    return bool(small["verdict"] == "passed" != torch["verdict"])
