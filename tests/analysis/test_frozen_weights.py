"""The same attention weights for every sequence: by hand, hooks removed, bad input."""

import pytest
import torch
from torch import nn

from bottomup.analysis import frozen_weights
from bottomup.attention import MultiHeadAttention, merge_heads, split_heads
from bottomup.models import LanguageModel
from tests.analysis.small import VOCABULARY, language_model
from tests.drawn import global_seed

LENGTH, SEQUENCES = 5, 7


@pytest.fixture
def model() -> LanguageModel:
    return language_model().double()


@pytest.fixture
def tokens(generator: torch.Generator) -> torch.Tensor:
    return torch.randint(VOCABULARY, (SEQUENCES, LENGTH), generator=generator)


@torch.no_grad()
def test_every_sequence_reads_with_the_mean_weights(model, tokens):
    layer, stream = model.layers[0], model.embed(tokens)
    whole = model(tokens, need_weights=True)
    read = layer.around_attention.read(stream)
    values = split_heads(layer.attention.W_V(read), 3)
    update = layer.attention.W_O(merge_heads(whole.weights[0].mean(dim=0) @ values))
    stream = layer.around_attention.write(stream, update)
    read = layer.around_feed_forward.read(stream)
    want = layer.around_feed_forward.write(stream, layer.feed_forward(read))
    with frozen_weights(model, layer=0, reference=tokens):
        got = model(tokens)
    assert torch.allclose(got.states[1], want, atol=1e-12)
    assert not torch.allclose(got.states[1], whole.states[1], atol=1e-3)
    assert torch.equal(model(tokens, need_weights=True).logits, whole.logits)


@torch.no_grad()
def test_one_sequence_keeps_its_own_weights(model, tokens):
    with frozen_weights(model, layer=1, reference=tokens[:1]):
        got = model(tokens[:1]).logits
    assert torch.allclose(got, model(tokens[:1]).logits, atol=1e-12)


def test_the_hook_goes_also_after_an_error(model, tokens):
    before = model(tokens).logits
    with (
        pytest.raises(RuntimeError, match="stop"),
        frozen_weights(model, layer=0, reference=tokens),
    ):
        raise RuntimeError("stop")
    assert torch.equal(model(tokens).logits, before)


def test_bad_input_is_named(model, tokens):
    with pytest.raises(ValueError, match=r"layer: expected a number in \[0, 2\), got 2"):
        frozen_weights(model, layer=2, reference=tokens).__enter__()
    with pytest.raises(ValueError, match="model: expected a model with layers, got Linear"):
        frozen_weights(nn.Linear(2, 3), layer=0, reference=tokens).__enter__()
    with pytest.raises(ValueError, match=r"reference: expected axes \[sequence, position\]"):
        frozen_weights(model, layer=0, reference=tokens[0])
    with (
        frozen_weights(model, layer=0, reference=tokens),
        pytest.raises(ValueError, match="reference: expected sequences of length 3, got 5"),
    ):
        model(tokens[:, :3])


class Halving(MultiHeadAttention):
    """Is no product of its weights and its values."""

    def forward(self, *arguments, **options):
        output, weights = super().forward(*arguments, **options)
        return output / 2, weights


def replaced(model: LanguageModel, kind: type[MultiHeadAttention]) -> LanguageModel:
    with global_seed(0):
        model.layers[1].attention = kind(6, 3).double()
    return model


def test_an_attention_that_does_more_than_weigh_is_refused(model, tokens):
    message = "layer: expected one whose attention is .*, got Halving"
    with pytest.raises(TypeError, match=message):
        frozen_weights(replaced(model, Halving), layer=1, reference=tokens).__enter__()
