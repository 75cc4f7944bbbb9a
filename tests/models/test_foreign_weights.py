"""Weights of others find their places, all of them, or are refused by their names."""

import copy
import re
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn.utils import prune

from bottomup import attention, models
from bottomup.attention import MultiHeadAttention
from bottomup.blocks import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
)
from bottomup.experiments.clinic.attention import NoRoot
from bottomup.models import DecoderOnly, DecoderOnlyConfig, from_llama, llama_weights

BIG = DecoderOnlyConfig(vocabulary=9, max_length=8, d_model=12, num_layers=2, num_heads=2, d_ff=17)
BOTH = {"source_vocabulary": 11, "target_vocabulary": 13}


def llama(config=BIG):
    return llama_weights(DecoderOnly(config))


def without(weights, part):
    return {name: x for name, x in weights.items() if part not in name}


CHANGES = {
    "a layer less": ({"num_layers": 1}, "left over: model.layers.1.input_layernorm.weight"),
    "a layer more": ({"num_layers": 3}, "missing: model.layers.2.input_layernorm.weight"),
    "more neurons": ({"d_ff": 19}, r"mlp.up_proj.weight \(17, 12\) and not \(19, 12\)"),
    "groups": ({"num_groups": 1}, r"self_attn.k_proj.weight \(12, 12\) and not \(6, 12\)"),
    "alibi": ({"positions": "alibi"}, "config: expected positions='rotary', got 'alibi'"),
}


@pytest.mark.parametrize("change, said", CHANGES.values(), ids=CHANGES)
def test_a_llama_of_other_sizes(change, said):
    with pytest.raises(ValueError, match=said):
        from_llama(llama(), replace(BIG, **change))


def test_one_sentence_names_all_that_is_wrong():
    weights = {**without(llama(), "model.norm"), "rotary": torch.ones(1)}
    weights["lm_head.weight"] = torch.ones(3, 5)
    said = (
        "weights: expected the weights of the model and no others, got missing: model.norm.weight; "
        "left over: rotary; of another shape: lm_head.weight (3, 5) and not (9, 12)"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        from_llama(weights, BIG)


def test_a_tied_llama_may_name_its_table_twice():
    tied = replace(BIG, tied=True)
    model = DecoderOnly(tied)
    weights = llama_weights(model)
    same = {**weights, "lm_head.weight": weights["model.embed_tokens.weight"].clone()}
    for given in (weights, same):
        assert torch.equal(from_llama(given, tied).embedding.weight, model.embedding.weight)


def test_no_number_is_rounded():
    weights = llama()
    weights = {name: x if "proj" in name else x.half() for name, x in weights.items()}
    model = from_llama(weights, BIG)
    assert torch.equal(model.layers[1].attention.W_Q.weight, weights[
        "model.layers.1.self_attn.q_proj.weight"])  # fmt: skip
    whole = {**weights, "model.norm.weight": torch.ones(12, dtype=torch.int64)}
    with pytest.raises(TypeError, match=r"^weights\['model.norm.weight'\]: .*torch.int64"):
        from_llama(whole, BIG)


def test_only_a_model_with_rotary_positions_is_a_llama():
    with pytest.raises(ValueError, match="model: expected positions='rotary', got"):
        llama_weights(DecoderOnly(replace(BIG, positions="alibi")))


# ---- torch's modules


def adapter(module):
    module.adapter = nn.Linear(12, 12)


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda m: prune.l1_unstructured(m, "in_proj_weight", 0.5), "in_proj_weight_orig"),
        (adapter, "left over: adapter.weight"),
        (lambda m: setattr(m.out_proj, "bias", None), "missing: out_proj.bias"),
    ],
)
def test_an_attention_with_other_parameters(change, said):
    module = nn.MultiheadAttention(12, 3, batch_first=True)
    change(module)
    with pytest.raises(ValueError, match=f"^module: expected .*{said}"):
        attention.from_torch(module)


def torch_transformer(**options):
    sizes = {"num_encoder_layers": 2, "num_decoder_layers": 2, "dim_feedforward": 17}
    return nn.Transformer(12, 2, batch_first=True, **{**sizes, **options})


