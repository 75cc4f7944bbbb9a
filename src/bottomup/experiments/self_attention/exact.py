"""Chapter 02: what follows from the formula, measured on random numbers; nothing is trained."""

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.attention import (
    SelfAttention,
    dot_scores,
    scaled_dot_product_attention,
    scaled_dot_scores,
)
from bottomup.decoding import softmax_with_temperature
from bottomup.experiments.self_attention.config import Config
from bottomup.experiments.shared.training import seeded
from bottomup.masks import causal_mask

EXACT_DIGITS = 17.0  # stands for equality bit for bit
VANISHED = 0.01  # norm of a softmax Jacobian; the largest possible is 1/sqrt(2)


def measure_exact(seed: int, device: torch.device) -> dict[str, float]:
    """Compare self-attention with torch's, with itself after changes, and softmax with its limits.

    What ends in ``digits`` is the number of decimal places on which two results agree.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(seed):
        layer = SelfAttention(7).double().to(device)
    x = torch.randn(2, 11, 7, generator=generator, dtype=torch.float64).to(device)
    order = torch.randperm(11, generator=generator).to(device)
    causal = causal_mask(11, device=device)
    with torch.no_grad():
        return {
            "parity_digits": _parity(x),
            "shuffled_digits": agreeing_digits(layer(x[:, order])[0], layer(x)[0][:, order]),
            "shuffled_causal_digits": agreeing_digits(
                layer(x[:, order], causal)[0], layer(x, causal)[0][:, order]
            ),
            "past_changed": _past_changed(layer, x, causal),
            **_temperature_limits(x[0, 0]),
        }


def agreeing_digits(one: Tensor, other: Tensor) -> float:
    """Return ``-log10`` of the largest difference, at most 17, which stands for no difference."""
    largest = (one - other).abs().max().item()
    if largest == 0:
        return EXACT_DIGITS
    return min(EXACT_DIGITS, -torch.tensor(largest, dtype=torch.float64).log10().item())


def _parity(x: Tensor) -> float:
    query, key, value = x, x.flip(1), x.roll(1, dims=1)[..., :5]
    output, _ = scaled_dot_product_attention(query, key, value)
    return agreeing_digits(output, F.scaled_dot_product_attention(query, key, value))


def _past_changed(layer: SelfAttention, x: Tensor, causal: Tensor) -> float:
    """Edit each future in turn; return the share of past outputs that are not bit for bit equal."""
    output, changed, compared = layer(x, causal)[0], 0, 0
    for first in range(1, x.shape[1]):
        edited = x.clone()
        edited[:, first:] += 1
        past = layer(edited, causal)[0][:, :first]
        changed += int((past != output[:, :first]).sum())
        compared += past.numel()
    return changed / compared


def _temperature_limits(logits: Tensor) -> dict[str, float]:
    largest = F.one_hot(logits.argmax(), len(logits)).double()
    uniform = torch.full_like(logits, 1 / len(logits))
    return {
        "cold_digits": agreeing_digits(softmax_with_temperature(logits, 1e-3), largest),
        "one_digits": agreeing_digits(softmax_with_temperature(logits, 1.0), logits.softmax(-1)),
        "hot_digits": agreeing_digits(softmax_with_temperature(logits, 1e12), uniform),
    }


def measure_saturation(
    config: Config, seed: int, device: torch.device
) -> dict[str, dict[str, dict[int, float]]]:
    """Measure the softmax over dot products of unit normals, by width, unscaled and scaled."""
    generator = torch.Generator().manual_seed(seed)
    found: dict[str, dict[str, dict[int, float]]] = {"unscaled": {}, "scaled": {}}
    for width in config.widths:
        query = torch.randn(config.rows, width, generator=generator).to(device)
        key = torch.randn(config.keys, width, generator=generator).to(device)
        for name, scores in (
            ("unscaled", dot_scores(query, key)),
            ("scaled", scaled_dot_scores(query, key)),
        ):
            for metric, value in _softmax_shape(scores).items():
                found[name].setdefault(metric, {})[width] = value
    ratios = {
        width: found["unscaled"]["gradient"][width] / found["scaled"]["gradient"][width]
        for width in config.widths
    }
    return {**found, "ratio": {"gradient": ratios}}


def softmax_jacobian_norms(weights: Tensor) -> Tensor:
    """Frobenius norm of ``diag(p) - p p^T`` for each row p of weights.

    ``sqrt(sum p^2 - 2 sum p^3 + (sum p^2)^2)``: 0 where a row is one-hot.
    """
    squares, cubes = weights.square().sum(-1), weights.pow(3).sum(-1)
    return (squares - 2 * cubes + squares.square()).clamp(min=0).sqrt()


def _softmax_shape(scores: Tensor) -> dict[str, float]:
    weights = scores.double().softmax(dim=-1)
    norms = softmax_jacobian_norms(weights)
    return {
        "largest": weights.max(dim=-1).values.mean().item(),
        "gradient": norms.median().item(),
        "vanished": (norms < VANISHED).cpu().double().mean().item(),
    }
