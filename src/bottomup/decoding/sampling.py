"""Sampling: drawing the next token from the model's probabilities, at a temperature."""

import math
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.checks import check_axes, check_number


def softmax_with_temperature(
    logits: Float[Tensor, "*leading vocabulary"], temperature: int | float
) -> Float[Tensor, "*leading vocabulary"]:
    """Turn logits into probabilities, more or less even.

    ``p[v] = exp(logits[v] / T) / sum_u exp(logits[u] / T)``

    T = 1 leaves the model's probabilities as they are. As T falls towards 0, they gather on the
    largest logit (shared evenly where several are largest); as T grows, they become uniform. The
    order of the tokens never changes, and the entropy never falls as T grows. A logit of -inf has
    probability zero at every temperature.

    The largest logit of a row is subtracted first and the quotient taken in float64, so that no
    temperature, however small or large, overflows.

    Args:
        logits: scores of the vocabulary, or any scores.
        temperature: T, above 0 and finite.

    Raises:
        TypeError: `logits` is not a floating-point tensor, or `temperature` is not a number.
        ValueError: `temperature` is not above 0 or not finite; a row of `logits` holds NaN or +inf,
            or nothing but -inf.

    Source: Hinton, Vinyals and Dean (2015), section 2, equation 1. Chapter 02 derives it.
    """
    check_axes("logits", logits, "... vocabulary")
    _check_temperature(temperature)
    largest = logits.amax(dim=-1, keepdim=True)
    if not largest.isfinite().all():
        raise ValueError(
            "logits: expected numbers or -inf, at least one of them finite in each row, "
            f"got a row with the maximum {largest[~largest.isfinite()][0].item()}"
        )
    scaled = (logits.double() - largest.double()) / temperature
    return scaled.softmax(dim=-1).to(logits.dtype)


def sample(
    logits: Float[Tensor, "*leading vocabulary"],
    *,
    temperature: int | float = 1.0,
    generator: torch.Generator,
) -> Int64[Tensor, "*leading"]:
    """Draw one token for each row, with the probabilities of `softmax_with_temperature`.

    Args:
        logits: scores of the vocabulary.
        temperature: T, above 0; for the limit T -> 0 use `greedy`.
        generator: the source of randomness, on the device of `logits`.

    Returns:
        Token numbers, one for each row.

    Raises:
        TypeError, ValueError: as `softmax_with_temperature`; `generator` is none, or lies on
            another device.

    Chapter 02 draws with it; chapter 06 compares it with greedy and beam search.
    """
    check_axes("logits", logits, "... vocabulary")
    _check_generator(generator, logits.device)
    probabilities = softmax_with_temperature(logits.detach(), temperature)
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    return torch.multinomial(rows, 1, generator=generator).reshape(logits.shape[:-1])


def _check_temperature(temperature: int | float) -> None:
    check_number("temperature", temperature, below=math.inf)
    if temperature <= 0:
        raise ValueError(
            f"temperature: expected a number > 0, got {temperature}; "
            "the limit T -> 0 is the argmax, for which use `greedy`"
        )


def _check_generator(generator: Any, device: torch.device) -> None:
    if not isinstance(generator, torch.Generator):
        kind = type(generator).__name__
        raise TypeError(f"generator: expected a torch.Generator, got {kind}")
    if generator.device.type != device.type:
        raise ValueError(
            f"generator: expected the device {device} of logits, got {generator.device}"
        )
