"""Cases of an encoder layer of BERT (Devlin et al., 2019), by the names of transformers."""

from collections.abc import Callable
from math import erf, log, sqrt
from typing import Any

import torch

from bottomup.exercises.engine import Case, Drawn, case, normal, tensor
from bottomup.i18n import _

SELF = "attention.self"
FIRST_NORM, SECOND_NORM = "attention.output.LayerNorm", "output.LayerNorm"
OPTIONS = "num_heads, epsilon"  # together, so that a report has room for all of a small layer


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer with all weights in one dict; a report shows them one by one."""
    inputs = dict(case.inputs)
    x, options = inputs.pop("x"), inputs.pop(OPTIONS)
    return answer(x, inputs, *options)


def float64(values: Any) -> Drawn:
    return tensor(values, dtype=torch.float64)


def numbers(*shape: int, scale: float = 1.0, around: float = 0.0) -> Drawn:
    drawn = normal(*shape, scale=scale, dtype=torch.float64)
    return drawn.then(lambda x: x + around)


def layer(
    name: str,
    *,
    seed: int,
    n: int,
    num_heads: int,
    d_head: int,
    d_ff: int,
    epsilon: float = 1e-12,
    stream: float = 1.0,
    update: float = 1.0,
    query: float = 1.0,
) -> Case:
    """A layer of these sizes; stream, update of attention, or queries may be large or small."""
    d_model = num_heads * d_head

    def linear(part: str, rows: int, columns: int, scale: float = 1.0) -> dict[str, Drawn]:
        return {
            f"{part}.weight": numbers(rows, columns, scale=scale * columns**-0.5),
            f"{part}.bias": numbers(rows, scale=scale),
        }

    def norm(part: str) -> dict[str, Drawn]:
        return {
            f"{part}.weight": numbers(d_model, scale=0.5, around=1.0),
            f"{part}.bias": numbers(d_model),
        }

    return case(
        name,
        seed=seed,
        x=numbers(n, d_model, scale=stream),
        **linear(f"{SELF}.query", d_model, d_model, query),
        **linear(f"{SELF}.key", d_model, d_model, 1.5),
        **linear(f"{SELF}.value", d_model, d_model),
        **linear("attention.output.dense", d_model, d_model, update),
        **norm(FIRST_NORM),
        **linear("intermediate.dense", d_ff, d_model),
        **linear("output.dense", d_model, d_ff),
        **norm(SECOND_NORM),
        **{OPTIONS: (num_heads, epsilon)},
    )


# The queries are 0, ln 3 in head 1 and ln 2, 0 in head 2; the weights 1/2 1/2, 1/4 3/4 in the one
# and 2/3 1/3, 1/2 1/2 in the other. They make 3, 2 of the values 5, 1, and 6, 5 of the values 8, 2.
# The map makes 9, 8 and 6, 7 of these, and with x the sums are 10, 8 and 6, 8: one more and one
# less than their mean. The root of 1 + epsilon is 2.
ATTENTION: dict[str, Any] = {
    "x": float64([[1, 0], [0, 1]]),
    f"{SELF}.query.weight": float64([[-log(3), 0], [0, -log(2)]]),
    f"{SELF}.query.bias": float64([log(3), log(2)]),
    f"{SELF}.key.weight": float64([[0, 1], [1, 0]]),
    f"{SELF}.key.bias": float64([5, 7]),
    f"{SELF}.value.weight": float64([[4, 0], [6, 0]]),
    f"{SELF}.value.bias": float64([1, 2]),
    "attention.output.dense.weight": float64([[1, 2], [0, 1]]),
    "attention.output.dense.bias": float64([-6, 2]),
    f"{FIRST_NORM}.weight": float64([2, 2]),
    f"{FIRST_NORM}.bias": float64([0, 1]),
}
# The stream is now 1, 0 and -1, 2. The second sums are 2, 0 and 0, 2.
NO_NEURONS: dict[str, Any] = {
    "intermediate.dense.weight": float64([]).then(lambda empty: empty.reshape(0, 2)),
    "intermediate.dense.bias": float64([]),
    "output.dense.weight": float64([]).then(lambda empty: empty.reshape(2, 0)),
}
END: dict[str, Any] = {
    "output.dense.bias": float64([1, 0]),
    f"{SECOND_NORM}.weight": float64([4, 6]),
    f"{SECOND_NORM}.bias": float64([10, 20]),
    OPTIONS: (2, 3.0),
}
# One position finds its own values 1, 2. With x the sums are -1, -3, and the stream is 1, 0 again.
# The neuron makes GELU(1) of 1, and the second sums are 2 + 4 GELU(1) and 2 GELU(1).
ONE_NEURON: dict[str, Any] = {
    "x": float64([[0, 2]]),
    "attention.output.dense.bias": float64([-6, -7]),
    "intermediate.dense.weight": float64([[2, 3]]),
    "intermediate.dense.bias": float64([-1]),
    "output.dense.weight": float64([[4], [2]]),
}
HALF = 1 + (1 + erf(sqrt(1 / 2))) / 2  # of their difference
NORMAL = HALF / sqrt(HALF**2 + 3)

CASES = (
    case(
        _("two positions, two heads of width one, no neurons"),
        **ATTENTION | NO_NEURONS | END,
        gives=float64([[12, 17], [8, 23]]),
    ),
    case(
        _("one position, two heads of width one, one neuron"),
        **ATTENTION | ONE_NEURON | END,
        gives=float64([[10 + 4 * NORMAL, 20 - 6 * NORMAL]]),
    ),
    layer(_("random numbers, three heads"), seed=1, n=5, num_heads=3, d_head=2, d_ff=7),
    layer(_("random numbers, two heads"), seed=2, n=7, num_heads=2, d_head=5, d_ff=11),
    layer(_("as many neurons as d_model"), seed=3, n=3, num_heads=2, d_head=2, d_ff=4),
    layer(_("as many positions as heads"), seed=4, n=3, num_heads=3, d_head=3, d_ff=5),
    layer(_("one head"), seed=5, n=5, num_heads=1, d_head=3, d_ff=7),
    layer(_("one position"), seed=6, n=1, num_heads=3, d_head=2, d_ff=5),
    layer(
        _("vectors that hardly vary"),
        seed=7,
        n=3,
        num_heads=2,
        d_head=3,
        d_ff=5,
        stream=1e-6,
        update=1e-6,
    ),
    layer(
        _("scores in the thousands"),
        seed=8,
        n=5,
        num_heads=2,
        d_head=3,
        d_ff=7,
        query=3000.0,
    ),
)
