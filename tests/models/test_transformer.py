import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bottomup.data import BOS, Batch, make_batch
from bottomup.decoding import greedy
from bottomup.models import Transformer, TransformerConfig
from tests.drawn import global_seed

SOURCES, TARGETS, D_MODEL, HEADS, D_FF, LONGEST = 17, 13, 6, 3, 11, 7
SIZES = {
    "source_vocabulary": SOURCES,
    "target_vocabulary": TARGETS,
    "d_model": D_MODEL,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "num_heads": HEADS,
    "d_ff": D_FF,
    "max_length": LONGEST,
}
KINDS = {
    "default": {},
    "post-norm": {"norm": "post"},
    "post-norm and a final norm": {"norm": "post", "final_norm": True},
    "learned positions": {"positions": "learned"},
    "three tables": {"shared": "none"},
    "one table": {"shared": "all", "target_vocabulary": SOURCES},
    "shared layers": {"share_layers": True},
}
PAIRS = [([4, 5, 6, 7], [5, 4]), ([8, 9], [6, 7, 8, 9]), ([10], [])]
for_every_kind = pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)
on_both_paths = pytest.mark.parametrize("need_weights", [True, False])


def model_of(**options) -> Transformer:
    with global_seed(0):
        return Transformer(TransformerConfig(**{**SIZES, **options})).double()


def batch() -> Batch:
    return make_batch(PAIRS)


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)


# ---- What is computed


def expected_stream(table: torch.nn.Embedding, positions: torch.nn.Module, ids: Tensor) -> Tensor:
    return math.sqrt(D_MODEL) * table.weight[ids] + positions.table[: ids.shape[1]]


@for_every_kind
def test_layer_after_layer_by_hand(options):
    model, given = model_of(**options), batch()
    x = expected_stream(model.source_embedding, model.source_positions, given.source)
    readable = given.source_mask[:, None]
    for layer in model.encoder_layers:
        x = layer(x, readable)[0]
    memory = model.encoder_norm(x)
    y = expected_stream(model.target_embedding, model.target_positions, given.target_in)
    for layer in model.decoder_layers:
        y = layer(y, memory, None, readable, causal=True)[0]
    U = model.target_embedding if model.unembedding is None else model.unembedding
    close(model.encode(given.source, given.source_mask), memory)
    close(model(given).logits, model.decoder_norm(y) @ U.weight.T)


@for_every_kind
def test_the_encoders_states_go_from_layer_to_layer_and_end_in_the_memory(options, device):
    model, given = model_of(**options).to(device), batch().to(device)
    states = model.encoder_states(given.source, given.source_mask)
    assert [state.shape for state in states] == [(3, 5, D_MODEL)] * 3
    table, positions = model.source_embedding, model.source_positions
    close(states[0], expected_stream(table, positions, given.source))
    for layer, before, after in zip(model.encoder_layers, states, states[1:], strict=False):
        assert torch.equal(layer(before, given.source_mask[:, None])[0], after)
    memory = model.encode(given.source, given.source_mask)
    assert torch.equal(model.encoder_norm(states[-1]), memory)
    assert torch.equal(states[-1], memory) is not model.config.ends_in_norm


def test_the_states_at_real_tokens_do_not_depend_on_padding():
    model, given = model_of(), batch()
    padded = model.encoder_states(given.source, given.source_mask)
    alone = make_batch(PAIRS[1:2])
    for state, expected in zip(
        padded, model.encoder_states(alone.source, alone.source_mask), strict=True
    ):
        close(state[1:2, :3], expected)


@pytest.mark.parametrize(
    "options, kind",
    [
        ({"norm": "pre"}, "LayerNorm"),
        ({"norm": "post"}, "Identity"),
        ({"norm": "pre", "final_norm": False}, "Identity"),
        ({"norm": "post", "final_norm": True}, "LayerNorm"),
    ],
)
def test_a_final_norm_stands_where_it_should(options, kind):
    model = model_of(**options)
    norms = (model.encoder_norm, model.decoder_norm)
    assert {type(norm).__name__ for norm in norms} == {kind}


def test_the_layers_are_those_of_the_configuration():
    model = model_of(norm="post", activation="gelu", dropout=0.3)
    assert (len(model.encoder_layers), len(model.decoder_layers)) == (2, 3)
    for layer in (*model.encoder_layers, *model.decoder_layers):
        assert type(layer.around_feed_forward).__name__ == "PostNorm"
        assert layer.feed_forward.activation == "gelu"
        assert layer.attention.dropout == model.dropout.p == 0.3


