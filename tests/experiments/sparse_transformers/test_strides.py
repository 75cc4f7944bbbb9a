"""Chapter 07's control of the stride: a tiny run, and the gain by hand."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from bottomup import experiments
from bottomup.experiments import Record
from bottomup.experiments.sparse_transformers.strides import (
    experiment as sparse_transformers_strides,
)
from bottomup.experiments.sparse_transformers.strides import quantities
from bottomup.experiments.sparse_transformers.training import experiment as training
from tests.experiments.records import record_of

TINY = sparse_transformers_strides.PRESETS["tiny"]
SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def tiny() -> Record:
    return sparse_transformers_strides.run(TINY, SEEDS, "cpu")


def test_every_variant_has_its_stride(tiny: Record):
    assert set(tiny.runs[0]["metrics"]) == {"stride_7", "stride_8", "stride_9"}
    assert [tiny.metric(f"stride_{stride}.width") for stride in (7, 8, 9)] == [
        (7, 7, 7), (8, 8, 8), (9, 9, 9)
    ]  # fmt: skip
    assert [claim.id for claim in experiments.claims(tiny)] == ["07.8e"]


def test_the_stride_that_fits_is_the_strided_network_of_the_other_experiment(
    tiny: Record, tmp_path: Path
):
    config = replace(training.PRESETS["tiny"], digits=TINY.digits)
    cpu, path = torch.device("cpu"), tmp_path / "unit.pt"
    other = training.measure(config, "digits_strided", 0, cpu, path)
    assert other.metrics["bits"] == pytest.approx(tiny.metric("stride_8.bits")[0], abs=1e-6)


def test_the_better_of_the_others_is_compared():
    bits = [(1.9, 2.0, 2.9), (2.3, 2.0, 2.2)]
    runs = [{f"stride_{7 + k}": {"bits": b} for k, b in enumerate(each)} for each in bits]
    record = record_of("x", runs, sparse_transformers_strides.PRESETS["recorded"])
    assert quantities.gain(record) == pytest.approx((-0.1, 0.2))
