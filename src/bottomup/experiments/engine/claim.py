"""A claim: a paper's finding, measured here over seeds, with a verdict that a rule computes.

A rule turns one number a seed into a verdict. It is stated with its margin before the numbers are
read, and the ledger prints it. A claim that fails stays.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bottomup.checks import check_number
from bottomup.i18n import _

# With fewer seeds nothing is decided.
MIN_SEEDS = 3
MIN_RESAMPLES = 100
CONFIDENCE = 0.975


class Verdict(StrEnum):
    """What the runs say about a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


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


@dataclass(frozen=True)
class MeanAbove:
    """Decides by mean m and standard error e over seeds, against margin and noise.

    Holds where m exceeds the margin and 2e; fails where m + 2e lies below the margin; else
    undecided. ``e = s / sqrt(n)`` with s the sample standard deviation of n seeds.
    """

    margin: float

    @property
    def text(self) -> str:
        """The rule in words."""
        text = _("mean above {margin:g} and above two standard errors")
        return text.format(margin=self.margin)

    def is_met_by(self, value: float) -> bool:
        """Say whether a number lies above the margin."""
        return value > self.margin

    def judge(self, values: Sequence[float]) -> Verdict:
        """Return the verdict; fewer than three seeds leave the claim undecided."""
        if len(values) < MIN_SEEDS:
            return Verdict.UNDECIDED
        mean = statistics.fmean(values)
        noise = 2 * statistics.stdev(values) / math.sqrt(len(values))
        if mean > self.margin and mean > noise:
            return Verdict.HOLDS
        return Verdict.FAILS if mean + noise < self.margin else Verdict.UNDECIDED


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


def _unanimous(kept: Sequence[bool]) -> Verdict:
    if len(kept) < MIN_SEEDS or any(kept) != all(kept):
        return Verdict.UNDECIDED
    return Verdict.HOLDS if all(kept) else Verdict.FAILS


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One finding of a paper beside what was measured here.

    Attributes:
        id: chapter, number and letter: ``01.1a``.
        sentence: the finding, in one sentence that can be wrong.
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
    """

    id: str
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

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"values: expected one number a seed for claim {self.id}, got none")
        for value in self.values:
            check_number("values", value)

    @property
    def chapter(self) -> str:
        """The chapter's number, such as ``01``."""
        return self.id.split(".")[0]

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
    def value(self) -> str:
        """Mean with spread as prose writes it, such as ``0.91 ± 0.02``."""
        mean = f"{round(self.mean, self.digits) + 0.0:.{self.digits}f}"  # no minus before zero
        spread = "" if self.spread is None else f" ± {self.spread:.{self.digits}f}"
        return (mean + spread).replace("-", "−")
