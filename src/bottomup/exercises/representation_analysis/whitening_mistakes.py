"""Mistakes in whitening: the mean, the divisor, the rank, the side."""

import torch

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.representation_analysis.whitening_parts import (
    Answer,
    centred,
    divided_by_the_covariance,
    divided_scores,
    divided_twice,
    everything,
    of_variance,
    one_divisor,
    padded,
    product,
    scores,
    square,
    standardised,
    turned_back,
    unit_variance,
    ways,
    whitened,
    with_covariance,
)
from bottomup.i18n import _

SECTION = _("Comparing two networks")
HAND = _("four samples of two features that do not correlate")
CORRELATED = _("five samples of two features that correlate")
OFFSET = _("features far from zero")
TWICE = _("a feature that stands there twice")
TINY = _("directions of sizes 1, 1e-4 and 1e-7")
SMALL = _("features in a small unit")
LARGE = _("one direction dwarfs the others")
FEW = _("fewer samples than features")


def _named(slug: str, diagnosis: str, *answers: Answer, case: str = "") -> Misconception:
    wrong, *variants = answers
    return Misconception(slug, wrong, diagnosis, SECTION, tuple(variants), case)


MEANS = (
    _named(
        "not-centred",
        _(
            "The features are not centred. The mean, the same number for every sample, is then a "
            "direction of its own, often the largest, and both networks have it: they seem to "
            "share something where they share nothing. Subtract each feature's mean over samples "
            "first."
        ),
        whitened(centre=lambda X: X),
        whitened(centre=lambda X: X, keep=everything),
        case=OFFSET,
    ),
    _named(
        "another-mean",
        _(
            "Another mean is subtracted: that of each sample over its features, or one number for "
            "the whole matrix. The features then still have means of their own, and dot products "
            "of two columns are no correlations. The mean runs over samples, dim=0, one for each "
            "feature."
        ),
        whitened(centre=lambda X: X - X.mean(dim=1, keepdim=True)),
        whitened(centre=lambda X: X - X.mean()),
        whitened(centre=lambda X: centred(X) - centred(X).mean(dim=1, keepdim=True)),
        case=OFFSET,
    ),
)

DIVISORS = (
    _named(
        "standardised",
        _(
            "Each feature is divided by its own spread. The columns then have one length, but two "
            "features that correlate still do, so that what they share is counted twice. Whitening "
            "turns the features into directions that do not correlate, and scales those: U of the "
            "singular value decomposition."
        ),
        *standardised(lambda X: X.norm(dim=0)),
        *standardised(lambda X: X.std(dim=0)),
        *standardised(lambda X: X.std(dim=0, unbiased=False)),
        case=CORRELATED,
    ),
    _named(
        "not-divided",
        _(
            "The columns do not correlate, but they keep their lengths: these are the principal "
            "components, U S, or a rotation of them. A large direction then counts more than a "
            "small one, and dot products with another network's columns exceed 1. Divide each by "
            "its singular value, which leaves U."
        ),
        *ways(scores),
        centred,
        case=HAND,
    ),
    _named(
        "divided-twice",
        _(
            "The components are divided by the square of their singular value: by the eigenvalue "
            "of X^T X, or by the whole inverse covariance. The smallest direction, mostly noise, "
            "then has the longest column. What is divided by is S, the root of the eigenvalue."
        ),
        *ways(divided_twice),
        *ways(divided_by_the_covariance),
        whitened(columns=lambda U, S, Vh: divided_twice(U, S, Vh) @ Vh),
        whitened(columns=lambda U, S, Vh: divided_by_the_covariance(U, S, Vh) @ Vh),
        case=HAND,
    ),
    _named(
        "unit-variance",
        _(
            "The columns have variance 1, and so the length sqrt(N) or sqrt(N - 1) for N samples. "
            "Many texts call that whitened. Here the columns have length 1, so that U_x^T U_y "
            "holds correlations and not N times as much."
        ),
        *ways(unit_variance(1)),
        *ways(unit_variance(0)),
        case=HAND,
    ),
    _named(
        "one-divisor",
        _(
            "All features are divided by one number, such as the largest singular value or the "
            "norm of the matrix. That changes the unit and nothing else: what correlated still "
            "does, and large directions stay large. Each direction has a divisor of its own."
        ),
        one_divisor(lambda X: torch.linalg.matrix_norm(X, 2)),
        one_divisor(lambda X: X.norm()),
        one_divisor(lambda X: X.std()),
        one_divisor(lambda X: X.abs().max()),
        one_divisor(lambda X: (X.square().sum() / len(X)).sqrt()),
        case=HAND,
    ),
)

