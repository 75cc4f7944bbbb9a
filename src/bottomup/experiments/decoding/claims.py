"""Chapter 06: what the experiment on real sentences claims. Rules and margins came first.

Pilots under seed 0, five minutes of a processor each, no dropout above 0.1, BLEU of greedy
translations of the first 500 validation sentences: 6.8 with a vocabulary of 8,000 and 4,096 tokens
a batch (rate 3e-3); 14.1 with 4,000 pieces; with these, 25.2 in batches of 1,024 tokens at 2e-3 and
25.6 in batches of 2,048 at 4e-3. The last was taken, with a dropout of 0.2 for the longer training
that was not tried. No test sentence was translated by this package before the record.

One training of each kind: the verdicts of 06.4 are over resampled test sets and not over seeds.
"""

from functools import partial

import numpy as np

from bottomup.experiments.engine.claim import Claim, Kind, ResampledAbove
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _
from bottomup.metrics.text_bleu import resampled_difference

OWN = _("no paper: our question")
KNOWN = _(
    "four pilots of ours under the record's seed, five minutes each, BLEU 6.8 to 25.6 on "
    "validation sentences, by which settings were chosen"
)
RIVAL = _(
    "{known}; and 29.4 of the plain recipe on the same test set, measured outside this package"
)


def claims(record: Record) -> list[Claim]:
    """Return what the record decides."""
    seconds = {kind: record.metric(f"{kind}.seconds")[0] for kind in ("bottomup", "torch")}
    claim = partial(
        Claim,
        record=record.name,
        section="Real data",
        digits=1,
        source=OWN,
        paper_value=OWN,
        known=KNOWN,
    )
    return [
        claim(
            kind=Kind.OWN,
            id="06.4a",
            known=RIVAL.format(known=KNOWN),
            sentence=_(
                "Trained on Multi30k with a recipe made for an hour of one core, our Transformer "
                "translates better than a plain nn.Transformer with the recipe it was given."
            ),
            measured=_(
                "BLEU, greedy, test sentences; ours after {bottomup:,.0f} seconds of a processor "
                "less the plain one's after {torch:,.0f}"
            ).format(**seconds),
            rule=ResampledAbove(1.0),
            values=_difference(record, "bottomup/{}/greedy_counts", "torch/{}/greedy_counts"),
        ),
        claim(
            kind=Kind.REPETITION,
            repeats="06.2c",
            id="06.4b",
            sentence=_(
                "On Multi30k, beam search with a width of {beam} and a length penalty of "
                "{length_penalty:g} translates better than greedy decoding."
            ).format(**record.config),
            measured=_(
                "BLEU, test sentences; our Transformer with beam {beam} and alpha "
                "{length_penalty:g} minus greedy; without a penalty: {plain:.1f}"
            ).format(plain=_without_penalty(record), **record.config),
            rule=ResampledAbove(0.0),
            values=_difference(record, "bottomup/{}/beam_counts", "bottomup/{}/greedy_counts"),
        ),
    ]


def _without_penalty(record: Record) -> float:
    """Return what the beam gains in BLEU over greedy decoding where no length penalty is used."""
    searched = f"bottomup.widths.plain.{record.config['beam']}.bleu"
    return record.metric(searched)[0] - record.metric("bottomup.greedy.bleu")[0]


def _difference(record: Record, ours: str, theirs: str) -> tuple[float, ...]:
    """Return the differences over resampled test sets, of the first seed."""
    seed = record.seeds[0]
    counts: list[np.ndarray] = [record.arrays[name.format(seed)] for name in (ours, theirs)]
    return tuple(resampled_difference(*counts).tolist())
