"""Chapter 02b: what the experiment claims."""

import statistics
from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

SHOWN = _("the chapter's cells, under other seeds and before the rule was set")
APART = _("with thing and colour as two words in a row, one seed,")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    return [*_tape(record), *_no_recurrence(record), *_own_past(record)]


def _ahead(record: Record, one: str, other: str, things: int) -> tuple[float, ...]:
    """Return by how much one network answers more than another, a number a seed."""
    mine, its = (record.metric(f"{name}.accuracy.{things}") for name in (one, other))
    return tuple(a - b for a, b in zip(mine, its, strict=True))


def _room(record: Record, other: str, things: int) -> tuple[float, ...]:
    return tuple(1 - value for value in record.metric(f"{other}.accuracy.{things}"))


def _mean(record: Record, path: str) -> float:
    return statistics.fmean(record.metric(path))


def _share(record: Record, what: str, things: int) -> str:
    text = _(
        "share of colours named rightly among {things} things, each one vector with its "
        "colour, {what}; {steps} steps"
    )
    return text.format(things=things, what=what, steps=record.config["steps"])


def _tape(record: Record) -> list[Claim]:
    _few, most, beyond = record.config["asked"]
    claim = partial(Claim, record=record.name, section="The same question, with a tape")
    return [
        claim(
            kind=Kind.PAPER,
            id="02b.1a",
            sentence=_(
                "An LSTM that reads a tape of its states recalls more of {things} things, each one "
                "vector, than an LSTM of the same width, by over a fifth of all answers."
            ).format(things=most),
            source="Cheng et al. (2016), sections 3 and 5.1",
            paper_value=_("a lower perplexity than an LSTM's in language modelling"),
            measured=_share(record, _("LSTMN minus LSTM"), most),
            rule=EverySeedAbove(0.2),
            values=_ahead(record, "lstmn", "lstm", most),
            room=_room(record, "lstm", most),
            known=_(
                "its outcome, from {cells}; {apart} the LSTMN had not learned it (0.29), nor in "
                "four times the steps; of five rates the LSTM's best was taken"
            ).format(cells=SHOWN, apart=APART),
        ),
        claim(
            kind=Kind.OWN,
            id="02b.1b",
            sentence=_(
                "Among {things} such things, more than were ever trained, it is ahead of an LSTM "
                "four times as wide, by over a fifth of all answers."
            ).format(things=beyond),
            source=_("no paper: the other way to make room"),
            paper_value=_("no number"),
            measured=_share(record, _("LSTMN of width 32 minus LSTM of width 128"), beyond),
            rule=EverySeedAbove(0.2),
            values=_ahead(record, "lstmn", "wide_lstm", beyond),
            room=_room(record, "wide_lstm", beyond),
            known=_(
                "its outcome, 1.00 against 0.60 with one seed, from {cells}; {apart} it was "
                "behind, 0.26 against 0.36"
            ).format(cells=SHOWN, apart=APART),
        ),
    ]


def _no_recurrence(record: Record) -> list[Claim]:
    most, words = record.config["asked"][1], record.config["words"]
    claim = partial(Claim, record=record.name, kind=Kind.PAPER)
    named, without = (
        record.metric(f"{name}_distances.accuracy.{words}") for name in ("with", "without")
    )
    return [
        claim(
            id="02b.2a",
            section="No recurrence, and the question answered",
            sentence=_(
                "Without recurrence and with fewer parameters, attention inside the sentence "
                "answers as well as the LSTMN: at {things} things, each one vector, within one in "
                "fifty."
            ).format(things=most),
            source="Parikh et al. (2016), table 1",
            paper_value=_(
                "SNLI: LSTMN 86.3 %; without recurrence 86.3 % with a ninth of its parameters, and "
                "86.8 % with a sixth, where attention inside the sentence is added"
            ),
            measured=_share(
                record,
                _("without recurrence {own:.3f} minus LSTMN {its:.3f}").format(
                    own=_mean(record, f"no_recurrence.accuracy.{most}"),
                    its=_mean(record, f"lstmn.accuracy.{most}"),
                ),
                most,
            )
            + _("; {own:,.0f} parameters and {its:,.0f}, word vectors and answer aside").format(
                own=_mean(record, "no_recurrence.parameters"),
                its=_mean(record, "lstmn.parameters"),
            ),
            rule=MeanAbove(-0.02),
            values=_ahead(record, "no_recurrence", "lstmn", most),
            known=_(
                "its outcome, from {cells}; {apart} neither learned the task, 0.31 and 0.29"
            ).format(cells=SHOWN, apart=APART),
            digits=3,
        ),
        claim(
            id="02b.2b",
            section="A bias for the distance",
            sentence=_(
                "Biases for the distance let words find the one to their left, which without them "
                "they do not: the difference is over half of all answers."
            ),
            source="Parikh et al. (2016), section 3.4",
            paper_value=_("stated: the biases give the model a minimum of order; no number"),
            measured=_(
                "share of left neighbours named in sentences of {words} random words, with biases "
                "minus without; {steps} steps"
            ).format(words=words, steps=record.config["steps"]),
            rule=EverySeedAbove(0.5),
            values=tuple(a - b for a, b in zip(named, without, strict=True)),
            room=tuple(1 - value for value in without),
        ),
    ]


def _own_past(record: Record) -> list[Claim]:
    few, most, _beyond = record.config["asked"]
    claim = partial(
        Claim, kind=Kind.PAPER, record=record.name, section="A decoder that reads itself"
    )
    gains = {things: _ahead(record, "reads_itself", "lstm", things) for things in (few, most)}
    best = min(_mean(record, f"reads_itself.accuracy.{things}") for things in (few, most))
    return [
        claim(
            id="02b.3a",
            sentence=_(
                "An LSTM that also reads its own earlier states, by intra-decoder attention, "
                "recalls more of {things} such things than one that does not, by over a tenth of "
                "all answers."
            ).format(things=most),
            source="Paulus et al. (2018), section 2.2 and table 1",
            paper_value=_("ROUGE-1 38.30 with both attentions, trained on likelihood"),
            measured=_share(record, _("with its own past minus without"), most),
            rule=EverySeedAbove(0.1),
            values=gains[most],
            room=_room(record, "lstm", most),
            known=_("the LSTM without it, 0.34, from {cells}").format(cells=SHOWN),
        ),
        claim(
            id="02b.3b",
            sentence=_(
                "It gains more with {most} things to look back on than with {few}, by over a "
                "twentieth of all answers."
            ).format(most=most, few=few),
            source="Paulus et al. (2018), section 6.1 and figure 2",
            paper_value=_("its attentions gain most on long summaries; a figure without numbers"),
            measured=_share(
                record, _("gain by its own past, minus the gain with {few}").format(few=few), most
            )
            + _(
                ". With its past it names {best:.2f} of both, so this is what it loses without it "
                "from {few} to {most}"
            ).format(best=best, few=few, most=most),
            rule=EverySeedAbove(0.05),
            values=tuple(a - b for a, b in zip(gains[most], gains[few], strict=True)),
            known=_("the LSTM without it, 0.80 with 2 things and 0.34 with 8, from {cells}").format(
                cells=SHOWN
            ),
        ),
    ]