def test_tables_are_shared_as_asked_for():
    none, target, everything = (
        model_of(**options) for options in ({"shared": "none"}, {}, KINDS["one table"])
    )
    assert none.unembedding.weight.shape == (TARGETS, D_MODEL)
    assert target.unembedding is None
    assert target.source_embedding is not target.target_embedding
    assert everything.source_embedding is everything.target_embedding


def test_shared_layers_are_one_object_with_the_parameters_of_one():
    model = model_of(share_layers=True)
    assert len(set(model.encoder_layers)) == len(set(model.decoder_layers)) == 1
    assert (len(model.encoder_layers), len(model.decoder_layers)) == (2, 3)
    one = model_of(encoder_layers=1, decoder_layers=1)
    assert sum(p.numel() for p in model.parameters()) == sum(p.numel() for p in one.parameters())
    apart = model_of()
    assert len(set(apart.encoder_layers)) == 2
    assert len(set(apart.decoder_layers)) == 3


@for_every_kind
def test_a_saved_model_comes_back(options):
    model, other = model_of(**options), model_of(**options)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    other.load_state_dict(model.state_dict())
    assert torch.equal(other(batch()).logits, model(batch()).logits)


@on_both_paths
def test_weights_are_given_when_asked_for(need_weights, device):
    model, given = model_of().to(device), batch().to(device)
    output = model(given, need_weights=need_weights)
    close(output.logits, model(given).logits)
    assert output.logits.shape == (3, 5, TARGETS)
    assert output.logits.device.type == device.type
    if not need_weights:
        assert output.weights is None
        return
    shapes = [[one.shape for one in weights] for weights in output.weights]
    assert shapes == [
        [(3, HEADS, *ends)] * n for n, ends in ((2, (5, 5)), (3, (5, 5)), (3, (5, 5)))
    ]


@on_both_paths
def test_without_padding_no_mask_is_passed_on(need_weights):
    model, masks = model_of(), []
    for layer in (*model.encoder_layers, *model.decoder_layers):
        layer.register_forward_pre_hook(lambda _, inputs: masks.append(inputs[-2]))
    model(make_batch(PAIRS[:1]), need_weights=need_weights)
    assert masks == [None] * 5
    model(batch(), need_weights=need_weights)
    readable = batch().source_mask[:, None]
    assert all(torch.equal(mask, readable) for mask in masks[5:])


@for_every_kind
@on_both_paths
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_without_padding_a_mask_would_change_no_bit(options, need_weights, dtype):
    """Records were made with a mask that hid nothing."""
    model, given = model_of(**options, dropout=0.1).to(dtype), make_batch(PAIRS[:1] * 3)
    found = []
    for masked in (False, True):
        for layer in {*model.encoder_layers, *model.decoder_layers} if masked else ():
            layer.register_forward_pre_hook(with_a_mask_of_ones)
        with global_seed(1):
            logits = model(given, need_weights=need_weights).logits
        loss = cross_entropy(logits.flatten(0, 1), given.target_out.flatten())
        found.append([logits, *torch.autograd.grad(loss, list(model.parameters()))])
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


def with_a_mask_of_ones(_: torch.nn.Module, inputs: tuple) -> tuple:
    *before, mask, need_weights = inputs
    assert mask is None
    return *before, torch.ones(3, 1, 5, dtype=torch.bool), need_weights


def test_weights_follow_the_masks():
    encoder, decoder, cross = model_of()(batch(), need_weights=True).weights
    readable = batch().source_mask[:, None, None]
    for weights in (*encoder, *cross):
        assert torch.equal(weights > 0, readable.expand_as(weights))
    for weights in decoder:
        assert torch.equal(weights > 0, torch.ones(5, 5).tril().bool().expand_as(weights))


def test_dropout_is_off_in_evaluation_and_reaches_both_streams_in_training():
    model, given = model_of(dropout=0.4), batch()
    seen = []
    for layer in (model.encoder_layers[0], model.decoder_layers[0]):
        layer.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    with global_seed(1):
        model(given)
    assert [bool((stream == 0).any()) for stream in seen] == [True, True]
    assert torch.equal(model.eval()(given).logits, model_of()(given).logits)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_every_parameter_gets_a_gradient(norm):
    model = model_of(norm=norm, shared="none", positions="learned", max_length=5)
    model(batch()).logits.sin().sum().backward()
    empty = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    # a bias of the keys adds the same to all scores of a query, and the softmax takes it away
    assert [name for name in empty if not name.endswith("W_K.bias")] == []


