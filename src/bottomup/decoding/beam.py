"""Beam search: at each position keep the best few prefixes instead of one."""

from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from bottomup.checks import check_integer, check_switch, checked
from bottomup.decoding.beam_result import BeamDecoded, BeamStep, Finished
from bottomup.decoding.beam_step import Prefixes, continue_beam
from bottomup.decoding.penalty import check_alpha, gnmt_penalty
from bottomup.decoding.stepwise import StepwiseDecoder, check_decoder
from bottomup.training import evaluating


@runtime_checkable
class ReorderableDecoder(StepwiseDecoder, Protocol):
    """A model that decodes token by token, one prefix in several ways."""

    def reorder(self, state: Any, index: Tensor) -> Any:
        """Return a state where sequence b goes on from sequence ``index[b]``.

        Entries may come twice or not at all; their number [kept] is the new
        batch size. The state given is not used again.
        """


@checked
def beam_search(
    model: ReorderableDecoder,
    source: Int64[Tensor, "batch source"],
    source_mask: Bool[Tensor, "batch source"],
    *,
    beam: int,
    max_length: int,
    length_penalty: int | float = 0.6,
    n_best: int = 1,
    trace: bool = False,
) -> BeamDecoded:
    """Search, for each source, for the sequences with the highest scores.

    ``score(y) = log P(y | source) / lp(n)``,
    ``log P(y | source) = sum_i log p(y[i] | y[0], ..., y[i-1], source)``,
    ``lp(n) = ((5 + n) / 6) ** alpha``, with n the number of tokens, EOS counted

    Each step adds a token to each of the `beam` best prefixes
    (`continue_beam`). A sequence that ends is set aside and never continued;
    the best `n_best` of these are the result.

    The search for a source stops when no prefix can become better than the
    worst of its `n_best` sequences. A prefix never gains probability, and lp is
    largest at `max_length`, so no sequence that starts with it scores above
    ``log P(prefix) / lp(max_length)``. Stopping therefore changes nothing in
    the result. A search that stops as soon as `beam` sequences have ended is
    faster, and can miss a longer one with a higher score. At `max_length`
    tokens the prefixes are cut off. They take the places for which too few
    sequences have ended, behind those that have.

    With a beam of 1 and alpha 0 it is `greedy`, unless logits tie. With a beam
    as wide as there are continuations in the last step, nothing is dropped, and
    the result is the best of all sequences. In between, a wider beam may find a
    sequence with a lower score. A source does not depend on its neighbours in
    the batch. Log-probabilities are added up in float64 where the device has
    it.

    Args:
        model: an `nn.Module` with the methods of `ReorderableDecoder`.
        source: source tokens (`Batch.source`).
        source_mask: True at real tokens (`Batch.source_mask`).
        beam: how many prefixes are kept. It may exceed the vocabulary; while
            there are fewer prefixes, all are kept.
        max_length: largest number of tokens, EOS not counted where a sequence
            is cut off. One that ends has at most ``max_length - 1`` and EOS.
            At most the model's number of positions.
        length_penalty: alpha, at least 0; 0 compares the probabilities
            themselves.
        n_best: how many sequences to return for each source, at most `beam`.
        trace: whether to return every step's candidates.

    Raises:
        FloatingPointError: the model gives a prefix that is continued NaN, +inf
            or nothing but -inf.

    Source: Sutskever, Vinyals and Le (2014), section 3.2; Wu et al. (2016),
    section 7, for lp. The bound at which the search stops is tensor2tensor's.
    Chapter 06 derives it.

    Example:
        >>> from bottomup.data import make_batch
        >>> from bottomup.models import Transformer, TransformerConfig
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> model = Transformer(TransformerConfig.preset("tiny", **sizes))
        >>> batch = make_batch([([5, 6, 7], []), ([8], [])])
        >>> found = beam_search(
        ...     model, batch.source, batch.source_mask, beam=3, max_length=4
        ... )
        >>> len(found.best().to_lists())  # one for each source
        2
    """
    methods = "start, step and reorder"
    module = check_decoder(model, ReorderableDecoder, methods, max_length)
    check_integer("beam", beam, at_least=1)
    check_alpha("length_penalty", length_penalty, max_length)
    check_integer("n_best", n_best, at_least=1)
    if n_best > beam:
        raise ValueError(f"n_best: expected at most beam={beam}, got {n_best}")
    check_switch("trace", trace)
    batch, device = len(source), source.device
    finished = Finished(batch, n_best, max_length, device)
    prefixes = Prefixes.start(torch.arange(batch, device=device))
    largest_penalty = gnmt_penalty(max_length, length_penalty)
    steps: list[BeamStep] = []
    with torch.no_grad(), evaluating(module):
        state = model.start(source, source_mask)
        for length in range(1, max_length + 1):
            last = prefixes.tokens[..., -1].flatten()  # [row width]
            logits, state, _ = model.step(last, state)
            log_p = prefixes.log_p(logits)  # [row, width, vocabulary]
            chosen = continue_beam(prefixes.log_probability, log_p, beam=beam)
            penalty = gnmt_penalty(length, length_penalty)
            if trace:
                score = chosen.log_probability / penalty
                steps.append(
                    BeamStep(prefixes.source, score=score, **chosen._asdict())
                )
            finished.add(prefixes.ended(chosen), penalty, ended=True)
            prefixes = prefixes.continued(chosen)
            bound = prefixes.log_probability[:, 0] / largest_penalty  # [row]
            worst = finished.scores[prefixes.source, -1]
            prefixes = prefixes.rows(bound > worst)  # those undecided
            if length == max_length or len(prefixes.source) == 0:
                break
            state = model.reorder(state, prefixes.place.flatten())
    finished.add(prefixes, penalty, ended=False)  # those cut off
    return finished.result(tuple(steps) if trace else None)
