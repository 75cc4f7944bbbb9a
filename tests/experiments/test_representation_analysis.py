"""Chapter 08's networks: a tiny run, interruption, presets, what is kept, and the distances."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bottomup.experiments import Record
from bottomup.experiments import representation_analysis as analysis
from bottomup.experiments import representation_analysis_networks as networks
from bottomup.experiments import representation_analysis_readings as readings
from bottomup.experiments.representation_analysis_config import (
    LABELS,
    LONGEST,
    Config,
    language_model_config,
    transformer_config,
)
from bottomup.experiments.representation_analysis_networks import Start
from bottomup.experiments.representation_analysis_text import Text, load_text
from bottomup.experiments.units import Outcome
from bottomup.models import LanguageModel, MaskedLanguageModel
from bottomup.training import fit

SEEDS = (0, 1)
CPU = torch.device("cpu")
TINY = analysis.PRESETS["tiny"]
OBJECTIVES = ("lm", "mlm", "mt")
VIEWS = ["all", "frequent", "within"]
STATIONS = ["layer_0", "layer_1", "layer_2"]
PAIRS = ["lm_lm", "lm_mlm", "lm_mt", "lm_untrained", "mlm_mlm", "mlm_mt", "mlm_untrained",
         "mt_mt", "mt_untrained", "untrained_untrained"]  # fmt: skip


@pytest.fixture(scope="module")
def tiny() -> Record:
    return analysis.run(TINY, SEEDS, "cpu")


@pytest.fixture(scope="module")
def text() -> Text:
    return load_text(TINY)


@pytest.fixture(scope="module")
def batches(text: Text) -> list[Tensor]:
    return networks.test_batches(text, CPU)


def keys(table: dict[str, Any]) -> list[str]:
    return list(table)


# ---- A tiny run


@pytest.mark.slow
def test_a_tiny_run_reads_every_network_at_every_station(tiny: Record):
    common = ["information", "probe", "neighbours"]
    for run in tiny.runs:
        found = run["metrics"]["networks"]
        assert keys(found) == [*OBJECTIVES, "untrained", "untrained_causal", "distances", "tokens"]
        for name in OBJECTIVES:
            extra = {"lm": ["next"], "mlm": ["masked", "exchanged"], "mt": []}[name]
            groups = ["change_by_group", "influence_by_group"]
            assert keys(found[name]) == ["loss", *common, *groups, *extra, "change"]
            for part in groups:
                assert keys(found[name][part]) == STATIONS[1:]
                assert keys(found[name][part]["layer_1"]) == ["group_0", "group_1"]
        for name in (*OBJECTIVES, "untrained", "untrained_causal"):
            assert all(keys(found[name][part]) == STATIONS for part in common)
            assert keys(found[name]["change"]) == VIEWS
            assert all(keys(found[name]["change"][view]) == STATIONS[1:] for view in VIEWS)
        for table in (found["mlm"]["masked"]["original"], found["mlm"]["exchanged"]["read"]):
            assert keys(table) == STATIONS


@pytest.mark.slow
def test_networks_that_have_hardly_been_trained_guess(tiny: Record, text: Text):
    for objective, types in zip(OBJECTIVES, (567, 567, len(text.target_tokens)), strict=True):
        losses = tiny.metric(f"networks.{objective}.loss")
        assert losses == pytest.approx([math.log(types)] * 2, abs=1)
        assert len(set(losses)) == 2


@pytest.mark.slow
def test_distances_are_there_for_every_pair_view_and_station(tiny: Record):
    for run in tiny.runs:
        found = run["metrics"]["networks"]["distances"]
        assert keys(found) == ["across", "shared", "shuffled"]
        assert keys(found["across"]) == keys(found["shared"]) == keys(found["shuffled"]) == VIEWS
        for view in VIEWS:
            assert keys(found["across"][view]) == PAIRS
            assert keys(found["shared"][view]) == [p for p in PAIRS if len(set(p.split("_"))) == 2]
            for pair in found["across"][view].values():
                assert keys(pair) == STATIONS
                assert all(0 <= value < found["shuffled"][view] for value in pair.values())


@pytest.mark.slow
def test_networks_of_one_start_lie_closer_than_networks_of_two(tiny: Record):
    for view, station in (("all", 0), ("frequent", 0), ("all", 2), ("within", 2)):
        for pair in ("lm_mlm", "lm_mt", "mlm_mt"):
            path = f"{view}.{pair}.layer_{station}"
            shared = tiny.metric(f"networks.distances.shared.{path}")
            across = tiny.metric(f"networks.distances.across.{path}")
            assert all(one < other - 0.1 for one, other in zip(shared, across, strict=True))


@pytest.mark.slow
def test_less_its_types_mean_an_embedding_is_its_position_alike_in_all_networks(tiny: Record):
    for kind in ("shared", "across"):
        for pair in ("lm_mlm", "mlm_mt"):
            path = f"networks.distances.{kind}.within.{pair}"
            assert tiny.metric(f"{path}.layer_0") == pytest.approx([0, 0], abs=1e-4)
            assert min(tiny.metric(f"{path}.layer_1")) > 1e-4


@pytest.mark.slow
def test_a_tiny_run_can_be_repeated_and_leaves_no_checkpoints(tiny: Record, tmp_path: Path):
    again = analysis.measure(TINY, "networks", 1, CPU, tmp_path / "networks-1.pt")
    assert list(tmp_path.iterdir()) == []
    assert again.arrays == {}  # seed 0 alone is kept
    found = tiny.runs[1]["metrics"]["networks"]
    assert flat(again.metrics) == pytest.approx(flat(found), abs=1e-6)


@pytest.mark.slow
def test_one_start_alone_gives_what_the_first_of_two_gives(tiny: Record, tmp_path: Path):
    found = analysis.one_start(TINY, 1, CPU, tmp_path / "networks-1.pt")
    assert list(tmp_path.iterdir()) == []
    both = tiny.runs[1]["metrics"]["networks"]
    assert keys(found) == [*OBJECTIVES, "untrained", "untrained_causal"]
    assert flat(found) == pytest.approx(flat({name: both[name] for name in found}), abs=1e-6)


def flat(table: Any, path: str = "") -> dict[str, float]:
    if not isinstance(table, dict):
        return {path: table}
    return {k: v for key, part in table.items() for k, v in flat(part, f"{path}.{key}").items()}


@pytest.mark.slow
def test_the_networks_of_seed_0_are_kept(tiny: Record, text: Text):
    prefix = "networks/0/"
    assert all(name.startswith(prefix) for name in tiny.arrays)
    kept = {name.removeprefix(prefix): array for name, array in tiny.arrays.items()}
    assert tuple(kept.pop("words").tolist()) == text.words.tokens
    assert {array.dtype for array in kept.values()} == {np.dtype("float16")}
    for objective in OBJECTIVES:
        model = read_back(kept, objective, text)
        own = [name for name in kept if name.startswith(f"{objective}.")]
        assert len(own) == len(list(model.parameters()))


# ---- Interruption


def without_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what costs time and does not depend on how training came to its end."""
    monkeypatch.setattr(analysis, "read", lambda *_: {})
    monkeypatch.setattr(analysis, "controls", lambda *_: {})


