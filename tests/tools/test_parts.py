import sys

import pytest

from tools.parts import Part, main, run_part, summary

PYTHON = [sys.executable, "-c", "import sys; sys.exit(sys.argv[1] == 'bad')"]


def test_a_part_keeps_its_exit_status():
    assert run_part(PYTHON, "good").status == 0
    assert run_part(PYTHON, "bad").status == 1


def test_the_summary_adds_the_seconds_and_names_what_failed():
    text = summary([Part("unit", 1.25, 0), Part("site", 10.5, 2)])
    assert text.splitlines() == [
        "unit         1.2 s  passed",
        "site        10.5 s  FAILED",
        "together    11.8 s",
    ]


def test_a_failing_part_fails_the_whole_but_not_the_parts_after_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("MAKE", "false")
    assert main(["one", "two"]) == 1
    assert capfd.readouterr().out.count("FAILED") == 2


def test_no_part_at_all_is_no_success():
    assert main([]) == 2
