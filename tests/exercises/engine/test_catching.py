"""A reader's test on right and wrong answers: its score, and that nothing but a test scores.

The tests that are run here are a reader's: PYTEST_DONT_REWRITE their assertions.
"""

import ast
import functools
import inspect
import random
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

import bottomup.exercises
from bottomup.exercises import catalog, catch, solution
from bottomup.exercises.engine.catching import examine_test
from bottomup.exercises.engine.registry import find
from bottomup.exercises.engine.runner import expected_values
from tests.exercises.toy import DOUBLE, mistake

seen: list[object] = []
count = 0


def strong(double):
    x = torch.tensor([3.0, -1.0])
    assert torch.equal(double(x), 2 * x)


def weak(double):
    assert double(torch.tensor([2.0])) == 4


def wrong(double):
    x = torch.tensor([2.0, 3.0])
    assert double(x)[1] == 9, "three squared"


def of_one_form(double):
    assert double(torch.tensor([5.0])) in (10, 25, 2.5, 6)


def crashing(double):
    x = double(torch.tensor([3.0, -1.0]))
    [4.0, 6.0][x.tolist().index(6)]


def quiet(double):
    try:
        double(torch.zeros(1))
    except AttributeError:
        return


def hang():
    while True:
        pass


def test_a_strong_test_catches_every_form():
    report = examine_test(DOUBLE, strong)
    assert report.passed
    assert repr(report) == (
        "Double, your test: 3 of 3 mistakes caught\n"
        "It accepts all 2 right answers. Of 4 wrong ones it stops 4 by an assertion and 0 by a "
        "crash, and lets 0 pass.\n"
        "caught in every form   3 ■■■\n"
        "in some forms only     0\n"
        "not caught             0"
    )
    assert "lets no wrong answer pass" in repr(report.survivor())


def test_a_weak_test_is_counted_by_mistakes_and_forms_and_crashes_are_told_apart():
    report = examine_test(DOUBLE, weak)
    assert (report.status, report.caught, report.mistakes) == ("failed", 2, 3)
    assert list(report.bars.values()) == [2, 0, 1]
    assert "lets 1 pass. `survivor()`" in report.message
    assert list(examine_test(DOUBLE, of_one_form).bars.values()) == [0, 1, 2]
    report = examine_test(DOUBLE, crashing)
    assert "0 by an assertion and 4 by a crash" in report.message
    assert report.passed


def test_a_survivor_is_shown_by_what_it_does_and_named_when_asked():
    report = examine_test(DOUBLE, weak)
    shown = report.survivor()
    assert repr(shown) == (
        "Double, a survivor\n"
        "A wrong answer that your test lets pass, wrong on 3 of 3 cases.\n"
        "A small failing case: two numbers\n"
        "1 of 2 values differs, by at most 3. It is at [1].\n"
        "x:\n"
        "  float32 (2,)\n"
        "  [2. 3.]\n"
        "got:              expected:\n"
        "  float32 (2,)      float32 (2,)\n"
        "  [4. 9.]           [4. 6.]"
    )
    assert "square" not in repr(shown) + shown._repr_html_()
    named = report.survivor(diagnosis=True)
    assert '`square`: That is the square. See "Powers" in chapter 00.' in repr(named)
    assert "<code>square</code>" in named._repr_html_()


def test_of_all_survivors_the_one_wrong_on_most_cases_is_shown():
    cases = [case for case in DOUBLE.cases if case.name != "random"]
    rare = mistake("rare", lambda x: torch.where(x > 9, x, 2 * x))
    exercise = replace(DOUBLE, mistakes=(rare, *DOUBLE.mistakes), cases=tuple(cases))
    assert examine_test(exercise, quiet).survivor(diagnosis=True).mistake.slug != "rare"
    raising = mistake("raising", lambda x: x.nothing)
    report = examine_test(replace(exercise, mistakes=(raising,)), quiet)
    assert "It raises AttributeError" in repr(report.survivor())


# ---- A test that tells nothing


def test_a_rejected_right_answer_comes_first_with_the_assertion_and_the_call():
    report = examine_test(DOUBLE, wrong)
    assert (report.status, report.outcomes) == ("failed", {})
    assert report.heading == "Double, your test: no score yet"
    assert report.message == (
        "Your test rejects 2 of 2 right answers, so no wrong one was tried. An assertion fails "
        "(AssertionError: three squared), in the line "
        '`assert double(x)[1] == 9, "three squared"`.'
    )
    assert "Its last call, and what a right answer returns:" in repr(report)
    assert report.evidence.inputs == (("x", "float32 (2,)\n[2. 3.]"),)
    assert report.evidence.expected == "float32 (2,)\n[4. 6.]"
    survivor = report.survivor()
    assert survivor.message.startswith("No wrong answer was tried: a test has to accept the right")
    assert "AssertionError: three squared" in survivor.message
    assert survivor.evidence == report.evidence


