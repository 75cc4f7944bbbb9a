"""Multi-head attention from and to torch's own module, with the same weights."""

import torch
from torch import nn

from bottomup.attention.multi_head import MultiHeadAttention


def from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    """Return a `MultiHeadAttention` with copies of the weights of torch's module.

    torch stacks W_Q, W_K and W_V into ``in_proj_weight [3 d_model, d_model]``; the heads lie in it
    in the same order as here. Dropout, dtype, device and training mode are kept.

    Our masks say where a query *may* attend; torch's boolean masks say where it may not. Where a
    query may attend to nothing, torch gives NaN, and we read zeros.

    Chapter 03 compares the two modules.
    """
    if not isinstance(module, nn.MultiheadAttention):
        raise TypeError(
            f"module: expected an nn.MultiheadAttention, got {type(module).__name__}"
        )
    _check_options(module)
    bias = module.in_proj_bias is not None
    with torch.random.fork_rng(
        devices=[]
    ):  # what is drawn is overwritten below
        ours = MultiHeadAttention(
            module.embed_dim,
            module.num_heads,
            bias=bias,
            dropout=module.dropout,
        ).to(module.in_proj_weight)
    maps = (ours.W_Q, ours.W_K, ours.W_V)
    with torch.no_grad():
        for linear, weight in zip(
            maps, module.in_proj_weight.chunk(3), strict=True
        ):
            linear.weight.copy_(weight)
        ours.W_O.weight.copy_(module.out_proj.weight)
        if bias:
            for linear, values in zip(
                maps, module.in_proj_bias.chunk(3), strict=True
            ):
                linear.bias.copy_(values)
            ours.W_O.bias.copy_(module.out_proj.bias)
    return ours.train(module.training)


def to_torch(module: MultiHeadAttention) -> nn.MultiheadAttention:
    """Return an ``nn.MultiheadAttention`` (batch first) with copies of a module's weights.

    The inverse of `from_torch`.

    Chapter 03 compares the two modules.
    """
    if not isinstance(module, MultiHeadAttention):
        raise TypeError(
            f"module: expected a MultiHeadAttention, got {type(module).__name__}"
        )
    for name in ("d_head", "d_value"):
        width = getattr(module, name)
        if width * module.num_heads != module.d_model:
            raise ValueError(
                f"module: expected {name} = d_model / num_heads = "
                f"{module.d_model} / {module.num_heads}, got {name}={width}"
            )
    bias, maps = (
        module.W_O.bias is not None,
        (module.W_Q, module.W_K, module.W_V),
    )
    with torch.random.fork_rng(devices=[]):
        theirs = nn.MultiheadAttention(
            module.d_model,
            module.num_heads,
            bias=bias,
            dropout=module.dropout,
            batch_first=True,
        ).to(module.W_O.weight)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(
            torch.cat([linear.weight for linear in maps])
        )
        theirs.out_proj.weight.copy_(module.W_O.weight)
        if bias:
            theirs.in_proj_bias.copy_(
                torch.cat([linear.bias for linear in maps])
            )
            theirs.out_proj.bias.copy_(module.W_O.bias)
    return theirs.train(module.training)


def _check_options(module: nn.MultiheadAttention) -> None:
    if not module.batch_first:
        raise ValueError(
            "module: expected batch_first=True, got batch_first=False"
        )
    if module.bias_k is not None:
        raise ValueError(
            "module: expected add_bias_kv=False, got add_bias_kv=True"
        )
    if module.add_zero_attn:
        raise ValueError(
            "module: expected add_zero_attn=False, got add_zero_attn=True"
        )
    for name in ("kdim", "vdim"):
        if getattr(module, name) != module.embed_dim:
            raise ValueError(
                f"module: expected {name} = embed_dim = {module.embed_dim}, "
                f"got {getattr(module, name)}"
            )
