"""Chapter 08's linear probes: on which tokens they are fitted, and on which they are tested."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor

from bottomup.analysis import TokenStates
from bottomup.experiments.representation_analysis import readings
from bottomup.experiments.representation_analysis.experiment import TINY


@dataclass(frozen=True)
class Fit:
    """What a probe is fitted to and tested on; a state is a number."""

    states: list[float]
    labels: list[int]
    test_states: list[float]
    test_labels: list[int]
    classes: int


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[Fit]:
    """In place of probes that are fitted, what they are to be fitted to."""
    seen: list[Fit] = []

    def probe(features: Tensor, labels: Tensor, **given: Any) -> Any:
        tensors = (features, labels, given["test_features"], given["test_labels"])
        seen.append(Fit(*(one.flatten().tolist() for one in tensors), given["classes"]))
        return type("Probe", (), {"accuracy": 0.5, "chance": 0.25, "control": 0.125})

    monkeypatch.setattr(readings, "linear_probe", probe)
    return seen


def states(sentences: Tensor, tokens: Tensor, number: Tensor) -> TokenStates:
    """Tokens with a number each, their state at all four stations."""
    return TokenStates(
        (number[:, None].float(),) * 4, tokens, sentences, torch.zeros_like(sentences)
    )


def test_a_probe_is_fitted_and_tested_on_sentences_apart(fits: list[Fit]):
    """Each token says in its state which sentence it stands in."""
    sentences = torch.arange(60).repeat_interleave(4)
    tokens = torch.tensor([4, 5, 6, 7]).repeat(60)
    config = replace(TINY, probed=3, probe_tokens=10_000)
    table = readings.probed(states(sentences, tokens, sentences), config, seed=5)
    assert list(table) == ["layer_0", "layer_1", "layer_3"]
    assert table["layer_1"] == {"accuracy": 0.5, "chance": 0.25, "control": 0.125}
    for fit in fits:
        fitted, tested = set(fit.states), set(fit.test_states)
        assert (len(fitted), len(tested)) == (40, 20)
        assert not fitted & tested
        assert fit.classes == 3
        assert [fit.labels.count(label) for label in range(3)] == [40] * 3
        assert [fit.test_labels.count(label) for label in range(3)] == [20] * 3


def test_types_that_come_once_among_what_is_fitted_are_left_out(fits: list[Fit]):
    """Types 4 and 7 come in every sentence, 5 in two that are fitted to, 6 in one of those."""
    order = torch.randperm(30, generator=readings.generator(readings.PROBE, 5))
    every, fitted = torch.arange(30), (order < 20).nonzero().flatten()
    sentences = torch.cat([every, fitted[:2], fitted[:1], every])
    tokens = torch.tensor([4] * 30 + [5] * 2 + [6] + [7] * 30)
    readings.probed(
        states(sentences, tokens, tokens), replace(TINY, probed=4, probe_tokens=999), seed=5
    )
    for fit in fits:
        assert fit.classes == 3
        assert set(zip(fit.states, fit.labels, strict=True)) == {(4, 0), (5, 1), (7, 2)}
        assert set(zip(fit.test_states, fit.test_labels, strict=True)) == {(4, 0), (7, 2)}
