"""Exercise: compute again instead of keeping (Chen et al., 2016; Child et al., 2019, 5.4)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _


# fmt: off
def compute_again(function: "Call") -> "Call":
    class Again(torch.autograd.Function):
        @staticmethod
        def forward(ctx: "Any", kwargs: "Any", *args: "Any") -> "Any":  # records nothing
            ctx.args, ctx.kwargs, ctx.state = args, kwargs, torch.get_rng_state()
            return function(*args, **kwargs)
        @staticmethod
        def backward(ctx: "Any", gradient: "Any") -> "Any":
            args = [x.detach().requires_grad_(x.requires_grad) if torch.is_tensor(x) else x
                    for x in ctx.args]
            with torch.random.fork_rng(devices=[]), torch.enable_grad():
                torch.set_rng_state(ctx.state)
                function(*args, **ctx.kwargs).backward(gradient)
            return None, *(getattr(x, "grad", None) for x in args)
    return lambda *args, **kwargs: Again.apply(kwargs, *args)
# fmt: on


Call = Callable[..., Any]


def with_checkpoint(function: Call) -> Call:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return checkpoint(function, *args, use_reentrant=False, **kwargs)

    return wrapped


def with_the_older_checkpoint(function: Call) -> Call:
    """It takes no arguments by name, so they are put into the function first."""

    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return checkpoint(lambda *inputs: function(*inputs, **kwargs), *args, use_reentrant=True)

    return wrapped


class _Saved(torch.autograd.Function):
    """The function and its arguments are handed in; tensors are kept as autograd wants it."""

    @staticmethod
    def forward(ctx: Any, function: Call, kwargs: Any, *args: Any) -> Any:
        ctx.function, ctx.kwargs, ctx.state = function, kwargs, torch.default_generator.get_state()
        ctx.save_for_backward(*(x for x in args if isinstance(x, Tensor)))
        ctx.others = [None if isinstance(x, Tensor) else x for x in args]
        return function(*args, **kwargs)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        tensors = iter(ctx.saved_tensors)
        inputs = [next(tensors) if x is None else x for x in ctx.others]
        leaves = [
            x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x
            for x in inputs
        ]
        found = torch.default_generator.get_state()
        torch.default_generator.set_state(ctx.state)
        with torch.enable_grad():
            value = ctx.function(*leaves, **ctx.kwargs)
        torch.default_generator.set_state(found)
        torch.autograd.backward(value, gradients)
        return (None, None, *(x.grad if isinstance(x, Tensor) else None for x in leaves))


def with_saved_tensors(function: Call) -> Call:
    return lambda *args, **kwargs: _Saved.apply(function, kwargs, *args)


# ---- Recomputation by hand, with one place where it can go wrong

Answer = Callable[[Call], Call]


@dataclass(frozen=True)
class By:
    """How an answer recomputes; the default is right.

    Args:
        forward_runs, backward_runs: how often the function runs in each pass.
        seed: a seed for both runs in place of the kept state.
        state_after: whether the state is kept after the first run, not before it.
        restores: whether the second run starts from the state of the first.
        puts_back: whether the generator is put back after the second run.
        ones: whether the gradient that comes in is replaced by ones.
        detaches: whether the second run starts from detached arguments.
        by_grad: whether the arguments' gradients are asked for by name, and no others.
        records: whether autograd records the second run.
        passes_names: whether the second run gets what was given by name.
        hands_on: whether the arguments' gradients are returned; else None is, for each of them.
        shares_args: whether all calls keep their arguments in one place.
        shares_state: whether all calls keep the generator's state in one place.
    """

    forward_runs: int = 1
    backward_runs: int = 1
    seed: int | None = None
    state_after: bool = False
    restores: bool = True
    puts_back: bool = True
    ones: bool = False
    detaches: bool = True
    by_grad: bool = False
    records: bool = True
    passes_names: bool = True
    hands_on: bool = True
    shares_args: bool = False
    shares_state: bool = False


def by_hand(**details: Any) -> Answer:
    how = By(**details)

    def compute_again(function: Call) -> Call:
        memory: dict[str, Any] = {}

        class Again(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, kwargs: Any, *args: Any) -> Any:
                ctx.args, ctx.kwargs = args, kwargs
                for _run in range(how.forward_runs):
                    if how.seed is not None:
                        torch.default_generator.manual_seed(how.seed)
                    ctx.state = torch.get_rng_state()
                    value = function(*args, **kwargs)
                if how.state_after:
                    ctx.state = torch.get_rng_state()
                memory.update(args=args, state=ctx.state)
                return value

            @staticmethod
            def backward(ctx: Any, gradient: Tensor) -> Any:
                args = memory["args"] if how.shares_args else ctx.args
                state = memory["state"] if how.shares_state else ctx.state
                found = torch.get_rng_state()
                if how.restores:
                    torch.default_generator.set_state(state)
                leaves = _leaves(args) if how.detaches else list(args)
                for _run in range(how.backward_runs - 1):
                    function(*args, **ctx.kwargs)
                    torch.default_generator.set_state(state)
                with torch.set_grad_enabled(how.records):
                    value = function(*leaves, **(ctx.kwargs if how.passes_names else {}))
                if how.restores and how.puts_back:
                    torch.default_generator.set_state(found)
                gradient = torch.ones_like(value) if how.ones else gradient
                found_gradients = _gradients(value, gradient, leaves, by_grad=how.by_grad)
                return None, *(found_gradients if how.hands_on else [None] * len(leaves))

        return lambda *args, **kwargs: Again.apply(kwargs, *args)

    return compute_again


def _leaves(args: tuple[Any, ...]) -> list[Any]:
    return [
        x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in args
    ]


def _gradients(value: Tensor, gradient: Tensor, leaves: list[Any], *, by_grad: bool) -> list[Any]:
    if by_grad:
        wanted = [x for x in leaves if _wants(x)]
        found = iter(torch.autograd.grad(value, wanted, gradient))
        return [next(found) if _wants(x) else None for x in leaves]
    value.backward(gradient)
    return [x.grad if isinstance(x, Tensor) else None for x in leaves]


def _wants(x: Any) -> bool:
    return isinstance(x, Tensor) and x.requires_grad


def graph_kept(function: Call) -> Call:
    """A Function that records in its forward pass and keeps what was recorded."""

    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, kwargs: Any, *args: Any) -> Any:
            ctx.leaves = _leaves(args)
            with torch.enable_grad():
                ctx.value = function(*ctx.leaves, **kwargs)
            return ctx.value.detach()

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> Any:
            return (None, *_gradients(ctx.value, gradient, ctx.leaves, by_grad=False))

    return lambda *args, **kwargs: Kept.apply(kwargs, *args)


def plain(function: Call) -> Call:
    return lambda *args, **kwargs: function(*args, **kwargs)


def by_checkpoint(**options: Any) -> Answer:
    def compute_again(function: Call) -> Call:
        return lambda *args, **kwargs: checkpoint(
            function, *args, use_reentrant=False, **options, **kwargs
        )

    return compute_again


def run_twice(function: Call) -> Call:
    """Once for the value, once more for the checkpoint."""
    again = by_checkpoint()(function)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        state = torch.get_rng_state()
        with torch.no_grad():
            function(*args, **kwargs)
        torch.default_generator.set_state(state)
        return again(*args, **kwargs)

    return wrapped


def without_gradient(function: Call) -> Call:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with torch.no_grad():
            return function(*args, **kwargs)

    return wrapped


def detached(function: Call) -> Call:
    return lambda *args, **kwargs: function(*args, **kwargs).detach()


def arguments_detached(function: Call) -> Call:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return function(*(x.detach() if isinstance(x, Tensor) else x for x in args), **kwargs)

    return wrapped


def arguments_detached_in_a_checkpoint(function: Call) -> Call:
    return arguments_detached(by_checkpoint()(function))


def names_dropped(function: Call) -> Call:
    return lambda *args, **kwargs: checkpoint(function, *args, use_reentrant=False)


def names_refused(function: Call) -> Call:
    return lambda *args: checkpoint(function, *args, use_reentrant=False)


# ---- Mistakes: what is forgotten, what is kept, where the gradient stops

HAND = _("three steps on two numbers")
DROPOUT = _("dropout")
WEIGHT = _("a parameter that is no argument")
NAMED = _("numbers given by name")
SEVERAL = _("several arguments, some without a gradient")
TWICE = _("two calls, one after the other")

MEMORY = (
    Mistake("nothing-forgotten", plain, (graph_kept,), case=HAND),
    Mistake(
        "one-run-too-many",
        run_twice,
        (by_hand(forward_runs=2), by_hand(backward_runs=2), by_hand(backward_runs=3)),
        case=HAND,
    ),
    Mistake(
        "one-memory-for-all-calls",
        by_hand(shares_args=True),
        (by_hand(shares_state=True), by_hand(shares_args=True, shares_state=True)),
        case=TWICE,
    ),
)

RANDOMNESS = (
    Mistake(
        "other-random-numbers",
        by_hand(restores=False),
        (by_checkpoint(preserve_rng_state=False), by_hand(state_after=True)),
        case=DROPOUT,
    ),
    Mistake("generator-not-put-back", by_hand(puts_back=False), case=HAND),
    Mistake(
        "seeded-in-each-run",
        by_hand(seed=0),
        tuple(
            by_hand(seed=seed, puts_back=back)
            for seed in (0, 1, 7, 42, 123, 1234)
            for back in (True, False)
        )[1:],
        case=DROPOUT,
    ),
)

GRADIENTS = (
    Mistake("no-gradient", without_gradient, (detached,), case=HAND),
    Mistake(
        "arguments-detached", arguments_detached, (arguments_detached_in_a_checkpoint,), case=WEIGHT
    ),
    Mistake(
        "second-run-not-recorded",
        by_hand(records=False),
        (by_hand(records=False, by_grad=True),),
        case=HAND,
    ),
    Mistake("gradients-not-handed-on", by_hand(hands_on=False), case=HAND),
    Mistake("parameters-without-gradient", by_hand(by_grad=True), case=WEIGHT),
    Mistake("incoming-gradient-ignored", by_hand(ones=True), case=HAND),
    Mistake("not-detached-in-the-second-run", by_hand(detaches=False), case=HAND),
)

CALLING = (
    Mistake(
        "names-not-passed", names_dropped, (names_refused, by_hand(passes_names=False)), case=NAMED
    ),
)

MISTAKES = (*MEMORY, *RANDOMNESS, *GRADIENTS, *CALLING)


# ---- A forward and a backward pass through a wrapped function, and what is noted of them

NOT_RECORDED = "does not require grad"  # autograd's words


class Setting(NamedTuple):
    """A function to wrap, its arguments, and the tensors whose gradients are looked at."""

    function: Callable[..., Tensor]
    leaves: Mapping[str, Tensor]
    args: tuple[Any, ...]
    kwargs: Mapping[str, float] = {}
    calls: int = 1
    with_gradient: bool = True


def _of(function: Callable[..., Tensor], **details: Any) -> Callable[[Tensor], Setting]:
    return lambda x: Setting(function, {"x": x}, (x,), **details)


def _with_weight(finish: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Setting]:
    def setting(x: Tensor) -> Setting:
        weight = torch.linspace(-0.7, 0.5, 3 * len(x), dtype=x.dtype).view(len(x), 3)
        weight.requires_grad_()
        return Setting(lambda x: finish((x @ weight).tanh()), {"x": x, "weight": weight}, (x,))

    return setting


def _several(x: Tensor) -> Setting:
    y = torch.linspace(0.5, 1.7, len(x), dtype=x.dtype).requires_grad_()
    constant = torch.linspace(2.0, 3.0, len(x), dtype=x.dtype)
    order = torch.arange(len(x)).flip(0)
    args = (x, 2, constant, y, order)
    return Setting(_mixed, {"x": x, "y": y}, args)


def _mixed(x: Tensor, power: int, constant: Tensor, y: Tensor, order: Tensor) -> Tensor:
    return (x.exp() * y.sin())[order].sin() ** power * constant


def _named(x: Tensor, *, times: float = 1.0, shift: float = 0.0) -> Tensor:
    return (times * x.sin().exp() + shift).sin()


def _dropped(x: Tensor) -> Tensor:
    return F.dropout(x.exp(), 0.5).sin()


SETTINGS: Mapping[str, Callable[[Tensor], Setting]] = {
    "x.exp().sin().exp()": _of(lambda x: x.exp().sin().exp()),
    "dropout(x.exp(), 0.5).sin()": _of(_dropped),
    "(x @ weight).tanh().exp()": _with_weight(torch.exp),
    "(times * x.sin().exp() + shift).sin(), called with times=3, shift=0.5": _of(
        _named, kwargs={"times": 3.0, "shift": 0.5}
    ),
    "(x.exp() * y.sin())[order].sin() ** power * constant": _several,
    "dropout(x.exp(), 0.5).sin(), and again of its value": _of(_dropped, calls=2),
    "dropout((x @ weight).tanh(), 0.3).exp()": _with_weight(lambda h: F.dropout(h, 0.3).exp()),
    "x.exp().sin().exp(), where no gradient is asked for": _of(
        lambda x: x.exp().sin().exp(), with_gradient=False
    ),
}


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Wrap the case's function with the answer, take a step, and return what was seen."""
    name, numbers = case.inputs.values()
    x = torch.tensor(numbers, dtype=torch.float64).requires_grad_()
    torch.rand(5)  # the generator need not be where a seed puts it
    return _step(answer, SETTINGS[name](x))