def swapped(kind, side, index, **options):
    module = torch_transformer()
    given = {"d_model": 12, "nhead": 2, "dim_feedforward": 17, "batch_first": True, **options}
    getattr(module, side).layers[index] = kind(**given)
    return module


def with_norm(norm):
    module = torch_transformer()
    module.decoder.norm = norm
    return module


def with_dropout(p):
    module = torch_transformer()
    for side in (module.encoder, module.decoder):
        for layer in side.layers:
            layer.dropout1.p = p
    return module


ENCODER, DECODER = nn.TransformerEncoderLayer, nn.TransformerDecoderLayer
OTHERS = {
    "activation": lambda: swapped(DECODER, "decoder", 1, activation="gelu"),
    "dropout": lambda: swapped(DECODER, "decoder", 0, dropout=0.5),
    "norm_first": lambda: swapped(ENCODER, "encoder", 1, norm_first=True),
    "two dropouts": lambda: with_dropout(0.5),
    "heads": lambda: swapped(DECODER, "decoder", 1, nhead=3),
    "epsilon": lambda: swapped(ENCODER, "encoder", 1, layer_norm_eps=1e-3),
    "final epsilon": lambda: with_norm(nn.LayerNorm(12, eps=1e-3)),
    "no gain": lambda: with_norm(nn.LayerNorm(12, elementwise_affine=False)),
    "rms": lambda: with_norm(nn.RMSNorm(12)),
}


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_layers_that_are_not_alike(make):
    with pytest.raises(ValueError, match="^module: expected .*, got "):
        models.from_torch(make(), **BOTH)


def test_a_layer_with_an_adapter():
    module = torch_transformer()
    module.decoder.layers[1].adapter = nn.Linear(12, 12)
    with pytest.raises(ValueError, match="^module: .*left over: decoder.layers.1.adapter.weight"):
        models.from_torch(module, **BOTH)


# ---- Our modules, changed after they were made


CHANGED_MAPS = {
    "no bias": (lambda m: setattr(m.W_Q, "bias", None), "missing: W_Q.bias"),
    "two maps": (lambda m: setattr(m, "W_K", nn.Sequential(nn.Linear(12, 12))), "got W_K, Seq"),
    "a wide map": (lambda m: setattr(m, "W_Q", nn.Linear(12, 24)), r"W_Q.weight \(24, 12\) and"),
    "a buffer": (lambda m: m.register_buffer("more", torch.ones(3)), "left over: more"),
    "an adapter": (adapter, "got adapter, Linear|left over: adapter"),
}


@pytest.mark.parametrize("change, said", CHANGED_MAPS.values(), ids=CHANGED_MAPS)
def test_an_attention_of_ours_with_other_parameters(change, said):
    module = MultiHeadAttention(12, 3)
    change(module)
    for convert in (attention.to_torch, lambda m: attention.prune_heads(m, [0])):
        with pytest.raises((TypeError, ValueError), match=f"^module: expected .*({said})"):
            convert(module)


class Halved(MultiHeadAttention):
    """Computes something else."""

    def forward(self, *arguments, **options):
        output, weights = super().forward(*arguments, **options)
        return output / 2, weights


class Named(MultiHeadAttention):
    """Computes the same."""


def of_its_own(module):
    module.forward = lambda query, key, value: (query, None)
    return module


X = torch.ones(2, 5, 12)
BY_THE_MAPS = {
    "to_torch": attention.to_torch,
    "prune_heads": lambda m: attention.prune_heads(m, [0]),
    "KeyValueCache": lambda m: attention.KeyValueCache(m, batch=2, max_length=9),
    "MemoryCache": lambda m: attention.MemoryCache(m, X),
    "cached_attention": lambda m: attention.cached_attention(
        m, X, attention.MemoryCache(MultiHeadAttention(12, 3), X)
    ),
}


@pytest.mark.parametrize("call", BY_THE_MAPS.values(), ids=BY_THE_MAPS)
def test_an_attention_that_computes_otherwise(call):
    for module in (Halved(12, 3), NoRoot(12, 3), of_its_own(MultiHeadAttention(12, 3))):
        with pytest.raises(TypeError, match="^module: expected .*, got .* a forward of its own$"):
            call(module)
    assert call(Named(12, 3)) is not None


