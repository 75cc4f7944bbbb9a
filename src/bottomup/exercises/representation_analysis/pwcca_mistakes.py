"""Mistakes in PWCCA: what is projected on what, how it is summed, and what is returned."""

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.representation_analysis.pwcca_parts import (
    Answer,
    all_directions,
    as_many_as_pairs,
    as_many_as_pairs_of_all,
    distance,
    reduced,
    summed,
    with_features,
)
from bottomup.i18n import _

SECTION = _("Comparing two networks")
HAND = _("the direction that both have is the large one")
WEAK = _("the direction that both have is the small one")
TURNED = _("a basis that lies between the directions")
SIGNS = _("two features along one direction, with opposite signs")
FEWER = _("more directions in X than in Y")


def _named(slug: str, diagnosis: str, *answers: Answer, case: str = "") -> Misconception:
    wrong, *variants = answers
    return Misconception(slug, wrong, diagnosis, SECTION, tuple(variants), case)


PROJECTIONS = (
    _named(
        "other-branch",
        _(
            "The weights are made with Y's side: its variates, or its basis in place of X's "
            "features. They then shrink with the correlation itself, so that what the networks do "
            "not share hardly counts. A weight says how much of X a direction makes up: the "
            "variates of X, h_i = (U_x A)_i, against the features of X."
        ),
        distance(summed(lambda found: found.h_y.T @ found.X)),
        distance(summed(lambda found: found.h.T @ found.U_y)),
        distance(summed(lambda found: found.h_y.T @ found.U_y)),
        case=HAND,
    ),
    _named(
        "whitened-for-features",
        _(
            "The variates are projected on the whitened basis U_x and not on the features. "
            "Whitening has made all directions equally long, so nothing is left of how much of X "
            "each makes up; what the weights still differ by is the basis that the whitening "
            "happened to return. Project on X itself."
        ),
        distance(summed(lambda found: found.h.T @ found.U_x)),
        case=HAND,
    ),
    _named(
        "not-rotated",
        _(
            "The weights are those of the columns of U_x, in place of U_x A. These are the basis's "
            "columns in its own order, as the whitening happened to return them; rotate them by A. "
            "Only then does the i-th weight belong to the i-th correlation."
        ),
        distance(summed(lambda found: found.U_x.T @ found.X)),
        distance(summed(lambda found: found.U_x.T @ found.X), value=lambda a, rho: 1 - a @ rho),
        distance(as_many_as_pairs(lambda found: found.U_x.T @ found.X)),
        as_many_as_pairs_of_all,
        case=TURNED,
    ),
    _named(
        "turned-the-wrong-way",
        _(
            "The basis is rotated by A^T and not by A, which turns it the other way. The columns "
            "of U_x are combined by the columns of A, one for each pair: the variates of X are "
            "those of U_x A. U_x A^T fits only where A is square."
        ),
        distance(summed(lambda found: (found.U_x @ found.A.T).T @ found.X)),
    ),
    _named(
        "other-side-s-directions",
        _(
            "The directions are not the columns of A. With U_x^T U_y = A diag(rho) B^T, those of X "
            "are the columns of A and those of Y the columns of B; `torch.linalg.svd` returns B^T, "
            "whose rows they are. A matrix of the wrong side fits only where both sides have as "
            "many directions."
        ),
        distance(summed(lambda found: (found.U_x @ found.B).T @ found.X)),
        distance(summed(lambda found: (found.U_x @ found.B.T).T @ found.X)),
    ),
    _named(
        "variates-without-whitening",
        _(
            "The directions are applied to the features: X A. A belongs to the whitened basis, so "
            "these are no canonical variates; they are neither of length 1 nor orthogonal. Where "
            "X has as many features as directions the product runs all the same. The variates are "
            "U_x A."
        ),
        distance(summed(lambda found: (found.X @ found.A).T @ found.X)),
        distance(summed(lambda found: (found.X @ found.A).T @ found.U_x)),
    ),
    _named(
        "features-made-unit",
        _(
            "The features are brought to one length before they are projected. Each then counts "
            "alike, and a feature that hardly varies weighs as much as the largest. The weights of "
            "PWCCA ask how much of the features, as they are, lies along a direction."
        ),
        distance(with_features(lambda X: X / X.norm(dim=0))),
        case=HAND,
    ),
)

