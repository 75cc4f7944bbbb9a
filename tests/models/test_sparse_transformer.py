"""The sparse Transformer: its embedding and blocks by hand, who is read, its start, refusals."""

import math

import pytest
import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.functional import cross_entropy, gelu

from bottomup.attention import SparsePattern
from bottomup.attention.sparse.patterns import KINDS, WAYS
from bottomup.models import SparseTransformer, SparseTransformerConfig
from tests.drawn import global_seed, seeded

VOCABULARY, LENGTH, ROW, D_MODEL, HEADS, D_FF, LAYERS, BATCH = 11, 13, 5, 14, 2, 17, 3, 2
SIZES = {
    "vocabulary": VOCABULARY,
    "length": LENGTH,
    "row": ROW,
    "d_model": D_MODEL,
    "num_layers": LAYERS,
    "num_heads": HEADS,
    "d_ff": D_FF,
}
PATTERNS = [(kind, merge) for kind in KINDS for merge in WAYS]
every_pattern = pytest.mark.parametrize("kind, merge", PATTERNS)


def pattern_of(kind: str = "strided", merge: str = "union", width: int = 3) -> SparsePattern:
    return SparsePattern(kind=kind, width=width, summary=1, merge=merge)


def model_of(pattern: SparsePattern | None = None, seed: int = 0, **options) -> SparseTransformer:
    """A model whose weights are large enough for every layer to count."""
    with global_seed(seed):
        model = started(pattern, **options)
        for name, parameter in model.named_parameters():
            if "norm" not in name:
                torch.nn.init.normal_(parameter, std=0.5)
    return model.double()


def started(pattern: SparsePattern | None = None, **options) -> SparseTransformer:
    config = {"pattern": pattern or pattern_of(), **SIZES, **options}
    return SparseTransformer(SparseTransformerConfig(**config))


def tokens(batch: int = BATCH, n: int = LENGTH, seed: int = 2) -> Tensor:
    return torch.randint(VOCABULARY, (batch, n), generator=seeded(seed))


# ---- The embedding