def by_multiplying(double):
    x = torch.tensor([1.0], requires_grad=True)
    assert "Mul" in repr(double(x))


def by_chance(double):
    double(torch.ones(1))
    assert random.random() > 0.8  # 0.84 is what comes first from seed 0


def until_right(double):
    while double(torch.ones(1)) != 2:
        pass


@pytest.mark.parametrize(
    "test, said",
    [
        (by_multiplying, "Your test rejects 1 of 2 right answers"),
        (by_multiplying, "It asks for more than the stub says"),
        (lambda d: d(torch.ones(2), 3), "test crashes (TypeError: too many positional arguments)"),
        (lambda d: print(d), "never calls its argument, the answer: `def test_double(double):`"),
        (lambda d: bool(d(torch.ones(1)) == 2), "returns True, which counts for nothing."),
        (by_chance, "it depends on chance"),
        (lambda: 1, "A test takes one argument"),
        (lambda one, two: 1, "A test takes one argument"),
        (lambda *, double: 1, "A test takes one argument"),
        *(
            (given, 'without calling it: catch("double", test_double). It got ')
            for given in (None, 3, True, torch.ones(3), "x", print, DOUBLE, strong.__call__)
        ),
    ],
)
def test_a_test_that_tells_nothing_is_told_why(test: object, said: str):
    assert said in examine_test(DOUBLE, test).message


def test_a_stub_is_not_run():
    namespace: dict[str, object] = {}
    exec(DOUBLE.test_stub, namespace)
    report = examine_test(DOUBLE, namespace["test_double"])
    assert (report.status, report.heading) == ("unsolved", "Double, your test: not written yet")


def test_an_unknown_exercise_a_bad_limit_and_a_run_that_fails_itself(monkeypatch):
    with pytest.raises(ValueError, match="expected an exercise such as 'masked-softmax'"):
        catch("masked-softmx", strong)
    with pytest.raises(ValueError, match="seconds"):
        catch("masked-softmax", strong, seconds=0)
    exercise = replace(DOUBLE, solution=lambda x: 1 / 0)
    monkeypatch.setattr("bottomup.exercises.engine.catching.find", lambda slug: exercise)
    report = catch("double", strong)
    assert report.status == "unchecked"
    assert "the run itself failed (ZeroDivisionError: division by zero)" in report.message


# ---- Nothing but a test scores


def counting(calls=[0]):  # noqa: B006
    def test(double):
        double(torch.ones(1))
        calls[0] += 1
        assert calls[0] <= 2

    return test


def by_seed(calls=[0]):  # noqa: B006
    def test(double):
        double(torch.ones(1))
        calls[0] += 1
        assert calls[0] <= 2 or torch.initial_seed() != 0

    return test


def by_attribute(double):
    double(torch.ones(1))
    torch.calls = calls_of(torch) + 1
    assert torch.calls <= 2


def calls_of(module):
    return module.calls


@pytest.mark.parametrize("test", [counting(), by_seed(), by_attribute])
def test_a_count_of_calls_scores_nothing(test: Callable, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch, "calls", 0, raising=False)
    message = examine_test(DOUBLE, test).message
    assert message.startswith("Run once more, your test rejects a right answer")


def in_globals(double):
    global count
    double(torch.ones(1))
    count += 1
    seen.append(double)
    assert count == len(seen) == 1


SHARED = torch.tensor([2.0, 3.0])


def on_a_shared_input(double):
    assert torch.equal(double(SHARED), torch.tensor([4.0, 6.0]))


def test_globals_remember_nothing_and_stay_as_they_are():
    assert "lets 4 pass" in examine_test(DOUBLE, in_globals).message
    assert (seen, count) == ([], 0)
    spoiled = mistake("spoiled", lambda x: x.mul_(3))
    assert examine_test(replace(DOUBLE, mistakes=(spoiled,)), on_a_shared_input).passed
    assert SHARED.tolist() == [2, 3]


# What looks behind a function, and by which name it is refused.
CHEATS = [
    ("assert double.__name__ != '<lambda>'", "__name__"),
    ("assert '2 * x' in inspect.getsource(double)", "inspect"),
    ("import sys; assert double in sys.modules", "sys"),
    ("from bottomup.exercises.engine.registry import find; find('x')", "bottomup.exercises"),
    ("assert double(torch.ones(2)) is bottomup.exercises.solution", "exercises"),
    ("assert solution('aer') == double", "solution"),
    ("assert double().__traceback__.tb_frame.f_locals", "__traceback__"),
    ("assert getattr(double, '_' + 'ask')", "getattr"),
    ("assert '{0.__class__}'.format(double)", "{0.__class__}"),
    ("assert open('catalogue.py').read()", "open"),
    ("assert vars(double)", "vars"),
    ("reads(double)", "open"),
    ("assert look('double')", "bottomup.exercises"),
    ("assert ast.parse('x')", "ast"),
]


