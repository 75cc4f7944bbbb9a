"""Two processes train as one does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.training import ranks_trial

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("ranks")
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    root = Path(__file__).parents[2]
    paths = os.pathsep.join(map(str, (root / "src", root)))
    subprocess.run(
        [*torchrun, ranks_trial.__file__, str(path)], check=True, cwd=root,
        env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def two(folder):
    return [torch.load(folder / f"2-{rank}.pt") for rank in range(2)]


@pytest.mark.parametrize(
    "trial, options",
    [("plain", {}), ("one row", {"task": ranks_trial.ROW}), ("accumulated", {"accumulate": 3})],
)
def test_two_processes_end_where_one_does(two, trial, options):
    parameters, losses = ranks_trial.trained(**options)
    for there in two:
        torch.testing.assert_close(there[trial][0], parameters, rtol=0, atol=1e-12)
        torch.testing.assert_close(there[trial][1], losses, rtol=0, atol=1e-12)


def test_a_mean_of_means_is_another_training(two):
    off = two[0]["mean of means"][0] - ranks_trial.trained()[0]
    assert off.abs().max() > 1e-3


def test_a_loss_beside_the_wrapper_leaves_the_processes_apart(two):
    first, second = (there["beside the wrapper"][0] for there in two)
    assert (first - second).abs().max() > 1e-3


def test_one_process_stops_all_and_another_number_goes_on(folder):
    went_on = ranks_trial.trained(checkpoint=folder / "stopped.pt")[0]
    torch.testing.assert_close(went_on, ranks_trial.trained()[0], rtol=0, atol=1e-12)
    state = torch.load(folder / "stopped.pt")
    assert len(state["state"]["history"]["loss"]) == ranks_trial.STEPS
