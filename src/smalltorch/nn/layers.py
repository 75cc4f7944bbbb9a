"""The layers: parameters with their first values, and a function of `nn.functional`."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from smalltorch.binding import refuse_known
from smalltorch.creation import empty, full, ones, zeros
from smalltorch.grad_mode import no_grad
from smalltorch.nn import functional as F
from smalltorch.nn.module import Module
from smalltorch.nn.parameter import Parameter
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor


class Linear(Module):
    """input weight^T + bias."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        own = Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", own)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw first values, evenly between -1 and 1 over the root of `in_features`."""
        bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        with no_grad():
            for each in self.parameters():
                each.uniform_(-bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return input weight^T + bias."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        has_bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={has_bias}"


class Embedding(Module):
    """A table of vectors."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        device: Any = None,
        dtype: Any = None,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        **others: Any,
    ) -> None:
        super().__init__()
        _refuse_others("Embedding", others)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        if _weight is not None:
            self.weight = Parameter(_weight, requires_grad=not _freeze)
            return
        self.weight = Parameter(empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
        with no_grad():
            self.weight.normal_()
            if self.padding_idx is not None:
                self.weight[self.padding_idx] = 0

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> "Embedding":
        """Return a layer with this table."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze)

    def forward(self, input: Tensor) -> Tensor:
        """Return the rows that the input names."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Return the sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


def _sizes(normalized_shape: Any) -> tuple[int, ...]:
    single = isinstance(normalized_shape, int)
    return (normalized_shape,) if single else tuple(normalized_shape)


class LayerNorm(Module):
    """(x - mean) / sqrt(variance + eps) weight + bias, over the last axes."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = shape = _sizes(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        options = {"device": device, "dtype": dtype}
        weight = Parameter(ones(shape, **options)) if elementwise_affine else None
        shift = Parameter(zeros(shape, **options)) if elementwise_affine and bias else None
        self.register_parameter("weight", weight)
        self.register_parameter("bias", shift)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with mean 0 and variance 1, times weight, plus bias."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the settings."""
        has_bias = self.bias is not None
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={has_bias}"
        )


class RMSNorm(Module):
    """x / sqrt(mean x^2 + eps) weight, over the last axes."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = shape = _sizes(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        weight = Parameter(ones(shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with a mean square of 1, times weight."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Return the settings."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class Dropout(Module):
    """Entries that are 0 with probability p, in training."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with some entries 0, and the others larger."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings."""
        return f"p={self.p}, inplace={self.inplace}"


class Identity(Module):
    """The input as it is."""

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


class Transformer(Module):
    """Here only its mask."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        raise not_here("nn.Transformer")

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return 0 where a position may read, -inf where it may not."""
        return full((sz, sz), -math.inf, device=device, dtype=dtype).triu(1)


def _refuse_others(name: str, others: Iterable[str]) -> None:
    for each in others:
        refuse_known(name, each)
        raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{each}'")


# ---- Layers that are a function, and its settings


class _Function(Module):
    _function: Callable[..., Tensor]
    _inputs: int  # arguments of `forward`
    _settings: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        name, settings = type(self).__name__, self._settings
        _refuse_others(name, kwargs.keys() - settings.keys())
        if len(args) > len(settings):
            raise TypeError(f"{name}.__init__() got an unexpected argument")
        given = dict(zip(settings, args, strict=False))
        for setting, value in {**settings, **given, **kwargs}.items():
            setattr(self, setting, value)

    def forward(self, *args: Any) -> Tensor:
        if len(args) != self._inputs:
            raise TypeError(
                f"{type(self).__name__}.forward() takes {self._inputs + 1} positional arguments "
                f"but {len(args) + 1} were given"
            )
        return self._function(*args, **{each: getattr(self, each) for each in self._settings})

    def extra_repr(self) -> str:
        shown = (each for each in self._settings if each in _SHOWN)
        return ", ".join(f"{each}={getattr(self, each)!r}" for each in shown)


def _layer(name: str, function: Callable[..., Tensor], inputs: int = 1, **settings: Any) -> Any:
    """Return a class of modules that call a function of `nn.functional`."""
    members = {"_function": staticmethod(function), "_inputs": inputs, "_settings": settings}
    members |= {"__module__": __name__, "__doc__": function.__doc__}
    return type(name, (_Function,), members)


_SHOWN = ("dim", "approximate", "negative_slope", "alpha", "beta", "threshold")

Sigmoid = _layer("Sigmoid", F.sigmoid)
Tanh = _layer("Tanh", F.tanh)
LogSigmoid = _layer("LogSigmoid", F.logsigmoid)
ReLU = _layer("ReLU", F.relu, inplace=False)
SiLU = _layer("SiLU", F.silu, inplace=False)
GELU = _layer("GELU", F.gelu, approximate="none")
LeakyReLU = _layer("LeakyReLU", F.leaky_relu, negative_slope=0.01, inplace=False)
Softplus = _layer("Softplus", F.softplus, beta=1.0, threshold=20.0)
Softmax = _layer("Softmax", F.softmax, dim=None)
LogSoftmax = _layer("LogSoftmax", F.log_softmax, dim=None)
MSELoss = _layer("MSELoss", F.mse_loss, 2, reduction="mean")
KLDivLoss = _layer("KLDivLoss", F.kl_div, 2, reduction="mean", log_target=False)
NLLLoss = _layer("NLLLoss", F.nll_loss, 2, weight=None, ignore_index=-100, reduction="mean")
CrossEntropyLoss = _layer(
    "CrossEntropyLoss",
    F.cross_entropy,
    2,
    weight=None,
    ignore_index=-100,
    reduction="mean",
    label_smoothing=0.0,
)
