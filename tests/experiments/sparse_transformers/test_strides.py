"""Chapter 07's control of the stride: the one that fits is the strided network."""

from dataclasses import replace

import pytest

from bottomup.experiments import Record
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.sparse_transformers.strides import (
    experiment as strides,
)
from bottomup.experiments.sparse_transformers.training import experiment as training

NAME = "sparse_transformers_strides"


def test_the_stride_that_fits_is_the_strided_network_of_the_other_experiment(
    tiny: Record, trial: Trial
):
    config = replace(training.PRESETS["tiny"], digits=strides.PRESETS["tiny"].digits)
    other = training.measure(config, "digits_strided", trial)
    assert other.metrics["bits"] == pytest.approx(tiny.metric("stride_8.bits")[0], abs=1e-6)