@pytest.mark.slow
def test_an_interrupted_run_goes_on_and_leaves_no_checkpoints(tmp_path: Path, monkeypatch):
    without_readings(monkeypatch)
    (tmp_path / "whole").mkdir()
    (tmp_path / "stopped").mkdir()

    def measure(folder: str) -> Outcome:
        return analysis.measure(TINY, "networks", 0, CPU, tmp_path / folder / "networks-0.pt")

    expected = measure("whole")
    assert list((tmp_path / "whole").iterdir()) == []
    trained: list[int] = []

    def stopping(*args: Any, **options: Any) -> Any:
        def stop(step: int, history: Any) -> None:
            if len(trained) == 4 and step == 1:  # the second network of the second start
                raise KeyboardInterrupt

        found = fit(*args, on_step=stop, **options)
        trained.append(len(found))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(networks, "fit", stopping)
        with pytest.raises(KeyboardInterrupt):
            measure("stopped")
    names = {path.name for path in (tmp_path / "stopped").iterdir()}
    assert names == {f"networks-0-{name}.pt" for name in ("lm-0", "mlm-0", "mt-0", "lm-1", "mlm-1")}
    found = measure("stopped")
    assert list((tmp_path / "stopped").iterdir()) == []
    assert found.metrics == expected.metrics
    assert found.arrays.keys() == expected.arrays.keys()
    assert all(np.array_equal(found.arrays[name], expected.arrays[name]) for name in found.arrays)


# ---- Presets


