"""Chapter 08: what longer training of a masked language model claims.

Rules and margins are those of the main record, and were set before the longer trainings ran.
"""

from collections.abc import Callable
from functools import partial

from bottomup.experiments.claim import Claim, EverySeedAbove, MeanAbove
from bottomup.experiments.record import Record
from bottomup.experiments.representation_analysis_findings import Findings
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    least, *_between, most = record.config["steps"]
    claim = partial(
        Claim,
        source="Voita et al. (2019)",
        record=record.name,
        section="How far the findings carry",
    )
    return [
        claim(
            id="08.8a",
            sentence=_("Trained {most:,} steps, MLM recovers some of the token it lost.").format(
                most=most
            ),
            paper_value=_("4.93 to 5.10, layer 4 to layer 6"),
            measured=_("last layer less the lowest layer, nats"),
            rule=MeanAbove(0.05),
            values=_values(record, most, Findings.recovery),
        ),
        claim(
            id="08.8b",
            sentence=_("Trained {most:,} steps, the curves of exchanged tokens cross.").format(
                most=most
            ),
            paper_value=_("0.95 against 2.4 at the top"),
            measured=_("original less token read, exchanged tokens, last layer, nats"),
            rule=EverySeedAbove(0),
            values=_values(record, most, Findings.crossed),
        ),
        claim(
            id="08.8c",
            sentence=_("Longer training raises the recovery."),
            paper_value=_("not considered"),
            measured=_("recovery after {most:,} steps less that after {least:,}, nats").format(
                most=most, least=least
            ),
            rule=EverySeedAbove(0),
            values=tuple(
                late - early
                for late, early in zip(
                    _values(record, most, Findings.recovery),
                    _values(record, least, Findings.recovery),
                    strict=True,
                )
            ),
        ),
    ]


def _values(record: Record, steps: int, value: Callable[[Findings], float]) -> tuple[float, ...]:
    return tuple(value(Findings(run["metrics"][f"steps_{steps}"])) for run in record.runs)
