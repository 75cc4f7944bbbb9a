"""What an exercise is: a stub, right answers, named wrong ones, and cases that separate them."""

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import torch

from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.edits import Edit
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
        gives: makes the value that was worked out by hand, where one was; it tests the solution.
        own: whether it is the exercise's own. One from the shelf says that an answer is wrong, and
            not which mistake it makes.
    """

    name: str
    make: Callable[[torch.Generator], Inputs]
    seed: int = 0
    gives: Callable[[], Any] | None = None
    own: bool = True

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


Kind = Literal["", "shown", "tried"]


@dataclass(frozen=True)
class Form:
    """One way to make a mistake.

    Args:
        answer: an answer that makes it, and no other.
        edit: what it changes in the solution; empty where it is no edit of that.
        kind: "shown" on the page; "tried": only that it is named is tested, nothing is learned from
            it.
        source: what a reader would have typed; empty for what is built in Python.
    """

    answer: Callable[..., Any]
    edit: Edit = ()
    kind: Kind = ""
    source: str = ""


@dataclass(frozen=True)
class Mistake:
    """A mistake that a reader can make for a reason.

    Args:
        slug: short name, unique within its exercise.
        diagnosis: why it is wrong, and what one would see in a model.
        see: heading of the section that explains it.
        forms: ways to make it whose values differ; the first is the purest.
        case: name of the case that shows the mistake best; empty: a small failing one is chosen.
    """

    slug: str
    diagnosis: str
    see: str
    forms: tuple[Form, ...]
    case: str = ""

    @property
    def known(self) -> tuple[Form, ...]:
        """The forms from which it is recognised."""
        return tuple(form for form in self.forms if form.kind != "tried")

    @property
    def answers(self) -> tuple[Callable[..., Any], ...]:
        """The answers of these forms."""
        return tuple(form.answer for form in self.known)


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


def defined_last(source: str) -> str:
    """Return the name of the function or class that a source defines last."""
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [node.name for node in ast.parse(source).body if isinstance(node, definitions)][-1]


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
        source: the solution as a reader would type it; shown on demand.
        solution: what the source defines.
        alternatives: other right answers, which must pass.
        mistakes: the wrong answers that are told apart.
        cases: hand-sized first, then random ones on distinct primes, then the nasty ones; last,
            where a model would learn through the answer, a small one that wants gradients.
        run: calls an answer on a case and returns the value to compare.
        compare: says in a sentence how two values differ, or returns None.
        test_minutes: time to write a test for it; 0: the chapter does not ask for one.
        tests: three tests of ours by name, weak, typical and strong, where it does.
        also_right, also_wrong: answers that a test of the course tries: they pass; they are refused
            without a name.
    """

    slug: str
    title: str
    chapter: str
    difficulty: int
    importance: int
    minutes: int
    stub: str
    hints: tuple[str, ...]
    source: str
    solution: Callable[..., Any]
    alternatives: tuple[Callable[..., Any], ...]
    mistakes: tuple[Mistake, ...]
    cases: tuple[Case, ...]
    run: Callable[[Callable[..., Any], Case], Any] = call_with_inputs
    compare: Callable[[Any, Any, Case], str | None] = compare_values
    test_minutes: int = 0
    tests: Mapping[str, str] = field(default_factory=dict, hash=False)
    also_right: tuple[Callable[..., Any], ...] = ()
    also_wrong: tuple[Callable[..., Any], ...] = ()

    @property
    def answer_name(self) -> str:
        """The name of the function or class that the stub defines last."""
        return defined_last(self.stub)

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
