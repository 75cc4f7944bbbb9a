"""Chapter 04's experiment on the MLP: its measures by hand, and a tiny run of every part."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from bottomup import experiments
from bottomup.blocks import EncoderLayer
from bottomup.data import Facts, make_facts
from bottomup.experiments import Record
from bottomup.experiments.mlp_and_superposition import capacity, dissociation
from bottomup.experiments.mlp_and_superposition import experiment as mlp_and_superposition
from bottomup.experiments.mlp_and_superposition.exact import (
    D_FF,
    D_MODEL,
    HEADS,
    measure_exact,
    parameter_shares,
)
from bottomup.experiments.mlp_and_superposition.quantities import off, without_attention
from bottomup.explorables import neuron_inspector
from bottomup.models import LanguageModel
from tests.experiments.records import alike

CPU = torch.device("cpu")
TINY = mlp_and_superposition.PRESETS["tiny"]
CLAIMS = [
    "04.1a", "04.1b", "04.2a", "04.2b", "04.2c", "04.2d", "04.3a", "04.3b",
    "04.4a", "04.4b", "04.4c", "04.4d", "04.4e", "04.4f", "04.4g", "04.4h", "04.4i",
]  # fmt: skip


@pytest.fixture(scope="module")
def tiny() -> Record:
    return mlp_and_superposition.run(TINY, (0, 1), "cpu")


@pytest.fixture(scope="module")
def facts() -> Facts:
    return make_facts(first_names=8, last_names=8, attributes=4, seed=3)


@pytest.fixture(scope="module")
def model(facts: Facts, tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    path = tmp_path_factory.mktemp("training") / "unit.pt"
    return dissociation.train_to_recall(TINY, facts, 1, 0, CPU, path)


def test_a_tiny_run_gives_every_part_and_every_claim(tiny: Record):
    assert set(tiny.runs[0]["metrics"]) == {
        "exact", "capacity", "capacity_long", "dissociation", "dissociation_many_heads",
        "dissociation_even",
    }  # fmt: skip
    assert [claim.id for claim in experiments.claims(tiny)] == CLAIMS
    conditions = set(tiny.metric("dissociation")[0])
    assert conditions == {
        "chance", "intact", "attention_mean", "attention_resample", "feed_forward_mean",
        "feed_forward_resample", "same_weights", "attention_only", "neurons",
    }  # fmt: skip
    for name in conditions - {"chance", "neurons"}:
        assert all(0 <= value <= 1 for value in tiny.metric(f"dissociation.{name}.accuracy"))
        for station in ("joined", "end"):
            probes = tiny.metric(f"dissociation.{name}.{station}")[0]
            assert set(probes) == {"first", "last", "attribute"}


def test_even_attention_has_the_same_weights_for_everybody_already(tiny: Record):
    assert tiny.metric("dissociation_even.same_weights") == tiny.metric("dissociation_even.intact")


def test_even_attention_stays_even_in_training(tmp_path):
    facts = dissociation.draw_table(TINY, 0)
    path = tmp_path / "unit.pt"
    model = dissociation.train_to_recall(TINY, facts, 1, 0, CPU, path, even=True)
    weights = model(facts.tokens, need_weights=True).weights[0]
    assert torch.equal(weights[:, 0, 1], torch.full((len(facts), 2), 0.5))


def test_ablating_the_mlp_leaves_what_stands_before_it(tiny: Record):
    for kind in ("mean", "resample"):
        before = tiny.metric(f"dissociation.feed_forward_{kind}.joined")
        assert before == tiny.metric("dissociation.intact.joined")


def test_without_attention_at_most_one_attribute_of_each_last_name_is_right(tiny: Record):
    # the answer depends on the last name alone, and each goes with every attribute equally often
    assert all(value <= 1 / 4 for value in tiny.metric("dissociation.attention_mean.accuracy"))


def test_without_attention_the_largest_excess_over_chance_counts():
    def ablated(joined: float, end: float, named: float) -> dict[str, Any]:
        probes = {"joined": joined, "end": end}
        read = {station: {"first": {"accuracy": share}} for station, share in probes.items()}
        return {**read, "accuracy": named}

    part = {
        "chance": {"first": 0.25, "attribute": 0.5},
        "attention_mean": ablated(0.25, 0.5, 0.5),
        "attention_resample": ablated(0.375, 0.25, 0.625),
    }
    record = alike(mlp_and_superposition.NAME, {"dissociation": part}, TINY)
    assert without_attention(record) == (0.25,) * 3
    assert off(record, "dissociation.chance.first", "3/8") == (0.125,) * 3


def test_the_neurons_of_one_seed_are_kept(tiny: Record):
    kept = {name for name in tiny.arrays if name.startswith("dissociation")}
    names = ("names", "attributes", "facts", "activations", "active", "effects", "triggers")
    assert kept == {f"dissociation/0/{name}" for name in names}
    shapes = {name: tiny.arrays[f"dissociation/0/{name}"].shape for name in names}
    assert shapes == {
        "names": (64,), "attributes": (4,), "facts": (64,), "activations": (64, 6),
        "active": (6,), "effects": (6, 4), "triggers": (6, 8),
    }  # fmt: skip


def test_the_kept_neurons_make_the_inspector(tiny: Record):
    kept = {
        name.removeprefix("dissociation/0/"): array
        for name, array in tiny.arrays.items()
        if name.startswith("dissociation/0/")
    }
    figure = neuron_inspector(
        list(kept["names"]),
        kept["facts"].tolist(),
        list(kept["attributes"]),
        activations=kept["activations"],
        effects=kept["effects"],
    )
    assert len(figure.payload["neurons"]) == 6
    assert figure.payload["names"][0] == "Belan Ashick"


def test_without_an_mlp_there_are_no_neurons_to_show(facts: Facts, tmp_path: Path):
    control = dissociation.train_to_recall(
        TINY, facts, 1, 0, CPU, tmp_path / "unit.pt", feed_forward=False
    )
    with pytest.raises(TypeError, match="model: expected an EncoderLayer at its end"):
        dissociation.neuron_arrays(control, facts)


def test_the_trainings_of_the_search_are_kept(tiny: Record):
    tried = tiny.arrays["capacity/1/tried"]
    assert len(tried) == tiny.metric("capacity.trainings")[1]
    stored = tiny.metric("capacity.capacity")[1]
    for width, facts in stored.items():
        passed = tried[(tried[:, 0] == int(width)) & (tried[:, 2] >= TINY.stored)]
        assert facts == (passed[:, 1].max() if len(passed) else 0)


def test_the_exact_measures_hold():
    found = measure_exact(0, CPU)
    assert found["sum_digits"] > 12
    assert found["others_changed"] == 0
    assert found["own_changed"] > 0.9


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


def test_torchs_layers_have_the_same_number_of_parameters():
    def count(module: nn.Module) -> int:
        return sum(parameter.numel() for parameter in module.parameters())

    with torch.device("meta"):
        ours = EncoderLayer(D_MODEL, HEADS, D_FF)
        theirs = nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF)
        decoder = nn.TransformerDecoderLayer(D_MODEL, HEADS, D_FF)
    assert count(ours) == count(theirs)
    networks = count(ours.feed_forward) / count(decoder)
    assert parameter_shares()["decoder_layer"]["all"] == pytest.approx(networks)


@pytest.mark.parametrize("limit", [1, 3, 7, 8, 9, 63, 64, 100, 1000])
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


def test_a_wide_memory_stores_a_few_facts_and_a_narrow_one_not_many():
    assert capacity.stored_share(TINY, 64, 5, 200, 0, CPU) == 1
    assert capacity.stored_share(TINY, 2, 500, 50, 0, CPU) < 0.9


def test_stations_differ_by_what_the_mlp_writes(model: LanguageModel, facts: Facts):
    found = dissociation.stations(model, facts)
    layer = model.layers[0]
    with torch.no_grad():
        update = layer.feed_forward(layer.around_feed_forward.read(found["joined"]))
        end = model(facts.tokens).states[-1][:, 1]
    torch.testing.assert_close(found["joined"] + update, found["end"])
    assert torch.equal(found["end"], end)
    assert not layer.around_feed_forward.norm._forward_pre_hooks


def test_without_mlp_both_stations_are_one(facts: Facts, tmp_path: Path):
    control = dissociation.train_to_recall(
        TINY, facts, 2, 0, CPU, tmp_path / "unit.pt", feed_forward=False
    )
    found = dissociation.stations(control, facts)
    assert torch.equal(found["joined"], found["end"])
    assert list(tmp_path.iterdir()) == []


def test_recalled_counts_the_right_words(model: LanguageModel, facts: Facts):
    with torch.no_grad():
        logits = model(facts.tokens).logits[:, 1]
    words = [facts.words.tokens[number] for number in logits.argmax(dim=1)]
    right = [facts.attributes[fact] == w for fact, w in zip(facts.labels[:, 2], words, strict=True)]
    assert dissociation.recalled(model, facts) == pytest.approx(np.mean(right))


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


@pytest.mark.slow
def test_a_trained_layer_recalls_the_facts(facts: Facts, tmp_path: Path):
    config = mlp_and_superposition.Config(d_model=16, d_ff=32, steps=500, learning_rate=1e-2)
    model = dissociation.train_to_recall(config, facts, 2, 0, CPU, tmp_path / "unit.pt")
    assert dissociation.recalled(model, facts) > 0.9
