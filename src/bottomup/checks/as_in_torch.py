"""What torch calls otherwise: arguments, a function, weights."""

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, ParamSpec, TypeVar

from torch import Tensor, nn

from bottomup.checks.values import check_function
from bottomup.checks.warned import warn

P = ParamSpec("P")
R = TypeVar("R")

# What torch calls an argument, and what to write here.
AS_IN_TORCH = {
    "attn_mask": "mask, True = may attend, as for torch's function; a mask "
    "written for nn.MultiheadAttention must be inverted, mask=~attn_mask",
    "src_mask": "mask=~src_mask, True = may attend",
    "tgt_mask": "mask=~tgt_mask, True = may attend",
    "key_padding_mask": "mask=~key_padding_mask[:, None], True = may attend",
    "src_key_padding_mask": "mask=~src_key_padding_mask[:, None], True = may "
    "attend",
    "tgt_key_padding_mask": "mask=~tgt_key_padding_mask[:, None], True = may "
    "attend",
    "memory_key_padding_mask": "memory_mask=~memory_key_padding_mask[:, None], "
    "True = may attend",
    "is_causal": "causal=is_causal",
    "tgt_is_causal": "causal=tgt_is_causal",
    "dropout_p": "dropout=dropout_p",
    "need_weights": "attend=fused_attention for no weights; otherwise they are "
    "returned",
    "average_attn_weights": "no such argument: the weights are those of each "
    "head, and weights.mean(dim=1) is their mean",
    "embed_dim": "d_model=embed_dim",
    "nhead": "num_heads=nhead",
    "dim_feedforward": "d_ff=dim_feedforward",
    "norm_first": 'norm="pre" for True, norm="post" for False',
    "layer_norm_eps": "epsilon=layer_norm_eps",
    "batch_first": "no such argument: here the batch is always the first axis",
}


def without_torch_names(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse torch's names of arguments, in a module's ``__init__``.

    `checked` does so where there are tensors to check.
    """
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def at_the_door(*args: P.args, **kwargs: P.kwargs) -> R:
        translate_names(kwargs.keys() - parameters.keys())
        return function(*args, **kwargs)

    return at_the_door


def translate_names(unknown: Collection[str]) -> None:
    """Refuse torch's name of an argument; of others Python says enough."""
    for name in sorted(unknown):
        if name in AS_IN_TORCH:
            raise TypeError(f"{name}: expected {AS_IN_TORCH[name]}")


def check_attend(attend: Any) -> None:
    """Check what each head is to do, and refuse torch's own function."""
    hint = "; `bottomup.attention.fused_attention` is one"
    check_function("attend", attend, hint)
    if attend is nn.functional.scaled_dot_product_attention:
        wanted = "a function that returns (output, weights)"
        got = f"torch's own, which returns the output{hint} that calls it"
        raise TypeError(f"attend: expected {wanted}, got {got}")


def point_to_from_torch(
    part: str, weights: Mapping[str, Tensor], key: str
) -> None:
    """Warn where weights of torch's own module are loaded into ours.

    torch's error lists the names that do not agree, and with ``strict=False``
    it skips them without a word.

    Args:
        part: the part of the package with the function `from_torch`.
        weights: what is loaded, of any shape.
        key: the name of a weight that torch's own module has.
    """
    if key in weights:
        warn(
            f"{key} is a weight of torch's own module, which is not loaded: "
            f"`bottomup.{part}.from_torch(module)` makes ours with its weights"
        )
