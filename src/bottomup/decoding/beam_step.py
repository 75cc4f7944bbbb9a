"""The parts of a beam search: one step, and the list of what has ended."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor

from bottomup.checks import check_axes, check_integer
from bottomup.data import EOS, PAD
from bottomup.decoding.beam_result import BeamDecoded, BeamStep


class Continuations(NamedTuple):
    """Prefixes with one more token, for each source the best first; see `continue_beam`."""

    parent: Int64[Tensor, "batch candidate"]
    token: Int64[Tensor, "batch candidate"]
    log_probability: Float64[Tensor, "batch candidate"]
    continued: Bool[Tensor, "batch candidate"]
    ended: Bool[Tensor, "batch candidate"]


def continue_beam(
    prefixes: Float64[Tensor, "batch width"],
    tokens: Float[Tensor, "batch width vocabulary"],
    *,
    beam: int,
) -> Continuations:
    """Take one step of a beam search: add a token to each prefix, and choose among the results.

    ``log P(prefix, v) = log P(prefix) + log p(v | prefix)``

    All continuations of a source compete with each other, whatever prefix they come from. One that
    adds EOS has ended if it is among the best `beam`, and is never continued; one that adds EOS
    farther down is dropped. The best `beam` of the others are continued, so that an end takes no
    place from those that go on. Of each prefix only one continuation adds EOS, so among the best
    ``beam + width`` there are `beam` that go on: the candidates. Among equals, torch's order
    decides.

    The length penalty plays no part here: all continuations have the same length.

    Args:
        prefixes: log P of each prefix, summed over its tokens; -inf for one that is impossible.
        tokens: log p of each next token, after each prefix.
        beam: how many prefixes go on, at most; there are fewer only where there are fewer at all.

    Returns:
        The candidates. `parent` is the place of the continued prefix on the axis width, `token`
        the token that is added, `log_probability` log P of both together. `continued` is True for
        the prefixes of the next step, equally many for each source, `ended` for what has ended.

    Source: Sutskever, Vinyals and Le (2014), section 3.2, where each end takes a place from those
    that go on; to look at 2 `beam` candidates is tensor2tensor's way to keep the beam full, and
    that an end must be among the best `beam` is fairseq's rule. Chapter 06 derives it.
    """
    sizes = check_axes("prefixes", prefixes, "batch width")
    vocabulary = check_axes(
        "tokens", tokens, "batch width vocabulary", **sizes
    )["vocabulary"]
    check_integer("beam", beam, at_least=1)
    best, token = tokens.topk(min(beam + 1, vocabulary))  # of each prefix
    total = (prefixes[..., None].double() + best).flatten(1)
    candidates = min(beam + sizes["width"], total.shape[1])
    log_probability, place = total.topk(candidates)  # of each source
    token = token.flatten(1).gather(1, place)
    goes_on, possible = token != EOS, log_probability > -torch.inf
    among_the_best = torch.arange(token.shape[1], device=token.device) < beam
    return Continuations(
        parent=place // best.shape[-1],
        token=token,
        log_probability=log_probability,
        continued=goes_on & (goes_on.cumsum(dim=1) <= beam),
        ended=~goes_on & among_the_best & possible,
    )


class Finished:
    """The best sequences that have ended, for each source of the batch; they only get better.

    Attributes:
        tokens, lengths, log_probabilities, scores, ended: as in `BeamDecoded`, with room for
            `max_length` tokens.
    """

    def __init__(
        self, batch: int, n_best: int, max_length: int, device: torch.device
    ) -> None:
        shape = (batch, n_best)
        self.tokens = torch.full((*shape, max_length), PAD, device=device)
        self.lengths = torch.zeros(shape, dtype=torch.int64, device=device)
        self.log_probabilities = torch.full(
            shape, -torch.inf, dtype=torch.float64, device=device
        )
        self.scores = self.log_probabilities.clone()
        self.ended = torch.zeros(shape, dtype=torch.bool, device=device)

    def add(
        self,
        sources: Int64[Tensor, " row"],
        tokens: Int64[Tensor, "row new length"],
        log_probabilities: Float64[Tensor, "row new"],
        penalty: float,
        ended: Bool[Tensor, "row new"],
    ) -> None:
        """Keep the best of these and of those before, for each of these sources.

        Those that ended come first, then the higher scores; among equals, those that were there.

        Args:
            sources: which sources of the batch.
            tokens: the sequences, all of one length, none shorter than those before.
            log_probabilities: log P; -inf leaves a sequence out.
            penalty: what they are divided by.
            ended: whether a sequence ended, or was cut off.
        """
        length, n_best = tokens.shape[-1], self.scores.shape[1]
        scores = torch.cat(
            [self.scores[sources], log_probabilities / penalty], dim=1
        )
        all_ended = torch.cat([self.ended[sources], ended], dim=1)
        order = scores.argsort(dim=1, descending=True, stable=True)
        last = (~all_ended).long() + (
            scores == -torch.inf
        )  # 0 ended, 1 cut off, 2 nothing there
        order = order.gather(
            1, last.gather(1, order).argsort(dim=1, stable=True)
        )[:, :n_best]

        def chosen(before: Tensor, new: Tensor) -> Tensor:
            return torch.cat([before[sources], new], dim=1).gather(1, order)

        every = order[..., None].expand(-1, -1, length)
        before = self.tokens[sources][..., :length]
        self.tokens[sources, :, :length] = torch.cat(
            [before, tokens], dim=1
        ).gather(1, every)
        new_lengths = torch.full_like(
            log_probabilities, length, dtype=torch.int64
        )
        self.lengths[sources] = chosen(self.lengths, new_lengths)
        self.log_probabilities[sources] = chosen(
            self.log_probabilities, log_probabilities
        )
        self.scores[sources] = scores.gather(1, order)
        self.ended[sources] = all_ended.gather(1, order)

    def result(self, steps: tuple[BeamStep, ...] | None) -> BeamDecoded:
        """Return what was kept, with the steps that led there."""
        return BeamDecoded(
            tokens=self.tokens[..., : int(self.lengths.max())],
            lengths=self.lengths,
            log_probabilities=self.log_probabilities,
            scores=self.scores,
            ended=self.ended,
            steps=steps,
        )
