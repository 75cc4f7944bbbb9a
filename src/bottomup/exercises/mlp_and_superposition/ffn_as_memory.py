"""Exercise: the feed-forward network as a memory of keys and values (Geva et al., 2021)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


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


# ---- One step in another way: what the mistakes are made of

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


# ---- Mistakes

SILENT = _("no neuron answers")
Bend = Callable[[Tensor], Tensor]


def _bent_by(function: Bend) -> Answer:
    """Right but for the function that stands for relu."""
    return with_step(activate=lambda scores, b_in: function(scores + b_in))


def _strongest(scores: Tensor) -> Tensor:
    best = F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)
    return best * scores.relu()


def _scaled(x: Tensor, keys: Tensor) -> Tensor:
    return x @ keys.T / x.shape[-1] ** 0.5


def _scaled_with_bias(
    x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor
) -> tuple[Tensor, Tensor]:
    root = x.shape[-1] ** 0.5
    return with_step(activate=lambda scores, b: ((scores + b) / root).relu())(
        x, W_in, b_in, W_out, b_out
    )


def _relu_last(added: Tensor, x: Tensor, b_out: Tensor) -> Tensor:
    return x + (added.sum(1) + b_out).relu()


ACTIVATIONS = (
    Mistake(
        "non-linearity-omitted",
        _bent_by(lambda scores: scores),
        (with_step(activate=lambda scores, b_in: scores),),
    ),
    Mistake(
        "non-linearity-after-the-values",
        with_step(
            activate=lambda scores, b_in: scores + b_in,
            returned=lambda added: added,
            total=_relu_last,
        ),
        (
            with_step(
                activate=lambda scores, b_in: scores + b_in,
                add=lambda activations, values: (activations[..., None] * values).relu(),
            ),
            with_step(
                activate=lambda scores, b_in: scores + b_in,
                total=lambda added, x, b_out: x + added.sum(1).relu() + b_out,
            ),
            with_step(
                activate=lambda scores, b_in: scores + b_in,
                total=lambda added, x, b_out: (x + added.sum(1) + b_out).relu(),
            ),
        ),
    ),
    Mistake(
        "second-non-linearity",
        with_step(total=_relu_last),
        (
            with_step(total=lambda added, x, b_out: (x + added.sum(1) + b_out).relu()),
            with_step(total=lambda added, x, b_out: x + added.sum(1).relu() + b_out),
            with_step(
                add=lambda activations, values: (activations[..., None] * values).relu(),
            ),
        ),
    ),
    Mistake(
        "non-linearity-before-the-keys",
        with_step(
            match=lambda x, keys: x.relu() @ keys.T, activate=lambda scores, b_in: scores + b_in
        ),
        (with_step(match=lambda x, keys: x.relu() @ keys.T),),
    ),
    Mistake(
        "softmax-over-the-neurons",
        _bent_by(lambda scores: scores.softmax(-1)),
        (
            _bent_by(lambda scores: scores.relu().softmax(-1)),
            with_step(activate=lambda scores, b_in: scores.softmax(-1)),
            with_step(match=_scaled, activate=lambda scores, b_in: (scores + b_in).softmax(-1)),
            with_step(match=_scaled, activate=lambda scores, b_in: scores.softmax(-1)),
        ),
        case=SILENT,
    ),
    Mistake(
        "another-non-linearity",
        _bent_by(F.gelu),
        tuple(
            _bent_by(function)
            for function in (
                lambda scores: F.gelu(scores, approximate="tanh"),
                F.silu,
                torch.sigmoid,
                torch.tanh,
                F.leaky_relu,
                F.elu,
                torch.abs,
                F.softplus,
            )
        ),
    ),
    Mistake(
        "strongest-neuron-only",
        _bent_by(_strongest),
        (
            _bent_by(lambda scores: F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)),
            _bent_by(
                lambda scores: F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores) * scores
            ),
        ),
    ),
    Mistake("open-or-shut", _bent_by(lambda scores: (scores > 0).to(scores))),
    Mistake("scaled-like-attention", with_step(match=_scaled), (_scaled_with_bias,)),
    Mistake("first-bias-missing", with_step(activate=lambda scores, b_in: scores.relu())),
    Mistake(
        "both-biases-missing",
        with_step(
            activate=lambda scores, b_in: scores.relu(),
            total=lambda added, x, b_out: x + added.sum(1),
        ),
    ),
    Mistake(
        "first-bias-after-the-relu", with_step(activate=lambda scores, b_in: scores.relu() + b_in)
    ),
)


# ---- Mistakes: keys, values, and what is summed

VALUES_SQUARE = _("as many neurons as components")
POSITIONS_AS_NEURONS = _("as many positions as neurons")


def _running_mean(x: Tensor, keys: Tensor) -> Tensor:
    counts = x.new_ones(len(x)).cumsum(0)[:, None]
    return x.cumsum(0) / counts @ keys.T


def _in_another_shape(W: Tensor) -> Tensor:
    return W.reshape(W.shape[1], W.shape[0])


def _skip_among_the_added(
    x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor
) -> Pair:
    added = RIGHT(x, W_in, b_in, W_out, b_out)[0] + x[:, None]
    return added, added.sum(1) + b_out


def _bias_among_the_added(share: Callable[[int], float], *, once_more: bool = False) -> Answer:
    def wrong(x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor) -> Pair:
        added = RIGHT(x, W_in, b_in, W_out, b_out)[0] + share(len(W_in)) * b_out
        stream = x + added.sum(1)
        return added, stream + b_out if once_more else stream

    return wrong


def _activations_alone(x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor) -> Pair:
    stream = RIGHT(x, W_in, b_in, W_out, b_out)[1]
    return (x @ W_in.T + b_in).relu(), stream


def _exchanged(x: Tensor, W_in: Tensor, b_in: Tensor, W_out: Tensor, b_out: Tensor) -> Pair:
    added, stream = RIGHT(x, W_in, b_in, W_out, b_out)
    return stream, added


POSITIONS = (
    Mistake(
        "keys-matched-over-the-sequence",
        with_step(match=lambda x, keys: x.T @ keys.T),
        (
            with_step(match=lambda x, keys: (x.mean(0) @ keys.T).expand(len(x), -1)),
            with_step(match=lambda x, keys: (x.sum(0) @ keys.T).expand(len(x), -1)),
            with_step(match=_running_mean),
            with_step(match=lambda x, keys: x.cumsum(0) @ keys.T),
        ),
    ),
    Mistake(
        "summed-over-the-positions",
        with_step(total=lambda added, x, b_out: x + added.sum(0) + b_out),
        (with_step(total=lambda added, x, b_out: x + added.sum((0, 1)) + b_out),),
        case=POSITIONS_AS_NEURONS,
    ),
)

MAPS = (
    Mistake(
        "rows-of-the-second-map",
        with_step(values=lambda W_in, W_out: W_out),
        (with_step(values=lambda W_in, W_out: _in_another_shape(W_out)),),
        case=VALUES_SQUARE,
    ),
    Mistake(
        "columns-of-the-first-map",
        with_step(keys=lambda W_in, W_out: W_in.T),
        (with_step(keys=lambda W_in, W_out: _in_another_shape(W_in).T),),
        case=VALUES_SQUARE,
    ),
    Mistake("keys-as-values", with_step(values=lambda W_in, W_out: W_in)),
    Mistake("values-as-keys", with_step(keys=lambda W_in, W_out: W_out.T)),
    Mistake("components-before-neurons", with_step(returned=lambda added: added.mT)),
    Mistake("neurons-before-positions", with_step(returned=lambda added: added.transpose(0, 1))),
)

SUMS = (
    Mistake(
        "skip-omitted",
        with_step(total=lambda added, x, b_out: added.sum(1) + b_out),
        (with_step(total=lambda added, x, b_out: added.sum(1)),),
    ),
    Mistake(
        "skip-for-every-neuron",
        with_step(
            total=lambda added, x, b_out: (x[:, None] + added).sum(1) + b_out,
        ),
        (
            with_step(total=lambda added, x, b_out: (x[:, None] + added + b_out).sum(1)),
            _skip_among_the_added,
        ),
    ),
    Mistake(
        "averaged-over-the-neurons",
        with_step(total=lambda added, x, b_out: x + added.mean(1) + b_out),
    ),
    Mistake(
        "second-bias-missing",
        with_step(total=lambda added, x, b_out: x + added.sum(1)),
        case=SILENT,
    ),
    Mistake(
        "second-bias-for-every-neuron",
        with_step(total=lambda added, x, b_out: x + (added + b_out).sum(1)),
        (
            _bias_among_the_added(lambda d_ff: 1.0),
            _bias_among_the_added(lambda d_ff: 1 / d_ff),
            _bias_among_the_added(lambda d_ff: 1.0, once_more=True),
            _bias_among_the_added(lambda d_ff: 1 / d_ff, once_more=True),
            with_step(total=lambda added, x, b_out: x + (added + b_out).sum(1) + b_out),
        ),
    ),
)

RESULTS = (
    Mistake("activations-alone", _activations_alone),
    Mistake("results-exchanged", _exchanged),
)

MISTAKES = (*ACTIVATIONS, *POSITIONS, *MAPS, *SUMS, *RESULTS)


# ---- Cases

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

ANSWERS = Answers(
    solution=read_memory,
    alternatives=(with_einsum, with_loops, with_torch),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named("added", "stream"),
)
