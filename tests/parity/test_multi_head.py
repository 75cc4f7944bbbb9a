"""Multi-head attention against ``nn.MultiheadAttention``: outputs, weights and all gradients."""

import pytest
import torch
from torch import Tensor, nn

from bottomup.attention import (
    MultiHeadAttention,
    attention_for,
    from_torch,
    fused_attention,
    to_torch,
)
from tests.drawn import global_seed, learned
from tests.parity.comparison import close, draw, in_each_dtype

BATCH, HEADS, D_HEAD, N, KEY = 2, 3, 2, 5, 7
D_MODEL = HEADS * D_HEAD
CAUSAL = torch.ones(N, N, dtype=torch.bool).tril()
PADDING = torch.tensor([[True] * 3 + [False] * 2, [True] * 5])  # [batch, key]
LONGER = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])
PAIRS = torch.arange(BATCH * N * N).reshape(BATCH, N, N) % 4 != 1
PER_HEAD = torch.arange(BATCH * HEADS * N * N).reshape(BATCH, HEADS, N, N) % 3 != 1
# ours, and what torch is told: True = may not attend, heads and batch in one axis
MASKS = {
    "none": (None, {}),
    "causal": (CAUSAL, {"attn_mask": ~CAUSAL}),
    "key padding": (PADDING[:, None], {"key_padding_mask": ~PADDING}),
    "causal and key padding": (
        CAUSAL & PADDING[:, None],
        {"attn_mask": ~CAUSAL, "key_padding_mask": ~PADDING},
    ),
    "one for each pair": (PAIRS, {"attn_mask": ~PAIRS.repeat_interleave(HEADS, dim=0)}),
    "one for each head": (PER_HEAD, {"attn_mask": ~PER_HEAD.flatten(0, 1)}),
}

on_both_paths = pytest.mark.parametrize("need_weights", [True, False])


def torch_module(dtype: torch.dtype, *, bias: bool = True, **options) -> nn.MultiheadAttention:
    """torch's module, with biases that are not zero."""
    with global_seed(4):
        module = nn.MultiheadAttention(D_MODEL, HEADS, bias=bias, batch_first=True, **options)
        return learned(module).to(dtype)


def sequence(n: int, dtype: torch.dtype, device: torch.device | str, seed: int = 1) -> Tensor:
    return draw(BATCH, n, D_MODEL, seed=seed, dtype=dtype, device=device)


def parameter_gradients(module: MultiHeadAttention | nn.MultiheadAttention) -> dict[str, Tensor]:
    """Gradients by the names of our maps."""
    if isinstance(module, MultiHeadAttention):
        return {name: p.grad for name, p in module.named_parameters() if p.grad is not None}
    found = {"W_O.weight": module.out_proj.weight.grad}
    for role, rows in zip("QKV", module.in_proj_weight.grad.chunk(3), strict=True):
        found[f"W_{role}.weight"] = rows
    if module.in_proj_bias is not None:
        found["W_O.bias"] = module.out_proj.bias.grad
        for role, rows in zip("QKV", module.in_proj_bias.grad.chunk(3), strict=True):
            found[f"W_{role}.bias"] = rows
    return found


def assert_same(
    theirs: nn.MultiheadAttention,
    inputs: list[Tensor],
    mask: Tensor | None,
    torch_masks: dict[str, Tensor],
    need_weights: bool,
) -> None:
    """Run both on the inputs, one tensor for all three roles or three tensors, and compare."""
    device, dtype = inputs[0].device, inputs[0].dtype
    limit = close(device, dtype, layer=True)
    ours = from_torch(theirs)
    roles = inputs * 3 if len(inputs) == 1 else inputs
    torch_masks = {name: given.to(device) for name, given in torch_masks.items()}
    mask = None if mask is None else mask.to(device)
    got, weights = ours(*roles, mask, attend=attention_for(need_weights))
    want, expected = theirs(
        *roles, **torch_masks, need_weights=need_weights, average_attn_weights=False
    )
    torch.testing.assert_close(got, want, **limit)
    if need_weights:
        torch.testing.assert_close(weights, expected, **limit)
    weight = torch.linspace(-1, 1, got.numel(), dtype=dtype, device=device).reshape(got.shape)
    of_inputs = []
    for output in (got, want):
        (output * weight).sum().backward()
        of_inputs.append([x.grad.clone() for x in inputs])
        for x in inputs:
            x.grad = None
    for mine, its in zip(*of_inputs, strict=True):
        torch.testing.assert_close(mine, its, **limit)
    mine, its = parameter_gradients(ours), parameter_gradients(theirs)
    assert set(mine) == set(its)
    for name, gradient in mine.items():
        torch.testing.assert_close(gradient, its[name], **limit, msg=lambda m, n=name: f"{n}: {m}")


