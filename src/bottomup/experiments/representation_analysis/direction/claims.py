"""Chapter 08: what the experiment on objective and direction claims.

A masked model that reads the left side alone shares its objective with MLM and its direction with
LM. The claims ask to which of the two it lies nearer.
"""

from functools import partial
from statistics import fmean

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.claims import CONTROL, NOT_ASKED
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides."""
    layers = range(1, record.config["num_layers"] + 1)
    claim = partial(
        Claim,
        kind=Kind.OWN,
        source=CONTROL,
        paper_value=NOT_ASKED,
        rule=EverySeedAbove(0),
        record=record.name,
        section="How far the findings carry",
        known=_(
            "LM and MLM under other seeds, in the main record; nothing of the masked model that "
            "reads the left side alone"
        ),
    )
    nearer = _("{what}; how far the model that reads the left side lies from LM, less from MLM")
    return [
        claim(
            id="08.9a",
            sentence=_(
                "At the top, a masked model that reads the left side alone is nearer to MLM than "
                "to LM in what it tells of the token read."
            ),
            measured=nearer.format(
                what=_("plug-in information about the token at the last layer, nats")
            ),
            values=_nearer(record, [f"information.layer_{layers[-1]}.plug_in"]),
        ),
        claim(
            id="08.9b",
            sentence=_("So it is in how much its layers change the states."),
            measured=nearer.format(
                what=_("PWCCA distance of a layer's output from its input, mean over layers")
            ),
            values=_nearer(record, [f"change.all.layer_{layer}" for layer in layers]),
            digits=4,
        ),
    ]


def _nearer(record: Record, paths: list[str]) -> tuple[float, ...]:
    """Return the distance from LM less that from MLM, each of means over paths, of each seed."""
    lm, left, both = (
        [fmean(each) for each in zip(*[record.metric(f"{name}.{p}") for p in paths], strict=True)]
        for name in ("lm", "mlm_left", "mlm")
    )
    return tuple(abs(b - a) - abs(b - c) for a, b, c in zip(lm, left, both, strict=True))
