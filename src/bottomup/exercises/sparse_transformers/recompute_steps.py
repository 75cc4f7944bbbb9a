"""One forward and one backward pass through a wrapped function, and what is noted of them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from bottomup.exercises.compare import difference, name_of_kind
from bottomup.exercises.exercise import Case
from bottomup.i18n import _

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
