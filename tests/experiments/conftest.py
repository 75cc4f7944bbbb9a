from pathlib import Path

import pytest
import torch

from bottomup.experiments import Record
from bottomup.experiments.engine.units import Trial
from tests.experiments.tiny import tiny_run
from tests.experiments.toy import TOY, ToyConfig


@pytest.fixture
def tiny(request: pytest.FixtureRequest) -> Record:
    """A tiny run of the experiment that is the ``NAME`` of the test's file."""
    return tiny_run(request.module.NAME)


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    """Seed 0 on the CPU, and a checkpoint in the test's own folder."""
    return Trial(0, torch.device("cpu"), tmp_path / "unit.pt")


@pytest.fixture
def record() -> Record:
    return TOY.run(ToyConfig(), [3, 5], "cpu")


@pytest.fixture
def saved(record: Record, tmp_path: Path) -> Path:
    path = tmp_path / "toy.json"
    record.save(path)
    return path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a tiny run of a whole experiment: `make check` has a minute for all."""
    for item in items:
        if "tiny" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
