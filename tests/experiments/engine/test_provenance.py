"""What a record says of the machine and the packages that made it."""

import re
from pathlib import Path

import pytest
import torch

from bottomup.experiments.engine import provenance


def test_a_cpu_is_named_with_its_instruction_set():
    found = re.fullmatch(r"cpu \((.+), (.+)\)", provenance.describe_device(torch.device("cpu")))
    assert found is not None
    assert found[1] == provenance.processor()
    assert found[2] == torch.backends.cpu.get_cpu_capability()


def test_a_processor_is_named_where_the_system_has_no_list_of_them(
    monkeypatch: pytest.MonkeyPatch,
):
    def missing(*arguments: object, **options: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", missing)
    assert provenance.processor()


def test_versions_of_packages_that_are_there(monkeypatch: pytest.MonkeyPatch):
    assert set(provenance.versions()) == {"python", *provenance.PACKAGES}
    monkeypatch.setattr(provenance, "PACKAGES", ("torch", "no-such-package"))
    assert set(provenance.versions()) == {"python", "torch"}