@pytest.mark.parametrize("n", [1, 2, 5, 6, LENGTH])
def test_the_embedding_by_hand(n):
    model, ids = model_of(), tokens(n=n)
    assert model.config.rows == 3
    assert model.row_vectors.shape == (3, D_MODEL)
    assert model.column_vectors.shape == (ROW, D_MODEL)
    stream = model.embed(ids)
    assert stream.shape == (BATCH, n, D_MODEL)
    for b in range(BATCH):
        for i in range(n):
            before = model.start if i == 0 else model.embedding.weight[ids[b, i - 1]]
            place = model.row_vectors[i // ROW] + model.column_vectors[i % ROW]
            torch.testing.assert_close(stream[b, i], before + place)


@pytest.mark.parametrize("length, row, rows", [(13, 5, 3), (15, 5, 3), (16, 5, 4), (5, 5, 1)])
def test_the_last_row_may_be_cut(length, row, rows):
    sizes = {**SIZES, "length": length, "row": row}
    assert SparseTransformerConfig(**sizes, pattern=pattern_of()).rows == rows


# ---- The blocks


def normed(x: Tensor) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (centred.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()


@every_pattern
def test_a_block_by_the_papers_equations(kind, merge):
    model, ids = model_of(pattern_of(kind, merge)), tokens()
    states = model(ids, need_states=True).states
    assert len(states) == LAYERS + 1
    assert torch.equal(states[0], model.embed(ids))
    for layer, H, after in zip(model.layers, states, states[1:], strict=False):
        a = layer.attention(normed(H))  # its gains are one, its shifts zero
        inside = layer.feed_forward.W_in(normed(H + a))
        b = layer.feed_forward.W_out(gelu(inside))
        torch.testing.assert_close(after, H + a + b, rtol=0, atol=1e-11)


@every_pattern
def test_each_layer_knows_its_number(kind, merge):
    pattern = pattern_of(kind, merge)
    model = model_of(pattern)
    assert [layer.attention.layer for layer in model.layers] == [0, 1, 2]
    for number, weights in enumerate(model(tokens(), need_weights=True).weights):
        assert weights.shape == (BATCH, HEADS, LENGTH, LENGTH)
        mask = pattern.mask(LENGTH, num_heads=HEADS, layer=number)
        assert torch.equal(weights > 0, mask.expand_as(weights))


def test_the_logits_are_read_off_the_last_state():
    model, ids = model_of(), tokens()
    output = model(ids, need_states=True)
    assert output.logits.shape == (BATCH, LENGTH, VOCABULARY)
    by_hand = normed(output.states[-1]) @ model.unembedding.T
    torch.testing.assert_close(output.logits, by_hand, rtol=0, atol=1e-11)


def test_states_and_weights_are_given_when_asked_for():
    model, ids = model_of(), tokens()
    plain = model(ids)
    assert plain.states is None
    assert plain.weights is None
    both = model(ids, need_states=True, need_weights=True)
    assert torch.equal(both.logits, plain.logits)
    assert len(both.weights) == LAYERS
    for layer, state, weights in zip(model.layers, both.states, both.weights, strict=False):
        by_hand = layer.attention.weights(normed(state))
        torch.testing.assert_close(weights, by_hand, rtol=0, atol=1e-11)


@pytest.mark.parametrize("recompute", [True, False])
def test_runs_on_every_device(recompute, device):
    model, ids = model_of(recompute=recompute), tokens()
    wanted = model(ids).logits
    output = model.to(device)(ids.to(device), need_weights=True)
    assert output.logits.device.type == output.weights[0].device.type == device.type
    atol = 1e-11 if device.type == "cpu" else 1e-8
    torch.testing.assert_close(output.logits.cpu(), wanted, rtol=0, atol=atol)


# ---- Who is read


@every_pattern
def test_a_token_changes_nothing_up_to_its_own_position_bit_for_bit(kind, merge):
    model, ids = model_of(pattern_of(kind, merge)).float(), tokens()
    before = model(ids, need_states=True)
    for k in range(LENGTH):
        edited = ids.clone()
        edited[:, k] = (edited[:, k] + 1) % VOCABULARY
        after = model(edited, need_states=True)
        for one, other in zip(
            (before.logits, *before.states), (after.logits, *after.states), strict=True
        ):
            assert torch.equal(one[:, : k + 1], other[:, : k + 1])
        if k + 1 < LENGTH:  # position k + 1 holds it
            assert not torch.equal(before.logits[:, k + 1], after.logits[:, k + 1])


@every_pattern
def test_the_first_logits_do_not_depend_on_the_tokens(kind, merge):
    model = model_of(pattern_of(kind, merge)).float()
    first = [model(tokens(seed=seed)).logits[:, 0] for seed in range(3)]
    assert torch.equal(first[0], first[1])
    assert torch.equal(first[0], first[2])
    torch.testing.assert_close(first[0][0], first[0][1])  # products of other rows, rounded apart


@every_pattern
def test_the_beginning_alone_gives_the_same_logits(kind, merge):
    model, ids = model_of(pattern_of(kind, merge)), tokens()
    whole = model(ids).logits
    for n in range(1, LENGTH):
        torch.testing.assert_close(model(ids[:, :n]).logits, whole[:, :n], rtol=0, atol=1e-11)


def reach(model: SparseTransformer, ids: Tensor) -> Tensor:
    """Which positions of the embedding have a gradient in which position's logits."""
    x = model.embed(ids).detach().requires_grad_()
    stream = x
    for layer in model.layers:
        stream = layer(stream)
    logits = model.final_norm(stream) @ model.unembedding.T
    weigh = torch.linspace(-1, 2, VOCABULARY, dtype=logits.dtype)
    rows = []
    for i in range(ids.shape[1]):
        (gradient,) = torch.autograd.grad(logits[0, i] @ weigh, x, retain_graph=True)
        rows.append(gradient[0].abs().amax(dim=-1) > 0)
    return torch.stack(rows)


@every_pattern
@pytest.mark.parametrize("layers", [1, 2])
def test_logits_depend_on_what_the_layers_patterns_lead_to_and_on_nothing_else(kind, merge, layers):
    pattern = pattern_of(kind, merge)
    model = model_of(pattern, num_layers=layers)
    wanted = torch.eye(LENGTH)
    for layer in range(layers):
        mask = pattern.mask(LENGTH, num_heads=HEADS, layer=layer).any(dim=0)
        wanted = (mask.float() + torch.eye(LENGTH)) @ wanted  # read, or kept in the stream
    assert torch.equal(reach(model, tokens(batch=1)), wanted > 0)
    everything = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
    complete = kind == "dense" or (kind in ("strided", "fixed") and layers == 2)
    assert torch.equal(wanted > 0, everything) == complete


# ---- Dropout and recomputation


def test_dropout_is_off_in_evaluation_and_spares_the_embedding():
    model, ids = model_of(dropout=0.4), tokens()
    with global_seed(1):
        once, again = model(ids, need_states=True), model(ids)
    assert not torch.equal(once.logits, again.logits)
    assert torch.equal(once.states[0], model.embed(ids))
    assert torch.equal(model.eval()(ids).logits, model_of()(ids).logits)


def test_each_update_of_the_stream_is_dropped_in_parts():
    model, ids = model_of(dropout=0.4, num_layers=1), tokens()
    layer, H = model.layers[0], model.embed(ids)
    around = (layer.around_attention, layer.around_feed_forward)
    assert [each.dropout.p for each in around] == [0.4, 0.4]
    assert layer.feed_forward.dropout == 0
    with global_seed(1):
        torch.nn.init.zeros_(layer.feed_forward.W_out.weight)
        torch.nn.init.zeros_(layer.feed_forward.W_out.bias)
        kept = layer(H) - H
    full = layer.attention(normed(H)) / (1 - 0.4)
    dropped = kept.abs() < 1e-12
    assert 0.2 < dropped.double().mean().item() < 0.6
    torch.testing.assert_close(kept[~dropped], full[~dropped], rtol=0, atol=1e-11)


def trained_step(recompute: bool, device: torch.device, dropout: float = 0.3) -> list[Tensor]:
    """Logits and gradients of one step in training, and the random numbers after it."""
    model = model_of(recompute=recompute, dropout=dropout).to(device)
    with global_seed(7):
        logits = model(tokens().to(device)).logits
        logits.sin().sum().backward()
        after = torch.rand(3)
    return [logits, *(parameter.grad for parameter in model.parameters()), after]


def test_recomputing_gives_the_same_logits_and_gradients_with_dropout(device):
    kept, again = trained_step(False, device), trained_step(True, device)
    assert len(kept) == 2 + 7 + LAYERS * 12
    assert all(torch.equal(one, other) for one, other in zip(kept, again, strict=True))
    assert not torch.equal(kept[0], trained_step(True, device, dropout=0.0)[0])


def kept_bytes(recompute: bool) -> int:
    """Bytes that the backward pass finds ready, each storage once, parameters left out."""
    model, kept = model_of(recompute=recompute), {}
    own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(note, lambda tensor: tensor):
        output = model(tokens())
    assert output.states is None
    return sum(size for place, size in kept.items() if place not in own)


def test_recomputing_keeps_less():
    assert kept_bytes(True) < kept_bytes(False) / 3


# ---- The start


def weights_under_one_seed(**options) -> dict[str, Tensor]:
    with global_seed(3):
        return started(**options).state_dict()


@pytest.mark.parametrize("layers, divisor", [(2, 2.0), (3, math.sqrt(6)), (8, 4.0)])
def test_the_scaled_start_divides_the_two_maps_that_write(layers, divisor):
    plain = weights_under_one_seed(scaled_init=False, num_layers=layers)
    scaled = weights_under_one_seed(scaled_init=True, num_layers=layers)
    writing = [
        f"layers.{layer}.{name}.weight"
        for layer in range(layers)
        for name in ("attention.W_P", "feed_forward.W_out")
    ]
    assert set(writing) <= set(plain)
    for name, weight in plain.items():
        if name in writing:
            torch.testing.assert_close(scaled[name] * divisor, weight, rtol=1e-6, atol=0)
        else:
            assert torch.equal(scaled[name], weight)


@every_pattern
def test_under_one_seed_all_patterns_start_alike(kind, merge):
    one, other = weights_under_one_seed(), weights_under_one_seed(pattern=pattern_of(kind, merge))
    assert all(torch.equal(weight, other[name]) for name, weight in one.items())


def test_the_start_as_the_docstring_says():
    with global_seed(5):
        model = started(
            vocabulary=211, length=1009 * 4, row=1009, d_model=96, d_ff=307, scaled_init=False
        )
    layer = model.layers[1]
    root = math.sqrt(96)
    wanted = {
        model.embedding.weight: 0.125 / root,
        model.column_vectors: 0.125 / root / math.sqrt(2),
        model.unembedding: 1 / root,
        layer.attention.W_QKV.weight: 0.125 / root,
        layer.attention.W_P.weight: 0.125 / root,
        layer.feed_forward.W_in.weight: 0.125 / root,
        layer.feed_forward.W_out.weight: 0.125 / math.sqrt(307),
    }
    for weight, std in wanted.items():
        assert weight.std().item() == pytest.approx(std, rel=0.03)
    for few, std in ((model.start, 0.125 / root), (model.row_vectors, 0.125 / root / math.sqrt(2))):
        assert few.std().item() == pytest.approx(std, rel=0.3)
    biases = [each for name, each in model.named_parameters() if name.endswith("bias")]
    assert len(biases) == LAYERS * 4 + LAYERS * 2 + 1
    assert not any(bias.any() for bias in biases)


ATTENTION, FEED_FORWARD, NORM = 4 * (14 * 14 + 14), 2 * 14 * 17 + 17 + 14, 2 * 14
LAYER = ATTENTION + FEED_FORWARD + 2 * NORM


@pytest.mark.parametrize(
    "options, expected",
    [
        ({}, 2 * 11 * 14 + 14 + (3 + 5) * 14 + 3 * LAYER + NORM),
        ({"num_layers": 2}, 2 * 11 * 14 + 14 + (3 + 5) * 14 + 2 * LAYER + NORM),
        ({"row": 13}, 2 * 11 * 14 + 14 + (1 + 13) * 14 + 3 * LAYER + NORM),
    ],
)
def test_the_number_of_parameters_by_hand(options, expected):
    model = started(**options)
    assert sum(parameter.numel() for parameter in model.parameters()) == expected


@every_pattern
def test_every_parameter_gets_a_gradient(kind, merge):
    model = model_of(pattern_of(kind, merge))
    model(tokens()).logits.sin().sum().backward()
    without = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert without == []


# ---- Learning


def repeated_rows(seed: int) -> Tensor:
    """Images of three rows of four pixels, all rows alike: a pixel is the one above it."""
    return torch.randint(5, (64, 4), generator=seeded(seed)).repeat(1, 3)


def loss_below_the_first_row(kind: str) -> float:
    with global_seed(0):
        model = started(
            pattern_of(kind, width=4), vocabulary=5, length=12, row=4, d_model=32, num_heads=4,
            d_ff=64, num_layers=1,
        )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(80):
        images = repeated_rows(step)
        logits = model(images).logits
        loss = cross_entropy(logits.flatten(0, 1), images.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    images = repeated_rows(1000)
    with torch.no_grad():
        logits = model(images).logits[:, 4:]
    return cross_entropy(logits.flatten(0, 1), images[:, 4:].flatten()).item()


@pytest.mark.slow
def test_it_learns_to_read_the_pixel_above_where_the_pattern_has_it():
    assert loss_below_the_first_row("strided") < 0.3
    # Of the pixel above, a block of four shows the last of its positions alone.
    assert loss_below_the_first_row("block") > 0.6 * math.log(5)


# ---- What is refused


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"vocabulary": 0}, ValueError, "vocabulary: expected an integer of at least 1, got 0"),
        ({"length": 0}, ValueError, "length: expected an integer of at least 1, got 0"),
        ({"row": 0}, ValueError, "row: expected an integer of at least 1, got 0"),
        ({"row": 14}, ValueError, "row: expected at most length=13, got 14"),
        ({"d_model": 14.0}, TypeError, "d_model: expected an integer, got 14.0"),
        ({"num_layers": 0}, ValueError, "num_layers: expected an integer of at least 1, got 0"),
        ({"num_heads": 3}, ValueError, "num_heads: expected a divisor of d_model=14, got 3"),
        ({"d_ff": True}, TypeError, "d_ff: expected an integer, got True"),
        ({"pattern": "strided"}, TypeError, "pattern: expected a SparsePattern, got 'strided'"),
        (
            {"pattern": pattern_of("fixed", "heads"), "num_heads": 7},
            ValueError,
            "merge: expected an even number of heads .*, got 7",
        ),
        ({"dropout": 1}, ValueError, "dropout: expected a number >= 0 and < 1, got 1"),
        ({"dropout": "a"}, TypeError, "dropout: expected a number, got 'a'"),
        ({"scaled_init": "yes"}, ValueError, "scaled_init: expected one of True, False, got 'yes'"),
        ({"recompute": None}, ValueError, "recompute: expected one of True, False, got None"),
    ],
)
def test_a_bad_configuration_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        SparseTransformerConfig(**{"pattern": pattern_of(), **SIZES, **options})


@pytest.mark.parametrize(
    "ids, error, message",
    [
        (torch.tensor([[11]]), ValueError, r"tokens: expected token numbers in \[0, 11\), got 11"),
        (torch.tensor([3]), ValueError, r"tokens: expected axes \[batch, position\]"),
        (torch.ones(2, 3), TypeError, "tokens: expected dtype torch.int64, got torch.float32"),
        (
            torch.ones(2, 17, dtype=torch.int64),
            ValueError,
            "tokens: expected at most length=13 positions, got 17",
        ),
    ],
)
def test_bad_tokens_are_refused(ids, error, message):
    with pytest.raises(error, match=message):
        model_of()(ids)
