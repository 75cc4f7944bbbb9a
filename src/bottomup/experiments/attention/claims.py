"""Chapter 01: what the translation experiment claims."""

import statistics

from bottomup.experiments.engine.claim import (
    Claim,
    EverySeedAbove,
    EverySeedBelow,
    Kind,
    MeanAbove,
    Rule,
)
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

# BLEU: a smaller difference between short and long sentences is called no fall.
FALL = 5.0


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: translation by length, and alignment."""
    return [
        _falls(record, _named(record, "none")),
        _stays(record, _named(record, "bahdanau")),
        *(_aligns(record, _named(record, "bahdanau"))),
        *(_reads_verbs(record, _named(record, "bahdanau"))),
    ]


def _named(record: Record, attention: str) -> str:
    return next(v for v in record.config["variants"] if v.startswith(f"{attention}_"))


def _steps(variant: str) -> str:
    return variant.rpartition("_")[2]


def _fall_measured(record: Record, model: str, variant: str) -> str:
    short, long = record.config["bins"][0], record.config["bins"][-1]
    text = _(
        "BLEU of test sentences of {a} to {b} words minus that of {c} to {d} words; "
        "mini-language, {model} after {steps} steps, {bleu:.1f} BLEU over all sentences"
    )
    bleu = statistics.fmean(record.metric(f"{variant}.bleu"))
    ends = {"a": short[0], "b": short[1], "c": long[0], "d": long[1]}
    return text.format(**ends, model=model, steps=_steps(variant), bleu=bleu)


def _falls(record: Record, variant: str) -> Claim:
    return _by_length(
        record,
        variant,
        id="01.1a",
        model=_("fixed vector"),
        sentence=_(
            "The translations of a model with a fixed vector get worse as sentences get "
            "longer, within the trained lengths."
        ),
        paper_value=_("a steep fall, drawn without numbers; 17.82 BLEU over all sentences"),
        rule=EverySeedAbove(FALL),
    )


def _stays(record: Record, variant: str) -> Claim:
    return _by_length(
        record,
        variant,
        id="01.1b",
        model=_("additive attention"),
        sentence=_(
            "With additive attention, translations lose less than 5 BLEU from the shortest "
            "sentences to the longest, within the trained lengths."
        ),
        paper_value=_("a flat curve, drawn without numbers; 26.75 BLEU over all sentences"),
        rule=EverySeedBelow(FALL),
    )


def _by_length(
    record: Record,
    variant: str,
    *,
    id: str,
    model: str,
    sentence: str,
    paper_value: str,
    rule: Rule,
) -> Claim:
    return Claim(
        id=id,
        kind=Kind.PAPER,
        sentence=sentence,
        source="Bahdanau et al. (2015), figure 2 and table 1",
        paper_value=paper_value,
        measured=_fall_measured(record, model, variant),
        rule=rule,
        values=record.metric(f"{variant}.bleu_fall"),
        record=record.name,
        section="A language with another order",
        digits=1,
    )


def _aligns(record: Record, variant: str) -> list[Claim]:
    pairs = zip(record.metric("diagonal.aer"), record.metric(f"{variant}.aer"), strict=True)
    text = _(
        "alignment error rate of the diagonal minus that of the strongest weights on words, the "
        "end token left out; mini-language, additive attention after {steps} steps, reference given"
    )
    return [
        Claim(
            kind=Kind.PAPER,
            id="01.2a",
            known=_(
                "its outcome in one run of the chapter, same settings, 500 test sentences: 0.29 "
                "against 0.82; the margin there was 0.15"
            ),
            sentence=_(
                "The weights of additive attention recover word links that were never trained: "
                "their alignment error rate lies far below that of the diagonal."
            ),
            source="Bahdanau et al. (2015), figure 3",
            paper_value=_("four sentences shown, no number"),
            measured=text.format(steps=_steps(variant)),
            rule=MeanAbove(0.3),
            values=tuple(baseline - learned for baseline, learned in pairs),
            record=record.name,
            section="Alignment error rate",
        )
    ]


def _reads_verbs(record: Record, variant: str) -> list[Claim]:
    text = _(
        "share of main verbs, last in Korean and second in English, whose strongest weight on a "
        "word, the end token left out, lies on the English verb; sentences whose predicate is an "
        "adjective are not counted; mini-language, additive attention after {steps} steps, "
        "reference given; the diagonal: {diagonal:.2f}"
    )
    baseline = record.metric("diagonal.verb_accuracy")[0]
    return [
        Claim(
            kind=Kind.PAPER,
            id="01.2b",
            known=_(
                "a picture of one sentence in the chapter, whose verb read the second or third "
                "English word"
            ),
            sentence=_(
                "The weights follow the change of word order: before it writes the main verb, the "
                "decoder reads the English verb in most sentences."
            ),
            source="Bahdanau et al. (2015), figure 3",
            paper_value=_("adjective and noun change places in the sentences shown, no number"),
            measured=text.format(steps=_steps(variant), diagonal=baseline),
            rule=EverySeedAbove(0.5),
            values=record.metric(f"{variant}.verb_accuracy"),
            record=record.name,
            section="Alignment error rate",
        )
    ]
