"""Where an attention keeps the maps of its heads, ours or another library's."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.analysis.run_alone import (
    exactly,
    run_alone,
    uncompiled,
    unknown_inputs,
)
from bottomup.attention import MultiHeadAttention
from bottomup.checks import check_integer
from bottomup.precision import widened

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
# Of the spread of what is compared. Rounding makes 3e-6 of it, scores that are
# larger by 1/1000 make 2e-3, and ALiBi's slopes of 1/100 make 9e-2.
_CLOSE = 1e-3
_NOISE = 1e-6  # of float32, whatever the spread


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
    try:
        head_maps(module)
    except TypeError:
        return False
    return True


def head_maps(attention: nn.Module) -> HeadMaps:
    """Return the maps of an attention's heads.

    It reads a `MultiHeadAttention` and three attentions of the library
    transformers, told apart by the names of their parts: GPT-2's
    (``transformer.h.0.attn``), BERT's (``encoder.layer.0.attention``) and
    Marian's (``model.decoder.layers.0.encoder_attn``), with those that are laid
    out like them.

    Names do not say what is computed, so any attention but a
    `MultiHeadAttention` with plain linear maps also runs once, on random
    vectors x and y (x itself, or those that cross-attention reads), without a
    mask. It is refused unless, up to rounding,

    - each head reads ``softmax((x, 1) W_QK (y, 1)^T) (y, 1) (W_V; b_V)``, with
      W_QK as in `query_key`, from all positions or from those up to its own;
    - the output is ``sum_h head_h W_O^h + b_O``, or, in BERT's layout,
      LayerNorm of that plus x.

    So are refused scores without ``1 / sqrt(d_head)`` or with a factor of the
    layer (GPT-Neo, options of GPT-2), queries and keys that are turned by
    their positions (ESM, Llama), and a module that normalises what it reads.
    What such a run cannot show is refused as well: an attention whose `forward`
    names inputs beside these, masks and a cache (RoFormer's angles), one
    that does not run by itself, and one whose values are all alike. What a
    model adds to the scores by way of a mask is not seen.

    Args:
        attention: its parameters are read, and gradients pass. Its mode, hooks
            and buffers stay as they are, and so do the generators.

    Chapter 09 uses it.

    Example:
        >>> from bottomup.analysis import head_maps
        >>> from bottomup.attention import MultiHeadAttention
        >>> head_maps(MultiHeadAttention(d_model=12, num_heads=3)).value.shape
        torch.Size([13, 3, 4])
    """
    attention = uncompiled(attention)
    kind = type(attention).__name__
    layout = _layout(attention)
    if layout is None:
        wanted = "a MultiHeadAttention, or one laid out as in GPT-2, BERT or"
        raise TypeError(f"attention: expected {wanted} Marian, got {kind}")
    names, heads = layout
    wanted = "an attention that computes what its maps say"
    try:
        maps = _maps(attention, names, heads)
        wrong = None if _ours(attention) else _wrong(attention, maps, names)
    except Exception as error:
        reason = str(error).partition("\n")[0]
        got = f"{kind}, which could not be verified: {reason}"
        raise TypeError(f"attention: expected {wanted}, got {got}") from error
    if wrong is not None:
        raise TypeError(f"attention: expected {wanted}, got {kind}, {wrong}")
    return maps


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


def _maps(attention: nn.Module, names: Sequence[str], heads: int) -> HeadMaps:
    parts = [uncompiled(attention.get_submodule(name)) for name in names]
    rows = [_rows(part) for part in parts]
    if names[0] == names[1]:  # queries, keys and values in one map
        rows[:3] = rows[0].chunk(3, dim=1)
    if any(each.shape[1] % heads for each in rows[:3]):
        raise ValueError(f"its maps do not divide into {heads} heads")
    query, key, value = (each.unflatten(1, (heads, -1)) for each in rows[:3])
    output = rows[3][:-1].unflatten(0, (heads, -1))
    bias = getattr(parts[3], "bias", None)
    return HeadMaps(query, key, value, output, bias, parts[3])


def _rows(linear: Any) -> Tensor:
    """Return a map that acts on rows, with its bias below it."""
    # GPT-2 stores its maps as they act on rows, nn.Linear transposed.
    rows = linear.weight.T if isinstance(linear, nn.Linear) else linear.weight
    below = torch.zeros_like(rows[0]) if linear.bias is None else linear.bias
    return torch.cat([rows, below[None]])  # [d_in + 1, d_out]


def _ours(attention: nn.Module) -> bool:
    """Say whether it is ours and nothing in it was replaced."""
    kinds = {type(part) for part in attention.children()}
    plain = kinds == {nn.Linear} and "forward" not in vars(attention)
    return type(attention) is MultiHeadAttention and plain


@torch.no_grad()
def _wrong(
    attention: nn.Module, maps: HeadMaps, names: Sequence[str]
) -> str | None:
    """Say in what an attention differs from its maps, None if in nothing."""
    device = maps.query.device
    if device.type == "meta":
        return "whose parameters, on the device meta, have no numbers"
    if unknown := unknown_inputs(attention):
        return f"which takes more than vectors and masks: {', '.join(unknown)}"
    with exactly(device):
        return _differing(attention, maps, names)


def _differing(
    attention: nn.Module, maps: HeadMaps, names: Sequence[str]
) -> str | None:
    query, key, value, W_O = (widened(each) for each in maps[:4])
    x, y = _vectors(query, key)
    alone = run_alone(attention, names[3], x, y)
    Q, K, V = (
        _by_head(each, rows[:-1]) + rows[-1][:, None]
        for each, rows in ((x, query), (alone.y, key), (alone.y, value))
    )  # [batch, head, n, d_head]
    scores = Q @ K.mT / Q.shape[-1] ** 0.5  # [batch, head, query, key]
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
    spread = V.std(dim=-2, keepdim=True).amax(dim=-1, keepdim=True)
    size = V.abs().amax(dim=(-2, -1), keepdim=True)
    if not (spread > _CLOSE * size).any():
        return "whose values are all alike and show nothing of its scores"
    read = alone.read.unflatten(-1, (len(W_O), -1)).transpose(1, 2)
    found = [
        (each.softmax(dim=-1) @ V - read).abs()
        <= _CLOSE * spread + _NOISE * size
        for each in (scores, scores.masked_fill(hidden, -torch.inf))
    ]
    if not any(each.all() for each in found):
        return "whose heads do not read softmax((x, 1) W_QK (y, 1)^T) V"
    output = torch.einsum("bhnc,hcd->bnd", read, W_O)
    if maps.bias is not None:
        output = output + widened(maps.bias)
    pairs = [(alone.mixed, output)]
    if names[3] == "output.dense":  # BERT's
        norm: Any = attention.get_submodule("output.LayerNorm")
        parameters = (widened(norm.weight), widened(norm.bias))
        sizes = norm.normalized_shape
        output = F.layer_norm(output + x, sizes, *parameters, norm.eps)
    pairs.append((alone.output, output))
    for got, wanted in pairs:
        allowed = _CLOSE * wanted.std() + _NOISE * wanted.abs().max()
        if not ((got - wanted).abs() <= allowed).all():
            return "whose output is not what its map makes of its heads"
    return None


def _vectors(query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Draw vectors of the length that lets the sharpest head's scores differ.

    Too short ones are read evenly, whatever the scores, too long ones one by
    one. With the length c the scores of a query have the standard deviation
    ``c^2 a + c b`` at the most, b from the bias of the queries; it shall be 2.
    """
    generator = torch.Generator().manual_seed(0)
    x, y = (
        torch.randn(2, n, len(rows) - 1, generator=generator).to(rows)
        for n, rows in ((31, query), (37, key))
    )
    Q, K = _by_head(x, query[:-1]), _by_head(y, key[:-1])
    bias = query[-1][:, None]  # [head, 1, d_head]
    a, b = (
        (each @ K.mT / Q.shape[-1] ** 0.5).std(dim=-1).mean(dim=(0, 2))
        for each in (Q, bias)
    )  # [head]
    length = 4 / (b + (b**2 + 8 * a).sqrt()).max()
    return (length * x, length * y) if length.isfinite() else (x, y)


def _by_head(x: Tensor, rows: Tensor) -> Tensor:
    """Return what each head makes of x, [batch, head, n, d_head]."""
    return torch.einsum("bnd,dhc->bhnc", x, rows)
