"""Chapter 06: what is claimed of searches and samples, on translators that were stopped early.

What holds there may be gone later: each claim says what the same measure gives after the longest
training.
"""

import statistics
from collections.abc import Callable, Sequence
from functools import partial

from bottomup.experiments.decoding.search.config import NO_PENALTY, PREFIX, usual_width
from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

# What the docstring of `claims` tells of them.
PILOTS = _("two pilots under other seeds: {first} after 100 steps, {second} after 200")
FIRST_PILOT = _("two pilots under other seeds, after 100 and 200 steps (the first: {first})")
COMPUTED = _("two pilots under other seeds, after 100 and 200 steps, which computed this too")
THEN = _("{pilots}; the margin was set after them")

BEAM = "Sutskever, Vinyals and Le (2014), section 3.2 and table 1"
WIDTH = "Koehn and Knowles (2017), section 1"
SHORTER = "Koehn and Knowles (2017), on beam search"
ERRORS = "Stahlberg and Byrne (2019), table 1"
PENALTY = "Wu et al. (2016), section 7 and table 2"
SAMPLING = "Holtzman et al. (2020), table 1"
MOST_PENALTY = "1"


def translator(record: Record) -> str:
    """Return the name of the translator that was trained least."""
    return f"{PREFIX}{record.config['steps'][0]}"


def mean(record: Record, path: str) -> float:
    """Return the mean over seeds of what stands under a path."""
    return statistics.fmean(record.metric(path))


def gained(record: Record, one: str, other: str) -> tuple[float, ...]:
    """Return for each seed what stands under the path `one` less what stands under `other`."""
    pairs = zip(record.metric(one), record.metric(other), strict=True)
    return tuple(high - low for high, low in pairs)


def later(record: Record, measure: Callable[[str], Sequence[float]], *, digits: int = 1) -> str:
    """Say what a measure of a translator gives for the one that was trained longest.

    Args:
        record: of the searches.
        measure: takes a translator's name and returns one number a seed.
        digits: decimal places.
    """
    return _after(record.config["steps"][-1], measure, digits)


def _after(steps: int, measure: Callable[[str], Sequence[float]], digits: int) -> str:
    value = statistics.fmean(measure(f"{PREFIX}{steps}"))
    shown = f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")
    return _("; after {steps} steps: {value}").format(steps=steps, value=shown)


def found_by_searching(record: Record) -> list[Claim]:
    """Return the claims about beams and samples."""
    return [*_widths(record), *_probable_and_good(record), *_lengths(record), *_samples(record)]


def _path(name: str, width: int, what: str, *, alpha: str = NO_PENALTY) -> str:
    return f"{name}.beam.{alpha}.{width}.{what}"


def _three(beams: Sequence[int]) -> tuple[int, int, int]:
    """Return the width of a greedy search, the usual one, and the widest."""
    return beams[0], usual_width(beams), beams[-1]


def _steps(record: Record) -> str:
    return translator(record).removeprefix(PREFIX)


