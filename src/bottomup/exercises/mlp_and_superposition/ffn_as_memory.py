"""Exercise: the feed-forward network as a memory of keys and values (Geva et al., 2021)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.mlp_and_superposition.ffn_as_memory_mistakes import (
    MISCONCEPTIONS,
    POSITIONS_AS_NEURONS,
    SILENT,
    VALUES_SQUARE,
)
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _

STUB = '''\
def read_memory(x, W_in, b_in, W_out, b_out):
    """What each neuron adds to the stream, and the stream afterwards.

    Neuron k has a key, row k of W_in, and a value, column k of W_out.
    At each position it adds a_k times its value to the stream, with
    a_k = relu(key_k . x + b_in[k]). The stream afterwards is x, plus
    what all neurons add, plus b_out.
    x [position, d_model], W_in [d_ff, d_model], b_in [d_ff],
    W_out [d_model, d_ff], b_out [d_model].
    Returns (added, stream): [position, d_ff, d_model] and
    [position, d_model].
    """
    ...
'''


def read_memory(
    x: torch.Tensor,
    W_in: torch.Tensor, b_in: torch.Tensor, W_out: torch.Tensor, b_out: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    activations = torch.relu(x @ W_in.T + b_in)  # [position, d_ff]
    added = activations[:, :, None] * W_out.T  # [position, d_ff, d_model]
    return added, x + added.sum(dim=1) + b_out


def with_einsum(
    x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor
) -> tuple[Tensor, Tensor]:
    activations = (torch.einsum("pd,kd->pk", x, W_in) + b_in).clamp(min=0)
    added = torch.einsum("pk,dk->pkd", activations, W_out)
    return added, x + torch.einsum("pk,dk->pd", activations, W_out) + b_out


def with_loops(
    x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor
) -> tuple[Tensor, Tensor]:
    added = torch.zeros(len(x), len(W_in), x.shape[1], dtype=x.dtype)
    for position, vector in enumerate(x):
        for k, key in enumerate(W_in):
            score = key @ vector + b_in[k]
            if score > 0:
                added[position, k] = score * W_out[:, k]
    stream = torch.stack([vector + b_out for vector in x])
    for k in range(len(W_in)):
        stream = stream + added[:, k]
    return added, stream


def with_torch(
    x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor
) -> tuple[Tensor, Tensor]:
    linear = torch.nn.functional.linear
    activations = linear(x, W_in, b_in).relu()
    neurons = zip(activations.T, W_out.T, strict=True)
    added = torch.stack([torch.outer(strengths, value) for strengths, value in neurons], dim=1)
    return added, x + linear(activations, W_out, b_out)


Make = Callable[[torch.Generator], Inputs]


def _given(
    x: list[list[float]], W_in: list[list[float]], b_in: list[float],
    W_out: list[list[float]], b_out: list[float],
) -> Make:  # fmt: skip
    values = {"x": x, "W_in": W_in, "b_in": b_in, "W_out": W_out, "b_out": b_out}
    return lambda generator: {name: torch.tensor(value) for name, value in values.items()}


def _random(positions: int, d_ff: int, d_model: int, dtype: torch.dtype = torch.float32) -> Make:
    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        return {
            "x": draw(positions, d_model),
            "W_in": draw(d_ff, d_model),
            "b_in": draw(d_ff),
            "W_out": draw(d_model, d_ff),
            "b_out": draw(d_model),
        }

    return make


# position 1: 2 and -1 fire neurons 1 and 3; position 2: neuron 2 alone
_HAND = _given(
    [[2.0, -1.0], [0.0, 1.0]],
    [[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]],
    [1.0, 0.0, -1.0],
    [[1.0, 0.0, 3.0], [0.0, 2.0, 10.0]],
    [0.0, 100.0],
)
_NOTHING_FOUND = _given(
    [[1.0, 0.0], [0.0, 1.0]],
    [[1.0, 0.0], [0.0, 2.0], [-1.0, -1.0]],
    [-2.0, -3.0, 0.0],
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    [10.0, 20.0],
)

CASES = (
    Case(_("two positions, three neurons"), _HAND),
    Case(SILENT, _NOTHING_FOUND),
    Case(_("five positions, seven neurons"), _random(5, 7, 3), seed=1),
    Case(_("as many positions as components"), _random(3, 5, 3), seed=2),
    Case(VALUES_SQUARE, _random(2, 3, 3), seed=3),
    Case(POSITIONS_AS_NEURONS, _random(3, 3, 2), seed=4),
    Case(_("as many positions, neurons and components"), _random(3, 3, 3), seed=5),
    Case(_("one position"), _random(1, 7, 5), seed=6),
    Case(_("one neuron"), _random(5, 1, 3), seed=7),
    Case(_("float64"), _random(2, 11, 5, torch.float64), seed=8),
)

FFN_AS_MEMORY = Exercise(
    slug="ffn-as-memory",
    title=_("The feed-forward network as a memory"),
    chapter="04",
    difficulty=2,
    minutes=12,
    stub=STUB,
    hints=(
        _(
            "Take one position and one neuron first: one dot product, one bias, one ReLU give one "
            "number. Which vector does that number multiply, a row or a column, and how long is it?"
        ),
        _(
            "All activations at once are `torch.relu(x @ W_in.T + b_in)`, [position, d_ff]. The "
            "value vectors as rows are `W_out.T`, [d_ff, d_model]."
        ),
        _(
            "`activations[:, :, None]` has an axis of size 1 for the components; times `W_out.T` "
            "it gives [position, d_ff, d_model]."
        ),
        _(
            "The stream needs the sum over the neurons, axis 1 of `added`. x and b_out are added "
            "once for each position, not once for each neuron."
        ),
    ),
    solution=read_memory,
    alternatives=(with_einsum, with_loops, with_torch),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_named("added", "stream"),
)
