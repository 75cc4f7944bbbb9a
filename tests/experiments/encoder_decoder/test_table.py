"""Chapter 05's table: the variants, the measure by hand."""

import math
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from bottomup.attention import MultiHeadAttention
from bottomup.blocks import FeedForward
from bottomup.data import make_batch
from bottomup.experiments.encoder_decoder.table import experiment as table
from bottomup.experiments.encoder_decoder.table.variants import (
    build,
    model_config,
)
from bottomup.experiments.shared.recurrent import cross_entropy
from bottomup.models import Transformer

NAME = "encoder_decoder_table"
RECORDED = table.PRESETS["recorded"]
SIZES = {"source_vocabulary": 13, "target_vocabulary": 11}


def built(variant: str) -> Transformer:
    return build(RECORDED, variant, 3, **SIZES)


def of(model: Transformer, kind: type) -> list:
    return [part for part in model.modules() if isinstance(part, kind)]


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


def test_the_negative_log_likelihood_weighs_every_token_the_same(monkeypatch: pytest.MonkeyPatch):
    model = Constant([0.05, 0.05, 0.25, 0.15, 0.5])
    # Numbers: PAD 0, BOS 1, EOS 2, UNK 3, then words.
    pairs = [([4], [4, 4, 4]), ([4], []), ([4], [4])]  # four words and three ends
    wanted = (4 * math.log(2) + 3 * math.log(4)) / 7
    assert table.negative_log_likelihood(model, pairs) == pytest.approx(wanted)
    assert model.training
    monkeypatch.setattr(table, "DECODED_AT_ONCE", 1)
    assert table.negative_log_likelihood(model, pairs) == pytest.approx(wanted)
