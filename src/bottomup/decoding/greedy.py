"""Greedy decoding: at each position take the token with the highest score."""

from jaxtyping import Bool, Int64
from torch import Tensor

from bottomup.decoding.stepwise import Decoded, StepwiseDecoder, decode


def greedy(
    model: StepwiseDecoder,
    source: Int64[Tensor, "batch source"],
    source_mask: Bool[Tensor, "batch source"],
    *,
    max_length: int,
) -> Decoded:
    """Decode each source by the likeliest token.

    ``y[i] = argmax over v of logits(v | y[0], ..., y[i-1], source)``

    Starts with BOS and stops when every sequence has produced EOS, or at
    `max_length` tokens. A sequence does not depend on its neighbours in the
    batch. The model runs in evaluation mode, without gradients, and gets its
    own mode back. Chapter 01 uses it first; chapter 06 compares it with
    sampling and beam search.

    Args:
        model: an `nn.Module` with the methods of `StepwiseDecoder`.
        source: source tokens (`Batch.source`).
        source_mask: True at real tokens (`Batch.source_mask`).
        max_length: largest number of tokens, EOS not counted; at most the
            model's number of positions.

    Raises:
        FloatingPointError: the model gives NaN to a sequence that has not
            ended.

    Example:
        >>> from bottomup.data import make_batch
        >>> from bottomup.models import Transformer, TransformerConfig
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> model = Transformer(TransformerConfig.preset("tiny", **sizes))
        >>> batch = make_batch([([5, 6, 7], []), ([8], [])])
        >>> found = greedy(model, batch.source, batch.source_mask, max_length=4)
        >>> len(found.to_lists()), int(found.lengths.max()) <= 4
        (2, True)
    """
    return decode(
        model,
        source,
        source_mask,
        max_length=max_length,
        choose=lambda logits, ended: logits.argmax(dim=-1),
    )
