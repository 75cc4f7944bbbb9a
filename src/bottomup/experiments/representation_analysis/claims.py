"""Chapter 08: what the networks claim.

Rules and margins were set before the networks of the record were measured. Their directions are the
paper's; some were known to fail, or to hold, from trials of other code on other networks, in which
an untrained post-norm stack lost more than a trained language model, the change of MT rose with
depth, and distances between all types did not separate the objectives. Which were known to hold was
not kept.

A first record of the same networks came before this one. After it, what is measured was changed in
four places, and no margin: 08.1c and d take the middle layer, and 08.4d the mean between the ends,
where they took the lowest value, which noise alone can satisfy; the groups of 08.4e to h have as
many types each, and influence is read at their tokens alone; the probe of 08.1g reads sentences of
every length; 08.1i and 08.2f to i are new. The tokens of 08.2b to e come from four corruptions of
the sentences, where there were six.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.claims_by_layer import (
    NATS,
    NATS_OF_LM,
    NATS_OF_MLM,
    POSITIVE,
    WITH_BOTH,
    WITH_INPUT,
    Row,
    change_rows,
    distance_rows,
    neighbour_rows,
    read_off,
)
from bottomup.experiments.representation_analysis.findings import Findings
from bottomup.i18n import _

CONTROL = _("no paper: a control")
NOT_ASKED = _("not considered")
LOST_MORE = _(
    "trials of other code on other networks, in which an untrained post-norm stack lost more than "
    "a trained language model"
)
FOLLOWED = _("a first record, from whose numbers by layer this one could be read")
OF_INPUT = {
    **dict.fromkeys("aef", LOST_MORE),
    **dict.fromkeys("cd", FOLLOWED),
    "g": _("a first record on the shortest sentences, 0.956; its first seed on all, about 0.92"),
    "i": _("a first record on the shortest sentences, 0.03 to 0.05 in every seed"),
}
OF_TARGET = dict.fromkeys(
    "ghi", _("the same bounds in seed 0 of a first record, on fewer tokens: it came out so")
)
NOT_SEPARATED = _(
    "trials of other code on other networks, in which distances between all types did not separate "
    "the objectives"
)
MT_ROSE = _("trials of other code on other networks, in which MT's change rose with depth")
OF_CHANGE = {
    "c": MT_ROSE,
    "h": _(
        "a first record, after which the groups were made anew and influence was read at their "
        "tokens alone, as for 08.4g"
    ),
}
DISTANCES = "08.3"  # needs two starts, which a configuration can do without


class Section(NamedTuple):
    """The claims of one section of the chapter: their number, its heading, a row for each."""

    number: str
    heading: str
    rows: list[Row]
    digits: int = 2
    repeats: Mapping[str, str] = {}  # letter -> the claim that it asks again
    known: Mapping[str, str] = {}  # letter -> what was known when its rule was set
    own: Collection[str] = ()  # letters of what the paper's plot shows and does not say


def sections(config: Mapping[str, Any], tables: Iterable[Mapping[str, Any]]) -> list[Section]:
    """Return what the chapter claims of its networks.

    Args:
        config: the choices of a record.
        tables: what was measured; where none of them has distances, nothing is claimed of these.
    """
    runs = [Findings(table) for table in tables]
    found = [
        Section("08.1", "What becomes of the input token", _input(config), known=OF_INPUT),
        Section("08.2", "Where the target comes from", _target(config, runs), known=OF_TARGET),
        Section(
            "08.4",
            "How much a layer changes",
            change_rows(config, runs),
            4,
            known=OF_CHANGE,
            own=("d",),
        ),
        Section("08.5", "Neighbours and positions", neighbour_rows(config)),
    ]
    if any(has_distances(run.metrics) for run in runs):
        distances = Section(
            DISTANCES,
            "Which objectives lie close",
            distance_rows(config),
            3,
            {"b": "08.3a", "c": "08.3a", "e": "08.3d", "f": "08.3d", "i": "08.3j"},
            known=dict.fromkeys("adhi", NOT_SEPARATED),
            own=tuple("adgh"),
        )
        found.insert(2, distances)
    return found


def has_distances(table: Mapping[str, Any]) -> bool:
    """Say whether networks of two starts were compared."""
    return "distances" in table


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    tables = [run["metrics"]["networks"] for run in record.runs]
    return [
        claim
        for section in sections(record.config, tables)
        for claim in as_claims(record, section, [Findings(table) for table in tables])
    ]


def as_claims(record: Record, section: Section, runs: Sequence[Any]) -> list[Claim]:
    """Return a claim for each row of a section, with its value in every run."""
    return [
        Claim(
            kind=Kind.OWN
            if letter in section.own
            else kind_of(source, section.repeats.get(letter)),
            repeats=section.repeats.get(letter),
            known=section.known.get(letter, ""),
            id=f"{section.number}{letter}",
            sentence=sentence,
            source=source,
            paper_value=paper,
            measured=measured,
            rule=rule,
            values=tuple(value(run) for run in runs),
            record=record.name,
            section=section.heading,
            digits=section.digits,
        )
        for letter, sentence, source, paper, measured, rule, value in section.rows
    ]


def kind_of(source: str, repeats: str | None = None) -> Kind:
    """Return what a claim is: a control, a repetition, or a finding of the paper."""
    if repeats is not None:
        return Kind.REPETITION
    return Kind.OWN if source == CONTROL else Kind.PAPER


def _input(config: Mapping[str, Any]) -> list[Row]:
    clusters, types = config["clusters"], config["types"]
    nats, bound = (
        text.format(clusters=clusters, types=types)
        for text in (
            _("plug-in nats; {clusters} clusters, {types} types"),
            _("held-out nats; {clusters} clusters, {types} types"),
        )
    )
    return [
        (
            "a",
            _("In a language model, the clusters tell less of the input token at the top."),
            WITH_INPUT,
            read_off(_("5.30 to 3.97, embedding to layer 6"), NATS),
            _("embedding less last layer, LM, {nats}").format(nats=nats),
            EverySeedAbove(0.5),
            lambda run: run.fall("lm"),
        ),
        (
            "b",
            _("A translator's encoder loses less of the input token than a language model."),
            WITH_INPUT,
            read_off(_("5.21 to 4.47 in MT, 5.30 to 3.97 in LM"), NATS),
            _("fall of LM less fall of MT, {nats}").format(nats=nats),
            POSITIVE,
            lambda run: run.fall("lm") - run.fall("mt"),
        ),
        (
            "c",
            _("A masked language model first loses some of it, on input without masks."),
            WITH_INPUT,
            read_off(_("5.21 to 4.93, embedding to layer 4"), NATS),
            _("embedding less the middle layer, MLM, {nats}").format(nats=nats),
            EverySeedAbove(0.1),
            lambda run: run.information("mlm")[0] - run.middle("mlm"),
        ),
        (
            "d",
            _("At the top, MLM tells more of the token than in the middle."),
            WITH_INPUT,
            read_off(_("4.93 to 5.10, layer 4 to layer 6"), NATS),
            _("last layer less the middle layer, MLM, {nats}").format(nats=nats),
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
            _(
                "At the top of a language model, a linear probe names over nine in ten tokens of "
                "its {types} most frequent types."
            ).format(types=config["probed"]),
            CONTROL,
            NOT_ASKED,
            _(
                "share of tokens named right, probe for {types} types, last layer of LM; one type "
                "makes a quarter of the tokens"
            ).format(types=config["probed"]),
            EverySeedAbove(0.9),
            lambda run: run.probe("lm")[-1],
        ),
        (
            "h",
            _("The held-out bound orders the last layers alike: LM below MT and MLM."),
            CONTROL,
            NOT_ASKED,
            _("the lower bound of MT and MLM less that of LM, {nats}").format(nats=bound),
            POSITIVE,
            lambda run: min(run.bound("mt")[-1], run.bound("mlm")[-1]) - run.bound("lm")[-1],
        ),
        (
            "i",
            _("A linear probe orders them alike."),
            CONTROL,
            NOT_ASKED,
            _("accuracy for {types} types, last layer, the lower of MT and MLM less LM").format(
                types=config["probed"]
            ),
            POSITIVE,
            lambda run: min(run.probe("mt")[-1], run.probe("mlm")[-1]) - run.probe("lm")[-1],
        ),
    ]


def _target(config: Mapping[str, Any], runs: Sequence[Findings]) -> list[Row]:
    rise = EverySeedAbove(0.2)
    exchanged = _("exchanged tokens (12 % of those of {types} frequent types)").format(
        types=config["exchanged"]
    )
    original, read = (
        fmean(run.series("mlm", "exchanged", of, name="entropy")[-1] for run in runs)
        for of in ("original", "read")
    )
    beyond = _("the gain less that of the untrained network, {what}, held-out nats")
    return [
        (
            "a",
            _(
                "From the embedding to the top of a language model, the clusters gain of the next "
                "token."
            ),
            WITH_BOTH,
            read_off(_("1.81 to 2.35, embedding to layer 6"), NATS_OF_LM),
            _("clusters and next token: last layer less embedding, LM, plug-in nats"),
            rise,
            lambda run: run.gain("lm", "next"),
        ),
        (
            "b",
            _("Where a token was hidden, the clusters come to tell more of which it was."),
            WITH_BOTH,
            read_off(_("0.7 to 2.4, at tokens hidden or exchanged"), NATS_OF_MLM),
            _("clusters and original, hidden tokens: last layer less embedding, MLM, plug-in nats"),
            rise,
            lambda run: run.gain("mlm", "masked", "original"),
        ),
        (
            "c",
            _(
                "Where a token was exchanged, the clusters come to tell over a nat less of the "
                "wrong token that is read."
            ),
            WITH_BOTH,
            read_off(_("6.9 to 0.95, at tokens hidden or exchanged"), NATS_OF_MLM),
            _(
                "clusters and token read, {exchanged}: embedding less last layer, MLM, plug-in nats"
            ).format(exchanged=exchanged),
            EverySeedAbove(1),
            lambda run: -run.gain("mlm", "exchanged", "read"),
        ),
        (
            "d",
            _("There they come to tell more of the right one."),
            WITH_BOTH,
            read_off(_("0.7 to 2.4, at tokens hidden or exchanged"), NATS_OF_MLM),
            _(
                "clusters and original, {exchanged}: last layer less embedding, MLM, plug-in nats"
            ).format(exchanged=exchanged),
            rise,
            lambda run: run.gain("mlm", "exchanged", "original"),
        ),
        (
            "e",
            _(
                "At the top, the clusters tell more of an exchanged token's original than of the "
                "token read."
            ),
            WITH_BOTH,
            read_off(_("0.95 against 2.4 at the top, tokens hidden or exchanged"), NATS_OF_MLM),
            _(
                "original less token read, {exchanged}, last layer, MLM, plug-in nats; their "
                "entropies are {original:.2f} and {read:.2f}"
            ).format(exchanged=exchanged, original=original, read=read),
            POSITIVE,
            Findings.crossed,
        ),
        (
            "f",
            _("The gain of the next token exceeds that of the untrained network."),
            CONTROL,
            NOT_ASKED,
            beyond.format(what=_("LM")),
            POSITIVE,
            lambda run: run.learned("lm", "untrained_causal", "next"),
        ),
        (
            "g",
            _("The gain of the hidden token exceeds that of the untrained network."),
            CONTROL,
            NOT_ASKED,
            beyond.format(what=_("MLM, hidden tokens")),
            POSITIVE,
            lambda run: run.learned("mlm", "untrained", "masked", "original"),
        ),
        (
            "h",
            _(
                "The gain of the right token, where another is read, exceeds that of the untrained "
                "network."
            ),
            CONTROL,
            NOT_ASKED,
            beyond.format(what=_("MLM, {exchanged}").format(exchanged=exchanged)),
            POSITIVE,
            lambda run: run.learned("mlm", "untrained", "exchanged", "original"),
        ),
        (
            "i",
            _("The loss of the wrong token exceeds that of the untrained network."),
            CONTROL,
            NOT_ASKED,
            _(
                "the loss of the token read less that of the untrained network, MLM, {exchanged}, "
                "held-out nats"
            ).format(exchanged=exchanged),
            POSITIVE,
            lambda run: -run.learned("mlm", "untrained", "exchanged", "read"),
        ),
    ]
