"""Cases of a patch: a corrupted run gets what one head has read in the clean run."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Inputs, case, tensor
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _

# ---- Metrics, [batch, position, d_model] -> [batch]: named, since a report prints the case


def counted(output: Tensor) -> Tensor:
    """A weight for each component, so that none can stand for another."""
    return output @ torch.arange(1, output.shape[-1] + 1).to(output)


METRICS: dict[str, Callable[[Tensor], Tensor]] = {
    "the sum of all numbers": lambda output: output.sum(dim=(1, 2)),
    "the sum of all numbers above zero": lambda output: output.relu().sum(dim=(1, 2)),
    "component c counts c + 1 times": lambda output: counted(output).sum(dim=1),
    "the largest number of each position": lambda output: output.amax(dim=-1).sum(dim=1),
    "a tanh of each component, which counts c + 1 times": lambda output: counted(output.tanh()).sum(
        dim=1
    ),
}
PLAIN, CUT, COUNTED, LARGEST, BENT = METRICS

run = run_with(METRICS)


# ---- Cases


def random(
    metric: str,
    batch: int,
    heads: int,
    positions: int,
    d_value: int,
    d_model: int,
    head: int,
    *,
    padded: bool = True,
    size: float = 1.0,
    dtype: torch.dtype = torch.float32,
) -> Callable[[torch.Generator], Inputs]:
    """Runs that differ everywhere; the clean one is moved upwards, so that the metrics differ."""

    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        lengths = torch.randint(1, positions + 1, (batch,), generator=generator)
        lengths[0] = positions
        real = torch.arange(positions) < (lengths[:, None] if padded else positions)
        corrupted = draw(batch, heads, positions, d_value)
        return {
            "clean": corrupted + draw(batch, heads, positions, d_value) + 0.5,
            "corrupted": corrupted,
            "real": real.expand(batch, positions).clone(),
            "head": head,
            "W_O": size * draw(d_model, heads * d_value) + 0.25,
            "b_O": draw(d_model),
            "metric": metric,
        }

    return make


CASES = (
    case(
        _("one word, two heads of width one"),
        clean=tensor([[[[3.0]], [[5.0]]]]),
        corrupted=tensor([[[[2.0]], [[2.0]]]]),
        real=tensor([[True]]),
        head=0,
        W_O=tensor([[1.0, 1.0]]),
        b_O=tensor([0.0]),
        metric=PLAIN,
        gives=tensor([(5 - 4) / (8 - 4)]),
    ),
    case(
        _("two pairs of different length"),
        clean=tensor([[[[4.0], [1.0]], [[2.0], [6.0]]], [[[3.0], [5.0]], [[1.0], [2.0]]]]),
        corrupted=tensor([[[[1.0], [3.0]], [[1.0], [2.0]]], [[[2.0], [1.0]], [[1.0], [0.0]]]]),
        real=tensor([[True, False], [True, True]]),
        head=0,
        W_O=tensor([[1.0, 2.0]]),
        b_O=tensor([1.0]),
        metric=PLAIN,
        # the metric adds up head 0 and twice head 1 at both positions, plus the bias:
        # clean 23 and 16, corrupted 12 and 7; patched 12 + 3 (not at padding) and 7 + 5
        gives=tensor([3 / 11, 5 / 9]),
    ),
    case(
        _("padding before and behind the word, and runs that differ little"),
        clean=tensor([[[[4e-7], [1e-7], [4e-7]], [[0.0], [3e-7], [0.0]]]]),
        corrupted=tensor([[[[0.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]]]),
        real=tensor([[False, True, False]]),
        head=0,
        W_O=tensor([[1.0, 1.0]]),
        b_O=tensor([0.0]),
        metric=PLAIN,
        gives=tensor([1 / 12]),
    ),
    Case(_("three heads, five positions"), random(COUNTED, 2, 3, 5, 2, 7, 1), seed=1),
    Case(_("a metric that is not linear"), random(CUT, 3, 2, 5, 3, 5, 1), seed=2),
    Case(_("as many heads as positions"), random(LARGEST, 3, 3, 3, 2, 5, 2), seed=3),
    Case(_("no padding"), random(COUNTED, 2, 5, 3, 2, 3, 4, padded=False), seed=4),
    Case(_("as many pairs as heads"), random(BENT, 2, 2, 7, 3, 2, 0, size=0.3), seed=5),
    Case(_("float64"), random(BENT, 3, 3, 5, 2, 7, 1, size=0.3, dtype=torch.float64), seed=6),
)
