"""The runner and GPUs, which are not there: torch is told that they are."""

from dataclasses import replace

import pytest
import torch

from bottomup.experiments.engine import runner
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.training import device as devices
from tests.experiments.toy import TOY, ToyConfig


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> list[torch.device]:
    """Two GPUs that are waited for: each in a list, in turn."""
    waited: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "Toy 2000")
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    return waited


def place(config: ToyConfig, variant: str, trial: Trial) -> Outcome:
    """Measure where it is measured."""
    index = trial.device.index
    return Outcome({"index": -1 if index is None else index})


PLACED = replace(TOY, measure=place)


def indices(device: str) -> list[int]:
    record = PLACED.run(ToyConfig(), [3, 5], device)
    return [run["metrics"][name]["index"] for run in record.runs for name in ("slow", "fast")]


def test_units_go_to_all_gpus_in_turn_or_to_the_one_that_is_named(two_gpus):
    assert indices("cuda") == [0, 1, 0, 1]
    assert indices("cuda:1") == [1, 1, 1, 1]
    assert indices("cpu") == [-1, -1, -1, -1]
    record = PLACED.run(ToyConfig(), [3], "cuda:1")
    assert record.command.endswith("--preset tiny --seeds 3 --device cuda:1")
    assert record.device == "cuda (Toy 2000)"


def test_on_a_gpu_a_unit_takes_time_until_all_is_computed(two_gpus, monkeypatch):
    clock = iter(range(0, 1000, 7))
    monkeypatch.setattr(devices.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(devices.time, "process_time", lambda: 0.0)
    assert PLACED.run(ToyConfig(), [3], "cuda:1").seconds == 14  # two variants
    assert two_gpus == 4 * [torch.device("cuda:1")]  # before and after each
    assert PLACED.run(ToyConfig(), [3], "cpu").seconds == 0


def test_a_folder_begun_on_one_gpu_is_finished_on_another(two_gpus, tmp_path):
    PLACED.run(ToyConfig(), [3], "cuda:0", out=tmp_path)
    assert PLACED.run(ToyConfig(), [3, 5], "cuda:1", out=tmp_path).seeds == (3, 5)
    with pytest.raises(ValueError, match="holds another run: device"):
        PLACED.run(ToyConfig(), [3], "cpu", out=tmp_path)


def test_without_a_gpu_torch_says_so(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    assert devices.alike("cuda") == []
    monkeypatch.setattr(runner.provenance, "describe_device", lambda device: "cuda (none)")
    with pytest.raises((AssertionError, RuntimeError)):
        PLACED.run(ToyConfig(), [3], "cuda")
