"""Chapter 08's networks: a tiny run, one start for all, the same sentences, and what is read."""

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bottomup.analysis import TokenStates
from bottomup.data import EOS, Batch, BatchStream, MaskedBatch, MaskedStream, Vocabulary, make_batch
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


def small_text() -> Text:
    """Eleven words, and sentences of three lengths, unequally many of each."""
    words, target = Vocabulary(list("abcdefg")), Vocabulary(list("xyz"))

    def pairs(*lengths: int) -> list[tuple[list[int], list[int]]]:
        return [
            ([4 + (5 * place + number) % 7 for place in range(n)], [4 + number % 3] * (number % 5))
            for number, n in enumerate(lengths)
        ]

    return Text(words, target, pairs(2, 3, 5, 3), pairs(*[2] * 7, *[3] * 3, 11))


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


# ---- Presets and text


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


def test_the_mini_language_is_measured_on_sentences_that_were_not_trained_on(text: Text):
    assert len(text.test) == TINY.sentences == 200
    assert text.mask_id == len(text.words) == 566
    assert not {tuple(source) for source, _ in text.train} & {tuple(s) for s, _ in text.test}
    more = load_text(replace(TINY, sentences=7))
    assert more.test == text.test[:7]
    assert more.train is text.train
    assert all(0 < len(source) < LONGEST for source, _ in (*text.train, *text.test))
    assert all(target for _, target in text.train)


@pytest.mark.slow
def test_docstrings_have_no_translation_and_rare_words_are_unknown():
    text = load_text(Config(corpus="docstrings", sentences=300, objectives=("lm", "mlm")))
    assert (len(text.test), len(text.target_tokens)) == (300, 4)
    assert not any(target for _, target in (*text.train, *text.test))
    counts = torch.bincount(torch.tensor([word for source, _ in text.train for word in source]))
    assert counts[4:].min() == 5
    assert counts[3] > 0
    assert max(len(source) for source, _ in text.train) < LONGEST


def test_measured_sentences_come_once_in_batches_of_one_length(text: Text, batches, monkeypatch):
    assert all((tokens[:, -1] == EOS).all() for tokens in batches)
    assert all((tokens != 0).all() for tokens in batches)
    rows = [row[:-1] for tokens in batches for row in tokens.tolist()]
    assert sorted(rows) == sorted(source for source, _ in text.test)
    lengths = [tokens.shape[1] for tokens in batches]
    assert lengths == sorted(lengths)
    monkeypatch.setattr(networks, "BATCH_OF_TEST", 5)
    few = networks.test_batches(small_text(), CPU)
    assert [tuple(tokens.shape) for tokens in few] == [(5, 3), (2, 3), (3, 4), (1, 12)]


# ---- One start


def test_with_one_start_all_objectives_begin_with_one_encoder(text: Text, batches):
    lm, mlm, mt = (networks.untrained(TINY, text, name, Start.of(3, 0)) for name in OBJECTIVES)
    assert type(lm) is LanguageModel
    assert type(mlm) is MaskedLanguageModel
    for tokens in batches[:3]:
        with torch.no_grad():
            states = [networks.states_of(model, tokens) for model in (lm, mlm, mt)]
        assert [len(stations) for stations in states] == [3, 3, 3]
        assert torch.equal(states[0][0], states[1][0])
        assert torch.equal(states[0][0], states[2][0])
        for one, other in zip(states[1], states[2], strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=1e-5)
        assert not torch.allclose(states[0][1], states[1][1], atol=1e-3)  # the causal mask
    for one, other in zip(networks.layers_of(lm), networks.layers_of(mt), strict=True):
        for mine, its in zip(one.parameters(), other.parameters(), strict=True):
            assert torch.equal(mine, its)


def test_starts_differ_and_leave_the_callers_random_numbers(text: Text):
    assert [Start.of(seed, number).seed for number in (0, 1) for seed in (0, 3)] == [
        0, 3, 50_000, 50_003,
    ]  # fmt: skip
    before = torch.get_rng_state()
    one, other = (networks.untrained(TINY, text, "mlm", Start.of(3, number)) for number in (0, 1))
    assert torch.equal(torch.get_rng_state(), before)
    assert not torch.equal(one.embedding.weight, other.embedding.weight)


