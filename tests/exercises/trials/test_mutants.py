"""The cases of an exercise notice almost every small change to its solution."""

import pytest

from bottomup.exercises import catalog
from tests.exercises.trials.mutant_worker import survivors
from tools.exercises.mutants import mutants

AT_LEAST = 15
SHARE_OF_SURVIVORS = 0.05
LONGEST = 15  # lines of a reference solution
# More mutants compute the same here: of a tensor of two axes the last one is axis 1, what is
# squared has any sign, A B and B A share their eigenvalues.
SURVIVORS = {
    "lin-penalty": 2,
    "whitening": 3,
    "copying-score": 2,
    "prefix-matching-score": 4,
    "two-stream-masks": 5,
    "recounted-loss": 2,
    "neighbour-in-the-batch": 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("slug", catalog())
def test_the_cases_reject_mutants_of_the_solution(slug: str):
    exercise = catalog()[slug]
    candidates = mutants(exercise.source)
    alive = [mutant.change for mutant in survivors(slug, exercise.answer_name, candidates)]
    allowed = max(SHARE_OF_SURVIVORS * len(candidates), SURVIVORS.get(slug, 0))
    assert len(exercise.source.splitlines()) <= LONGEST
    assert len(candidates) >= AT_LEAST
    assert len(alive) <= allowed, alive


def changes(source: str) -> set[str]:
    return {mutant.change for mutant in mutants(source)}


@pytest.mark.parametrize(
    "source, change",
    [
        ("x = a + b", "x = a - b"),
        ("x = a - b", "x = b - a"),
        ("x = a @ b", "x = a"),
        ("x = a & b", "x = a | b"),
        ("x = a < b", "x = a <= b"),
        ("x = a in b", "x = a not in b"),
        ("x = f(2)", "x = f(3)"),
        ("x = f(2)", "x = f(0)"),
        ("x = f(True)", "x = f(False)"),
        ("x = -a", "x = a"),
        ("x = ~a", "x = a"),
        ("x = f(a, b)", "x = f(b, a)"),
        ("x = f(a, b)", "x = f(b)"),
        ("x = f(a)", "x = f(-a)"),
        ("x = f(a, dim=1)", "x = f(a)"),
        ("x = a.f(b)", "x = a"),
        ("x = f(a)", "x = a"),
        ("x = a.T", "x = a"),
        ("x = a[:, None]", "x = a[None, :]"),
        ("x = a[0]", "x = a"),
        ("x = a if b else c", "x = a if not b else c"),
        ("x += 1", "x -= 1"),
        ("x += 1", "x = 1"),
        ("x = 1", "pass"),
    ],
)
def test_a_mutant_has_one_thing_wrong(source: str, change: str):
    assert f"0: {source} -> {change}" in changes(source)


def test_every_mutant_is_made_once_and_differs():
    made = mutants("def f(a: int, b: int) -> int:\n    return a + 1 + b\n")
    texts = [mutant.source for mutant in made]
    assert len(set(texts)) == len(texts) >= 10
    assert "def f(a, b):\n    return a + 1 + b" not in texts
