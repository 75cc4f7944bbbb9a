"""Exercise: the slopes of a graph of numbers in one backward pass."""

from collections.abc import Callable
from itertools import pairwise

import torch

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def gradients(made_of: list[list[tuple[int, float]]]) -> list[float]:
    grad = [0.0] * len(made_of)
    grad[-1] = 1.0  # the last number moves as it moves itself
    for number in reversed(range(len(made_of))):
        for part, slope in made_of[number]:
            grad[part] += grad[number] * slope
    return grad


Graph = list[list[tuple[int, float]]]


def along_every_path(made_of: Graph) -> list[float]:
    grad = [0.0 for _parts in made_of]

    def backward(number: int, flow: float = 1.0) -> None:
        grad[number] += flow
        for part, slope in made_of[number]:
            backward(part, flow * slope)

    backward(len(made_of) - 1)
    return grad


def from_what_uses_it(made_of: Graph) -> list[float]:
    grad: dict[int, float] = {}
    for number in range(len(made_of) - 1, -1, -1):
        arrived = [
            grad[user] * slope
            for user in range(number + 1, len(made_of))
            for part, slope in made_of[user]
            if part == number
        ]
        grad[number] = sum(arrived, start=1.0 if number == len(made_of) - 1 else 0.0)
    return [grad[number] for number in range(len(made_of))]


def one_forward_run_for_each_number(made_of: Graph) -> list[float]:
    grad = []
    for moved in range(len(made_of)):
        moves: list[float] = []
        for number, parts in enumerate(made_of):
            own = 1.0 if number == moved else 0.0
            moves.append(own + sum(slope * moves[part] for part, slope in parts))
        grad.append(moves[-1])
    return grad


def with_a_matrix(made_of: Graph) -> list[float]:
    count = len(made_of)
    slopes = torch.zeros(count, count, dtype=torch.float64)  # [number, part]
    for number, parts in enumerate(made_of):
        for part, slope in parts:
            slopes[number, part] += slope
    all_paths = torch.linalg.inv(torch.eye(count, dtype=torch.float64) - slopes)
    found: list[float] = all_paths[-1].tolist()
    return found


# ---- Mistakes

HAND = _("y = a b + a a at a = 2, b = -3")
LONG_AND_SHORT = _("a short way and a long way to the same number")
Pass = Callable[[float, float], float]  # what has arrived and the slope -> what is passed on


def _backward(
    passed: Pass = lambda arrived, slope: arrived * slope,
    *,
    start: float = 0.0,
    end: float = 1.0,
    forwards: bool = False,
    replaced: bool = False,
) -> Callable[[Graph], list[float]]:
    """The solution with one thing changed."""

    def wrong(made_of: Graph) -> list[float]:
        grad = [start] * len(made_of)
        grad[-1] = end
        order = range(len(made_of))
        for number in order if forwards else reversed(order):
            for part, slope in made_of[number]:
                before = 0.0 if replaced else grad[part]
                grad[part] = before + passed(grad[number], slope)
        return grad

    return wrong


def _along_paths(
    passed: Callable[[float, float, float], float], replaced: bool = False
) -> Callable[[Graph], list[float]]:
    """The twelve lines of the chapter, which pass something else on."""

    def wrong(made_of: Graph) -> list[float]:
        grad = [0.0] * len(made_of)

        def backward(number: int, flow: float) -> None:
            grad[number] = flow if replaced else grad[number] + flow
            for part, slope in made_of[number]:
                backward(part, passed(flow, slope, grad[number]))

        backward(len(made_of) - 1, 1.0)
        return grad

    return wrong


def _from_a_list(*, first_in: bool, once: bool) -> Callable[[Graph], list[float]]:
    """Numbers wait in a list until they pass on what has arrived, each once or as often as met."""

    def wrong(made_of: Graph) -> list[float]:
        grad = [0.0] * len(made_of)
        grad[-1] = 1.0
        waiting, met = [len(made_of) - 1], set()
        while waiting:
            number = waiting.pop(0 if first_in else -1)
            for part, slope in made_of[number]:
                grad[part] += grad[number] * slope
                if not (once and part in met):
                    waiting.append(part)
                met.add(part)
        return grad

    return wrong


def _with_parts(keep: Callable[[list[tuple[int, float]]], list[tuple[int, float]]]):  # type: ignore[no-untyped-def]
    """The solution on other lists of parts."""
    return lambda made_of: gradients([keep(parts) for parts in made_of])


def _last_zero(made_of: Graph) -> list[float]:
    return [*gradients(made_of)[:-1], 0.0]


