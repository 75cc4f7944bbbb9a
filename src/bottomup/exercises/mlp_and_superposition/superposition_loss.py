"""Exercise: the loss of the toy model of superposition (Elhage et al., 2022)."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.functional import normalize

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def toy_model_loss(
    x: torch.Tensor, W: torch.Tensor, b: torch.Tensor, importance: torch.Tensor
) -> torch.Tensor:
    hidden = x @ W.T  # [sample, dimensions]
    error = x - torch.relu(hidden @ W + b)
    return (importance * error**2).sum(dim=1).mean()


def with_loops(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
    total = W.new_zeros(())
    for sample in x:
        output = (W.T @ (W @ sample) + b).clamp(min=0)
        for i, weight in enumerate(importance):
            total = total + weight * (sample[i] - output[i]) ** 2
    return total / len(x)


def with_einsum(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
    output = torch.einsum("df,dg,sg->sf", W, W, x).add(b).relu()
    return torch.einsum("f,sf->", importance, (x - output).square()) / x.shape[0]


def with_the_gram_matrix(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
    output = F.relu(F.linear(x, W.T @ W, b))  # W^T W is symmetric
    return ((output - x).pow(2) @ importance).mean()


def with_mse_loss(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
    output = F.relu(F.linear(F.linear(x, W), W.T, b))
    errors = F.mse_loss(output, x, reduction="none")
    return (errors * importance).sum() / len(errors)


# ---- One step in another way: what the mistakes are made of

Answer = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
Output = Callable[[Tensor, Tensor, Tensor], Tensor]
Reduce = Callable[[Tensor, Tensor], Tensor]  # error [sample, features], importance -> loss


def output(x: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return (x @ W.T @ W + b).relu()


def loss(error: Tensor, importance: Tensor) -> Tensor:
    return (importance * error.square()).sum(1).mean()


def with_output(output: Output) -> Answer:
    """Right but for x'."""
    return lambda x, W, b, importance: loss(x - output(x, W, b), importance)


def reduced(reduce: Reduce) -> Answer:
    """Right up to the errors, which become a number in another way."""
    return lambda x, W, b, importance: reduce(x - output(x, W, b), importance)


def weighed_by(weight: Callable[[Tensor], Tensor]) -> Answer:
    """Right but for what is made of the importance first."""
    return reduced(lambda error, importance: loss(error, weight(importance)))


# ---- Mistakes: from the features to what comes out

SQUARE = _("as many dimensions as features")
GRADIENTS = _("gradients for W and b")


def _with_weights(change: Callable[[Tensor], Tensor]) -> Answer:
    """Right but for what is made of W first."""
    return with_output(lambda x, W, b: output(x, change(W), b))


PRODUCTS = (
    Mistake(
        "untied",
        with_output(lambda x, W, b: (x @ W @ W.T + b).relu()),
        (
            with_output(lambda x, W, b: (x @ W.T @ W.T + b).relu()),
            with_output(lambda x, W, b: (x @ W @ W + b).relu()),
        ),
        case=SQUARE,
    ),
    Mistake(
        "samples-as-columns",
        with_output(lambda x, W, b: (W.T @ W @ x + b).relu()),
        (with_output(lambda x, W, b: (W.T @ (W @ x) + b[:, None]).relu()),),
    ),
    Mistake("relu-omitted", with_output(lambda x, W, b: x @ W.T @ W + b)),
    Mistake(
        "relu-on-the-hidden-vector",
        with_output(lambda x, W, b: (x @ W.T).relu() @ W + b),
        (with_output(lambda x, W, b: ((x @ W.T).relu() @ W + b).relu()),),
    ),
    Mistake(
        "bias-before-the-product",
        with_output(lambda x, W, b: ((x + b) @ W.T @ W).relu()),
        (with_output(lambda x, W, b: (x @ W.T @ (W + b)).relu()),),
    ),
    Mistake("bias-after-the-relu", with_output(lambda x, W, b: (x @ W.T @ W).relu() + b)),
    Mistake("bias-missing", with_output(lambda x, W, b: (x @ W.T @ W).relu())),
    Mistake("bias-subtracted", with_output(lambda x, W, b: (x @ W.T @ W - b).relu())),
    Mistake(
        "weights-normalised",
        _with_weights(lambda W: W / W.norm(dim=0)),
        (
            _with_weights(lambda W: normalize(W, dim=1)),
            _with_weights(lambda W: W / W.norm()),
        ),
    ),
    Mistake(
        "one-product-detached",
        with_output(lambda x, W, b: (x @ W.T.detach() @ W + b).relu()),
        (with_output(lambda x, W, b: (x @ W.T @ W.detach() + b).relu()),),
        case=GRADIENTS,
    ),
)


