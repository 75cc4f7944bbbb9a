"""The language model that reads both ways: who sees whom, its start, and what it refuses."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from bottomup.masks import causal_mask, padding_mask
from bottomup.models import LanguageModel, LanguageModelConfig, MaskedLanguageModel
from tests.drawn import global_seed
from tests.models.test_language_model import (
    BATCH,
    HEADS,
    KINDS,
    VOCABULARY,
    N,
    for_every_kind,
    in_both_places,
    model_of,
    on_both_paths,
    tokens,
)

MASK = VOCABULARY - 1
WITH_LAYERS = {name: options for name, options in KINDS.items() if name != "no layers"}
for_every_kind_with_layers = pytest.mark.parametrize(
    "options", WITH_LAYERS.values(), ids=WITH_LAYERS
)


def masked(**options) -> MaskedLanguageModel:
    return model_of(MaskedLanguageModel, **options)


# ---- Who sees whom


@on_both_paths
@for_every_kind_with_layers
@pytest.mark.parametrize("place", [0, N - 1])
def test_every_position_sees_every_other(options, need_weights, place):
    model, ids = masked(**options), tokens()
    edited = ids.clone()
    edited[:, place] = (edited[:, place] + 1) % VOCABULARY
    one, other = model(ids, need_weights=need_weights), model(edited, need_weights=need_weights)
    changed = (one.logits != other.logits).any(dim=-1)
    assert changed.all()
    # station 0 knows of nothing but its own token
    beneath = (one.states[0] != other.states[0]).any(dim=-1)
    assert beneath.sum(dim=1).tolist() == [1] * BATCH
    assert beneath[:, place].all()


def test_all_weights_are_there():
    weights = masked(num_layers=3)(tokens(), need_weights=True).weights
    assert [layer.shape for layer in weights] == [(BATCH, HEADS, N, N)] * 3
    assert all((layer > 0).all() for layer in weights)


@for_every_kind
def test_under_the_causal_mask_it_is_the_language_model(options):
    ids = tokens()
    one, other = masked(**options)(ids, causal_mask(N)), model_of(**options)(ids)
    assert torch.equal(one.logits, other.logits)
    for mine, its in zip(one.states, other.states, strict=True):
        assert torch.equal(mine, its)


@in_both_places
def test_without_one_it_differs_at_every_position_but_the_last(norm):
    ids = tokens()
    one, other = masked(norm=norm, num_layers=1)(ids), model_of(norm=norm, num_layers=1)(ids)
    same = (one.logits - other.logits).abs().amax(dim=(0, 2)) < 1e-12
    assert same.tolist() == [False] * (N - 1) + [True]  # the last one reads all in either


@on_both_paths
@in_both_places
def test_padding_changes_nothing_with_a_mask_and_something_without(norm, need_weights):
    model, ids = masked(norm=norm), tokens()
    padded = torch.cat([ids, torch.zeros_like(ids[:, :2])], dim=1)
    mask = padding_mask(torch.tensor([N, N]), N + 2)
    expected = model(ids).logits
    found = model(padded, mask, need_weights=need_weights).logits[:, :N]
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    without = model(padded, need_weights=need_weights).logits[:, :N]
    assert (without - expected).abs().amax(dim=(0, 2)).min() > 1e-6


def test_the_weights_follow_the_callers_mask():
    model, ids = masked(), tokens()
    real = padding_mask(torch.tensor([N, 3]))
    for weights in model(ids, real, need_weights=True).weights:
        assert torch.equal(weights > 0, real[:, None].expand_as(weights))


# ---- Its start


@for_every_kind
def test_under_one_seed_it_starts_as_the_language_model_does(options):
    one, other = masked(**options), model_of(**options)
    assert isinstance(one, LanguageModel)
    assert one.state_dict().keys() == other.state_dict().keys()
    for name, parameter in one.named_parameters():
        assert torch.equal(parameter, other.get_parameter(name))
    assert one.config == other.config


# ---- Learning


def test_it_restores_a_hidden_token_from_both_its_neighbours():
    """The token follows from the two neighbours together, from neither alone."""
    left, right = torch.cartesian_prod(torch.arange(3), torch.arange(3, 6)).unbind(-1)
    answer = 6 + (left + right) % 3
    hidden = torch.full_like(left, 9)
    ids = torch.stack([left, hidden, right], dim=1)
    with global_seed(0):
        model = MaskedLanguageModel(
            LanguageModelConfig(vocabulary=10, max_length=3, d_model=24, num_heads=2, d_ff=48)
        )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(60):
        loss = cross_entropy(model(ids).logits[:, 1], answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05
    assert torch.equal(model(ids).logits[:, 1].argmax(-1), answer)


# ---- What is refused


def test_masks_that_do_not_fit_are_refused():
    model, ids = masked(), tokens()
    message = r"mask: expected three axes \[batch=2, query=5, key=5\], got \(3, 5, 5\)"
    with pytest.raises(ValueError, match=message):
        model(ids, torch.ones(3, N, N, dtype=torch.bool))
    with pytest.raises(TypeError, match="mask: expected a boolean mask"):
        model(ids, torch.ones(N, N))
    with pytest.raises(TypeError, match=r"mask: expected a torch.Tensor, got list"):
        model(ids, [[True] * N])
    with pytest.raises(ValueError, match="mask: expected the device cpu of embedding.weight, got"):
        model(ids, torch.ones(N, N, dtype=torch.bool, device="meta"))


def test_bad_tokens_are_refused():
    with pytest.raises(ValueError, match=r"tokens: expected token numbers in \[0, 13\), got 13"):
        masked()(torch.tensor([[MASK + 1]]))
    with pytest.raises(ValueError, match="x: expected positions below max_length=7, got"):
        masked()(torch.ones(2, 11, dtype=torch.int64))
