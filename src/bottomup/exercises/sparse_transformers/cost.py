"""What the two exercises on computing only what is needed share: random cases, and the cost.

A sparse computation is told from a dense one under a mask by the numbers that it makes.
What each exercise keeps for itself are its cases: they look alike, but no name or answer is shared.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from bottomup.exercises.engine import Case, call_with_inputs, case, normal, tensor
from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.registry import find
from bottomup.i18n import _


def drawn(
    name: str,
    *,
    seed: int,
    heads: int,
    n: int,
    d: int,
    d_value: int,
    dtype: torch.dtype = torch.float32,
    **size: int,
) -> Case:
    """Random queries, keys and values; the size is that of a block, or the stride."""
    q, k, v = (normal(heads, n, width, dtype=dtype) for width in (d, d, d_value))
    return case(name, seed=seed, q=q, k=k, v=v, **size)


def with_gradients(**size: int) -> Case:
    """A small case that asks for gradients."""
    q, k, v = (normal(1, 6, 2, dtype=torch.float64).with_gradient() for _input in "qkv")
    return case(_("gradients"), seed=8, q=q, k=k, v=v, **size)


def low_beside_hidden(**size: int) -> Case:
    """Two positions of which the first may read itself alone, with the lowest score there is."""
    return case(
        _("a low score beside a hidden one"),
        q=tensor([[[1.0], [1.0]]]),
        k=tensor([[[torch.finfo(torch.float32).min], [0.0]]]),
        v=tensor([[[1.0], [5.0]]]),
        **size,
        gives=tensor([[[1.0], [5.0]]]),
    )


class _MadeNumbers(TorchFunctionMode):
    """Counts the elements of every new tensor that a call of torch returns.

    A view of what the call was given is not new; one of what it made itself, as einsum returns, is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        given = set(map(_memory, _tensors((args, kwargs))))
        for each in _tensors(result):
            if each._base is None or _memory(each) not in given:
                self.count += each.numel()
        return result


def _tensors(result: Any) -> Iterator[Tensor]:
    if isinstance(result, Tensor):
        yield result
    elif isinstance(result, tuple | list | dict):
        for part in result.values() if isinstance(result, dict) else result:
            yield from _tensors(part)


def _memory(tensor: Tensor) -> int:
    """Return where a tensor's numbers lie; 0 where it has none of its own, as inside vmap."""
    try:
        return tensor.untyped_storage().data_ptr()
    except (NotImplementedError, RuntimeError):
        return 0


def counting_on(name: str, slug: str) -> Callable[[Callable[..., Any], Case], Any]:
    """Return a way to run answers which also counts what they compute, on the case of that name.

    A right output that took n^2 numbers or more was read off a table of every pair. A wrong output
    is not judged by its cost: its mistake is another one.
    """

    def run(answer: Callable[..., Any], case: Case) -> Any:
        if case.name != name:
            return call_with_inputs(answer, case)
        inputs = list(case.inputs.values())
        expected = find(slug).solution(*case.fresh().inputs.values())
        n = inputs[0].shape[1]
        with _MadeNumbers() as made:
            output = answer(*inputs)
        every_pair = made.count >= n * n and difference(output, expected) is None
        return {"output": output, "numbers computed": made.count, "every pair": every_pair}

    return run


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare the outputs, and where they agree, whether both scored every pair or neither did."""
    if not isinstance(expected, dict) or not isinstance(got, dict):
        return difference(got, expected)
    sentence = difference(got["output"], expected["output"])
    if sentence is not None or got["every pair"] == expected["every pair"]:
        return sentence
    sentence = _(
        "The output is right, but {ours} numbers were computed, where {theirs} are enough (all "
        "results on the way count: scores, weights, outputs)."
    )
    numbers = "numbers computed"
    return sentence.format(ours=f"{got[numbers]:,}", theirs=f"{expected[numbers]:,}")