@on_both_paths
@in_each_dtype
@pytest.mark.parametrize("name", MASKS)
def test_self_attention_under_every_kind_of_mask(name, dtype, need_weights, device):
    mask, torch_masks = MASKS[name]
    theirs = torch_module(dtype).to(device)
    assert_same(
        theirs,
        [sequence(N, dtype, device)],
        mask,
        torch_masks,
        need_weights,
    )


@on_both_paths
@in_each_dtype
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("queries", [N, 1])
def test_cross_attention_to_a_sequence_of_another_length(
    queries, padded, dtype, need_weights, device
):
    inputs = [sequence(n, dtype, device, seed=seed) for seed, n in enumerate((queries, KEY, KEY))]
    mask = LONGER[:, None] if padded else None
    torch_masks = {"key_padding_mask": ~LONGER} if padded else {}
    assert_same(torch_module(dtype).to(device), inputs, mask, torch_masks, need_weights)


@on_both_paths
def test_without_biases(need_weights, device):
    theirs = torch_module(torch.float64, bias=False).to(device)
    mask, torch_masks = MASKS["causal"]
    assert_same(
        theirs,
        [sequence(N, torch.float64, device)],
        mask,
        torch_masks,
        need_weights,
    )


def test_torch_s_module_made_from_ours_gives_the_same(device):
    theirs = torch_module(torch.float64).to(device)
    x = sequence(N, torch.float64, device)
    again, _ = to_torch(from_torch(theirs))(x, x, x)
    assert torch.equal(again, theirs(x, x, x)[0])


def test_the_mean_of_our_maps_is_what_torch_returns_by_default(device):
    theirs = torch_module(torch.float64).to(device)
    x = sequence(N, torch.float64, device)
    _, weights = from_torch(theirs)(x, x, x)
    torch.testing.assert_close(weights.mean(dim=1), theirs(x, x, x)[1], rtol=0, atol=1e-12)


def test_where_nothing_may_be_read_torch_has_no_number_and_we_read_zeros(device):
    theirs = torch_module(torch.float64).to(device)
    ours = from_torch(theirs)
    x = sequence(N, torch.float64, device)
    mask = torch.ones(BATCH, N, N, dtype=torch.bool, device=device)
    mask[1, 3] = False
    want, _ = theirs(x, x, x, attn_mask=~mask.repeat_interleave(HEADS, dim=0))
    assert want[1, 3].isnan().all()
    for need_weights in (True, False):
        got, weights = ours(x, x, x, mask, attend=attention_for(need_weights))
        torch.testing.assert_close(got[1, 3], ours.W_O.bias, rtol=0, atol=1e-12)
        assert weights is None or weights[1, :, 3].abs().sum() == 0
        rest = mask.any(-1)
        torch.testing.assert_close(got[rest], want[rest], rtol=0, atol=1e-12)
        x.grad = None
        got.sin().sum().backward()
        assert x.grad.isfinite().all()


def test_dropout_draws_as_torch_does_on_the_fused_path():
    theirs = torch_module(torch.float64, dropout=0.4)
    ours, x = (
        from_torch(theirs),
        sequence(N, torch.float64, "cpu"),
    )
    with global_seed(11):
        got, _ = ours(x, x, x, attend=fused_attention)
        torch.manual_seed(11)
        want, _ = theirs(x, x, x, need_weights=False)
    torch.testing.assert_close(got, want, rtol=0, atol=1e-12)
    ours.eval()
    assert not torch.allclose(ours(x, x, x)[0], want)
