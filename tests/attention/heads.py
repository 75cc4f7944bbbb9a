"""Multi-head attention with maps that a test gives."""

from torch import Tensor
from torch.func import functional_call

from bottomup.attention import MultiHeadAttention


def multi_head_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, num_heads: int,
    options: dict[str, object] | None = None, **maps: Tensor,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Call a module with W_Q, W_K, W_V, W_O and maybe b_Q to b_O; gradients reach them."""
    W_Q, W_V = maps["W_Q"], maps["W_V"]
    layer = MultiHeadAttention(
        W_Q.shape[1], num_heads, bias="b_O" in maps,
        d_head=len(W_Q) // num_heads, d_value=len(W_V) // num_heads,
    )  # fmt: skip
    kinds = {"W": "weight", "b": "bias"}
    named = {f"W_{name[2:]}.{kinds[name[0]]}": matrix for name, matrix in maps.items()}
    return functional_call(layer.to(W_Q.dtype), named, (query, key, value, mask), options)
