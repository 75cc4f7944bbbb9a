"""Cases of computing again: a step through a wrapped function, and what is noted of it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

from bottomup.exercises.engine import Case, Inputs
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _

# ---- The functions that are wrapped, by what the reader is shown of them


class Setting(NamedTuple):
    """A function to wrap, its arguments, and the tensors whose gradients are looked at.

    A second call gets the value of the first, and the same other arguments unless `again` has some.
    """

    function: Callable[..., Tensor]
    leaves: Mapping[str, Tensor]
    args: tuple[Any, ...]
    kwargs: Mapping[str, float] = {}
    calls: int = 1
    again: tuple[tuple[Any, ...], Mapping[str, float]] | None = None
    with_gradient: bool = True


def of(function: Callable[..., Tensor], **details: Any) -> Callable[[Tensor], Setting]:
    return lambda x: Setting(function, {"x": x}, (x,), **details)


def with_weight(finish: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Setting]:
    def setting(x: Tensor) -> Setting:
        weight = torch.linspace(-0.7, 0.5, 3 * len(x), dtype=x.dtype).view(len(x), 3)
        weight.requires_grad_()
        return Setting(lambda x: finish((x @ weight).tanh()), {"x": x, "weight": weight}, (x,))

    return setting


def several(x: Tensor) -> Setting:
    y = torch.linspace(0.5, 1.7, len(x), dtype=x.dtype).requires_grad_()
    constant = torch.linspace(2.0, 3.0, len(x), dtype=x.dtype)
    order = torch.arange(len(x)).flip(0)
    return Setting(mixed, {"x": x, "y": y}, (x, 2, constant, y, order))


def mixed(x: Tensor, power: int, constant: Tensor, y: Tensor, order: Tensor) -> Tensor:
    return (x.exp() * y.sin())[order].sin() ** power * constant


def named(x: Tensor, *, times: float = 1.0, shift: float = 0.0) -> Tensor:
    return (times * x.sin().exp() + shift).sin()


def raised(x: Tensor, power: int, *, times: float) -> Tensor:
    return times * x.sin().exp() ** power


def dropped(x: Tensor) -> Tensor:
    return F.dropout(x.exp(), 0.5).sin()


OTHER_NUMBERS = (
    "times * x.sin().exp() ** power, called with power 2 and times=0.5, "
    "and again of its value with power 3 and times=0.25"
)

SETTINGS: Mapping[str, Callable[[Tensor], Setting]] = {
    "x.exp().sin().exp()": of(lambda x: x.exp().sin().exp()),
    "dropout(x.exp(), 0.5).sin()": of(dropped),
    "(x @ weight).tanh().exp()": with_weight(torch.exp),
    "(times * x.sin().exp() + shift).sin(), called with times=3, shift=0.5": of(
        named, kwargs={"times": 3.0, "shift": 0.5}
    ),
    "(x.exp() * y.sin())[order].sin() ** power * constant": several,
    "dropout(x.exp(), 0.5).sin(), and again of its value": of(dropped, calls=2),
    OTHER_NUMBERS: lambda x: Setting(
        raised, {"x": x}, (x, 2), {"times": 0.5}, calls=2, again=((3,), {"times": 0.25})
    ),
    "dropout((x @ weight).tanh(), 0.3).exp()": with_weight(lambda h: F.dropout(h, 0.3).exp()),
    "x.exp().sin().exp(), where no gradient is asked for": of(
        lambda x: x.exp().sin().exp(), with_gradient=False
    ),
}


def step(name: str, function: str, x: tuple[float, ...]) -> Case:
    def make(generator: torch.Generator) -> Inputs:
        # torch.utils.checkpoint loads a compiler when it is first called, which takes seconds. An
        # answer that calls it would be stopped in the middle; making inputs is not stopped.
        checkpoint(torch.sin, torch.zeros(1, requires_grad=True), use_reentrant=False)
        return {"function": function, "x": x}

    return Case(name, make)


LONG = tuple(i / 16 - 1 for i in range(29))  # so long that no two draws of dropout look alike

CASES = (
    step(_("three steps on two numbers"), "x.exp().sin().exp()", (0.0, 1.0)),
    step(_("dropout"), "dropout(x.exp(), 0.5).sin()", LONG),
    step(_("a parameter that is no argument"), "(x @ weight).tanh().exp()", (0.5, -1.0)),
    step(
        _("numbers given by name"),
        "(times * x.sin().exp() + shift).sin(), called with times=3, shift=0.5",
        (0.0, 0.5, 1.0),
    ),
    step(
        _("several arguments, some without a gradient"),
        "(x.exp() * y.sin())[order].sin() ** power * constant",
        (0.5, -1.0, 1.5),
    ),
    step(
        _("two calls, one after the other"),
        "dropout(x.exp(), 0.5).sin(), and again of its value",
        LONG,
    ),
    step(
        _("dropout and a parameter"), "dropout((x @ weight).tanh(), 0.3).exp()", (1.0, -0.5, 0.25)
    ),
    step(
        _("without a gradient"),
        "x.exp().sin().exp(), where no gradient is asked for",
        (0.0, 1.0, 2.0),
    ),
    step(_("two calls with other numbers"), OTHER_NUMBERS, (0.0, 0.5, 1.0)),
)


# ---- A forward and a backward pass through a wrapped function, and what is noted of them

NOT_RECORDED = "does not require grad"  # autograd's words


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Wrap the case's function with the answer, take a step, and return what was seen."""
    name, numbers = case.inputs.values()
    x = torch.tensor(numbers, dtype=torch.float64).requires_grad_()
    torch.rand(5)  # the generator need not be where a seed puts it
    return seen(answer, SETTINGS[name](x))


