"""Mistakes in the toy model of superposition: from the features to what comes out."""

from collections.abc import Callable

from torch import Tensor
from torch.nn.functional import normalize

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.superposition_loss_parts import (
    Answer,
    output,
    with_output,
)
from bottomup.i18n import _

MODEL, LINEAR = _("More features than dimensions"), _("The linear model")
SQUARE = _("as many dimensions as features")
GRADIENTS = _("gradients for W and b")


def _with_weights(change: Callable[[Tensor], Tensor]) -> Answer:
    """Right but for what is made of W first."""
    return with_output(lambda x, W, b: output(x, change(W), b))


PRODUCTS = (
    Misconception(
        "untied",
        with_output(lambda x, W, b: (x @ W @ W.T + b).relu()),
        _(
            "This is another product than W^T W x, such as W W^T x. W maps features to dimensions "
            "first, and W^T maps back. With as many dimensions as features nothing complains, "
            "and the result is another model; elsewhere the shapes do not fit. A sample is a row, "
            "so W x is `x @ W.T`."
        ),
        MODEL,
        (
            with_output(lambda x, W, b: (x @ W.T @ W.T + b).relu()),
            with_output(lambda x, W, b: (x @ W @ W + b).relu()),
        ),
        SQUARE,
    ),
    Misconception(
        "samples-as-columns",
        with_output(lambda x, W, b: (W.T @ W @ x + b).relu()),
        _(
            "W^T W is multiplied from the left, as in the formula for one sample. The samples are "
            "rows of x, so the product mixes samples, not features. With as many samples as "
            "features nothing complains. For rows it is `x @ W.T @ W`."
        ),
        MODEL,
        (with_output(lambda x, W, b: (W.T @ (W @ x) + b[:, None]).relu()),),
    ),
    Misconception(
        "relu-omitted",
        with_output(lambda x, W, b: x @ W.T @ W + b),
        _(
            "The ReLU is missing, and this is the linear model. It pays for interference of either "
            "sign, so where importances differ it keeps one feature for each dimension and gives "
            "up the rest. The ReLU cuts off negative interference: with it, superposition can pay."
        ),
        LINEAR,
    ),
    Misconception(
        "relu-on-the-hidden-vector",
        with_output(lambda x, W, b: (x @ W.T).relu() @ W + b),
        _(
            "The ReLU stands between the two products, as in an MLP. Hidden directions are then "
            "lost wherever they are negative: of an antipodal pair one feature disappears. In this "
            "model the hidden vector is linear, and the ReLU acts on the output."
        ),
        MODEL,
        (with_output(lambda x, W, b: ((x @ W.T).relu() @ W + b).relu()),),
    ),
    Misconception(
        "bias-before-the-product",
        with_output(lambda x, W, b: ((x + b) @ W.T @ W).relu()),
        _(
            "The bias is added before the products, so W^T W mixes it among the features. Its use "
            "is to hold every feature a little below zero, so that small interference does not "
            "pass the ReLU. For that it must be added last."
        ),
        MODEL,
        (with_output(lambda x, W, b: (x @ W.T @ (W + b)).relu()),),
    ),
    Misconception(
        "bias-after-the-relu",
        with_output(lambda x, W, b: (x @ W.T @ W).relu() + b),
        _(
            "The bias is added after the ReLU. A negative bias then makes absent features "
            "negative, where it should keep interference below the threshold. It belongs inside: "
            "ReLU(W^T W x + b)."
        ),
        MODEL,
    ),
    Misconception(
        "bias-missing",
        with_output(lambda x, W, b: (x @ W.T @ W).relu()),
        _(
            "The bias is missing. A feature that the model leaves out cannot be guessed at its "
            "mean, and positive interference always passes the ReLU. Add b to W^T W x."
        ),
        MODEL,
    ),
    Misconception(
        "bias-subtracted",
        with_output(lambda x, W, b: (x @ W.T @ W - b).relu()),
        _(
            "The bias is subtracted. Training would find -b in its place, but a model copied from "
            "elsewhere then lets through what it should cut off. The output is ReLU(W^T W x + b)."
        ),
        MODEL,
    ),
    Misconception(
        "weights-normalised",
        _with_weights(lambda W: W / W.norm(dim=0)),
        _(
            "W is normalised before it is used. The lengths of its columns are learned: a feature "
            "that the model gives up has a column near zero, and made a unit vector it would be "
            "written in full. Use W as it is."
        ),
        MODEL,
        (
            _with_weights(lambda W: normalize(W, dim=1)),
            _with_weights(lambda W: W / W.norm()),
        ),
    ),
    Misconception(
        "one-product-detached",
        with_output(lambda x, W, b: (x @ W.T.detach() @ W + b).relu()),
        _(
            "The values are right, but autograd sees W in one of its two places alone; in the "
            "other it is taken for a constant. The gradient is then that of a model with two "
            "matrices of which one is never trained. Use W itself in both products, without "
            "detach or no_grad."
        ),
        MODEL,
        (with_output(lambda x, W, b: (x @ W.T @ W.detach() + b).relu()),),
        GRADIENTS,
    ),
)
