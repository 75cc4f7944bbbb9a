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


def test_shared_layers_are_one_object_with_the_parameters_of_one():
    model = model_of(share_layers=True)
    assert len(set(model.encoder_layers)) == len(set(model.decoder_layers)) == 1
    assert (len(model.encoder_layers), len(model.decoder_layers)) == (2, 3)
    one = model_of(encoder_layers=1, decoder_layers=1)
    assert sum(p.numel() for p in model.parameters()) == sum(p.numel() for p in one.parameters())
    apart = model_of()
    assert len(set(apart.encoder_layers)) == 2
    assert len(set(apart.decoder_layers)) == 3


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
        layer.register_forward_pre_hook(lambda _, inputs: masks.append(inputs[-1]))
    model(make_batch(PAIRS[:1]), need_weights=need_weights)
    assert masks == [None] * 5
    model(batch(), need_weights=need_weights)
    readable = batch().source_mask[:, None]
    assert all(torch.equal(mask, readable) for mask in masks[5:])


@on_both_paths
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_without_padding_a_mask_would_change_no_bit(need_weights, dtype):
    """Records were made with a mask that hid nothing."""
    model, given = model_of(dropout=0.1).to(dtype), make_batch(PAIRS[:1] * 3)
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
    *before, mask = inputs
    assert mask is None
    return *before, torch.ones(3, 1, 5, dtype=torch.bool)


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


# ---- Bad input


ONES = torch.ones(3, 5, dtype=torch.bool)


def rows(*counts: int, width: int = 5) -> Tensor:
    """A mask with that many real tokens in each row."""
    return torch.arange(width) < torch.tensor(counts)[:, None]


def ids(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.int64)


SOURCES_REFUSED = [
    ({"source": ids(3, 5) * SOURCES}, r"source: expected token numbers in \[0, 17\), got 17"),
    ({"source_mask": rows(5, 0, 3)}, r"source_mask: expected a real token .* in rows \[1\]"),
    ({"source_mask": rows(5, 4, 3).flip(1)}, "source_mask: expected padding on the right only"),
]
REFUSED = [
    *SOURCES_REFUSED,
    ({"target_in": ids(3, 5) * TARGETS}, r"target_in: expected token numbers in \[0, 13\), got 13"),
    ({"target_in": ids(3, 11), "target_mask": rows(5, 5, 5, width=11)}, "x: expected positions"),
    ({"target_in": ids(2, 5), "target_mask": ONES[:2]}, r"target_in: expected axes \[batch=3"),
]


@pytest.mark.parametrize("changes, message", REFUSED)
def test_bad_batches_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        model_of()(replace(batch(), **changes))


@pytest.mark.parametrize("changes, message", SOURCES_REFUSED)
@pytest.mark.parametrize("method", ["encode", "encoder_states", "start"])
def test_encoding_alone_refuses_the_same_sources(method, changes, message):
    given = replace(batch(), **changes)
    with pytest.raises(ValueError, match=message):
        getattr(model_of(), method)(given.source, given.source_mask)


def start(**options):
    model = model_of(**options)
    return model, model.start(batch().source, batch().source_mask)


@pytest.mark.parametrize(
    "token, message",
    [
        (ids(3) * TARGETS, r"token: expected token numbers in \[0, 13\), got 13"),
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
