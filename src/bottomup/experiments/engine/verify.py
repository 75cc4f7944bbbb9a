"""A committed record, measured again: how far its numbers return, and which verdicts turn.

The same training under the same seed ends elsewhere on another processor: sums are rounded in
another order, and a training carries a difference on. So a number is not asked to be the same. It
is asked to lie where another start would have put it, and the verdicts to be what they were.
"""

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottomup.experiments.engine.claim import Claim
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

RECORDS = Path(__file__).parents[2] / "results"

SPREADS = 3  # sample deviations over seeds by which two means may differ
ROUNDING = 1e-4  # share of a number by which it may differ where seeds agree
ONE_SEED = 0.05  # the same where there is one seed, and so no deviation
OUTSIDE = 0.05  # share of all numbers that may lie outside the band
WEIGHTS = "weights."  # before the name of an array, a parameter of a network
SECONDS = "seconds"  # in the name of a number that a busy machine changes


@dataclass(frozen=True)
class Agreement:
    """How far a record made again agrees with the committed one.

    Attributes:
        same: numbers that are the same in every seed, to all six decimals.
        within: those that are not, and lie within the band.
        outside: the others, by their path, with both means.
        turned: the claims whose verdict is another, with both verdicts.
    """

    same: int
    within: int
    outside: tuple[str, ...]
    turned: tuple[str, ...]

    @property
    def numbers(self) -> int:
        """How many numbers were compared; times are not."""
        return self.same + self.within + len(self.outside)

    @property
    def holds(self) -> bool:
        """Say whether no verdict turned and no more numbers lie outside than chance allows."""
        return not self.turned and len(self.outside) <= OUTSIDE * self.numbers

    @property
    def text(self) -> str:
        """The agreement in one sentence."""
        text = _(
            "{numbers} numbers: {same} the same, {within} within the band, {outside} outside; "
            "verdicts turned: {turned}"
        )
        return text.format(
            numbers=self.numbers,
            same=self.same,
            within=self.within,
            outside=len(self.outside),
            turned=", ".join(self.turned) or _("none"),
        )


def agreement(
    committed: Record, again: Record, claims: tuple[Iterable[Claim], Iterable[Claim]]
) -> Agreement:
    """Compare two records of one experiment, number for number and claim for claim.

    A number lies within the band where the means over seeds of both records differ by no more than
    three times the larger of their sample deviations. Two trainings that share nothing but the
    recipe miss that about once in sixty with three seeds, so one number in twenty may. Where all
    seeds agree, the band is a ten-thousandth of the number; in a record of one seed, a twentieth.

    Args:
        committed: the record that is there.
        again: one of the same configuration and seeds.
        claims: what each of the two decides.

    Raises:
        ValueError: the records have other configurations, seeds or names of numbers.
    """
    for name in ("experiment", "config", "seeds"):
        one, other = getattr(committed, name), getattr(again, name)
        if one != other:
            raise ValueError(f"again.{name}: expected {one}, got {other}")
    pairs = zip(_numbers(committed), _numbers(again), strict=True)
    same, within, outside = 0, 0, []
    for (path, old), (other, new) in pairs:
        if path != other:
            raise ValueError(f"again.runs: expected a number {path}, got {other}")
        if old == new:
            same += 1
        elif abs(statistics.fmean(old) - statistics.fmean(new)) <= band(old, new):
            within += 1
        else:
            outside.append(f"{path}: {statistics.fmean(old):g}, {statistics.fmean(new):g}")
    return Agreement(same, within, tuple(outside), tuple(_turned(*claims)))


def band(old: Sequence[float], new: Sequence[float]) -> float:
    """Return by how much the means of two records may differ; a number a seed each."""
    size = max(map(abs, (*old, *new)))
    if len(old) == 1:
        return ONE_SEED * size
    return max(SPREADS * max(map(statistics.stdev, (old, new))), ROUNDING * size)


def _turned(committed: Iterable[Claim], again: Iterable[Claim]) -> Iterator[str]:
    for one, other in zip(committed, again, strict=True):
        if one.verdict != other.verdict:
            yield f"{one.id} ({one.verdict}, {other.verdict})"


def _numbers(record: Record) -> list[tuple[str, tuple[float, ...]]]:
    """Return each number's path with its value in every seed, in the order of the paths.

    Of an array that every seed has it is the mean; a network's weights are no numbers here.
    """
    runs = [dict(_leaves(run["metrics"])) for run in record.runs]
    numbers = [(path, tuple(run[path] for run in runs)) for path in sorted(runs[0])]
    return [*numbers, *_means(record)]


def _means(record: Record) -> Iterator[tuple[str, tuple[float, ...]]]:
    first, *others = record.seeds
    for name in sorted(record.arrays):
        variant, seed, key = name.split("/", 2)
        names = [name, *(f"{variant}/{other}/{key}" for other in others)]
        if key.startswith(WEIGHTS):
            continue
        if seed == str(first) and all(each in record.arrays for each in names):
            arrays = [record.arrays[each] for each in names]
            if all(array.size and array.dtype.kind in "biuf" for array in arrays):
                yield f"{variant}.{key}.mean", tuple(float(array.mean()) for array in arrays)


def _leaves(table: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, float]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{start}{name}.")
        elif SECONDS not in name:
            yield start + name, value
