"""Chapter 04: what the experiment on toy models claims.

A pilot under another seed came before the record: it showed m / ||W||_F^2 of .557 at the plateau's
dense end, so that claim 04.7a was expected to fail. No rule was changed. Whether it ran more than
the larger models is not on record.
"""

import statistics
from collections.abc import Mapping
from functools import partial
from typing import Any

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

DEMONSTRATED = 'Elhage et al. (2022), section "Demonstrating Superposition"'
PHASE_CHANGE = 'Elhage et al. (2022), section "Superposition as a Phase Change"'
GEOMETRY = 'Elhage et al. (2022), section "The Geometry of Superposition"'


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers.

    A record without some of the parts decides less.
    """
    parts = record.config["parts"]
    return [
        *(_five(record) if "five" in parts else []),
        *(_linear(record) if {"linear", "equal"} <= set(parts) else []),
        *(_wide(record) if wide_parts(record) else []),
        *(_phases(record) if "phases" in parts else []),
    ]


def wide_parts(record: Record) -> list[str]:
    """Return the larger models that were measured, ``20_to_5``."""
    return [part for part in record.config["parts"] if "_to_" in part]


def _five(record: Record) -> list[Claim]:
    config = record.config
    claim = partial(
        Claim,
        kind=Kind.PAPER,
        source=DEMONSTRATED,
        record=record.name,
        section="More features than dimensions",
    )
    setting = _("5 features in 2 dimensions, importance {decay:g}^i, best of {restarts} starts")
    setting = setting.format(decay=config["decay"], restarts=config["five"]["restarts"])
    return [
        claim(
            id="04.5a",
            sentence=_("Of dense features only the two most important are kept."),
            paper_value=_("shown as arrows: two features, the others not represented"),
            measured=_(
                "features wrongly kept or left out at S = 0; kept: length above 0.5; {setting}"
            ).format(setting=setting),
            rule=EverySeedBelow(0.5),
            values=record.metric("five.wrong"),
        ),
        claim(
            id="04.5b",
            sentence=_("At middle sparsity four features share two dimensions as antipodal pairs."),
            paper_value=_("shown as arrows at 80 % sparsity"),
            measured=_(
                "share of S = {at} with four features kept, in two pairs of cosine below -0.9; "
                "{setting}"
            ).format(at=_listed(config["pairs"]), setting=setting),
            rule=EverySeedAbove(0.7),
            values=record.metric("five.pairs"),
        ),
        claim(
            id="04.5c",
            sentence=_("Sparse features lie in a pentagon, all five of them."),
            paper_value=_("shown as arrows at 90 % sparsity"),
            measured=_(
                "share of S = {at} with five features kept, lengths within 0.3 of 1, angles within "
                "15 degrees of 72; {setting}"
            ).format(at=_listed(config["pentagons"]), setting=setting),
            rule=EverySeedAbove(0.9),
            values=record.metric("five.pentagons"),
        ),
    ]


def _linear(record: Record) -> list[Claim]:
    claim = partial(Claim, source=DEMONSTRATED, record=record.name, section="The linear model")
    settings = _("5 features in 2 dimensions, {number} sparsities from 0 to {last:g}").format(
        number=len(record.config["sparsities"]), last=record.config["sparsities"][-1]
    )
    return [
        claim(
            kind=Kind.PAPER,
            id="04.6a",
            known=_(
                "pilots, in which its dense models had not converged; steps and samples were "
                "raised until they had"
            ),
            sentence=_(
                "Without the ReLU and with distinct importances there is no superposition at any "
                "sparsity."
            ),
            paper_value=_("a linear model learns the top features and ignores the others"),
            measured=_(
                "largest distance of an entry of W^T W from a dimension each for the two most "
                "important features; importance {decay:g}^i, {settings}, best of {restarts} "
                "starts, {steps} steps"
            ).format(
                decay=record.config["decay"],
                settings=settings,
                restarts=record.config["linear"]["restarts"],
                steps=record.config["linear"]["steps"],
            ),
            rule=EverySeedBelow(0.1),
            values=record.metric("linear.off"),
            digits=3,
        ),
        claim(
            kind=Kind.OWN,
            id="04.6b",
            sentence=_(
                "With equal importances every start of the linear model ends within one in a "
                "hundred of the lowest loss."
            ),
            paper_value=_("not discussed"),
            measured=_(
                "largest expected loss of one of {restarts} starts over the lowest possible one, "
                "minus 1; {settings}. The starts end in planes {apart:.2f} apart; 0 is the same "
                "plane, random planes are 0.60 apart"
            ).format(
                restarts=record.config["equal"]["restarts"],
                settings=settings,
                apart=statistics.fmean(record.metric("equal.apart")),
            ),
            rule=EverySeedBelow(0.01),
            values=record.metric("equal.excess"),
            digits=4,
        ),
    ]


def _wide(record: Record) -> list[Claim]:
    config, parts = record.config, wide_parts(record)
    low, high = config["plateau"]
    dense = [at for at in _inverse_densities(config) if low <= at <= high]
    claim = partial(
        Claim,
        kind=Kind.PAPER,
        source=GEOMETRY,
        record=record.name,
        section="How much of a dimension",
    )
    setting = _("the larger one of {models}, equal importances, starts: {restarts}").format(
        models=", ".join(part.replace("_to_", " → ") for part in parts),
        restarts=config["wide"]["restarts"],
    )
    shares = [int(m) / int(n) for n, m in (part.split("_to_") for part in parts)]

    def worst(name: str) -> tuple[float, ...]:
        values = [record.metric(f"{part}.{name}") for part in parts]
        return tuple(map(max, zip(*values, strict=True)))

    return [
        claim(
            id="04.7a",
            known=_(
                "nothing; a pilot of one seed then gave 0.557 at the dense end, outside the "
                "margin, and no rule was changed"
            ),
            sentence=_(
                "Over a range of sparsities m / ||W||_F^2, the dimensions per feature, stays "
                "within 0.05 of one half."
            ),
            paper_value=_("400 features in 30 dimensions: sticky at 1 and at 1/2"),
            measured=_(
                "largest distance of m / ||W||_F^2 from 1/2 at 1 / (1 - S) = {at}; {setting}"
            ).format(at=", ".join(f"{each:.2f}" for each in dense), setting=setting),
            rule=EverySeedBelow(0.05),
            values=worst("off_half"),
            digits=3,
        ),
        claim(
            id="04.7b",
            known=_("nothing; the pilot of 04.7a then measured it too, and no rule was changed"),
            sentence=_(
                "Where features are very sparse, m / ||W||_F^2, the dimensions per feature, falls "
                "below one quarter."
            ),
            paper_value=_("400 features in 30 dimensions: falls from the plateau at 1/2"),
            measured=_(
                "m / ||W||_F^2 at 1 / (1 - S) = {sparsest:g}; {setting}. All features in columns "
                "of length 1 would give {share:.2f}, in longer ones less"
            ).format(sparsest=config["sparsest"], setting=setting, share=max(shares)),
            rule=EverySeedBelow(0.25),
            values=worst("sparsest"),
            digits=3,
        ),
    ]


def _inverse_densities(config: Mapping[str, Any]) -> list[float]:
    last = config["points"] - 1
    return [config["sparsest"] ** (place / last) for place in range(last + 1)]


def _phases(record: Record) -> list[Claim]:
    cells = record.config["cells"]
    both = statistics.fmean(record.metric("phases.shares.antipodal"))
    return [
        Claim(
            kind=Kind.PAPER,
            id="04.7c",
            sentence=_(
                "Comparing three losses tells in over 85 of 100 cells whether one dimension keeps "
                "the first of two features, the second, or both."
            ),
            source=PHASE_CHANGE,
            paper_value=_("phase diagrams, trained and computed, that look alike"),
            measured=_(
                "share of {cells} x {cells} cells (importance ratio 0.1 to 10, density 1 to 0.01) "
                "in the phase of the lowest loss by hand; best of {restarts} starts. Antipodal in "
                "{both:.2f} of the cells"
            ).format(cells=cells, restarts=record.config["phases"]["restarts"], both=both),
            rule=EverySeedAbove(0.85),
            values=record.metric("phases.agree"),
            record=record.name,
            section="How much of a dimension",
        )
    ]


def _listed(sparsities: list[float]) -> str:
    return ", ".join(f"{sparsity:g}" for sparsity in sparsities)
