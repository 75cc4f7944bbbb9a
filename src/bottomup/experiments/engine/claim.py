"""A claim: what it is, measured here over seeds, with a verdict that a rule computes.

A rule turns one number a seed into a verdict. The register says whether it was set before the
numbers were there, and the ledger prints it. A claim that fails stays.
"""

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from scipy.special import stdtrit

from bottomup.checks import check_number
from bottomup.i18n import _

# With fewer seeds nothing is decided.
MIN_SEEDS = 3
MIN_RESAMPLES = 100
CONFIDENCE = 0.975  # on each side


class Verdict(StrEnum):
    """What the runs say about a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


class Kind(StrEnum):
    """What a claim is. Claims of one kind are counted together."""

    PAPER = "paper"  # a statement of the paper that it cites
    OWN = "own"  # a question or control of our own
    REPETITION = "repetition"  # asks again what another claim asks, in another setting
    IDENTITY = "identity"  # follows from a definition, or is a count: a test, not a finding


class Rule(Protocol):
    """Decides on a claim from one number a seed."""

    @property
    def margin(self) -> float:
        """The bound that the numbers are compared with."""

    @property
    def text(self) -> str:
        """The rule in words, for the reader."""

    def is_met_by(self, value: float) -> bool:
        """Say whether one number lies on the claim's side of the margin."""

    def judge(self, values: Sequence[float]) -> Verdict:
        """Return the verdict."""

    def chance(self, seeds: int) -> float:
        """Return how often chance alone meets the rule where the truth lies on the margin."""


@dataclass(frozen=True)
class EverySeedAbove:
    """Holds where every seed lies above the margin, fails where none does, else undecided."""

    margin: float

    @property
    def text(self) -> str:
        """The rule in words."""
        return _("above {margin:g} in every seed").format(margin=self.margin)

    def is_met_by(self, value: float) -> bool:
        """Say whether a number lies above the margin."""
        return value > self.margin

    def judge(self, values: Sequence[float]) -> Verdict:
        """Return the verdict; fewer than three seeds leave the claim undecided."""
        return _unanimous([self.is_met_by(value) for value in values])

    def chance(self, seeds: int) -> float:
        """Return 1 / 2^n for n seeds, each above the margin in half of the cases."""
        return _every_time(seeds)


@dataclass(frozen=True)
class EverySeedBelow:
    """Holds where every seed lies below the margin, fails where none does, else undecided."""

    margin: float

    @property
    def text(self) -> str:
        """The rule in words."""
        return _("below {margin:g} in every seed").format(margin=self.margin)

    def is_met_by(self, value: float) -> bool:
        """Say whether a number lies below the margin."""
        return value < self.margin

    def judge(self, values: Sequence[float]) -> Verdict:
        """Return the verdict; fewer than three seeds leave the claim undecided."""
        return _unanimous([self.is_met_by(value) for value in values])

    def chance(self, seeds: int) -> float:
        """Return 1 / 2^n for n seeds, each below the margin in half of the cases."""
        return _every_time(seeds)


@dataclass(frozen=True)
class MeanAbove:
    """Decides by the 95 % confidence interval of the mean over seeds.

    The interval is ``m ± t s / sqrt(n)`` with m the mean and s the sample standard deviation of n
    seeds, and t the 97.5 % quantile of Student's distribution with n - 1 degrees of freedom (4.30
    for three seeds, 2.78 for five). Holds where it lies above the margin, fails where it lies
    below, else undecided.
    """

    margin: float

    @property
    def text(self) -> str:
        """The rule in words."""
        return _("95 % interval of the mean above {margin:g}").format(margin=self.margin)

    def is_met_by(self, value: float) -> bool:
        """Say whether a number lies above the margin."""
        return value > self.margin

    def judge(self, values: Sequence[float]) -> Verdict:
        """Return the verdict; fewer than three seeds leave the claim undecided."""
        if len(values) < MIN_SEEDS:
            return Verdict.UNDECIDED
        mean = statistics.fmean(values)
        quantile = float(stdtrit(len(values) - 1, CONFIDENCE))
        half = quantile * statistics.stdev(values) / math.sqrt(len(values))
        if mean - half > self.margin:
            return Verdict.HOLDS
        return Verdict.FAILS if mean + half < self.margin else Verdict.UNDECIDED

    def chance(self, seeds: int) -> float:
        """Return 0.025: the interval lies wholly above a true mean so often."""
        return 1 - CONFIDENCE if seeds >= MIN_SEEDS else 0.0


@dataclass(frozen=True)
class ResampledAbove:
    """Decides on one training by test sets drawn from the test set, not by seeds.

    Holds where at least 97.5 % of the resampled values lie above the margin, fails where as many
    lie below it, else undecided. The values' spread is then the standard error that comes from the
    choice of test sentences.
    """

    margin: float

    @property
    def text(self) -> str:
        """The rule in words."""
        text = _("above {margin:g} in 97.5 % of the resampled test sets; one training")
        return text.format(margin=self.margin)

    def is_met_by(self, value: float) -> bool:
        """Say whether a number lies above the margin."""
        return value > self.margin

    def judge(self, values: Sequence[float]) -> Verdict:
        """Return the verdict; fewer than a hundred resamples leave the claim undecided."""
        if len(values) < MIN_RESAMPLES:
            return Verdict.UNDECIDED
        above = sum(map(self.is_met_by, values)) / len(values)
        if above >= CONFIDENCE:
            return Verdict.HOLDS
        return Verdict.FAILS if above <= 1 - CONFIDENCE else Verdict.UNDECIDED

    def chance(self, seeds: int) -> float:
        """Return 0.025, of the choice of test sentences; that of the training is not in it."""
        return 1 - CONFIDENCE if seeds >= MIN_RESAMPLES else 0.0