# ---- Mistakes: weights, squares and sums

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
    Mistake(
        "importance-inside-the-square",
        reduced(lambda error, importance: (importance * error).square().sum(1).mean()),
    ),
    Mistake(
        "importance-missing",
        reduced(lambda error, importance: error.square().sum(1).mean()),
        (reduced(lambda error, importance: error.square().mean()),),
    ),
    Mistake("importance-on-the-features", _input_weighed, (_weighed_first,)),
    Mistake(
        "importance-averaged",
        _scaled_outside,
        (
            reduced(lambda error, importance: importance.sum() * error.square().sum(1).mean()),
            reduced(lambda error, importance: importance.mean() * error.square().mean()),
            reduced(lambda error, importance: importance.sum() * error.square().mean()),
        ),
    ),
    Mistake(
        "importance-normalised",
        weighed_by(lambda importance: importance / importance.sum()),
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
    Mistake(
        "mean-over-features",
        reduced(lambda error, importance: (importance * error.square()).mean()),
    ),
    Mistake(
        "sum-over-samples",
        reduced(lambda error, importance: (importance * error.square()).sum()),
        (reduced(lambda error, importance: (importance * error.square()).sum(0).mean()),),
    ),
    Mistake("loss-halved", reduced(lambda error, importance: loss(error, importance) / 2)),
    Mistake(
        "sum-before-the-square",
        reduced(lambda error, importance: (importance * error).sum(1).square().mean()),
        (
            reduced(lambda error, importance: (importance.sqrt() * error).sum(1).square().mean()),
            reduced(lambda error, importance: importance.sum() * error.sum(1).square().mean()),
            reduced(lambda error, importance: (importance * error).sum().square()),
            reduced(lambda error, importance: (importance * error).sum(1).mean().square()),
            reduced(lambda error, importance: (importance * error.mean(0).square()).sum()),
        ),
    ),
    Mistake(
        "errors-not-squared",
        reduced(lambda error, importance: (importance * error.abs()).sum(1).mean()),
        (reduced(lambda error, importance: (importance * error).sum(1).mean()),),
    ),
    Mistake(
        "norm-of-the-error",
        reduced(lambda error, importance: (importance * error.square()).sum(1).sqrt().mean()),
        (
            reduced(lambda error, importance: loss(error, importance).sqrt()),
            reduced(
                lambda error, importance: (
                    (importance * error.norm(dim=1, keepdim=True)).sum(1).mean()
                )
            ),
        ),
    ),
    Mistake("only-features-that-are-on", _where_on, case=ABSENT),
)

MISTAKES = (*PRODUCTS, *WEIGHING)


# ---- Cases


def _antipodal(generator: torch.Generator) -> Inputs:
    # alone, the first feature comes out exact; together the two cancel
    return {
        "x": torch.tensor([[1.0, 0.0], [1.0, 1.0]]),
        "W": torch.tensor([[1.0, -1.0]]),
        "b": torch.tensor([0.0, 0.0]),
        "importance": torch.tensor([1.0, 0.5]),
    }


def _with_a_bias(generator: torch.Generator) -> Inputs:
    return {
        "x": torch.tensor([[1.0, 0.0, 0.5]]),
        "W": torch.tensor([[2.0, 1.0, 0.0], [0.0, -1.0, 1.0]]),
        "b": torch.tensor([-3.0, -2.0, 0.5]),
        "importance": torch.tensor([2.0, 1.0, 0.5]),
    }


def _square(generator: torch.Generator) -> Inputs:
    return {
        "x": torch.tensor([[1.0, 0.5]]),
        "W": torch.tensor([[1.0, 1.0], [0.0, 1.0]]),
        "b": torch.tensor([0.0, -0.5]),
        "importance": torch.tensor([1.0, 0.5]),
    }


def _nothing_on(generator: torch.Generator) -> Inputs:
    return {
        "x": torch.zeros(2, 3),
        "W": torch.tensor([[1.0, 0.5, -1.0]]),
        "b": torch.tensor([0.5, 1.0, -2.0]),
        "importance": torch.tensor([1.0, 2.0, 4.0]),
    }


def _random(
    samples: int,
    dimensions: int,
    features: int,
    *,
    sparsity: float = 0.3,
    dtype: torch.dtype = torch.float32,
) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.rand(shape, generator=generator, dtype=dtype)

        on = draw(samples, features) >= sparsity
        return {
            "x": draw(samples, features) * on,
            "W": 2 * draw(dimensions, features) - 0.8,
            "b": draw(features) - 0.6,
            "importance": 0.9 ** torch.arange(features, dtype=dtype) * 1.5,
        }

    return make


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _random(3, 2, 5)(generator)
    return {**inputs, "W": inputs["W"].requires_grad_(), "b": inputs["b"].requires_grad_()}


CASES = (
    Case(_("an antipodal pair: one feature on, then both"), _antipodal),
    Case(_("one sample, two dimensions, a bias"), _with_a_bias),
    Case(_("five features in two dimensions"), _random(7, 2, 5), seed=1),
    Case(_("sparse samples"), _random(11, 3, 7, sparsity=0.9), seed=2),
    Case(SQUARE, _square),
    Case(_("as many samples as features"), _random(5, 2, 5), seed=4),
    Case(_("samples, dimensions and features equally many"), _random(3, 3, 3), seed=5),
    Case(ABSENT, _nothing_on),
    Case(_("more dimensions than features"), _random(2, 7, 3), seed=6),
    Case(_("float64"), _random(3, 2, 5, dtype=torch.float64), seed=7),
    Case(GRADIENTS, _with_gradients, seed=8),
)

ANSWERS = Answers(
    solution=toy_model_loss,
    alternatives=(with_loops, with_einsum, with_the_gram_matrix, with_mse_loss),
    mistakes=MISTAKES,
    cases=CASES,
)
