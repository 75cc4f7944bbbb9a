"""Exercise: a logit difference as a sum over what each part wrote (Elhage et al., 2021)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def attribute_logit(
    parts: torch.Tensor, gain: torch.Tensor, bias: torch.Tensor,
    W_U: torch.Tensor, b_U: torch.Tensor, right: torch.Tensor, wrong: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    variance = parts.sum(dim=0).var(dim=-1, correction=0, keepdim=True)
    scale = torch.sqrt(variance + 1e-5)  # [sentence, 1], of the whole stream
    direction = W_U[right] - W_U[wrong]  # [sentence, d_model]
    centred = parts - parts.mean(dim=-1, keepdim=True)
    contributions = (gain * centred / scale * direction).sum(dim=-1)
    return contributions, direction @ bias + b_U[right] - b_U[wrong]


Split = tuple[Tensor, Tensor]


def with_the_gain_in_the_direction(
    parts: Tensor, gain: Tensor, bias: Tensor,
    W_U: Tensor, b_U: Tensor, right: Tensor, wrong: Tensor,
) -> Split:  # fmt: skip
    """Norm and readout are one direction of the stream, once the scale is known."""
    stream = parts.sum(dim=0)
    direction = (W_U[right] - W_U[wrong]) * gain
    direction = direction - direction.mean(dim=-1, keepdim=True)  # centring is symmetric
    deviation = stream - stream.mean(dim=-1, keepdim=True)
    scale = (deviation.square().mean(dim=-1) + 1e-5).sqrt()
    read = torch.einsum("psd,sd->ps", parts, direction) / scale
    return read, (bias * (W_U[right] - W_U[wrong])).sum(dim=-1) + (b_U[right] - b_U[wrong])


def with_all_logits(
    parts: Tensor, gain: Tensor, bias: Tensor,
    W_U: Tensor, b_U: Tensor, right: Tensor, wrong: Tensor,
) -> Split:  # fmt: skip
    def between(logits: Tensor) -> Tensor:
        sentences = torch.arange(logits.shape[-2])
        return logits[..., sentences, right] - logits[..., sentences, wrong]

    scale = (parts.sum(0).var(-1, unbiased=False) + 1e-5).rsqrt()[:, None]
    logits = (gain * (parts - parts.mean(-1, keepdim=True)) * scale) @ W_U.T
    return between(logits), between((W_U @ bias + b_U).expand(parts.shape[1], -1))


def with_loops(
    parts: Tensor, gain: Tensor, bias: Tensor,
    W_U: Tensor, b_U: Tensor, right: Tensor, wrong: Tensor,
) -> Split:  # fmt: skip
    shares, rest = parts.new_zeros(parts.shape[:2]), parts.new_zeros(parts.shape[1])
    for s, (one, other) in enumerate(zip(right.tolist(), wrong.tolist(), strict=True)):
        stream = sum(part[s] for part in parts)
        scale = (stream.var(correction=0) + 1e-5) ** 0.5
        direction = W_U[one] - W_U[other]
        for p, part in enumerate(parts):
            shares[p, s] = direction @ (gain * (part[s] - part[s].mean())) / scale
        rest[s] = direction @ bias + b_U[one] - b_U[other]
    return shares, rest


# ---- One step in another way: what the mistakes are made of

EPSILON = 1e-5
Answer = Callable[..., Split]


def scale_of_the_stream(parts: Tensor) -> Tensor:
    return (parts.sum(0).var(-1, correction=0, keepdim=True) + EPSILON).sqrt()


def centred(parts: Tensor) -> Tensor:
    return parts - parts.mean(-1, keepdim=True)


def right_less_wrong(x: Tensor, right: Tensor, wrong: Tensor) -> Tensor:
    return x[right] - x[wrong]


@dataclass(frozen=True)
class Steps:
    """The steps of an attribution; a mistake replaces some of them.

    Args:
        centre: from the parts to what is divided.
        scale: from the parts to what divides.
        between: from W_U or b_U to the difference of two tokens' rows.
        gain: what is multiplied, from the gain.
        from_norm, from_output: how often each bias is in the rest.
        finish: from the contributions and the rest to what is returned.
    """

    centre: Callable[[Tensor], Tensor] = centred
    scale: Callable[[Tensor], Tensor | float] = scale_of_the_stream
    between: Callable[[Tensor, Tensor, Tensor], Tensor] = right_less_wrong
    gain: Callable[[Tensor], Tensor] = lambda gain: gain
    from_norm: float = 1.0
    from_output: float = 1.0
    finish: Callable[[Tensor, Tensor], Split] = lambda contributions, rest: (contributions, rest)

    def __call__(
        self, parts: Tensor, gain: Tensor, bias: Tensor,
        W_U: Tensor, b_U: Tensor, right: Tensor, wrong: Tensor,
    ) -> Split:  # fmt: skip
        """Return the contributions and the rest."""
        direction = self.between(W_U, right, wrong)
        normalised = self.gain(gain) * self.centre(parts) / self.scale(parts)
        rest = self.from_norm * (direction @ bias)
        rest = rest + self.from_output * self.between(b_U, right, wrong)
        return self.finish((normalised * direction).sum(-1), rest)


RIGHT = Steps()


def with_step(**changed: Any) -> Answer:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


# ---- Mistakes


def scale_of_each_part(parts: Tensor) -> Tensor:
    return (parts.var(-1, correction=0, keepdim=True) + EPSILON).sqrt()


def left_out(
    parts: Tensor, gain: Tensor, bias: Tensor,
    W_U: Tensor, b_U: Tensor, right: Tensor, wrong: Tensor,
) -> Split:  # fmt: skip
    """What the difference loses when a part is left out, the norm made anew."""

    def difference(stream: Tensor) -> Tensor:
        y = F.layer_norm(stream, gain.shape, gain, bias)
        logits = right_less_wrong(W_U, right, wrong) * y
        return logits.sum(-1) + right_less_wrong(b_U, right, wrong)

    whole = parts.sum(0)
    shares = torch.stack([difference(whole) - difference(whole - part) for part in parts])
    return shares, RIGHT(parts, gain, bias, W_U, b_U, right, wrong)[1]


def added_up(
    parts: Tensor, gain: Tensor, bias: Tensor,
    W_U: Tensor, b_U: Tensor, right: Tensor, wrong: Tensor,
) -> Split:  # fmt: skip
    """What the difference gains when a part is added to those before it, the norm made anew."""
    direction = right_less_wrong(W_U, right, wrong)
    streams = parts.cumsum(0)
    read = (F.layer_norm(streams, gain.shape, gain, bias) * direction).sum(-1)
    first = read[:1] - direction @ bias
    rest = RIGHT(parts, gain, bias, W_U, b_U, right, wrong)[1]
    return torch.cat([first, read[1:] - read[:-1]]), rest


def rest_for_each(contributions: Tensor, rest: Tensor) -> Split:
    return contributions + rest, rest


def norm_bias_for_each(*, kept: bool) -> Answer:
    """Each part gets the norm's bias; it is in the rest as well, or not."""

    def wrong(
        parts: Tensor, gain: Tensor, bias: Tensor,
        W_U: Tensor, b_U: Tensor, right: Tensor, wrong: Tensor,
    ) -> Split:  # fmt: skip
        contributions, rest = RIGHT(parts, gain, bias, W_U, b_U, right, wrong)
        from_norm = right_less_wrong(W_U, right, wrong) @ bias
        return contributions + from_norm, rest - (0 if kept else 1) * from_norm

    return wrong


