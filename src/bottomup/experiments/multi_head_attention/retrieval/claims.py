"""Chapter 03: what the retrieval of pairs claims."""

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind, Rule
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides."""
    return [
        _claim(
            record,
            "1_linear",
            kind=Kind.PAPER,
            id="03.3a",
            sentence=_(
                "One head with a linear readout does not learn to retrieve two positions in their "
                "order: fewer than a quarter of the questions are answered."
            ),
            paper_value=_(
                "stated without a measurement: with a single head, averaging inhibits this"
            ),
            rule=EverySeedBelow(0.25),
        ),
        _claim(
            record,
            "2_linear",
            kind=Kind.PAPER,
            id="03.3b",
            sentence=_("Two heads with a linear readout retrieve two positions in their order."),
            paper_value=_(
                "stated without a measurement: several heads attend to different positions jointly"
            ),
            rule=EverySeedAbove(0.95),
        ),
        _claim(
            record,
            "1_mlp",
            kind=Kind.OWN,
            id="03.3c",
            sentence=_("One head retrieves two positions in their order if an MLP reads it out."),
            paper_value=_("not considered: the statement about a single head names no readout"),
            rule=EverySeedAbove(0.95),
        ),
        *_narrow_heads(record),
    ]


def _narrow_heads(record: Record) -> list[Claim]:
    """The task on which too many heads were looked for second, after that of claims 03.6a–c."""
    d_model = record.config["d_model"]
    narrow = f"{d_model}_linear"
    if narrow not in record.config["variants"]:
        return []
    return [
        Claim(
            kind=Kind.OWN,
            id="03.6d",
            known=_(
                "one seed with 64 heads, which gave 0.90 and met it, and that 03.6a to c show "
                "nothing"
            ),
            sentence=_(
                "Trained for as long, heads with one number in a key and one in a value retrieve "
                "fewer pairs than two heads."
            ),
            source="Vaswani et al. (2017), table 3, rows A, and section 6.2",
            paper_value=_("not tried; h = 32 (d_k = 16): BLEU 25.4 against 25.8"),
            measured=_(
                "share of questions with both symbols right, two heads minus {heads} heads of "
                "width 1; linear readout, {steps} steps"
            ).format(heads=d_model, steps=record.config["steps"]),
            rule=EverySeedAbove(0.02),
            values=tuple(
                two - many
                for two, many in zip(
                    record.metric("2_linear.both"), record.metric(f"{narrow}.both"), strict=True
                )
            ),
            record=record.name,
            section="How many heads",
            digits=3,
        )
    ]


def _claim(
    record: Record,
    variant: str,
    *,
    kind: Kind,
    id: str,
    sentence: str,
    paper_value: str,
    rule: Rule,
) -> Claim:
    measured = _(
        "share of questions with both symbols right; {positions} positions, {symbols} symbols, "
        "{steps} steps; a uniform guess gives {chance:.3f}"
    )
    config = record.config
    return Claim(
        id=id,
        kind=kind,
        sentence=sentence,
        source="Vaswani et al. (2017), section 3.2.2",
        paper_value=paper_value,
        measured=measured.format(
            positions=config["positions"],
            symbols=config["symbols"],
            steps=config["steps"],
            chance=config["symbols"] ** -2,
        ),
        rule=rule,
        values=record.metric(f"{variant}.both"),
        record=record.name,
        section="One head cannot, two can",
    )