def _widths(record: Record) -> list[Claim]:
    greedy, usual, widest = _three(record.config["beams"])
    claim = partial(Claim, record=record.name, section="Beam search")
    early = translator(record)
    bleu = {width: mean(record, _path(early, width, "bleu")) for width in (greedy, usual, widest)}
    names = [f"{PREFIX}{steps}" for steps in record.config["steps"]]
    higher = [
        gained(
            record,
            f"{name}.beam.{NO_PENALTY}.{usual}.log_probability",
            f"{name}.beam.{NO_PENALTY}.{greedy}.log_probability",
        )
        for name in names
    ]
    by_training = ", ".join(f"{statistics.fmean(values):.2f}" for values in higher)

    def raised(name: str) -> tuple[float, ...]:
        return gained(record, _path(name, usual, "bleu"), _path(name, greedy, "bleu"))

    def wider(name: str) -> tuple[float, ...]:
        return gained(record, _path(name, widest, "bleu"), _path(name, usual, "bleu"))

    return [
        claim(
            kind=Kind.OWN,
            id="06.2b",
            known=COMPUTED,
            sentence=_(
                "On average over sentences, a beam of {usual} finds a higher log-probability than "
                "greedy search."
            ).format(usual=usual),
            source=BEAM,
            paper_value=_("no probabilities reported"),
            measured=_(
                "mean log P in nats with a beam of {usual} less that of greedy search; the least "
                "of the translators after {steps} steps ({by_training})"
            ).format(usual=usual, steps=_listed(record.config["steps"]), by_training=by_training),
            rule=EverySeedAbove(0),
            values=tuple(min(of_seed) for of_seed in zip(*higher, strict=True)),
        ),
        claim(
            kind=Kind.PAPER,
            id="06.2c",
            known=_("{pilots}, so that it is asked after 100").format(
                pilots=PILOTS.format(first="2.2", second="−1.3")
            ),
            sentence=_(
                "After {steps} steps of training, a beam of {usual} raises BLEU by more than half "
                "a point."
            ).format(steps=_steps(record), usual=usual),
            source=BEAM,
            paper_value=_("beam 1: 33.00, 2: 34.50, 12: 34.81 (BLEU, ensemble of 5 LSTMs)"),
            measured=_(
                "BLEU with a beam of {usual} ({one:.1f}) less greedy search's ({other:.1f}), after "
                "{steps} steps, without a length penalty"
            ).format(usual=usual, one=bleu[usual], other=bleu[greedy], steps=_steps(record))
            + "".join(_after(steps, raised, 1) for steps in record.config["steps"][1:]),
            rule=MeanAbove(0.5),
            values=raised(early),
            digits=1,
        ),
        claim(
            kind=Kind.PAPER,
            id="06.2d",
            known=PILOTS.format(first="−8.4", second="−1.4"),
            sentence=_(
                "After {steps} steps of training, a beam of {widest} does not raise BLEU by half a "
                "point over one of {usual}."
            ).format(steps=_steps(record), widest=widest, usual=usual),
            source=WIDTH,
            paper_value=_("stated: better with narrow beams only, worse in a larger search space"),
            measured=_(
                "BLEU with a beam of {widest} ({one:.1f}) less that with {usual} ({other:.1f}), "
                "after {steps} steps, without a length penalty"
            ).format(
                widest=widest,
                usual=usual,
                one=bleu[widest],
                other=bleu[usual],
                steps=_steps(record),
            )
            + later(record, wider),
            rule=EverySeedBelow(0.5),
            values=wider(early),
            digits=1,
        ),
    ]


def _listed(steps: Sequence[int]) -> str:
    return ", ".join(map(str, steps))


def _probable_and_good(record: Record) -> list[Claim]:
    _first, usual, widest = _three(record.config["beams"])
    path = f"{translator(record)}.wider.{usual}_{widest}"

    def worse(name: str) -> tuple[float, ...]:
        return record.metric(f"{name}.wider.{usual}_{widest}.raised_worse")

    return [
        Claim(
            kind=Kind.PAPER,
            id="06.2e",
            known=THEN.format(pilots=COMPUTED),
            sentence=_(
                "After {steps} steps of training, a wider beam finds what is more probable and "
                "worse for more than a tenth of the sentences."
            ).format(steps=_steps(record)),
            source=ERRORS,
            paper_value=_(
                "the most probable of all: BLEU 2.1, half of them empty; beam of 10: 30.3"
            ),
            measured=_(
                "share of sentences for which a beam of {widest} finds a higher log P than one of "
                "{usual} and a lower sentence BLEU, after {steps} steps; higher in both: "
                "{better:.2f}"
            ).format(
                widest=widest,
                usual=usual,
                steps=_steps(record),
                better=mean(record, f"{path}.raised_better"),
            )
            + later(record, worse, digits=2),
            rule=EverySeedAbove(0.1),
            values=worse(translator(record)),
            record=record.name,
            section="Beam search",
        )
    ]


