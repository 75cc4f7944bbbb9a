"""Modules in half precision, and in ``torch.autocast`` behind a layer that hands half on."""

from functools import partial

import pytest
import torch
from torch import Tensor, nn

from bottomup.decoding import beam_search, greedy, sampled
from bottomup.training import fit, smoothed_cross_entropy, token_cross_entropy
from tests.drawn import seeded
from tests.every_module import EVERY, MODELS, TRANSLATORS, made, tensors

HALF = [torch.float16, torch.bfloat16]
autocast = partial(torch.autocast, "cpu")


def in_dtype(inputs: tuple, dtype: torch.dtype) -> tuple:
    return tuple(
        x.to(dtype) if isinstance(x, Tensor) and x.is_floating_point() else x for x in inputs
    )


@pytest.mark.parametrize("dtype", HALF, ids=str)
@pytest.mark.parametrize("name", EVERY)
def test_a_module_in_half_precision_is_near_the_one_in_float32(name, dtype):
    module, inputs = made(name)
    module, inputs = module.to(dtype), in_dtype(inputs, dtype)
    half = tensors(module(*inputs))
    # The same numbers: what is left is the rounding between layers.
    single = tensors(module.float()(*in_dtype(inputs, torch.float32)))
    assert half and all(torch.isfinite(each).all() for each in half)
    assert {each.dtype for each in half} <= {dtype, torch.float32}
    for got, wanted in zip(half, single, strict=True):
        rounding = 40 * torch.finfo(dtype).eps * max(1.0, float(wanted.detach().abs().max()))
        torch.testing.assert_close(got.float(), wanted, rtol=0, atol=rounding)


@pytest.mark.parametrize("dtype", HALF, ids=str)
@pytest.mark.parametrize("name", EVERY)
def test_under_autocast_a_module_reads_what_a_layer_before_it_hands_on(name, dtype):
    module, inputs = made(name)
    single = tensors(module(*inputs))
    with autocast(dtype=dtype):
        mixed = tensors(module(*in_dtype(inputs, dtype)))
    assert mixed
    for got, wanted in zip(mixed, single, strict=True):
        rounding = 40 * torch.finfo(dtype).eps * max(1.0, float(wanted.detach().abs().max()))
        torch.testing.assert_close(got.float(), wanted, rtol=0, atol=rounding)


class Halved(nn.Module):
    """A query or a stream in half precision beside keys in float32, and the other way."""

    def __init__(self, module: nn.Module, odd: bool) -> None:
        super().__init__()
        self.module, self.odd = module, odd

    def forward(self, *inputs: Tensor) -> object:
        mixed = [x.bfloat16() if i % 2 == self.odd else x for i, x in enumerate(inputs)]
        return self.module(*mixed)


@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("name", [n for n in EVERY if n not in MODELS and n not in TRANSLATORS])
def test_under_autocast_arguments_may_have_several_dtypes(name, odd):
    module, inputs = made(name)
    with autocast(dtype=torch.bfloat16):
        outputs = tensors(Halved(module, odd)(*inputs))
    parameters = list(module.parameters())
    if parameters:
        outputs[0].float().square().sum().backward()
        assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in parameters)
    assert all(torch.isfinite(each).all() for each in outputs)


@pytest.mark.parametrize("loss", [token_cross_entropy, smoothed_cross_entropy])
@pytest.mark.parametrize("name", [*TRANSLATORS, "Transformer", "Transformer, learned"])
def test_a_translator_trains_in_bf16_and_decodes_under_autocast(name, loss):
    model, (batch,) = made(name)

    def of_batch(model: nn.Module, batch: object) -> Tensor:
        return loss(model(batch).logits, batch.target_out, batch.target_mask)

    history = fit(
        model,
        lambda step: batch,
        steps=2,
        loss=of_batch,
        optimizer=torch.optim.Adam(model.parameters()),
        precision="bf16",
    )
    with autocast(dtype=torch.bfloat16):
        for decode in (
            greedy,
            partial(beam_search, beam=2),
            partial(sampled, generator=seeded(3), top_k=5, top_p=0.9),
        ):
            found = decode(model, batch.source, batch.source_mask, max_length=4)
            assert found.tokens.shape[0] == 3
    assert all(map(torch.isfinite, map(torch.tensor, history.loss)))


@pytest.mark.parametrize("dtype", HALF, ids=str)
@pytest.mark.parametrize("name", [*TRANSLATORS, "Transformer", "Transformer, learned"])
def test_a_translator_decodes_in_half_precision(name, dtype):
    model, (batch,) = made(name)
    model = model.to(dtype)
    for decode in (greedy, partial(beam_search, beam=2), partial(sampled, generator=seeded(3))):
        found = decode(model, batch.source, batch.source_mask, max_length=4)
        assert found.tokens.shape[0] == 3


def test_without_autocast_a_mixture_is_named():
    module, inputs = made("MultiHeadAttention")
    mixed = inputs[0].bfloat16(), *inputs[1:]
    wanted = "query: expected the dtype torch.float32 of W_Q.weight, got torch."
    for _ in range(2):
        with pytest.raises(TypeError, match=wanted + "bfloat16"):
            module(*mixed)
        with autocast(dtype=torch.bfloat16):
            module(*mixed)
    with autocast(dtype=torch.bfloat16), pytest.raises(TypeError, match=wanted + "float64"):
        module(inputs[0].double(), *inputs[1:])


def test_what_computes_in_float32_takes_a_mixture():
    module, (query, key, value) = made("AdditiveAttention")
    mixed = module(query.bfloat16(), key, value)
    for got, wanted in zip(mixed, module(query.bfloat16().float(), key, value), strict=True):
        assert torch.equal(got, wanted)
    with pytest.raises(TypeError, match="query: expected the dtype torch.float32 of W_a, got"):
        module(query.double(), key, value)