def _step(answer: Callable[..., Any], setting: Setting) -> Any:
    runs: list[str] = []

    def function(*args: Any, **kwargs: Any) -> Tensor:
        runs.append("")
        return setting.function(*args, **kwargs)

    wrapped = answer(function)
    if not callable(wrapped):
        return wrapped
    with torch.set_grad_enabled(setting.with_gradient):
        value, kept, beside = _forward(wrapped, setting)
    forward = len(runs)
    if not isinstance(value, Tensor):
        return {"value": value}
    torch.rand(3)  # as a loss may draw that is computed in between
    generator = torch.get_rng_state()
    if (error := _backward(value)) is not None:
        return {"value": value.detach(), "error": error}
    return {
        "value": value.detach(),
        "gradients": {name: leaf.grad for name, leaf in setting.leaves.items()},
        "runs": (forward, len(runs) - forward),
        "generator moved": not torch.equal(generator, torch.get_rng_state()),
        "numbers kept": beside,
        "more than the arguments": kept > setting.calls * _floats(setting.args),
    }


def _forward(wrapped: Callable[..., Any], setting: Setting) -> tuple[Any, int, int]:
    """Return the value, and how many numbers the backward pass finds ready, parameters aside.

    The last number leaves out the arguments too, but not copies of them.
    """
    arguments = list(setting.args)
    kept: list[Tensor] = []

    def note(tensor: Tensor) -> Tensor:
        kept.append(tensor)
        return tensor

    with saved_tensors_hooks(note, lambda tensor: tensor):
        value = setting.args[0]
        for _call in range(setting.calls):
            try:
                value = wrapped(value, *setting.args[1:], **setting.kwargs)
            except TypeError as error:
                if "keyword" in str(error):
                    return Refused(str(error)), 0, 0
                raise
            arguments.append(value)
    kept.extend(_on_contexts(value))
    own = _storages([setting.leaves["weight"]] if "weight" in setting.leaves else [])
    given = _storages(arguments[:-1])  # the last value is no argument
    sizes = {_storage(tensor): _floats((tensor,)) for tensor in kept}
    counted = {place: size for place, size in sizes.items() if place not in own}
    beside = sum(size for place, size in counted.items() if place not in given)
    return value, sum(counted.values()), beside


