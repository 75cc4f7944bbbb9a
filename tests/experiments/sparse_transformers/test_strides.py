"""Chapter 07's control of the stride: a tiny run, and the claim by hand."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from bottomup.experiments import Record
from bottomup.experiments.engine.claim import Verdict
from bottomup.experiments.sparse_transformers.strides import (
    experiment as sparse_transformers_strides,
)
from bottomup.experiments.sparse_transformers.training import experiment as training

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


def test_the_stride_that_fits_is_the_strided_network_of_the_other_experiment(
    tiny: Record, tmp_path: Path
):
    config = replace(training.PRESETS["tiny"], digits=TINY.digits)
    cpu, path = torch.device("cpu"), tmp_path / "unit.pt"
    other = training.measure(config, "digits_strided", 0, cpu, path)
    assert other.metrics["bits"] == pytest.approx(tiny.metric("stride_8.bits")[0], abs=1e-6)


@pytest.mark.parametrize(
    ("seven", "nine", "wanted"),
    [
        ([2.1, 2.2, 2.3], [2.2, 2.3, 2.2], Verdict.HOLDS),  # gains 0.1, 0.2, 0.2
        ([1.9, 1.85, 1.9], [2.9, 2.9, 2.9], Verdict.FAILS),  # the better of the two counts
        ([2.1, 1.9, 2.0], [2.9, 2.9, 2.9], Verdict.UNDECIDED),
    ],
)
def test_the_claim_wants_the_better_of_the_others_beaten(tiny, seven, nine, wanted):
    bits = {"stride_7": seven, "stride_8": [2.0, 2.0, 2.0], "stride_9": nine}
    runs = tuple(
        {
            "seed": seed,
            "metrics": {name: {"bits": values[k], "scores": 1.0} for name, values in bits.items()},
        }
        for k, seed in enumerate(SEEDS)
    )
    [claim] = sparse_transformers_strides.EXPERIMENT.claims(replace(tiny, runs=runs))
    assert claim.id == "07.8e"
    assert claim.verdict is wanted