def source_of(batch: Batch | MaskedBatch) -> Tensor:
    return batch.source if isinstance(batch, Batch) else batch.original


def test_every_objective_sees_the_same_sentences_at_the_same_step(text: Text):
    lm, mlm, mt = (networks.batches(TINY, text, name, Start.of(3, 0)) for name in OBJECTIVES)
    for step in (0, 1, 7, 113):
        assert torch.equal(source_of(lm(step)), source_of(mlm(step)))
        assert torch.equal(source_of(lm(step)), source_of(mt(step)))
        assert mlm(step).chosen.any()
        assert mlm(step).corrupted.max() <= text.mask_id
    other = networks.batches(TINY, text, "lm", Start.of(3, 1))
    assert not all(
        source_of(lm(step)).shape == source_of(other(step)).shape
        and torch.equal(source_of(lm(step)), source_of(other(step)))
        for step in range(5)
    )


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_training_moves_the_network_and_starts_where_it_should(text: Text, objective: str):
    model = networks.train(replace(TINY, steps=2, warmup=1), text, objective, Start.of(3, 0), CPU)
    start = networks.untrained(TINY, text, objective, Start.of(3, 0))
    assert not model.training
    for one, other in zip(model.parameters(), start.parameters(), strict=True):
        # a step of Adam moves no number by much more than the rate
        assert (one - other).abs().max() < 3 * TINY.learning_rate
    assert not torch.equal(networks.layers_of(model)[0].attention.W_V.weight,
                           networks.layers_of(start)[0].attention.W_V.weight)  # fmt: skip


# ---- Losses


def log_probabilities(model: torch.nn.Module, given: Any) -> Tensor:
    with torch.no_grad():
        return model(given).logits.log_softmax(dim=-1)


def next_nats(text: Text, model: torch.nn.Module) -> list[float]:
    found = []
    for source, _ in text.test:
        ids = [*source, EOS]
        logs = log_probabilities(model, torch.tensor([ids]))[0]
        found += [-logs[place, token].item() for place, (_, token) in enumerate(pairwise(ids))]
    return found


def masked_nats(text: Text, model: torch.nn.Module, seed: int) -> list[float]:
    sentences = BatchStream(text.test, tokens_per_batch=2_048, seed=networks.HELD_OUT)
    stream = MaskedStream(
        sentences,
        mask_id=text.mask_id,
        vocabulary=text.mask_id,
        seed=networks.HELD_OUT + seed,
    )
    found = []
    for step in range(sentences.steps_per_epoch):
        batch = stream(step)
        logs = log_probabilities(model, batch.corrupted)
        for row, place in batch.chosen.nonzero().tolist():
            found.append(-logs[row, place, batch.original[row, place]].item())
    return found


def target_nats(text: Text, model: torch.nn.Module) -> list[float]:
    found = []
    for pair in text.test:
        batch = make_batch([pair])
        logs = log_probabilities(model, batch)[0]
        found += [-logs[place, token].item() for place, token in enumerate(batch.target_out[0])]
    return found


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_held_out_loss_is_the_mean_over_all_predicted_tokens(objective: str):
    text, start = small_text(), Start.of(3, 1)
    model = networks.untrained(TINY, text, objective, start).train()
    found = networks.held_out_loss(TINY, text, objective, model, start)
    nats = {
        "lm": lambda: next_nats(text, model),
        "mlm": lambda: masked_nats(text, model, start.seed),
        "mt": lambda: target_nats(text, model),
    }[objective]()
    counts = {"lm": 7 * 2 + 3 * 3 + 11, "mt": sum(1 + number % 5 for number in range(11))}
    assert len(nats) == counts.get(objective, len(nats))
    assert found == pytest.approx(sum(nats) / len(nats), rel=1e-5)
    assert model.training


