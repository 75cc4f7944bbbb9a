"""``torch.compile`` makes one graph of a model: no check stands in its way."""

import pytest
import torch

from bottomup.data import make_batch
from bottomup.models import (
    DecoderOnly,
    DecoderOnlyConfig,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)

BATCH = make_batch([([5, 6, 7], [8, 9]), ([5, 9], [4, 4, 6])])  # with padding on both sides


def translator(norm: str) -> Transformer:
    sizes = {"source_vocabulary": 11, "target_vocabulary": 13, "d_model": 8, "num_heads": 2}
    layers = {"d_ff": 17, "encoder_layers": 1, "decoder_layers": 1, "dropout": 0.0}
    return Transformer(TransformerConfig(norm=norm, **sizes, **layers))


def one_graph(model, given, *, backend="eager"):
    """Return logits of the model as it is and compiled, and the gradient's size of each."""
    torch._dynamo.reset()
    found = []
    for network in (model, torch.compile(model, fullgraph=True, backend=backend)):
        model.zero_grad()
        output = network(given)
        logits = getattr(output, "logits", output)
        logits.square().mean().backward()
        found.append((logits.detach(), sum(p.grad.norm() for p in model.parameters())))
    (plain, plain_gradient), (compiled, gradient) = found
    torch.testing.assert_close(compiled, plain, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(gradient, plain_gradient, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_transformer_is_one_graph(norm):
    one_graph(translator(norm), BATCH)


@pytest.mark.slow
def test_so_is_its_backward_pass():
    one_graph(translator("pre"), BATCH, backend="aot_eager")


@pytest.mark.slow
@pytest.mark.parametrize("positions", ["rotary", "alibi"])
def test_so_is_a_decoder_of_today(positions):
    config = DecoderOnlyConfig(
        vocabulary=11, max_length=7, d_model=8, num_heads=2, num_layers=1, positions=positions
    )
    one_graph(DecoderOnly(config), BATCH.source)


@pytest.mark.slow
def test_so_is_a_language_model():
    sizes = {"vocabulary": 11, "max_length": 7, "d_model": 8, "num_heads": 2, "num_layers": 1}
    one_graph(LanguageModel(LanguageModelConfig(**sizes, d_ff=17, dropout=0.0)), BATCH.source)


@pytest.mark.slow
def test_a_check_that_reads_a_value_would_cut_the_graph(monkeypatch):
    monkeypatch.setattr("bottomup.checks.torch.compiler.is_compiling", lambda: False)
    with pytest.raises(torch._dynamo.exc.TorchDynamoException):
        one_graph(translator("pre"), BATCH)
    torch._dynamo.reset()
