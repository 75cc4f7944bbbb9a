"""The page's worker, run by node: the real interpreter, what is packed for it, and the engine."""

from collections.abc import Collection
from textwrap import dedent
from typing import Any

import pytest

from bottomup.exercises.engine.registry import find, places, text_file
from bottomup.exercises.engine.texts import read_text
from tests.page.conftest import Asked

pytestmark = pytest.mark.slow

RIGHT = "def causal_mask(n):\n    return torch.ones(n, n, dtype=torch.bool).tril()\n"
# Right answers that ask a library for it, which the page has not.
UNCHECKED = {"mutual-information 8": "unchecked"}
WRONG = RIGHT.replace("tril", "triu")


def ask(text: str, slug: str = "causal-mask", **more: Any) -> dict[str, Any]:
    folder = places()[slug]
    return {"ask": "check", "slug": slug, "folder": folder, "language": "en", "text": text} | more


def body(lines: str) -> str:
    return "def causal_mask(n):\n" + "".join(f"    {line}\n" for line in dedent(lines).splitlines())


def test_every_right_answer_passes(reports: Asked):
    asks = {}
    for slug, folder in places().items():
        text = read_text(text_file(folder, slug))
        for number, source in enumerate([text.solution, *(f.source for f in text.right)]):
            if source:
                asks[f"{slug} {number}"] = ask(source, slug)

    def verdicts(names: Collection[str]) -> dict[str, str]:
        said = reports(*(asks[name] for name in names))
        return {name: each["verdict"] for name, each in zip(names, said, strict=True)}

    found = verdicts(asks)
    # What a busy machine was too slow for is asked once more.
    stopped = [name for name, verdict in found.items() if verdict == "stopped"]
    if stopped:
        found |= verdicts(stopped)
    assert {name: said for name, said in found.items() if said != "passed"} == UNCHECKED


def test_a_report_is_the_engines(reports: Asked):
    named, said, stub = reports(
        ask(WRONG), ask(RIGHT.replace("n)", "n + 1)")), ask(find("causal-mask").stub)
    )
    assert (named["verdict"], named["mistake"]) == ("named", "transposed")
    assert "rows and columns are swapped" in named["text"]
    assert named["html"].startswith('<div class="bottomup-report bottomup-failed"')
    assert said["verdict"] == "failed"
    assert stub["verdict"] == "stub"


def test_what_does_not_run_is_told_as_in_a_notebook(reports: Asked):
    told = [
        said["text"]
        for said in reports(
            ask("def causal_mask(n:\n"),
            ask("def causal_mask(n):\n    ...\n1 / 0\n"),
            ask("def other(n):\n    return n\n"),
        )
    ]
    assert "SyntaxError: '(' was never closed" in told[0]
    assert told[1].endswith("ZeroDivisionError: division by zero")
    assert '"<answer>", line 3' in told[1]
    assert told[2].endswith("NameError: name 'causal_mask' is not defined")


def test_of_a_long_print_the_end_is_left_out(reports: Asked):
    (said,) = reports(ask(f"{RIGHT}for k in range(100_000):\n    print(k)\n"))
    assert said["verdict"] == "passed"
    lines = said["printed"].splitlines()
    assert lines[:2] == ["0", "1"] and lines[-1] == "… (the rest is left out)"
    assert int(lines[-2]) == len(lines) - 2  # a line is whole


def test_nobody_answers_an_input(reports: Asked):
    (said,) = reports(ask(body("return input()")))
    assert "EOFError" in said["text"]


def test_too_much_memory_is_an_error_of_the_answer_and_ends_the_worker(messages: Asked):
    found = messages(ask(body("kept = []\nwhile True: kept.append([0] * 10**6)")))
    (said,) = (each for each in found if "report" in each)
    assert "MemoryError" in said["report"]["text"]
    assert said["isFull"]


@pytest.mark.parametrize(
    "lines",
    [
        "while True: pass",
        "return causal_mask(n)",
        "return sum(1 for i in iter(int, 1))",
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass",
    ],
)
def test_what_does_not_end_is_stopped(lines: str, reports: Asked):
    stopped, after = reports(ask(body(lines)), ask(RIGHT))
    assert stopped["verdict"] in ("stopped", "failed")
    assert "stopped after 10 seconds" in stopped["text"] or "RecursionError" in stopped["text"]
    assert stopped["seconds"] < 15
    assert after["verdict"] == "passed"


def test_a_test_is_judged_with_a_survivor(reports: Asked):
    test = "def test_causal_mask(answer):\n    assert answer(3)[0, 0]\n"
    (said,) = reports(ask(test, ask="catch"))
    assert said["caught"] == 3
    assert "a survivor" in said["text"]
    assert "survivor()" not in said["text"]  # it follows at once


def test_an_argument_that_only_torch_has_is_not_judged(reports: Asked):
    lacking, slip = reports(
        ask(RIGHT.replace("dtype", "pin_memory=False, dtype")),
        ask(body("return torch.softmax(torch.ones(n, n), dims=-1)")),
    )
    assert (lacking["verdict"], lacking["lacks"]) == ("unchecked", ["ones(pin_memory=...)"])
    assert slip["verdict"] == "failed" and "softmax() missing 1 required" in slip["text"]


def test_korean_is_said(reports: Asked):
    (said,) = reports(ask(WRONG, language="ko"))
    assert said["mistake"] == "transposed"
    assert "행과 열" in said["text"]


def test_what_is_not_in_the_page_is_said(reports: Asked):
    lacking, missing, inside = reports(
        ask(body("return torch.fft.fft(torch.ones(n))")),
        ask("import pandas\n" + RIGHT),
        ask(body("import pandas\nreturn pandas")),
    )
    assert {each["verdict"] for each in (lacking, missing, inside)} == {"unchecked"}
    assert "no torch.fft" in lacking["text"]
    assert "no module pandas" in missing["text"]
