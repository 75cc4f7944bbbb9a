"""Chapter 08's main experiment: a tiny run, interruption, presets, and what is kept."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bottomup.experiments import Record
from bottomup.experiments.engine.units import Outcome
from bottomup.experiments.representation_analysis import experiment as analysis
from bottomup.experiments.representation_analysis import measure as measuring
from bottomup.experiments.representation_analysis import networks
from bottomup.experiments.representation_analysis.config import (
    LABELS,
    LONGEST,
    Config,
    language_model_config,
    transformer_config,
)
from bottomup.experiments.representation_analysis.experiment import TINY
from bottomup.experiments.representation_analysis.measure import Networks
from bottomup.experiments.representation_analysis.networks import Start
from bottomup.experiments.representation_analysis.text import Text
from bottomup.models import LanguageModel, MaskedLanguageModel, Transformer
from bottomup.training import fit
from tests.experiments.representation_analysis.tiny_layers import (
    CPU,
    OBJECTIVES,
    STATIONS,
    VIEWS,
    tiny_batches,
    tiny_text,
)

SEEDS = (0, 1)
PAIRS = ["lm_lm", "lm_mlm", "lm_mt", "lm_untrained", "mlm_mlm", "mlm_mt", "mlm_untrained",
         "mt_mt", "mt_untrained", "untrained_untrained"]  # fmt: skip


@pytest.fixture(scope="module")
def tiny() -> Record:
    return analysis.run(TINY, SEEDS, "cpu")


def keys(table: dict[str, Any]) -> list[str]:
    return list(table)


# ---- A tiny run


@pytest.mark.slow
def test_a_tiny_run_reads_every_network_trained_or_not_at_every_station(tiny: Record):
    networks = {"lm": "lm", "mlm": "mlm", "mt": "mt", "untrained": "mlm", "untrained_causal": "lm"}
    everywhere = ["information", "probe", "neighbours"]
    of_layers = ["change_by_group", "influence_by_group"]
    for run in tiny.runs:
        found = run["metrics"]["networks"]
        assert keys(found) == [*networks, "distances", "tokens"]
        for name, objective in networks.items():
            extra = {"lm": ["next"], "mlm": ["masked", "exchanged"], "mt": []}[objective]
            assert keys(found[name]) == ["loss", *everywhere, "change", *of_layers, *extra]
            for part in of_layers:
                assert keys(found[name][part]) == STATIONS[1:]
                assert keys(found[name][part]["layer_1"]) == ["group_0", "group_1"]
            assert keys(found[name]["change"]) == VIEWS
            assert all(keys(found[name]["change"][view]) == STATIONS[1:] for view in VIEWS)
            assert keys(found[name]["probe"]) == ["layer_0", "layer_1", "layer_3"]
            tables = [found[name]["information"], found[name]["neighbours"]]
            if objective == "lm":
                tables.append(found[name]["next"])
            if objective == "mlm":
                tables += [*found[name]["masked"].values(), *found[name]["exchanged"].values()]
            assert all(keys(table) == STATIONS for table in tables)


@pytest.mark.slow
def test_networks_that_have_hardly_been_trained_guess(tiny: Record):
    names = (*OBJECTIVES, "untrained", "untrained_causal")
    types = (567, 567, len(tiny_text().target_tokens), 567, 567)
    for name, count in zip(names, types, strict=True):
        losses = tiny.metric(f"networks.{name}.loss")
        assert losses == pytest.approx([math.log(count)] * 2, abs=1)
        assert len(set(losses)) == 2
    assert tiny.metric("networks.lm.loss") != tiny.metric("networks.untrained_causal.loss")


@pytest.mark.slow
def test_the_tokens_that_are_measured_are_counted(tiny: Record):
    unknown = sum(source.count(3) for source, _ in tiny_text().test)
    count = sum(len(source) for source, _ in tiny_text().test) - unknown
    assert tiny.metric("networks.tokens") == (count, count)


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
    for view, station in (("all", 0), ("frequent", 0), ("all", 3), ("within", 3)):
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
def test_one_start_alone_gives_the_same_without_distances(tiny: Record, tmp_path: Path):
    config = replace(TINY, starts=1)
    found = measuring.measure_networks(Networks(config, 1, CPU, tmp_path / "networks-1.pt"))
    both = tiny.runs[1]["metrics"]["networks"]
    assert keys(found) == [name for name in both if name != "distances"]
    assert flat(found) == pytest.approx(flat({name: both[name] for name in found}), abs=1e-6)


def flat(table: Any, path: str = "") -> dict[str, float]:
    if not isinstance(table, dict):
        return {path: table}
    return {k: v for key, part in table.items() for k, v in flat(part, f"{path}.{key}").items()}


@pytest.mark.slow
def test_the_networks_of_seed_0_are_kept(tiny: Record):
    prefix, text = "networks/0/", tiny_text()
    assert all(name.startswith(prefix) for name in tiny.arrays)
    kept = {name.removeprefix(prefix): array for name, array in tiny.arrays.items()}
    assert tuple(kept.pop("words").tolist()) == text.words.tokens
    assert {array.dtype for array in kept.values()} == {np.dtype("float16")}
    for objective in OBJECTIVES:
        model = read_back(kept, objective, text)
        own = [name for name in kept if name.startswith(f"{objective}.")]
        assert len(own) == len(list(model.parameters()))


# ---- Interruption


@pytest.mark.slow
def test_an_interrupted_run_goes_on_and_leaves_no_checkpoints(tmp_path: Path, monkeypatch):
    # readings cost time and do not depend on how training came to its end
    monkeypatch.setattr(measuring, "read", lambda *_: {})
    (tmp_path / "whole").mkdir()
    (tmp_path / "stopped").mkdir()

    def measure(folder: str) -> Outcome:
        return analysis.measure(TINY, "networks", 0, CPU, tmp_path / folder / "networks-0.pt")

    expected = measure("whole")
    assert list((tmp_path / "whole").iterdir()) == []
    trained: list[int] = []

    def stopping(*args: Any, **options: Any) -> Any:
        def stop(step: int, history: Any) -> None:
            # three of the first start, the same read back for the distances, one of the second
            if len(trained) == 7 and step == 1:
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


def read_back(
    kept: dict[str, np.ndarray], objective: str, text: Text, config: Config = TINY
) -> LanguageModel:
    kind = LanguageModel if objective == "lm" else MaskedLanguageModel
    model = kind(language_model_config(config, len(text.words)))
    weights = {
        name.removeprefix(f"{objective}."): torch.from_numpy(array).float()
        for name, array in kept.items()
        if name.startswith(f"{objective}.")
    }
    model.load_state_dict(weights, strict=True)
    return model.eval()


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_kept_encoder_gives_the_states_up_to_rounding(objective: str, norm: str):
    config, text = replace(TINY, norm=norm), tiny_text()
    model = networks.untrained(config, text, objective, Start.of(3, 0)).eval()
    copy = read_back(analysis.kept(objective, model), objective, text, config)
    for tokens in tiny_batches()[:3]:
        with torch.no_grad():
            expected, found = networks.states_of(model, tokens), copy(tokens).states
        for one, other in zip(found, expected, strict=True):
            assert 0 < (one - other).abs().max() < 0.02  # states of about 1, in 11 bits


def test_the_last_norm_of_a_translators_encoder_is_kept_where_there_is_one():
    config, text = replace(TINY, norm="pre"), tiny_text()
    model = networks.untrained(config, text, "mt", Start.of(3, 0)).eval()
    assert isinstance(model, Transformer)
    gain, bias = torch.tensor([2.0, 3.0, 5.0, 7.0]), torch.tensor([11.0, 13.0, 17.0, 19.0])
    model.encoder_norm.load_state_dict({"gain": gain, "bias": bias})
    copy = read_back(analysis.kept("mt", model), "mt", text, config)
    assert torch.equal(copy.final_norm.gain, gain) and torch.equal(copy.final_norm.bias, bias)
    tokens = tiny_batches()[0]
    with torch.no_grad():
        expected = model.encode(tokens, torch.ones_like(tokens, dtype=torch.bool))
        found = copy.final_norm(copy(tokens).states[-1])
    torch.testing.assert_close(found, expected, rtol=0, atol=0.1)  # gains of up to 7
