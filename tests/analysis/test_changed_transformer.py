"""Changes in a Transformer, against what can be worked out without them."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from bottomup.analysis import ChangedTransformer
from bottomup.data import BOS, PAD, make_batch
from bottomup.decoding import beam_search, greedy
from bottomup.models import Changes, Patch, Transformer, TransformerConfig
from tests.drawn import global_seed

D_MODEL, HEADS = 6, 3
SIZES = {
    "source_vocabulary": 17,
    "target_vocabulary": 13,
    "d_model": D_MODEL,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "num_heads": HEADS,
    "d_ff": 11,
    "max_length": 7,
}
KINDS = {"pre-norm": {}, "post-norm": {"norm": "post"}, "three tables": {"shared": "none"}}
for_every_kind = pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)
SOURCES, TARGET = [[4, 5, 6, 7], [8, 9]], [5, 4, 7]
CROSS = "decoder_layers.1.cross_attention"


def model_of(**options: object) -> Transformer:
    with global_seed(0):
        model = Transformer(TransformerConfig(**{**SIZES, **options})).double().eval()
        for parameter in model.parameters():  # biases and gains, too, are any numbers
            parameter.data += torch.randn_like(parameter) / 5
    return model


def run(model: Transformer, changes: Changes, source: int = 0, target: list[int] = TARGET):
    batch = make_batch([(SOURCES[source], [])])
    changed = ChangedTransformer(model, changes)
    with torch.no_grad():
        return changed(batch.source, batch.source_mask, torch.tensor([[BOS, *target]]))


def states(model: Transformer, changes: Changes, source: int = 0) -> dict[str, Tensor]:
    batch = make_batch([(SOURCES[source], [])])
    with torch.no_grad():
        return ChangedTransformer(model, changes).states(
            batch.source, batch.source_mask, torch.tensor([[BOS, *TARGET]])
        )


def original(model: Transformer, source: int = 0, target: list[int] = TARGET):
    with torch.no_grad():
        return model(make_batch([(SOURCES[source], target)]), need_weights=True)


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-12)


# ---- Nothing changed


@for_every_kind
def test_without_a_change_it_is_the_model(options):
    model = model_of(**options)
    found, expected = run(model, Changes()), original(model)
    close(found.logits, expected.logits)
    for got, layers in zip(found.weights, expected.weights, strict=True):
        for one, other in zip(got, layers, strict=True):
            close(one, other)


def test_padded_sources_are_read_as_alone():
    model = model_of()
    batch = make_batch([(source, []) for source in SOURCES])
    targets = torch.tensor([[BOS, *TARGET]] * 2)
    with torch.no_grad():
        both = ChangedTransformer(model, Changes())(batch.source, batch.source_mask, targets)
    for number in range(2):
        close(both.logits[number], original(model, number).logits[0])


# ---- One change each, against parameters that do the same


def with_zeros(model: Transformer, *names: str, columns: slice = slice(None)) -> Transformer:
    for name, parameter in model.named_parameters():
        if name in names:
            parameter.data[..., columns] = 0
    return model


def test_a_head_that_is_off_is_one_whose_part_of_the_output_map_is_zero():
    d_head = D_MODEL // HEADS
    changes = Changes(heads=(f"{CROSS}:1",))
    slice_of_head = slice(d_head, 2 * d_head)
    other = with_zeros(model_of(), f"{CROSS}.W_O.weight", columns=slice_of_head)
    found = run(model_of(), changes)
    close(found.logits, original(other).logits)
    assert found.weights.cross[1][0, 1].abs().max() == 0
    close(found.weights.cross[1][0, [0, 2]], original(other).weights.cross[1][0, [0, 2]])


@pytest.mark.parametrize(
    "sublayer, last",
    [
        ("encoder_layers.0.attention", "W_O"),
        ("encoder_layers.1.feed_forward", "W_out"),
        ("decoder_layers.0.attention", "W_O"),
        (CROSS, "W_O"),
        ("decoder_layers.2.feed_forward", "W_out"),
    ],
)
@for_every_kind
def test_an_update_that_is_left_out_is_one_that_is_zero(options, sublayer: str, last: str):
    zeros = (f"{sublayer}.{last}.weight", f"{sublayer}.{last}.bias")
    other = with_zeros(model_of(**options), *zeros)
    found = run(model_of(**options), Changes(updates=(sublayer,)))
    close(found.logits, original(other).logits)


def test_a_skip_that_is_left_out_leaves_the_update_alone():
    model = model_of()
    before = states(model, Changes())["source"]
    layer = model.encoder_layers[0]
    read = layer.around_attention.norm(before)
    update, _ = layer.attention(read, read, read)
    expected = update + layer.feed_forward(layer.around_feed_forward.norm(update))
    found = states(model, Changes(skips=("encoder_layers.0.attention",)))
    close(found["encoder_layers.0"], expected)


@pytest.mark.parametrize("side", ["source", "target"])
def test_positions_that_are_left_out_are_a_table_of_zeros(side: str):
    other = model_of()
    getattr(other, f"{side}_positions").table.zero_()
    close(run(model_of(), Changes(positions=(side,))).logits, original(other).logits)


def test_without_the_causal_mask_what_comes_later_counts():
    model = model_of()
    for causal in (True, False):
        one, other = (
            run(model, Changes(causal=causal), target=[5, 4, last]).logits[0, :-1]
            for last in (7, 8)
        )
        assert torch.equal(one, other) == causal


def test_a_hidden_word_is_read_by_nobody():
    model, changes = model_of(), Changes(hidden=(1,))
    found = run(model, changes)
    for layer in (*found.weights.encoder, *found.weights.cross):
        assert layer[..., 1].abs().max() == 0
        close(layer.sum(dim=-1), torch.ones_like(layer[..., 0]))
    batch = make_batch([([4, 12, 6, 7], [])])  # another word in its place
    changed = ChangedTransformer(model, changes)
    with torch.no_grad():
        target = torch.tensor([[BOS, *TARGET]])
        other = changed(batch.source, batch.source_mask, target)
    close(found.logits, other.logits)


def test_where_all_words_are_hidden_nothing_is_read():
    found = run(model_of(), Changes(hidden=tuple(range(9))))
    assert all(layer.abs().max() == 0 for layer in found.weights.cross)
    assert found.logits.isfinite().all()


STATIONS = (
    *("source", "encoder_layers.0", "encoder_layers.1", "memory"),
    *("target", "decoder_layers.0", "decoder_layers.1", "decoder_layers.2"),
)


def test_the_states_have_the_names_of_patches():
    assert set(states(model_of(), Changes())) == set(STATIONS)


@pytest.mark.parametrize("station", STATIONS)
def test_a_patch_stands_where_it_is_put_and_what_follows_reads_it(station: str):
    model, there = model_of(), tuple(float(number) for number in range(D_MODEL))
    found = states(model, Changes(patches=(Patch(station, 1, there),)))
    before = states(model, Changes())
    assert found[station][0, 1].tolist() == list(there)
    if not station.startswith(("source", "target")):
        close(found["source"], before["source"])
    changed = run(model, Changes(patches=(Patch(station, 1, there),))).logits
    assert not torch.allclose(changed, original(model).logits)
    # A state that the model has already, put in again, changes nothing.
    same = Changes(patches=(Patch(station, 1, tuple(before[station][0, 1].tolist())),))
    close(run(model, same).logits, original(model).logits)


def test_the_whole_memory_of_another_sentence_makes_the_other_sentences_logits():
    model = model_of()
    donor = states(model, Changes(), source=1)["memory"][0]
    patches = tuple(Patch("memory", i, tuple(state.tolist())) for i, state in enumerate(donor))
    hidden = tuple(range(len(donor), 9))  # the donor is shorter
    found = run(model, Changes(patches=patches, hidden=hidden))
    close(found.logits, original(model, source=1).logits)


def test_a_patch_behind_the_end_changes_nothing():
    changes = Changes(patches=(Patch("memory", 99, (0.0,) * D_MODEL),))
    close(run(model_of(), changes).logits, original(model_of()).logits)


# ---- Decoding


def decoded(decode: Callable[..., object], model: torch.nn.Module, **options: object):
    batch = make_batch([(source, []) for source in SOURCES])
    return decode(model, batch.source, batch.source_mask, max_length=6, **options).to_lists()


@pytest.mark.parametrize("decode, options", [(greedy, {}), (beam_search, {"beam": 3, "n_best": 2})])
def test_decoding_without_a_change_is_the_models(decode, options):
    model = model_of()
    found = decoded(decode, ChangedTransformer(model, Changes()), **options)
    assert found == decoded(decode, model, **options)


def test_a_step_gives_the_last_row_of_a_pass():
    model, changes = model_of(), Changes(causal=False, positions=("target",))
    changed, batch = ChangedTransformer(model, changes), make_batch([(SOURCES[0], [])])
    with torch.no_grad():
        state = changed.start(batch.source, batch.source_mask)
        for number, token in enumerate([BOS, *TARGET]):
            logits, state, cross = changed.step(torch.tensor([token]), state)
            expected = run(model, changes, target=TARGET[:number])
            close(logits, expected.logits[:, -1])
            close(cross, expected.weights.cross[-1].mean(dim=1)[:, -1])


def test_padding_that_a_changed_model_writes_is_a_token_that_it_reads():
    found = run(model_of(), Changes(), target=[5, PAD, BOS, 4])
    assert found.logits.shape == (1, 5, 13) and found.logits.isfinite().all()


# ---- What is refused, and how changes are written


@pytest.mark.parametrize(
    "options, message",
    [
        ({"heads": (f"{CROSS}:3",)}, "heads: expected one of"),
        ({"heads": ("encoder_layers.2.attention:0",)}, "heads: expected one of"),
        ({"skips": ("encoder_layers.0.cross_attention",)}, "skips: expected one of"),
        ({"updates": ("decoder_layers.3.feed_forward",)}, "updates: expected one of"),
        ({"positions": ("memory",)}, "positions: expected one of 'source', 'target'"),
        ({"patches": (Patch("encoder_norm", 0, (0.0,) * 6),)}, "station: expected one of"),
        ({"patches": (Patch("memory", -1, (0.0,) * 6),)}, "position: expected"),
        (
            {"patches": (Patch("memory", 0, (0.0,) * 5),)},
            "state: expected d_model=6 numbers",
        ),
        ({"hidden": (-1,)}, "hidden: expected"),
    ],
)
def test_what_the_model_does_not_have_is_refused(options, message: str):
    with pytest.raises(ValueError, match=message):
        ChangedTransformer(model_of(), Changes(**options))


def test_one_name_instead_of_a_tuple_is_refused():
    with pytest.raises(TypeError, match="skips: expected a tuple of names, got 'encoder_layers"):
        ChangedTransformer(model_of(), Changes(skips="encoder_layers.0.attention"))


def test_changes_are_written_as_they_are_made():
    changes = Changes(heads=(f"{CROSS}:2",), causal=False)
    assert repr(changes) == "Changes(heads=('decoder_layers.1.cross_attention:2',), causal=False)"
    assert eval(repr(changes)) == changes
    assert repr(Changes()) == "Changes()"
