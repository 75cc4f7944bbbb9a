import math

import pytest
import torch
from torch import Tensor

from bottomup.models import LanguageModel, LanguageModelConfig
from tests.drawn import global_seed, seeded

VOCABULARY, MAX_LENGTH, D_MODEL, HEADS, D_FF, BATCH, N = 13, 7, 6, 3, 11, 2, 5
SIZES = {
    "vocabulary": VOCABULARY,
    "max_length": MAX_LENGTH,
    "d_model": D_MODEL,
    "num_heads": HEADS,
    "d_ff": D_FF,
}
KINDS = {
    "default": {},
    "post-norm": {"norm": "post"},
    "untied": {"tied": False},
    "gelu": {"activation": "gelu"},
    "attention only": {"feed_forward": False},
    "sinusoids": {"positions": "sinusoidal"},
    "no layers": {"num_layers": 0},
}
for_every_kind = pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)
in_both_places = pytest.mark.parametrize("norm", ["pre", "post"])
on_both_paths = pytest.mark.parametrize("need_weights", [True, False])


def model_of(kind: type = LanguageModel, **options) -> LanguageModel:
    with global_seed(0):
        return kind(LanguageModelConfig(**{**SIZES, **options})).double()


def tokens(batch: int = BATCH, n: int = N) -> Tensor:
    return torch.randint(VOCABULARY, (batch, n), generator=seeded(2))


# ---- What is computed


@in_both_places
def test_the_stream_goes_from_layer_to_layer(norm):
    model, ids = model_of(norm=norm, num_layers=3), tokens()
    output = model(ids)
    assert len(output.states) == 4
    for layer, before, after in zip(model.layers, output.states, output.states[1:], strict=False):
        assert torch.equal(layer(before, causal=True)[0], after)


def test_the_embedding_is_scaled_where_the_table_is_tied():
    ids = tokens()
    for tied, scale in ((True, math.sqrt(D_MODEL)), (False, 1.0)):
        model = model_of(tied=tied)
        expected = scale * model.embedding.weight[ids] + model.positions.table[:N]
        torch.testing.assert_close(model(ids).states[0], expected)
        assert torch.equal(model.embed(ids), model(ids).states[0])


@for_every_kind
def test_the_logit_lens_on_the_last_state_gives_the_logits(options):
    model = model_of(**options)
    output = model(tokens())
    assert output.logits.shape == (BATCH, N, VOCABULARY)
    assert torch.equal(model.unembed(output.states[-1]), output.logits)


@pytest.mark.parametrize("tied", [True, False])
@in_both_places
def test_unembedding_by_hand(norm, tied):
    model, states = model_of(norm=norm, tied=tied), model_of()(tokens()).states[1]
    normed = states
    if norm == "pre":
        centred = states - states.mean(-1, keepdim=True)
        normed = centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()
    table = model.embedding.weight if tied else model.unembedding.weight
    torch.testing.assert_close(model.unembed(states), normed @ table.T)
    torch.testing.assert_close(model.unembed(states[0, 0]), model.unembed(states)[0, 0])


@on_both_paths
def test_weights_are_given_when_asked_for(need_weights, device):
    model, ids = model_of(num_layers=3).to(device), tokens().to(device)
    output = model(ids, need_weights=need_weights)
    assert output.logits.device.type == device.type
    torch.testing.assert_close(output.logits, model(ids).logits, rtol=0, atol=1e-12)
    if not need_weights:
        assert output.weights is None
        return
    assert [weights.shape for weights in output.weights] == [(BATCH, HEADS, N, N)] * 3


def test_dropout_is_off_in_evaluation_and_reaches_the_embedding_in_training():
    model, ids = model_of(dropout=0.4, num_layers=0), tokens()
    with global_seed(1):
        assert (model(ids).states[0] == 0).any()
    assert torch.equal(model.eval()(ids).logits, model_of(num_layers=0)(ids).logits)


# ---- Who sees whom


@on_both_paths
@for_every_kind
def test_no_position_sees_what_comes_later_to_the_last_bit(options, need_weights):
    model, ids = model_of(**options), tokens()
    edited = ids.clone()
    edited[:, 3:] = (edited[:, 3:] + 1) % VOCABULARY
    one, other = model(ids, need_weights=need_weights), model(edited, need_weights=need_weights)
    for mine, its in zip((one.logits, *one.states), (other.logits, *other.states), strict=True):
        assert torch.equal(mine[:, :3], its[:, :3])
        assert not torch.allclose(mine[:, 3:], its[:, 3:])


def test_a_mask_is_joined_to_the_causal_one():
    model, ids = model_of(), tokens()
    real = torch.tensor([[True] * N, [False] * 2 + [True] * 3])  # padded at the start
    for weights in model(ids, real[:, None], need_weights=True).weights:
        allowed = torch.ones(N, N, dtype=torch.bool).tril() & real[:, None]
        assert torch.equal(weights > 0, allowed[:, None].expand_as(weights))


# ---- Parameters

EMBEDDING, POSITIONS = 13 * 6, 7 * 6
ATTENTION, FEED_FORWARD, NORM = 4 * (6 * 6 + 6), 2 * 6 * 11 + 11 + 6, 2 * 6


@pytest.mark.parametrize("tied", [True, False])
def test_every_parameter_gets_a_gradient(tied):
    model = model_of(tied=tied)
    model(tokens(n=MAX_LENGTH)).logits.sin().sum().backward()
    empty = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    # a bias of the keys adds the same to all scores of a query, and the softmax takes it away
    assert [name for name in empty if not name.endswith("W_K.bias")] == []


@pytest.mark.parametrize("tied", [True, False])
def test_stream_and_logits_start_with_about_variance_one(tied):
    config = {"vocabulary": 211, "max_length": 31, "d_model": 128, "num_heads": 4, "tied": tied}
    model = model_of(**config, num_layers=0)
    ids = torch.randint(211, (7, 31), generator=seeded(3))
    embedded = model.embed(ids) - model.positions.table
    assert embedded.var().item() == pytest.approx(1, abs=0.1)
    # a tied table names the token that is read there, so the others tell the spread
    others = torch.ones(7, 31, 211, dtype=torch.bool).scatter(-1, ids[..., None], False)
    assert model(ids).logits[others].var().item() == pytest.approx(1, abs=0.1)


# ---- What is refused


@pytest.mark.parametrize(
    "options, message",
    [
        ({"num_heads": 4}, "num_heads: expected a divisor of d_model=6, got 4"),
        ({"d_model": 9, "positions": "sinusoidal"}, "d_model: expected an even width with"),
    ],
)
def test_a_bad_configuration_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LanguageModelConfig(**{**SIZES, **options})


@pytest.mark.parametrize(
    "ids, error, message",
    [
        (torch.tensor([[13]]), ValueError, r"tokens: expected token numbers in \[0, 13\), got 13"),
        (torch.ones(2, 11, dtype=torch.int64), ValueError, "x: expected positions below"),
    ],
)
def test_bad_tokens_are_refused(ids, error, message):
    with pytest.raises(error, match=message):
        model_of()(ids)


def test_masks_that_do_not_fit_are_refused():
    model, ids = model_of(), tokens()
    message = r"mask: expected three axes \[batch=2, query=5, key=5\], got \(3, 5, 5\)"
    with pytest.raises(ValueError, match=message):
        model(ids, torch.ones(3, N, N, dtype=torch.bool))
    with pytest.raises(TypeError, match="mask: expected a boolean mask"):
        model(ids, torch.ones(N, N))