def _lengths(record: Record) -> list[Claim]:
    _first, usual, widest = _three(record.config["beams"])
    claim = partial(Claim, record=record.name, section="Beam search")
    early = translator(record)
    ratio = {width: mean(record, _path(early, width, "length_ratio")) for width in (usual, widest)}
    high = _path(early, widest, "bleu", alpha=MOST_PENALTY)

    def shorter(name: str) -> tuple[float, ...]:
        paths = (_path(name, width, "length_ratio") for width in (usual, widest))
        return gained(record, *paths)

    def given_back(name: str) -> tuple[float, ...]:
        most = _path(name, widest, "bleu", alpha=MOST_PENALTY)
        return gained(record, most, _path(name, widest, "bleu"))

    return [
        claim(
            kind=Kind.PAPER,
            id="06.2f",
            known=THEN.format(pilots=FIRST_PILOT.format(first=_("0.51 with a beam of 50"))),
            sentence=_(
                "After {steps} steps of training, wider beams write shorter translations."
            ).format(steps=_steps(record)),
            source=SHORTER,
            paper_value=_("stated: shorter translations are the main cause of the worse quality"),
            measured=_(
                "tokens for each token of the references, with a beam of {usual} ({one:.2f}) less "
                "with {widest} ({other:.2f}), after {steps} steps, without a length penalty"
            ).format(
                usual=usual,
                widest=widest,
                one=ratio[usual],
                other=ratio[widest],
                steps=_steps(record),
            )
            + later(record, shorter, digits=2),
            rule=EverySeedAbove(0.02),
            values=shorter(early),
        ),
        claim(
            kind=Kind.PAPER,
            id="06.2g",
            known=THEN.format(pilots=FIRST_PILOT.format(first="6.8")),
            sentence=_(
                "After {steps} steps of training, the length penalty raises the BLEU of the widest "
                "beam."
            ).format(steps=_steps(record)),
            source=PENALTY,
            paper_value=_("alpha 0: BLEU 30.3, alpha 0.8: 31.2, alpha 1: 31.1 (beta = 0)"),
            measured=_(
                "BLEU with a beam of {widest} and alpha 1 ({one:.1f}) less that with alpha 0 "
                "({other:.1f}), after {steps} steps"
            ).format(
                widest=widest,
                one=mean(record, high),
                other=mean(record, _path(early, widest, "bleu")),
                steps=_steps(record),
            )
            + later(record, given_back),
            rule=MeanAbove(0.5),
            values=given_back(early),
            digits=1,
        ),
    ]


def _samples(record: Record) -> list[Claim]:
    name = translator(record)
    claim = partial(Claim, record=record.name, section="Sampling", digits=1)
    bleu = {
        "greedy": mean(record, f"{name}.greedy.bleu"),
        **{kind: mean(record, f"{name}.samples.{kind}.bleu") for kind in ("plain", "top_p")},
    }
    measured = _(
        "BLEU after {steps} steps: greedy {greedy:.1f}, in the mean of {samples} draws sampled "
        "{plain:.1f}, top-p 0.9 {top_p:.1f}"
    ).format(steps=_steps(record), samples=record.config["samples"], **bleu)

    def below(name: str) -> tuple[float, ...]:
        return gained(record, f"{name}.greedy.bleu", f"{name}.samples.plain.bleu")

    def between(name: str) -> tuple[float, ...]:
        tail = gained(record, f"{name}.samples.top_p.bleu", f"{name}.samples.plain.bleu")
        rest = gained(record, f"{name}.greedy.bleu", f"{name}.samples.top_p.bleu")
        return tuple(min(pair) for pair in zip(tail, rest, strict=True))

    return [
        claim(
            kind=Kind.OWN,
            id="06.2h",
            known=THEN.format(pilots=PILOTS.format(first="7.2", second="17.8")),
            sentence=_(
                "After {steps} steps of training, sampling from the model's probabilities "
                "translates worse than greedy decoding."
            ).format(steps=_steps(record)),
            source=SAMPLING,
            paper_value=_("other task: open-ended text"),
            measured=measured + _("; greedy less sampled") + later(record, below),
            rule=EverySeedAbove(1),
            values=below(name),
        ),
        claim(
            kind=Kind.OWN,
            id="06.2i",
            known=THEN.format(pilots=PILOTS.format(first="1.7", second="6.6")),
            sentence=_(
                "After {steps} steps of training, sampling with the tail cut off, top-p, lies "
                "between the two."
            ).format(steps=_steps(record)),
            source=SAMPLING,
            paper_value=_("other task: open-ended text"),
            measured=measured
            + _("; the lesser of top-p's distances from both")
            + later(record, between),
            rule=EverySeedAbove(0),
            values=between(name),
        ),
    ]
