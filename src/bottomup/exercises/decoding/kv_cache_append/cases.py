"""Cases of one more token with a cache of keys and values (Shazeer, 2019, section 2.4)."""

from collections.abc import Callable
from math import exp
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Drawn, case, normal, tensor
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _

TOKENS = _("x (token after token)")


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Let the answer read the case's tokens one after the other, with one cache.

    What is no pair of a tensor and a whole number is returned as it came.
    """
    tokens, *maps, keys, values, length = case.inputs.values()
    keys, values = keys.clone(), values.clone()  # the answer is to write into them
    outputs = []
    for i in range(tokens.shape[1]):
        returned = answer(tokens[:, i], *maps, keys, values, length)
        if not is_pair(returned):
            return returned
        output, length = returned
        length = length.item() if isinstance(length, Tensor) else length
        outputs.append(output)
    return {"output": outputs, "length": length, "keys": keys, "values": values}


def is_pair(returned: Any) -> bool:
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        return False
    output, length = returned
    is_number = isinstance(length, int) or (isinstance(length, Tensor) and length.numel() == 1)
    return isinstance(output, Tensor) and is_number


def compare(got: Any, expected: dict[str, Any], case: Case) -> str | None:
    """Name the first output that differs, else the length or the cache."""
    if got is None:
        return difference(got, expected)
    if not isinstance(got, dict):
        several = isinstance(got, tuple | list) and 2 <= len(got) <= 4
        kinds = ", ".join(map(name_of_kind, got)) if several else name_of_kind(got)
        sentence = _("It returned {got}, expected a tensor and a number: output, length.")
        return sentence.format(got=kinds)
    for number, pair in enumerate(zip(got["output"], expected["output"], strict=True), start=1):
        differs = difference(*pair)
        if differs is not None:
            where = _("In the output of token {number}: {sentence}")
            return where.format(number=number, sentence=differs)
    for name in ("length", "keys", "values"):
        differs = difference(got[name], expected[name])
        if differs is not None:
            return _("In {name}: {sentence}").format(name=name, sentence=differs)
    return None


def by_hand(words: list[float], query: float, d_head: int) -> dict[str, Any]:
    """Words and values of one number; the rows that are not filled hold 100."""
    return {
        TOKENS: tensor([[[word] for word in words]]),
        "positions": tensor([[1.0], [2.0], [3.0], [4.0], [5.0]]),
        "W_Q": tensor([[query]] * d_head),
        "W_K": tensor([[0.25]] * d_head),
        "W_V": tensor([[1.0]]),
        "keys": tensor([[[100.0] * d_head] * 4]),
        "values": tensor([[[100.0]] * 4]),
        "length": 0,
    }


def drawn(
    batch: int,
    tokens: int,
    rows: int,
    length: int = 0,
    sizes: tuple[int, int, int] = (7, 2, 3),
    dtype: torch.dtype = torch.float32,
) -> dict[str, Any]:
    """Sizes are d_model, d_head and d_value."""
    d_model, d_head, d_value = sizes

    def weights(size: int) -> Drawn:
        return normal(size, d_model, scale=d_model**-0.5, dtype=dtype)

    return {
        TOKENS: normal(batch, tokens, d_model, dtype=dtype),
        "positions": normal(rows + 2, d_model, dtype=dtype),
        "W_Q": weights(d_head),
        "W_K": weights(d_head),
        "W_V": weights(d_value),
        "keys": normal(batch, rows, d_head, dtype=dtype),
        "values": normal(batch, rows, d_value, dtype=dtype),
        "length": length,
    }


LOWEST = torch.finfo(torch.float32).min
FAR: dict[str, Any] = {
    TOKENS: tensor([[[1.0]], [[0.5]]]),
    "positions": tensor([[0.0], [0.0], [0.0]]),
    "W_Q": tensor([[1.0]]),
    "W_K": tensor([[LOWEST]]),
    "W_V": tensor([[1.0]]),
    "keys": tensor([[[LOWEST], [0.0], [0.0]], [[65536.0], [0.0], [0.0]]]),
    "values": tensor([[[2.0], [100.0], [100.0]], [[3.0], [100.0], [100.0]]]),
    "length": 1,
}
SHARE = 1 / (1 + exp(2 - 4))  # of the second value, where the scores are 2 and 4

CASES = (
    case(
        _("three tokens, queries zero: the mean of the values so far"),
        **by_hand([10.0, 20.0, 30.0], query=0.0, d_head=1),
        gives={
            "output": [tensor([[11.0]]), tensor([[16.5]]), tensor([[22.0]])],
            "length": 3,
            "keys": tensor([[[2.75], [5.5], [8.25], [100.0]]]),
            "values": tensor([[[11.0], [22.0], [33.0], [100.0]]]),
        },
    ),
    case(
        _("two tokens, a query that prefers the second"),
        **by_hand([1.0, 2.0], query=0.5, d_head=4),
        # words with positions 2 and 4; keys 1/2 and 1, query 2, each four times:
        # the second query scores 4 · 2 · 1/2 / 2 = 2 and 4 · 2 · 1 / 2 = 4
        gives={
            "output": [tensor([[2.0]]), tensor([[2 * (1 - SHARE) + 4 * SHARE]])],
            "length": 2,
            "keys": tensor([[[0.5] * 4, [1.0] * 4, [100.0] * 4, [100.0] * 4]]),
            "values": tensor([[[2.0], [4.0], [100.0], [100.0]]]),
        },
    ),
    case(
        _("scores far below zero and far above"),
        **FAR,
        # one sentence scores LOWEST twice: the mean of 2 and 1; the other 2^15 and LOWEST / 4
        gives={
            "output": [tensor([[1.5], [3.0]])],
            "length": 2,
            "keys": tensor([[[LOWEST], [LOWEST], [0.0]], [[65536.0], [LOWEST / 2], [0.0]]]),
            "values": tensor([[[2.0], [1.0], [100.0]], [[3.0], [0.5], [100.0]]]),
        },
    ),
    case(_("five tokens, an empty cache"), seed=1, **drawn(2, 5, 11)),
    case(_("three tokens were read before"), seed=2, **drawn(2, 5, 11, 3)),
    case(_("the cache becomes full"), seed=3, **drawn(3, 5, 7, 2)),
    case(_("all sizes are equal"), seed=4, **drawn(3, 3, 5, 1, sizes=(3, 3, 3))),
    case(_("one token more"), seed=5, **drawn(5, 1, 13, 7, sizes=(2, 5, 3))),
    case(_("float64"), seed=6, **drawn(2, 3, 5, sizes=(3, 2, 5), dtype=torch.float64)),
)
