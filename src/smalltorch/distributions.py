"""Random variables: the one that answers use."""

from typing import Any

from smalltorch.dtypes import finfo
from smalltorch.geometry import Size
from smalltorch.names import lacking
from smalltorch.random import multinomial
from smalltorch.tensor import Tensor


class Categorical:
    """One of several values, numbered from 0, by their probabilities or by their logits."""

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None) -> None:
        given = probs if probs is not None else logits
        if given is None or (probs is not None and logits is not None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if given.dim() < 1:
            name = "logits" if probs is None else "probs"
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = given - given.logsumexp(dim=-1, keepdim=True)
            self.probs = self.logits.softmax(dim=-1)
        else:
            self.probs = given / given.sum(-1, keepdim=True)
            if not bool((self.probs >= 0).all()):
                raise ValueError(
                    "Expected parameter probs to satisfy the constraint Simplex(), but found "
                    f"invalid values:\n{given}"
                )
            eps = finfo(given.dtype).eps
            self.logits = self.probs.clamp(eps, 1 - eps).log()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Return values, as many as there are rows of probabilities, for each of a shape."""
        shape = Size(sample_shape)
        rows = self.probs.detach().reshape(-1, self.probs.shape[-1])
        drawn = multinomial(rows, shape.numel(), True).T
        return drawn.reshape((*shape, *self.probs.shape[:-1]))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of each value."""
        index = value.long().unsqueeze(-1)
        logits = self.logits.expand((*value.shape, self.logits.shape[-1]))
        return logits.gather(-1, index).squeeze(-1)

    def entropy(self) -> Tensor:
        """Return the entropy of each row of probabilities, in nats."""
        lowest = finfo(self.logits.dtype).min
        return -(self.logits.clamp(min=lowest) * self.probs).sum(-1)


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.distributions")
