"""Chapter 08's training: one start for all objectives, the same sentences, and their losses."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor

from bottomup.data import EOS, Batch, MaskedBatch, Vocabulary, make_batch
from bottomup.experiments.representation_analysis import networks
from bottomup.experiments.representation_analysis.experiment import TINY
from bottomup.experiments.representation_analysis.networks import Start
from bottomup.experiments.representation_analysis.text import Text
from bottomup.models import LanguageModel, MaskedLanguageModel
from tests.experiments.representation_analysis.tiny_layers import (
    CPU,
    OBJECTIVES,
    tiny_batches,
    tiny_text,
)


def small_text() -> Text:
    """Seven words, and sentences of three lengths, unequally many of each."""
    words, target = Vocabulary(list("abcdefg")), Vocabulary(list("xyz"))

    def pairs(*lengths: int) -> list[tuple[list[int], list[int]]]:
        return [
            ([4 + (5 * place + number) % 7 for place in range(n)], [4 + number % 3] * (number % 5))
            for number, n in enumerate(lengths)
        ]

    return Text(words, target, pairs(2, 3, 5, 3), pairs(*[2] * 7, *[3] * 3, 11))


# ---- Sentences


def test_measured_sentences_come_once_in_batches_of_one_length(monkeypatch):
    text, batches = tiny_text(), tiny_batches()
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


def test_with_one_start_all_objectives_begin_with_one_encoder():
    text, before = tiny_text(), torch.get_rng_state()
    lm, mlm, mt = (networks.untrained(TINY, text, name, Start.of(3, 0)) for name in OBJECTIVES)
    assert torch.equal(torch.get_rng_state(), before)
    other = networks.untrained(TINY, text, "lm", Start.of(3, 1))
    assert not torch.equal(lm.embedding.weight, other.embedding.weight)
    assert type(lm) is LanguageModel
    assert type(mlm) is MaskedLanguageModel
    for tokens in tiny_batches()[:3]:
        with torch.no_grad():
            states = [networks.states_of(model, tokens) for model in (lm, mlm, mt)]
        assert [len(stations) for stations in states] == [4, 4, 4]
        assert torch.equal(states[0][0], states[1][0])
        assert torch.equal(states[0][0], states[2][0])
        for one, other in zip(states[1], states[2], strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=1e-5)
        assert not torch.allclose(states[0][1], states[1][1], atol=1e-3)  # the causal mask
    for one, other in zip(networks.layers_of(lm), networks.layers_of(mt), strict=True):
        for mine, its in zip(one.parameters(), other.parameters(), strict=True):
            assert torch.equal(mine, its)


def test_only_one_start_or_two_can_be_asked_for():
    for starts in (0, 3):
        with pytest.raises(ValueError, match=f"starts: expected one of 1, 2, got {starts}"):
            replace(TINY, starts=starts)


def source_of(batch: Batch | MaskedBatch) -> Tensor:
    return batch.source if isinstance(batch, Batch) else batch.original


def test_every_objective_sees_the_same_sentences_at_the_same_step():
    text = tiny_text()
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


def target_nats(text: Text, model: torch.nn.Module) -> list[float]:
    found = []
    for pair in text.test:
        batch = make_batch([pair])
        logs = log_probabilities(model, batch)[0]
        found += [-logs[place, token].item() for place, token in enumerate(batch.target_out[0])]
    return found


@pytest.mark.parametrize("objective", ["lm", "mt"])
def test_the_held_out_loss_is_the_mean_over_all_predicted_tokens(objective: str):
    text, seed = small_text(), 3
    model = networks.untrained(TINY, text, objective, Start.of(seed, 1)).train()
    found = networks.held_out_loss(text, objective, model, seed)
    nats = {
        "lm": lambda: next_nats(text, model),
        "mt": lambda: target_nats(text, model),
    }[objective]()
    counts = {"lm": 7 * 2 + 3 * 3 + 11, "mt": sum(1 + number % 5 for number in range(11))}
    assert len(nats) == counts[objective]
    assert found == pytest.approx(sum(nats) / len(nats), rel=1e-5)
    assert model.training
