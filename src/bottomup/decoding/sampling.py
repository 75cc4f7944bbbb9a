"""Sampling: draw the next token from the model's probabilities."""

import math

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.checks import check_integer, check_number, checked
from bottomup.decoding.stepwise import Decoded, StepwiseDecoder, decode
from bottomup.decoding.truncation import (
    check_finite_maximum,
    keep_top_k,
    keep_top_p,
)
from bottomup.precision import in_float32
from bottomup.training.device import widest


@checked
def softmax_with_temperature(
    logits: Float[Tensor, "*leading vocabulary"], temperature: int | float
) -> Float[Tensor, "*leading vocabulary"]:
    """Turn logits into probabilities, more or less even.

    ``p[v] = exp(logits[v] / T) / sum_u exp(logits[u] / T)``

    T = 1 leaves the model's probabilities as they are. As T falls towards 0,
    they gather on the largest logit (shared evenly where several are largest);
    as T grows, they become uniform. The order of the tokens never changes, and
    the entropy never falls as T grows. A logit of -inf has probability zero at
    every temperature.

    The largest logit of a row is subtracted first and the quotient taken in
    float64, so that no temperature, however small or large, overflows; in
    float32 on a device without float64 (`training.device.widest`).

    Args:
        logits: scores of the vocabulary, or any scores.
        temperature: T, above 0 and finite.

    Source: Hinton, Vinyals and Dean (2015), section 2, equation 1. Chapter 02
    derives it.

    Example:
        >>> logits = torch.tensor([1.0, 4.0]).log()
        >>> softmax_with_temperature(logits, temperature=0.5)  # 1 to 16
        tensor([0.0588, 0.9412])
        >>> softmax_with_temperature(logits, temperature=2)  # 1 to 2
        tensor([0.3333, 0.6667])
    """
    check_number("temperature", temperature, below=math.inf)
    if temperature <= 0:
        raise ValueError(
            f"temperature: expected a number > 0, got {temperature}; "
            "the limit T -> 0 is the argmax, for which use `greedy`"
        )
    check_finite_maximum(logits)
    largest = logits.amax(dim=-1, keepdim=True)  # [..., 1]
    wide = widest(logits.device)
    scaled = (logits.to(wide) - largest.to(wide)) / temperature
    return scaled.softmax(dim=-1).to(logits.dtype)


@checked
@in_float32
def sample(
    logits: Float[Tensor, "*leading vocabulary"],
    *,
    temperature: int | float = 1.0,
    top_k: int | None = None,
    top_p: int | float | None = None,
    generator: torch.Generator,
) -> Int64[Tensor, "*leading"]:
    """Draw one token for each row, by `softmax_with_temperature`.

    With `top_k`, `top_p` or both, the tail is cut off first: the temperature is
    applied, then `keep_top_k`, then `keep_top_p` to what that left, so that a
    higher temperature widens the nucleus.

    Args:
        logits: scores of the vocabulary.
        temperature: T, above 0; for the limit T -> 0 use `greedy`.
        top_k: how many tokens may be drawn; None: all.
        top_p: share of the probability whose tokens may be drawn, in (0, 1];
            None: all.
        generator: the source of randomness, on the device of `logits`.

    Returns:
        Token numbers, one for each row.

    Chapter 02 draws with it; chapter 06 compares it with greedy and beam
    search.
    """
    logits = logits.detach()
    if top_k is not None:  # the order, and so the k, are those at any T
        check_integer("top_k", top_k, at_least=1, below=2**63)
        logits = keep_top_k(logits, top_k)
    p = softmax_with_temperature(logits, temperature)  # [..., vocabulary]
    if top_p is not None:
        check_number("top_p", top_p, above=0, at_most=1)
        p = keep_top_p(p.log(), top_p).softmax(dim=-1)
    rows = p.reshape(-1, p.shape[-1])
    drawn = torch.multinomial(rows, 1, generator=generator)
    return drawn.reshape(logits.shape[:-1])


def sampled(
    model: StepwiseDecoder,
    source: Int64[Tensor, "batch source"],
    source_mask: Bool[Tensor, "batch source"],
    *,
    max_length: int,
    temperature: int | float = 1.0,
    top_k: int | None = None,
    top_p: int | float | None = None,
    generator: torch.Generator,
) -> Decoded:
    """Decode each source by drawing, as `sample` does.

    ``y[i] ~ p(v | y[0], ..., y[i-1], source)``

    With T = 1 and nothing cut off, a sequence that ends comes with the
    probability that the model gives it. All sequences of the batch draw from
    one generator, step by step: the same generator, model and batch give the
    same sequences, another batch gives others.

    Args:
        model: an `nn.Module` with the methods of `StepwiseDecoder`.
        source: source tokens (`Batch.source`).
        source_mask: True at real tokens (`Batch.source_mask`).
        max_length: largest number of tokens, EOS not counted.
        temperature, top_k, top_p, generator: as in `sample`.

    Raises:
        FloatingPointError: the model gives NaN to a sequence that has not
            ended.

    Chapter 06 compares it with `greedy` and `beam_search`.

    Example:
        >>> from bottomup.data import make_batch
        >>> from bottomup.models import Transformer, TransformerConfig
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> model = Transformer(TransformerConfig.preset("tiny", **sizes))
        >>> batch = make_batch([([5, 6, 7], [])])
        >>> generator = torch.Generator().manual_seed(0)
        >>> options = {"generator": generator, "top_k": 5}
        >>> found = sampled(
        ...     model, batch.source, batch.source_mask, max_length=4, **options
        ... )
        >>> len(found.to_lists()), int(found.lengths.max()) <= 4
        (1, True)
    """

    def draw(logits: Tensor, ended: Tensor) -> Tensor:
        # `decode` itself refuses NaN before the end.
        unused = ended | logits.isnan().any(dim=-1)  # [batch]
        return sample(
            logits.masked_fill(unused[:, None], 0.0),
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            generator=generator,
        )

    return decode(
        model, source, source_mask, max_length=max_length, choose=draw
    )
