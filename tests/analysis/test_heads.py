"""The instruments on models of another library: tiny, random weights, nothing downloaded.

GPT-2 keeps three maps in one and stores them transposed, BERT keeps the output map in a module of
its own, Marian has two kinds of attention in a layer.
"""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from bottomup.analysis import (
    direct_attribution,
    head_maps,
    kept,
    output_value,
    patched,
    query_key,
    with_ones,
    written,
)
from tests.drawn import global_seed, learned, seeded

transformers = pytest.importorskip("transformers", reason="the library transformers is missing")

VOCABULARY, D_MODEL, HEADS, LAYERS, BATCH, N = 29, 12, 3, 2, 2, 7
D_HEAD = D_MODEL // HEADS
SMALL = {"vocab_size": VOCABULARY, "attn_implementation": "eager"}


def gpt2() -> nn.Module:
    config = transformers.GPT2Config(
        **SMALL,
        n_embd=D_MODEL,
        n_layer=LAYERS,
        n_head=HEADS,
        n_positions=N,
        bos_token_id=1,
        eos_token_id=1,
    )
    return built(transformers.GPT2LMHeadModel, config)


def bert() -> nn.Module:
    config = transformers.BertConfig(
        **SMALL,
        hidden_size=D_MODEL,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=17,
        max_position_embeddings=N,
    )
    return built(transformers.BertModel, config)


def marian() -> nn.Module:
    sides = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in (("layers", 1), ("attention_heads", HEADS), ("ffn_dim", 17))
    }
    tokens = {"pad_token_id": 0, "eos_token_id": 1, "forced_eos_token_id": 1}
    config = transformers.MarianConfig(
        **SMALL, **sides, **tokens, d_model=D_MODEL, decoder_start_token_id=0
    )
    return built(transformers.MarianMTModel, config)


def built(kind: Callable[..., nn.Module], config: object) -> nn.Module:
    with global_seed(0):
        return learned(kind(config)).double().eval()


def ids(seed: int = 2) -> Tensor:
    return torch.randint(2, VOCABULARY, (BATCH, N), generator=seeded(seed))


def run(model: nn.Module, tokens: Tensor) -> object:
    if model.config.is_encoder_decoder:
        return model(tokens, decoder_input_ids=tokens.flip(1), output_attentions=True)
    return model(tokens, output_attentions=True)


CASES = {
    "GPT-2": (gpt2, "transformer.h.1.attn", "attentions"),
    "BERT": (bert, "encoder.layer.1.attention", "attentions"),
    "Marian": (marian, "model.decoder.layers.0.self_attn", "decoder_attentions"),
}


@pytest.fixture(params=CASES, scope="module")
def case(request: pytest.FixtureRequest):
    """A model, the name of an attention, what it reads, what it weighs and what it puts out."""
    make, attention, weights = CASES[request.param]
    model = make()
    asked: list[Tensor] = []
    heads = [f"{attention}:{head}" for head in range(HEADS)]

    def keep_input(_module: nn.Module, arguments: tuple, named: dict) -> None:
        asked.append((arguments[0] if arguments else named["hidden_states"]).detach())

    part = model.get_submodule(attention)
    handle = part.register_forward_pre_hook(keep_input, with_kwargs=True)
    with torch.no_grad(), kept(model, heads) as outputs:
        output = run(model, ids())
    handle.remove()
    return model, attention, asked[0], getattr(output, weights)[-1], outputs


def test_the_first_map_gives_the_weights_of_the_forward_pass(case):
    model, name, x, weights, _outputs = case
    attention = model.get_submodule(name)
    causal = torch.ones(N, N, dtype=torch.bool).tril()
    hidden = torch.full((N, N), 0.0, dtype=x.dtype)
    if not name.startswith("encoder"):
        hidden = hidden.masked_fill(~causal, -torch.inf)
    for head in range(HEADS):
        rows = with_ones(x)
        scores = rows @ query_key(attention, head) @ rows.transpose(1, 2) + hidden
        assert torch.allclose(scores.softmax(-1), weights[:, head], atol=1e-9, rtol=0)


def test_a_head_is_its_weights_times_its_values_and_the_second_map_what_it_writes(case):
    model, name, x, weights, outputs = case
    attention = model.get_submodule(name)
    maps = head_maps(attention)
    for head in range(HEADS):
        read = weights[:, head] @ (with_ones(x) @ maps.value[:, head])
        assert torch.allclose(outputs[f"{name}:{head}"], read, atol=1e-9, rtol=0)
        written_here = weights[:, head] @ (with_ones(x) @ output_value(attention, head))
        assert torch.allclose(read @ maps.output[head], written_here, atol=1e-9, rtol=0)


def test_a_head_patched_with_zeros_is_a_head_without_output_weights(case):
    model, name, *_rest = case
    last = run_logits(model)
    with patched(model, {f"{name}:1": torch.zeros_like}):
        cut = run_logits(model)
    mix = head_maps(model.get_submodule(name)).mix
    before = mix.weight.detach().clone()
    columns = slice(D_HEAD, 2 * D_HEAD)
    with torch.no_grad():
        if isinstance(mix, nn.Linear):
            mix.weight[:, columns] = 0
        else:
            mix.weight[columns] = 0
        wanted = run_logits(model)
        mix.weight.copy_(before)
    assert torch.allclose(cut, wanted, atol=1e-12, rtol=0)
    assert not torch.allclose(cut, last, atol=1e-3)


def run_logits(model: nn.Module) -> Tensor:
    with torch.no_grad():
        return run(model, ids())[0]


def test_crossing_heads_are_found_too():
    model = marian()
    name = "model.decoder.layers.0.encoder_attn"
    with kept(model, [f"{name}:0"]) as outputs:
        run(model, ids())
    assert outputs[f"{name}:0"].shape == (BATCH, N, D_HEAD)
    with pytest.raises(ValueError, match=f"the attentions are .*'{name}'"), kept(model, ["no"]):
        pass


def test_what_the_parts_of_gpt2_wrote_adds_up_to_its_logits():
    model, tokens = gpt2(), ids()
    layers = [
        f"transformer.h.{layer}.{part}" for layer in range(LAYERS) for part in ("attn", "mlp")
    ]
    added = written(model, ["transformer.drop", *layers], lambda: model(tokens))
    assert len(added) == 1 + LAYERS * (HEADS + 1 + 1)  # heads, the bias of each layer, MLPs
    parts = torch.stack(list(added.values()), dim=-2)  # [batch, position, part, d_model]
    direction = model.lm_head.weight[3].expand(BATCH, N, D_MODEL)
    each, bias = direct_attribution(parts, model.transformer.ln_f, direction)
    logit = model(tokens).logits[..., 3]
    assert torch.allclose(each.sum(-1) + bias, logit, atol=1e-9, rtol=0)
