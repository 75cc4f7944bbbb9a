"""Cases whose inputs are functions: a case names them, since a report prints it."""

from collections.abc import Callable, Mapping
from typing import Any

from bottomup.exercises.engine.exercise import Case
from bottomup.exercises.engine.gradients import differentiate


def run_with(functions: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Return a runner that gives the answer the functions that a case names."""

    def run(answer: Callable[..., Any], case: Case) -> Any:
        inputs = {
            name: functions.get(value, value) if isinstance(value, str) else value
            for name, value in case.inputs.items()
        }
        if case.wants_gradients:
            return differentiate(answer, inputs)
        return answer(*inputs.values())

    return run
