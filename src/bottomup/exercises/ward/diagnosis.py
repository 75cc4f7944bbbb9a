"""A diagnosis: which diseases a reader's readings exclude, and which of them are left."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache

from bottomup import results
from bottomup.exercises.engine.progress_file import remember_entry
from bottomup.exercises.engine.report import framed, paragraph
from bottomup.exercises.ward.beds import bed, twin
from bottomup.experiments.clinic.signs import READINGS, Table, table
from bottomup.i18n import _

Taken = Mapping[str, tuple[float, float]]  # by reading: the patient's value, and the twin's
MANY = 5  # diseases, and more of them are counted instead of named
ENOUGH = 3  # readings that show any one disease, if they are chosen well
ENOUGH_FOR_NOTHING = 6  # readings that exclude every disease which shows something


@dataclass(frozen=True)
class Finding:
    """A reading that was cited: what it says here, and on the healthy twin."""

    reading: str
    value: float
    healthy: float
    excludes: tuple[str, ...]

    def __str__(self) -> str:
        line = _("{reading}: {value}, on the twin {healthy}. Excludes {excluded}.")
        return line.format(
            reading=_(self.reading),
            value=_short(self.value),
            healthy=_short(self.healthy),
            excluded=_listed(self.excludes),
        )


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What the evidence says of a diagnosis. The text is the same each time.

    Args:
        bed: its number.
        disease: the diagnosis.
        findings: what each reading says.
        left: the diseases that no cited reading excludes.
        separating: readings that would exclude more, for each other disease that is left.
    """

    bed: int
    disease: str
    findings: tuple[Finding, ...]
    left: tuple[str, ...]
    separating: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the diagnosis is left, and nothing else that a reading could exclude."""
        return self.disease in self.left and not any(self.separating.values())

    @property
    def heading(self) -> str:
        """Bed, diagnosis and verdict."""
        text = _("Bed {bed}, {disease}: {verdict}")
        if self.passed:
            verdict = _("accepted")
        elif self.disease in self.left:
            verdict = _("possible, not shown")
        else:
            verdict = _("excluded")
        return text.format(bed=self.bed, disease=_(self.disease), verdict=verdict)

    @property
    def _lines(self) -> list[str]:
        lines = [str(finding) for finding in self.findings]
        if self.disease not in self.left:
            against = [f.reading for f in self.findings if self.disease in f.excludes]
            return [
                *lines,
                _("The diagnosis does not fit: {against}. Others that are left: {count}.").format(
                    against=_listed(against), count=len(self.left)
                ),
            ]
        apart = {other: readings for other, readings in self.separating.items() if readings}
        if apart:
            counts = Counter(reading for readings in apart.values() for reading in readings)
            reading, count = counts.most_common(1)[0]
            text = _("Also fit: {others}. A reading that separates {count} of them: {reading}.")
            if len(apart) == 1:
                text = _("Also fits: {others}. A reading that separates them: {reading}.")
            others = _listed(tuple(apart))
            lines.append(text.format(others=others, count=count, reading=_(reading)))
        text = _("Also fits, and no reading of this ward separates them: {other}.")
        lines += [text.format(other=_(other)) for other in self.separating if other not in apart]
        return lines

    def __repr__(self) -> str:
        return "\n".join([self.heading, *self._lines])

    def _repr_html_(self) -> str:
        return framed(
            "passed" if self.passed else "failed",
            self.heading,
            [paragraph(line) for line in self._lines],
        )


def diagnose(place: int | str, disease: str, *, evidence: Sequence[str]) -> Diagnosis:
    """Say what some readings of a bed exclude, and whether the diagnosis alone is left.

    `progress` remembers a bed whose diagnosis was accepted.

    Args:
        place: the bed, ``"bed 4"`` or 4.
        disease: one of the names in the chapter's picture, "healthy" among them.
        evidence: names of readings, from one to `ENOUGH`, or `ENOUGH_FOR_NOTHING` where the
            diagnosis is one that shows nothing. They are taken again, here and on the twin.
    """
    number, signs = _number(place), recorded()
    _check("disease", disease, signs)
    if isinstance(evidence, str) or not evidence:
        raise ValueError(
            _("evidence: expected a list of readings, got {got!r}").format(got=evidence)
        )
    for reading in evidence:
        _check("evidence", reading, READINGS)
    most = ENOUGH if any(signs[disease].values()) else ENOUGH_FOR_NOTHING
    if len(evidence) > most:
        raise ValueError(
            _("evidence: expected at most {most} readings for {disease!r}, got {count}").format(
                most=most, disease=disease, count=len(evidence)
            )
        )
    patient, healthy = bed(number), twin()
    taken = {name: (patient.read(name), healthy.read(name)) for name in evidence}
    found = weighed(number, disease, taken, signs)
    remember_entry(f"bed {number}", found.passed)
    return found


def weighed(number: int, disease: str, taken: Taken, signs: Table) -> Diagnosis:
    """Compare the readings of a patient with what each disease shows.

    Args:
        number, disease: of the diagnosis.
        taken: for each reading its value on the patient, and on the healthy twin.
        signs: what each disease shows; None says nothing.
    """
    findings = []
    for reading, (value, healthy) in taken.items():
        seen = (None, READINGS[reading].outcome(value))
        excludes = tuple(name for name, shows in signs.items() if shows[reading] not in seen)
        findings.append(Finding(reading, value, healthy, excludes))
    excluded = {name for finding in findings for name in finding.excludes}
    left = tuple(name for name in signs if name not in excluded)
    separating = {
        other: tuple(name for name in READINGS if _differ(signs[disease][name], signs[other][name]))
        for other in left
        if other != disease
    }
    return Diagnosis(number, disease, tuple(findings), left, separating)


def _differ(one: int | None, other: int | None) -> bool:
    return None not in (one, other) and one != other


def _number(place: int | str) -> int:
    found = re.fullmatch(r"(?:bed )?(\d+)", str(place))
    if found is None:
        raise ValueError(_('place: expected a bed such as "bed 4", got {got!r}').format(got=place))
    return int(found[1])


@cache
def recorded() -> Table:
    """Return what each disease shows under every seed of the record."""
    return table(results.load("clinic.json"))


def _check(name: str, value: object, known: Collection[str]) -> None:
    if value not in known:
        near = get_close_matches(str(value), list(known), n=3) or list(known)
        raise ValueError(
            _("{name}: expected one of {near}, got {value!r}").format(
                name=name, near=", ".join(map(repr, near)), value=value
            )
        )


def _short(value: float) -> str:
    return f"{value:.2g}".replace("-", "\N{MINUS SIGN}")


def _listed(names: Sequence[str]) -> str:
    if len(names) > MANY:
        return _("{count} of the list").format(count=len(names))
    return ", ".join(map(_, names)) or _("nothing")
