"""Exercise: the loss of the toy model of superposition (Elhage et al., 2022)."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.mlp_and_superposition.superposition_loss_mistakes import (
    ABSENT,
    GRADIENTS,
    MISCONCEPTIONS,
    SQUARE,
)
from bottomup.i18n import _

STUB = '''\
def toy_model_loss(x, W, b, importance):
    """The loss of the toy model: mean over samples of the sum over features
    of I_i (x_i - x'_i)^2, where x' = ReLU(W^T W x + b).

    x [sample, features], W [dimensions, features], b [features],
    importance I [features]. Returns a tensor without axes. Use torch
    throughout: a gradient must flow back to W and b.
    """
    ...
'''


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

SUPERPOSITION_LOSS = Exercise(
    slug="superposition-loss",
    title=_("The loss of the toy model"),
    chapter="04",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Follow one sample: W makes `dimensions` numbers of it, and the same W, transposed, "
            "makes `features` numbers of those. Samples are rows here, so W x is `x @ W.T`."
        ),
        _(
            "`hidden = x @ W.T` and `hidden @ W` are the two products. The bias belongs to the "
            "features, and the ReLU comes last."
        ),
        _(
            "Square the error, then weigh it: `importance * error**2`, [sample, features]. Sum "
            "over features, take the mean over samples."
        ),
    ),
    solution=toy_model_loss,
    alternatives=(with_loops, with_einsum, with_the_gram_matrix, with_mse_loss),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