RULES: dict[str, type[EverySeedAbove | EverySeedBelow | MeanAbove | ResampledAbove]] = {
    r"above (\S+) in every seed": EverySeedAbove,
    r"below (\S+) in every seed": EverySeedBelow,
    r"95 % interval of the mean above (\S+)": MeanAbove,
    r"above (\S+) in 97\.5 % of the resampled test sets; one training": ResampledAbove,
}


def rule(text: str) -> Rule:
    """Return the rule that says this of itself in English, such as ``above 5 in every seed``."""
    for pattern, kind in RULES.items():
        if found := re.fullmatch(pattern, text):
            return kind(float(found[1]))
    raise ValueError(f"rule: expected one of {', '.join(RULES)}, got {text!r}")


def _unanimous(kept: Sequence[bool]) -> Verdict:
    if len(kept) < MIN_SEEDS or any(kept) != all(kept):
        return Verdict.UNDECIDED
    return Verdict.HOLDS if all(kept) else Verdict.FAILS


def _every_time(seeds: int) -> float:
    return 0.5**seeds if seeds >= MIN_SEEDS else 0.0


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim beside what was measured.

    Attributes:
        id: chapter, number and letter: ``01.1a``.
        kind: what it is: a statement of a paper, a question of our own, a repetition, an identity.
        repeats: the claim that a repetition asks again.
        sentence: what is claimed, in one sentence that can be wrong.
        source: paper, with table or figure.
        paper_value: what the paper reports, in words where it gives no number.
        measured: what our number is: quantity, unit, data, variant.
        rule: decides from `values`.
        values: our number, one a seed; with `ResampledAbove` one a resampled test set.
        record: experiment and preset, ``attention/recorded``.
        section: heading of the chapter's section that discusses it.
        room: the largest number that could have been measured, one a seed, where something bounds
            it, such as an accuracy that is nearly 1 on the other side of a difference.
        digits: decimal places to show.
        known: what its author knew of the outcome when the rule was set, where no record shows it:
            trials, or another reader's numbers.
    """

    id: str
    kind: Kind
    repeats: str | None = None
    sentence: str
    source: str
    paper_value: str
    measured: str
    rule: Rule
    values: tuple[float, ...]
    record: str
    section: str
    room: tuple[float, ...] | None = None
    digits: int = 2
    known: str = ""

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"values: expected one number a seed for claim {self.id}, got none")
        for value in self.values:
            check_number("values", value)
        if (self.kind is Kind.REPETITION) != (self.repeats is not None):
            raise ValueError(
                f"repeats: expected another claim's number for a repetition and for nothing else, "
                f"got {self.repeats!r} for claim {self.id}, which is of the kind {self.kind}"
            )

    @property
    def chapter(self) -> str:
        """The chapter's number, such as ``01``."""
        return self.id.split(".")[0]

    @property
    def place(self) -> tuple[str, int, str]:
        """Chapter, number and letter, so that 08.9 comes before 08.10."""
        chapter, number = self.id.split(".")
        letter = number.lstrip("0123456789")
        return chapter, int(number.removesuffix(letter)), letter

    @property
    def margin(self) -> float:
        """The rule's bound."""
        return self.rule.margin

    @property
    def verdict(self) -> Verdict:
        """What the rule says of the values; a rule that they could not meet decides nothing."""
        return Verdict.UNDECIDED if self.is_out_of_reach else self.rule.judge(self.values)

    @property
    def is_out_of_reach(self) -> bool:
        """Say whether even the largest numbers that were possible would not meet the rule."""
        return self.room is not None and not self.rule.is_met_by(statistics.fmean(self.room))

    @property
    def mean(self) -> float:
        """Mean over seeds."""
        return statistics.fmean(self.values)

    @property
    def spread(self) -> float | None:
        """Sample standard deviation over seeds; None for one seed."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def is_constant(self) -> bool:
        """Whether every seed gave the same number."""
        return len(set(self.values)) == 1

    @property
    def value(self) -> str:
        """Mean with spread as prose writes it, such as ``0.91 ± 0.02``."""
        spread = "" if self.spread is None else f" ± {self.spread:.{self.digits}f}"
        return (self._mean + spread).replace("-", "−")

    @property
    def value_over_runs(self) -> str:
        """The value, and over what it was taken; a test that gave one number names no seeds."""
        if self.kind is Kind.IDENTITY and self.is_constant:
            return self._mean.replace("-", "−")
        runs = _("seeds")
        if isinstance(self.rule, ResampledAbove):
            runs = _("resampled test sets, one training")
        return _("{value} over {count} {runs}").format(
            value=self.value, count=len(self.values), runs=runs
        )

    @property
    def _mean(self) -> str:
        # 0.0 is added so that no minus stands before zero
        return f"{round(self.mean, self.digits) + 0.0:.{self.digits}f}"
