"""Chapter 03: what follows from the formula of multi-head attention; nothing is trained."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from torch.utils.flop_counter import FlopCounterMode

from bottomup.attention import (
    MultiHeadAttention,
    from_torch,
    prune_heads,
    scaled_dot_product_attention,
)
from bottomup.experiments.self_attention.exact import agreeing_digits
from bottomup.experiments.shared.training import seeded
from bottomup.masks import causal_mask, padding_mask

BATCH, HEADS, WIDTH, LENGTH, KEYS = 2, 3, 12, 5, 7
COUNTED_HEADS = (1, 2, 4, 8, 16)
COUNTED_WIDTH, COUNTED_LENGTH = 64, 24
FREE_WIDTH, FREE_HEAD, FREE_VALUE = 10, 7, 5  # 3 heads of 7 in a width of 10, values of 5
PRUNED = (0, 2)


def measure_exact(seed: int, device: torch.device) -> dict[str, Any]:
    """Compare with torch's module, count parameters and products, leave the usual head width.

    What ends in ``digits`` is the number of decimal places on which two results agree.
    """
    generator = torch.Generator().manual_seed(seed)
    parity = _parity(generator, seed, device)
    return {
        "parity": parity,
        "parity_digits": min(parity.values()),
        "free_digits": _free_widths(generator, seed, device),
        "pruned_digits": _pruned(generator, seed, device),
        **_costs(generator, seed, device),
    }


def _draw(generator: torch.Generator, length: int, width: int, device: torch.device) -> Tensor:
    drawn = torch.randn(BATCH, length, width, generator=generator, dtype=torch.float64)
    return drawn.to(device)


def _mask_kinds(generator: torch.Generator) -> dict[str, tuple[Tensor | None, dict[str, Tensor]]]:
    """Return our mask, and what torch is told: there True means that a key is not read."""
    causal, padding = causal_mask(LENGTH), padding_mask(torch.tensor([3, LENGTH]), LENGTH)[:, 0]
    pairs = torch.rand(BATCH, LENGTH, LENGTH, generator=generator) < 0.6
    per_head = torch.rand(BATCH, HEADS, LENGTH, LENGTH, generator=generator) < 0.6
    own = torch.eye(LENGTH, dtype=torch.bool)  # every word may read itself: no empty row
    pairs, per_head = pairs | own, per_head | own
    return {
        "none": (None, {}),
        "causal": (causal, {"attn_mask": ~causal}),
        "padding": (padding[:, None], {"key_padding_mask": ~padding}),
        "causal_padding": (
            causal & padding[:, None],
            {"attn_mask": ~causal, "key_padding_mask": ~padding},
        ),
        "pairs": (pairs, {"attn_mask": ~pairs.repeat_interleave(HEADS, dim=0)}),
        "per_head": (per_head, {"attn_mask": ~per_head.flatten(0, 1)}),
    }


def _parity(generator: torch.Generator, seed: int, device: torch.device) -> dict[str, float]:
    """Compare outputs and weights in self-attention under each kind of mask, and across lengths."""
    theirs = _torch_module(seed).to(device)
    x, other = (_draw(generator, length, WIDTH, device) for length in (LENGTH, KEYS))
    found = {}
    for name, (mask, torch_masks) in _mask_kinds(generator).items():
        told = {argument: given.to(device) for argument, given in torch_masks.items()}
        found[name] = _agreement(theirs, x, x, None if mask is None else mask.to(device), told)
    return {**found, "cross": _agreement(theirs, x, other, None, {})}


def _torch_module(seed: int) -> nn.MultiheadAttention:
    with seeded(seed):
        module = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).double()
        for parameter in (module.in_proj_bias, module.out_proj.bias):
            nn.init.normal_(parameter)  # torch starts them as zeros, which would hide a mistake
    return module


def _agreement(
    theirs: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    mask: Tensor | None,
    torch_masks: dict[str, Tensor],
) -> float:
    with torch.no_grad():
        ours = from_torch(theirs)(query, key, key, mask)
        want = theirs(query, key, key, average_attn_weights=False, **torch_masks)
    return min(agreeing_digits(mine, its) for mine, its in zip(ours, want, strict=True))


def _module(
    seed: int,
    device: torch.device,
    width: int,
    heads: int,
    *,
    d_head: int | None = None,
    d_value: int | None = None,
) -> MultiHeadAttention:
    with seeded(seed):
        module = MultiHeadAttention(width, heads, d_head=d_head, d_value=d_value)
    return module.double().to(device)


def _free_widths(generator: torch.Generator, seed: int, device: torch.device) -> float:
    """Compare heads whose widths do not add up to d_model with the sum over heads by hand."""
    module = _module(seed, device, FREE_WIDTH, HEADS, d_head=FREE_HEAD, d_value=FREE_VALUE)
    x = _draw(generator, LENGTH, FREE_WIDTH, device)
    with torch.no_grad():
        by_hand = sum(
            linear(
                scaled_dot_product_attention(
                    linear(x, module.W_Q.weight[FREE_HEAD * head : FREE_HEAD * (head + 1)]),
                    linear(x, module.W_K.weight[FREE_HEAD * head : FREE_HEAD * (head + 1)]),
                    linear(x, module.W_V.weight[FREE_VALUE * head : FREE_VALUE * (head + 1)]),
                )[0],
                module.W_O.weight[:, FREE_VALUE * head : FREE_VALUE * (head + 1)],
            )
            for head in range(HEADS)
        )
        return agreeing_digits(module(x, x, x)[0], torch.as_tensor(by_hand))


def _pruned(generator: torch.Generator, seed: int, device: torch.device) -> float:
    module, x = _module(seed, device, WIDTH, HEADS), _draw(generator, LENGTH, WIDTH, device)
    on = torch.tensor([head not in PRUNED for head in range(HEADS)], device=device)
    with torch.no_grad():
        smaller = prune_heads(module, PRUNED)(x, x, x)[0]
        return agreeing_digits(smaller, module(x, x, x, head_mask=on)[0])


def _costs(generator: torch.Generator, seed: int, device: torch.device) -> dict[str, Any]:
    """Count by number of heads, at d_head = d_model / heads, for one sequence.

    ``flops``: of the matrix products, as torch counts them, two for each multiplication with its
    addition. ``entries``: weights that the softmax gives. ``cost_range``: the largest relative
    difference of parameters or flops from those of one head; ``entries_off``: the largest relative
    difference of the entries from heads x n^2.
    """
    x = _draw(generator, COUNTED_LENGTH, COUNTED_WIDTH, device)[:1]
    parameters, flops, entries = {}, {}, {}
    for heads in COUNTED_HEADS:
        module = _module(seed, device, COUNTED_WIDTH, heads)
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            _, weights = module(x, x, x)
        parameters[heads] = sum(parameter.numel() for parameter in module.parameters())
        flops[heads], entries[heads] = counter.get_total_flops(), weights.numel()
    return {
        "parameters": parameters,
        "flops": flops,
        "entries": entries,
        "cost_range": max(_spread(parameters), _spread(flops)),
        "entries_off": max(
            abs(count / (heads * COUNTED_LENGTH**2) - 1) for heads, count in entries.items()
        ),
    }


def _spread(counts: dict[int, int]) -> float:
    return max(abs(count / counts[1] - 1) for count in counts.values())
