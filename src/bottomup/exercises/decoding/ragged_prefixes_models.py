"""Models of a line, which a case names by a text so that a report can show them."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.i18n import _

# a token of each row and the state -> the token that the model would write next, the state
Step = Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor | None]]

MODULUS, WORDS = 97, 11


def _one_more(token: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor | None]:
    return token + 1, state


def _counted(token: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
    state = torch.zeros_like(token) if state is None else state
    state = state + 1
    return token + state, state


def _mixed(token: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
    """What comes next depends on every token read, and on their order."""
    state = torch.zeros_like(token) if state is None else state
    state = (5 * state + token + 1) % MODULUS
    return 2 + state % WORDS, state


ONE_MORE = _("next = token + 1")
COUNTED = _("next = token + number of tokens read")
MIXED = _("state = (5 state + token + 1) mod 97, next = 2 + state mod 11")

MODELS: dict[str, Step] = {ONE_MORE: _one_more, COUNTED: _counted, MIXED: _mixed}
