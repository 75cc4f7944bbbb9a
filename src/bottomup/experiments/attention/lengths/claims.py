"""Chapter 01: what training on short sentences, and on sources turned round, claims.

Nothing was tried before. The fixed vector and additive attention trained on all sentences are
known from the chapter's main record, under other seeds: 51 and 92 BLEU, with falls of 29 and 5.
"""

import statistics

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind, Rule
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

FALL = 5.0  # BLEU, as in the main record
GAIN = 1.0  # BLEU that turning the source round brings, at least; 1.3 in the paper
BAHDANAU = "Bahdanau et al. (2015), {where}"
ABOVE = EverySeedAbove(0)
# By claim: what of it was known.
KNOWN = {
    "01.1d": _("the fixed vector in the main record, under other seeds: 51 BLEU"),
    "01.1e": _(
        "additive attention on all sentences in the main record, under other seeds: 92 BLEU"
    ),
    "01.1f": _(
        "the falls of both, trained on all sentences, in the main record, under other seeds: 29 "
        "and 5 BLEU"
    ),
    "01.1g": _(
        "the fall of additive attention trained on all sentences in the main record, under other "
        "seeds: 5 BLEU; and that beyond the trained lengths it falls on digits (01.1c)"
    ),
    "01.1h": _("the fixed vector in the main record, under other seeds: 51 BLEU"),
}


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    config = record.config
    short, long = config["bins"][0], config["bins"][-1]
    most = config["longest_short"]
    setting = _("mini-language, {steps} steps").format(steps=config["steps"])
    over_all = _("BLEU over all test sentences, {what}; short: up to {most} words; ") + setting
    fall = _("BLEU of test sentences of {a} to {b} words minus that of {c} to {d} words, {what}; ")
    ends = {"a": short[0], "b": short[1], "c": long[0], "d": long[1]}
    shortest = "bleu_by_length.{}-{}".format(*short)
    on_short = statistics.fmean(_difference(record, shortest, "bahdanau_all", "bahdanau_short"))

    def claim(
        id: str,
        sentence: str,
        source: str,
        paper_value: str,
        measured: str,
        rule: Rule,
        values: tuple[float, ...],
        kind: Kind = Kind.PAPER,
    ) -> Claim:
        return Claim(
            id=id,
            kind=kind,
            known=KNOWN.get(id, ""),
            sentence=sentence,
            source=source,
            paper_value=paper_value,
            measured=measured,
            rule=rule,
            values=values,
            record=record.name,
            section="Five decoders, three seeds",
            digits=1,
        )

    return [
        claim(
            "01.1d",
            _(
                "Additive attention trained on short sentences alone translates better than a "
                "fixed vector trained on all of them, over all test sentences."
            ),
            BAHDANAU.format(where="table 1"),
            _("21.50 BLEU, up to 30 words; fixed vector, up to 50 words, 17.82"),
            over_all.format(what=_("additive, short, minus fixed vector, all"), most=most),
            ABOVE,
            _difference(record, "bleu", "bahdanau_short", "none_all"),
        ),
        claim(
            "01.1e",
            _(
                "Over all test sentences, additive attention gains where long ones are among those "
                "it is trained on."
            ),
            BAHDANAU.format(where="table 1"),
            _("26.75 BLEU, up to 50 words; 21.50, up to 30 words"),
            over_all.format(what=_("additive, all minus short"), most=most)
            + _(". Of {a} to {b} words: {gain}").format(
                a=short[0], b=short[1], gain=f"{on_short:.1f}".replace("-", "−")
            ),
            ABOVE,
            _difference(record, "bleu", "bahdanau_all", "bahdanau_short"),
        ),
        claim(
            "01.1f",
            _(
                "Trained on short sentences alone, additive attention loses less towards long ones "
                "than a fixed vector does, by more than {fall:g} BLEU."
            ).format(fall=FALL),
            BAHDANAU.format(where="figure 2"),
            _("both models with attention called more robust to length; curves, no numbers"),
            fall.format(**ends, what=_("fixed vector minus additive, both short")) + setting,
            EverySeedAbove(FALL),
            _difference(record, "bleu_fall", "none_short", "bahdanau_short"),
        ),
        claim(
            "01.1g",
            _(
                "Yet it falls too: trained on sentences of up to {most} words, additive attention "
                "has more than {fall:g} BLEU less on the longest."
            ).format(most=most, fall=FALL),
            BAHDANAU.format(where="figure 2"),
            _("not asked; the curve for up to 30 words is drawn to 60"),
            fall.format(**ends, what=_("additive, short")) + setting,
            EverySeedAbove(FALL),
            record.metric("bahdanau_short.bleu_fall"),
            Kind.OWN,
        ),
        claim(
            "01.1h",
            _(
                "A fixed vector gains more than 1 BLEU when the source is turned round, also from "
                "an encoder that reads in both directions."
            ),
            _("{paper}, table 1, for the question").format(paper="Luong et al. (2015)"),
            _("12.6 BLEU against 11.3, with an encoder that reads in one direction"),
            _(
                "BLEU over all test sentences, fixed vector, source turned round minus not; but "
                "for the end token, the encoder's two directions change places; "
            )
            + setting,
            EverySeedAbove(GAIN),
            _difference(record, "bleu", "none_reversed", "none_all"),
            Kind.OWN,
        ),
    ]


def _difference(record: Record, metric: str, one: str, other: str) -> tuple[float, ...]:
    pairs = zip(record.metric(f"{one}.{metric}"), record.metric(f"{other}.{metric}"), strict=True)
    return tuple(a - b for a, b in pairs)
