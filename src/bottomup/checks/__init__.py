"""Argument checking: one sentence that names argument, value and expectation.

A wrong kind or dtype raises `TypeError`, a wrong size, range or device
`ValueError`. This holds for the whole package; a docstring's "Raises" names
only what is special. Tensors are checked from their annotations, by `checked`;
what no annotation can say, such as a range, is one line in the function.
"""

from bottomup.checks.annotations import checked
from bottomup.checks.as_in_torch import point_to_from_torch, without_torch_names
from bottomup.checks.masks import (
    ask_which_axes,
    check_causal,
    check_mask,
)
from bottomup.checks.tracing import (
    is_autocast_on,
    is_traced,
    is_transformed,
    may_meet,
)
from bottomup.checks.values import (
    check_choice,
    check_config,
    check_device,
    check_divisor,
    check_function,
    check_generator,
    check_integer,
    check_number,
    check_scale,
    check_switch,
    check_tensor,
    check_text,
    check_token_ids,
    check_weights,
    shown,
)

__all__ = [
    "ask_which_axes",
    "check_causal",
    "check_choice",
    "check_config",
    "check_device",
    "check_divisor",
    "check_function",
    "check_generator",
    "check_integer",
    "check_mask",
    "check_number",
    "check_scale",
    "check_switch",
    "check_tensor",
    "check_text",
    "check_token_ids",
    "check_weights",
    "checked",
    "is_autocast_on",
    "is_traced",
    "is_transformed",
    "may_meet",
    "point_to_from_torch",
    "shown",
    "without_torch_names",
]


def __dir__() -> list[str]:
    return __all__
