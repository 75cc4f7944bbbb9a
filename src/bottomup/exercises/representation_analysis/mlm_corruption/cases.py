"""Cases of corrupting a sentence for a masked language model."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Drawn, call_with_inputs, case, tensor, uniform
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.exercises.engine.registry import find
from bottomup.i18n import _

# ---- How an answer is run and compared: originals that are gone are shown behind a right pair

compare_pairs = compare_named("corrupted", "chosen")


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call an answer; put `tokens` behind a right pair where the corrupted ones stand there now."""
    returned = call_with_inputs(answer, case)
    original = case.fresh().inputs
    right = find("mlm-corruption").solution(*original.values())
    if compare_pairs(returned, right, case) is not None:
        return returned
    left = case.inputs["tokens"]
    lost = not left.equal(original["tokens"]) and left.equal(right[0])
    return (*returned, left) if lost else returned


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Say which of the two tensors differs; if none does, whether the originals were lost."""
    sentence = compare_pairs(first_two(got), first_two(expected), case)
    if sentence is None and len(got) != len(expected):
        return _("Both tensors are right, but tokens has become the corrupted sentence.")
    return sentence


def first_two(value: Any) -> Any:
    triple = isinstance(value, tuple) and len(value) == 3 and isinstance(value[2], Tensor)
    return value[:2] if triple else value


# ---- Cases

given = partial(tensor, dtype=torch.float64)  # a border such as 0.9 is the same in every writing


def drawn(
    name: str, *shape: int, seed: int, first: int = 4, vocabulary: int = 29,
    mask_id: int | None = None, special: float = 0.2, chosen: float = 1.0,
    dtype: torch.dtype = torch.float32,
) -> Case:  # fmt: skip
    """A share of special tokens, and `choose` below `chosen`.

    Without `mask_id` the mask is the number behind the vocabulary.
    """

    def tokens(generator: torch.Generator) -> Tensor:
        ordinary = torch.randint(first, vocabulary, shape, generator=generator)
        others = torch.randint(max(first, 1), shape, generator=generator)
        is_special = torch.rand(shape, generator=generator, dtype=dtype) < special
        return torch.where(is_special, others, ordinary)

    return case(
        name,
        seed=seed,
        tokens=Drawn(tokens),
        choose=uniform(*shape, high=chosen, dtype=dtype),
        kind=uniform(*shape, dtype=dtype),
        draw=uniform(*shape, dtype=dtype),
        mask_id=vocabulary if mask_id is None else mask_id,
        first=first,
        vocabulary=vocabulary,
    )


CASES = (
    case(
        _("five words between two special tokens"),
        tokens=tensor([[1, 7, 9, 5, 8, 6, 2]]),
        choose=given([[0.05, 0.1, 0.6, 0.02, 0.14, 0.9, 0.3]]),
        kind=given([[0.1, 0.3, 0.4, 0.85, 0.95, 0.86, 0.2]]),
        draw=given([[0.7, 0.2, 0.9, 0.6, 0.3, 0.1, 0.8]]),
        mask_id=10,
        first=4,
        vocabulary=10,
        gives=(
            tensor([[1, 10, 9, 7, 8, 6, 2]]),  # masked, and 4 + floor(0.6 * 6) = 7
            tensor([[False, True, False, True, True, False, False]]),
        ),
    ),
    case(
        _("numbers that lie on a border"),
        tokens=tensor([[5, 6, 4, 7, 5, 4]]),
        choose=given([[0.15, 0.0, 0.0625, 0.125, 0.03125, 0.0]]),
        kind=given([[0.0, 0.8, 0.9, 0.0, 0.85, 0.8]]),
        draw=given([[0.5, 0.75, 0.5, 0.25, 0.0, 0.9375]]),
        mask_id=8,
        first=4,
        vocabulary=8,
        gives=(
            tensor([[5, 7, 4, 8, 4, 7]]),  # 4 + floor(0.75 * 4), kept, masked, 4 + 0, 4 + 3
            tensor([[False, True, True, True, True, True]]),
        ),
    ),
    drawn(
        _("every choose below 0.15, and special tokens among them"),
        2,
        3,
        seed=1,
        special=0.6,
        chosen=0.15,
    ),
    drawn(_("seven sentences"), 7, 23, seed=2),
    drawn(_("everything is chosen"), 3, 11, seed=3, special=0.0, chosen=0.15),
    drawn(_("the mask token lies among the special ones"), 5, 13, seed=4, mask_id=3),
    drawn(_("as many sentences as positions"), 5, 5, seed=5, chosen=0.3),
    drawn(_("many special tokens"), 3, 17, seed=6, first=101, vocabulary=997, chosen=0.2),
    drawn(_("no token is special"), 5, 7, seed=7, first=0, vocabulary=11, special=0.0, chosen=0.3),
    drawn(_("special tokens alone"), 2, 5, seed=8, special=1.0),
    drawn(_("a single ordinary token"), 3, 7, seed=9, vocabulary=5, chosen=0.3),
    drawn(_("many sentences"), 31, 37, seed=10),
    drawn(_("float64"), 11, 13, seed=11, chosen=0.5, dtype=torch.float64),
    case(
        _("int32, and a large vocabulary"),
        tokens=tensor([[101, 70000, 249999, 2000, 1000]], dtype=torch.int32),
        choose=given([[0.1, 0.1, 0.1, 0.1, 0.1]]),
        kind=given([[0.5, 0.5, 0.85, 0.95, 0.85]]),
        draw=given([[0.5001, 0.5001, 0.3333, 0.5001, 0.7777]]),
        mask_id=103,
        first=1000,
        vocabulary=250000,
        gives=(
            # masked, 1000 + floor(0.3333 * 249000), kept, 1000 + floor(0.7777 * 249000)
            tensor([[101, 103, 83991, 2000, 194647]], dtype=torch.int32),
            tensor([[False, True, True, True, True]]),
        ),
    ),
)
