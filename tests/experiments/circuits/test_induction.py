"""Chapter 09's networks that repeat: measures by hand."""

import math

import pytest
import torch

from bottomup.data import InductionBatch
from bottomup.experiments import Record
from bottomup.experiments.circuits import induction
from bottomup.experiments.circuits.config import PRESETS, Trained
from bottomup.models import AttentionOnlyOutput

NAME = "circuits"
TINY = PRESETS["tiny"]


def points(losses: list[float], prefix: list[float], previous: list[float]) -> list[dict]:
    names = ("loss", "prefix", "previous")
    return [
        dict(zip(names, each, strict=True)) for each in zip(losses, prefix, previous, strict=True)
    ]


def test_the_window_by_hand():
    losses = [10, 9.5, 9.2, 5, 0.8, 0.5, 0.2, 0.1, 0.1, 0.0]  # from 1 (9 or more) to 4 (1 or less)
    prefix = [0.0, 0.0, 0.1, 0.5, 0.9, 0.9, 0.9, 1.0, 1.0, 1.0]
    previous = [0.1 * i for i in range(10)]
    found = induction.window(points(losses, prefix, previous))
    assert (found["start"], found["end"]) == (2 / 9, 4 / 9)
    assert found["prefix"] == pytest.approx(0.8 - 2 / 9)
    assert found["previous"] == pytest.approx(0)  # it rises evenly


def test_a_score_that_does_not_rise_has_no_share():
    found = induction.window(points([2.0, 1.0, 0.0], [0.5] * 3, [0.1, 0.9, 0.1]))
    assert found["prefix"] == found["previous"] == -1.0


def test_the_loss_counts_predictable_places_or_all():
    batch = InductionBatch(
        torch.tensor([[0, 1, 2]]), torch.tensor([[1, 2, 0]]), torch.tensor([[False, True, False]])
    )
    logits = torch.tensor([[[0.0, 0, 0], [0, 0, math.log(2)], [9.0, 0, 0]]])

    def model(_symbols: torch.Tensor) -> AttentionOnlyOutput:
        return AttentionOnlyOutput(logits, logits, ())

    some = induction.cross_entropy(model, batch, everywhere=False).item()
    every = induction.cross_entropy(model, batch, everywhere=True).item()
    assert some == pytest.approx(math.log(2))
    assert every == pytest.approx((math.log(2) + math.log(3)) / 2)


@pytest.mark.parametrize("positions", ["in_scores", "sinusoidal"])
def test_heads_that_are_off_and_paths_that_are_cut(positions):
    model = induction.build(TINY, Trained(positions=positions), 3)
    batch = induction.evaluated(TINY, "random")
    found = induction.head_scores(model, batch)
    for layer, head in ((0, 1), (1, 0)):
        on = torch.ones(2, 2, dtype=torch.bool)
        on[layer, head] = False
        right = model(batch.symbols, head_mask=on).logits.argmax(-1) == batch.following
        expected = right[batch.predictable].double().mean().item()
        assert found[f"layer_{layer}_head_{head}"]["off"] == pytest.approx(expected)
    x = model.embed(batch.symbols)
    y = x + model.layers[0](model.in_scores(x), model.in_scores(x), x, causal=True)[0]
    for role, (query, key, value) in {
        "queries": (x, y, y),
        "keys": (y, x, y),
        "values": (y, y, x),
    }.items():
        asked = (model.in_scores(query), model.in_scores(key), value)
        logits = model.readout(y + model.layers[1](*asked, causal=True)[0])
        right = (logits.argmax(-1) == batch.following)[batch.predictable]
        assert induction.cut_paths(model, batch)[role] == pytest.approx(right.double().mean())
    read, _ = model.layers[1](model.in_scores(y), model.in_scores(y), y, causal=True)
    right = (model.readout(x + read).argmax(-1) == batch.following)[batch.predictable]
    straight = induction.cut_paths(model, batch)["straight"]
    assert straight == pytest.approx(right.double().mean())


def test_identities_hold_to_the_last_digits(tiny: Record):
    (found,) = tiny.metric("exact")
    digits = [value for name, value in found.items() if name.endswith("digits")]
    assert len(digits) == 4
    assert min(digits) > 12
    assert found["left_at_40"] < 1e-6
    assert 0.2 < found["wrong_without_begin"] < 0.8


def test_a_curve_has_the_points_of_its_training(tiny: Record):
    assert list(tiny.metric("two_layers.curve")[0]) == [f"step_0000{n}" for n in (0, 2, 4, 6)]
    assert tiny.metric("two_layers.accuracy") == tiny.metric("two_layers.accuracy_early")
    early = tiny.metric("one_layer.accuracy_early")
    assert early == tiny.metric("one_layer.curve.step_00006.accuracy")