@pytest.mark.parametrize("shared", ["none", "target", "all"])
def test_embedded_tokens_and_logits_start_with_about_variance_one(shared):
    config = {"source_vocabulary": 211, "target_vocabulary": 211, "d_model": 128, "num_heads": 4}
    model = model_of(**config, shared=shared)
    for table in (model.source_embedding, model.target_embedding):
        assert 128 * table.weight.var().item() == pytest.approx(1, abs=0.1)
    assert model(batch()).logits[:, 0].var().item() == pytest.approx(1, abs=0.3)


# ---- Step by step


@for_every_kind
def test_steps_give_the_logits_and_weights_of_the_whole(options, device):
    model, given = model_of(**options).to(device), batch().to(device)
    expected = model(given, need_weights=True)
    state = model.start(given.source, given.source_mask)
    for place in range(given.target_in.shape[1]):
        logits, state, weights = model.step(given.target_in[:, place], state)
        close(logits, expected.logits[:, place])
        close(weights, expected.weights.cross[-1].mean(dim=1)[:, place])
    assert state.length == given.target_in.shape[1]


@pytest.mark.parametrize("rows, padded", [(3, True), (1, False)])
def test_the_longest_source_alone_is_read_without_a_mask_and_says_the_same(rows, padded):
    model, given = model_of(), batch()
    longest = given.source_mask.sum(dim=1).argsort(descending=True)[:rows]
    expected = model(given, need_weights=True)
    state = model.start(given.source[longest], given.source_mask[longest])
    assert (state.memory_mask is not None) is padded
    logits, state, weights = model.step(given.target_in[longest, 0], state)
    close(logits, expected.logits[longest, 0])
    close(weights, expected.weights.cross[-1].mean(dim=1)[longest, 0])
    state = model.reorder(state, torch.tensor([0, 0]))
    assert (state.memory_mask is not None) is padded


@for_every_kind
def test_decoding_greedily_is_decoding_the_growing_prefix_again_and_again(options, device):
    model, given = model_of(**options).to(device).eval(), batch().to(device)
    length = LONGEST - 1
    target = torch.full((3, 1), BOS, device=device)
    for _ in range(length):
        real = torch.ones_like(target, dtype=torch.bool)
        prefix = Batch(given.source, given.source_mask, target, target, real)
        following = model(prefix).logits[:, -1].argmax(dim=-1, keepdim=True)
        target = torch.cat([target, following], dim=1)
    decoded = greedy(model, given.source, given.source_mask, max_length=length)
    for row, expected, tokens in zip(
        decoded.tokens, target[:, 1:], decoded.lengths.tolist(), strict=True
    ):
        assert torch.equal(row[:tokens], expected[:tokens])
    assert decoded.weights.shape == (*decoded.tokens.shape, 5)


# ---- Learning