def test_the_hidden_tokens_of_the_held_out_loss_depend_on_the_start():
    text = small_text()
    model = networks.untrained(TINY, text, "mlm", Start.of(3, 0))
    losses = {
        networks.held_out_loss(TINY, text, "mlm", model, Start.of(seed, 0)) for seed in (3, 3, 4)
    }
    assert len(losses) == 2


# ---- What is read


def test_next_tokens_by_hand():
    batches = [torch.tensor([[5, 7, 11, 2], [13, 3, 5, 2]]), torch.tensor([[17, 2]])]
    # what the first sentence says, then the second, whose unknown word is not kept but may follow
    assert readings.next_tokens(batches).tolist() == [7, 11, 2, 3, 2, 2]


def test_next_tokens_stand_beside_the_tokens_that_are_gathered(text: Text, batches):
    model = networks.untrained(TINY, text, "lm", Start.of(3, 0)).eval()
    found, following = readings.gather(model, batches), readings.next_tokens(batches)
    assert (found.tokens >= 4).all()
    rows = [row.tolist() for tokens in batches for row in tokens]
    for sentence, position, own, after in list(
        zip(*(part.tolist() for part in (*found[2:], found.tokens, following)), strict=True)
    )[::53]:
        assert rows[sentence][position : position + 2] == [own, after]


def test_every_network_is_read_at_the_same_tokens_and_in_the_same_rows(text: Text, batches):
    config, seen = replace(TINY, rows=97), []
    for objective in OBJECTIVES:
        model = networks.untrained(config, text, objective, Start.of(3, 1)).eval()
        found = readings.gather(model, batches)
        seen.append(found)
        # station 1 in place of which stand the numbers of the rows
        numbers = torch.arange(len(found.tokens), dtype=torch.float32)[:, None]
        marked = found._replace(states=(found.states[1], numbers))
        views = readings.views(marked, config, seed=5)
        assert list(views) == VIEWS
        for name, types in (("all", config.types), ("frequent", config.frequent)):
            states, rows = views[name]
            rows = rows.flatten().long()
            assert len(rows.unique()) == 97
            assert torch.equal(states, found.states[1][rows])
            kinds = torch.bincount(found.tokens).argsort(descending=True, stable=True)[:types]
            assert torch.isin(found.tokens[rows], kinds).all()
    for found in seen[1:]:
        for name in ("tokens", "sentences", "positions"):
            assert torch.equal(getattr(found, name), getattr(seen[0], name))
    one, other = (readings.views(seen[0], config, seed=seed)["all"][0] for seed in (5, 6))
    assert not torch.equal(one, other)


def made_up(tokens: list[int], station: list[float]) -> TokenStates:
    count = torch.arange(len(tokens))
    return TokenStates((torch.tensor(station)[:, None],), torch.tensor(tokens), count, count)


def test_the_view_within_types_takes_their_means_off():
    found = made_up([5, 5, 7, 7, 7, 11], [1.0, 3.0, 10.0, 20.0, 60.0, 1e3])
    views = readings.views(found, replace(TINY, types=2, frequent=1, within=2), seed=5)
    assert sorted(views["all"][0].flatten().tolist()) == [1, 3, 10, 20, 60]
    assert sorted(views["frequent"][0].flatten().tolist()) == [10, 20, 60]
    assert sorted(views["within"][0].flatten().tolist()) == [-20, -10, -1, 1, 30]


def read_plainly(model: torch.nn.Module, tokens: Tensor) -> list[Tensor]:
    return [tokens[..., None].float(), -tokens[..., None].float()]


def test_exchanged_and_hidden_tokens_are_those_that_were_read(batches, monkeypatch):
    monkeypatch.setattr(readings, "states_of", read_plainly)
    model, config = torch.nn.Identity(), replace(TINY, exchanged=20, passes=3)
    wrong, originals = readings.exchanged(model, batches, config, seed=5)
    assert torch.equal(wrong.states[0].flatten().long(), wrong.tokens)
    assert torch.equal(wrong.states[1], -wrong.states[0])
    assert (wrong.tokens != originals).all()
    for tokens in (wrong.tokens, originals):
        assert tokens.min() >= 4
        assert tokens.max() < 24
    rows = [row.tolist() for tokens in batches for row in tokens]
    for sentence, position, original in zip(
        wrong.sentences.tolist(), wrong.positions.tolist(), originals.tolist(), strict=True
    ):
        assert rows[sentence][position] == original
    eligible = sum(int(((tokens >= 4) & (tokens < 24)).sum()) for tokens in batches)
    assert len(originals) == pytest.approx(3 * 0.12 * eligible, rel=0.2)


