"""``torch.compile`` and ``torch.export`` make one graph of a model: no check stands in its way."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from bottomup.data import Batch, make_batch
from bottomup.models import Transformer, TransformerConfig
from tests.drawn import global_seed

BATCH = make_batch([([5, 6, 7], [8, 9]), ([5, 9], [4, 4, 6])])  # with padding on both sides


def compiled() -> tuple[Transformer, torch.nn.Module]:
    """A model, and the same model made one graph."""
    torch._dynamo.reset()
    sizes = {"source_vocabulary": 11, "target_vocabulary": 13, "d_model": 8, "num_heads": 2}
    layers = {"d_ff": 17, "encoder_layers": 1, "decoder_layers": 1, "dropout": 0.0}
    with global_seed(0):
        model = Transformer(TransformerConfig(**sizes, **layers))
    return model, torch.compile(model, fullgraph=True, backend="eager")


@pytest.mark.slow
def test_a_transformer_is_one_graph():
    found = []
    for network in compiled():
        network.zero_grad()
        logits = network(BATCH).logits
        logits.square().mean().backward()
        found.append((logits.detach(), sum(p.grad.norm() for p in network.parameters())))
    torch.testing.assert_close(*found, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_a_check_that_reads_a_value_would_cut_the_graph(monkeypatch):
    monkeypatch.setattr("torch.compiler.is_compiling", lambda: False)
    _, graph = compiled()
    with pytest.raises(torch._dynamo.exc.TorchDynamoException):
        graph(BATCH)
    torch._dynamo.reset()


class OfTensors(nn.Module):
    """A Transformer that takes tensors: a graph knows no `Batch`."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, source: Tensor, source_mask: Tensor, target: Tensor, target_mask: Tensor
    ) -> Tensor:
        return self.model(Batch(source, source_mask, target, target, target_mask)).logits


def four(batch: Batch) -> tuple[Tensor, ...]:
    return batch.source, batch.source_mask, batch.target_in, batch.target_mask


@pytest.mark.slow
def test_a_transformer_is_exported_with_open_sizes():
    model, _ = compiled()
    open_sizes = ({0: Dim.DYNAMIC, 1: Dim.DYNAMIC},) * 4
    program = torch.export.export(OfTensors(model.eval()), four(BATCH), dynamic_shapes=open_sizes)
    other = make_batch([([5, 6, 7, 8, 9], [8]), ([5, 9], [4, 4, 6, 10, 9, 7, 8]), ([4], [5])])
    torch.testing.assert_close(program.module()(*four(other)), model(other).logits)
