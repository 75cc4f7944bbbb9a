"""What the reader sees of a test: which mistakes it catches, as bars, and one that it lets pass."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Literal, NamedTuple

from bottomup.exercises.engine.diagnose import run_on_all
from bottomup.exercises.engine.evidence import Failure, evidence_of, telling, with_place
from bottomup.exercises.engine.exercise import Exercise, Mistake
from bottomup.exercises.engine.report import (
    Evidence,
    Status,
    evidence_html,
    evidence_text,
    framed,
    paragraph,
)
from bottomup.exercises.engine.runner import compared, contained, expected_values
from bottomup.exercises.engine.show import describe_error
from bottomup.i18n import _

Outcome = Literal["passes", "asserts", "crashes"]

MARK = "\N{BLACK SQUARE}"
_BLOCK = "color: inherit; background: transparent; margin: 0.3em 0"


class WrongAnswer(NamedTuple):
    """One wrong answer of the catalogue: a mistake, and which of its forms, 0 for the first."""

    mistake: str
    number: int


@dataclass(frozen=True, repr=False)
class Catch:
    """The result of running a test. The text is the same each time.

    Args:
        exercise: the exercise whose answers were tried.
        status: "passed" where every mistake is caught in every form, "failed", "unsolved" for a
            test that is not written, "unchecked" where the run itself failed.
        message: what was found, in a few sentences.
        evidence: what a right answer did that the test rejects, where it rejects one.
        outcomes: what the test did on each wrong answer; empty where none was tried.
    """

    exercise: Exercise
    status: Status
    message: str = ""
    evidence: Evidence | None = None
    outcomes: Mapping[WrongAnswer, Outcome] = field(default_factory=dict)

    @property
    def mistakes(self) -> int:
        """How many mistakes the exercise knows."""
        return len(self.exercise.mistakes)

    @property
    def caught(self) -> int:
        """How many mistakes are caught in every form."""
        return list(self._shares().values()).count(1.0)

    @property
    def passed(self) -> bool:
        """Whether every mistake is caught in every form."""
        return self.status == "passed"

    @property
    def bars(self) -> dict[str, int]:
        """How many mistakes are caught in every form, in some forms only, and in none."""
        shares = list(self._shares().values())
        whole, none = shares.count(1.0), shares.count(0.0)
        return {
            _("caught in every form"): whole,
            _("in some forms only"): len(shares) - whole - none,
            _("not caught"): none,
        }

    @property
    def heading(self) -> str:
        """The exercise's title and the score."""
        if self.outcomes:
            verdict = _("{caught} of {count} mistakes caught")
            verdict = verdict.format(caught=self.caught, count=self.mistakes)
        else:
            verdict = _("not written yet") if self.status == "unsolved" else _("no score yet")
        return _("{title}, your test: {verdict}").format(title=self.exercise.title, verdict=verdict)

    def told(self, *, right: int) -> "Catch":
        """Return the same with status and message, after all answers were run.

        Args:
            right: how many right answers the test accepts.
        """
        counts = Counter(self.outcomes.values())
        message = _(
            "It accepts all {right} right answers. Of {wrong} wrong ones it stops {asserts} by an "
            "assertion and {crashes} by a crash, and lets {passes} pass."
        ).format(
            right=right,
            wrong=len(self.outcomes),
            asserts=counts["asserts"],
            crashes=counts["crashes"],
            passes=counts["passes"],
        )
        if not counts["passes"]:
            return replace(self, status="passed", message=message)
        more = _("`survivor()` of this report shows what one of those does.")
        return replace(self, message=f"{message} {more}")

    def survivor(self, *, diagnosis: bool = False) -> "Survivor":
        """Show a wrong answer that the test lets pass: of all, the one wrong on most cases.

        Args:
            diagnosis: whether to name its mistake too. Look at the case first.
        """
        passing = [form for form, outcome in self.outcomes.items() if outcome == "passes"]
        if not self.outcomes:
            first = _("No wrong answer was tried: a test has to accept the right ones first.")
            return Survivor(self.exercise, f"{first} {self.message}".rstrip(), self.evidence)
        if not passing:
            return Survivor(self.exercise, _("Your test lets no wrong answer pass."))
        known = {each.slug: each for each in self.exercise.mistakes}
        found = [(known[form.mistake], _failures(self.exercise, known, form)) for form in passing]
        mistake, failures = max(found, key=lambda each: len(each[1]))
        failure = telling(mistake, failures)
        trial, expected, _sentence = failure
        message = _("A wrong answer that your test lets pass, wrong on {wrong} of {count} cases.")
        message = message.format(wrong=len(failures), count=len(self.exercise.cases))
        evidence = evidence_of(trial, expected, with_place(failure))
        return Survivor(self.exercise, message, evidence, mistake if diagnosis else None)

    def _shares(self) -> dict[str, float]:
        """Return by mistake which share of its forms is caught."""
        forms: dict[str, list[bool]] = {}
        for form, outcome in self.outcomes.items():
            forms.setdefault(form.mistake, []).append(outcome != "passes")
        return {mistake: sum(caught) / len(caught) for mistake, caught in forms.items()}

    def __repr__(self) -> str:
        parts = [self.heading, self.message]
        if self.outcomes:
            parts.append(self._bars())
        if self.evidence:
            parts.append(evidence_text(self.evidence))
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [paragraph(self.message)]
        if self.outcomes:
            said = ", ".join(f"{name}: {count}" for name, count in self.bars.items())
            parts.append(
                f'<pre style="{_BLOCK}" role="img" aria-label="{escape(said)}">{self._bars()}</pre>'
            )
        if self.evidence:
            parts.append(evidence_html(self.evidence))
        return framed(self.status, self.heading, parts)

    def _bars(self) -> str:
        """Draw a mark for each mistake, in three lines."""
        width = max(map(len, self.bars))
        return "\n".join(
            f"{name:<{width}}  {count:2} {MARK * count}".rstrip()
            for name, count in self.bars.items()
        )


