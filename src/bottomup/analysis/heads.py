"""Where an attention keeps the maps of its heads, ours or another library's."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import check_integer

# The maps to queries, keys, values and output, and the number of heads.
_LAYOUTS: tuple[tuple[Sequence[str], str], ...] = (
    (("W_Q", "W_K", "W_V", "W_O"), "num_heads"),  # this package
    (("q_proj", "k_proj", "v_proj", "out_proj"), "num_heads"),  # Marian, BART
    (
        ("self.query", "self.key", "self.value", "output.dense"),
        "self.num_attention_heads",  # BERT
    ),
    (("c_attn", "c_attn", "c_attn", "c_proj"), "num_heads"),  # GPT-2
)


class HeadMaps(NamedTuple):
    """The maps of an attention, all of them acting on rows.

    `query`, `key` and `value` have the axes [d_model + 1, head, d_head], the
    last row the bias, zero where there is none. `mix` is the module that reads
    the heads side by side and mixes them; `output` is its map,
    [head, d_head, d_model], and `bias` its bias.
    """

    query: Float[Tensor, "d_model+1 head d_head"]
    key: Float[Tensor, "d_model+1 head d_head"]
    value: Float[Tensor, "d_model+1 head d_value"]
    output: Float[Tensor, "head d_value d_model"]
    bias: Float[Tensor, " d_model"] | None
    mix: nn.Module


def has_heads(module: nn.Module) -> bool:
    """Say whether `head_maps` can read this module. Chapter 09 uses it."""
    return _layout(module) is not None


def head_maps(attention: nn.Module) -> HeadMaps:
    """Return the maps of an attention's heads.

    It reads a `MultiHeadAttention` and three attentions of the library
    transformers, told apart by the names of their parts: GPT-2's
    (``transformer.h.0.attn``), BERT's (``encoder.layer.0.attention``) and
    Marian's (``model.decoder.layers.0.encoder_attn``), with those that are laid
    out like them. Where queries and keys are turned by their positions, as in
    Llama, a head has no one map to scores; such a module is refused.

    Args:
        attention: its parameters are read, and gradients pass.

    Chapter 09 uses it.
    """
    layout = _layout(attention)
    if layout is None:
        wanted = "a MultiHeadAttention, or one laid out as in GPT-2, BERT or"
        got = type(attention).__name__
        raise TypeError(f"attention: expected {wanted} Marian, got {got}")
    names, heads = layout
    parts = [attention.get_submodule(name) for name in names]
    rows = [_rows(part) for part in parts]
    if names[0] == names[1]:  # queries, keys and values in one map
        rows[:3] = rows[0].chunk(3, dim=1)
    query, key, value = (each.unflatten(1, (heads, -1)) for each in rows[:3])
    output = rows[3][:-1].unflatten(0, (heads, -1))
    bias = getattr(parts[3], "bias", None)
    return HeadMaps(query, key, value, output, bias, parts[3])


def check_head(head: int, num_heads: int) -> None:
    """Check the number of a head, from 0."""
    check_integer("head", head, at_least=0)
    if head >= num_heads:
        wanted = f"a number below num_heads={num_heads}"
        raise ValueError(f"head: expected {wanted}, got {head}")


def _layout(module: nn.Module) -> tuple[Sequence[str], int] | None:
    for names, number in _LAYOUTS:
        try:
            for name in names:
                module.get_submodule(name)
            owner, _, attribute = number.rpartition(".")
            heads = getattr(module.get_submodule(owner), attribute)
        except AttributeError:
            continue
        return names, heads
    return None


def _rows(linear: Any) -> Tensor:
    """Return a map that acts on rows, with its bias below it."""
    # GPT-2 stores its maps as they act on rows, nn.Linear transposed.
    rows = linear.weight.T if isinstance(linear, nn.Linear) else linear.weight
    below = torch.zeros_like(rows[0]) if linear.bias is None else linear.bias
    return torch.cat([rows, below[None]])  # [d_in + 1, d_out]
