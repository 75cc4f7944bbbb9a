"""The language model that reads both ways: who sees whom."""

import pytest
import torch

from bottomup.masks import causal_mask, padding_mask
from bottomup.models import MaskedLanguageModel
from tests.models.test_language_model import (
    BATCH,
    KINDS,
    VOCABULARY,
    N,
    for_every_kind,
    in_both_places,
    model_of,
    on_both_paths,
    tokens,
)

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


@for_every_kind
def test_under_the_causal_mask_it_is_the_language_model(options):
    ids = tokens()
    one, other = masked(**options)(ids, causal_mask(N)), model_of(**options)(ids)
    assert torch.equal(one.logits, other.logits)
    for mine, its in zip(one.states, other.states, strict=True):
        assert torch.equal(mine, its)


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
