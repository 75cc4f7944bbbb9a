"""Multi-head attention by this package, torch and x-transformers, with the same weights.

No map has a bias, since x-transformers has none; dropout, rotary positions and gates are off. Each
peer is told of a causal mask by a flag, so that torch's fused kernel skips half of the work.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from bench.measure import HAS_PEER, Comparison, Side
from bench.training_step import real_tokens
from bottomup.attention import MultiHeadAttention, attention_for, to_torch
from bottomup.results.speed import OURS, TORCH, X_TRANSFORMERS

Attend = Callable[[Tensor], tuple[Tensor, Tensor | None]]

D_MODEL, HEADS = 512, 8
SIZES = ((64, 8, 30), (512, 4, 9), (2048, 2, 5))  # n, batch, rounds


def sides(
    dtype: torch.dtype, *, n: int, batch: int, mask: str, need_weights: bool, backward: bool
) -> dict[str, Side]:
    """Return every side by its name, ours first: the same weights, the same input."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        ours = MultiHeadAttention(D_MODEL, HEADS, bias=False).to(dtype)
        x, gradient = torch.randn(2, batch, n, D_MODEL, dtype=dtype)
    keep = None if mask == "causal" else real_tokens(batch, n)
    allowed = None if keep is None else keep[:, None]
    options = {"causal": keep is None, "attend": attention_for(need_weights)}
    made: dict[str, tuple[nn.Module, Attend]] = {
        OURS: (ours, lambda x: ours(x, x, x, allowed, **options)),
        TORCH: of_torch(ours, keep, n, need_weights),
    }
    if HAS_PEER:
        made[X_TRANSFORMERS] = of_x_transformers(ours, keep, need_weights)
    return {
        name: side(module.train(backward), attend, x, gradient if backward else None)
        for name, (module, attend) in made.items()
    }


def side(module: nn.Module, attend: Attend, x: Tensor, gradient: Tensor | None) -> Side:
    """Return a forward pass, or with a gradient of the output a forward and backward pass."""
    inputs = (x.requires_grad_(), *module.parameters())

    def run() -> tuple[Tensor | None, ...]:
        if gradient is None:
            with torch.no_grad():
                return attend(x)
        output, weights = attend(x)
        return output, weights, *torch.autograd.grad(output, inputs, gradient)

    def computed() -> dict[str, Tensor]:
        found = zip(("output", "weights", "gradient of x"), run(), strict=False)
        return {name: tensor.detach() for name, tensor in found if tensor is not None}

    return Side(run, computed)


def of_torch(
    like: MultiHeadAttention, keep: Tensor | None, n: int, need_weights: bool
) -> tuple[nn.Module, Attend]:
    """Return ``nn.MultiheadAttention``, which returns each head's weights, not their mean."""
    module = to_torch(like)
    options: dict[str, Any] = {"need_weights": need_weights, "average_attn_weights": False}
    if keep is None:
        blocked = nn.Transformer.generate_square_subsequent_mask(n, dtype=like.W_Q.weight.dtype)
        options |= {"attn_mask": blocked, "is_causal": not need_weights}
    else:
        options |= {"key_padding_mask": ~keep}
    return module, lambda x: module(x, x, x, **options)


def of_x_transformers(
    like: MultiHeadAttention, keep: Tensor | None, need_weights: bool
) -> tuple[nn.Module, Attend]:
    """Return x-transformers' Attention: torch's fused kernel (`flash`), or weights returned.

    The padding goes in as `context_mask`: `mask` would also set the outputs of padded positions to
    zero, which the others do not do. It cannot return the weights alone: it keeps scores as well.
    """
    from x_transformers.x_transformers import Attention  # only `make bench` installs it

    sizes = {"dim_head": like.d_head, "heads": like.num_heads}
    module = Attention(like.d_model, causal=keep is None, flash=not need_weights, **sizes)
    copies = {"to_q": like.W_Q, "to_k": like.W_K, "to_v": like.W_V, "to_out": like.W_O}
    for name, linear in copies.items():
        module.get_submodule(name).load_state_dict(linear.state_dict())

    def attend(x: Tensor) -> tuple[Tensor, Tensor | None]:
        if not need_weights:
            return module(x, context_mask=keep), None
        output, kept = module(x, context_mask=keep, return_intermediates=True)
        return output, kept.post_softmax_attn

    return module.to(like.W_Q.weight), attend


COMPARISON = Comparison(
    cases=[
        (
            rounds,
            {"n": n, "batch": batch, "mask": mask, "need_weights": weights, "backward": backward},
        )
        for (n, batch, rounds), weights, backward, mask in product(
            SIZES, (False, True), (False, True), ("causal", "padded")
        )
    ],
    sides=sides,
    compared_in=torch.float32,  # in which x-transformers takes its softmax in any case
)
