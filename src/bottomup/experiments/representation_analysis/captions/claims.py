"""Chapter 08: which findings return on captions of photographs, where a translator is trained too.

Rules and margins are those of the main record. They were set for this one before a network of this
chapter had been trained on these sentences.
"""

from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.claims import (
    CONTROL,
    LOST_MORE,
    MT_ROSE,
    NOT_ASKED,
    sections,
)
from bottomup.experiments.representation_analysis.findings import OBJECTIVES, Findings
from bottomup.i18n import _

NUMBER = "08.10"
# The claims of the main record that are asked again, after the control, which is letter a.
CARRIED = (
    "08.1a", "08.1b", "08.1d", "08.1e", "08.1f", "08.2a", "08.2e", "08.4a", "08.4b", "08.4c",
    "08.5b",
)  # fmt: skip
LETTERS = "bcdefghijkl"
TRIALS = {"08.1e": LOST_MORE, "08.4c": MT_ROSE}  # what trials of the main claims had shown


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    found = [Findings(run["metrics"]["networks"]) for run in record.runs]
    claim = partial(Claim, record=record.name, section="How far the findings carry")
    control = claim(
        id=f"{NUMBER}a",
        kind=Kind.OWN,
        source=CONTROL,
        paper_value=NOT_ASKED,
        sentence=_(
            "On captions all three networks predict better than word frequencies do, by over a nat "
            "a token."
        ),
        measured=_(
            "loss of a guess by frequencies less that of a network on test sentences, the least of "
            "the three, nats a token; the guess is asked for known words alone, LM and MT for "
            "sentence ends and unknown words, too, and of those that MLM is asked for a tenth can "
            "be read as they are"
        ),
        known=_("chapter 06's translators of these captions had learned; of LM and MLM nothing"),
        rule=EverySeedAbove(1),
        values=tuple(map(_learned, found)),
    )
    rows = {
        f"{section.number}{row[0]}": (section, row)
        for section in sections(record.config, [run.metrics for run in found])
        for row in section.rows
    }
    repeated = []
    for letter, main in zip(LETTERS, CARRIED, strict=True):
        section, (_letter, sentence, source, paper, measured, rule, value) = rows[main]
        repeated.append(
            claim(
                id=f"{NUMBER}{letter}",
                kind=Kind.REPETITION,
                repeats=main,
                source=source,
                paper_value=paper,
                sentence=_("On captions: {finding}").format(finding=sentence),
                measured=measured,
                rule=rule,
                values=tuple(map(value, found)),
                digits=section.digits,
                known=TRIALS.get(main, ""),
            )
        )
    return [control, *repeated]


def _learned(run: Findings) -> float:
    """Return by how much the networks beat a guess by frequencies, the least of the three."""
    guess = run.metrics["frequency_loss"]
    return min(guess[name] - run.metrics[name]["loss"] for name in OBJECTIVES)