def of_layers(name, part):
    def change(model):
        owner, _, last = name.rpartition(".")
        setattr(model.get_submodule(owner), last, part())

    return change


SMALL = {"d_model": 12, "num_heads": 2, "d_ff": 17, "encoder_layers": 1, "decoder_layers": 1}
CHANGED_LAYERS = {
    "adapter": of_layers("decoder_layers.0.adapter", lambda: nn.Linear(12, 12)),
    "gelu": of_layers(
        "encoder_layers.0.feed_forward", lambda: FeedForward(12, 17, activation="gelu")
    ),
    "post": of_layers("decoder_layers.0", lambda: DecoderLayer(12, 2, 17, norm="post")),
    "a layer more": lambda m: m.encoder_layers.append(EncoderLayer(12, 2, 17)),
    "no root": of_layers("encoder_layers.0.attention", lambda: NoRoot(12, 2)),
    "epsilon": lambda m: setattr(m.encoder_norm, "epsilon", 1e-2),
    "dropout": lambda m: setattr(m.decoder_layers[0].attention, "dropout", 0.5),
}


@pytest.mark.parametrize("change", CHANGED_LAYERS.values(), ids=CHANGED_LAYERS)
def test_a_translator_of_ours_with_other_layers(change):
    model = models.Transformer(models.TransformerConfig(**BOTH, **SMALL))
    change(model)
    with pytest.raises(ValueError, match=r"^model: expected .*\bgot "):
        models.to_torch(model)


def test_a_translator_of_two_dtypes_is_not_rounded():
    for convert in (models.to_torch, lambda m: models.from_torch(models.to_torch(m), **BOTH)):
        model = models.Transformer(models.TransformerConfig(**BOTH, **SMALL))
        model.decoder_layers.double()
        got = {p.dtype for p in convert(model).parameters()}
        assert got == {torch.float64}
    theirs = torch_transformer()
    theirs.encoder.half()
    found = models.from_torch(theirs, **BOTH).decoder_layers[0].feed_forward.W_in.weight
    assert torch.equal(found, theirs.decoder.layers[0].linear1.weight)


def test_an_encoder_s_start_is_copied_whole_or_not_at_all():
    sizes = {"d_model": 12, "num_heads": 2, "d_ff": 17, "max_length": 9}
    given = models.LanguageModelConfig(vocabulary=11, num_layers=1, **sizes)
    options = {"positions": given.positions, "encoder_layers": 1, "decoder_layers": 1}
    config = models.TransformerConfig(**BOTH, **sizes, **options, dropout=given.dropout)
    for change, error, said in [
        (lambda m: m.layers[0].register_buffer("more", torch.ones(3)), ValueError, "left over"),
        (lambda m: m.final_norm.register_parameter("gain", None), ValueError, "missing: gain"),
        (lambda m: m.layers.double(), TypeError, "a dtype that holds torch.float64"),
    ]:
        start, model = models.LanguageModel(given), models.Transformer(config)
        change(start)
        before = copy.deepcopy(model.state_dict())
        with pytest.raises(error, match=f"^(language_model|transformer): expected .*{said}"):
            models.copy_encoder(start, model)
        for name, x in model.state_dict().items():
            assert torch.equal(x, before[name])
    start, model = models.LanguageModel(given), models.Transformer(config).double()
    models.copy_encoder(start, model)
    found = model.encoder_layers[0].feed_forward.W_in.weight
    assert torch.equal(found, start.layers[0].feed_forward.W_in.weight.double())


def test_other_kinds_of_weights_and_models_of_a_llama():
    with pytest.raises(TypeError, match="^weights: expected a Mapping, got "):
        from_llama(list(llama().items()), BIG)
    with pytest.raises(TypeError, match="^config: expected a DecoderOnlyConfig, got "):
        from_llama(llama(), vars(BIG))
    with pytest.raises(TypeError, match="^model: expected a DecoderOnly, got "):
        llama_weights(nn.Linear(2, 2))
