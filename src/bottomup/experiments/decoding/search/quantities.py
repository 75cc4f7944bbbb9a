"""Chapter 06: the translator trained least and the one trained most, and what they find."""

from statistics import fmean
from typing import Any

from bottomup.experiments.decoding.search.config import NO_PENALTY, PREFIX, usual_width
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

MOST_PENALTY = "1"
AT = 128  # tokens at which the cost is compared


def names(record: Record) -> dict[str, Any]:
    """Return the early and the late translator with their searches, and gains by training."""
    beams, steps, lengths = (record.config[name] for name in ("beams", "steps", "lengths"))
    usual, widest = usual_width(beams), beams[-1]
    searches = {
        "greedy": f"beam.{NO_PENALTY}.{beams[0]}",
        "beam": f"beam.{NO_PENALTY}.{usual}",
        "wide": f"beam.{NO_PENALTY}.{widest}",
        "penalised": f"beam.{MOST_PENALTY}.{widest}",
        "wider": f"wider.{usual}_{widest}",
    }
    translators = {"early": f"{PREFIX}{steps[0]}", "late": f"{PREFIX}{steps[-1]}"}
    after = _("; after {steps} steps: {value}")
    later = zip(steps[1:], _gains(record, "bleu")[1:], strict=True)
    return {
        **translators,
        **{
            f"{when}_{search}": f"{translator}.{path}"
            for when, translator in translators.items()
            for search, path in searches.items()
        },
        "usual": usual,
        "widest": widest,
        "at": AT if AT in lengths else lengths[-1],
        "listed": ", ".join(map(str, steps)),
        "last": steps[-1],
        "gains_in_log_probability": ", ".join(
            f"{fmean(gain):.2f}" for gain in _gains(record, "log_probability")
        ),
        "later_gains_in_bleu": "".join(
            after.format(steps=number, value=f"{fmean(gain):z.1f}".replace("-", "−"))
            for number, gain in later
        ),
        "sentence_means_off": ", ".join(f"{fmean(off):+.1f}" for off in _sentence_means(record)),
    }


def _gained(record: Record, one: str, other: str) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(record.metric(one), record.metric(other), strict=True))


def _gains(record: Record, what: str) -> list[tuple[float, ...]]:
    """Return for each translator what the usual beam gains over greedy search."""
    greedy, usual = record.config["beams"][0], usual_width(record.config["beams"])
    return [
        _gained(
            record, *(f"{PREFIX}{n}.beam.{NO_PENALTY}.{width}.{what}" for width in (usual, greedy))
        )
        for n in record.config["steps"]
    ]


def _sentence_means(record: Record) -> list[tuple[float, ...]]:
    """Return for each translator the mean of the sentences' BLEU less sacrebleu's."""
    return [
        _gained(
            record, *(f"{PREFIX}{n}.bleus.greedy.{kind}" for kind in ("sentence_mean", "sacrebleu"))
        )
        for n in record.config["steps"]
    ]


def least_gain_in_log_probability(record: Record) -> tuple[float, ...]:
    """Return the least that the usual beam gains over greedy search in mean log P, in nats."""
    return tuple(map(min, zip(*_gains(record, "log_probability"), strict=True)))


def most_off_by_sentence_mean(record: Record) -> tuple[float, ...]:
    """Return how far the mean of the sentences' BLEU is off at most, in BLEU."""
    return tuple(max(map(abs, off)) for off in zip(*_sentence_means(record), strict=True))


def off(record: Record, when: str, kind: str) -> tuple[float, ...]:
    """Return how far a score of the greedy translations is from sacrebleu's, in BLEU."""
    scores = f"{names(record)[when]}.bleus.greedy"
    return tuple(map(abs, _gained(record, f"{scores}.{kind}", f"{scores}.sacrebleu")))


def between(record: Record, when: str) -> tuple[float, ...]:
    """Return the lesser of top-p's distances from sampling and from greedy search, in BLEU."""
    plain, top_p = (f"{names(record)[when]}.samples.{kind}.bleu" for kind in ("plain", "top_p"))
    greedy = f"{names(record)[when]}.greedy.bleu"
    return tuple(map(min, _gained(record, top_p, plain), _gained(record, greedy, top_p)))
