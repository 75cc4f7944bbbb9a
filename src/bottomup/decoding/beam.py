"""Beam search: at each position keep the best few prefixes instead of one."""

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from bottomup.checks import check_integer, check_number
from bottomup.data import BOS
from bottomup.decoding.beam_result import BeamDecoded, BeamStep
from bottomup.decoding.beam_step import Continuations, Finished, continue_beam
from bottomup.decoding.penalty import gnmt_penalty
from bottomup.decoding.stepwise import (
    StepwiseDecoder,
    as_module,
    check_decoder,
    check_length,
    check_source,
)
from bottomup.training import evaluating


@runtime_checkable
class ReorderableDecoder(StepwiseDecoder, Protocol):
    """A model that decodes token by token and can continue one prefix in several ways."""

    def reorder(self, state: Any, index: Tensor) -> Any:
        """Return a state in which sequence b goes on from sequence ``index[b]`` of `state`.

        Entries may come twice or not at all; their number [kept] is the new batch size. The state
        given is not used again.
        """


@dataclass(frozen=True, eq=False)
class _Prefixes:
    """The prefixes that go on, each source's best first.

    sources [row], log_probability [row, width] and tokens [row, width, length].
    """

    sources: Tensor
    log_probability: Tensor
    tokens: Tensor

    def parents(self, parent: Tensor) -> Tensor:
        """Return the tokens of these prefixes, [row, chosen, length]."""
        return self.tokens.gather(
            1, parent[..., None].expand(-1, -1, self.tokens.shape[-1])
        )

    def of(self, rows: Tensor) -> "_Prefixes":
        """Return the prefixes of some rows."""
        return _Prefixes(
            self.sources[rows], self.log_probability[rows], self.tokens[rows]
        )


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
    ``log P(y | source) = sum over i of log p(y[i] | y[0], ..., y[i-1], source)``,
    ``lp(n) = ((5 + n) / 6) ** alpha``, with n the number of tokens, EOS counted

    Each step adds a token to each of the `beam` best prefixes (`continue_beam`). A sequence that
    ends is set aside and never continued; the best `n_best` of these are the result.

    The search for a source stops when no prefix can become better than the worst of its `n_best`
    sequences. A prefix never gains probability, and lp is largest at `max_length`, so no sequence
    that starts with it scores above ``log P(prefix) / lp(max_length)``. Stopping therefore changes
    nothing in the result. A search that stops as soon as `beam` sequences have ended is faster,
    and can miss a longer one with a higher score. At `max_length` tokens the prefixes are cut off.
    They take the places for which too few sequences have ended, behind those that have.

    With a beam of 1 and alpha 0 it is `greedy`, unless logits tie. With a beam as wide as there are
    continuations in the last step, nothing is dropped, and the result is the best of all sequences.
    In between, a wider beam may find a sequence with a lower score. A source does not depend on its
    neighbours in the batch. Log-probabilities are added up in float64.

    Args:
        model: an `nn.Module` with the methods of `ReorderableDecoder`.
        source: source tokens (`Batch.source`).
        source_mask: True at real tokens (`Batch.source_mask`).
        beam: how many prefixes are kept. It may exceed the vocabulary; while there are fewer
            prefixes, all are kept.
        max_length: largest number of tokens, EOS not counted where a sequence is cut off. One that
            ends has at most ``max_length - 1`` and EOS.
        length_penalty: alpha, at least 0; 0 compares the probabilities themselves.
        n_best: how many sequences to return for each source, at most `beam`.
        trace: whether to return every step's candidates.

    Raises:
        TypeError: a model without `start`, `step` and `reorder`, or a wrong type or dtype.
        ValueError: shapes that do not fit, an empty batch, `beam` or `n_best` below 1, `n_best`
            above `beam`, alpha below 0 or not finite, or `max_length` below 1 or past the model's
            last position.
        FloatingPointError: the model gives a prefix that is continued NaN, +inf or nothing but
            -inf.

    Source: Sutskever, Vinyals and Le (2014), section 3.2; Wu et al. (2016), section 7, for lp. The
    bound at which the search stops is tensor2tensor's. Chapter 06 derives it.
    """
    check_decoder(model, ReorderableDecoder, "start, step and reorder")
    check_source(source, source_mask)
    check_length(model, max_length)
    _check_options(beam, length_penalty, n_best, trace)
    finished = Finished(source.shape[0], n_best, max_length, source.device)
    steps: list[BeamStep] = []
    prefixes = _only_bos(source.shape[0], source.device)
    token = torch.full_like(prefixes.sources, BOS)
    with torch.no_grad(), evaluating(as_module(model)):
        state = model.start(source, source_mask)
        for length in range(1, max_length + 1):
            logits, state, _ = model.step(token, state)
            following = _log_probabilities(logits, prefixes)
            found = continue_beam(
                prefixes.log_probability, following, beam=beam
            )
            penalty = gnmt_penalty(length, length_penalty)
            if trace:
                steps.append(_traced(prefixes, found, penalty))
            _set_aside(finished, prefixes, found, penalty, beam)
            longer, parent = _continued(prefixes, found)
            rows = _undecided(
                longer, finished, gnmt_penalty(max_length, length_penalty)
            )
            if length == max_length or not len(rows):
                break
            width = prefixes.log_probability.shape[1]
            state = model.reorder(
                state, (rows[:, None] * width + parent[rows]).flatten()
            )
            prefixes = longer.of(rows)
            token = prefixes.tokens[..., -1].flatten()
    if len(rows):  # cut off
        cut = longer.of(rows)
        unended = torch.zeros_like(cut.log_probability, dtype=torch.bool)
        finished.add(
            cut.sources, cut.tokens, cut.log_probability, penalty, unended
        )
    return finished.result(tuple(steps) if trace else None)


def _check_options(
    beam: int, length_penalty: int | float, n_best: int, trace: bool
) -> None:
    check_integer("beam", beam, at_least=1)
    check_number("length_penalty", length_penalty, at_least=0, below=math.inf)
    check_integer("n_best", n_best, at_least=1)
    if n_best > beam:
        raise ValueError(f"n_best: expected at most beam={beam}, got {n_best}")
    if not isinstance(trace, bool):
        raise TypeError(f"trace: expected True or False, got {trace!r}")


def _only_bos(batch: int, device: torch.device) -> _Prefixes:
    return _Prefixes(
        sources=torch.arange(batch, device=device),
        log_probability=torch.zeros(
            batch, 1, dtype=torch.float64, device=device
        ),
        tokens=torch.zeros(batch, 1, 0, dtype=torch.int64, device=device),
    )


def _log_probabilities(logits: Tensor, prefixes: _Prefixes) -> Tensor:
    """Return log p of each next token, [row, width, vocabulary], at least in float32.

    Raises:
        FloatingPointError: a prefix that is possible has no log-probabilities.
    """
    dtype = torch.promote_types(logits.dtype, torch.float32)
    following = logits.log_softmax(dim=-1, dtype=dtype)
    following = following.view(*prefixes.log_probability.shape, -1)
    possible = prefixes.log_probability > -torch.inf
    broken = (following[..., 0].isnan() & possible).any(
        dim=1
    )  # such a row is NaN throughout
    if broken.any():
        rows = prefixes.sources[broken].tolist()
        raise FloatingPointError(
            "model: expected logits without NaN and +inf, one of them finite, "
            f"got others in sequences {rows}"
        )
    return (
        following
        if possible.all()
        else following.masked_fill(~possible[..., None], -torch.inf)
    )


def _traced(
    prefixes: _Prefixes, found: Continuations, penalty: float
) -> BeamStep:
    return BeamStep(
        source=prefixes.sources,
        parent=found.parent,
        token=found.token,
        log_probability=found.log_probability,
        score=found.log_probability / penalty,
        continued=found.continued,
        ended=found.ended,
    )


def _set_aside(
    finished: Finished,
    prefixes: _Prefixes,
    found: Continuations,
    penalty: float,
    beam: int,
) -> None:
    """Add what has ended in this step to what ended before."""
    ended = found.ended[:, :beam]
    if not ended.any():
        return
    log_probability = found.log_probability[:, :beam].masked_fill(
        ~ended, -torch.inf
    )
    tokens = prefixes.parents(found.parent[:, :beam])
    finished.add(prefixes.sources, tokens, log_probability, penalty, ended)


def _continued(
    prefixes: _Prefixes, found: Continuations
) -> tuple[_Prefixes, Tensor]:
    """Return the next step's prefixes, and which prefix each of them continues [row, width]."""
    rows = len(prefixes.sources)
    chosen = found.continued.nonzero()[:, 1].view(
        rows, -1
    )  # equally many in each row
    parent, token = (
        found.parent.gather(1, chosen),
        found.token.gather(1, chosen),
    )
    tokens = torch.cat([prefixes.parents(parent), token[..., None]], dim=-1)
    log_probability = found.log_probability.gather(1, chosen)
    return _Prefixes(prefixes.sources, log_probability, tokens), parent


def _undecided(
    prefixes: _Prefixes, finished: Finished, largest_penalty: float
) -> Tensor:
    """Return the rows in which a prefix may still become one of the best sequences."""
    reachable = prefixes.log_probability[:, 0] / largest_penalty
    return (
        (reachable > finished.scores[prefixes.sources, -1]).nonzero().flatten()
    )
