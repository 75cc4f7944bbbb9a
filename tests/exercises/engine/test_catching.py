"""A reader's test on right and wrong answers: its score, and that nothing but a test scores.

The tests that are run here are a reader's: PYTEST_DONT_REWRITE their assertions.
"""

import ast
import functools
import inspect
import random
import threading
import time
from dataclasses import replace

import pytest
import torch

import bottomup.exercises
from bottomup.exercises import catalog, catch, solution
from bottomup.exercises.engine.catching import examine_test
from bottomup.exercises.engine.registry import find, places
from bottomup.exercises.engine.runner import expected_values
from tests.exercises.toy import DOUBLE, mistake

NUMBERS = [2.0, 3.0]
seen: list[object] = []
count = 0


def strong(double):
    x = torch.tensor([3.0, -1.0])
    assert torch.equal(double(x), 2 * x)


def weak(double):
    x = torch.tensor([2.0])
    assert double(x) == 4


def wrong(double):
    x = torch.tensor([2.0, 3.0])
    assert double(x)[1] == 9, "three squared"


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


def test_a_weak_test_is_counted_by_mistakes_and_forms():
    report = examine_test(DOUBLE, weak)
    assert (report.status, report.caught, report.mistakes) == ("failed", 2, 3)
    assert list(report.bars.values()) == [2, 0, 1]
    assert "lets 1 pass. `survivor()`" in report.message

    def of_one_form(double):
        assert double(torch.tensor([5.0])) in (10, 25, 2.5, 6)

    partly = examine_test(DOUBLE, of_one_form)
    assert list(partly.bars.values()) == [0, 1, 2]


def test_assertions_and_crashes_both_count_and_are_told_apart():
    def crashing(double):
        x = double(torch.tensor([3.0, -1.0]))
        [4.0, 6.0][x.tolist().index(6)]

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
    sentence = '`square`: That is the square. See "Powers" in chapter 00.'
    assert sentence in repr(named)
    assert "<code>square</code>" in named._repr_html_()


def test_of_all_survivors_the_one_wrong_on_most_cases_is_shown():
    cases = [case for case in DOUBLE.cases if case.name != "random"]
    rare = mistake("rare", lambda x: torch.where(x > 9, x, 2 * x))
    exercise = replace(DOUBLE, mistakes=(rare, *DOUBLE.mistakes), cases=tuple(cases))
    report = examine_test(exercise, quiet)
    assert report.survivor(diagnosis=True).mistake.slug != "rare"
    raising = mistake("raising", lambda x: x.nothing)
    report = examine_test(replace(exercise, mistakes=(raising,)), quiet)
    assert "It raises AttributeError" in repr(report.survivor())


def quiet(double):
    try:
        double(torch.zeros(1))
    except AttributeError:
        return


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


def test_a_test_that_asks_for_more_than_the_stub_is_told_that_others_pass():
    def by_multiplying(double):
        x = torch.tensor([1.0], requires_grad=True)
        assert "Mul" in repr(double(x))

    message = examine_test(DOUBLE, by_multiplying).message
    assert message.startswith("Your test rejects 1 of 2 right answers")
    assert "It asks for more than the stub says" in message


def test_a_call_that_does_not_fit_the_stub_is_a_crash_of_the_test():
    message = examine_test(DOUBLE, lambda double: double(torch.ones(2), 3)).message
    assert "The test crashes (TypeError: too many positional arguments)" in message


def test_a_test_that_never_calls_its_argument_is_told_so():
    message = examine_test(DOUBLE, lambda double: print(double)).message
    assert message == "Your test never calls its argument, the answer: `def test_double(double):`"


def test_a_test_that_returns_its_verdict_is_told_to_assert():
    message = examine_test(DOUBLE, lambda double: bool(double(torch.ones(1)) == 2)).message
    assert message.startswith("Your test returns True, which counts for nothing.")


@pytest.mark.parametrize(
    "given", [None, 3, True, torch.ones(3), "x", print, DOUBLE, strong.__call__]
)
def test_what_is_no_function_is_reported(given: object):
    report = examine_test(DOUBLE, given)
    assert 'without calling it: catch("double", test_double). It got ' in report.message


@pytest.mark.parametrize("given", [lambda: 1, lambda one, two: 1, lambda *, double: 1])
def test_a_test_takes_one_argument(given: object):
    assert examine_test(DOUBLE, given).message.startswith("A test takes one argument")


def test_a_stub_is_not_run():
    namespace: dict[str, object] = {}
    exec(DOUBLE.test_stub, namespace)
    report = examine_test(DOUBLE, namespace["test_double"])
    assert (report.status, report.heading) == ("unsolved", "Double, your test: not written yet")


