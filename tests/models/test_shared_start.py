"""A Transformer whose encoder starts as a language model: what is copied, and what is refused."""

import pytest
import torch

from bottomup.data import make_batch
from bottomup.models import (
    LanguageModel,
    LanguageModelConfig,
    MaskedLanguageModel,
    Transformer,
    TransformerConfig,
    copy_encoder,
)
from tests.drawn import global_seed

VOCABULARY, D_MODEL, LONGEST = 17, 6, 7
ALIKE = {"d_model": D_MODEL, "num_heads": 3, "d_ff": 11, "max_length": LONGEST, "norm": "post"}
DECODER = {"target_vocabulary": 13, "decoder_layers": 3}
KINDS = {
    "post-norm": {"positions": "sinusoidal"},
    "pre-norm": {"positions": "sinusoidal", "norm": "pre"},
    "learned positions": {"positions": "learned"},
    "gelu": {"positions": "learned", "norm": "pre", "activation": "gelu"},
}
PAIRS = [([4, 5, 6, 16], [5, 4]), ([8, 9], [6, 7, 8]), ([10], [])]
for_every_kind = pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)


def language_model(kind: type = MaskedLanguageModel, **options) -> LanguageModel:
    sizes = {"vocabulary": VOCABULARY, "num_layers": 2, "positions": "sinusoidal"}
    with global_seed(0):
        model = kind(LanguageModelConfig(**{**ALIKE, **sizes, **options}))
        return away_from_the_start(model)


def transformer(**options) -> Transformer:
    sizes = {"source_vocabulary": VOCABULARY, "encoder_layers": 2, **DECODER}
    with global_seed(1):
        return Transformer(TransformerConfig(**{**ALIKE, **sizes, **options}))


def away_from_the_start(model: LanguageModel) -> LanguageModel:
    """Move every parameter, so that gains are no ones and biases no zeros."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) / 7)
    return model


def copied(**options) -> tuple[LanguageModel, Transformer]:
    encoder, translator = language_model(**options), transformer(**options)
    copy_encoder(encoder, translator)
    return encoder, translator


# ---- What is copied


@for_every_kind
def test_both_compute_the_same_stream_at_every_station(options):
    encoder, translator = copied(**options)
    batch = make_batch(PAIRS)
    before = transformer(**options).encoder_states(batch.source, batch.source_mask)
    found = translator.encoder_states(batch.source, batch.source_mask)
    expected = encoder(batch.source, batch.source_mask[:, None])
    assert len(found) == len(expected.states) == 3
    for state, wanted, old in zip(found, expected.states, before, strict=True):
        assert torch.equal(state, wanted)
        assert not torch.allclose(old, wanted)
    memory = translator.encode(batch.source, batch.source_mask)
    assert torch.equal(memory, encoder.final_norm(expected.states[-1]))


@for_every_kind
@pytest.mark.parametrize("shared", ["target", "none"])
def test_the_decoder_stays_as_it_was(options, shared):
    encoder, translator = language_model(**options), transformer(**options, shared=shared)
    copy_encoder(encoder, translator)
    before = dict(transformer(**options, shared=shared).named_parameters())
    copies = ("source_embedding", "source_positions", "encoder_layers", "encoder_norm")
    changed = {
        name
        for name, value in translator.named_parameters()
        if not torch.equal(value, before[name])
    }
    assert changed == {name for name in before if name.startswith(copies)}
    assert len(changed) == len(list(encoder.parameters()))


@for_every_kind
def test_what_becomes_of_one_does_not_reach_the_other(options):
    encoder, translator = copied(**options)
    batch = make_batch(PAIRS)
    before = [state.clone() for state in encoder(batch.source).states]
    with torch.no_grad():
        for parameter in translator.parameters():
            parameter.add_(1)
    assert all(
        torch.equal(state, old)
        for state, old in zip(encoder(batch.source).states, before, strict=True)
    )


# ---- What is refused


@pytest.mark.parametrize(
    "options, message",
    [
        ({"source_vocabulary": 19}, "expected source_vocabulary=17 .*, got 19"),
        ({"encoder_layers": 3}, "expected encoder_layers=2 as in the language model, got 3"),
        ({"activation": "gelu"}, "expected activation='relu' as in .*, got 'gelu'"),
        ({"dropout": 0.3}, "expected dropout=0.0 as in the language model, got 0.3"),
        ({"positions": "learned"}, "expected positions='sinusoidal' as in .*, got 'learned'"),
        ({"final_norm": True}, "expected final_norm=False as in the language model, got True"),
        ({"shared": "all", "target_vocabulary": VOCABULARY}, "expected a source table .* got"),
        ({"share_layers": True}, "expected a source table and layers .* got shared='target',"),
    ],
)
def test_a_transformer_that_differs_is_refused_and_stays_as_it_was(options, message):
    translator, before = transformer(**options), transformer(**options)
    with pytest.raises(ValueError, match=f"transformer: {message}"):
        copy_encoder(language_model(), translator)
    for one, other in zip(translator.parameters(), before.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"tied": False}, "got tied=False, feed_forward=True"),
        ({"feed_forward": False}, "got tied=True, feed_forward=False"),
    ],
)
def test_a_language_model_that_is_no_encoder_is_refused(options, message):
    with pytest.raises(ValueError, match=f"language_model: expected a tied table .* {message}"):
        copy_encoder(language_model(**options), transformer())


def test_other_models_are_refused():
    with pytest.raises(TypeError, match="language_model: expected a LanguageModel, got Transform"):
        copy_encoder(transformer(), language_model())
    with pytest.raises(TypeError, match="transformer: expected a Transformer, got Masked"):
        copy_encoder(language_model(), language_model())
