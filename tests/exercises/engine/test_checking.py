import asyncio
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import nbclient
import nbformat
import pytest
import torch

from bottomup.exercises import Case, catalog, check
from bottomup.exercises.engine.checking import examine, passes
from tests.exercises.toy import DOUBLE, mistake


def square(x):
    print("look:", x)
    return x * x


def shifted(x):
    x *= 3
    return 2 * x


def test_a_right_answer_passes():
    report = examine(DOUBLE, lambda x: x + x)
    assert repr(report) == "Double: passed\nAll 3 cases agree with the solution."
    assert passes(DOUBLE, lambda x: x + x)


def test_a_known_mistake_is_named_with_the_section_and_the_case():
    report = examine(DOUBLE, square)
    assert (report.mistake, report.case) == ("square", "two numbers")
    assert report.message == "That is the square."
    assert report.see == 'See "Powers" in chapter 00.'
    assert report.evidence.printed == "look: tensor([2., 3.])\n"
    assert not passes(DOUBLE, square)


def test_another_mistake_is_shown_on_a_case_to_be_read_at_a_glance():
    report = examine(DOUBLE, lambda x: 2 * x if len(x) == 2 else 3 * x)
    assert report.mistake is None
    assert report.message.endswith(" 1 of 3 cases agree with the solution.")
    assert report.message.startswith("7 of 7 values differ, by at most ")
    assert report.case == "random"
    only_large = examine(DOUBLE, lambda x: 2 * x.clamp(max=100))
    assert only_large.case == "large"


def test_a_difference_too_small_to_see_is_shown_with_more_digits():
    quarter = Case("a quarter", lambda generator: {"x": torch.tensor([0.125])})
    report = examine(replace(DOUBLE, cases=(quarter,)), lambda x: 2 * x + 2**-15)
    assert report.evidence.got == "float32 (1,)\n[0.250031]"
    assert report.evidence.expected == "float32 (1,)\n[0.25]"


@pytest.mark.slow
def test_an_answer_that_prints_until_its_time_is_up_is_told_that_printing_takes_time():
    def chatty(x):
        while True:
            print("step")

    assert "printing takes time" in examine(DOUBLE, chatty, seconds=0.2).message


def test_a_report_is_the_same_each_time():
    assert repr(examine(DOUBLE, square)) == repr(examine(DOUBLE, square))
    assert "0x" not in repr(examine(DOUBLE, lambda x: object()))


def test_a_wrong_answer_that_changes_its_input_is_told_both():
    report = examine(DOUBLE, shifted)
    assert "0 of 3 cases agree" in report.message
    assert "It also changes its input x in place." in report.message


def test_a_right_answer_that_changes_its_input_does_not_pass():
    assert "changes its input x in place" in examine(DOUBLE, lambda x: x.mul_(2)).message
    assert not passes(DOUBLE, lambda x: x.mul_(2))


GRADIENT = Case("gradient", lambda generator: {"x": torch.ones(2, requires_grad=True)})
DIFFERENTIABLE = replace(DOUBLE, cases=(*DOUBLE.cases, GRADIENT))


def test_a_right_value_without_a_gradient_does_not_pass():
    report = examine(DIFFERENTIABLE, lambda x: torch.tensor([2 * float(number) for number in x]))
    assert report.case == "gradient"
    assert report.message.startswith(
        "The values are right, but no gradient leads back from them to x: the model could not learn"
    )
    assert "gradient of x: none" in repr(report)
    assert examine(DIFFERENTIABLE, lambda x: x + x).passed
    assert not passes(DIFFERENTIABLE, lambda x: (x + x).detach())


def test_a_wrong_gradient_is_shown_beside_the_right_one():
    report = examine(DIFFERENTIABLE, lambda x: x + x.detach())
    assert report.message == (
        "The values are right, but not the gradient of x: 2 of 2 values differ, by at most 1. "
        "3 of 4 cases agree with the solution."
    )
    assert "gradient of x: float32 (2,)" in repr(report)
    report = examine(DIFFERENTIABLE, lambda x: (x * x).detach())  # a wrong value comes first
    assert (report.mistake, report.case) == ("square", "two numbers")
    report = examine(DIFFERENTIABLE, lambda x: 2 * x.detach().clamp(max=100))
    assert (report.mistake, report.case) == (None, "large")


def test_a_lost_gradient_is_told_before_a_dtype():
    wide = Case("wide", lambda generator: {"x": torch.ones(2, dtype=torch.float64)})
    exercise = replace(DOUBLE, cases=(*DOUBLE.cases, wide, GRADIENT))
    report = examine(exercise, lambda x: torch.tensor((2 * x).tolist()))
    assert report.case == "gradient"
    assert "no gradient leads back from them to x" in report.message
    report = examine(exercise, lambda x: 2 * x.float())
    assert report.case == "wide"
    assert "has dtype torch.float32, expected torch.float64" in report.message


def test_an_input_changed_in_place_is_the_cause_that_is_told_of_a_lost_gradient():
    def spoil(x):
        square = x * x
        x.zero_()
        return square

    squares = replace(DIFFERENTIABLE, solution=lambda x: x * x, mistakes=())
    assert "changes its input x in place" in examine(squares, spoil).message


def test_a_named_mistake_is_shown_on_the_case_that_it_names():
    exercise = replace(DOUBLE, mistakes=(mistake("square", lambda x: x * x, case="large"),))
    assert examine(exercise, lambda x: x * x).case == "large"

    def only_random(x):
        return x * x if len(x) == 7 else 2 * x

    exercise = replace(DOUBLE, mistakes=(mistake("square", only_random, case="large"),))
    assert examine(exercise, only_random).case == "random"


