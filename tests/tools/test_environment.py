import os
from pathlib import Path

import pytest

from tools.notebooks.environment import kernel_environment


def test_a_kernel_runs_on_one_thread_and_without_progress_bars():
    environment = kernel_environment()
    assert environment["OMP_NUM_THREADS"] == environment["TQDM_DISABLE"] == "1"


def test_a_kernel_is_told_that_nobody_watches(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CI", raising=False)
    assert kernel_environment()["CI"] == "true"
    assert "CI" not in os.environ


def test_a_kernel_draws_into_the_page(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    assert "MPLBACKEND" not in kernel_environment()
    assert os.environ["MPLBACKEND"] == "Agg"


def test_the_progress_of_the_reader_is_out_of_reach(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(tmp_path / "mine.json"))
    assert kernel_environment()["BOTTOMUP_PROGRESS"] != str(tmp_path / "mine.json")
    assert os.environ["BOTTOMUP_PROGRESS"] == str(tmp_path / "mine.json")
