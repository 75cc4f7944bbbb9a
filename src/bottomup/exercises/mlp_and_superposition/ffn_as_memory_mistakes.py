"""Mistakes in the feed-forward network as a memory: keys, values, and what is summed."""

from collections.abc import Callable

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.ffn_as_memory_activations import (
    ACTIVATIONS,
    MEMORY,
    MLP,
    SILENT,
)
from bottomup.exercises.mlp_and_superposition.ffn_as_memory_parts import (
    RIGHT,
    Answer,
    Pair,
    with_step,
)
from bottomup.i18n import _

__all__ = [
    "MISCONCEPTIONS", "POSITIONS_AS_NEURONS", "SILENT", "VALUES_SQUARE",
]  # fmt: skip

STREAM = _("The residual stream")
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
    Misconception(
        "keys-matched-over-the-sequence",
        with_step(match=lambda x, keys: x.T @ keys.T),
        _(
            "The keys are matched over the sequence: a score takes something from every position. "
            "The network has one vector before it at a time, and a decoder that did this would "
            "read the future. Each row of x meets each key alone: `x @ W_in.T`. Only attention "
            "moves something from one position to another."
        ),
        MLP,
        (
            with_step(match=lambda x, keys: (x.mean(0) @ keys.T).expand(len(x), -1)),
            with_step(match=lambda x, keys: (x.sum(0) @ keys.T).expand(len(x), -1)),
            with_step(match=_running_mean),
            with_step(match=lambda x, keys: x.cumsum(0) @ keys.T),
        ),
    ),
    Misconception(
        "summed-over-the-positions",
        with_step(total=lambda added, x, b_out: x + added.sum(0) + b_out),
        _(
            "What each neuron adds is right, but the sum runs over the positions, where it should "
            "run over the neurons alone. A position then gets what others have found. With as many "
            "neurons as positions nothing complains. Sum axis 1 of [position, d_ff, d_model]."
        ),
        MEMORY,
        (with_step(total=lambda added, x, b_out: x + added.sum((0, 1)) + b_out),),
        POSITIONS_AS_NEURONS,
    ),
)

MAPS = (
    Misconception(
        "rows-of-the-second-map",
        with_step(values=lambda W_in, W_out: W_out),
        _(
            "The values are the rows of W_out, where they are its columns. W_out maps d_ff numbers "
            "to d_model, so row c holds what all neurons do to component c. With as many neurons "
            "as components nothing complains. As rows the values are `W_out.T`."
        ),
        MEMORY,
        (with_step(values=lambda W_in, W_out: _in_another_shape(W_out)),),
        VALUES_SQUARE,
    ),
    Misconception(
        "columns-of-the-first-map",
        with_step(keys=lambda W_in, W_out: W_in.T),
        _(
            "The keys are the columns of W_in, where they are its rows. W_in has a row for each "
            "neuron, so `x @ W_in` compares x with something else. With as many neurons as "
            "components nothing complains. Use `x @ W_in.T`."
        ),
        MEMORY,
        (with_step(keys=lambda W_in, W_out: _in_another_shape(W_in).T),),
        VALUES_SQUARE,
    ),
    Misconception(
        "keys-as-values",
        with_step(values=lambda W_in, W_out: W_in),
        _(
            "Each neuron adds its key, where it should add its value. Such a memory can only give "
            "back what it was asked, only stronger; to answer a name with a sport, the two must "
            "differ. The values are the columns of W_out."
        ),
        MEMORY,
    ),
    Misconception(
        "values-as-keys",
        with_step(keys=lambda W_in, W_out: W_out.T),
        _(
            "x is compared with the values, where it should be compared with the keys. A neuron "
            "then fires where its answer stands in the stream already. The keys are the rows of "
            "W_in, and W_out is needed only for what is added."
        ),
        MEMORY,
    ),
    Misconception(
        "components-before-neurons",
        with_step(returned=lambda added: added.mT),
        _(
            "The stream is right, but `added` has its last two axes exchanged: [position, d_model, "
            "d_ff]. Index it as the statement says: added[i, k] is the vector that neuron k adds "
            "at position i."
        ),
        MEMORY,
    ),
    Misconception(
        "neurons-before-positions",
        with_step(returned=lambda added: added.transpose(0, 1)),
        _(
            "The stream is right, but `added` has its first two axes exchanged: [d_ff, position, "
            "d_model]. Index it as the statement says: added[i, k] is the vector that neuron k "
            "adds at position i. A list of what each neuron adds is stacked along dim=1."
        ),
        MEMORY,
    ),
)

SUMS = (
    Misconception(
        "skip-omitted",
        with_step(total=lambda added, x, b_out: added.sum(1) + b_out),
        _(
            "x is missing from the stream: the memory's answer replaces what was there. The token, "
            "its position and all that attention has read would be lost after one layer, unless "
            "the memory copied them. The answer is added: x + ..."
        ),
        STREAM,
        (with_step(total=lambda added, x, b_out: added.sum(1)),),
    ),
    Misconception(
        "skip-for-every-neuron",
        with_step(
            total=lambda added, x, b_out: (x[:, None] + added).sum(1) + b_out,
        ),
        _(
            "x is added once for each neuron, so it arrives d_ff times. The stream then grows "
            "by that factor in every layer. The sum over the neurons comes first; x is added to "
            "it once."
        ),
        STREAM,
        (
            with_step(total=lambda added, x, b_out: (x[:, None] + added + b_out).sum(1)),
            _skip_among_the_added,
        ),
    ),
    Misconception(
        "averaged-over-the-neurons",
        with_step(total=lambda added, x, b_out: x + added.mean(1) + b_out),
        _(
            "The neurons are averaged, where they should be summed. What one neuron writes then "
            "depends on how many others there are, silent ones included: a memory of 4,000 entries "
            "could say next to nothing. Sum over the neurons."
        ),
        MEMORY,
    ),
    Misconception(
        "second-bias-missing",
        with_step(total=lambda added, x, b_out: x + added.sum(1)),
        _(
            "b_out is missing. It is what the network adds whether any neuron answers or not, so "
            "that a position where all are silent still moves. Add it once at each position."
        ),
        MEMORY,
        case=SILENT,
    ),
    Misconception(
        "second-bias-for-every-neuron",
        with_step(total=lambda added, x, b_out: x + (added + b_out).sum(1)),
        _(
            "b_out is added for every neuron, d_ff times or once more than that, or counted among "
            "what the neurons add. It belongs to none of them: it is there when all are silent. "
            "Add it once, after the sum."
        ),
        MEMORY,
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
    Misconception(
        "activations-alone",
        _activations_alone,
        _(
            "The stream is right, but `added` holds the activations alone, one number for each "
            "neuron. They say how strongly a neuron answers, not what it says. Return the vectors: "
            "each activation times its neuron's value, [position, d_ff, d_model]."
        ),
        MEMORY,
    ),
    Misconception(
        "results-exchanged",
        _exchanged,
        _(
            "The two results have changed places. Whoever unpacks them takes the stream for what "
            "the neurons add. Return added first, then stream."
        ),
        MEMORY,
    ),
)

MISCONCEPTIONS = (*ACTIVATIONS, *POSITIONS, *MAPS, *SUMS, *RESULTS)
