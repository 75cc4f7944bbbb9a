"""Chapter 08's readings: the same tokens and rows for every network, and what is kept of them."""

from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from torch import Tensor

from bottomup.analysis import TokenStates
from bottomup.experiments.representation_analysis import networks, readings
from bottomup.experiments.representation_analysis.experiment import TINY
from bottomup.experiments.representation_analysis.networks import Start
from tests.experiments.representation_analysis.tiny_layers import (
    OBJECTIVES,
    VIEWS,
    tiny_batches,
    tiny_text,
)

# ---- Rows


def test_next_tokens_by_hand():
    batches = [torch.tensor([[5, 7, 11, 2], [13, 3, 5, 2]]), torch.tensor([[17, 2]])]
    # what the first sentence says, then the second, whose unknown word is not kept but may follow
    assert readings.next_tokens(batches).tolist() == [7, 11, 2, 3, 2, 2]


def test_every_network_is_read_at_the_same_tokens_and_in_the_same_rows():
    config, seen = replace(TINY, rows=97), []
    for objective in OBJECTIVES:
        model = networks.untrained(config, tiny_text(), objective, Start.of(3, 1)).eval()
        found = readings.gather(model, tiny_batches())
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


def test_exchanged_tokens_are_those_that_were_read(monkeypatch):
    batches = tiny_batches()
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


def test_of_hidden_tokens_the_originals_are_kept(monkeypatch):
    batches = tiny_batches()
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


# ---- Groups


def test_a_group_has_so_many_types_from_its_rank_on():
    counts = torch.tensor([0, 0, 0, 0, 50, 20, 90, 2, 9, 70, 43])
    # ranks 0 to 6 have the types 6, 9, 4, 10, 5, 8, 7
    config = replace(TINY, groups=(0, 3, 5), group_types=2)
    tokens = torch.tensor([[4, 5, 6, 7], [8, 9, 10, 2], [0, 1, 3, 6]])
    assert readings.groups_of(tokens, config, counts).tolist() == [
        [-1, 1, 0, 2],  # type 4 has rank 2, between two groups
        [2, 0, 1, -1],
        [-1, -1, -1, 0],
    ]
    counts = torch.tensor([97, 89, 83, 79, 5, 3, 0])  # special tokens have none however frequent
    config = replace(TINY, groups=(0,), group_types=6)
    assert readings.groups_of(torch.arange(7), config, counts).tolist() == [-1] * 4 + [0, 0, -1]


# ---- Seeds


def test_no_two_uses_share_a_seed():
    uses = (
        networks.BATCHES,
        networks.CORRUPTIONS,
        networks.HELD_OUT,
        readings.INFORMATION,
        readings.VIEWS,
        readings.PROBE,
        readings.NEIGHBOURS,
        readings.POSITIONS,
        readings.GROUPS,
        readings.INFLUENCE,
        readings.HIDDEN,
        readings.EXCHANGED,
        readings.SHUFFLED,
    )
    # the seed of a start is added: that of the record, and for the second start 50,000
    assert max(networks.STARTS) < 100_000
    assert all(one + 100_000 <= other for one, other in pairwise(sorted([0, *uses])))


# ---- Distances


def test_changes_are_between_neighbouring_stations(monkeypatch):
    monkeypatch.setattr(readings, "distance", lambda x, y: float(100 * x + y))
    seen = {name: [torch.tensor(value) for value in (2, 3, 5)] for name in VIEWS}
    expected = {"layer_1": 203.0, "layer_2": 305.0}
    assert readings.change(seen) == dict.fromkeys(VIEWS, expected)