def test_an_unknown_exercise_and_a_bad_limit_are_errors():
    with pytest.raises(ValueError, match="expected an exercise such as 'masked-softmax'"):
        catch("masked-softmx", strong)
    with pytest.raises(ValueError, match="seconds"):
        catch("masked-softmax", strong, seconds=0)


def test_a_run_that_itself_fails_is_reported(monkeypatch: pytest.MonkeyPatch):
    def broken(x):
        raise ZeroDivisionError("broken")

    exercise = replace(DOUBLE, solution=broken)
    monkeypatch.setattr("bottomup.exercises.engine.catching.find", lambda slug: exercise)
    report = catch("double", strong)
    assert report.status == "unchecked"
    assert "the run itself failed (ZeroDivisionError: broken)" in report.message


# ---- Nothing but a test scores


def counting(calls=[0]):  # noqa: B006
    def test(double):
        double(torch.ones(1))
        calls[0] += 1
        assert calls[0] <= 2

    return test


def by_attribute(double):
    double(torch.ones(1))
    torch.calls = getattr_of(torch) + 1
    assert torch.calls <= 2


def getattr_of(module):
    return module.calls


def test_a_count_of_calls_scores_nothing(monkeypatch: pytest.MonkeyPatch):
    message = examine_test(DOUBLE, counting()).message
    assert message.startswith("Run once more, your test rejects a right answer")
    monkeypatch.setattr(torch, "calls", 0, raising=False)
    assert examine_test(DOUBLE, by_attribute).message.startswith("Run once more")


def in_globals(double):
    global count
    double(torch.ones(1))
    count += 1
    seen.append(double)
    assert count == len(seen) == 1


def test_globals_remember_nothing_and_stay_as_they_are():
    report = examine_test(DOUBLE, in_globals)
    assert "lets 4 pass" in report.message
    assert (seen, count) == ([], 0)


SHARED = torch.tensor([2.0, 3.0])


def on_a_shared_input(double):
    assert torch.equal(double(SHARED), torch.tensor([4.0, 6.0]))


def test_an_answer_that_changes_a_shared_input_spoils_no_later_run():
    def in_place(x):
        x *= 3
        return x

    spoiled = mistake("spoiled", in_place)
    report = examine_test(replace(DOUBLE, mistakes=(spoiled,)), on_a_shared_input)
    assert report.passed
    assert SHARED.tolist() == [2, 3]


def test_chance_is_told():
    def by_chance(double):
        double(torch.ones(1))
        assert random.random() > 0.8  # 0.84 is what comes first from seed 0

    assert "it depends on chance" in examine_test(DOUBLE, by_chance).message

    def seeded(double):
        x = torch.randn(5, generator=torch.Generator().manual_seed(5))
        assert torch.allclose(double(x), 2 * x)

    assert examine_test(DOUBLE, seeded).passed


class _Holder:
    answers = DOUBLE


def by_name(double):
    assert double.__name__ != "<lambda>"


def by_source(double):
    assert "2 * x" in inspect.getsource(double)


def by_module(double):
    import sys

    assert double in sys.modules