def test_a_stub_that_raises_is_not_solved_yet_and_a_callable_without_python_code_is_reported():
    def double(x):
        raise NotImplementedError

    assert examine(DOUBLE, double).status == "unsolved"
    message = examine(DOUBLE, torch.special.xlog1py).message
    assert message.startswith("Your function raised TypeError: ")


def test_an_error_on_one_case_only_is_reported_with_the_line():
    def fragile(x):
        if len(x) > 2:
            raise IndexError("too long")
        return 2 * x

    report = examine(DOUBLE, fragile)
    assert report.message == (
        'Your function raised IndexError: too long, in the line `raise IndexError("too long")`. '
        "1 of 3 cases agree with the solution."
    )
    assert report.evidence.got is None


@pytest.mark.slow
def test_the_time_limit_holds_for_the_whole_check():
    def slow(x):
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
        return 2 * x

    message = examine(DOUBLE, slow, seconds=0.15).message
    assert "stopped after 0.15 seconds of computing, on the case: random" in message
    assert message.endswith("It was in the line `while time.process_time() < end:`.")


@pytest.mark.slow
@pytest.mark.waits
def test_an_answer_that_waits_is_told_so():
    def sleepy(x):
        while True:
            time.sleep(0.01)

    message = examine(DOUBLE, sleepy, seconds=0.1).message
    assert "stopped after 1 seconds, in which it waited more than it computed" in message
    assert "loop" not in message


@pytest.mark.slow
@pytest.mark.waits
def test_an_answer_that_loads_without_end_is_told_what(tmp_path: Path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    tmp_path.joinpath("endless.py").write_text(
        "import time\nwhile True: time.sleep(0.01)", encoding="utf-8"
    )

    def loading(x):
        import endless

        return endless.double(x)

    message = examine(DOUBLE, loading, seconds=0.1).message
    assert "stopped after 1 seconds, while endless was being loaded" in message


def test_a_check_that_fails_itself_says_so_and_is_not_remembered(tmp_path, monkeypatch):
    def broken(x):
        raise AttributeError("module 'sympy' has no attribute 'core'")

    path = tmp_path / "progress.json"
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(path))
    exercise = replace(DOUBLE, solution=broken)
    monkeypatch.setattr("bottomup.exercises.engine.checking.find", lambda slug: exercise)
    report = check("double", DOUBLE.solution)
    assert report.status == "unchecked"
    assert repr(report).startswith("Double: not checked\nYour answer was not checked")
    assert "module 'sympy' has no attribute 'core'" in report.message
    assert "Restart the kernel" in report.message
    assert not path.exists()


def test_a_check_inside_a_running_event_loop_works():
    async def cell():
        return examine(DOUBLE, square), examine(DOUBLE, lambda x: hang(), seconds=0.2)

    named, stopped = asyncio.run(cell())
    assert named.mistake == "square"
    assert "stopped" in stopped.message


def hang() -> None:
    while True:
        pass


CELLS = [
    "import sys\nfrom bottomup.exercises import catalog, check, solution\n"
    "from bottomup.exercises.engine import limits\nlimits.WAITING = 1e4",
    # The first checks of a process do not pay for what torch loads with the first gradient.
    "for slug in ('blocked-local', 'recompute'):\n"
    "    report = check(slug, catalog()[slug].solution, seconds=1)\n"
    "    assert report.passed, report\n"
    "assert 'sympy' in sys.modules, 'no longer loaded: this cell tests nothing'",
    'stub = catalog()["general-score"].stub\nexec(stub)\ncheck("general-score", general_scores)',
    'def general_scores(query, key, W_a):\n    print("<script>")\n'
    '    return query @ W_a.T @ key.mT\ncheck("general-score", general_scores)',
    "def general_scores(query, key, W_a):\n    while True:\n        pass\n"
    'check("general-score", general_scores, seconds=0.3)',
    "def general_scores(query, key, W_a):\n    raise SystemExit\n"
    'check("general-score", general_scores)',
    "def general_scores(query, key, W_a):\n    raise ValueError('no')\n"
    'check("general-score", general_scores)',
    'solution("general-score")',
]


@pytest.mark.slow
def test_a_check_in_a_notebook_gives_text_and_html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(tmp_path / "progress.json"))
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    texts = []
    for cell in notebook.cells[2:]:
        assert [output.output_type for output in cell.outputs] == ["execute_result"]
        texts.append(cell.outputs[0].data)
    assert "not solved yet" in texts[0]["text/plain"]
    assert "W_a is transposed" in texts[1]["text/html"]
    assert "<script>" not in texts[1]["text/html"]
    assert "stopped after 0.3 seconds" in texts[2]["text/html"]
    assert "calls exit" in texts[3]["text/html"]
    assert "in the line <code>raise ValueError(&#x27;no&#x27;)</code>" in texts[4]["text/html"]
    assert texts[5]["text/markdown"].startswith("```python\ndef general_scores(")


def test_checks_in_several_threads_take_turns():
    stdout, reports = sys.stdout, []
    solution = catalog()["masked-softmax"].solution
    threads = [
        threading.Thread(target=lambda: reports.append(check("masked-softmax", solution)))
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [report.passed for report in reports] == [True] * 5
    assert sys.stdout is stdout


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_time_limit_that_makes_no_sense_is_named(seconds: float):
    with pytest.raises(ValueError, match="such as 'masked-softmax', .*got 'maked-softmax'"):
        check("maked-softmax", square)
    with pytest.raises(ValueError, match="seconds: expected a number > 0"):
        check("masked-softmax", len, seconds=seconds)
