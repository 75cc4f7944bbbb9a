"""Patching: what is kept, what stands in its place, and that nothing of it stays behind."""

from collections import OrderedDict
from typing import NamedTuple

import pytest
import torch
from torch import Tensor, nn

from bottomup.analysis import ChangedTransformer, ablated, kept, patched, patching_effect
from bottomup.data import Batch, make_batch
from bottomup.models import (
    AttentionOnly,
    AttentionOnlyConfig,
    Changes,
    LanguageModel,
    LanguageModelConfig,
    Patch,
    Transformer,
    TransformerConfig,
)
from tests.drawn import global_seed, learned, randn, seeded

VOCABULARY, D_MODEL, HEADS, BATCH, N = 13, 6, 3, 2, 5
D_HEAD = D_MODEL // HEADS


def attention_only(**options) -> AttentionOnly:
    sizes = {"vocabulary": VOCABULARY, "outputs": 11, "d_model": D_MODEL, "num_layers": 2}
    config = AttentionOnlyConfig(**{**sizes, "num_heads": HEADS, "causal": True, **options})
    with global_seed(0):
        return learned(AttentionOnly(config)).double().eval()


def transformer(**options) -> Transformer:
    config = TransformerConfig(
        source_vocabulary=VOCABULARY,
        target_vocabulary=11,
        d_model=D_MODEL,
        encoder_layers=2,
        decoder_layers=2,
        num_heads=HEADS,
        d_ff=7,
        **options,
    )
    with global_seed(0):
        return learned(Transformer(config)).double().eval()


def tokens(seed: int = 2) -> Tensor:
    return torch.randint(VOCABULARY, (BATCH, N), generator=seeded(seed))


def sentences(first: int = 5) -> Batch:
    return make_batch([([first, 7, 9], [4, 8]), ([first + 1, 6, 12, 5, 9], [9, 5, 10])])


def hooks(model: nn.Module) -> int:
    return sum(len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules())


# ---- What is kept


def test_a_head_is_what_it_reads_before_its_output_map():
    model, ids = attention_only(), tokens()
    with kept(model, [f"layers.1:{head}" for head in range(HEADS)] + ["layers.1"]) as outputs:
        output = model(ids)
    x = model.embed(ids)
    x = x + model.layers[0](x, x, x, causal=True)[0]
    values = model.layers[1].W_V(x).chunk(HEADS, dim=-1)
    for head in range(HEADS):
        read = output.weights[1][:, head] @ values[head]
        assert torch.allclose(outputs[f"layers.1:{head}"], read, atol=1e-12, rtol=0)
    merged = torch.cat([outputs[f"layers.1:{head}"] for head in range(HEADS)], dim=-1)
    update = model.layers[1].W_O(merged)
    assert torch.allclose(outputs["layers.1"], update, atol=1e-12, rtol=0)
    assert hooks(model) == 0


def test_stations_of_a_transformer():
    model, batch = transformer(), sentences()
    with kept(model, ["source_positions", "encoder_layers.0", "encoder_norm"]) as outputs:
        model(batch)
    states = model.encoder_states(batch.source, batch.source_mask)
    assert torch.equal(outputs["source_positions"], states[0])
    assert torch.equal(outputs["encoder_layers.0"], states[1])
    assert torch.equal(outputs["encoder_norm"], model.encode(batch.source, batch.source_mask))


def test_what_is_kept_stands_alone():
    model, ids = attention_only(), tokens()
    with kept(model, ["layers.0"]) as outputs:
        model(ids)
    assert not outputs["layers.0"].requires_grad
    before = outputs["layers.0"].clone()
    outputs["layers.0"].zero_()
    with kept(model, ["layers.0"]) as again:
        model(ids)
    assert torch.equal(again["layers.0"], before)


def test_a_part_that_runs_twice_is_refused():
    model = attention_only()
    message = "parts: expected parts that run once while the block lasts, got 'layers.0' again"
    with kept(model, ["layers.0"]):
        model(tokens())
        with pytest.raises(ValueError, match=message):
            model(tokens())
    shared = transformer(share_layers=True)
    again = pytest.raises(ValueError, match="got 'encoder_layers.1' again")
    with kept(shared, ["encoder_layers.1"]), again:
        shared(sentences())
    assert hooks(model) == hooks(shared) == 0


# ---- What is put in its place


@pytest.mark.parametrize("part", ["layers.0", "layers.1:2", "layers.1.W_K", "embedding"])
def test_its_own_output_changes_nothing(part):
    model, ids = attention_only(), tokens()
    with kept(model, [part]) as outputs:
        whole = model(ids).logits
    with patched(model, outputs):
        assert torch.equal(model(ids).logits, whole)
    assert hooks(model) == 0


