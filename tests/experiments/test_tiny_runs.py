"""Every experiment in small: presets, what a run leaves, its claims, and what stops it."""

import math
import re
import signal
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from bottomup import experiments, results
from bottomup.experiments import NAMES, Record
from bottomup.experiments.engine.entries import entries
from bottomup.experiments.engine.units import Trial
from tests.experiments.tiny import tiny_run

# torch says of norm_first that it forgoes a fast path of evaluation.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")

EVERY = pytest.mark.parametrize("name", NAMES)
SHARES = {"accuracy", "exact", "aer", "link_accuracy", "sure_accuracy", "verb_accuracy", "both",
          "precision", "recall"}  # fmt: skip
POSITIVE = {"loss", "bits", "training_bits", "nll", "seconds", "cpu_seconds", "parameters"}


def tables(config: Any) -> Iterator[Mapping[str, Any]]:
    """The configuration and those inside it."""
    if isinstance(config, Mapping):
        yield config
        for value in config.values():
            yield from tables(value)


def numbers(metrics: Any, *path: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Each number with the names under which it stands."""
    if not isinstance(metrics, Mapping):
        yield path, metrics
        return
    for key, value in metrics.items():
        yield from numbers(value, *path, str(key))


def kept(record: Record) -> set[str]:
    """The names of a record's arrays, without numbers."""
    return {re.sub(r"\d+", "", name) for name in record.arrays}


@EVERY
def test_an_experiment_has_presets_whose_parts_fit(name: str):
    experiment = experiments.experiment(name)
    assert experiment.name == name
    large = {"multi30k", "multi30k-gpu"} if name == "decoding" else {"recorded", "full"}
    assert {"tiny", "laptop"} | large <= set(experiment.presets)
    for preset, config in experiment.presets.items():
        found = list(experiment.variants(config))
        assert len(set(found)) == len(found)
        assert not any("." in variant or "/" in variant for variant in found)
        assert experiment.presets[experiment.name_of(config)] == config, preset
        for table in tables(asdict(config)):
            if preset in ("recorded", "full") and isinstance(table.get("steps"), int):
                assert table.get("warmup", 0) < table["steps"]
            assert table.get("d_model", 0) % table.get("num_heads", 1) == 0


@pytest.mark.slow
@EVERY
def test_a_tiny_run_gives_every_measure_and_claim(name: str):
    experiment, tiny = experiments.experiment(name), tiny_run(name)
    (run,) = tiny.runs
    assert list(run["metrics"]) == list(experiment.variants(experiment.preset("tiny")))
    for (variant, *path), value in numbers(run["metrics"]):
        assert math.isfinite(value), (variant, path)
        assert not SHARES & {*path} or 0 <= value <= 1, (variant, path)
        assert path[-1] not in POSITIVE or value > 0, (variant, path)
        assert "bleu" not in path or 0 <= value <= 100, (variant, path)
    if f"{name}.json" in results.available():  # seed 0 is the one whose arrays are kept
        assert kept(tiny) == kept(results.load(f"{name}.json"))
    claims = experiments.claims(tiny)
    assert {claim.id for claim in claims} == {entry["id"] for entry in entries(NAMES[name])}
    assert all(math.isfinite(value) for claim in claims for value in claim.values)


def measured(name: str, variant: str, trial: Trial) -> list[float]:
    experiment = experiments.experiment(name)
    return without_times(experiment.measure(experiment.preset("tiny"), variant, trial).metrics)


def without_times(metrics: Mapping[str, Any]) -> list[float]:
    return [value for path, value in numbers(metrics) if not {"seconds", "cpu_seconds"} & {*path}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("encoder_decoder_table", "dropout_updates"),
        ("decoding", "bottomup"),
        ("decoding_search", "translator_2"),
        ("sparse_transformers_training", "digits_dense"),
        ("representation_analysis", "networks"),
        ("circuits", "two_layers"),
        ("clinic", "no_shift"),
        ("decoder_of_today", "rotary"),
    ],
)
def test_an_interrupted_measurement_goes_on_to_the_same_numbers(
    name: str,
    variant: str,
    trial: Trial,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    interruptible: None,
):
    backward, calls = torch.Tensor.backward, 0

    def stop_once(loss: torch.Tensor, *given: Any, **options: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            signal.raise_signal(signal.SIGINT)
        backward(loss, *given, **options)

    expected = without_times(tiny_run(name).runs[0]["metrics"][variant])
    with monkeypatch.context() as patch:
        patch.setattr(torch.Tensor, "backward", stop_once)
        with pytest.raises(KeyboardInterrupt):
            measured(name, variant, trial)
    assert list(tmp_path.iterdir()) != []
    assert measured(name, variant, trial) == pytest.approx(expected, abs=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("multi_head_attention_retrieval", "2_linear"),
        ("circuits", "two_layers"),
        ("clinic", "no_shift"),
        ("sparse_transformers_depth", "1_scaled"),
    ],
)
def test_another_seed_gives_other_numbers(name: str, variant: str, trial: Trial):
    first = without_times(tiny_run(name).runs[0]["metrics"][variant])
    assert measured(name, variant, replace(trial, seed=1)) != pytest.approx(first, abs=2e-6)


@pytest.mark.slow
def test_a_guess_by_frequencies_is_that_of_each_side_of_the_captions():
    (guess,) = tiny_run("representation_analysis_captions").metric("networks.frequency_loss")
    assert guess["lm"] == guess["mlm"] != guess["mt"]
