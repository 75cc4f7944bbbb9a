"""An experiment under torchrun gives the record of one process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bottomup.experiments.engine.command import main
from bottomup.experiments.engine.record import load_record
from tests.experiments.tiny import tiny_run

ROOT = Path(__file__).parents[3]
NAME = "decoder_of_today"


def flat(value, path=()):
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in flat(inner, (*path, key))]
    return [(path, value)]


@pytest.mark.slow
def test_two_processes_measure_what_one_does(tmp_path):
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    subprocess.run(
        [*torchrun, "-m", "bottomup.experiments", NAME, "--preset", "tiny", "--out", str(tmp_path)],
        check=True, cwd=tmp_path, capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "BOTTOMUP_DEVICE": "cpu"},
    )  # fmt: skip
    there = load_record(tmp_path / f"{NAME}.json")
    here = tiny_run(NAME)
    pairs = list(zip(flat(there.runs[0]["metrics"]), flat(here.runs[0]["metrics"]), strict=True))
    assert len(pairs) > 10
    assert [a for a, b in pairs if a[0] != b[0] or a[1] != pytest.approx(b[1], abs=1e-3)] == []


def test_one_job_alone_runs_under_torchrun(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("bottomup.training.ranks.world", lambda: 2)
    assert main([NAME, "--preset", "tiny", "--jobs", "2", "--out", str(tmp_path)]) == 1
    assert "jobs: expected 1 under torchrun, got 2" in capsys.readouterr().err