RANKS = (
    _named(
        "noise-kept",
        _(
            "Directions with a singular value of next to nothing are kept. Divided by it, the "
            "rounding errors of a feature that stands there twice become a column of length 1, "
            "which counts like any other. Drop singular values of at most 1e-5 of the largest. A "
            "QR decomposition has no such limit."
        ),
        whitened(keep=everything),
        whitened(keep=lambda S: S > 0),
        whitened(keep=lambda S: S / S[0] > 1e-12),
        lambda X: torch.linalg.qr(centred(X)).Q,
        divided_scores,
        with_covariance(0.0),
        with_covariance(0.0, floor=1e-20),
        case=TWICE,
    ),
    _named(
        "full-matrices",
        _(
            "U has a column for each sample: `torch.linalg.svd` returns a square U unless it is "
            "told otherwise. Its further columns fill up the space and have nothing to do with the "
            "features, and the mask of S is too short for them. Pass full_matrices=False."
        ),
        square(cut=True),
        square(cut=False),
        case=HAND,
    ),
    _named(
        "not-cut-to-the-rank",
        _(
            "The directions that are next to nothing are gone, but their columns are still there: "
            "as columns of zeros, or because U was turned back to the features, as in ZCA. U^T U "
            "is then no identity. Return as many columns as there are directions."
        ),
        padded,
        turned_back,
        case=TWICE,
    ),
    _named(
        "absolute-limit",
        _(
            "The limit 1e-5 is not a share of the largest singular value but a number by itself. "
            "In a small unit every direction falls below it, in a large one the noise lies above. "
            "Whitening does not depend on the unit: keep S / S[0] > 1e-5."
        ),
        whitened(keep=lambda S: S > 1e-5),
        whitened(keep=lambda S: S.square() > 1e-5),
        whitened(keep=lambda S: S.square() > 1e-10),
        case=SMALL,
    ),
    _named(
        "limit-on-the-squares",
        _(
            "The limit of 1e-5 was applied to squares of singular values: to the eigenvalues of "
            "X^T X, or to variances. In singular values that is a limit of 3e-3, and directions "
            "that are small but no noise are lost. For squares the limit is 1e-10."
        ),
        whitened(keep=lambda S: S.square() > 1e-5 * S[0].square()),
        with_covariance(1e-5),
        case=TINY,
    ),
    _named(
        "large-directions-only",
        _(
            "Only the directions that hold most of the variance are kept. That is the first step "
            "of SVCCA, which then depends on the scale of the features. Here all directions count "
            "that are more than rounding noise."
        ),
        *(whitened(keep=of_variance(share)) for share in (0.99, 0.9, 0.95, 0.999)),
        case=TINY,
    ),
)

SIDES = (
    _named(
        "feature-side",
        _(
            "The result has no row for each sample. It holds directions in the space of features, "
            "V, or rows and columns of X have changed places. Two networks have different "
            "features, and only their samples are the same. `torch.linalg.svd` of [sample, "
            "feature] returns U, S, Vh, and U is asked."
        ),
        whitened(columns=lambda U, S, Vh: Vh.T),
        whitened(columns=lambda U, S, Vh: Vh),
        whitened(keep=everything, columns=lambda U, S, Vh: Vh.T),
        whitened(keep=everything, columns=lambda U, S, Vh: Vh),
        lambda X: whitened()(X.T),
        lambda X: whitened()(X.T).T,
        lambda X: whitened(keep=everything)(X.T),
        lambda X: whitened(keep=everything)(X.T).T,
        whitened(centre=lambda X: X - X.mean(dim=1, keepdim=True), columns=lambda U, S, Vh: Vh.T),
        case=CORRELATED,
    ),
    _named(
        "projector-returned",
        _(
            "This is U U^T, [sample, sample], which projects onto the space that the columns span. "
            "It is the same for every basis, and that is how the check compares. Asked are the "
            "columns themselves, as many as there are directions."
        ),
        product,
        case=HAND,
    ),
)

MISCONCEPTIONS = (*MEANS, *DIVISORS, *RANKS, *SIDES)
