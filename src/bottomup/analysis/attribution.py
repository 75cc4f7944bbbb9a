"""Direct attribution: a logit as a sum over what each part wrote."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.analysis.heads import HeadMaps, head_maps
from bottomup.analysis.patching import kept
from bottomup.analysis.run_alone import bare_copy, uncompiled
from bottomup.blocks import LayerNorm, layer_norm
from bottomup.checks import checked
from bottomup.precision import in_float32, widened


def written(
    model: nn.Module, parts: Sequence[str], run: Callable[[], Any]
) -> dict[str, Float[Tensor, "batch position d_model"]]:
    """Return what each part adds to the stream in a run, heads apart.

    An attention is taken apart into its heads, ``layers.0:1``, each with its
    rows of W_O, and the bias of W_O, ``layers.0:bias``, which belongs to none.
    Any other part stands for itself, with what it puts out, and so does an
    attention that `head_maps` cannot read. With an embedding that has its
    positions and all sublayers of a pre-norm model, these vectors add up to the
    stream.

    Args:
        model: of this package or of another library.
        parts: names of submodules.
        run: runs the model once, ``lambda: model(tokens)``.

    Source: Elhage et al. (2021), section "Transformer Overview", for the
    stream as a sum. Chapter 09 uses it.

    Example:
        >>> from bottomup.models import LanguageModel, LanguageModelConfig
        >>> config = LanguageModelConfig(vocabulary=11, max_length=8, d_model=8)
        >>> model, tokens = LanguageModel(config), torch.tensor([[5, 6, 7]])
        >>> parts = ["embedding", "layers.0.attention"]
        >>> list(written(model, parts, lambda: model(tokens)))[:3]
        ['embedding', 'layers.0.attention:0', 'layers.0.attention:1']
    """
    found = {name: _maps(model, name) for name in parts}
    asked = [one for name in parts for one in _heads(name, found[name])]
    with torch.no_grad(), kept(model, asked) as outputs:
        run()
    added: dict[str, Tensor] = {}
    for name, maps in found.items():
        own = _heads(name, maps)
        if maps is None:
            added[name] = outputs[name]
            continue
        for head, W_O in zip(own, maps.output.detach(), strict=True):
            added[head] = outputs[head] @ W_O  # [batch, position, d_model]
        if maps.bias is not None:
            added[f"{name}:bias"] = maps.bias.detach().expand_as(added[own[0]])
    return added


@checked
@in_float32
def direct_attribution(
    parts: Float[Tensor, "*leading part d_model"],
    norm: LayerNorm | nn.LayerNorm | None,
    direction: Float[Tensor, "*leading d_model"],
) -> tuple[Float[Tensor, "*leading part"], Float[Tensor, "*leading"]]:
    """Divide a logit, or a difference of logits, among what the parts wrote.

    ``u · N(x) = sum_p u · gain (x_p - mean(x_p)) / s + u · bias``, with
    ``x = sum_p x_p`` and ``s = sqrt(variance(x) + epsilon)``

    s is computed once, from the sum, and is the same for every part: with it
    frozen, LayerNorm is linear, and the contributions with ``u · bias`` add up
    to the logit. What a part does to s is no part's own and is left out, and so
    is what later parts read of it: the attribution is direct.

    Args:
        parts: what each part wrote; together all that N reads.
        norm: the LayerNorm before the unembedding, ours or torch's; None where
            there is none. A class that inherits from one and norms the sum of
            the parts otherwise is refused.
        direction: u, a row of the unembedding, or the difference of two rows.

    Returns:
        Each part's contribution, and what the bias gives.

    Source: Elhage et al. (2021), section "Transformer Overview", for the
    stream as a sum; Wang et al. (2023), section 3.1, for direct effects on a
    difference of logits. Chapter 09 derives it.

    Example:
        >>> parts = torch.tensor([[1.0, -1.0], [2.0, -2.0]])
        >>> direction = torch.tensor([1.0, 0.0])
        >>> shares, bias = direct_attribution(parts, None, direction)
        >>> shares, bias
        (tensor([1., 2.]), tensor(0.))
    """
    u = direction[..., None, :]  # [..., 1, d_model]
    if norm is None:
        return (parts * u).sum(dim=-1), torch.zeros_like(direction[..., 0])
    module = uncompiled(norm)
    gain, bias, epsilon = _of_norm(module, parts)
    if gain.shape != parts.shape[-1:]:
        wanted = f"width {parts.shape[-1]} as of parts"
        got = ", ".join(map(str, gain.shape))
        raise ValueError(f"norm: expected the {wanted}, got {got}")
    x = parts.sum(dim=-2, keepdim=True)  # [..., 1, d_model]
    if type(module) not in (LayerNorm, nn.LayerNorm):
        _check_norm(module, x, gain, bias, epsilon)
    s = (x.var(dim=-1, correction=0, keepdim=True) + epsilon).sqrt()
    centred = parts - parts.mean(dim=-1, keepdim=True)
    each = (centred / s * gain * u).sum(dim=-1)  # [..., part]
    return each, (bias * direction).sum(dim=-1)


def _of_norm(norm: Any, parts: Tensor) -> tuple[Tensor, Tensor, float]:
    """Return gain, bias and epsilon, which torch calls by other names."""
    if isinstance(norm, LayerNorm):
        return norm.gain, norm.bias, norm.epsilon
    if not isinstance(norm, nn.LayerNorm):
        got = type(norm).__name__
        raise TypeError(f"norm: expected a LayerNorm or None, got {got}")
    ones = parts.new_ones(norm.normalized_shape)
    gain = norm.weight if norm.elementwise_affine else ones
    bias = torch.zeros_like(gain) if norm.bias is None else norm.bias
    return gain, bias, norm.eps


@torch.no_grad()
def _check_norm(
    norm: nn.Module, x: Tensor, gain: Tensor, bias: Tensor, epsilon: float
) -> None:
    """Check that an heir of LayerNorm is one, on what it reads."""
    x, gain, bias = (widened(each) for each in (x, gain, bias))
    wanted = layer_norm(x, gain, bias, epsilon=epsilon)
    found = bare_copy(norm)(x)
    allowed = 1e-3 * wanted.std() + 1e-6 * wanted.abs().max()
    if not ((found - wanted).abs() <= allowed).all():
        got = f"{type(norm).__name__}, which norms otherwise"
        raise TypeError(f"norm: expected a LayerNorm or None, got {got}")


def _maps(model: nn.Module, name: str) -> HeadMaps | None:
    """Return the maps of an attention, of any other part None."""
    found = dict(model.named_modules(remove_duplicate=False)).get(name)
    try:
        return None if found is None else head_maps(found)
    except TypeError:
        return None


def _heads(name: str, maps: HeadMaps | None) -> list[str]:
    """Return the names of an attention's heads, of another part its own."""
    if maps is None:
        return [name]
    return [f"{name}:{head}" for head in range(len(maps.output))]