@dataclass(frozen=True, repr=False)
class Survivor:
    """A wrong answer that a test lets pass: what it does on one case, and its mistake if asked for.

    Args:
        exercise: the exercise that it answers.
        message: how often it is wrong, or why there is none.
        evidence: the case, with what was got and what was expected.
        mistake: what it does wrong, where that was asked for.
    """

    exercise: Exercise
    message: str
    evidence: Evidence | None = None
    mistake: Mistake | None = None

    @property
    def heading(self) -> str:
        """The exercise's title."""
        return _("{title}, a survivor").format(title=self.exercise.title)

    @property
    def told(self) -> str:
        """The mistake by name, with its diagnosis and where the book explains it."""
        if self.mistake is None:
            return ""
        text = _('`{slug}`: {diagnosis} See "{section}" in chapter {chapter}.')
        return text.format(
            slug=self.mistake.slug,
            diagnosis=self.mistake.diagnosis,
            section=self.mistake.see,
            chapter=self.exercise.chapter,
        )

    def __repr__(self) -> str:
        evidence = evidence_text(self.evidence) if self.evidence else ""
        return "\n".join(filter(None, (self.heading, self.message, self.told, evidence)))

    def _repr_html_(self) -> str:
        parts = [paragraph(text) for text in (self.message, self.told) if text]
        if self.evidence:
            parts.append(evidence_html(self.evidence))
        return framed("failed", self.heading, parts)


def _failures(exercise: Exercise, known: Mapping[str, Mistake], form: WrongAnswer) -> list[Failure]:
    """Run a wrong answer on every case of its exercise and return those on which it is wrong."""
    mistake = known[form.mistake]
    answer = mistake.answers[form.number]
    trials, expected = run_on_all(exercise, answer), expected_values(exercise)
    with contained():
        sentences = [
            compared(exercise, trial.value, value, trial.case)
            if trial.error is None
            else _("It raises {error}.").format(error=describe_error(trial.error).rstrip("."))
            for trial, value in zip(trials, expected, strict=True)
        ]
    return [
        (trial, value, sentence)
        for trial, value, sentence in zip(trials, expected, sentences, strict=True)
        if sentence is not None
    ]