def _on_contexts(value: Any) -> Iterator[Tensor]:
    """Yield the tensors of floats that autograd functions before the value hold as attributes.

    The node of an autograd function in the graph is its `ctx`.
    """
    nodes, met = [getattr(value, "grad_fn", None)], set()
    while nodes:
        node = nodes.pop()
        if node is None or node in met:
            continue
        met.add(node)
        yield from _tensors(list(getattr(node, "__dict__", {}).values()))
        nodes.extend(before for before, _number in node.next_functions)


def _tensors(held: Any) -> Iterator[Tensor]:
    if isinstance(held, Tensor) and held.is_floating_point():
        yield held
    elif isinstance(held, tuple | list | dict):
        for part in held.values() if isinstance(held, dict) else held:
            yield from _tensors(part)


class Refused(str):
    """What a wrapped function said that takes nothing by name."""


def _storage(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _storages(values: list[Any]) -> set[int]:
    return {_storage(x) for x in values if isinstance(x, Tensor)}


def _floats(values: tuple[Any, ...]) -> int:
    return sum(x.numel() for x in values if isinstance(x, Tensor) and x.is_floating_point())


def _backward(value: Tensor) -> str | None:
    """Go back from the value; return what autograd says of a second run that nothing recorded."""
    if not value.requires_grad:
        return None
    count = value.numel()
    try:
        value.backward(torch.arange(1, count + 1).view(value.shape) / count)
    except RuntimeError as error:
        if NOT_RECORDED not in str(error):
            raise
        return str(error)
    return None


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare the value, then the gradients, then how they came about."""
    if not isinstance(got, dict):
        return _no_function(got)
    ours, theirs = got["value"], expected["value"]
    if isinstance(ours, Refused) or isinstance(theirs, Refused):
        return None if type(ours) is type(theirs) else _refused(ours)
    if (sentence := difference(ours, theirs)) is not None:
        return _("The wrapped function's value: {sentence}").format(sentence=sentence)
    if "error" in got or "error" in expected:
        return _not_recorded(got, expected)
    return _differing_gradient(got, expected) or _differing_course(got, expected)


def _no_function(got: Any) -> str | None:
    if got is None:
        return difference(None, "")
    sentence = _("It returned {got}, expected a function that is called like the one it was given.")
    return sentence.format(got=name_of_kind(got))


def _refused(ours: Any) -> str:
    if not isinstance(ours, Refused):
        return _("The wrapped function takes arguments by name.")
    return _("The wrapped function takes no argument by name ({error}).").format(error=ours)


def _not_recorded(got: Any, expected: Any) -> str | None:
    if "error" in got and "error" in expected:
        return None
    sentence = _("The value is right, but the backward pass raised: {error}.")
    return sentence.format(error=(got | expected)["error"].rstrip("."))


def _differing_gradient(got: Any, expected: Any) -> str | None:
    for name, theirs in expected["gradients"].items():
        ours = got["gradients"][name]
        if ours is None and theirs is not None:
            return _("No gradient reaches {name}.").format(name=name)
        if (sentence := difference(ours, theirs)) is not None:
            return _("The gradient of {name}: {sentence}").format(name=name, sentence=sentence)
    return None


def _differing_course(got: Any, expected: Any) -> str | None:
    if got["runs"] != expected["runs"]:
        sentence = _(
            "Values and gradients are right. Runs of the function in the forward and the backward "
            "pass: {ours} and {again}, expected {theirs} and {once_more}."
        )
        (ours, again), (theirs, once_more) = got["runs"], expected["runs"]
        return sentence.format(ours=ours, again=again, theirs=theirs, once_more=once_more)
    if got["more than the arguments"] != expected["more than the arguments"]:
        sentence = _(
            "The call keeps {count} numbers for the backward pass, beside parameters and arguments."
        )
        return sentence.format(count=got["numbers kept"])
    if got["generator moved"] != expected["generator moved"]:
        return _("The backward pass leaves torch's generator in another state than it found.")
    return None


# ---- Cases


def _on(function: str, *x: float) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        # torch.utils.checkpoint loads a compiler when it is first called, which takes seconds. An
        # answer that calls it would be stopped in the middle; making inputs is not stopped.
        checkpoint(torch.sin, torch.zeros(1, requires_grad=True), use_reentrant=False)
        return {"function": function, "x": x}

    return make


_NAMES = (
    HAND, DROPOUT, WEIGHT, NAMED, SEVERAL, TWICE, _("dropout and a parameter"),
    _("without a gradient"),
)  # fmt: skip

_LONG = tuple(i / 16 - 1 for i in range(29))  # so long that no two draws of dropout look alike

_NUMBERS = (
    (0.0, 1.0), _LONG, (0.5, -1.0), (0.0, 0.5, 1.0), (0.5, -1.0, 1.5), _LONG, (1.0, -0.5, 0.25),
    (0.0, 1.0, 2.0),
)  # fmt: skip

CASES = tuple(
    Case(name, _on(function, *numbers))
    for name, function, numbers in zip(_NAMES, SETTINGS, _NUMBERS, strict=True)
)

ANSWERS = Answers(
    solution=compute_again,
    alternatives=(with_checkpoint, with_the_older_checkpoint, with_saved_tensors),
    mistakes=MISTAKES,
    cases=CASES,
    run=run,
    compare=compare,
)
