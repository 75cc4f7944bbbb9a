"""Mistakes in the loss of the toy model of superposition: weights, squares and sums."""

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.superposition_loss_parts import (
    loss,
    output,
    reduced,
    weighed_by,
)
from bottomup.exercises.mlp_and_superposition.superposition_loss_products import (
    GRADIENTS,
    MODEL,
    PRODUCTS,
    SQUARE,
)
from bottomup.i18n import _

__all__ = ["ABSENT", "GRADIENTS", "MISCONCEPTIONS", "SQUARE"]

ABSENT = _("no feature is on")


def _where_on(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
    return loss((x - output(x, W, b)) * (x > 0), importance)


def _input_weighed(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
    return (importance * x - output(x, W, b)).square().sum(1).mean()


def _weighed_first(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
    weighed = importance * x
    return (weighed - output(weighed, W, b)).square().sum(1).mean()


def _scaled_outside(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
    return (x - output(x, W, b)).square().sum(1).mean() * importance.mean()


WEIGHING = (
    Misconception(
        "importance-inside-the-square",
        reduced(lambda error, importance: (importance * error).square().sum(1).mean()),
        _(
            "The importance is squared with the error, so I_i^2 weighs it. Below 1 that makes "
            "unimportant features count still less: .5 becomes .25, and the model gives them up "
            "earlier than it should. Square first, then weigh."
        ),
        MODEL,
    ),
    Misconception(
        "importance-missing",
        reduced(lambda error, importance: error.square().sum(1).mean()),
        _(
            "The importance is not used. All features then cost the same, and which of them the "
            "model gives up is chance. Multiply the squared error of feature i by I_i."
        ),
        MODEL,
        (reduced(lambda error, importance: error.square().mean()),),
    ),
    Misconception(
        "importance-on-the-features",
        _input_weighed,
        _(
            "The importance scales the features, not their errors. The model would then be asked "
            "for other values than it was given. Importance says how much an error costs: it "
            "multiplies (x_i - x'_i)^2."
        ),
        MODEL,
        (_weighed_first,),
    ),
    Misconception(
        "importance-averaged",
        _scaled_outside,
        _(
            "The importances are reduced to one number that multiplies the whole loss. No feature "
            "then matters more than another; only the learning rate has changed. Weigh each "
            "feature's error before the sum."
        ),
        MODEL,
        (
            reduced(lambda error, importance: importance.sum() * error.square().sum(1).mean()),
            reduced(lambda error, importance: importance.mean() * error.square().mean()),
            reduced(lambda error, importance: importance.sum() * error.square().mean()),
        ),
    ),
    Misconception(
        "importance-normalised",
        weighed_by(lambda importance: importance / importance.sum()),
        _(
            "The importances are divided by their sum or brought to another scale. They still say "
            "which feature matters more, but an error of a feature of importance 1 no longer costs "
            "1, and a feature more makes the errors of all others cheaper. Weigh by I_i as given."
        ),
        MODEL,
        tuple(
            weighed_by(weight)
            for weight in (
                lambda importance: importance / importance.mean(),
                lambda importance: importance / importance.max(),
                lambda importance: importance / importance.norm(),
                lambda importance: importance.softmax(0),
            )
        ),
    ),
    Misconception(
        "mean-over-features",
        reduced(lambda error, importance: (importance * error.square()).mean()),
        _(
            "You take a mean over features, where the loss is a sum. Losses of models with "
            "different numbers of features can then not be compared: a feature more makes the "
            "errors of all others cheaper. Sum over features, mean over samples."
        ),
        MODEL,
    ),
    Misconception(
        "sum-over-samples",
        reduced(lambda error, importance: (importance * error.square()).sum()),
        _(
            "The samples are summed. Loss and gradient then grow with the batch, and a learning "
            "rate that was right for 100 samples is ten times too large for 1,000. Take the mean "
            "over samples."
        ),
        MODEL,
        (reduced(lambda error, importance: (importance * error.square()).sum(0).mean()),),
    ),
    Misconception(
        "loss-halved",
        reduced(lambda error, importance: loss(error, importance) / 2),
        _(
            "The loss is multiplied by 1/2. That makes a derivative look tidier and moves no "
            "minimum, but the learning rate means half as much, and losses cannot be compared "
            "with others. Leave out the factor."
        ),
        MODEL,
    ),
    Misconception(
        "sum-before-the-square",
        reduced(lambda error, importance: (importance * error).sum(1).square().mean()),
        _(
            "The errors are summed first, and the sum is squared. Errors of opposite sign then "
            "cancel: one feature too strong and another too weak cost nothing. Square each error, "
            "weigh it, then sum."
        ),
        MODEL,
        (
            reduced(lambda error, importance: (importance.sqrt() * error).sum(1).square().mean()),
            reduced(lambda error, importance: importance.sum() * error.sum(1).square().mean()),
            reduced(lambda error, importance: (importance * error).sum().square()),
            reduced(lambda error, importance: (importance * error).sum(1).mean().square()),
            reduced(lambda error, importance: (importance * error.mean(0).square()).sum()),
        ),
    ),
    Misconception(
        "errors-not-squared",
        reduced(lambda error, importance: (importance * error.abs()).sum(1).mean()),
        _(
            "The errors are not squared. With absolute values a sparse feature is best guessed at "
            "its median, which is zero, and the model gives it up; without them, errors of "
            "opposite sign cancel. The loss weighs squares."
        ),
        MODEL,
        (reduced(lambda error, importance: (importance * error).sum(1).mean()),),
    ),
    Misconception(
        "norm-of-the-error",
        reduced(lambda error, importance: (importance * error.square()).sum(1).sqrt().mean()),
        _(
            "A root is taken. Each sample then counts by the length of its error, so large errors "
            "weigh less, and where the error is zero the gradient is 0/0: NaN in training. The sum "
            "of squares is the loss."
        ),
        MODEL,
        (
            reduced(lambda error, importance: loss(error, importance).sqrt()),
            reduced(
                lambda error, importance: (
                    (importance * error.norm(dim=1, keepdim=True)).sum(1).mean()
                )
            ),
        ),
    ),
    Misconception(
        "only-features-that-are-on",
        _where_on,
        _(
            "Only features that are on are counted. Interference shows in the others: an absent "
            "feature comes out above zero because another one is present. Leave that out and every "
            "feature can point in one direction at no cost. Sum over all features."
        ),
        MODEL,
        case=ABSENT,
    ),
)

MISCONCEPTIONS = (*PRODUCTS, *WEIGHING)
