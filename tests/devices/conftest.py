"""The fake device, where this release of torch can have one."""

from collections.abc import Iterator

import pytest
import torch

from tests.devices import fake

KNOWN = torch.__version__.startswith(f"{fake.RELEASE}.")
if KNOWN:  # while tests are collected, before one of them takes a gradient
    fake.install()


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[torch.device]:
    if not KNOWN:
        pytest.skip(
            f"a device written in Python is experimental in torch and known to work in "
            f"{fake.RELEASE}, this is {torch.__version__}"
        )
    monkeypatch.setenv("BOTTOMUP_QUIET", "1")
    with fake.fake_device() as device:
        yield device
