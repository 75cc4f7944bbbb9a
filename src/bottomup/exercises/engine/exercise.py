"""What an exercise is: a stub, right answers, named wrong ones, and cases that separate them."""

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch

from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.gradients import differentiate, wants_gradients

Inputs = Mapping[str, Any]


@contextmanager
def torch_as_it_starts() -> Iterator[None]:
    """Have torch compute as in a new process: in float32, with gradients, without autocast."""
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        with ExitStack() as stack:
            stack.enter_context(torch.inference_mode(False))
            stack.enter_context(torch.enable_grad())
            for device in ("cpu", "cuda", "mps", "xpu"):
                if torch.is_autocast_enabled(device):
                    stack.enter_context(torch.autocast(device, enabled=False))
            yield
    finally:
        torch.set_default_dtype(dtype)


@dataclass(frozen=True)
class Case:
    """One set of inputs, made anew from its own generator whenever it is needed.

    They are made as answers are run, with `torch_as_it_starts`, whatever the reader's notebook has
    set: an exercise says what it asks for, and is the same for everybody.

    Args:
        name: what the case is about, for the reader.
        make: builds the inputs by name, in the order of the answer's arguments.
        seed: seed of the generator that `make` receives.
    """

    name: str
    make: Callable[[torch.Generator], Inputs]
    seed: int = 0

    @cached_property
    def inputs(self) -> Inputs:
        """The inputs, built once for this object."""
        with torch_as_it_starts():
            return self.make(torch.Generator().manual_seed(self.seed))

    @property
    def wants_gradients(self) -> bool:
        """Whether the case also asks for gradients, because one of its inputs requires them."""
        return wants_gradients(self.inputs)

    def fresh(self) -> "Case":
        """Return the same case with inputs of its own, so that an answer may change them."""
        return replace(self)


@dataclass(frozen=True)
class Mistake:
    """The code of a mistake that a reader can make for a reason; its text has the same slug.

    Args:
        slug: short name, unique within its exercise.
        wrong: an answer that makes the mistake and no other.
        variants: other ways to write the same mistake whose values differ.
        case: name of the case that shows the mistake best; empty: a small failing one is chosen.
    """

    slug: str
    wrong: Callable[..., Any]
    variants: tuple[Callable[..., Any], ...] = ()
    case: str = ""


@dataclass(frozen=True)
class Misconception:
    """A mistake together with its text.

    Args:
        slug, wrong, variants, case: as those of a `Mistake`.
        diagnosis: why it is wrong, and what one would see in a model.
        see: heading of the section that explains it.
    """

    slug: str
    wrong: Callable[..., Any]
    diagnosis: str
    see: str
    variants: tuple[Callable[..., Any], ...] = ()
    case: str = ""


def call_with_inputs(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer with the case's inputs by position: a reader may rename the arguments.

    Where an input requires a gradient, the value comes with the gradients.
    """
    if case.wants_gradients:
        return differentiate(answer, case.inputs)
    return answer(*case.inputs.values())


def compare_values(got: Any, expected: Any, case: Case) -> str | None:
    """Say how the values differ, within the tolerance of their dtype; None where they agree."""
    return difference(got, expected)


@dataclass(frozen=True)
class Answers:
    """The code of an exercise: right answers, wrong ones, and cases that separate them.

    Args:
        solution: a right answer; its source is shown on demand.
        alternatives: other right answers, which must pass.
        mistakes: the wrong answers that are told apart.
        cases: hand-sized first, then random ones on distinct primes, then the nasty ones; last,
            where a model would learn through the answer, a small one that wants gradients.
        run: calls an answer on a case and returns the value to compare.
        compare: says in a sentence how two values differ, or returns None.
    """

    solution: Callable[..., Any]
    alternatives: tuple[Callable[..., Any], ...]
    mistakes: tuple[Mistake, ...]
    cases: tuple[Case, ...]
    run: Callable[[Callable[..., Any], Case], Any] = call_with_inputs
    compare: Callable[[Any, Any, Case], str | None] = compare_values


@dataclass(frozen=True)
class Exercise:
    """A task with a stub to fill in, and everything needed to check an answer.

    Args:
        slug: the name that `check`, `hint` and `solution` take.
        title: the name that the reader sees.
        chapter: the chapter's number, such as "01".
        difficulty: from 1 (one line that the text almost gives) to 5 (an idea of your own).
        importance: from 1 (a side path) to 5 (the chapters that follow build on it).
        minutes: time that a reader of the chapter needs.
        stub: source text of the notebook's cell; its last definition is the answer's name.
        hints: from a nudge to nearly there.
        misconceptions: the mistakes that are told apart.
        solution, alternatives, cases, run, compare: as those of its `Answers`.
        test_minutes: time to write a test for it; 0: the chapter does not ask for one.
    """

    slug: str
    title: str
    chapter: str
    difficulty: int
    importance: int
    minutes: int
    stub: str
    hints: tuple[str, ...]
    solution: Callable[..., Any]
    alternatives: tuple[Callable[..., Any], ...]
    misconceptions: tuple[Misconception, ...]
    cases: tuple[Case, ...]
    run: Callable[[Callable[..., Any], Case], Any] = call_with_inputs
    compare: Callable[[Any, Any, Case], str | None] = compare_values
    test_minutes: int = 0

    @property
    def answer_name(self) -> str:
        """The name of the function or class that the stub defines last."""
        definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        nodes = ast.parse(self.stub).body
        return [node.name for node in nodes if isinstance(node, definitions)][-1]

    @property
    def check_line(self) -> str:
        """The line that follows the stub in the notebook."""
        return f'check("{self.slug}", {self.answer_name})'

    @property
    def test_stub(self) -> str:
        """Source text of the cell in which the reader writes a test."""
        return (
            f"def test_{self.answer_name}({self.answer_name}):\n"
            f'    """Pass for a right {self.answer_name}, fail for a wrong one."""\n'
            f"    ...\n"
        )

    @property
    def catch_line(self) -> str:
        """The line that follows the stub of the test."""
        return f'catch("{self.slug}", test_{self.answer_name})'

    @property
    def source(self) -> str:
        """The solution's source text."""
        return inspect.getsource(self.solution)
