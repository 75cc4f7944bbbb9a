"""Mistakes in how strongly a neuron answers."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.ffn_as_memory_parts import Answer, with_step
from bottomup.i18n import _

MLP, MEMORY = _("The MLP"), _("A memory of keys and values")
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
    Misconception(
        "non-linearity-omitted",
        _bent_by(lambda scores: scores),
        _(
            "The ReLU is missing. Two maps in a row are one map, so the network can do no more "
            "than a single matrix, and a key that does not match subtracts its value, where it "
            "should be silent. Take the ReLU of the score plus b_in."
        ),
        MLP,
        (with_step(activate=lambda scores, b_in: scores),),
    ),
    Misconception(
        "non-linearity-after-the-values",
        with_step(
            activate=lambda scores, b_in: scores + b_in,
            returned=lambda added: added,
            total=_relu_last,
        ),
        _(
            "The ReLU comes after the values, on what is added. The memory can then never lower a "
            "component of the stream, and the two maps before it are one. The ReLU decides which "
            "neuron answers: it acts on the score plus b_in."
        ),
        MLP,
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
            with_step(total=_relu_last),
            with_step(total=lambda added, x, b_out: (x + added.sum(1) + b_out).relu()),
        ),
    ),
    Misconception(
        "non-linearity-before-the-keys",
        with_step(
            match=lambda x, keys: x.relu() @ keys.T, activate=lambda scores, b_in: scores + b_in
        ),
        _(
            "The ReLU acts on x, before the keys. Everything that the stream holds as a negative "
            "number is then lost, and the neurons themselves stay linear. Compare first: the ReLU "
            "acts on the score plus b_in."
        ),
        MLP,
        (with_step(match=lambda x, keys: x.relu() @ keys.T),),
    ),
    Misconception(
        "softmax-over-the-neurons",
        _bent_by(lambda scores: scores.softmax(-1)),
        _(
            "The activations come from a softmax, as if the neurons were positions to attend to. "
            "They then share a sum of 1, and something is read even where no key matches. In this "
            "memory each neuron answers for itself: several at once, or none. Use the ReLU."
        ),
        MEMORY,
        (
            _bent_by(lambda scores: scores.relu().softmax(-1)),
            with_step(activate=lambda scores, b_in: scores.softmax(-1)),
            with_step(match=_scaled, activate=lambda scores, b_in: (scores + b_in).softmax(-1)),
            with_step(match=_scaled, activate=lambda scores, b_in: scores.softmax(-1)),
        ),
        SILENT,
    ),
    Misconception(
        "another-non-linearity",
        _bent_by(F.gelu),
        _(
            "The function is not the ReLU. GELU and SiLU, of later models, let a little through "
            "below zero; a sigmoid is half open at zero. Such a network has to be trained with its "
            "own function. The statement asks for the ReLU: max(0, score)."
        ),
        MLP,
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
    Misconception(
        "strongest-neuron-only",
        _bent_by(_strongest),
        _(
            "Only the neuron that matches best answers, as in a dictionary. The network adds up "
            "all values whose neurons fire, so that one fact can be made of several, and one "
            "neuron can take part in many. Leave all activations above zero in."
        ),
        MEMORY,
        (
            _bent_by(lambda scores: F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)),
            _bent_by(
                lambda scores: F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores) * scores
            ),
        ),
    ),
    Misconception(
        "open-or-shut",
        _bent_by(lambda scores: (scores > 0).to(scores)),
        _(
            "A neuron that answers adds its value as it is, however well its key matches. The "
            "activation is a strength, not a switch: the value counts a_k times. Multiply by the "
            "score that the ReLU lets through. With a switch no gradient would reach the keys."
        ),
        MEMORY,
    ),
    Misconception(
        "scaled-like-attention",
        with_step(match=_scaled),
        _(
            "The scores are divided by sqrt(d_model), as in attention. There it keeps a softmax "
            "from saturating; a ReLU does not saturate, and the scale would only be another name "
            "for smaller keys. Leave it out."
        ),
        MEMORY,
        (_scaled_with_bias,),
    ),
    Misconception(
        "first-bias-missing",
        with_step(activate=lambda scores, b_in: scores.relu()),
        _(
            "b_in is missing. It is the neuron's threshold: a negative one asks for a better match "
            "before the neuron answers at all. Without it every neuron fires for about half of all "
            "vectors. Add b_in to the scores, before the ReLU."
        ),
        MEMORY,
    ),
    Misconception(
        "both-biases-missing",
        with_step(
            activate=lambda scores, b_in: scores.relu(),
            total=lambda added, x, b_out: x + added.sum(1),
        ),
        _(
            "Neither b_in nor b_out is used. Without b_in no neuron has a threshold; without b_out "
            "nothing is added where all are silent. b_in belongs to the scores, before the ReLU, "
            "and b_out to the sum."
        ),
        MEMORY,
    ),
    Misconception(
        "first-bias-after-the-relu",
        with_step(activate=lambda scores, b_in: scores.relu() + b_in),
        _(
            "b_in is added after the ReLU. It is then no threshold: a neuron answers by b_in even "
            "where its key does not match, and with a negative one it subtracts its value. Add it "
            "to the score, inside the ReLU."
        ),
        MEMORY,
    ),
)