def test_all_that_one_layer_puts_out_makes_the_other_run():
    model, clean, corrupted = attention_only(), tokens(2), tokens(3)
    with kept(model, ["embedding", "layers.0", "layers.1"]) as outputs:
        wanted = model(clean).logits
    with patched(model, outputs):
        assert torch.equal(model(corrupted).logits, wanted)


def test_heads_that_put_out_zeros_are_heads_that_are_off():
    model, ids = attention_only(), tokens()
    on = torch.ones(2, HEADS, dtype=torch.bool)
    on[0, 1] = on[1, 0] = on[1, 2] = False
    parts = ("layers.0:1", "layers.1:0", "layers.1:2")
    with patched(model, dict.fromkeys(parts, torch.zeros_like)):
        logits = model(ids).logits
    assert torch.allclose(logits, model(ids, head_mask=on).logits, atol=1e-12, rtol=0)


def test_a_head_alone_changes_by_its_own_rows_of_the_output_map():
    model, ids, other = attention_only(num_layers=1), tokens(2), tokens(3)
    with kept(model, ["layers.0:1"]) as outputs:
        model(other)
    with kept(model, ["layers.0:1"]) as own:
        before = model(ids).states
    with patched(model, outputs):
        after = model(ids).states
    W_O = model.layers[0].W_O.weight[:, D_HEAD : 2 * D_HEAD]
    change = (outputs["layers.0:1"] - own["layers.0:1"]) @ W_O.T
    assert torch.allclose(after - before, change, atol=1e-12, rtol=0)


def test_a_sublayer_that_is_zero_is_ablated():
    config = LanguageModelConfig(vocabulary=VOCABULARY, max_length=N, d_model=D_MODEL, num_heads=3)
    with global_seed(0):
        model = LanguageModel(config).double()
    for need_weights in (True, False):
        with ablated(model, layer=1, part="feed_forward", kind="zero"):
            expected = model(tokens(), need_weights=need_weights).logits
        with patched(model, {"layers.1.feed_forward": torch.zeros_like}):
            assert torch.equal(model(tokens(), need_weights=need_weights).logits, expected)


def test_positions_are_replaced_where_it_is_said():
    model, ids, other = attention_only(num_layers=1), tokens(2), tokens(3)
    where = torch.zeros(BATCH, N, dtype=torch.bool)
    where[0, 3] = where[1, 0] = True
    with kept(model, ["layers.0"]) as outputs:
        model(other)
    with patched(model, outputs, where=where):
        states = model(ids).states
    expected = model(ids).states.clone()
    expected[where] = (model.embed(ids) + outputs["layers.0"])[where]
    assert torch.allclose(states, expected, atol=1e-12, rtol=0)


def test_a_station_is_patched_as_chapter_05_patches_it():
    model, clean, corrupted = transformer(), sentences(5), sentences(8)
    names = {"memory": "encoder_norm", "encoder_layers.0": "encoder_layers.0",
             "source": "source_positions", "decoder_layers.1": "decoder_layers.1"}  # fmt: skip
    for station, part in names.items():
        with kept(model, [part]) as outputs:
            model(clean)
        for row in range(BATCH):
            place = 1
            state = tuple(outputs[part][row, place].tolist())
            changed = ChangedTransformer(model, Changes(patches=(Patch(station, place, state),)))
            args = (corrupted.source, corrupted.source_mask, corrupted.target_in)
            expected = changed(*args).logits[row]
            where = torch.zeros(1, outputs[part].shape[1], dtype=torch.bool)
            where[0, place] = True
            with patched(model, outputs, where=where):
                logits = model(corrupted).logits[row]
            assert torch.allclose(logits, expected, atol=1e-9, rtol=0)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_whole_memory_makes_the_decoder_read_the_other_sentence(norm):
    model, clean, corrupted = transformer(norm=norm), sentences(5), sentences(8)
    with kept(model, ["encoder_norm"]) as outputs:
        wanted = model(clean).logits
    with patched(model, outputs):
        assert torch.equal(model(corrupted).logits, wanted)


def test_a_cut_path_leaves_the_others():
    model, ids = attention_only(positions="in_scores"), tokens()
    start = model.embed(ids)
    layer, x = model.layers[1], start + model.layers[0](*[model.in_scores(start)] * 2, start,
                                                        causal=True)[0]  # fmt: skip
    read, _ = layer(model.in_scores(x), model.in_scores(start), x, causal=True)
    values = layer.W_V(x)
    with patched(model, {"layers.1.W_K": layer.W_K(model.in_scores(start)),
                         "layers.1.W_V": values}):  # fmt: skip
        states = model(ids).states
    assert torch.allclose(states, x + read, atol=1e-12, rtol=0)


