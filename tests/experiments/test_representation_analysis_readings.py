"""Chapter 08's readings: the same tokens and rows for every network, and what is kept of them."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from bottomup.analysis import TokenStates
from bottomup.experiments import representation_analysis_networks as networks
from bottomup.experiments import representation_analysis_readings as readings
from bottomup.experiments.representation_analysis import PRESETS
from bottomup.experiments.representation_analysis_networks import Start
from bottomup.experiments.representation_analysis_text import Text, load_text

CPU = torch.device("cpu")
TINY = PRESETS["tiny"]
OBJECTIVES = ("lm", "mlm", "mt")
VIEWS = ["all", "frequent", "within"]
STATIONS = ["layer_0", "layer_1", "layer_2"]


@pytest.fixture(scope="module")
def text() -> Text:
    return load_text(TINY)


@pytest.fixture(scope="module")
def batches(text: Text) -> list[Tensor]:
    return networks.test_batches(text, CPU)


def keys(table: dict[str, Any]) -> list[str]:
    return list(table)


# ---- Rows


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


# ---- Distances


def test_a_distance_is_the_same_in_both_directions(generator):
    x, y = torch.randn(2, 500, 4, generator=generator)
    y = y + x @ torch.diag(torch.tensor([1.0, 0.5, 0.1, 0.0]))
    assert readings.distance(x, y) == pytest.approx(readings.distance(y, x), abs=1e-9)
    assert 0.1 < readings.distance(x, y) < 0.9


def test_changes_are_between_neighbouring_stations(monkeypatch):
    monkeypatch.setattr(readings, "distance", lambda x, y: float(100 * x + y))
    seen = {name: [torch.tensor(value) for value in (2, 3, 5)] for name in VIEWS}
    expected = {"layer_1": 203.0, "layer_2": 305.0}
    assert readings.change(seen) == dict.fromkeys(VIEWS, expected)
