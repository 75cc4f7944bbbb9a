"""Chapter 10b: what the experiment on length claims. Rules were set before it was recorded."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from bottomup.experiments.engine.claim import (
    Claim,
    EverySeedAbove,
    EverySeedBelow,
    Kind,
)
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

ALIBI = "Press et al. (2022)"
EXACT = EverySeedAbove(10)  # decimal places
PILOT = _(
    "one trial of each kind in a script, with the seed 0, and trials of the same settings with the "
    "seeds 0, 1 and 2; a first task was dropped after one trial of each kind; this record's seeds "
    "are others"
)
PLACES_PILOT = _(
    "one trial of each in a script, with the seed 0; a first task was dropped after one trial of "
    "each kind, in which learned positions kept 0.9 at the end with all in reach, since there the "
    "answers stood in the first 32 positions, too; this record's seeds are others"
)
NONE_PILOT = _(
    "without positions one trial in a script and one of the same settings, both with the seed 0, "
    "rotary positions with the seeds 0, 1 and 2 too; a first task was dropped after one trial of "
    "each kind; this record's seeds are others"
)


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    found = _identities(record)
    if set(record.config["positions"]) >= {"rotary", "alibi", "none", "sinusoidal", "learned"}:
        found += [*_beyond(record), *_window(record), *_inside(record)]
    return found


def _identities(record: Record) -> list[Claim]:
    claim = partial(
        Claim, kind=Kind.IDENTITY, rule=EXACT, record=record.name, digits=1, section="Turn it"
    )
    places = _("decimal places on which {what} agree, in float64")
    return [
        claim(
            id="10b.1a",
            sentence=_(
                "Under rotary positions a score depends on the two positions through their "
                "distance alone."
            ),
            source=_("Su et al. (2021), section 3.2.2"),
            paper_value=_("a definition"),
            measured=places.format(what=_("all scores at positions from 0 and from 1,000 on")),
            values=record.metric("exact.relative_digits"),
        ),
        claim(
            id="10b.1b",
            sentence=_(
                "Grouped queries are multi-head attention with keys and values copied for each "
                "head of a group."
            ),
            source=_("Ainslie et al. (2023)"),
            paper_value=_("a definition"),
            measured=places.format(what=_("the outputs of six heads in two groups")),
            values=record.metric("exact.grouped_digits"),
            section="Fewer keys than heads",
        ),
        claim(
            id="10b.1c",
            sentence=_("RMSNorm of a centred vector is LayerNorm without its bias."),
            source=_("Zhang and Sennrich (2019)"),
            paper_value=_("a definition"),
            measured=places.format(what=_("the two norms")),
            values=record.metric("exact.norm_digits"),
            section="Smaller changes",
        ),
    ]


def _wording(record: Record, what: str) -> str:
    config = record.config
    text = _(
        "share of predictable symbols that get the largest logit, {what}; trained on {length} "
        "positions for {steps} steps, a uniform guess gives {chance:.2f}"
    )
    chance = 1 / config["symbols"]
    return text.format(what=what, length=config["length"], steps=config["steps"], chance=chance)


def _places(record: Record, stretch: int) -> str:
    """Return the first and the last position of one stretch, counted from 1, in words."""
    ends = (0, *record.config["stretches"])
    start, end = list(pairwise(ends))[stretch]
    return _("{start} to {end}").format(start=start + 1, end=end)


def _accuracy(record: Record, positions: str, reading: str, stretch: int) -> tuple[float, ...]:
    """Return the accuracy in one stretch, counted from the first, of each seed."""
    end = record.config["stretches"][stretch]
    return record.metric(f"{positions}.{reading}.to_{end:03}")


def _less(one: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def _larger(one: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
    return tuple(max(pair) for pair in zip(one, other, strict=True))


def _beyond(record: Record) -> list[Claim]:
    claim = partial(
        Claim,
        kind=Kind.PAPER,
        record=record.name,
        known=PILOT,
        section="Longer than any trained sequence",
        source=_("{paper}, figure 1").format(paper=ALIBI),
    )
    accuracy = partial(_accuracy, record)
    lost = {
        kind: _less(accuracy(kind, "whole", 0), accuracy(kind, "whole", -1))
        for kind in ("rotary", "alibi")
    }
    second, last = (_places(record, stretch) for stretch in (1, -1))
    return [
        claim(
            id="10b.2a",
            sentence=_(
                "Rotary positions do not carry far beyond the trained length: most of what can be "
                "known is lost."
            ),
            source=_("{paper}, figure 1 and section 2.2").format(paper=ALIBI),
            paper_value=_(
                "perplexity improves for 200 tokens beyond 512 and for 100 beyond 1,024, then rises"
            ),
            measured=_wording(
                record, _("rotary positions, last stretch, {places}").format(places=last)
            ),
            rule=EverySeedBelow(0.5),
            values=accuracy("rotary", "whole", -1),
        ),
        claim(
            id="10b.2b",
            known=PLACES_PILOT,
            sentence=_(
                "Sinusoids and learned positions fail within twice the trained length: less than "
                "three tenths of the predictable symbols are right."
            ),
            source=_("{paper}, figure 1, section 2.2 and footnote 4").format(paper=ALIBI),
            paper_value=_(
                "sinusoids: perplexity improves for 20 tokens beyond 512 and rises beyond 50; "
                "learned positions: no ability to extrapolate, not tested"
            ),
            measured=_wording(
                record,
                _("the better of the two, second stretch, {places}").format(places=second),
            ),
            rule=EverySeedBelow(0.3),
            values=_larger(*(accuracy(kind, "whole", 1) for kind in ("sinusoidal", "learned"))),
        ),
        claim(
            id="10b.2c",
            sentence=_(
                "Linear biases lose less beyond the trained length than rotary positions do, by "
                "over three tenths of the predictable symbols."
            ),
            paper_value=_("perplexity does not rise"),
            measured=_wording(
                record,
                _(
                    "first stretch minus last, {places}: what rotary positions lose, less what "
                    "biases lose"
                ).format(places=last),
            ),
            rule=EverySeedAbove(0.3),
            values=_less(lost["rotary"], lost["alibi"]),
        ),
        claim(
            kind=Kind.OWN,
            id="10b.2d",
            sentence=_(
                "Linear biases lose less than three tenths of the predictable symbols themselves."
            ),
            source=_("{paper}, figure 1, for the question").format(paper=ALIBI),
            paper_value=_("perplexity does not rise"),
            measured=_wording(
                record, _("linear biases, first stretch minus last, {places}").format(places=last)
            ),
            rule=EverySeedBelow(0.3),
            values=lost["alibi"],
        ),
    ]


def _window(record: Record) -> list[Claim]:
    claim = partial(
        Claim,
        kind=Kind.OWN,
        record=record.name,
        known=PILOT,
        section="Longer than any trained sequence",
        source=_("no paper: a question of our own"),
        paper_value=_("not asked"),
    )
    accuracy = partial(_accuracy, record)
    width, last = record.config["length"], _places(record, -1)
    return [
        claim(
            id="10b.3a",
            sentence=_(
                "With a window as wide as the trained length, rotary positions lose less than a "
                "twentieth of the predictable symbols at four to eight times that length."
            ),
            measured=_wording(
                record,
                _(
                    "rotary positions within a window of {width}, first stretch minus last, "
                    "{places}"
                ).format(width=width, places=last),
            ),
            rule=EverySeedBelow(0.05),
            values=_less(accuracy("rotary", "window", 0), accuracy("rotary", "window", -1)),
            digits=3,
        ),
        claim(
            known=PLACES_PILOT,
            id="10b.3b",
            sentence=_(
                "A window does not save sinusoids and learned positions: less than three tenths of "
                "the last predictable symbols are right."
            ),
            measured=_wording(
                record,
                _(
                    "the better of the two within a window of {width}, last stretch, {places}"
                ).format(width=width, places=last),
            ),
            rule=EverySeedBelow(0.3),
            values=_larger(*(accuracy(kind, "window", -1) for kind in ("sinusoidal", "learned"))),
        ),
        claim(
            id="10b.3c",
            sentence=_(
                "Four sinks in the place of the window's furthest four positions cost this network "
                "predictable symbols, more than a fiftieth of them."
            ),
            source=_("Xiao et al. (2024)"),
            paper_value=_("large models need the sinks, with places counted within the cache"),
            measured=_wording(
                record,
                _(
                    "rotary positions, last stretch, {places}: window minus window with sinks, "
                    "which keep their places in the text"
                ).format(places=last),
            ),
            rule=EverySeedAbove(0.02),
            values=_less(accuracy("rotary", "window", -1), accuracy("rotary", "sinks", -1)),
            digits=3,
        ),
    ]


def _inside(record: Record) -> list[Claim]:
    claim = partial(
        Claim,
        kind=Kind.OWN,
        record=record.name,
        known=PILOT,
        section="Longer than any trained sequence",
        source=_("no paper: a question of our own"),
        paper_value=_("not asked"),
    )
    accuracy = partial(_accuracy, record)
    rotary, first = accuracy("rotary", "whole", 0), _places(record, 0)
    return [
        claim(
            id="10b.4a",
            sentence=_(
                "Within the trained length rotary positions get over nineteen twentieths of the "
                "predictable symbols right."
            ),
            measured=_wording(
                record, _("rotary positions, first stretch, {places}").format(places=first)
            ),
            rule=EverySeedAbove(0.95),
            values=rotary,
            digits=3,
        ),
        claim(
            id="10b.4b",
            sentence=_(
                "Linear biases get fewer right in the same steps, by over a hundredth of the "
                "predictable symbols."
            ),
            measured=_wording(
                record,
                _("first stretch, {places}, rotary positions minus linear biases").format(
                    places=first
                ),
            ),
            rule=EverySeedAbove(0.01),
            values=_less(rotary, accuracy("alibi", "whole", 0)),
            digits=3,
        ),
        claim(
            known=NONE_PILOT,
            id="10b.4c",
            sentence=_(
                "In the same steps a network that is told no positions gets fewer right than "
                "rotary positions do, by over a fifth of the predictable symbols."
            ),
            measured=_wording(
                record,
                _("first stretch, {places}, rotary positions minus none").format(places=first),
            ),
            rule=EverySeedAbove(0.2),
            values=_less(rotary, accuracy("none", "whole", 0)),
        ),
    ]
