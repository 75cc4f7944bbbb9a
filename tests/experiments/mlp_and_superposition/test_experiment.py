"""Chapter 04's experiment on the MLP: its measures by hand."""

from pathlib import Path

import numpy as np
import pytest
import torch

from bottomup.data import Facts, make_facts
from bottomup.experiments import Record
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.mlp_and_superposition import capacity, dissociation
from bottomup.experiments.mlp_and_superposition import experiment as mlp_and_superposition
from bottomup.experiments.mlp_and_superposition.exact import (
    D_MODEL,
    parameter_shares,
)
from bottomup.models import LanguageModel

CPU = torch.device("cpu")
NAME = "mlp_and_superposition"
TINY = mlp_and_superposition.PRESETS["tiny"]


@pytest.fixture(scope="module")
def facts() -> Facts:
    return make_facts(first_names=8, last_names=8, attributes=4, seed=3)


@pytest.fixture(scope="module")
def model(facts: Facts, tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    trial = Trial(0, CPU, tmp_path_factory.mktemp("training") / "unit.pt")
    return dissociation.train_to_recall(TINY, facts, 1, trial)


def test_what_is_exact(tiny: Record):
    assert tiny.metric("exact.sum_digits")[0] > 12
    assert tiny.metric("exact.others_changed") == (0,)
    assert tiny.metric("exact.own_changed")[0] > 0.9


def test_ablating_the_mlp_leaves_what_stands_before_it(tiny: Record):
    for kind in ("mean", "resample"):
        before = tiny.metric(f"dissociation.feed_forward_{kind}.joined")
        assert before == tiny.metric("dissociation.intact.joined")


def test_without_attention_at_most_one_attribute_of_each_last_name_is_right(tiny: Record):
    # the answer depends on the last name alone, and each goes with every attribute equally often
    assert all(value <= 1 / 4 for value in tiny.metric("dissociation.attention_mean.accuracy"))


def test_the_trainings_of_the_search_are_kept(tiny: Record):
    tried = tiny.arrays["capacity/0/tried"]
    assert len(tried) == tiny.metric("capacity.trainings")[0]
    stored = tiny.metric("capacity.capacity")[0]
    for width, facts in stored.items():
        passed = tried[(tried[:, 0] == int(width)) & (tried[:, 2] >= TINY.stored)]
        assert facts == (passed[:, 1].max() if len(passed) else 0)


def test_shares_of_the_parameters_by_hand():
    # matrices in units of d_model^2: attention 4, feed-forward network 8
    shares = parameter_shares()
    assert {name: share["matrices"] for name, share in shares.items()} == pytest.approx(
        {
            "encoder_layer": 8 / 12,
            "decoder_only_layer": 8 / 12,
            "decoder_layer": 8 / 16,
            "stack": 96 / 168,
            "stack_with_table": 96 / (168 + 37_000 / 512),
        }
    )
    d = D_MODEL
    assert shares["encoder_layer"]["all"] == pytest.approx((8 * d + 5) / (12 * d + 13))
    # a decoder layer: 8 biases of attention, 5 of the network, 3 gains and biases of LayerNorm
    assert shares["decoder_layer"]["all"] == pytest.approx((8 * d + 5) / (16 * d + 19))


@pytest.mark.parametrize("limit", [1, 7, 8, 9, 100])
@pytest.mark.parametrize("per_doubling", [1, 4, 16])
def test_the_search_finds_the_limit_up_to_its_resolution(limit, per_doubling):
    tried: list[int] = []

    def passes(facts: int) -> bool:
        tried.append(facts)
        return facts <= limit

    found = capacity.largest_passing(passes, start=8, per_doubling=per_doubling)
    assert found <= limit
    above = {round(8 * 2 ** (k / per_doubling)) for k in range(-64, 200)}
    assert found == max(number for number in above if number <= limit)
    assert len(tried) < 16


def test_the_search_has_an_end_on_both_sides():
    assert capacity.largest_passing(lambda facts: False, start=8, per_doubling=4) == 0
    with pytest.raises(RuntimeError, match="still passes: there seems to be no limit"):
        capacity.largest_passing(lambda facts: True, start=8, per_doubling=4)


def test_exponents_by_hand():
    assert capacity.exponents({8: 100, 16: 400, 32: 800, 64: 800}) == {16: 2, 32: 1, 64: 0}
    assert capacity.exponents({2: 0, 4: 8}) == {4: 3}


def test_more_facts_begin_with_the_fewer():
    (few, U), (many, same) = (capacity.draw_facts(TINY, count, seed=4) for count in (3, 11))
    assert torch.equal(few.keys, many.keys[:3])
    assert torch.equal(few.values, many.values[:3])
    assert torch.equal(U, same)
    assert U.shape == (7, 5)
    assert torch.allclose(many.keys.norm(dim=1), torch.tensor(5.0).sqrt())
    assert many.tokens == 11


def test_stations_differ_by_what_the_mlp_writes(model: LanguageModel, facts: Facts):
    found = dissociation.stations(model, facts)
    layer = model.layers[0]
    with torch.no_grad():
        update = layer.feed_forward(layer.around_feed_forward.read(found["joined"]))
        end = model(facts.tokens).states[-1][:, 1]
    torch.testing.assert_close(found["joined"] + update, found["end"])
    assert torch.equal(found["end"], end)
    assert not layer.around_feed_forward.norm._forward_pre_hooks


def test_without_mlp_both_stations_are_one_and_there_are_no_neurons(
    facts: Facts, trial: Trial, tmp_path: Path
):
    control = dissociation.train_to_recall(TINY, facts, 2, trial, feed_forward=False)
    found = dissociation.stations(control, facts)
    assert torch.equal(found["joined"], found["end"])
    with pytest.raises(TypeError, match="model: expected an EncoderLayer at its end"):
        dissociation.neuron_arrays(control, facts)
    assert list(tmp_path.iterdir()) == []


def test_neuron_arrays_say_what_the_model_does(model: LanguageModel, facts: Facts):
    arrays = dissociation.neuron_arrays(model, facts)
    found = dissociation.stations(model, facts)
    layer, U = model.layers[0], model.unembedding.weight.detach()[facts.attribute_tokens]
    update = arrays["activations"] @ layer.feed_forward.W_out.weight.detach().numpy().T
    bias = layer.feed_forward.W_out.bias.detach().numpy()
    assert update + bias == pytest.approx((found["end"] - found["joined"]).numpy(), abs=1e-5)
    centred = layer.feed_forward.W_out.weight.detach().T
    centred = model.final_norm.gain.detach() * (centred - centred.mean(dim=1, keepdim=True))
    effects = (centred @ U.T).numpy()
    assert arrays["effects"] == pytest.approx(effects - effects.mean(1, keepdims=True), abs=1e-5)
    assert arrays["active"] == pytest.approx((arrays["activations"] > 0).mean(axis=0))
    strongest = arrays["activations"][arrays["triggers"][:, 0], np.arange(6)]
    assert np.array_equal(strongest, arrays["activations"].max(axis=0))
    assert arrays["names"][9] == facts.names[9]
    assert [arrays["attributes"][k] for k in arrays["facts"][:3]] == [
        facts.attributes[k] for k in facts.table[0, :3]
    ]
