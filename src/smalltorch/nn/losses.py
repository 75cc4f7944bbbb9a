"""How far a prediction is off: one number, or one for each entry (`reduction="none"`)."""

from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import tensor_argument
from smalltorch.dtypes import class_name, uint8
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor

IGNORED = -100  # the class that stands for: no answer is expected here


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return losses
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return getattr(losses, reduction)()


# ---- Of numbers


@operation
def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """Return the squares of the errors."""
    _refuse_integers("mse_cpu", input, target)
    return _reduced((input - target).square(), reduction)


def _weighted(losses: Any, weight: Tensor | None) -> Any:
    return losses if weight is None else losses * weight


def _refuse_integers(kernel: str, *tensors: Tensor) -> None:
    if all(each.dtype.kind < dtypes.FLOAT for each in tensors):
        kind = class_name(tensors[0].dtype)
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{kind}'")


# ---- Of probabilities


@operation
def kl_div(
    input: Tensor, target: Tensor, *, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """Return target (log target - input), where the input is a logarithm."""
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = target.xlogy(target) - target * input
    if reduction == "batchmean":
        return losses.sum() / input.shape[0]
    return _reduced(losses, reduction)


# ---- Of classes


@operation
def cross_entropy(
    input: Any,
    target: Any,
    weight: Tensor | None = None,
    *,
    ignore_index: int = IGNORED,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return -log of the probability of the right class, or -sum p log q of given p.

    Args:
        input: logits, the classes along axis 1, or along the only one.
        target: the right classes; or probabilities, of the shape of the logits.
        weight: of each class.
        ignore_index: the class that stands for none.
        reduction: "none", "sum" or "mean".
        label_smoothing: the share of the target that is spread over all classes.
    """
    tensor_argument("cross_entropy_loss", input)
    tensor_argument("cross_entropy_loss", target, "target", 2)
    given = target.shape == input.shape
    if given and not target.is_floating_point():
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got "
            f"{class_name(target.dtype)}"
        )
    if given and ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    log_p = input.log_softmax(_class_axis(input))
    if given:
        return _of_probabilities(log_p, target, weight, reduction, label_smoothing)
    target = _checked(log_p, target, weight)
    hit = _nll(log_p, target, weight, ignore_index, reduction)
    if not label_smoothing:
        return hit
    even = _of_all_classes(log_p, target, weight, ignore_index, reduction)
    share = label_smoothing / input.shape[_class_axis(input)]
    return hit * (1 - label_smoothing) + even * share


def _class_axis(input: Tensor) -> int:
    return 0 if input.ndim <= 1 else 1


def _of_probabilities(
    log_p: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float
) -> Tensor:
    axis = _class_axis(log_p)
    classes = log_p.shape[axis]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes
    losses = -_weighted(log_p * target, _along(weight, log_p)).sum(axis)
    if reduction == "mean":
        return losses.sum() / (log_p.numel() / classes)
    return _reduced(losses, reduction)


def _of_all_classes(
    log_p: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str
) -> Tensor:
    """Return the loss as if every class was right."""
    ignored = target.eq(ignore_index)
    losses = -_weighted(log_p, _along(weight, log_p)).sum(_class_axis(log_p))
    losses = losses.masked_fill(ignored, 0.0)
    if reduction != "mean":
        return _reduced(losses, reduction)
    return losses.sum() / _counted(target, ignored, weight)


@operation
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = IGNORED,
    reduction: str = "mean",
) -> Tensor:
    """Return -input at the right class: `cross_entropy` of logarithms of probabilities."""
    return _nll(input, _checked(input, target, weight), weight, ignore_index, reduction)


def _nll(
    log_p: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str
) -> Tensor:
    axis = _class_axis(log_p)
    ignored = target.eq(ignore_index)
    classes = target.masked_fill(ignored, 0).long()
    for number in classes.flatten().tolist():
        if not 0 <= number < log_p.shape[axis]:
            raise IndexError(f"Target {number} is out of bounds.")
    picked = log_p.gather(axis, classes.unsqueeze(axis)).squeeze(axis)
    losses = -_weighted(picked, None if weight is None else weight[classes])
    losses = losses.masked_fill(ignored, 0.0)
    if reduction != "mean":
        return _reduced(losses, reduction)
    return losses.sum() / _counted(target, ignored, weight)


def _counted(target: Tensor, ignored: Tensor, weight: Tensor | None) -> Any:
    """Return how many targets count, or the sum of the weights of their classes."""
    if weight is None:
        return (~ignored).sum()
    return weight[target.masked_fill(ignored, 0).long()].masked_fill(ignored, 0.0).sum()


def _along(weight: Tensor | None, log_p: Tensor) -> Tensor | None:
    if weight is None or log_p.ndim <= 2:
        return weight
    return weight.reshape(-1, *(1 for _axis in log_p.shape[2:]))


def _checked(log_p: Tensor, target: Tensor, weight: Tensor | None) -> Tensor:
    """Return the classes: of a single row of logits, the one class without an axis."""
    if log_p.ndim == 1 and target.ndim == 1 and target.shape[0] != 1:
        raise ValueError(
            f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}"
        )
    count = target.shape[0] if target.ndim else 0
    if log_p.ndim > 1 and log_p.shape[0] != count:
        raise ValueError(
            f"Expected input batch_size ({log_p.shape[0]}) to match target batch_size ({count})."
        )
    if log_p.ndim <= 2 and target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if log_p.ndim > 2 and target.shape != (expected := (log_p.shape[0], *log_p.shape[2:])):
        raise RuntimeError(f"Expected target size {list(expected)}, got {list(target.shape)}")
    if target.dtype is not dtypes.int64 and target.dtype is not uint8:
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {class_name(target.dtype)}"
        )
    count = log_p.shape[_class_axis(log_p)]
    if weight is not None and weight.shape != (count,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {count} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )
    if weight is not None and weight.dtype is not log_p.dtype:
        raise RuntimeError(
            f"expected scalar type {class_name(log_p.dtype)} but found {class_name(weight.dtype)}"
        )
    return target.reshape(()) if log_p.ndim == 1 else target
