"""Chapter 05's table: the variants, the measure by hand, a tiny run, and the claims."""

import math
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from bottomup import experiments
from bottomup.attention import MultiHeadAttention
from bottomup.blocks import FeedForward
from bottomup.data import make_batch
from bottomup.experiments import Record, Verdict
from bottomup.experiments.encoder_decoder.table import experiment as table
from bottomup.experiments.encoder_decoder.table.variants import (
    Config,
    build,
    choice,
    is_small,
    is_smoothed,
    model_config,
)
from bottomup.experiments.shared.recurrent import cross_entropy
from bottomup.models import Transformer
from tests.experiments.records import alike

SEEDS = (0, 1, 2)
RECORDED = table.PRESETS["recorded"]
SIZES = {"source_vocabulary": 13, "target_vocabulary": 11}
IDS = [f"05.7{letter}" for letter in "abcdefghijklmn"] + [f"05.8{letter}" for letter in "abcde"]


@pytest.fixture(scope="module")
def tiny() -> Record:
    return table.run(table.PRESETS["tiny"], SEEDS, "cpu")


def built(variant: str) -> Transformer:
    return build(RECORDED, variant, 3, **SIZES)


def of(model: Transformer, kind: type) -> list:
    return [part for part in model.modules() if isinstance(part, kind)]


def test_a_variant_is_read_from_its_name():
    assert [choice(name) for name in ("base", "small", "small_dropout", "shared_none")] == [
        "base", "base", "dropout", "shared_none",
    ]  # fmt: skip
    assert [is_small(name) for name in ("small", "small_smoothing", "smoothing")] == [
        True, True, False,
    ]  # fmt: skip
    assert is_smoothed("small_smoothing") and is_smoothed("smoothing") and not is_smoothed("small")


@pytest.mark.parametrize(
    "variant, changed",
    [
        ("base", {}),
        ("small", {}),
        ("smoothing", {}),
        ("heads_16", {"num_heads": 16}),
        ("layers_4", {"encoder_layers": 4, "decoder_layers": 4}),
        ("d_ff_64", {"d_ff": 64}),
        ("small_dropout", {"dropout": 0.1}),
        ("learned_positions", {"positions": "learned"}),
        ("shared_layers", {"share_layers": True}),
        ("shared_none", {"shared": "none"}),
        ("post_norm", {"norm": "post"}),
        ("post_norm_final", {"norm": "post", "final_norm": True}),
    ],
)
def test_a_variant_changes_one_choice(variant: str, changed: dict):
    base = vars(model_config(RECORDED, "base", **SIZES))
    here = vars(model_config(RECORDED, variant, **SIZES))
    assert {name: here[name] for name in here if here[name] != base[name]} == changed


@pytest.mark.parametrize("variant", ["", "heads", "heads_two", "base_small", "small_"])
def test_an_unknown_variant_is_refused(variant: str):
    with pytest.raises(ValueError, match=f"variant: .*'{variant}'"):
        model_config(RECORDED, variant, **SIZES)


def test_narrow_keys_leave_the_values_as_they_were():
    model, base = built("narrow_keys"), built("base")
    found = of(model, MultiHeadAttention)
    assert len(found) == 2 + 2 * 2
    assert {(part.d_head, part.d_value) for part in found} == {(4, 16)}
    assert {part.W_Q.weight.shape for part in found} == {(4 * 4, 64)}
    # Queries and keys lose 12 numbers a head, each with 64 weights and a bias.
    lost = 6 * 2 * 4 * 12 * (64 + 1)
    assert table.trained_parameters(base) - table.trained_parameters(model) == lost
    there = dict(base.named_parameters())
    kept = {name: value for name, value in model.named_parameters() if "attention.W_" not in name}
    assert all(torch.equal(value, there[name]) for name, value in kept.items())


def test_dropout_of_updates_alone_spares_attention_and_activations():
    inside = MultiHeadAttention, FeedForward
    everywhere, updates = built("dropout"), built("dropout_updates")
    for kind in inside:
        assert {part.dropout for part in of(everywhere, kind)} == {0.1}
        assert {part.dropout for part in of(updates, kind)} == {0.0}
    for model in (everywhere, updates):
        around = of(model, nn.Dropout)
        assert len(around) == 2 * 2 + 2 * 3 + 1
        assert {part.p for part in around} == {0.1}


def test_frozen_biases_stay_zero_while_the_rest_is_trained():
    model = built("no_biases")
    biases = [
        getattr(part, name).bias
        for part in of(model, MultiHeadAttention)
        for name in ("W_Q", "W_K", "W_V", "W_O")
    ]
    frozen = sum(bias.numel() for bias in biases)
    assert frozen == 6 * 4 * 64
    assert table.trained_parameters(built("base")) - table.trained_parameters(model) == frozen
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    before = model.encoder_layers[0].attention.W_O.weight.clone()
    cross_entropy(model, make_batch([([5, 7], [4, 6, 8]), ([9], [5])])).backward()
    optimizer.step()
    assert all((bias == 0).all() for bias in biases)
    assert not torch.equal(before, model.encoder_layers[0].attention.W_O.weight)


