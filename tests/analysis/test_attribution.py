"""Direct attribution: that the parts add up, and what a part gets, by hand."""

import pytest
import torch
from torch import nn

from bottomup.analysis import direct_attribution, written
from bottomup.blocks import LayerNorm, RMSNorm
from bottomup.data import make_batch
from bottomup.models import (
    AttentionOnly,
    AttentionOnlyConfig,
    Transformer,
    TransformerConfig,
)
from tests.drawn import global_seed, learned, randn, seeded

D_MODEL, HEADS, BATCH, N, VOCABULARY = 6, 3, 2, 5, 13


def test_by_hand():
    norm = LayerNorm(2, epsilon=1e-12)
    with torch.no_grad():
        norm.gain.copy_(torch.tensor([2.0, 3.0]))
        norm.bias.copy_(torch.tensor([0.5, 0.25]))
    parts = torch.tensor([[4.0, 0.0], [0.0, 2.0]])  # their sum is (4, 2): mean 3, s = 1
    each, constant = direct_attribution(parts, norm, torch.tensor([1.0, -1.0]))
    # centred (2, -2) and (-1, 1); gain times direction is (2, -3)
    assert each.tolist() == pytest.approx([10.0, -5.0])
    assert constant.item() == pytest.approx(0.25)


def test_what_a_translators_decoder_writes_adds_up_to_its_logits():
    config = TransformerConfig(
        source_vocabulary=VOCABULARY,
        target_vocabulary=11,
        d_model=D_MODEL,
        encoder_layers=1,
        decoder_layers=2,
        num_heads=HEADS,
        d_ff=7,
    )
    with global_seed(0):
        model = learned(Transformer(config)).double().eval()
    batch = make_batch([([5, 7, 9], [4, 8]), ([6, 12, 5, 9], [9, 5, 10])])
    sublayers = [f"decoder_layers.{layer}.{part}" for layer in range(2)
                 for part in ("attention", "cross_attention", "feed_forward")]  # fmt: skip
    added = written(model, ["target_positions", *sublayers], lambda: model(batch))
    assert len(added) == 1 + 2 * (2 * (HEADS + 1) + 1)
    logits = model(batch).logits
    U, parts = model.target_embedding.weight, torch.stack([*added.values()], dim=-2)
    for right in range(11):
        direction = (U[right] - U[3]).expand(*logits.shape[:2], D_MODEL)
        each, constant = direct_attribution(parts, model.decoder_norm, direction)
        expected = logits[..., right] - logits[..., 3]
        assert torch.allclose(each.sum(dim=-1) + constant, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("bias", [True, False])
def test_heads_stand_apart_and_the_bias_belongs_to_none(bias):
    config = AttentionOnlyConfig(
        vocabulary=VOCABULARY, outputs=11, d_model=D_MODEL, num_layers=1, num_heads=HEADS
    )
    with global_seed(0):
        model = learned(AttentionOnly(config)).double()
    if not bias:
        model.layers[0].W_O.bias = None
    ids = torch.randint(VOCABULARY, (BATCH, N), generator=seeded(2))
    added = written(model, ["layers.0"], lambda: model(ids))
    names = [f"layers.0:{head}" for head in range(HEADS)] + ["layers.0:bias"] * bias
    assert list(added) == names
    for head in range(HEADS):
        on = (torch.arange(HEADS) == head)[None]
        alone = model(ids, head_mask=on).states - model.embed(ids)
        expected = alone - model.layers[0].W_O.bias if bias else alone
        assert torch.allclose(added[f"layers.0:{head}"], expected, atol=1e-12, rtol=0)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="norm: expected the width 7 as of parts, got 5"):
        direct_attribution(torch.ones(3, 7), LayerNorm(5), torch.ones(7))
    model = torch.nn.Linear(2, 3)
    with pytest.raises(ValueError, match="part: expected a submodule's name"):
        written(model, ["layers.0"], lambda: model(torch.ones(1, 1, 2)))


class Doubling(LayerNorm):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(x)


class FromOne(nn.LayerNorm):
    """Keeps its gain as what it is more than 1."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.layer_norm(x, (len(self.weight),), 1 + self.weight, self.bias)


class Heir(nn.LayerNorm):
    """Does nothing else."""


@pytest.mark.parametrize(
    "norm",
    [
        nn.LayerNorm(7, elementwise_affine=False),
        nn.LayerNorm(7, bias=False),
        Heir(7),
        torch.compile(nn.LayerNorm(7), backend="eager"),
    ],
    ids=["no parameters", "no bias", "an heir", "compiled"],
)
def test_every_kind_of_layer_norm_adds_up(norm):
    norm = learned(norm).double()
    parts, direction = randn(3, 11, 7, seed=1), randn(3, 7, seed=2)
    each, constant = direct_attribution(parts, norm, direction)
    logit = (norm(parts.sum(dim=1)) * direction).sum(dim=-1)
    assert torch.allclose(each.sum(dim=-1) + constant, logit, atol=1e-12, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", [Doubling, FromOne])
def test_an_heir_that_norms_otherwise_is_refused(kind, dtype):
    norm = learned(kind(7)).to(dtype)
    parts, direction = randn(3, 11, 7, seed=1).to(dtype), randn(3, 7, seed=2).to(dtype)
    with pytest.raises(TypeError, match=f"norm: expected .* got {kind.__name__}"):
        direct_attribution(parts, norm, direction)


@pytest.mark.parametrize(
    "norm",
    [nn.RMSNorm(7), RMSNorm(7), nn.GroupNorm(1, 7), nn.BatchNorm1d(7), nn.Identity()],
    ids=["torch's RMSNorm", "our RMSNorm", "GroupNorm", "BatchNorm", "Identity"],
)
def test_another_norm_is_refused(norm):
    parts, direction = randn(3, 11, 7, seed=1), randn(3, 7, seed=2)
    with pytest.raises(TypeError, match=f"norm: expected .* got {type(norm).__name__}"):
        direct_attribution(parts, norm.double(), direction)
