"""The Transformer against torch's, with copied weights: logits and all gradients."""

import math

import pytest
import torch
from torch import Tensor, nn

from bottomup.data import Batch, make_batch
from bottomup.models import Transformer, from_torch, to_torch
from tests.drawn import global_seed, learned
from tests.parity.comparison import close, gradients

# torch says so of a module with pre-norm layers, or with an odd number of heads
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")

SOURCES, TARGETS, D_MODEL, HEADS, D_FF = 17, 13, 6, 3, 11
BATCHES = {
    "padded": [([4, 5, 6, 7], [5, 4]), ([8, 9], [6, 7, 8, 9]), ([10], [])],
    "not padded": [([4, 5, 6, 7], [5, 4, 9]), ([8, 9, 16, 16], [12, 7, 8])],
}
in_both_places = pytest.mark.parametrize("norm", ["pre", "post"])
with_and_without = pytest.mark.parametrize("final_norm", [True, False])
on_each_batch = pytest.mark.parametrize("name", BATCHES)
for_each_sharing = pytest.mark.parametrize("shared", ["none", "target", "all"])


def near(device: torch.device, dtype: torch.dtype = torch.float64) -> dict[str, float]:
    """The limits of one layer, widened for many."""
    return close(device, dtype, factor=100 if dtype == torch.float64 else 2, layer=True)


def torch_module(norm: str, final_norm: bool = True, **options) -> nn.Transformer:
    """torch's module in training mode, with gains and biases that are not one and zero.

    In evaluation mode torch may take another path, which gives no gradients.
    """
    sizes = {"num_encoder_layers": 2, "num_decoder_layers": 3, "dim_feedforward": D_FF}
    with global_seed(4):
        module = learned(nn.Transformer(
            D_MODEL, HEADS, **sizes, batch_first=True, norm_first=norm == "pre",
            **{"dropout": 0.0, **options},
        ))  # fmt: skip
    if not final_norm:
        module.encoder.norm = module.decoder.norm = None
    return module


def ours_from(theirs: nn.Transformer, shared: str = "none") -> Transformer:
    target = SOURCES if shared == "all" else TARGETS
    with global_seed(5):
        return from_torch(
            theirs, source_vocabulary=SOURCES, target_vocabulary=target, shared=shared
        )


def embed(table: nn.Embedding, positions: nn.Module, ids: Tensor) -> Tensor:
    rows = positions.table[: ids.shape[1]]  # in float64, too, they are those of float32
    return math.sqrt(D_MODEL) * table(ids) + rows


def torch_logits(ours: Transformer, theirs: nn.Transformer, batch: Batch, **masks) -> Tensor:
    """Our tables around torch's layers; torch's masks say who may not attend."""
    n = batch.target_in.shape[1]
    causal = torch.ones(n, n, dtype=torch.bool, device=batch.source.device).tril()
    decoded = theirs(
        embed(ours.source_embedding, ours.source_positions, batch.source),
        embed(ours.target_embedding, ours.target_positions, batch.target_in),
        tgt_mask=~causal,
        src_key_padding_mask=~batch.source_mask,
        memory_key_padding_mask=~batch.source_mask,
        **masks,
    )
    U = ours.target_embedding if ours.unembedding is None else ours.unembedding
    return decoded @ U.weight.T


def gradients_of(output: Tensor, parameters: dict[str, Tensor]) -> dict[str, Tensor]:
    return dict(zip(parameters, gradients(output, list(parameters.values())), strict=True))


def in_torch_s_layout(ours: Transformer, grads: dict[str, Tensor]) -> dict[str, Tensor]:
    """Gradients of our layers as torch lays out the weights."""
    holder = Transformer(ours.config).to(ours.target_embedding.weight)
    with torch.no_grad():
        for name, parameter in holder.named_parameters():
            parameter.copy_(grads[name])
    return dict(to_torch(holder).named_parameters())


def assert_same(theirs: nn.Transformer, name: str, dtype: torch.dtype, device, shared="none"):
    theirs = theirs.to(device, dtype)
    ours, batch = ours_from(theirs, shared), make_batch(BATCHES[name]).to(device)
    got, want = ours(batch).logits, torch_logits(ours, theirs, batch)
    limit = near(device, dtype)
    torch.testing.assert_close(got, want, **limit)
    named = dict(ours.named_parameters())
    tables = {key: table for key, table in named.items() if "bedding" in key}
    mine = gradients_of(got, named)
    mine |= in_torch_s_layout(ours, mine)
    its = gradients_of(want, {**dict(theirs.named_parameters()), **tables})
    assert len(tables) == {"none": 3, "target": 2, "all": 1}[shared]
    for key, value in its.items():
        torch.testing.assert_close(mine[key], value, **limit, msg=key)


@in_both_places
@with_and_without
@on_each_batch
def test_logits_and_gradients(name, final_norm, norm, device):
    assert_same(torch_module(norm, final_norm), name, torch.float64, device)


@in_both_places
def test_logits_and_gradients_in_single_precision(norm, device):
    assert_same(torch_module(norm), "padded", torch.float32, device)


@in_both_places
@for_each_sharing
def test_logits_and_gradients_with_every_sharing_of_tables(shared, norm, device):
    assert_same(torch_module(norm), "padded", torch.float64, device, shared)


@in_both_places
def test_logits_and_gradients_with_gelu(norm, device):
    assert_same(torch_module(norm, activation="gelu"), "padded", torch.float64, device)


@in_both_places
def test_a_mask_over_target_padding_changes_nothing_at_real_positions(norm, device):
    """The causal mask does its work already: padding stands behind."""
    theirs = torch_module(norm).double().to(device)
    ours, batch = ours_from(theirs), make_batch(BATCHES["padded"]).to(device)
    want = torch_logits(ours, theirs, batch, tgt_key_padding_mask=~batch.target_mask)
    got, real = ours(batch).logits, batch.target_mask
    torch.testing.assert_close(got[real], want[real], **near(device))


@in_both_places
def test_weights_asked_for_do_not_change_the_logits(norm, device):
    theirs = torch_module(norm).double().to(device)
    ours, batch = ours_from(theirs), make_batch(BATCHES["padded"]).to(device)
    got = ours(batch, need_weights=True)
    want = torch_logits(ours, theirs, batch)
    torch.testing.assert_close(got.logits, want, **near(device))
    assert [len(weights) for weights in got.weights] == [2, 3, 3]


@in_both_places
@with_and_without
def test_our_weights_in_torch_s_module(final_norm, norm, device):
    ours = ours_from(torch_module(norm, final_norm).double().to(device))
    batch = make_batch(BATCHES["padded"]).to(device)
    want = ours(batch).logits
    got = torch_logits(ours, to_torch(ours), batch)
    torch.testing.assert_close(got, want, **near(device))
