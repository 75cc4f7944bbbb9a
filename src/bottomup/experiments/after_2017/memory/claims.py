"""Chapter 10: what the experiment on memory claims. Rules were set before it was recorded."""

from functools import partial

from bottomup.experiments.engine.claim import (
    Claim,
    EverySeedAbove,
    EverySeedBelow,
    Kind,
    MeanAbove,
)
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

PAPER = "Dai et al. (2019)"
SECTION = "Transformer-XL: remember the segment before"
PILOT = _(
    "trials with the seed 0, also with other delays and memories; registered first for 600 steps; "
    "that record was stopped after four of these trainings, its numbers not looked at"
)
RESTARTED = _(
    "{pilot}; with a memory of one segment one layer learned the task with restarted positions, so "
    "two are asked; a prototype had 0.18"
).format(pilot=PILOT)
TEXT_PILOT = _(
    "one trial with the seed 7: three layers, 400 steps, four times the batch; registered first "
    "for three layers and twice the batch; that record was stopped, its numbers not looked at"
)
NO_PAPER = _("no paper: a question of our own")
COMPARED = _("perplexity 25.2, and 27.1 without recurrence: there each is read as it was trained")
NOT_ASKED = _("not asked")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    return [*_identities(record), *_delays(record), *_text(record)]


def _identities(record: Record) -> list[Claim]:
    claim = partial(Claim, kind=Kind.IDENTITY, record=record.name, section=SECTION)
    places = _("decimal places on which {what} agree, in float64; 16 where nothing differs")
    return [
        claim(
            id="10.4a",
            sentence=_("The shift puts the score of each distance where a loop puts it."),
            source=_("{paper}, appendix B").format(paper=PAPER),
            paper_value=_("a derivation"),
            measured=places.format(what=_("shift and loop, four shapes,")),
            rule=EverySeedAbove(12),
            values=record.metric("exact.shift_digits"),
            digits=1,
        ),
        claim(
            id="10.4b",
            sentence=_(
                "Segments with a memory of all that came before give the logits of one pass."
            ),
            source=_("{paper}, section 3.2").format(paper=PAPER),
            paper_value=_("not stated"),
            measured=places.format(what=_("the logits of a random network of two layers")),
            rule=EverySeedAbove(10),
            values=record.metric("exact.segments_digits"),
            digits=1,
        ),
        claim(
            id="10.4c",
            sentence=_(
                "The end of a segment of L positions knows of (N - 1) ceil(M / L) L + M + L - 1 "
                "positions before it, with N layers and a memory of M."
            ),
            source=_("{paper}, section 3.2").format(paper=PAPER),
            paper_value=_("grows as N L, with M = L"),
            measured=_(
                "share of six settings in which the farthest token whose change moves the logits "
                "lies there, random networks"
            ),
            rule=EverySeedAbove(0.99),
            values=record.metric("exact.reach"),
        ),
        claim(
            id="10.4d",
            sentence=_(
                "The longer the text that a prediction may read, the more a memory saves: about "
                "four times as much at four times the length."
            ),
            source=_("{paper}, table 9").format(paper=PAPER),
            paper_value=_("363 times as fast at a length of 800, 1,874 times at 3,800"),
            measured=_(
                "multiplications for a prediction of a window that slides by one, over those with "
                "a memory of half the window, whose predictions read from half of it to all of it: "
                "this ratio at 256 positions over that at 64"
            ),
            rule=EverySeedAbove(3.5),
            values=record.metric("exact.growth"),
        ),
    ]


def _delays(record: Record) -> list[Claim]:
    config = record.config
    claim = partial(Claim, record=record.name, section=SECTION, known=PILOT)
    answered = _(
        "share of positions at which the symbol {delay} before comes first, {symbols} symbols, "
        "segments of {delay}; {network}, {steps} steps; chance is {chance:.2f}"
    )
    wording = partial(
        answered.format,
        delay=config["delay"],
        symbols=config["symbols"],
        steps=config["delay_steps"],
        chance=1 / config["symbols"],
    )
    return [
        claim(
            kind=Kind.OWN,
            id="10.5a",
            sentence=_(
                "With a memory of two segments and relative positions one layer says what stood a "
                "segment before."
            ),
            source=_("{paper}, sections 3.2 and 3.3, for the question").format(paper=PAPER),
            paper_value=_("not asked; the design's purpose"),
            measured=wording(network=_("one layer")),
            rule=EverySeedAbove(0.95),
            values=record.metric("delay_relative.accuracy"),
            digits=3,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="10.5b",
            sentence=_("Without a memory it can only guess: what is asked for is out of sight."),
            source=_("{paper}, section 3.1").format(paper=PAPER),
            paper_value=_("a dependency is at most as long as a segment"),
            measured=wording(network=_("one layer without memory")),
            rule=EverySeedBelow(0.1),
            values=record.metric("delay_none.accuracy"),
            digits=3,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="10.5c",
            known=RESTARTED,
            sentence=_(
                "With positions that begin anew one layer cannot tell two segments apart: it says "
                "the right symbol in not much more than half of the cases."
            ),
            source=_("{paper}, section 3.3").format(paper=PAPER),
            paper_value=_("no information to tell them apart, a sheer performance loss"),
            measured=wording(network=_("one layer, restarted positions, the same memory")),
            rule=EverySeedBelow(0.6),
            values=record.metric("delay_restarted.accuracy"),
        ),
        claim(
            kind=Kind.OWN,
            id="10.5d",
            known=_(
                "{restarted}; two layers with relative positions were left out when the setting "
                "was made smaller"
            ).format(restarted=RESTARTED),
            sentence=_(
                "A second layer finds a way around restarted positions: it gets more right than "
                "one of two alike could be."
            ),
            source=NO_PAPER,
            paper_value=NOT_ASKED,
            measured=wording(network=_("two layers, restarted positions, the same memory")),
            rule=EverySeedAbove(0.6),
            values=record.metric("delay_two_restarted.accuracy"),
        ),
    ]


