"""Parameters as one vector, and gradients that are not too long."""

from collections.abc import Iterable

from smalltorch.grad_mode import no_grad
from smalltorch.joining import cat, stack
from smalltorch.names import lacking
from smalltorch.nn.utils import rnn
from smalltorch.tensor import Tensor

__all__ = ["clip_grad_norm_", "parameters_to_vector", "rnn", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all numbers of all parameters, one behind the other."""
    return cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Put the numbers of a vector into the parameters."""
    start = 0
    for parameter in parameters:
        part = vec[start : start + parameter.numel()]
        parameter.data = part.view_as(parameter).data
        start += parameter.numel()


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0
) -> Tensor:
    """Shorten all gradients by one factor, so that together they are no longer than `max_norm`.

    Returns:
        How long they were.
    """
    owners = [parameters] if isinstance(parameters, Tensor) else parameters
    gradients = [owner.grad for owner in owners if owner.grad is not None]
    with no_grad():
        norms = [gradient.norm(norm_type) for gradient in gradients]
        total: Tensor = stack(norms).norm(norm_type)
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(factor)
    return total


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.nn.utils")