def test_of_hidden_tokens_the_originals_are_kept(batches, monkeypatch):
    monkeypatch.setattr(readings, "states_of", read_plainly)
    hidden, originals = readings.masked(
        torch.nn.Identity(), batches, 566, replace(TINY, passes=2), seed=5
    )
    assert (hidden.tokens == 566).all()
    assert (hidden.states[0] == 566).all()
    assert originals.min() >= 4
    assert originals.max() < 566
    rows = [row.tolist() for tokens in batches for row in tokens]
    places = zip(hidden.sentences.tolist(), hidden.positions.tolist(), strict=True)
    assert [rows[sentence][position] for sentence, position in places] == originals.tolist()
    ordinary = sum(int((tokens >= 4).sum()) for tokens in batches)
    assert len(originals) == pytest.approx(2 * 0.15 * 0.8 * ordinary, rel=0.2)


def test_a_probe_is_fitted_and_tested_on_sentences_apart(monkeypatch):
    """Each token says in its state which sentence it stands in."""
    n = 60
    sentences = torch.arange(n).repeat_interleave(4)
    tokens = torch.tensor([4, 5, 6, 7]).repeat(n)
    states = sentences[:, None].float()
    found = TokenStates((states,) * 3, tokens, sentences, torch.arange(4).repeat(n))
    seen = []

    def probe(features: Tensor, labels: Tensor, **given: Any) -> Any:
        seen.append((features, labels, given))
        return type("Probe", (), {"accuracy": 0.5, "chance": 0.25, "control": 0.125})

    monkeypatch.setattr(readings, "linear_probe", probe)
    config = replace(TINY, probed=3, probe_tokens=10_000)
    table = readings.probed(found, config, seed=5)
    assert keys(table) == STATIONS
    assert table["layer_1"] == {"accuracy": 0.5, "chance": 0.25, "control": 0.125}
    for features, labels, given in seen:
        fitted, tested = (
            set(features.flatten().tolist()),
            set(given["test_features"].flatten().tolist()),
        )
        assert (len(fitted), len(tested)) == (40, 20)
        assert not fitted & tested
        assert given["classes"] == 3
        assert torch.bincount(labels).tolist() == [40, 40, 40]
        assert torch.bincount(given["test_labels"]).tolist() == [20, 20, 20]


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


def test_a_distance_is_the_same_in_both_directions(generator):
    x, y = torch.randn(2, 500, 4, generator=generator)
    y = y + x @ torch.diag(torch.tensor([1.0, 0.5, 0.1, 0.0]))
    assert readings.distance(x, y) == pytest.approx(readings.distance(y, x), abs=1e-9)
    assert 0.1 < readings.distance(x, y) < 0.9


def test_states_that_share_nothing_are_far_apart(generator):
    views = {"all": [torch.randn(700, 4, generator=generator) for _ in range(2)]}
    table = analysis.null(TINY, [{"lm": views}, {"lm": views}], seed=5)
    # the same rows on both sides, but one side is shuffled
    assert keys(table) == ["all"]
    assert 0.8 < table["all"] < 1
    assert readings.distance(*[views["all"][-1]] * 2) == pytest.approx(0, abs=1e-4)


def test_changes_are_between_neighbouring_stations(monkeypatch):
    monkeypatch.setattr(readings, "distance", lambda x, y: float(100 * x + y))
    seen = {name: [torch.tensor(value) for value in (2, 3, 5)] for name in VIEWS}
    expected = {"layer_1": 203.0, "layer_2": 305.0}
    assert readings.change(seen) == dict.fromkeys(VIEWS, expected)
