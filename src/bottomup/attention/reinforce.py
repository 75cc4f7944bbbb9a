"""REINFORCE: an expectation's gradient from a draw, and a baseline for it."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import check_number, check_tensor, checked
from bottomup.precision import in_float32


@checked
@in_float32
def reinforce_loss(
    log_likelihood: Float[Tensor, "*draw"],
    log_probability: Float[Tensor, "*draw"],
    baseline: float | Float[Tensor, "..."] = 0.0,
) -> Float[Tensor, ""]:
    """Return a loss whose gradient estimates that of ``-mean L``, from draws.

    ``loss = -mean(log p(y|z) + [log p(y|z) - b] log p(z))``, where the bracket
    is a constant to autograd: neither the reward in it nor the baseline b
    carries a gradient. Its gradient is

    ``-mean(grad log p(y|z) + [log p(y|z) - b] grad log p(z))``

    The mean over draws is the exact gradient for every b that does not depend
    on the draw: b changes the variance alone. The value of the loss says
    little; read ``-mean log p(y|z)``.

    Args:
        log_likelihood: log p(y|z) of the drawn positions, in nats; any shape,
            real tokens only, one draw for each.
        log_probability: log p(z) of the same draws, of the same shape
            (`position_log_probability`).
        baseline: b, a number or a tensor that broadcasts to that shape.

    Source: Williams (1992), "REINFORCE"; Xu et al. (2015), section 4.1, the
    learning rule. Chapter 01b derives it.
    """
    _check_some(log_likelihood)
    b = _constant("baseline", baseline, log_likelihood.shape)
    advantage = log_likelihood.detach() - b  # [...]
    return -(log_likelihood + advantage * log_probability).mean()


@checked
@in_float32
def moving_baseline(
    previous: float | Float[Tensor, ""],
    log_likelihood: Float[Tensor, "..."],
    *,
    decay: float = 0.9,
) -> Float[Tensor, ""]:
    """Return the next baseline, from the one before and what was drawn.

    ``b_k = decay * b_{k-1} + (1 - decay) * mean log p(y|z)``

    Use b_{k-1} in the loss of step k and update afterwards: a baseline that
    knows the draw it is subtracted from makes the estimate biased. Nothing here
    carries a gradient.

    Args:
        previous: b_{k-1}.
        log_likelihood: log p(y|z) of the draws of step k, in nats.
        decay: in [0, 1).

    Source: Xu et al. (2015), section 4.1, with decay 0.9. Chapter 01b uses it.
    """
    check_number("decay", decay, at_least=0, below=1)
    _check_some(log_likelihood)
    mean = log_likelihood.detach().mean()
    return decay * _constant("previous", previous, ()) + (1 - decay) * mean


class MovingBaseline(nn.Module):
    """The baseline of `moving_baseline`, starting from 0.

    It is a buffer of the model that owns this module, so a checkpoint keeps it.

    Attributes:
        value: the baseline to use next, a scalar.

    Source: Xu et al. (2015), section 4.1, with decay 0.9. Chapter 01b uses it.
    """

    value: Tensor

    def __init__(self, *, decay: float = 0.9) -> None:
        super().__init__()
        check_number("decay", decay, at_least=0, below=1)
        self.decay = decay
        self.register_buffer("value", torch.zeros(()))

    def update(self, log_likelihood: Float[Tensor, "..."]) -> None:
        """Take in the log-likelihoods of a step whose loss is computed."""
        self.value.copy_(
            moving_baseline(self.value, log_likelihood, decay=self.decay)
        )


def _check_some(log_likelihood: Tensor) -> None:
    if log_likelihood.numel() == 0:
        raise ValueError("log_likelihood: expected at least one draw, got none")


def _constant(
    name: str, value: float | Tensor, shape: tuple[int, ...]
) -> float | Tensor:
    """Return a number or tensor that broadcasts to `shape`, as a constant."""
    if not isinstance(value, Tensor):
        largest = torch.finfo(torch.float32).max
        check_number(name, value, at_least=-largest, at_most=largest)
        return value
    check_tensor(name, value, floating=True)
    try:
        fits = torch.broadcast_shapes(value.shape, shape) == torch.Size(shape)
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            f"{name}: expected a shape that broadcasts to {tuple(shape)}, "
            f"got {tuple(value.shape)}"
        )
    return value.detach()
