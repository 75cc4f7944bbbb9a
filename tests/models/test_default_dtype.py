"""Every module computes in torch's default dtype, where that is float64."""

import pytest
import torch
from torch import Tensor

from bottomup.data import make_batch
from bottomup.decoding import beam_search, greedy, sampled
from bottomup.models import (
    baseline_reinforce_loss,
    exact_loss,
    from_torch,
    plain_reinforce_loss,
    to_torch,
)
from bottomup.training import fit, token_cross_entropy
from tests.drawn import global_seed
from tests.every_module import EVERY, made, tensors

BATCH = make_batch([([5, 6, 7], [8, 9]), ([5, 9], [4, 4, 6])])
DECODED = ["none", "bahdanau", "dot global fed", "general local_p", "Transformer"]
DECODED += ["Transformer, learned", "HardSeq2Seq"]


@pytest.fixture(autouse=True)
def float64():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("name", EVERY)
def test_a_module_gives_float64(name):
    module, inputs = made(name)
    wide = (x.double() if isinstance(x, Tensor) and x.is_floating_point() else x for x in inputs)
    found = tensors(module(*wide))
    assert {each.dtype for each in found} == {torch.float64}
    assert all(each.isfinite().all() for each in found)


def loss_of(model, batch):
    return token_cross_entropy(model(batch).logits, batch.target_out, batch.target_mask)


@pytest.mark.parametrize("name", DECODED)
def test_a_translator_trains_and_decodes(name):
    model = made(name)[0].train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = fit(model, lambda step: BATCH, steps=2, loss=loss_of, optimizer=optimizer)
    assert len(history.loss) == 2
    given = (BATCH.source, BATCH.source_mask)
    for decoded in (
        greedy(model, *given, max_length=3),
        sampled(model, *given, max_length=3, generator=torch.Generator()),
    ):
        assert decoded.weights is None or decoded.weights.dtype == torch.float64
    assert len(beam_search(model, *given, max_length=3, beam=2).to_lists()) == 2


def test_a_translator_from_torch_gives_float64():
    model, _ = made("Transformer")
    again = from_torch(to_torch(model), source_vocabulary=11, target_vocabulary=11)
    assert again(BATCH).logits.dtype == torch.float64


@pytest.mark.parametrize("loss", [exact_loss, plain_reinforce_loss, baseline_reinforce_loss])
def test_hard_attention_has_float64_losses(loss):
    with global_seed(2):
        assert loss(made("HardSeq2Seq")[0], BATCH).dtype == torch.float64
