"""Chapter 01b: what the record of scores, spans and input feeding decides.

Rules and margins were set before it was recorded. Three of its decoders are those of chapter 01's
main record, under the same seeds, which was there: additive in Bahdanau's order, and dot and
general without feeding.
"""

import statistics
from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

TABLE = "Luong et al. (2015), table 4"
SECTION = "Scores, spans and feeding: the table"

# The rows of the paper's table 4, without the last one, that of local-p with the general score.
IN_THE_TABLE = ("location", "dot", "general", "general-local_m", "dot-local_p")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: location scores, and the table where it was trained."""
    translated = any(name.startswith("translate-") for name in record.config["variants"])
    return [_location(record), *(_table(record) if translated else [])]


def _difference(record: Record, metric: str, one: str, other: str) -> tuple[float, ...]:
    pairs = zip(record.metric(f"{one}.{metric}"), record.metric(f"{other}.{metric}"), strict=True)
    return tuple(a - b for a, b in pairs)


def _location(record: Record) -> Claim:
    measured = _(
        "share of symbols right, general minus location score; sorting {n} different symbols, "
        "{steps} steps. Weight on the right position: {general:.2f} with general, {location:.2f} "
        "with location"
    )
    fixed = ""
    if "sort-none" in record.config["variants"]:
        named = statistics.fmean(record.metric("sort-none.accuracy"))
        fixed = _("; a fixed vector has {share:.2f} right").format(share=named)
    weights = {
        score: statistics.fmean(record.metric(f"sort-{score}.gold_weight"))
        for score in ("general", "location")
    }
    return Claim(
        kind=Kind.OWN,
        id="01b.3",
        known=_("nothing; one seed was then seen before the record, 0.74 and 0.87 right"),
        sentence=_(
            "A decoder that sorts writes fewer symbols rightly with a location score, which sees "
            "its state alone, than with the general score, by over a tenth of all symbols."
        ),
        source="Luong et al. (2015), section 3.1 and table 4",
        paper_value=_("BLEU 18.1 for location, 18.6 and 17.3 for dot and general"),
        measured=measured.format(
            n=record.config["max_length"], steps=record.config["steps"], **weights
        )
        + fixed,
        rule=EverySeedAbove(0.1),
        values=_difference(record, "accuracy", "sort-general", "sort-location"),
        record=record.name,
        section="Score by position alone",
    )


def _table(record: Record) -> list[Claim]:
    steps, width = record.config["steps"], record.config["half_width"]
    measured = partial(_("BLEU, {what}; mini-language, {steps} steps").format, steps=steps)
    windowed = partial(
        _(
            "BLEU, {what}; windows of D = {width}, not searched; mini-language, {steps} steps"
        ).format,
        steps=steps,
        width=width,
    )
    claim = partial(
        Claim, kind=Kind.PAPER, record=record.name, section=SECTION, digits=1, rule=MeanAbove(0.0)
    )
    fed = [name for name in record.config["variants"] if name.endswith("-feed")]
    best = "translate-general-local_p-feed"
    table = _lead(record, best, [f"translate-{name}-feed" for name in IN_THE_TABLE])
    least = {
        score: _signed(
            min(_difference(record, "bleu", f"translate-{score}-feed", f"translate-{score}"))
        )
        for score in ("dot", "general", "additive")
    }
    return [
        claim(
            id="01b.5a",
            kind=Kind.OWN,
            sentence=_(
                "A window around a predicted centre, with the general score, beats every other "
                "score and span here, additive attention over the whole sentence included."
            ),
            source=TABLE,
            paper_value=_("19.0 against 18.6 for the next; additive is not in the table"),
            measured=windowed(
                what=_(
                    "local-p general minus the best of the others, all fed; minus the best of the "
                    "paper's own rows {table}"
                ).format(table=_signed(statistics.fmean(table)))
            ),
            known=_(
                "dot, general and additive (as concat) without feeding, under the same seeds, in "
                "chapter 01's main record: 75.1, 83.3, 87.8"
            ),
            values=_lead(record, best, fed),
        ),
        claim(
            id="01b.5b",
            sentence=_("The dot product scores above general, both over the whole sentence."),
            source=TABLE,
            paper_value=_("18.6 against 17.3"),
            measured=measured(what=_("dot minus general, both fed")),
            known=_(
                "both without feeding, under the same seeds, in chapter 01's main record: dot "
                "75.1, general 83.3"
            ),
            values=_difference(record, "bleu", "translate-dot-feed", "translate-general-feed"),
        ),
        claim(
            id="01b.5c",
            sentence=_(
                "With the general score, a window that moves along with the target beats the whole "
                "sentence."
            ),
            source=TABLE,
            paper_value=_("general: 18.6 for the window, 17.3 for the whole sentence"),
            measured=windowed(what=_("general, window minus whole sentence, both fed")),
            known=_(
                "the whole sentence without feeding, under the same seeds, in chapter 01's main "
                "record: 83.3"
            ),
            values=_difference(
                record, "bleu", "translate-general-local_m-feed", "translate-general-feed"
            ),
        ),
        claim(
            id="01b.5d",
            sentence=_("Input feeding helps the location score."),
            source="Luong et al. (2015), table 1",
            paper_value=_("16.8 without, 18.1 with, location score"),
            measured=measured(
                what=_(
                    "location score, with feeding minus without; in the worst seed {dot} with "
                    "dot, {general} with general, {additive} with additive"
                ).format(**least)
            ),
            values=_difference(record, "bleu", "translate-location-feed", "translate-location"),
        ),
        claim(
            id="01b.5h",
            sentence=_(
                "A window around a predicted centre, with the general score, beats the other rows "
                "of the paper's table."
            ),
            source=TABLE,
            paper_value=_("19.0 against 18.6 for the next"),
            measured=windowed(
                what=_(
                    "local-p general minus the best of location, dot, general, local-m general and "
                    "local-p dot, all fed"
                )
            ),
            known=_("its outcome, which stood beside that of 01b.5a"),
            values=table,
        ),
    ]


def _signed(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")


def _lead(record: Record, name: str, among: list[str]) -> tuple[float, ...]:
    others = [record.metric(f"{other}.bleu") for other in among if other != name]
    best = [max(scores) for scores in zip(*others, strict=True)]
    pairs = zip(record.metric(f"{name}.bleu"), best, strict=True)
    return tuple(own - rival for own, rival in pairs)
