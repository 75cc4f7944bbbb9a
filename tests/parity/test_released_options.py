"""The options that released weights need, against the layers of Hugging Face's library."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bottomup.attention import alibi_slopes
from bottomup.blocks import DecoderLayer, EncoderLayer, FeedForward, GatedFeedForward
from bottomup.blocks.normalization import LayerNorm
from bottomup.models import (
    Bert,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
    from_torch,
    to_torch,
)
from tests.drawn import global_seed, learned, randn

D, HEADS, D_FF, BATCH, N = 12, 2, 17, 3, 5


def copied(ours, theirs, *, turned=False):
    """Fill our layer with the weights of theirs, by pairs; GPT-2 has its maps turned."""
    with torch.no_grad():
        for mine, its in zip(ours, theirs, strict=True):
            mine.copy_(its.T if turned and its.dim() == 2 else its)


@torch.no_grad()
def test_a_layer_of_bert():
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    sizes = {"hidden_size": D, "num_attention_heads": HEADS, "intermediate_size": D_FF}
    config = BertConfig(**sizes, hidden_act="gelu", layer_norm_eps=1e-12)
    config._attn_implementation = "eager"
    with global_seed(3):
        theirs = learned(BertLayer(config)).eval()
    options = {"norm": "post", "activation": "gelu", "epsilon": 1e-12}
    ours = EncoderLayer(D, HEADS, D_FF, **options).eval()
    own, out = theirs.attention.self, theirs.attention.output
    for mine, its in [
        (ours.attention.W_Q, own.query),
        (ours.attention.W_K, own.key),
        (ours.attention.W_V, own.value),
        (ours.attention.W_O, out.dense),
        (ours.around_attention.norm, out.LayerNorm),
        (ours.feed_forward.W_in, theirs.intermediate.dense),
        (ours.feed_forward.W_out, theirs.output.dense),
        (ours.around_feed_forward.norm, theirs.output.LayerNorm),
    ]:
        copied(mine.parameters(), its.parameters())
    x = 1e-3 * randn(BATCH, N, D)  # so small that epsilon counts
    ours, theirs = ours.double(), theirs.double()
    found, _ = ours(x)
    got = theirs(x)
    expected = got if isinstance(got, torch.Tensor) else got[0]
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    other, _ = learned(EncoderLayer(D, HEADS, D_FF, norm="post", activation="gelu")).double()(x)
    assert (other - expected).abs().max() > 1e-3


@torch.no_grad()
def test_a_block_of_gpt_2():
    from transformers import GPT2Config
    from transformers.models.gpt2.modeling_gpt2 import GPT2Block

    config = GPT2Config(n_embd=D, n_head=HEADS, n_inner=D_FF, n_positions=N)
    config._attn_implementation = "eager"
    with global_seed(3):
        theirs = learned(GPT2Block(config, layer_idx=0)).double().eval()
        for weights in theirs.parameters():
            nn.init.normal_(weights)
    ours = EncoderLayer(D, HEADS, D_FF, activation="gelu_tanh").double().eval()
    maps = theirs.attn.c_attn.weight.chunk(3, dim=1), theirs.attn.c_attn.bias.chunk(3)
    for name, weight, bias in zip("QKV", *maps, strict=True):
        mine = getattr(ours.attention, f"W_{name}")
        copied([mine.weight, mine.bias], [weight, bias], turned=True)
    for mine, its in [
        (ours.attention.W_O, theirs.attn.c_proj),
        (ours.feed_forward.W_in, theirs.mlp.c_fc),
        (ours.feed_forward.W_out, theirs.mlp.c_proj),
        (ours.around_attention.norm, theirs.ln_1),
        (ours.around_feed_forward.norm, theirs.ln_2),
    ]:
        copied(mine.parameters(), its.parameters(), turned=True)
    x = randn(BATCH, N, D)
    got = theirs(x, attention_mask=torch.full((N, N), -torch.inf).triu(1)[None, None].double())
    expected = got if isinstance(got, torch.Tensor) else got[0]
    torch.testing.assert_close(ours(x, causal=True)[0], expected, rtol=1e-9, atol=1e-9)
    exact = EncoderLayer(D, HEADS, D_FF, activation="gelu").double().eval()
    exact.load_state_dict(ours.state_dict())
    assert (exact(x, causal=True)[0] - expected).abs().max() > 1e-4


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 6, 7, 8, 12, 25, 32, 40, 71, 112])
def test_the_slopes_are_those_of_bloom_and_mpt(heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    of_bloom = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]
    of_mpt = -build_mpt_alibi_tensor(heads, 2)[:, 0, 0]
    slopes = alibi_slopes(heads).float()
    torch.testing.assert_close(slopes, of_bloom, rtol=1e-5, atol=0)
    torch.testing.assert_close(slopes, of_mpt, rtol=1e-5, atol=0)


@pytest.mark.parametrize("module", [FeedForward, GatedFeedForward])
def test_gelu_by_its_approximation(module):
    with global_seed(2):
        network, x = module(D, D_FF, activation="gelu_tanh").double(), randn(N, D)
    gate = network.W_in if module is FeedForward else network.W_gate
    z = gate(x)
    expected = 0.5 * z * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (z + 0.044715 * z**3)))
    if module is GatedFeedForward:
        expected = expected * network.W_in(x)
    torch.testing.assert_close(network.activations(x), expected)


def epsilons(model):
    return {norm.epsilon for norm in model.modules() if isinstance(norm, LayerNorm)}


OF_TOKENS = {"vocabulary": 11, "max_length": 7, "d_model": D, "num_heads": HEADS}
OF_PAIRS = {"source_vocabulary": 11, "target_vocabulary": 13, "d_model": D, "num_heads": HEADS}


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_epsilon_reaches_every_norm(norm):
    options = {"norm": norm, "epsilon": 1e-12}
    made = [
        EncoderLayer(D, HEADS, D_FF, **options),
        DecoderLayer(D, HEADS, D_FF, **options),
        LanguageModel(LanguageModelConfig(**OF_TOKENS, **options)),
        LanguageModel(LanguageModelConfig(**OF_TOKENS, **options, feed_forward=False)),
        Bert(LanguageModelConfig(**OF_TOKENS, **options)),
        Transformer(TransformerConfig(**OF_PAIRS, **options)),
        Transformer(TransformerConfig(**OF_PAIRS, **options, final_norm=True)),
    ]
    for model in made:
        assert epsilons(model) == {1e-12}
    assert epsilons(EncoderLayer(D, HEADS, D_FF, norm=norm)) == {1e-5}


@pytest.mark.parametrize("epsilon", [0, -1e-5, float("nan"), float("inf")])
def test_a_wrong_epsilon_is_refused(epsilon):
    for make in (
        lambda: EncoderLayer(D, HEADS, D_FF, epsilon=epsilon),
        lambda: DecoderLayer(D, HEADS, D_FF, epsilon=epsilon),
        lambda: LanguageModelConfig(**OF_TOKENS, epsilon=epsilon),
        lambda: TransformerConfig(**OF_PAIRS, epsilon=epsilon),
    ):
        with pytest.raises(ValueError, match="^epsilon: expected a number"):
            make()


@pytest.mark.parametrize("activation", [partial(F.gelu, approximate="tanh"), F.gelu, F.relu])
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_torch_s_module_with_these_options(activation, norm_first):
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "dim_feedforward": D_FF}
    with global_seed(4):
        options = {"layer_norm_eps": 1e-3, "norm_first": norm_first, "dropout": 0.0}
        theirs = learned(
            nn.Transformer(D, HEADS, **sizes, batch_first=True, activation=activation, **options)
        )
    ours = from_torch(theirs, source_vocabulary=11, target_vocabulary=13)
    assert epsilons(ours) == {1e-3}
    x, y = randn(BATCH, N, D).float(), randn(BATCH, 7, D, seed=1).float()
    again = to_torch(ours)
    torch.testing.assert_close(again(x, y), theirs(x, y))
    memory, _ = ours.encoder_layers[0](x)
    expected = theirs.encoder.layers[0](x)
    torch.testing.assert_close(memory, expected)