def rest_in_parts(contributions: Tensor, rest: Tensor) -> Split:
    return contributions + rest / len(contributions), rest


def rest_in_parts_and_gone(contributions: Tensor, rest: Tensor) -> Split:
    return contributions + rest / len(contributions), 0 * rest


def over_all(parts: Tensor) -> Tensor:
    return (parts.sum(0).var(correction=0) + EPSILON).sqrt()


def over_sentences(parts: Tensor) -> Tensor:
    return scale_of_the_stream(parts).mean()


SMALL = _("a stream of a hundredth")

NORM = (
    Mistake("norm-of-each-part", with_step(scale=scale_of_each_part)),
    Mistake("scale-recomputed", left_out, (added_up,)),
    Mistake(
        "gain-forgotten",
        with_step(gain=torch.ones_like),
    ),
    Mistake("not-centred", with_step(centre=lambda parts: parts)),
    Mistake(
        "centred-by-the-stream",
        with_step(centre=lambda parts: parts - parts.sum(0).mean(-1, keepdim=True)),
        (with_step(centre=lambda parts: parts - parts.mean()),),
    ),
    Mistake(
        "scale-of-the-wrong-variance",
        with_step(scale=lambda parts: (parts.sum(0).var(-1, keepdim=True) + EPSILON).sqrt()),
        (
            with_step(scale=lambda parts: parts.sum(0).std(-1, keepdim=True) + EPSILON),
            with_step(scale=lambda parts: parts.sum(0).std(-1, keepdim=True)),
        ),
    ),
    Mistake(
        "epsilon-missing",
        with_step(scale=lambda parts: parts.sum(0).std(-1, correction=0, keepdim=True)),
        (
            with_step(
                scale=lambda parts: parts.sum(0).std(-1, correction=0, keepdim=True) + EPSILON
            ),
        ),
        case=SMALL,
    ),
    Mistake("scale-missing", with_step(scale=lambda parts: 1.0)),
    Mistake(
        "variance-instead-of-the-root",
        with_step(scale=lambda parts: scale_of_the_stream(parts).square()),
    ),
    Mistake(
        "one-scale-for-all-sentences",
        with_step(scale=over_all),
        (
            with_step(scale=over_sentences),
            with_step(scale=lambda parts: (parts.sum(0).var() + EPSILON).sqrt()),
        ),
    ),
    Mistake(
        "root-mean-square",
        with_step(
            scale=lambda parts: (parts.sum(0).square().mean(-1, keepdim=True) + EPSILON).sqrt()
        ),
        (
            with_step(
                centre=lambda parts: parts,
                scale=lambda parts: (parts.sum(0).square().mean(-1, keepdim=True) + EPSILON).sqrt(),
            ),
        ),
    ),
)

