"""Exercise: a block in both wirings, pre-norm and post-norm (Xiong et al., 2020)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.gradients import differentiate
from bottomup.exercises.mlp_and_superposition.residual_wiring_functions import (
    ATTENTION,
    FIRST_NORM,
    FUNCTIONS,
    NETWORK,
    NOTHING,
    SAME,
    SECOND_NORM,
    WIDTH,
    Function,
)
from bottomup.exercises.mlp_and_superposition.residual_wiring_mistakes import (
    BY_HAND_POST,
    BY_HAND_PRE,
    MISCONCEPTIONS,
)
from bottomup.i18n import _

STUB = '''\
def block(x, attend, mlp, norm_1, norm_2, kind):
    """The stream after attention and MLP, in one of two wirings.

    kind "pre": a sublayer reads the normalised stream, and what it
    returns is added to the stream itself. kind "post": a sublayer reads
    the stream, and the sum of stream and update is normalised.
    attend comes first, with norm_1, then mlp, with norm_2; all four are
    functions of a tensor [position, d_model] that return one like it.
    attend and mlp return the update alone: x is not yet added.
    Returns the stream [position, d_model].
    """
    ...
'''


def block(
    x: torch.Tensor,
    attend: "Function", mlp: "Function", norm_1: "Function", norm_2: "Function", kind: str,
) -> torch.Tensor:  # fmt: skip
    if kind == "pre":
        x = x + attend(norm_1(x))
        return x + mlp(norm_2(x))
    x = norm_1(x + attend(x))
    return norm_2(x + mlp(x))


def with_a_loop(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function, kind: str
) -> Tensor:
    for sublayer, norm in ((attend, norm_1), (mlp, norm_2)):
        x = x + sublayer(norm(x)) if kind == "pre" else norm(x + sublayer(x))
    return x


def with_read_and_write(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function, kind: str
) -> Tensor:
    def around(stream: Tensor, sublayer: Function, norm: Function) -> Tensor:
        read = stream if kind == "post" else norm(stream)
        written = torch.add(sublayer(read), stream)
        return norm(written) if kind == "post" else written

    return around(around(x, attend, norm_1), mlp, norm_2)


def with_names_for_every_step(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function, kind: str
) -> Tensor:
    before = {"pre": (norm_1, norm_2), "post": (lambda z: z, lambda z: z)}[kind]
    after = {"pre": (lambda z: z, lambda z: z), "post": (norm_1, norm_2)}[kind]
    first_update = attend(before[0](x))
    middle = after[0](torch.stack([x, first_update]).sum(0))
    second_update = mlp(before[1](middle))
    return after[1](torch.stack([middle, second_update]).sum(0))


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer with the functions that the case names."""
    inputs = {name: _function_or_value(value) for name, value in case.inputs.items()}
    if case.wants_gradients:
        return differentiate(answer, inputs)
    return answer(*inputs.values())


def _function_or_value(value: Any) -> Any:
    return FUNCTIONS.get(value, value) if isinstance(value, str) else value


Make = Callable[[torch.Generator], Inputs]


def _wired(x: Tensor, kind: str, *functions: str) -> Inputs:
    attend, mlp, norm_1, norm_2 = functions
    named = {"attend": attend, "mlp": mlp, "norm_1": norm_1, "norm_2": norm_2}
    return {"x": x, **named, "kind": kind}


def _by_hand(kind: str) -> Make:
    functions = ("3 x", "x + 1", "x / 2", "x / 5")
    return lambda generator: _wired(torch.tensor([[4.0]]), kind, *functions)


def _random(
    kind: str, positions: int, *, attend: str = ATTENTION, mlp: str = NETWORK,
    norms: tuple[str, str] = (FIRST_NORM, SECOND_NORM), scale: float = 1.0,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    def make(generator: torch.Generator) -> Inputs:
        x = scale * torch.randn(positions, WIDTH, generator=generator, dtype=dtype)
        return _wired(x, kind, attend, mlp, *norms)

    return make


def _with_gradient(generator: torch.Generator) -> Inputs:
    inputs = _random("pre", 3, dtype=torch.float64)(generator)
    return {**inputs, "x": inputs["x"].requires_grad_()}


CASES = (
    Case(BY_HAND_PRE, _by_hand("pre")),
    Case(BY_HAND_POST, _by_hand("post")),
    Case(_("five positions, pre-norm"), _random("pre", 5), seed=1),
    Case(_("five positions, post-norm"), _random("post", 5), seed=2),
    Case(_("attention finds nothing, pre-norm"), _random("pre", 3, attend=NOTHING), seed=3),
    Case(_("attention finds nothing, post-norm"), _random("post", 3, attend=NOTHING), seed=4),
    Case(
        _("norms that change nothing, so that both kinds agree"),
        _random("post", 3, norms=(SAME, SAME)),
        seed=5,
    ),
    Case(_("a large stream, pre-norm"), _random("pre", 2, scale=100.0), seed=6),
    Case(_("a large stream, post-norm"), _random("post", 2, scale=100.0), seed=7),
    Case(_("float64, pre-norm"), _random("pre", 7, dtype=torch.float64), seed=8),
    Case(_("float64, one position, post-norm"), _random("post", 1, dtype=torch.float64), seed=9),
    Case(_("a gradient for x"), _with_gradient, seed=10),
)

RESIDUAL_WIRING = Exercise(
    slug="residual-wiring",
    title=_("A block, pre-norm and post-norm"),
    chapter="04",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Draw the stream as a straight line, once for each kind. Where does each norm stand, "
            "on the line or on the branch to the sublayer?"
        ),
        _(
            "One sublayer first, pre-norm: it reads `norm_1(x)`, and its update is added to x, not "
            "to `norm_1(x)`. Post-norm: it reads x, and `norm_1` takes the sum."
        ),
        _(
            "The second sublayer does the same to the stream as it is after the first. If you "
            "write the result back to `x`, every later x is the current stream."
        ),
    ),
    solution=block,
    alternatives=(with_a_loop, with_read_and_write, with_names_for_every_step),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=run,
)
