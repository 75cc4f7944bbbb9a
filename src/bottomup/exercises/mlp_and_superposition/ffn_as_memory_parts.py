"""The memory with one step in another way: what the named mistakes are made of."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from torch import Tensor

Pair = tuple[Tensor, Tensor]
Answer = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Pair]


@dataclass(frozen=True)
class Steps:
    """The steps of the memory; a mistake replaces one of them.

    Args:
        keys: the keys as rows, from W_in and W_out.
        match: from x and the keys to scores [position, d_ff].
        activate: from scores and b_in to activations.
        values: the values as rows, from W_in and W_out.
        add: from activations and values to [position, d_ff, d_model].
        total: from what is added, x and b_out to the stream.
        returned: what is returned of what each neuron adds.
    """

    keys: Callable[[Tensor, Tensor], Tensor] = lambda W_in, W_out: W_in
    match: Callable[[Tensor, Tensor], Tensor] = lambda x, keys: x @ keys.T
    activate: Callable[[Tensor, Tensor], Tensor] = lambda scores, b_in: (scores + b_in).relu()
    values: Callable[[Tensor, Tensor], Tensor] = lambda W_in, W_out: W_out.T
    add: Callable[[Tensor, Tensor], Tensor] = lambda activations, values: (
        activations[..., None] * values
    )
    total: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda added, x, b_out: (
        x + added.sum(1) + b_out
    )
    returned: Callable[[Tensor], Tensor] = lambda added: added

    def __call__(self, x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor) -> Pair:
        """Return what each neuron adds, and the stream."""
        scores = self.match(x, self.keys(W_in, W_out))
        activations = self.activate(scores, b_in)
        added = self.add(activations, self.values(W_in, W_out))
        return self.returned(added), self.total(added, x, b_out)


RIGHT = Steps()


def with_step(**changed: Callable[..., Tensor]) -> Answer:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)
