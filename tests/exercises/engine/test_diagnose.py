import torch

from bottomup.exercises import Case, Exercise
from bottomup.exercises.engine.diagnose import diagnose, run_on_all
from tests.exercises.toy import DOUBLE, mistake


def named(answer, exercise: Exercise = DOUBLE) -> str | None:
    found = diagnose(exercise, run_on_all(exercise, answer))
    return found.mistake.slug if found else None


def with_(**fields) -> Exercise:
    return Exercise(**{**vars(DOUBLE), **fields})


def fail(x):
    raise RuntimeError


def test_an_answer_is_named_by_its_values_not_by_its_text():
    assert named(lambda x: torch.exp(2 * torch.log(x.abs()))) == "square"
    assert named(lambda x: 0.5 * x) == "half"


def test_a_variant_is_named_as_its_mistake():
    assert named(lambda x: x + 1) == "none"


def test_another_mistake_is_not_named():
    assert named(lambda x: 3 * x) is None
    assert named(fail) is None


def test_a_mistake_on_one_of_the_separating_cases_is_not_enough():
    assert named(lambda x: x * x if len(x) == 2 else 3 * x) is None


def test_a_case_on_which_all_agree_does_not_count():
    zeros = Case("zeros", lambda generator: {"x": torch.zeros(3)})
    only = (mistake("square", lambda x: x * x),)
    exercise = with_(cases=(*DOUBLE.cases, zeros), mistakes=only)
    assert named(lambda x: x * x + 5 * (x == 0).all(), exercise) == "square"


def test_a_case_that_separates_two_mistakes_counts_though_one_is_right_there():
    twos = Case("twos", lambda generator: {"x": torch.full((3,), 2.0)})  # 2 + 2 = 2 * 2 = 2 ** 2
    exercise = with_(cases=(*DOUBLE.cases, twos))
    assert named(lambda x: x * x, exercise) == "square"
    assert named(lambda x: x / 2 if (x == 2).all() else x * x, exercise) is None


def test_what_happens_on_a_case_of_the_shelf_changes_no_name():
    columns = Case("columns", lambda generator: {"x": torch.ones(2, 3).T}, own=False)
    exercise = with_(cases=(*DOUBLE.cases, columns))
    assert named(lambda x: x.view(-1).pow(2).view(x.shape), exercise) == "square"
    assert named(lambda x: 2 * x if x.ndim == 1 else x * x, exercise) is None


def test_crashing_alike_is_not_enough_without_a_wrong_value_in_common():
    crash = mistake("crash", fail)
    exercise = with_(mistakes=(*DOUBLE.mistakes, crash))
    assert named(fail, exercise) is None


def test_a_mistake_that_crashes_on_a_case_is_named_with_its_wrong_values():
    def only_pairs(x):
        return (x @ torch.ones(2, 2)) if len(x) == 2 else fail(x)

    mixed = mistake("mixed", only_pairs)
    exercise = with_(mistakes=(*DOUBLE.mistakes, mixed))
    assert named(only_pairs, exercise) == "mixed"
    assert named(lambda x: x @ torch.ones(2, 2), exercise) == "mixed"
    assert named(lambda x: x.sum().repeat(len(x)), exercise) is None  # no crash elsewhere