@pytest.mark.parametrize(("body", "name"), CHEATS)
def test_a_test_that_looks_behind_a_function_is_not_run(body: str, name: str):
    known = {"inspect": inspect, "torch": torch, "bottomup": bottomup, "solution": solution}
    namespace = {**known, "ast": ast, "find": find, "__name__": "reader"}
    exec(
        f"def reads(double):\n    open('catalogue.py')\ndef test(double, look=None):\n    {body}\n",
        namespace,
    )
    test = namespace["test"]
    if "look(" in body:
        test.__defaults__ = (find,)
    report = examine_test(DOUBLE, test)
    assert report.message.startswith("Your test was not run. A test sees an answer by calling it")
    assert name in report.message


def test_what_a_closure_or_a_decorator_hides_is_seen():
    look = find

    @functools.cache
    def hidden(double):
        return find("double")

    for test in (lambda double: look("double"), hidden):
        assert not examine_test(DOUBLE, test).passed


def test_a_sealed_answer_has_a_call_and_nothing_else_and_errors_come_without_its_frames():
    found: list[str] = []
    errors: list[KeyError] = []

    def raising(x):
        raise KeyError("of the answer") from ValueError("inside")

    def looking(double):
        found.append(repr(double))
        with pytest.raises(AttributeError, match="an answer can only be called"):
            double.func  # noqa: B018
        try:
            double(torch.ones(1))
        except KeyError as error:
            errors.append(error)

    exercise = replace(DOUBLE, alternatives=(), mistakes=(mistake("raising", raising),))
    assert "lets 1 pass" in examine_test(exercise, looking).message
    assert set(found) == {"<an answer>"}
    names, traceback = [], errors[0].__traceback__
    while traceback:
        names.append(traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
    assert "raising" not in names
    assert errors[0].__cause__ is None


def seeded(double):
    x = torch.randn(5, generator=torch.Generator().manual_seed(5))
    assert torch.allclose(double(x), 2 * x)


def in_a_class(double):
    class Double(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.double = double

        def forward(self, x):
            return self.double(x)

    x = torch.tensor([3.0, -1.0])
    assert torch.equal(Double()(x), 2 * x)


@torch.no_grad()
def compared(double):
    x = torch.tensor([3.0, -1.0], requires_grad=True)
    torch.testing.assert_close(double(x), torch.add(x, x))


def by_keyword(double):
    assert double(x=torch.ones(1)) == 2


@pytest.mark.parametrize("test", [seeded, in_a_class, compared])
def test_a_test_may_draw_define_a_class_be_decorated_and_compare_with_torch(test: Callable):
    assert examine_test(DOUBLE, test).passed


def test_arguments_are_bound_through_the_stub_whatever_the_answer_calls_them():
    assert examine_test(replace(DOUBLE, alternatives=(lambda y: y + y,)), by_keyword).outcomes


def test_prints_warnings_and_global_state_stay_inside(capsys: pytest.CaptureFixture[str]):
    def noisy(double):
        print("look", double(torch.ones(1)))
        torch.set_default_dtype(torch.float64)
        torch.manual_seed(7)

    before = torch.get_default_dtype(), torch.random.initial_seed()
    examine_test(DOUBLE, noisy)
    assert capsys.readouterr().out == ""
    assert (torch.get_default_dtype(), torch.random.initial_seed()) == before


def test_a_hang_stops_all_at_once_in_a_thread_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bottomup.exercises.engine.catching.LEAST", 0.3)
    reports, began = [], time.process_time()

    def examine() -> None:
        reports.append(examine_test(DOUBLE, lambda double: hang(), seconds=0.3))

    worker = threading.Thread(target=examine)
    worker.start()
    worker.join(60)
    examine()
    assert all("stopped on a right answer" in report.message for report in reports)
    report = examine_test(DOUBLE, until_right)
    assert time.process_time() - began < 5
    assert "on a wrong answer it does not end" in report.message
    assert report.outcomes == {}


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["stable-softmax", "bahdanau-step", "merge-softmaxes"])
def test_a_test_that_tries_every_case_catches_every_form(slug: str, monkeypatch):
    monkeypatch.setattr("bottomup.exercises.engine.catching.refused", lambda test: [])
    exercise = catalog()[slug]
    expected = expected_values(exercise)
    run, compare, cases = exercise.run, exercise.compare, exercise.cases

    def everything(answer):
        for case, value in zip(cases, expected, strict=True):
            torch.manual_seed(0)  # as for a check
            sentence = compare(run(answer, case.fresh()), value, case)
            assert sentence is None, (case.name, sentence)

    report = examine_test(exercise, everything, seconds=120)
    assert report.passed, report
