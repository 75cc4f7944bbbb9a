"""Chapter 01: what turning the source round claims for an encoder that reads in one direction.

Nothing was tried before. The same fixed vector with an encoder that reads both ways is known from
`attention_lengths`, under other seeds: turning its source changed it by -0.3 BLEU (01.1h).
"""

from functools import partial

from bottomup.experiments.attention.lengths.claims import GAIN
from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: turned minus forward, over all sentences and the longest."""
    config = record.config
    longest = config["bins"][-1]
    measured = _(
        "BLEU of test sentences {what}, fixed vector, source turned round minus as it stands; "
        "mini-language, encoder of one direction, {steps} steps"
    )
    wording = partial(measured.format, steps=config["steps"])
    claim = partial(
        Claim,
        kind=Kind.PAPER,
        rule=EverySeedAbove(GAIN),
        record=record.name,
        section="Five decoders, three seeds",
        digits=1,
        known=_(
            "an encoder that reads both ways, under other seeds: 51.2 BLEU as it stands, "
            "50.9 turned round"
        ),
    )
    return [
        claim(
            id="01.1i",
            sentence=_(
                "Where the encoder reads in one direction, a fixed vector translates better by "
                "more than {gain:g} BLEU when the source is turned round, after {steps} steps."
            ).format(gain=GAIN, steps=config["steps"]),
            source="Luong et al. (2015), table 1",
            paper_value=_("12.6 BLEU against 11.3"),
            measured=wording(what=_("of all lengths")),
            values=_gain(record, "bleu"),
        ),
        claim(
            id="01.1j",
            sentence=_(
                "The longest sentences gain as well: turned round, those of {a} to {b} words are "
                "translated better by more than {gain:g} BLEU, after {steps} steps."
            ).format(a=longest[0], b=longest[1], gain=GAIN, steps=config["steps"]),
            source="Sutskever et al. (2014), section 3.3",
            paper_value=_("called much better on long sentences, without a number"),
            measured=wording(what=_("of {a} to {b} words").format(a=longest[0], b=longest[1])),
            values=_gain(record, f"bleu_by_length.{longest[0]}-{longest[1]}"),
        ),
    ]


def _gain(record: Record, metric: str) -> tuple[float, ...]:
    pairs = zip(record.metric(f"turned.{metric}"), record.metric(f"forward.{metric}"), strict=True)
    return tuple(turned - forward for turned, forward in pairs)