def _text(record: Record) -> list[Claim]:
    config = record.config
    claim = partial(
        Claim, record=record.name, section=SECTION, known=TEXT_PILOT, digits=3, kind=Kind.PAPER
    )
    bits = partial(_bits, record)
    measured = _(
        "bits a character of Python's documentation, {one} less {other}; {layers} layers of width "
        "{width}, segments of {segment} characters, {steps} steps"
    )
    wording = partial(
        measured.format,
        layers=config["num_layers"],
        width=config["d_model"],
        segment=config["segment"],
        steps=config["steps"],
    )
    return [
        claim(
            kind=Kind.OWN,
            id="10.6a",
            sentence=_(
                "A network that trained with a memory of one segment predicts better with it."
            ),
            source=_("{paper}, table 7, for the question").format(paper=PAPER),
            paper_value=COMPARED,
            measured=wording(one=_("read without memory"), other=_("read with it")),
            rule=EverySeedAbove(0.05),
            values=_less(bits("remembers", 0), bits("remembers", 1)),
        ),
        claim(
            kind=Kind.OWN,
            id="10.6b",
            sentence=_(
                "Of two networks that are read with a memory, the one that trained with it "
                "predicts better."
            ),
            source=_("{paper}, table 7, for the question").format(paper=PAPER),
            paper_value=COMPARED,
            measured=wording(
                one=_("trained without memory"),
                other=_("trained with one of a segment, both read with one"),
            ),
            rule=MeanAbove(0),
            values=_less(bits("forgets", 1), bits("remembers", 1)),
        ),
        claim(
            id="10.6c",
            sentence=_("A memory four times as long as in training predicts better still."),
            source=_("{paper}, section 3.3 and table 6").format(paper=PAPER),
            paper_value=_("a longer memory in evaluation lowers the perplexity"),
            measured=wording(one=_("a memory of one segment"), other=_("a memory of four")),
            rule=MeanAbove(0),
            values=_less(bits("remembers", 1), bits("remembers", 4)),
        ),
        claim(
            kind=Kind.OWN,
            id="10.6d",
            sentence=_("A network that trained without a memory gains from one, too."),
            source=NO_PAPER,
            paper_value=NOT_ASKED,
            measured=wording(
                one=_("trained without memory, read without one"),
                other=_("read with one of a segment"),
            ),
            rule=EverySeedAbove(0.02),
            values=_less(bits("forgets", 0), bits("forgets", 1)),
        ),
        claim(
            kind=Kind.OWN,
            id="10.6e",
            sentence=_(
                "A memory gains more at the beginning of segments, where a prediction would have "
                "next to nothing to read, than in their second half."
            ),
            source=_("{paper}, sections 1 and 4.2, for the question").format(paper=PAPER),
            paper_value=_("memory mends context fragmentation, also in text without long ties"),
            measured=wording(
                one=_(
                    "what a memory of one segment gains, for the network trained with it, in the "
                    "first eighth of a segment"
                ),
                other=_("what it gains in the last half"),
            ),
            rule=EverySeedAbove(0.2),
            values=_less(_gain(record, "early"), _gain(record, "late")),
        ),
    ]


def _bits(record: Record, network: str, segments: int) -> tuple[float, ...]:
    return record.metric(f"text_{network}.at_{segments}.bits")


def _gain(record: Record, where: str) -> tuple[float, ...]:
    found = (record.metric(f"text_remembers.at_{segments}.{where}") for segments in (0, 1))
    return _less(*found)


def _less(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(one, other, strict=True))
