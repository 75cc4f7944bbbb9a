import sys
from types import SimpleNamespace

import pytest

from bottomup.training import progress_bar
from bottomup.training.progress import is_watched


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in ("CI", "BOTTOMUP_QUIET", "JPY_SESSION_NAME"):
        monkeypatch.delenv(name, raising=False)
    in_notebook(monkeypatch, None)
    in_terminal(monkeypatch, False)


def in_terminal(monkeypatch, answer: bool) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: answer, raising=False)


def in_notebook(monkeypatch, shell) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


def test_a_terminal_is_watched_and_a_log_is_not(monkeypatch):
    assert not is_watched()
    in_terminal(monkeypatch, True)
    assert is_watched()


@pytest.mark.parametrize("name", ["CI", "BOTTOMUP_QUIET"])
def test_the_environment_turns_progress_off(monkeypatch, name):
    in_terminal(monkeypatch, True)
    monkeypatch.setenv(name, "1")
    assert not is_watched()


def test_a_notebook_executed_by_a_program_is_not_watched(monkeypatch):
    in_notebook(monkeypatch, SimpleNamespace(kernel=object(), user_ns={}))
    assert not is_watched()


def test_a_notebook_in_the_browser_is_watched(monkeypatch):
    in_notebook(monkeypatch, SimpleNamespace(kernel=object(), user_ns={}))
    monkeypatch.setenv("JPY_SESSION_NAME", "chapter.ipynb")
    assert is_watched()


def test_a_notebook_in_an_editor_is_watched(monkeypatch):
    names = {"__vsc_ipynb_file__": "chapter.ipynb"}
    in_notebook(monkeypatch, SimpleNamespace(kernel=object(), user_ns=names))
    assert is_watched()


def test_a_script_in_ipython_without_a_kernel_is_no_notebook(monkeypatch):
    in_notebook(monkeypatch, SimpleNamespace(user_ns={}))
    monkeypatch.setenv("JPY_SESSION_NAME", "chapter.ipynb")
    assert not is_watched()


def test_an_unwatched_bar_writes_nothing(capsys):
    with progress_bar(total=3, label="training") as bar:
        bar.update()
    assert capsys.readouterr() == ("", "")


def test_a_watched_bar_counts_from_the_steps_done(monkeypatch, capsys):
    in_terminal(monkeypatch, True)
    with progress_bar(total=7, done=4, label="training") as bar:
        bar.update()
        assert bar.n == 5
    assert "training" in capsys.readouterr().err


def test_a_bar_in_a_notebook_leaves_stderr_alone(monkeypatch, capsys):
    in_notebook(monkeypatch, SimpleNamespace(kernel=object(), user_ns={}))
    monkeypatch.setenv("JPY_SESSION_NAME", "chapter.ipynb")
    with progress_bar(total=7, label="training") as bar:
        bar.update()
    written = capsys.readouterr()
    assert "training" in written.out
    assert written.err == ""