class Constant(nn.Module):
    """Gives the same probabilities everywhere, and others in training mode."""

    def __init__(self, probabilities: list[float]) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.tensor(probabilities).log())

    def forward(self, batch) -> SimpleNamespace:
        logits = self.logits * (2 if self.training else 1)
        return SimpleNamespace(logits=logits.expand(*batch.target_out.shape, -1))


def test_the_negative_log_likelihood_by_hand():
    # Numbers: PAD 0, BOS 1, EOS 2, UNK 3, then words. Two tokens: the word 4, and EOS.
    model = Constant([0.05, 0.05, 0.25, 0.15, 0.5])
    found = table.negative_log_likelihood(model, [([4], [4])])
    assert found == pytest.approx((math.log(2) + math.log(4)) / 2)
    assert model.training


def test_every_token_weighs_the_same_across_batches(monkeypatch: pytest.MonkeyPatch):
    model = Constant([0.05, 0.05, 0.25, 0.15, 0.5])
    pairs = [([4], [4, 4, 4]), ([4], []), ([4], [4])]  # four words and three ends
    wanted = (4 * math.log(2) + 3 * math.log(4)) / 7
    assert table.negative_log_likelihood(model, pairs) == pytest.approx(wanted)
    monkeypatch.setattr(table, "DECODED_AT_ONCE", 1)
    assert table.negative_log_likelihood(model, pairs) == pytest.approx(wanted)


@pytest.mark.slow
def test_a_tiny_run_gives_every_measure_and_claim(tiny: Record):
    assert set(tiny.runs[0]["metrics"]) == set(table.ALL)
    for variant in table.ALL:
        assert all(value > 0 for value in tiny.metric(f"{variant}.nll"))
        assert all(0 <= value <= 1 for value in tiny.metric(f"{variant}.exact"))
        assert all(0 <= value <= 100 for value in tiny.metric(f"{variant}.bleu"))
    assert tiny.metric("small.epochs")[0] > 3 * tiny.metric("base.epochs")[0]
    assert tiny.metric("small.parameters") == tiny.metric("base.parameters")
    claims = {claim.id: claim for claim in experiments.claims(tiny)}
    assert list(claims) == IDS
    base, one = tiny.metric("base.nll"), tiny.metric("heads_1.nll")
    assert claims["05.7a"].values == tuple(b - a for a, b in zip(base, one, strict=True))
    learned = tiny.metric("learned_positions.nll")
    differences = tuple(abs(b - a) for a, b in zip(base, learned, strict=True))
    assert claims["05.7f"].values == differences
    assert "3 steps" in claims["05.7a"].measured and "1 head (" in claims["05.7a"].measured
    assert "on 40 sentences" in claims["05.7j"].measured


@pytest.mark.slow
def test_a_seed_gives_the_same_numbers_again(tiny: Record, tmp_path):
    config = table.PRESETS["tiny"]
    again = table.measure(config, "dropout_updates", 1, torch.device("cpu"), tmp_path / "one.pt")
    for name in ("nll", "loss", "bleu"):
        there = tiny.metric(f"dropout_updates.{name}")[1]
        assert again.metrics[name] == pytest.approx(there, abs=1e-6)


def invented(nll: dict[str, float], bleu: dict[str, float], config: Config = RECORDED) -> Record:
    """A record of three alike seeds, in which every other variant is as the base model."""
    metrics = {
        variant: {"nll": nll.get(variant, 0.05), "bleu": bleu.get(variant, 90.0), "epochs": 1.0}
        for variant in config.variants
    }
    return alike(table.NAME, metrics, config)


def test_the_claims_follow_the_record():
    record = invented(
        nll={
            "heads_1": 0.06, "heads_16": 0.03, "layers_4": 0.02, "dropout": 0.08,
            "learned_positions": 0.035, "post_norm": 0.055,
        },
        bleu={"smoothing": 91.5},
    )  # fmt: skip
    found = {claim.id: claim for claim in experiments.claims(record)}
    assert found["05.7a"].verdict == Verdict.HOLDS
    assert found["05.7b"].verdict == Verdict.FAILS
    assert found["05.7l"].verdict == Verdict.HOLDS  # two layers minus four
    assert found["05.7e"].mean == pytest.approx(-0.03)  # without dropout minus with it
    assert found["05.7e"].verdict == Verdict.FAILS
    assert found["05.7f"].mean == pytest.approx(0.015)  # better is not the same
    assert found["05.7f"].verdict == Verdict.FAILS
    assert found["05.7h"].mean == pytest.approx(1.5)
    assert found["05.7h"].verdict == Verdict.HOLDS
    assert found["05.8a"].verdict == Verdict.HOLDS
    assert found["05.8b"].mean == pytest.approx(0.03)  # against dropout_updates, not the base
    assert found["05.8d"].mean == pytest.approx(0.005)  # against post_norm


def test_a_claim_whose_variants_are_not_trained_is_left_out():
    record = invented({}, {}, table.PRESETS["laptop"])
    assert [claim.id for claim in experiments.claims(record)] == ["05.7a", "05.7g", "05.7h"]