def test_presets():
    assert list(analysis.PRESETS) == ["tiny", "laptop", "recorded", "full"]
    assert analysis.PRESETS["recorded"] == Config()
    assert list(LABELS) == list(OBJECTIVES)
    for config in analysis.PRESETS.values():
        assert analysis.variants(config) == ["networks"]
        assert config.objectives == OBJECTIVES
        assert config.warmup < config.steps
        assert config.d_model % config.num_heads == 0
        assert config.rows >= 100 * config.d_model  # as many as a distance asks for
        assert config.frequent < config.types
        assert list(config.layer_numbers) == list(range(config.num_layers + 1))
    # fewer types than dimensions, so that their embeddings leave directions free
    assert all(c.frequent < c.d_model for name, c in analysis.PRESETS.items() if name != "tiny")
    json.dumps(TINY.groups)


def test_the_encoder_is_that_of_the_language_models():
    config = Config(norm="pre", num_layers=5)
    model, translator = language_model_config(config, 97), transformer_config(config, 97, 89)
    assert model.vocabulary == translator.source_vocabulary == 98  # one for the mask token
    assert translator.target_vocabulary == 89
    assert model.num_layers == translator.encoder_layers == 5
    assert translator.decoder_layers == 2
    assert model.max_length == translator.max_length == LONGEST
    for name in ("d_model", "num_heads", "d_ff", "norm", "positions"):
        assert getattr(model, name) == getattr(translator, name)
    assert model.positions == "sinusoidal"


# ---- What is kept


def read_back(kept: dict[str, np.ndarray], objective: str, text: Text) -> LanguageModel:
    kind = LanguageModel if objective == "lm" else MaskedLanguageModel
    model = kind(language_model_config(TINY, len(text.words)))
    weights = {
        name.removeprefix(f"{objective}."): torch.from_numpy(array).float()
        for name, array in kept.items()
        if name.startswith(f"{objective}.")
    }
    model.load_state_dict(weights, strict=True)
    return model.eval()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_kept_encoder_gives_the_states_up_to_rounding(text: Text, batches, objective: str):
    model = networks.untrained(TINY, text, objective, Start.of(3, 0)).eval()
    copy = read_back(analysis.kept(objective, model), objective, text)
    for tokens in batches[:3]:
        with torch.no_grad():
            expected, found = networks.states_of(model, tokens), copy(tokens).states
        for one, other in zip(found, expected, strict=True):
            assert 0 < (one - other).abs().max() < 0.02  # states of about 1, in 11 bits


# ---- Distances


def test_distances_by_hand(monkeypatch):
    """A view is one number for each station, and the distance of two is their product."""
    monkeypatch.setattr(analysis, "distance", lambda x, y: float(x * y))
    first = {"lm": 2, "mlm": 3, "untrained": 5}
    second = {"lm": 7, "mlm": 11, "untrained": 13}
    seen = [
        {
            name: {"all": [torch.tensor(value), torch.tensor(10 * value)]}
            for name, value in of.items()
        }
        for of in (first, second)
    ]
    table = analysis.distances(replace(TINY, objectives=("lm", "mlm")), seen)
    by_hand = {
        "across": {
            "lm_lm": 2 * 7,
            "lm_mlm": (2 * 11 + 7 * 3) / 2,
            "lm_untrained": (2 * 13 + 7 * 5) / 2,
            "mlm_mlm": 3 * 11,
            "mlm_untrained": (3 * 13 + 11 * 5) / 2,
            "untrained_untrained": 5 * 13,
        },
        "shared": {
            "lm_mlm": (2 * 3 + 7 * 11) / 2,
            "lm_untrained": (2 * 5 + 7 * 13) / 2,
            "mlm_untrained": (3 * 5 + 11 * 13) / 2,
        },
    }
    for kind, pairs in by_hand.items():
        found = table[kind]["all"]
        assert found == {
            pair: {"layer_0": value, "layer_1": 100 * value} for pair, value in pairs.items()
        }


def test_states_that_share_nothing_are_far_apart(generator):
    views = {"all": [torch.randn(700, 4, generator=generator) for _ in range(2)]}
    table = analysis.null(TINY, [{"lm": views}, {"lm": views}], seed=5)
    # the same rows on both sides, but one side is shuffled
    assert keys(table) == ["all"]
    assert 0.8 < table["all"] < 1
    assert readings.distance(*[views["all"][-1]] * 2) == pytest.approx(0, abs=1e-4)