@pytest.mark.slow
def test_it_learns_to_exchange_two_tokens():
    rows = torch.cartesian_prod(torch.arange(4, 9), torch.arange(4, 9)).tolist()
    given = make_batch([(row, row[::-1]) for row in rows])
    sizes = {"source_vocabulary": 9, "target_vocabulary": 9, "max_length": 3}
    with global_seed(0):
        model = Transformer(TransformerConfig.preset("tiny", **sizes, d_model=24))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(80):
        loss = cross_entropy(model(given).logits.flatten(0, 1), given.target_out.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05
    decoded = greedy(model, given.source, given.source_mask, max_length=2)
    assert decoded.to_lists() == [row[::-1] for row in rows]


# ---- Bad input


ONES = torch.ones(3, 5, dtype=torch.bool)


def rows(*counts: int) -> Tensor:
    """A mask with that many real tokens in each row."""
    return torch.arange(5) < torch.tensor(counts)[:, None]


def ids(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.int64)


def of_length(n: int) -> dict[str, Tensor]:
    return {"source": ids(3, n), "source_mask": torch.ones(3, n, dtype=torch.bool)}


CASES = {
    "a source token outside the vocabulary": (
        {"source": ids(3, 5) * SOURCES},
        r"source: expected token numbers in \[0, 17\), got 17",
    ),
    "a target token outside the vocabulary": (
        {"target_in": ids(3, 5) * TARGETS},
        r"target_in: expected token numbers in \[0, 13\), got 13",
    ),
    "a negative token": ({"target_in": -ids(3, 5)}, r"target_in: .*in \[0, 13\), got -1"),
    "a source past the table of positions": (
        of_length(LONGEST + 1),
        "x: expected positions below max_length=7, got positions 0 to 7",
    ),
    "a target past the table of positions": (
        {"target_in": ids(3, 11), "target_mask": torch.ones(3, 11, dtype=torch.bool)},
        "x: expected positions below max_length=7, got positions 0 to 10",
    ),
    "a source that is all padding": (
        {"source_mask": rows(5, 0, 3)},
        r"source_mask: expected a real token in each row, got none in rows \[1\]",
    ),
    "a target that is all padding": (
        {"target_mask": rows(0, 5, 0)},
        r"target_mask: expected a real token in each row, got none in rows \[0, 2\]",
    ),
    "a source padded on the left": (
        {"source_mask": rows(5, 4, 3).flip(1)},
        "source_mask: expected padding on the right only",
    ),
    "a target padded on the left": (
        {"target_mask": rows(5, 4, 3).flip(1)},
        "target_mask: expected padding on the right only",
    ),
    "an empty batch": (
        {"source": ids(0, 5), "source_mask": ONES[:0], "target_in": ids(0, 5)},
        r"source: axis batch must not be empty, got shape \(0, 5\)",
    ),
    "no source positions": (
        of_length(0),
        r"source: axis source must not be empty, got shape \(3, 0\)",
    ),
    "another number of targets than sources": (
        {"target_in": ids(2, 5), "target_mask": ONES[:2]},
        r"target_in: expected axes \[batch=3, target\], got shape \(2, 5\)",
    ),
    "a mask of another shape": (
        {"source_mask": ONES[:, :4]},
        r"source_mask: expected axes \[batch=3, source=5\], got shape \(3, 4\)",
    ),
    "a mask on another device": (
        {"target_mask": ONES.to("meta")},
        "target_mask: expected the device cpu of target_embedding.weight, got meta",
    ),
    "a target on another device": (
        {"target_in": ids(3, 5).to("meta")},
        "target_in: expected the device cpu of target_embedding.weight, got meta",
    ),
}


def changed(changes: dict[str, Tensor]) -> Batch:
    return replace(batch(), **changes)


@pytest.mark.parametrize("name", CASES)
def test_bad_batches_are_refused(name):
    changes, message = CASES[name]
    with pytest.raises(ValueError, match=message):
        model_of()(changed(changes))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"source": torch.ones(3, 5)}, "source: expected dtype torch.int64, got torch.float32"),
        ({"source": [[4, 5]]}, "source: expected a torch.Tensor, got list"),
        ({"target_in": None}, "target_in: expected a torch.Tensor, got NoneType"),
        ({"source_mask": ONES.float()}, "source_mask: expected a boolean mask"),
        ({"target_mask": None}, "target_mask: expected a torch.Tensor, got NoneType"),
    ],
)
def test_values_of_another_kind_are_refused(changes, message):
    with pytest.raises(TypeError, match=message):
        model_of()(changed(changes))


@pytest.mark.parametrize(
    "name", [name for name in CASES if "source" in name and "than" not in name]
)
@pytest.mark.parametrize("method", ["encode", "encoder_states", "start"])
def test_encoding_alone_refuses_the_same_sources(method, name):
    changes, message = CASES[name]
    given = changed(changes)
    with pytest.raises(ValueError, match=message):
        getattr(model_of(), method)(given.source, given.source_mask)


def start(**options):
    model = model_of(**options)
    return model, model.start(batch().source, batch().source_mask)


@pytest.mark.parametrize(
    "token, message",
    [
        (ids(3) * TARGETS, r"token: expected token numbers in \[0, 13\), got 13"),
        (ids(3, 1), r"token: expected non-empty axes \[batch\], got \(3, 1\)"),
        (ids(2), "token: expected batch=3 as in the source, got 2"),
    ],
)
def test_bad_tokens_are_refused(token, message):
    model, state = start()
    with pytest.raises(ValueError, match=message):
        model.step(token, state)
    assert model.step(ids(3), state)[1].length == 1


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_a_step_past_the_table_of_positions_is_refused(positions):
    model, state = start(positions=positions)
    for _ in range(LONGEST):
        _, state, _ = model.step(ids(3), state)
    with pytest.raises(ValueError, match="x: expected positions below max_length=7, got .* 7 to 7"):
        model.step(ids(3), state)


def test_a_state_cannot_be_continued_twice():
    model, state = start()
    _, newest, _ = model.step(ids(3), state)
    message = "state: expected the newest, with length=1, got one with length=0"
    with pytest.raises(ValueError, match=message):
        model.step(ids(3), state)
    assert model.step(ids(3), newest)[1].length == 2


def test_a_step_in_training_mode_with_dropout_is_refused():
    model, state = start(dropout=0.2)
    with pytest.raises(ValueError, match="expected evaluation mode or dropout=0"):
        model.step(ids(3), state)
    assert model.eval().step(ids(3), state)[1].length == 1