def seen(answer: Callable[..., Any], setting: Setting) -> Any:
    runs: list[str] = []

    def function(*args: Any, **kwargs: Any) -> Tensor:
        runs.append("")
        return setting.function(*args, **kwargs)

    wrapped = answer(function)
    if not callable(wrapped):
        return wrapped
    with torch.set_grad_enabled(setting.with_gradient):
        value, kept, beside = forward_pass(wrapped, setting)
    forward = len(runs)
    if not isinstance(value, Tensor):
        return {"value": value}
    torch.rand(3)  # as a loss may draw that is computed in between
    generator = torch.get_rng_state()
    if (error := backward_pass(value)) is not None:
        return {"value": value.detach(), "error": error}
    return {
        "value": value.detach(),
        "gradients": {name: leaf.grad for name, leaf in setting.leaves.items()},
        "runs": (forward, len(runs) - forward),
        "generator moved": not torch.equal(generator, torch.get_rng_state()),
        "numbers kept": beside,
        "more than the arguments": kept > setting.calls * floats(setting.args),
    }


def forward_pass(wrapped: Callable[..., Any], setting: Setting) -> tuple[Any, int, int]:
    """Return the value, and how many numbers the backward pass finds ready, parameters aside.

    The last number leaves out the arguments too, but not copies of them.
    """
    arguments = list(setting.args)
    kept: list[Tensor] = []

    def note(tensor: Tensor) -> Tensor:
        kept.append(tensor)
        return tensor

    with saved_tensors_hooks(note, lambda tensor: tensor):
        value, numbers = setting.args[0], (setting.args[1:], setting.kwargs)
        for call in range(setting.calls):
            args, kwargs = setting.again if call and setting.again else numbers
            try:
                value = wrapped(value, *args, **kwargs)
            except TypeError as error:
                if "keyword" in str(error):
                    return Refused(str(error)), 0, 0
                raise
            arguments.append(value)
    kept.extend(on_contexts(value))
    own = storages([setting.leaves["weight"]] if "weight" in setting.leaves else [])
    given = storages(arguments[:-1])  # the last value is no argument
    sizes = {storage(tensor): floats((tensor,)) for tensor in kept}
    counted = {place: size for place, size in sizes.items() if place not in own}
    beside = sum(size for place, size in counted.items() if place not in given)
    return value, sum(counted.values()), beside


def on_contexts(value: Any) -> Iterator[Tensor]:
    """Yield the tensors of floats that autograd functions before the value hold as attributes.

    The node of an autograd function in the graph is its `ctx`.
    """
    nodes, met = [getattr(value, "grad_fn", None)], set()
    while nodes:
        node = nodes.pop()
        if node is None or node in met:
            continue
        met.add(node)
        yield from tensors(list(getattr(node, "__dict__", {}).values()))
        nodes.extend(before for before, _number in node.next_functions)


def tensors(held: Any) -> Iterator[Tensor]:
    if isinstance(held, Tensor) and held.is_floating_point():
        yield held
    elif isinstance(held, tuple | list | dict):
        for part in held.values() if isinstance(held, dict) else held:
            yield from tensors(part)


class Refused(str):
    """What a wrapped function said that takes nothing by name."""


def storage(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def storages(values: list[Any]) -> set[int]:
    return {storage(x) for x in values if isinstance(x, Tensor)}


def floats(values: tuple[Any, ...]) -> int:
    return sum(x.numel() for x in values if isinstance(x, Tensor) and x.is_floating_point())


def backward_pass(value: Tensor) -> str | None:
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


# ---- How what was seen is compared


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare the value, then the gradients, then how they came about."""
    if not isinstance(got, dict):
        return no_function(got)
    ours, theirs = got["value"], expected["value"]
    if isinstance(ours, Refused) or isinstance(theirs, Refused):
        return None if type(ours) is type(theirs) else refused(ours)
    if (sentence := difference(ours, theirs)) is not None:
        return _("The wrapped function's value: {sentence}").format(sentence=sentence)
    if "error" in got or "error" in expected:
        return not_recorded(got, expected)
    return differing_gradient(got, expected) or differing_course(got, expected)


def no_function(got: Any) -> str | None:
    if got is None:
        return difference(None, "")
    sentence = _("It returned {got}, expected a function that is called like the one it was given.")
    return sentence.format(got=name_of_kind(got))


def refused(ours: Any) -> str:
    if not isinstance(ours, Refused):
        return _("The wrapped function takes arguments by name.")
    return _("The wrapped function takes no argument by name ({error}).").format(error=ours)


def not_recorded(got: Any, expected: Any) -> str | None:
    if "error" in got and "error" in expected:
        return None
    sentence = _("The value is right, but the backward pass raised: {error}.")
    return sentence.format(error=(got | expected)["error"].rstrip("."))


def differing_gradient(got: Any, expected: Any) -> str | None:
    for name, theirs in expected["gradients"].items():
        ours = got["gradients"][name]
        if ours is None and theirs is not None:
            return _("No gradient reaches {name}.").format(name=name)
        if (sentence := difference(ours, theirs)) is not None:
            return _("The gradient of {name}: {sentence}").format(name=name, sentence=sentence)
    return None


def differing_course(got: Any, expected: Any) -> str | None:
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
