"""Chapter 06: names in the claims on searches, and what they find after every training."""

from operator import sub
from statistics import fmean
from typing import Any

from bottomup.experiments.decoding.search.config import NO_PENALTY, PREFIX, usual_width
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

AT = 128  # tokens at which the cost is compared


def names(record: Record) -> dict[str, Any]:
    """Return the early and the late translator, widths of beams, and gains by training."""
    beams, steps, lengths = (record.config[name] for name in ("beams", "steps", "lengths"))
    after = _("; after {steps} steps: {value}")
    later = zip(steps[1:], _gains(record, "bleu")[1:], strict=True)
    return {
        "early": f"{PREFIX}{steps[0]}",
        "late": f"{PREFIX}{steps[-1]}",
        "usual": usual_width(beams),
        "widest": beams[-1],
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


def _gains(record: Record, what: str) -> list[tuple[float, ...]]:
    """Return for each translator what the usual beam gains over greedy search."""
    usual = usual_width(record.config["beams"])
    return _less(record, *(f"beam.{NO_PENALTY}.{width}.{what}" for width in (usual, 1)))


def _sentence_means(record: Record) -> list[tuple[float, ...]]:
    """Return for each translator the mean of the sentences' BLEU less sacrebleu's."""
    return _less(record, "bleus.greedy.sentence_mean", "bleus.greedy.sacrebleu")


def _less(record: Record, *paths: str) -> list[tuple[float, ...]]:
    """Return for each translator one metric less another."""
    each = (
        [record.metric(f"{PREFIX}{steps}.{path}") for path in paths]
        for steps in record.config["steps"]
    )
    return [tuple(map(sub, *both)) for both in each]


def least_gain_in_log_probability(record: Record) -> tuple[float, ...]:
    """Return the least that the usual beam gains over greedy search in mean log P, in nats."""
    return tuple(map(min, zip(*_gains(record, "log_probability"), strict=True)))


def most_off_by_sentence_mean(record: Record) -> tuple[float, ...]:
    """Return how far the mean of the sentences' BLEU is off at most, in BLEU."""
    return tuple(max(map(abs, off)) for off in zip(*_sentence_means(record), strict=True))
