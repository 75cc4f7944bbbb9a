"""The sparse Transformer against torch's encoder layers under the same masks: logits, gradients."""

import pytest
import torch
from torch import Tensor, nn

from bottomup.attention import SparsePattern
from bottomup.models import SparseTransformer, SparseTransformerConfig
from tests.drawn import global_seed, seeded
from tests.parity.comparison import close, gradients, in_each_dtype

VOCABULARY, LENGTH, ROW, D_MODEL, HEADS, D_FF, LAYERS, BATCH = 11, 13, 5, 14, 2, 17, 3, 2
# A query that may read nothing gives NaN in torch: a fixed pattern's summaries alone are left out.
PATTERNS = {
    "dense": SparsePattern(kind="dense", width=1),
    "strided": SparsePattern(kind="strided", width=3),
    "strided, heads": SparsePattern(kind="strided", width=3, merge="heads"),
    "strided, layers": SparsePattern(kind="strided", width=3, merge="layers"),
    "fixed": SparsePattern(kind="fixed", width=5, summary=2),
    "window": SparsePattern(kind="window", width=4),
    "block": SparsePattern(kind="block", width=4),
}
COPIED = {
    "self_attn.in_proj_weight": "attention.W_QKV.weight",
    "self_attn.in_proj_bias": "attention.W_QKV.bias",
    "self_attn.out_proj.weight": "attention.W_P.weight",
    "self_attn.out_proj.bias": "attention.W_P.bias",
    "linear1.weight": "feed_forward.W_in.weight",
    "linear1.bias": "feed_forward.W_in.bias",
    "linear2.weight": "feed_forward.W_out.weight",
    "linear2.bias": "feed_forward.W_out.bias",
    "norm1.weight": "around_attention.norm.gain",
    "norm1.bias": "around_attention.norm.bias",
    "norm2.weight": "around_feed_forward.norm.gain",
    "norm2.bias": "around_feed_forward.norm.bias",
}


def model_of(pattern: SparsePattern, recompute: bool) -> SparseTransformer:
    with global_seed(4):
        model = SparseTransformer(
            SparseTransformerConfig(
                vocabulary=VOCABULARY, length=LENGTH, row=ROW, pattern=pattern, d_model=D_MODEL,
                num_layers=LAYERS, num_heads=HEADS, d_ff=D_FF, recompute=recompute,
            )
        )  # fmt: skip
        for parameter in model.parameters():
            nn.init.normal_(parameter, std=0.5)
    return model


def torch_layers(model: SparseTransformer) -> nn.ModuleList:
    """torch's layers in training mode, since it may take another path in evaluation."""
    layers = nn.ModuleList()
    for ours in model.layers:
        layer = nn.TransformerEncoderLayer(
            D_MODEL, HEADS, D_FF, dropout=0.0, activation="gelu", norm_first=True, batch_first=True
        )
        mine = dict(ours.named_parameters())
        assert set(COPIED.values()) == set(mine)
        layer.load_state_dict({name: mine[own].detach() for name, own in COPIED.items()})
        layers.append(layer.to(model.unembedding))
    return layers


def torch_logits(model: SparseTransformer, layers: nn.ModuleList, ids: Tensor) -> Tensor:
    """Our tables around torch's layers; torch's masks say who may not attend."""
    x, pattern = model.embed(ids), model.config.pattern
    for number, layer in enumerate(layers):
        mask = pattern.mask(ids.shape[1], num_heads=HEADS, layer=number, device=ids.device)
        x = layer(x, src_mask=~mask.repeat(BATCH, 1, 1))  # [batch x head, query, key]
    norm = model.final_norm
    normed = nn.functional.layer_norm(x, (D_MODEL,), norm.gain, norm.bias)
    return normed @ model.unembedding.T


@in_each_dtype
@pytest.mark.parametrize("recompute", [False, True])
@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_logits_and_gradients(pattern, recompute, dtype, device):
    model = model_of(pattern, recompute).to(device, dtype)
    layers, generator = torch_layers(model), seeded(7)
    limit = close(device, dtype, factor=10, layer=True)
    for n in (1, 4, LENGTH):
        ids = torch.randint(VOCABULARY, (BATCH, n), generator=generator).to(device)
        got, want = model(ids).logits, torch_logits(model, layers, ids)
        torch.testing.assert_close(got, want, **limit)
    tables = [p for name, p in model.named_parameters() if not name.startswith("layers.")]
    own = [dict(layer.named_parameters()) for layer in model.layers]
    mine = [parameters[name] for parameters in own for name in COPIED.values()]
    its = [dict(layer.named_parameters())[name] for layer in layers for name in COPIED]
    limit = close(device, dtype, factor=100, layer=True)
    torch.testing.assert_close(
        gradients(got, [*tables, *mine]), gradients(want, [*tables, *its]), **limit
    )
