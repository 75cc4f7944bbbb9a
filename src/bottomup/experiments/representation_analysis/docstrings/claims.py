"""Chapter 08: which findings return on Python's documentation.

Rules and margins are those of the mini-language and were set before the networks of a record were
trained. An MLM under seed 7, stopped after 250 of 3,000 steps, came first. A first record trained
6,000 steps with 200 of warm-up; there MLM neither lost the token nor recovered it. A pilot of MLM
under seed 900, 6,000 steps, ended at 4.00 nats. This record has 8,000 steps with 400 of warm-up.
"""

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.claims import (
    CONTROL,
    LOST_MORE,
    NOT_ASKED,
    Section,
    as_claims,
)
from bottomup.experiments.representation_analysis.claims_by_layer import (
    NATS,
    POSITIVE,
    SAME_TOKEN,
    WITH_BOTH,
    WITH_INPUT,
    Row,
    read_off,
)
from bottomup.experiments.representation_analysis.findings import Findings
from bottomup.i18n import _

HERE = _("found on WMT data; here Python's documentation and docstrings")
FIRST = _(
    "an MLM stopped after 250 of 3,000 steps; then a first record of these seeds, of 6,000 steps "
    "and half the warm-up, and a pilot of MLM with another seed, which ended at 4.00 nats"
)
LOST = _(
    "{trials}; then a first record of these seeds, of 6,000 steps and half the warm-up"
).format(trials=LOST_MORE)
REPEATS = {
    "b": "08.1a", "c": "08.1d", "d": "08.1h", "e": "08.1e", "f": "08.2a", "g": "08.2e",
    "h": "08.5b",
}  # fmt: skip


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    rows: list[Row] = [
        (
            "a",
            _(
                "On Python's documentation the masked model's loss is over a nat below that of a "
                "guess by frequencies."
            ),
            CONTROL,
            NOT_ASKED,
            _(
                "loss of a guess by frequencies on all test tokens less loss of MLM on chosen "
                "ones, of which a tenth can be read as they are; nats a token"
            ),
            EverySeedAbove(1),
            lambda run: run.metrics["frequency_loss"] - run.metrics["mlm"]["loss"],
        ),
        (
            "b",
            _("There too, the clusters tell less of the input token at the top of LM."),
            WITH_INPUT,
            HERE,
            _("embedding less last layer, LM, plug-in nats"),
            EverySeedAbove(0.5),
            lambda run: run.fall("lm"),
        ),
        (
            "c",
            _("There, MLM tells more of the token at the top than in the middle."),
            WITH_INPUT,
            HERE,
            _("last layer less the middle layer, MLM, plug-in nats"),
            MeanAbove(0.05),
            Findings.recovery,
        ),
        (
            "d",
            _("There too, MLM ends above LM."),
            WITH_INPUT,
            read_off(_("MLM 5.10, LM 3.97 at layer 6"), NATS),
            _("last layer, MLM less LM, plug-in nats"),
            POSITIVE,
            lambda run: run.top("mlm") - run.top("lm"),
        ),
        (
            "e",
            _("There, a language model's fall exceeds that of the untrained network."),
            CONTROL,
            NOT_ASKED,
            _("fall of LM less fall of the same network untrained, plug-in nats"),
            POSITIVE,
            lambda run: run.fall("lm") - run.fall("untrained_causal"),
        ),
        (
            "f",
            _(
                "There too, from the embedding to the top of LM, the clusters gain of the next "
                "token."
            ),
            WITH_BOTH,
            HERE,
            _("clusters and next token: last layer less embedding, LM, plug-in nats"),
            EverySeedAbove(0.2),
            lambda run: run.gain("lm", "next"),
        ),
        (
            "g",
            _(
                "There, at MLM's top, the clusters tell more of an exchanged token's original than "
                "of the token read."
            ),
            WITH_BOTH,
            HERE,
            _("original less token read, exchanged tokens, last layer, MLM, plug-in nats"),
            POSITIVE,
            Findings.crossed,
        ),
        (
            "h",
            _("There too, at the top, MLM's neighbours are more often the same token than LM's."),
            SAME_TOKEN,
            HERE,
            _("share of the 10 nearest tokens with the same type, last layer, MLM less LM"),
            POSITIVE,
            lambda run: run.same("mlm") - run.same("lm"),
        ),
    ]
    runs = [Findings(run["metrics"]["networks"]) for run in record.runs]
    known = {**dict.fromkeys("abcdfgh", FIRST), "e": LOST}
    section = Section("08.6", "How far the findings carry", rows, repeats=REPEATS, known=known)
    return as_claims(record, section, runs)
