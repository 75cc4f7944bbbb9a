"""One step of a beam search: prefixes, and how they go on."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Float32, Float64, Int64
from torch import Tensor

from bottomup.checks import check_integer, checked
from bottomup.data import BOS, EOS
from bottomup.training.device import widest


class Continuations(NamedTuple):
    """Prefixes with one more token, for each source the best first.

    `continue_beam` describes them.
    """

    parent: Int64[Tensor, "batch candidate"]
    token: Int64[Tensor, "batch candidate"]
    log_probability: Float[Tensor, "batch candidate"]
    continued: Bool[Tensor, "batch candidate"]
    ended: Bool[Tensor, "batch candidate"]


@checked
def continue_beam(
    prefixes: Float64[Tensor, "batch width"] | Float32[Tensor, "batch width"],
    tokens: Float[Tensor, "batch width vocabulary"],
    *,
    beam: int,
) -> Continuations:
    """Take one step of a beam search: add a token to each prefix, and choose.

    ``log P(prefix, v) = log P(prefix) + log p(v | prefix)``

    All continuations of a source compete with each other, whatever prefix they
    come from. One that adds EOS has ended if it is among the best `beam`, and
    is never continued; one that adds EOS farther down is dropped. The best
    `beam` of the others are continued, so that an end takes no place from those
    that go on. Of each prefix only one continuation adds EOS, so among the best
    ``beam + width`` there are `beam` that go on: the candidates. Among equals,
    torch's order decides.

    The length penalty plays no part here: all continuations have the same
    length.

    Args:
        prefixes: log P of each prefix, [batch, width], in float64 where the
            device has it: the sum over its tokens; -inf for one
            that is impossible.
        tokens: log p of each next token, after each prefix.
        beam: how many prefixes go on, at most; there are fewer only where there
            are fewer at all.

    Returns:
        The candidates. `parent` is the place of the continued prefix on the
        axis width, `token` the token that is added, `log_probability` log P of
        both together. `continued` is True for the prefixes of the next step,
        equally many for each source, `ended` for what has ended.

    Source: Sutskever, Vinyals and Le (2014), section 3.2, where each end takes
    a place from those that go on; to look at 2 `beam` candidates is
    tensor2tensor's way to keep the beam full, and that an end must be among the
    best `beam` is fairseq's rule. Chapter 06 derives it.
    """
    check_integer("beam", beam, at_least=1)
    vocabulary, width = tokens.shape[-1], prefixes.shape[1]
    best, token = tokens.topk(min(beam + 1, vocabulary))  # of each prefix
    wide = prefixes.to(widest(prefixes.device))
    total = (wide[..., None] + best).flatten(1)
    candidates = min(beam + width, total.shape[1])
    log_probability, place = total.topk(candidates)  # of each source
    token = token.flatten(1).gather(1, place)  # [batch, candidate]
    goes_on, possible = token != EOS, log_probability > -torch.inf
    among_the_best = torch.arange(candidates, device=token.device) < beam
    return Continuations(
        parent=place // best.shape[-1],
        token=token,
        log_probability=log_probability,
        continued=goes_on & (goes_on.cumsum(dim=1) <= beam),
        ended=~goes_on & among_the_best & possible,
    )


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Prefixes of the same length, for some of the sources, the best first.

    Attributes:
        source: which source of the batch each row belongs to.
        tokens: y[0] = BOS, y[1], ..., as far as the prefixes go.
        log_probability: log P of each prefix; -inf for one that is impossible.
        place: which sequence of the model's state each prefix continues.
    """

    source: Int64[Tensor, " row"]
    tokens: Int64[Tensor, "row width length"]
    log_probability: Float[Tensor, "row width"]
    place: Int64[Tensor, "row width"]

    @classmethod
    def start(cls, source: Int64[Tensor, " row"]) -> "Prefixes":
        """Return BOS alone, for each source."""
        wide = widest(source.device)
        certain = torch.zeros_like(source[:, None], dtype=wide)
        bos = torch.full_like(source[:, None, None], BOS)
        return cls(source, bos, certain, source[:, None])

    def log_p(
        self, logits: Float[Tensor, "sequence vocabulary"]
    ) -> Float[Tensor, "row width vocabulary"]:
        """Return log p of each next token, at least in float32.

        Raises:
            FloatingPointError: a prefix that is possible has none.
        """
        dtype = torch.promote_types(logits.dtype, torch.float32)
        log_p = logits.log_softmax(dim=-1, dtype=dtype)
        log_p = log_p.view(*self.log_probability.shape, -1)
        possible = self.log_probability > -torch.inf  # [row, width]
        broken = log_p[..., 0].isnan() & possible  # a row is NaN throughout
        if broken.any():
            rows = self.source[broken.any(dim=1)].tolist()
            raise FloatingPointError(
                "model: expected logits without NaN and +inf, one of them "
                f"finite, got others in sequences {rows}"
            )
        if possible.all():
            return log_p
        return log_p.masked_fill(~possible[..., None], -torch.inf)

    def ended(self, chosen: Continuations) -> "Prefixes":
        """Return what has ended, without EOS; the others become impossible."""
        return Prefixes(
            self.source,
            tokens=self._tokens_of(chosen.parent),
            log_probability=chosen.log_probability.masked_fill(
                ~chosen.ended, -torch.inf
            ),
            place=chosen.parent,
        )

    def continued(self, chosen: Continuations) -> "Prefixes":
        """Return the prefixes of the next step, one token longer."""
        rows, width = self.log_probability.shape
        # Equally many in each row: [row, width of the next step].
        candidate = chosen.continued.nonzero()[:, 1].view(rows, -1)
        parent = chosen.parent.gather(1, candidate)
        token = chosen.token.gather(1, candidate)[..., None]
        first = width * torch.arange(rows, device=parent.device)
        return Prefixes(
            self.source,
            tokens=torch.cat([self._tokens_of(parent), token], dim=-1),
            log_probability=chosen.log_probability.gather(1, candidate),
            place=first[:, None] + parent,
        )

    def rows(self, chosen: Bool[Tensor, " row"]) -> "Prefixes":
        """Return the prefixes of some rows."""
        return Prefixes(*(tensor[chosen] for tensor in vars(self).values()))

    def _tokens_of(self, parent: Tensor) -> Tensor:
        """Return the tokens of these prefixes, [row, candidate, length]."""
        return torch.take_along_dim(self.tokens, parent[..., None], dim=1)