def in_a_class(double):
    class Double(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.double = double

        def forward(self, x):
            return self.double(x)

    x = torch.tensor([3.0, -1.0])
    assert torch.equal(Double()(x), 2 * x)


def by_seed(calls=[0]):  # noqa: B006
    def test(double):
        double(torch.ones(1))
        calls[0] += 1
        assert calls[0] <= 2 or torch.initial_seed() != 0

    return test


def test_a_test_may_define_a_class_and_a_seed_gives_nothing_away():
    assert examine_test(DOUBLE, in_a_class).passed
    assert examine_test(DOUBLE, by_seed()).message.startswith("Run once more")


def by_import(double):
    from bottomup.exercises.engine.registry import find

    assert double is find("double").solution


def by_course(double):
    assert torch.equal(double(torch.ones(2)), bottomup.exercises.solution)


def by_solution(double):
    assert solution("aer") == double


def by_frame(double):
    try:
        double()
    except TypeError as error:
        assert error.__traceback__.tb_frame.f_locals  # noqa: PT017


def by_dynamic_name(double):
    assert getattr(double, "_" + "ask")


def by_format(double):
    assert "{0.__class__}".format(double)  # noqa: UP030, UP032


def by_file(double):
    with open("catalogue.py", encoding="utf-8") as file:
        assert file.read()


def by_vars(double):
    assert vars(double)


def by_helper(double):
    by_file(double)


def by_default(double, look=find):
    assert look("double")


def by_closure():
    look = find

    def test(double):
        assert look("double")

    return test


def by_tree(double):
    assert ast.parse("x")


CHEATS = [
    (by_name, "__name__"),
    (by_source, "inspect"),
    (by_module, "sys"),
    (by_import, "bottomup.exercises"),
    (by_course, "exercises"),
    (by_solution, "solution"),
    (by_frame, "__traceback__"),
    (by_dynamic_name, "getattr"),
    (by_format, "{0.__class__}"),
    (by_file, "open"),
    (by_vars, "vars"),
    (by_helper, "open"),
    (by_default, "bottomup.exercises"),
    (by_closure(), "bottomup.exercises"),
    (by_tree, "ast"),
]


@pytest.mark.parametrize(("cheat", "name"), CHEATS)
def test_a_test_that_looks_behind_a_function_is_not_run(cheat: object, name: str):
    report = examine_test(DOUBLE, cheat)
    assert report.message.startswith("Your test was not run. A test sees an answer by calling it")
    assert name in report.message


def test_a_sealed_answer_has_a_call_and_nothing_else():
    found: list[str] = []

    def looking(double):
        found.append(repr(double))
        for name in ("func", "code", "args"):
            with pytest.raises(AttributeError, match="an answer can only be called"):
                operate(double, name)
        double(torch.ones(1))

    def operate(double, name):
        return {"func": lambda: double.func, "code": lambda: double.code}.get(
            name, lambda: double.args
        )()

    assert "lets 4 pass" in examine_test(DOUBLE, looking).message
    assert set(found) == {"<an answer>"}


def test_an_error_comes_without_the_frames_of_the_answer():
    def raising(x):
        hidden = "secret"  # noqa: F841
        raise KeyError("of the answer") from ValueError("inside")

    errors: list[KeyError] = []

    def looking(double):
        try:
            double(torch.ones(1))
        except KeyError as error:
            errors.append(error)

    examine_test(replace(DOUBLE, solution=double, alternatives=(), mistakes=(
        mistake("raising", raising),
    )), looking)  # fmt: skip
    (error,) = errors
    names, traceback = [], error.__traceback__
    while traceback:
        names.append(traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
    assert "raising" not in names
    assert error.__cause__ is None


def double(x):
    return 2 * x


def test_arguments_are_bound_through_the_stub_whatever_the_answer_calls_them():
    def by_keyword(double):
        assert double(x=torch.ones(1)) == 2

    other = replace(DOUBLE, alternatives=(lambda y: y + y,))
    assert examine_test(other, by_keyword).outcomes


def test_a_test_may_be_decorated_and_compare_with_torch():
    @torch.no_grad()
    def compared(double):
        x = torch.tensor([3.0, -1.0], requires_grad=True)
        torch.testing.assert_close(double(x), torch.add(x, x))

    report = examine_test(DOUBLE, compared)
    assert report.passed
    assert "4 by an assertion" in report.message

    @functools.cache
    def hidden(double):
        return find("double")

    assert not examine_test(DOUBLE, hidden).passed


def test_prints_warnings_and_global_state_stay_inside(capsys: pytest.CaptureFixture[str]):
    def noisy(double):
        print("look", double(torch.ones(1)))
        torch.set_default_dtype(torch.float64)
        torch.manual_seed(7)

    before = torch.get_default_dtype(), torch.random.initial_seed()
    examine_test(DOUBLE, noisy)
    assert capsys.readouterr().out == ""
    assert (torch.get_default_dtype(), torch.random.initial_seed()) == before


# ---- Runs that do not end


def hang():
    while True:
        pass


def test_a_hang_on_a_right_answer_stops_all_at_once():
    began = time.process_time()
    report = examine_test(DOUBLE, lambda double: hang(), seconds=0.3)
    assert time.process_time() - began < 2
    assert "stopped on a right answer" in report.message


def test_a_hang_on_a_wrong_answer_stops_all_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bottomup.exercises.engine.catching.LEAST", 0.3)

    def until_right(double):
        while double(torch.ones(1)) != 2:
            pass

    began = time.process_time()
    report = examine_test(DOUBLE, until_right)
    assert time.process_time() - began < 3
    assert "on a wrong answer it does not end" in report.message
    assert report.outcomes == {}


def test_a_hang_is_stopped_in_a_thread_too():
    reports = []
    worker = threading.Thread(
        target=lambda: reports.append(examine_test(DOUBLE, lambda double: hang(), seconds=0.3))
    )
    worker.start()
    worker.join(60)
    assert "stopped on a right answer" in reports[0].message


# ---- The whole catalogue


@pytest.mark.slow
@pytest.mark.parametrize("slug", places())
def test_a_test_that_tries_every_case_catches_every_form(
    slug: str, monkeypatch: pytest.MonkeyPatch
):
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
