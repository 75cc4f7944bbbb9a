"""The largest presets in a row, with an experiment that takes no time."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from bottomup.experiments.engine import command, full, registry
from tests.experiments.toy import TOY, ToyConfig, measured

RECORDED = TOY.run(ToyConfig(scale=-1.0), [3, 5, 7], "cpu")  # the claim fails
LARGE = replace(TOY, presets={"tiny": ToyConfig(), "full": ToyConfig(scale=4.0)})


@pytest.fixture(autouse=True)
def two_toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two experiments; the second of them took less time when it was recorded."""
    toys = {"slow_toy": replace(LARGE, name="slow_toy"), "toy": LARGE}
    seconds = {"slow_toy": 9.0, "toy": 2.0}
    monkeypatch.setattr(registry, "NAMES", {name: "a.room" for name in toys})
    monkeypatch.setattr(registry, "experiment", toys.__getitem__)
    monkeypatch.setattr(registry, "claims", TOY.claims)
    monkeypatch.setattr(full, "names", lambda: sorted(toys, key=seconds.__getitem__))
    monkeypatch.setattr(full, "recorded", lambda name: replace(RECORDED, seconds=seconds[name]))


def run(out: Path, hours: str = "1") -> int:
    return command.main(["full", "--hours", hours, "--device", "cpu", "--out", str(out)])


def test_what_took_least_comes_first_and_nothing_is_measured_twice(tmp_path, capsys):
    assert run(tmp_path) == run(tmp_path) == 0
    told = capsys.readouterr().err
    assert 0 <= told.index("toy:") < told.index("slow_toy:")
    once = {f"{variant}-{seed}": 1 for variant in ("slow", "fast") for seed in (3, 5, 7)}
    assert measured(tmp_path / "toy_full") == once
    rows = (tmp_path / full.VERDICTS).read_text(encoding="utf-8").splitlines()[2:]
    assert len(rows) == 2
    assert "| fails: −4.67 ± 2.00 | holds: 20.33 ± 8.00 (cpu (" in rows[0]


def test_an_experiment_that_cannot_run_does_not_stop_the_others(tmp_path, monkeypatch, capsys):
    def missing(*arguments: object) -> None:
        raise RuntimeError("out of memory")

    toys = {"toy": replace(LARGE, measure=missing), "slow_toy": replace(LARGE, name="slow_toy")}
    monkeypatch.setattr(registry, "experiment", toys.__getitem__)
    assert run(tmp_path) == 1
    assert "error: out of memory" in capsys.readouterr().err
    assert (tmp_path / "slow_toy_full/slow_toy.json").exists()


def test_it_stops_when_the_time_is_over_and_goes_on_from_there(
    tmp_path, monkeypatch, capsys, interruptible
):
    def endless(*arguments: object) -> None:
        for _ in range(1000):
            time.sleep(0.01)

    monkeypatch.setattr(registry, "experiment", lambda name: replace(LARGE, measure=endless))
    start = time.monotonic()
    assert run(tmp_path, hours="0.0001") == 0
    assert time.monotonic() - start < 15
    told = capsys.readouterr().err
    assert "0.0001 hours are over." in told
    assert "slow_toy:" not in told
    monkeypatch.setattr(registry, "experiment", lambda name: replace(LARGE, name=name))
    assert run(tmp_path) == 0


def test_every_experiment_has_a_largest_preset_and_a_record(monkeypatch):
    monkeypatch.undo()
    order = full.names()
    assert sorted(set(order)) == sorted(registry.NAMES)
    seconds = [full.recorded(name).seconds for name in order]
    assert seconds == sorted(seconds)
    assert {full.preset_of(registry.experiment(name)) for name in order} == set(full.PRESETS)
