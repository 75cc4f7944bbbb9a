"""Chapter 08: which findings return on Python's documentation.

Rules and margins are those of the mini-language and were set before the networks were trained.
A first record trained 6,000 steps, where MLM neither lost the token nor recovered it.
"""

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.claims import (
    CONTROL,
    Section,
    as_claims,
)
from bottomup.experiments.representation_analysis.claims_by_layer import (
    POSITIVE,
    SAME_TOKEN,
    WITH_BOTH,
    WITH_INPUT,
    Row,
)
from bottomup.experiments.representation_analysis.findings import Findings
from bottomup.i18n import _

HERE = _("found on WMT data; here Python's documentation and docstrings")
FIRST = _(
    "nothing, but a first record of these seeds, of 6,000 steps, came between; this one has 8,000"
)
REPEATS = {
    "b": "08.1a", "c": "08.1d", "e": "08.1e", "f": "08.2a", "g": "08.2e", "h": "08.5b",
}  # fmt: skip


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    rows: list[Row] = [
        (
            "a",
            _("On Python's documentation the masked model has learned to predict."),
            CONTROL,
            HERE,
            _("loss of a guess by frequencies less loss of MLM on test sentences, nats a token"),
            EverySeedAbove(1),
            lambda run: run.metrics["frequency_loss"] - run.metrics["mlm"]["loss"],
        ),
        (
            "b",
            _("There too, the clusters tell less of the input token at the top of LM."),
            WITH_INPUT,
            HERE,
            _("embedding less last layer, LM, nats"),
            EverySeedAbove(0.5),
            lambda run: run.fall("lm"),
        ),
        (
            "c",
            _("There too, MLM recovers some of what it lost."),
            WITH_INPUT,
            HERE,
            _("last layer less the middle layer, MLM, nats"),
            MeanAbove(0.05),
            Findings.recovery,
        ),
        (
            "d",
            _("There too, MLM ends above LM."),
            WITH_INPUT,
            HERE,
            _("last layer, MLM less LM, nats"),
            POSITIVE,
            lambda run: run.top("mlm") - run.top("lm"),
        ),
        (
            "e",
            _("There, a language model's fall exceeds that of the untrained network."),
            CONTROL,
            HERE,
            _("fall of LM less fall of the same network untrained, nats"),
            POSITIVE,
            lambda run: run.fall("lm") - run.fall("untrained_causal"),
        ),
        (
            "f",
            _("There too, LM gains the next token."),
            WITH_BOTH,
            HERE,
            _("clusters and next token: last layer less embedding, LM, nats"),
            EverySeedAbove(0.2),
            lambda run: run.gain("lm", "next"),
        ),
        (
            "g",
            _("There too, the curves of exchanged tokens cross."),
            WITH_BOTH,
            HERE,
            _("original less token read, exchanged tokens, last layer, MLM, nats"),
            POSITIVE,
            Findings.crossed,
        ),
        (
            "h",
            _("There too, MLM's neighbours are more often the same token than LM's."),
            SAME_TOKEN,
            HERE,
            _("share of the 10 nearest tokens with the same type, last layer, MLM less LM"),
            POSITIVE,
            lambda run: run.same("mlm") - run.same("lm"),
        ),
    ]
    runs = [Findings(run["metrics"]["networks"]) for run in record.runs]
    known = dict.fromkeys("abcdefgh", FIRST)
    section = Section("08.6", "How far the findings carry", rows, repeats=REPEATS, known=known)
    return as_claims(record, section, runs)