def test_gradients_pass_and_two_heads_of_one_attention_can_be_patched():
    model, ids = attention_only(), tokens()
    scale = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    patches = {"layers.0:0": lambda read: scale * read, "layers.0:2": lambda read: scale * read}
    with patched(model, patches):
        model(ids).logits.sum().backward()
    assert scale.grad is not None and scale.grad != 0


def test_an_error_inside_the_block_takes_the_hooks_away():
    model = attention_only()
    with (
        pytest.raises(RuntimeError, match="inside"),
        patched(model, {"layers.0": torch.zeros_like}),
    ):
        raise RuntimeError("inside")
    assert hooks(model) == 0


# ---- What is refused


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("layer.0", "expected a submodule's name, a head's as in 'layers.0:1', got 'layer.0'"),
        ("", "expected a submodule's name"),
        ("layers.0:3", "expected a head's number below 3, got 'layers.0:3'"),
        ("layers.0:x", "expected a head's number below 3"),
        (
            "embedding:0",
            "a head of an attention whose heads are known, got 'embedding:0' of a Embedding",
        ),
    ],
)
def test_parts_that_are_not_there_are_refused(part, message):
    model = attention_only()
    with pytest.raises(ValueError, match=message), kept(model, [part]):
        pass
    with pytest.raises(ValueError, match=message), patched(model, {part: torch.zeros_like}):
        pass


def test_names_and_values_are_checked():
    model, zeros = attention_only(), {"layers.0": torch.zeros_like}
    message = "parts: expected a list of names, got 'layers.0'"
    with pytest.raises(TypeError, match=message), kept(model, "layers.0"):
        pass
    message = r"patches\['layers.0'\]: expected a torch.Tensor, got int"
    with pytest.raises(TypeError, match=message), patched(model, {"layers.0": 3}):
        pass
    wrong = torch.zeros(BATCH, N, D_MODEL + 1)
    message = r"patches\['layers.0'\]: expected shape \(2, 5, 6\), got \(2, 5, 7\)"
    with pytest.raises(ValueError, match=message), patched(model, {"layers.0": wrong}):
        model(tokens())
    for where, error, message in (
        (torch.ones(3, 7) > 0, ValueError, "where: expected a shape that broadcasts to"),
        (torch.ones(BATCH, N), TypeError, "where: expected a boolean mask"),
    ):
        with pytest.raises(error, match=message), patched(model, zeros, where=where):
            model(tokens())
    assert hooks(model) == 0


# ---- The effect


def test_the_effect_by_hand():
    clean, corrupted = torch.tensor([5.0, 5.0, 5.0, -1.0]), torch.tensor([1.0, 1.0, 1.0, 3.0])
    got = torch.tensor([1.0, 5.0, 2.0, 4.0])
    assert patching_effect(clean, corrupted, got).tolist() == [0.0, 1.0, 0.25, -0.25]


def test_runs_that_agree_have_no_effect_to_share():
    same = torch.tensor([1.0, 2.0])
    with pytest.raises(
        ValueError, match="clean, corrupted: expected runs that differ .* got 1 of 2"
    ):
        patching_effect(same, torch.tensor([1.0, 3.0]), same)
    with pytest.raises(ValueError, match="corrupted: expected the leading axes"):
        patching_effect(same, torch.zeros(3), same)


class Pair(NamedTuple):
    update: Tensor
    size: Tensor


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        Pair._make,
    ],
    ids=["list", "tuple", "named tuple"],
)
def test_what_stands_beside_an_output_keeps_its_kind(kind):
    class Both(nn.Module):
        def forward(self, x: Tensor) -> object:
            return kind([3 * x, x.norm(dim=-1)])

    x = randn(2, 3, 5)
    model = nn.Sequential(OrderedDict(both=Both()))
    with patched(model, {"both": torch.zeros_like}):
        found = model(x)
    assert type(found) is type(kind([x, x]))
    assert torch.equal(found[0], torch.zeros(2, 3, 5, dtype=x.dtype))
    assert torch.equal(found[1], x.norm(dim=-1))


def test_a_patch_of_another_dtype_is_named():
    model, tokens = attention_only(), torch.arange(BATCH * N).reshape(BATCH, N) % VOCABULARY
    with kept(model, ["layers.0"]) as outputs:
        model(tokens)
    model.bfloat16()
    wanted = r"patches\['layers.0'\]: expected dtype torch.bfloat16, got torch.float64"
    with patched(model, outputs), pytest.raises(TypeError, match=wanted):
        model(tokens)