BIASES = (
    Mistake(
        "part-through-the-whole-readout",
        with_step(finish=rest_for_each),
        (norm_bias_for_each(kept=False), norm_bias_for_each(kept=True)),
    ),
    Mistake("norm-bias-left-out", with_step(from_norm=0.0)),
    Mistake("output-bias-left-out", with_step(from_output=0.0)),
    Mistake("both-biases-left-out", with_step(from_norm=0.0, from_output=0.0)),
    Mistake(
        "rest-shared-out",
        with_step(finish=rest_in_parts_and_gone),
        (with_step(finish=rest_in_parts),),
    ),
)

TOKENS = (
    Mistake("right-logit-alone", with_step(between=lambda x, right, wrong: x[right])),
    Mistake("wrong-less-right", with_step(between=lambda x, right, wrong: x[wrong] - x[right])),
)

MISTAKES = (*NORM, *BIASES, *TOKENS)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _hand(generator: torch.Generator) -> Inputs:
    """The stream is (3, -1, 1): its mean is 1 and its variance 8/3."""
    return {
        "parts": torch.tensor([[[1.0, 0.0, 2.0]], [[2.0, -1.0, -1.0]]]),
        "gain": torch.tensor([1.0, 2.0, 1.0]),
        "bias": torch.tensor([0.0, 1.0, 3.0]),
        "W_U": torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 2.0]]),
        "b_U": torch.tensor([2.0, 0.5]),
        "right": torch.tensor([0]),
        "wrong": torch.tensor([1]),
    }


def _random(
    parts: int, sentences: int, d_model: int, vocabulary: int, *, size: float = 1.0,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        right = torch.randint(vocabulary, (sentences,), generator=generator)
        step = torch.randint(1, vocabulary, (sentences,), generator=generator)
        lengths = size * torch.linspace(0.5, 2, sentences, dtype=dtype)[:, None]
        return {
            "parts": lengths * (draw(parts, sentences, d_model) + draw(parts, sentences, 1)),
            "gain": 1 + 0.5 * draw(d_model),
            "bias": draw(d_model),
            "W_U": draw(vocabulary, d_model) + draw(vocabulary, 1),
            "b_U": draw(vocabulary),
            "right": right,
            "wrong": (right + step) % vocabulary,
        }

    return make


CASES = (
    Case(_("two parts, three components"), _hand),
    Case(_("five parts, three sentences"), _random(5, 3, 7, 11), seed=1),
    Case(_("as many parts as sentences"), _random(3, 3, 5, 7), seed=2),
    Case(_("as many sentences as components"), _random(2, 5, 5, 3), seed=3),
    Case(_("one part alone"), _random(1, 2, 7, 5), seed=4),
    Case(SMALL, _random(3, 2, 5, 7, size=0.01), seed=5),
    Case(_("float64"), _random(7, 5, 11, 13, dtype=torch.float64), seed=6),
)

ANSWERS = Answers(
    solution=attribute_logit,
    alternatives=(with_the_gain_in_the_direction, with_all_logits, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named("contributions", "rest"),
)
