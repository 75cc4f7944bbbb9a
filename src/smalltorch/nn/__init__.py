"""Modules: layers, and what holds them together."""

from smalltorch.names import known_names, lacking
from smalltorch.nn import functional, parameter, utils
from smalltorch.nn.containers import ModuleList, Sequential
from smalltorch.nn.layers import (
    GELU,
    CrossEntropyLoss,
    Dropout,
    Embedding,
    Identity,
    KLDivLoss,
    LayerNorm,
    LeakyReLU,
    Linear,
    LogSigmoid,
    LogSoftmax,
    MSELoss,
    NLLLoss,
    ReLU,
    RMSNorm,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
    Transformer,
)
from smalltorch.nn.module import Module
from smalltorch.nn.parameter import Parameter
from smalltorch.refusal import not_here

__all__ = [
    "GELU", "CrossEntropyLoss",
    "Dropout", "Embedding", "Identity", "KLDivLoss", "LayerNorm", "LeakyReLU", "Linear",
    "LogSigmoid", "LogSoftmax", "MSELoss", "Module", "ModuleList", "NLLLoss",
    "Parameter", "RMSNorm", "ReLU", "Sequential", "SiLU", "Sigmoid", "Softmax",
    "Softplus", "Tanh", "Transformer", "functional", "parameter", "utils",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Return a class for a module that is not here: it may be named, as in an annotation."""
    if name[0].isupper() and name in known_names()["torch.nn"]:
        return globals().setdefault(name, type(name, (Module,), {"__init__": _refuse}))
    raise lacking(name, "torch.nn")


def _refuse(module: object, *_args: object, **_kwargs: object) -> None:
    raise not_here(f"nn.{type(module).__name__}")
