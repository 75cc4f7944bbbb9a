"""The sparse Transformer: its embedding by hand, its masks, recomputation, its start, refusals."""

import math

import pytest
import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

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


# ---- The blocks


@every_pattern
def test_each_layer_knows_its_number(kind, merge):
    pattern = pattern_of(kind, merge)
    model = model_of(pattern)
    assert [layer.attention.layer for layer in model.layers] == [0, 1, 2]
    for number, weights in enumerate(model(tokens(), need_weights=True).weights):
        assert weights.shape == (BATCH, HEADS, LENGTH, LENGTH)
        mask = pattern.mask(LENGTH, num_heads=HEADS, layer=number)
        assert torch.equal(weights > 0, mask.expand_as(weights))


# ---- Dropout and recomputation


def test_dropout_is_off_in_evaluation_and_spares_the_embedding():
    model, ids = model_of(dropout=0.4), tokens()
    with global_seed(1):
        once, again = model(ids, need_states=True), model(ids)
    assert not torch.equal(once.logits, again.logits)
    assert torch.equal(once.states[0], model.embed(ids))
    assert torch.equal(model.eval()(ids).logits, model_of()(ids).logits)


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


# ---- What is refused


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"row": 14}, ValueError, "row: expected at most length=13, got 14"),
        ({"num_heads": 3}, ValueError, "num_heads: expected a divisor of d_model=14, got 3"),
        ({"pattern": "strided"}, TypeError, "pattern: expected a SparsePattern, got 'strided'"),
        (
            {"pattern": pattern_of("fixed", "heads"), "num_heads": 7},
            ValueError,
            "merge: expected an even number of heads .*, got 7",
        ),
    ],
)
def test_a_bad_configuration_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        SparseTransformerConfig(**{"pattern": pattern_of(), **SIZES, **options})


@pytest.mark.parametrize(
    "ids, error, message",
    [
        (torch.tensor([[11]]), ValueError, r"tokens: expected token numbers in \[0, 11\), got 11"),
        (torch.ones(2, 17, dtype=torch.int64), ValueError, "tokens: expected at most length=13"),
    ],
)
def test_bad_tokens_are_refused(ids, error, message):
    with pytest.raises(error, match=message):
        model_of()(ids)
