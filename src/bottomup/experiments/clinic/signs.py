"""Chapter 11: which number counts as normal, and what each disease shows."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from bottomup.experiments.clinic import readings as r
from bottomup.experiments.clinic.diseases import HEALTHY, PIPELINES, taught_alike
from bottomup.experiments.clinic.patient import Patient
from bottomup.experiments.engine.record import Record
from bottomup.experiments.shared.training import seeded
from bottomup.i18n import _

LOW, NORMAL, HIGH = -1, 0, 1


@dataclass(frozen=True)
class Reading:
    """A question to a patient, and the band in which healthy ones answer.

    Attributes:
        measure: asks the patient.
        least, most: of the band.
    """

    measure: Callable[[Patient], float]
    least: float = -inf
    most: float = inf

    @property
    def band(self) -> str:
        """The band in words."""
        if self.most == inf:
            return _("at least {least:g}").format(least=self.least)
        if self.least == -inf:
            return _("at most {most:g}").format(most=self.most)
        return _("{least:g} to {most:g}").format(least=self.least, most=self.most)

    def of(self, patient: Patient) -> float:
        """Ask the patient; a patient that draws at random draws the same each time."""
        with seeded(1):
            return self.measure(patient)

    def outcome(self, value: float) -> int:
        """Return LOW, NORMAL or HIGH."""
        return (value > self.most) - (value < self.least)


EXACT = 1e-4  # what differs by less is the same

READINGS = {
    "loss at the start": Reading(r.loss_at_the_start, least=2.0),
    "weight at the start": Reading(r.weight_at_the_start, most=0.55),
    "peak of the rate": Reading(r.peak_of_the_rate, most=0.2),
    "loss at the end": Reading(r.loss_at_the_end, least=0.05, most=0.5),
    "training less evaluation": Reading(r.training_less_evaluation, least=0.05),
    "reported over recounted": Reading(r.reported_over_recounted, least=0.99, most=1.01),
    "fresh less test": Reading(r.fresh_less_test, most=0.3),
    "asked twice": Reading(r.asked_twice, most=EXACT),
    "alone less in a batch": Reading(r.alone_less_in_a_batch, most=EXACT),
    "own token changed": Reading(r.own_token_changed, most=EXACT),
    "later token changed": Reading(r.later_token_changed, most=EXACT),
    "source swapped": Reading(r.source_swapped, least=1e-3),
    "row sums": Reading(r.row_sums, least=0.99),
    "weight on padding": Reading(r.weight_on_padding, most=EXACT),
    "weight on the future": Reading(r.weight_on_the_future, most=EXACT),
    "right in a batch": Reading(r.right_in_a_batch, least=0.7),
    "forced less greedy": Reading(r.forced_less_greedy, most=0.2),
    "greedy alone less in a batch": Reading(r.greedy_alone_less_in_a_batch, least=-0.2, most=0.2),
    "beam recounted": Reading(r.beam_recounted, most=0.1),
}

# What the trials had, where it was not normal; None where they differed or lay near a bound.
UNUSUAL: dict[str, dict[str, int | None]] = {
    "no shift": {
        "loss at the start": LOW,
        "loss at the end": LOW,
        "training less evaluation": LOW,
        "own token changed": HIGH,
        "right in a batch": LOW,
        "forced less greedy": HIGH,
        "beam recounted": None,
    },
    "no causal mask": {
        "training less evaluation": None,
        "alone less in a batch": HIGH,
        "own token changed": HIGH,
        "later token changed": HIGH,
        "weight on the future": HIGH,
        "right in a batch": LOW,
        "forced less greedy": HIGH,
        "beam recounted": HIGH,
    },
    "mask after softmax": {
        "alone less in a batch": HIGH,
        "own token changed": HIGH,
        "later token changed": HIGH,
        "row sums": LOW,
        "right in a batch": LOW,
        "forced less greedy": HIGH,
        "beam recounted": HIGH,
    },
    "padding in the loss": {"reported over recounted": LOW},
    "no root of d_k": {
        "weight at the start": HIGH,
        "loss at the end": None,
        "right in a batch": None,
        "forced less greedy": None,
    },
    "heads reshaped": {
        "loss at the end": HIGH,
        "fresh less test": None,
        "alone less in a batch": HIGH,
        "right in a batch": LOW,
        "forced less greedy": HIGH,
        "beam recounted": HIGH,
    },
    "source padding attended": {
        "alone less in a batch": HIGH,
        "weight on padding": HIGH,
        "greedy alone less in a batch": LOW,
    },
    "source mask forgotten in decoding": {
        "right in a batch": None,
        "forced less greedy": None,
        "greedy alone less in a batch": HIGH,
    },
    "dropout on in evaluation": {
        "training less evaluation": None,
        "reported over recounted": None,
        "asked twice": HIGH,
        "alone less in a batch": HIGH,
        "own token changed": HIGH,
        "later token changed": HIGH,
        "right in a batch": None,
        "forced less greedy": None,
        "beam recounted": HIGH,
    },
    "test sentences in training": {
        "fresh less test": HIGH,
        "right in a batch": LOW,
        "forced less greedy": None,
    },
    "no positions": {
        "loss at the end": HIGH,
        "fresh less test": None,
        "source swapped": LOW,
        "right in a batch": LOW,
        "forced less greedy": None,
    },
    "cache not reordered": {"beam recounted": HIGH},
    "schedule stepped per epoch": {
        "peak of the rate": HIGH,
        "loss at the end": None,
        "right in a batch": None,
    },
    HEALTHY: {},
    "positions twice": {},
}
SIGNS = {
    disease: {reading: unusual.get(reading, NORMAL) for reading in READINGS}
    for disease, unusual in UNUSUAL.items()
}

Table = dict[str, dict[str, int | None]]  # disease, reading: the outcome; None is unknown


def key(name: str) -> str:
    """Return a disease's or a reading's name as it stands in a record."""
    return name.replace(" ", "_")


def recorded(record: Record, disease: str, reading: str) -> tuple[float, ...]:
    """Return a reading of a disease, one a seed."""
    path = [disease, reading]
    if disease != HEALTHY and disease in taught_alike(HEALTHY):
        path = [HEALTHY, *path]
    return record.metric(".".join(map(key, path)))


def table(record: Record) -> Table:
    """Return what each disease shows in each reading, where trials and all seeds agree on it."""

    def outcome(disease: str, reading: str) -> int | None:
        if SIGNS[disease][reading] is None:
            return None
        found = {READINGS[reading].outcome(value) for value in recorded(record, disease, reading)}
        return found.pop() if len(found) == 1 else None

    return {
        disease: {reading: outcome(disease, reading) for reading in READINGS}
        for disease in PIPELINES
    }
