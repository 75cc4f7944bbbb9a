"""Chapter 08: what the networks claim.

Rules and margins were set before the networks of the record were measured. Their directions are the
paper's; some were known to fail, or to hold, from trials of other code on other networks, in which
an untrained post-norm stack lost more than a trained language model, the change of MT rose with
depth, and distances between all types did not separate the objectives.
"""

from collections.abc import Sequence
from functools import partial

from bottomup.experiments.claim import Claim, EverySeedAbove, MeanAbove
from bottomup.experiments.record import Record
from bottomup.experiments.representation_analysis_claims_layers import (
    POSITIVE,
    VOITA,
    Row,
    change_rows,
    distance_rows,
    neighbour_rows,
)
from bottomup.experiments.representation_analysis_findings import Findings
from bottomup.i18n import _

CONTROL = _("no paper: a control")
NOT_ASKED = _("not considered")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    made = partial(as_claims, record)
    return [
        *made("08.1", "What becomes of the input token", _input(record)),
        *made("08.2", "Where the target comes from", _target()),
        *made("08.3", "Which objectives lie close", distance_rows(), digits=3),
        *made("08.4", "How much a layer changes", change_rows(), digits=4),
        *made("08.5", "Neighbours and positions", neighbour_rows()),
    ]


def as_claims(
    record: Record, number: str, section: str, rows: Sequence[Row], *, digits: int = 2
) -> list[Claim]:
    """Return a claim for each row, with its value in every run, shown to so many digits."""
    runs = [Findings(run["metrics"]["networks"]) for run in record.runs]
    return [
        Claim(
            id=f"{number}{letter}",
            sentence=sentence,
            source=source,
            paper_value=paper,
            measured=measured,
            rule=rule,
            values=tuple(value(run) for run in runs),
            record=record.name,
            section=section,
            digits=digits,
        )
        for letter, sentence, source, paper, measured, rule, value in rows
    ]


def _input(record: Record) -> list[Row]:
    clusters, types = record.config["clusters"], record.config["types"]
    nats = _("nats; {clusters} clusters, {types} types").format(clusters=clusters, types=types)
    return [
        (
            "a",
            _("In a language model, the clusters tell less of the input token at the top."),
            VOITA,
            _("5.30 to 3.97, embedding to layer 6"),
            _("embedding less last layer, LM, {nats}").format(nats=nats),
            EverySeedAbove(0.5),
            lambda run: run.fall("lm"),
        ),
        (
            "b",
            _("A translator's encoder loses less of the input token than a language model."),
            VOITA,
            _("0.74 lost by MT, 1.33 by LM"),
            _("fall of LM less fall of MT, {nats}").format(nats=nats),
            POSITIVE,
            lambda run: run.fall("lm") - run.fall("mt"),
        ),
        (
            "c",
            _("A masked language model first loses some of it, on input without masks."),
            VOITA,
            _("5.21 to 4.93, embedding to layer 4"),
            _("embedding less the lowest layer, MLM, {nats}").format(nats=nats),
            EverySeedAbove(0.1),
            lambda run: run.information("mlm")[0] - min(run.information("mlm")),
        ),
        (
            "d",
            _("At the top, MLM tells more of the token than at its lowest layer."),
            VOITA,
            _("4.93 to 5.10, layer 4 to layer 6"),
            _("last layer less the lowest layer, MLM, {nats}").format(nats=nats),
            MeanAbove(0.05),
            Findings.recovery,
        ),
        (
            "e",
            _("A language model's fall is learned: it exceeds that of the untrained network."),
            CONTROL,
            NOT_ASKED,
            _("fall of LM less fall of the same network untrained, {nats}").format(nats=nats),
            POSITIVE,
            lambda run: run.fall("lm") - run.fall("untrained_causal"),
        ),
        (
            "f",
            _("Training on MT and on MLM keeps more of the token at the top than no training."),
            CONTROL,
            NOT_ASKED,
            _("last layer, the lower of MT and MLM less untrained, {nats}").format(nats=nats),
            POSITIVE,
            lambda run: min(run.top("mt"), run.top("mlm")) - run.top("untrained"),
        ),
        (
            "g",
            _("What the clusters lose, a linear probe still finds."),
            CONTROL,
            NOT_ASKED,
            _("accuracy of a probe for {types} types, last layer of LM, short sentences").format(
                types=record.config["probed"]
            ),
            EverySeedAbove(0.9),
            lambda run: run.probe("lm")[-1],
        ),
        (
            "h",
            _("The held-out bound orders the last layers alike: LM below MT and MLM."),
            CONTROL,
            NOT_ASKED,
            _("the lower bound of MT and MLM less that of LM, held-out {nats}").format(nats=nats),
            POSITIVE,
            lambda run: min(run.bound("mt")[-1], run.bound("mlm")[-1]) - run.bound("lm")[-1],
        ),
    ]


def _target() -> list[Row]:
    rise = EverySeedAbove(0.2)
    return [
        (
            "a",
            _("While a language model loses the token it reads, it gains the next one."),
            VOITA,
            _("1.81 to 2.35, embedding to layer 6"),
            _("clusters and next token: last layer less embedding, LM, nats"),
            rise,
            lambda run: run.gain("lm", "next"),
        ),
        (
            "b",
            _("Where a token was hidden, the clusters come to tell which it was."),
            VOITA,
            _("0.7 to 2.4, where the input is not the label"),
            _("clusters and original, hidden tokens: last layer less embedding, MLM, nats"),
            rise,
            lambda run: run.gain("mlm", "masked", "original"),
        ),
        (
            "c",
            _("Where a token was exchanged, the clusters lose the wrong token that is read."),
            VOITA,
            _("6.9 to 0.95"),
            _("clusters and token read, exchanged tokens: embedding less last layer, MLM, nats"),
            EverySeedAbove(1),
            lambda run: -run.gain("mlm", "exchanged", "read"),
        ),
        (
            "d",
            _("There they gain the right one."),
            VOITA,
            _("0.7 to 2.4"),
            _("clusters and original, exchanged tokens: last layer less embedding, MLM, nats"),
            rise,
            lambda run: run.gain("mlm", "exchanged", "original"),
        ),
        (
            "e",
            _("The two curves cross: at the top, an exchanged token is more the original."),
            VOITA,
            _("0.95 against 2.4 at the top"),
            _("original less token read, exchanged tokens, last layer, MLM, nats"),
            POSITIVE,
            Findings.crossed,
        ),
    ]