def _first_arrival_kept(made_of: Graph) -> list[float]:
    grad = [0.0] * (len(made_of) - 1) + [1.0]
    for number in reversed(range(len(made_of))):
        arriving = [(part, slope) for part, slope in made_of[number] if grad[part] == 0.0]
        for part, slope in arriving:
            grad[part] += grad[number] * slope
    return grad


def _nothing_passed_on(made_of: Graph) -> list[float]:
    """The walk begins behind the last number, or passes on what the part itself has."""
    return [*[0.0] * (len(made_of) - 1), 1.0]


def _given(made_of: Graph) -> list[float]:
    return [slope for slope, parts in zip(gradients(made_of), made_of, strict=True) if not parts]


def _zero_between(made_of: Graph) -> list[float]:
    both = zip(gradients(made_of), made_of, strict=True)
    return [0.0 if parts else slope for slope, parts in both]


MISTAKES = (
    Mistake(
        "overwritten",
        _backward(replaced=True),
        (
            _along_paths(lambda flow, slope, gathered: flow * slope, replaced=True),
            _first_arrival_kept,
        ),
    ),
    Mistake(
        "passed-on-too-soon",
        _backward(forwards=True),
        (_from_a_list(first_in=True, once=True), _from_a_list(first_in=False, once=True)),
    ),
    Mistake(
        "passed-on-again",
        _along_paths(lambda flow, slope, gathered: gathered * slope),
        (_from_a_list(first_in=True, once=False), _from_a_list(first_in=False, once=False)),
    ),
    Mistake(
        "slopes-added",
        _backward(lambda arrived, slope: arrived + slope),
        (_along_paths(lambda flow, slope, gathered: flow + slope),),
    ),
    Mistake("flow-left-out", _backward(lambda arrived, slope: slope)),
    Mistake("slope-left-out", _backward(lambda arrived, slope: arrived)),
    Mistake("nothing-flows", _backward(end=0.0), (_nothing_passed_on,)),
    Mistake("ones-at-the-start", _backward(start=1.0)),
    Mistake("last-without-slope", _last_zero),
    Mistake("given-numbers-only", _given, (_zero_between,)),
    Mistake(
        "same-part-once",
        _with_parts(lambda parts: list(dict(parts).items())),
        (_with_parts(lambda parts: sorted(set(parts))),),
    ),
)


# ---- Cases


def _hand(*made_of: list[tuple[int, float]]) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"made_of": [list(parts) for parts in made_of]}


def _random(numbers: int, given: int) -> Callable[[torch.Generator], Inputs]:
    """A graph in which each number behind the given ones has one to three parts."""

    def make(generator: torch.Generator) -> Inputs:
        made_of: Graph = [[] for _number in range(given)]
        for number in range(given, numbers):
            count = int(torch.randint(1, 4, (1,), generator=generator))
            parts = torch.randint(number, (count,), generator=generator).tolist()
            slopes = torch.randint(-20, 21, (count,), generator=generator).tolist()
            made_of.append([(part, slope / 8) for part, slope in zip(parts, slopes, strict=True)])
        return {"made_of": made_of}

    return make


CASES = (
    Case(HAND, _hand([], [], [(0, -3.0), (1, 2.0)], [(0, 2.0), (0, 2.0)], [(2, 1.0), (3, 1.0)])),
    Case(_("a chain: times 3, times -2, times 5"), _hand([], [(0, 3.0)], [(1, -2.0)], [(2, 5.0)])),
    Case(_("a number that nothing uses"), _hand([], [], [(0, 2.0)])),
    Case(_("one number, which was given"), _hand([])),
    Case(LONG_AND_SHORT, _hand([], [(0, 2.0)], [(1, 3.0)], [(1, 7.0), (2, 5.0)])),
    Case(
        _("a long way and a short way, the other way round"),
        _hand([], [(0, 2.0)], [(1, 3.0)], [(2, 5.0), (1, 7.0)]),
    ),
    Case(
        _("doubled five times: x + x"),
        _hand([], *([(part, 1.0), (part, 1.0)] for part, _next in pairwise(range(6)))),
    ),
    Case(_("seven numbers, two of them given"), _random(7, 2), seed=1),
    Case(_("eleven numbers, three of them given"), _random(11, 3), seed=2),
    Case(_("thirteen numbers, one of them given"), _random(13, 1), seed=3),
)

ANSWERS = Answers(
    solution=gradients,
    alternatives=(
        along_every_path,
        from_what_uses_it,
        one_forward_run_for_each_number,
        with_a_matrix,
    ),
    mistakes=MISTAKES,
    cases=CASES,
)
