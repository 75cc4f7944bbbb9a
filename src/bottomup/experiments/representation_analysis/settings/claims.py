"""Chapter 08: in which share of the settings each claim of the main record held.

Rules and margins are those of the main record. A finding carries where it held in more than half of
the settings in every seed; this rule was set before the settings were trained. The verdicts of a
first main record were known when the claims got the form that they have; 08.7h and i, which had
held in it, were added then.

A setting counts for a claim whose numbers it can change. Other clusters change what clusters tell
and nothing else: their networks are those of the base, and so are all other numbers. The first
version counted them for every claim, which gave the base two votes.
"""

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.claims import (
    CONTROL,
    DISTANCES,
    NOT_ASKED,
    Section,
    has_distances,
    sections,
)
from bottomup.experiments.representation_analysis.claims_by_layer import Row
from bottomup.experiments.representation_analysis.findings import Findings
from bottomup.i18n import _

MOST = EverySeedAbove(0.5)

# The claims of the main record that are asked to carry.
CARRIED = (
    "08.1a", "08.1b", "08.1d", "08.1e", "08.1f", "08.2a", "08.2e", "08.3b", "08.3e", "08.4a",
    "08.4b", "08.4c", "08.5b",
)  # fmt: skip
LETTERS = "abcdefghijklm"

# What was known of a claim when its repetition was set.
VERDICT = _("the verdict of {main} in a first main record, of six layers and 1,800 steps")
KNOWN = {
    "08.1d": _(
        "that {main}, read from the lowest layer then, held in a first main record, of six layers "
        "and 1,800 steps; that under these seeds six layers ended 0.20 to 0.29 nats below their "
        "middle layer after 600 steps, and above it after 3,600"
    ),
    "08.2e": _(
        "the verdict of {main} in a first main record, of six layers and 1,800 steps; that under "
        "these seeds the curves had not crossed after 600 steps"
    ),
    "08.1e": _(
        "that {main} failed in a first main record, of six layers and 1,800 steps, and in trials "
        "of other code"
    ),
    "08.3b": _(
        "that {main} held in a first main record, of six layers and 1,800 steps, after which it "
        "was added here"
    ),
    "08.4c": _(
        "that {main} was undecided in a first main record, of six layers and 1,800 steps, and "
        "failed in trials of other code"
    ),
}
KNOWN["08.3e"] = KNOWN["08.3b"]

# A change of the number of clusters, and the claims by section that are read from clusters.
CLUSTERS = "clusters_"
FROM_CLUSTERS = {"08.1": "abcdefh", "08.2": "abcdefghi"}


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers.

    Where no setting has two starts, it decides nothing on distances between networks.
    """
    rows = main_rows(record)
    return [
        _claim(record, f"08.7{letter}", main, *rows[main])
        for letter, main in zip(LETTERS, CARRIED, strict=True)
        if main in rows
    ]


def shares(record: Record) -> dict[str, tuple[float, ...]]:
    """Return for each claim of the main record the share of settings in which it held.

    One share a seed. Claims on distances between networks count the settings with two starts, and
    those that are not read from clusters leave out the other clusters.
    """
    return {
        main: tuple(sum(held.values()) / len(held) for held in _held(record, section, row))
        for main, (section, row) in main_rows(record).items()
    }


def by_setting(record: Record) -> dict[str, dict[str, float]]:
    """Return for each claim of the main record the share of seeds in which it held, by setting."""
    found = {}
    for main, (section, row) in main_rows(record).items():
        held = _held(record, section, row)
        found[main] = {name: fmean(run[name] for run in held) for name in held[0]}
    return found


def main_rows(record: Record) -> dict[str, tuple[Section, Row]]:
    """Return the main record's claims by number, for the choices that the settings change.

    Those on distances between networks are left out where no setting has two starts.
    """
    found = sections(record.config["base"], record.runs[0]["metrics"].values())
    return {
        f"{section.number}{row[0]}": (section, row) for section in found for row in section.rows
    }


def _claim(record: Record, number: str, main: str, section: Section, row: Row) -> Claim:
    _letter, sentence, source, *_rest = row
    held = _held(record, section, row)
    counts = ", ".join(
        f"{name.replace('_', ' ')} {sum(run[name] for run in held)}/{len(held)}" for name in held[0]
    )
    choices = record.config["base"]
    return Claim(
        kind=Kind.REPETITION,
        repeats=main,
        id=number,
        sentence=_("In most settings: {finding}").format(finding=sentence),
        source=source,
        paper_value=NOT_ASKED if source == CONTROL else _("one setting"),
        measured=_(
            "share of {count} settings in which a seed's number met the margin of {main}; the base "
            "has {layers} layers and {steps:,} steps; seeds that met it: {counts}"
        ).format(
            count=len(held[0]),
            main=main,
            layers=choices["num_layers"],
            steps=choices["steps"],
            counts=counts,
        ),
        known=_known(main, section, row),
        rule=MOST,
        values=tuple(sum(run.values()) / len(run) for run in held),
        record=record.name,
        section="How far the findings carry",
    )


def _known(main: str, section: Section, row: Row) -> str:
    """Return what was known of a repetition, and that a setting that said nothing was taken out."""
    text = _("{verdict}; nothing of these settings")
    if not _is_read_from_clusters(section, row) and section.number != DISTANCES:
        text = _(
            "{verdict}; nothing of these settings; a sixth, other clusters, was taken out after "
            "the record, since it repeated the base's numbers"
        )
    return text.format(verdict=KNOWN.get(main, VERDICT).format(main=main))


def _held(record: Record, section: Section, row: Row) -> list[dict[str, bool]]:
    """Say for each run, setting by setting, whether a claim held."""
    *_words, rule, value = row
    return [
        {
            name: rule.is_met_by(value(Findings(table)))
            for name, table in run["metrics"].items()
            if _counts(name, table, section, row)
        }
        for run in record.runs
    ]


def _counts(name: str, table: Mapping[str, Any], section: Section, row: Row) -> bool:
    """Say whether a setting says something of a claim."""
    if name.startswith(CLUSTERS):
        return _is_read_from_clusters(section, row)
    return section.number != DISTANCES or has_distances(table)


def _is_read_from_clusters(section: Section, row: Row) -> bool:
    return row[0] in FROM_CLUSTERS.get(section.number, "")
