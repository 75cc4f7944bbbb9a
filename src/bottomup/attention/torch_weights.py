"""Multi-head attention from torch's own module and to it: same weights."""

import torch
from torch import nn

from bottomup.attention.multi_head import MultiHeadAttention, check_maps
from bottomup.checks import check_weights


def from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    """Return a `MultiHeadAttention` with copies of the weights of torch's.

    The batch comes first in ours, whatever `batch_first` says: the weights do
    not depend on it.

    torch stacks W_Q, W_K and W_V into ``in_proj_weight [3 d_model, d_model]``;
    the heads lie in it in the same order as here. Dropout, dtype, device and
    training mode are kept.

    Our masks say where a query *may* attend; torch's boolean masks say where it
    may not. Where a query may attend to nothing, we read zeros. So does torch
    with ``need_weights=False``. It gives NaN with ``need_weights=True``, and in
    evaluation without gradients where its fast path computes self-attention.

    Args:
        module: with kdim = vdim = embed_dim, no key or
            value of its own beside those that it is given, and torch's own
            parameters, all of them and no others.

    Chapter 03 compares the two modules.

    Example:
        >>> module = nn.MultiheadAttention(12, 3, batch_first=True)
        >>> ours, x = from_torch(module), torch.randn(2, 5, 12)
        >>> torch.allclose(ours(x, x, x)[0], module(x, x, x)[0], atol=1e-6)
        True
    """
    if not isinstance(module, nn.MultiheadAttention):
        raise TypeError(
            "module: expected an nn.MultiheadAttention, "
            f"got {type(module).__name__}{_own_attention(module)}"
        )
    for option, value, wanted in (
        ("add_bias_kv", module.bias_k is not None, False),
        ("add_zero_attn", module.add_zero_attn, False),
        ("kdim", module.kdim, module.embed_dim),
        ("vdim", module.vdim, module.embed_dim),
    ):
        if value != wanted:
            raise ValueError(
                f"module: expected {option}={wanted}, got {option}={value}"
            )
    bias = module.in_proj_bias is not None
    sizes = module.embed_dim, module.num_heads
    with torch.device("meta"):  # no number is drawn
        plain = nn.MultiheadAttention(*sizes, bias=bias)
    check_weights("module", module.state_dict(), plain.state_dict())
    with torch.device("meta"):
        ours = MultiHeadAttention(
            *sizes,
            bias=bias,
            dropout=module.dropout,
        )
    theirs, weights = module.state_dict(), {}
    for kind in ("weight", "bias") if bias else ("weight",):
        maps = theirs[f"in_proj_{kind}"].chunk(3)
        for name, rows in zip("QKV", maps, strict=True):
            weights[f"W_{name}.{kind}"] = rows.clone()
        weights[f"W_O.{kind}"] = theirs[f"out_proj.{kind}"].clone()
    ours.load_state_dict(weights, assign=True)
    return ours.train(module.training)


def _own_attention(module: object) -> str:
    """Say where a layer of torch's has its attention."""
    found = getattr(module, "self_attn", None)
    is_one = isinstance(found, nn.MultiheadAttention)
    return "; its attention is `module.self_attn`" if is_one else ""


def to_torch(module: MultiHeadAttention) -> nn.MultiheadAttention:
    """Return an ``nn.MultiheadAttention`` (batch first) with copies of weights.

    The inverse of `from_torch`.

    Args:
        module: with d_head = d_value = d_model / num_heads and plain maps; no
            heir with a `forward` of its own.

    Chapter 03 compares the two modules.

    Example:
        >>> to_torch(MultiHeadAttention(12, 3)).in_proj_weight.shape
        torch.Size([36, 12])
    """
    check_maps(module)
    for name in ("d_head", "d_value"):
        width = getattr(module, name)
        if width * module.num_heads != module.d_model:
            raise ValueError(
                f"module: expected {name} = d_model / num_heads = "
                f"{module.d_model} / {module.num_heads}, got {name}={width}"
            )
    bias = module.W_O.bias is not None
    with torch.device("meta"):  # no number is drawn
        theirs = nn.MultiheadAttention(
            module.d_model,
            module.num_heads,
            bias=bias,
            dropout=module.dropout,
            batch_first=True,
        )
    ours, weights = module.state_dict(), {}
    for kind in ("weight", "bias") if bias else ("weight",):
        maps = [ours[f"W_{name}.{kind}"] for name in "QKV"]
        weights[f"in_proj_{kind}"] = torch.cat(maps)
        weights[f"out_proj.{kind}"] = ours[f"W_O.{kind}"].clone()
    theirs.load_state_dict(weights, assign=True)
    return theirs.train(module.training)