SUMS = (
    _named(
        "weights-not-normalised",
        _(
            "The weights do not sum to one. The result then depends on the unit of X and on the "
            "number of its features, and falls far below zero for large ones. Divide each weight "
            "by the sum of all."
        ),
        distance(norm=lambda a: a),
        distance(norm=lambda a: a / a.max()),
        distance(norm=lambda a: a / a.norm()),
        distance(norm=lambda a: a / len(a)),
        distance(reduced(lambda table: table.abs().mean(1)), norm=lambda a: a),
        case=HAND,
    ),
    _named(
        "signs-cancel",
        _(
            "The products are summed with their signs, so two features that lie along a direction "
            "in opposite senses cancel, though both are made of it. The sign of a variate is "
            "arbitrary too. Take the absolute value of each product before you sum."
        ),
        distance(reduced(lambda table: table.sum(1).abs())),
        distance(reduced(lambda table: table.sum(1))),
        distance(reduced(lambda table: table.sum(1)), norm=lambda a: a / a.abs().sum()),
        case=SIGNS,
    ),
    _named(
        "squares-summed",
        _(
            "The products are squared, not taken without their sign. A direction that is three "
            "times as large then weighs nine times as much, as a share of variance. That can be "
            "defended, and turning X would leave it as it is, but PWCCA sums absolute values."
        ),
        distance(reduced(lambda table: table.square().sum(1))),
        distance(reduced(lambda table: table.norm(dim=1))),
        case=HAND,
    ),
    _named(
        "summed-over-directions",
        _(
            "The products are summed over the wrong axis, so that there is a weight for each "
            "feature and none for a direction. Where there are as many features as directions, "
            "each correlation meets a feature's weight. Sum h^T X, [direction, feature], over its "
            "features."
        ),
        distance(reduced(lambda table: table.abs().sum(0))),
        distance(reduced(lambda table: table.abs().sum(0)), value=lambda a, rho: 1 - a @ rho),
        distance(reduced(lambda table: table.square().sum(0))),
    ),
    _named(
        "directions-without-a-partner",
        _(
            "X has more directions than Y, and those without a partner in Y have a weight too. Up "
            "to min(r_x, r_y) pairs there is a correlation; the weights are shared among these "
            "alone, as in the formula's sum over k. `full_matrices=False` leaves out the rest."
        ),
        all_directions,
        case=FEWER,
    ),
)

RESULTS = (
    _named(
        "one-minus-missing",
        _(
            "This is the weighted mean of the correlations, which is 1 for networks that agree. "
            "A distance is 0 there. Return one minus it."
        ),
        distance(value=lambda a, rho: (a * rho).sum()),
        case=HAND,
    ),
    _named(
        "plain-mean",
        _(
            "All directions count alike: this is one minus the plain mean of the correlations. A "
            "network's many small directions, often noise, then decide. PWCCA weighs each by how "
            "much of X it makes up."
        ),
        distance(value=lambda a, rho: 1 - rho.mean()),
        case=HAND,
    ),
    _named(
        "weighted-by-correlations",
        _(
            "The correlations are weighted by themselves. A direction that both networks have then "
            "counts most because both have it, and the distance comes out too small. The weights "
            "come from the features of X and know nothing of Y's correlations."
        ),
        distance(value=lambda a, rho: 1 - (rho * rho).sum() / rho.sum()),
        case=HAND,
    ),
    _named(
        "correlations-squared",
        _(
            "The correlations are squared before the mean is taken. A squared correlation is a "
            "share of variance, and smaller: two networks seem further apart. The distance is one "
            "minus the weighted mean of the rho_i themselves."
        ),
        distance(value=lambda a, rho: 1 - (a * rho * rho).sum()),
        distance(value=lambda a, rho: 1 - (a * rho * rho).sum().sqrt()),
        case=HAND,
    ),
)

MISCONCEPTIONS = (*PROJECTIONS, *SUMS, *RESULTS)
