"""Chapter 08: in which share of the settings each finding held.

Findings and bounds are those of the main record. A finding carries where it held in more than half
of the settings in every seed; this rule was set before the settings were trained.
"""

from collections.abc import Callable
from functools import partial

from bottomup.experiments.claim import Claim, EverySeedAbove
from bottomup.experiments.record import Record
from bottomup.experiments.representation_analysis_claims_layers import VOITA
from bottomup.experiments.representation_analysis_findings import Findings
from bottomup.i18n import _

MOST = EverySeedAbove(0.5)

# Name, the finding, and the number that lies above 0 where it held.
Finding = tuple[str, str, Callable[[Findings], float]]
FINDINGS: tuple[Finding, ...] = (
    (
        "lm_falls",
        _("LM loses at least 0.5 nats of the input token"),
        lambda run: run.fall("lm") - 0.5,
    ),
    (
        "mt_loses_less",
        _("MT loses less of the input token than LM"),
        lambda run: run.fall("lm") - run.fall("mt"),
    ),
    (
        "mlm_recovers",
        _("MLM ends at least 0.05 nats above its lowest layer"),
        lambda run: run.recovery() - 0.05,
    ),
    (
        "fall_learned",
        _("LM loses more than the untrained network"),
        lambda run: run.fall("lm") - run.fall("untrained_causal"),
    ),
    (
        "kept_by_training",
        _("MT and MLM end above the untrained network"),
        lambda run: min(run.top("mt"), run.top("mlm")) - run.top("untrained"),
    ),
    (
        "next_gained",
        _("LM gains at least 0.2 nats of the next token"),
        lambda run: run.gain("lm", "next") - 0.2,
    ),
    ("crossed", _("the curves of exchanged tokens cross"), Findings.crossed),
    (
        "lm_changes_most",
        _("LM's layers change states most"),
        lambda run: run.changed("lm") - max(run.changed("mlm"), run.changed("mt")),
    ),
    (
        "mt_changes_least",
        _("MT's layers change states least"),
        lambda run: min(run.changed("lm"), run.changed("mlm")) - run.changed("mt"),
    ),
    (
        "mt_declines",
        _("MT's change declines from the first layer to the last"),
        lambda run: run.change("mt")[0] - run.change("mt")[-1],
    ),
    (
        "lm_neighbours",
        _("LM's neighbours are the same token least often"),
        lambda run: min(run.same("mlm"), run.same("mt")) - run.same("lm"),
    ),
)


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    settings = tuple(record.runs[0]["metrics"])
    claim = partial(
        Claim,
        source=VOITA,
        paper_value=_("one setting"),
        rule=MOST,
        record=record.name,
        section="How far the findings carry",
    )
    return [
        claim(
            id=f"08.7{letter}",
            sentence=_("In most settings: {finding}.").format(finding=finding),
            measured=_("share of {count} settings in which it held: {settings}").format(
                count=len(settings), settings=_settings(record, value)
            ),
            values=shares(record, value),
        )
        for letter, (_name, finding, value) in zip("abcdefghijk", FINDINGS, strict=True)
    ]


def shares(record: Record, value: Callable[[Findings], float]) -> tuple[float, ...]:
    """Return the share of settings in which a finding held, one a seed."""
    return tuple(
        sum(value(Findings(found)) > 0 for found in run["metrics"].values()) / len(run["metrics"])
        for run in record.runs
    )


def _settings(record: Record, value: Callable[[Findings], float]) -> str:
    """List the settings with the number of seeds in which the finding held."""
    return ", ".join(
        f"{name.replace('_', ' ')} "
        f"{sum(value(Findings(run['metrics'][name])) > 0 for run in record.runs)}"
        f"/{len(record.runs)}"
        for name in record.runs[0]["metrics"]
    )
