"""Mistakes in how much of a dimension a feature has."""

from torch.nn.functional import normalize

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.feature_dimensions_parts import (
    Formula,
    both,
    divided,
    lengthened,
    naive,
    of_directions,
    of_rows,
    over,
    per_feature,
    products,
    right,
    settled,
    settled_late,
    shared,
    squares,
    ways,
    with_directions,
    with_numerator,
)
from bottomup.i18n import _

SHARE = _("How much of a dimension")
PAIR = _("an antipodal pair, and a feature across")
ZERO = _("a feature without a direction between two others")
WEAK = _("a weak feature with a dimension of its own")


def _named(slug: str, diagnosis: str, *formulae: Formula, case: str = "") -> Misconception:
    wrong, *variants = ways(*formulae)
    return Misconception(slug, wrong, diagnosis, SHARE, tuple(variants), case)


MISCONCEPTIONS = (
    _named(
        "nothing-normalised",
        _(
            "This is D_i / |W_i|^2. Either W_i enters the denominator with its length, or the "
            "numerator is made of its direction and is 1. Make W twice as long and your D_i falls "
            "to a quarter, though no direction has moved. The length stands above, the direction "
            "below."
        ),
        over(lambda W, directions: shared(W, W)),
        with_numerator(lambda W, directions: directions.square().sum(0)),
        lambda W, directions: 1 / shared(W, directions),
    ),
    Misconception(
        "both-normalised",
        settled(both),
        _(
            "Both vectors in the denominator are made unit vectors. The numerator still has a "
            "length, so D_i is no share: a feature alone gets |W_i|^2, which may be 9. Only U_i is "
            "a direction; W_j keeps its length."
        ),
        SHARE,
        (naive(both), settled_late(both)),
    ),
    Misconception(
        "other-lengths-lost",
        settled(of_directions),
        _(
            "The lengths of the other features are lost, so that a neighbour which the model "
            "hardly writes disturbs as much as a strong one. Either all columns are made unit "
            "vectors at the start, or `directions.T @ W` is summed over the wrong axis: |W_i|^2 / "
            "sum_j (W_i · U_j)^2 is the same number. Row i holds U_i · W_j; sum along it."
        ),
        SHARE,
        (
            naive(of_directions),
            settled_late(of_directions),
            *ways(over(lambda W, directions: products(W, directions).square().sum(0))),
        ),
    ),
    _named(
        "own-term-left-out",
        _(
            "The term j = i is left out. It is |W_i|^2, what the feature has to itself. Without it "
            "a feature alone in its direction divides by zero, and an antipodal pair gets 1 for "
            "each of two features in one dimension. With it D_i lies between 0 and 1."
        ),
        over(lambda W, directions: shared(W, directions) - squares(W)),
    ),
    _named(
        "rows-as-features",
        _(
            "The rows of W are taken for features. W maps features to dimensions and is "
            "[dimensions, features]: feature i is column i, and there are as many D_i as columns. "
            "Lengths are norms over dim=0."
        ),
        of_rows,
    ),
    _named(
        "square-missing",
        _(
            "The products U_i · W_j are summed without being squared. With their signs they "
            "cancel: for an antipodal pair the sum is zero and D_i infinite. As absolute values "
            "they do not cancel, but many small ones weigh as much as one large one. Square each "
            "product."
        ),
        over(lambda W, directions: products(W, directions).sum(1)),
        over(lambda W, directions: products(W, directions).abs().sum(1)),
        case=PAIR,
    ),
    _named(
        "square-of-the-sum",
        _(
            "The sum is squared, not its terms. Positive and negative products cancel first: those "
            "of an antipodal pair or a pentagon add up to zero, and D_i becomes infinite. Square "
            "each product, then sum."
        ),
        over(lambda W, directions: products(W, directions).sum(1).square()),
        case=PAIR,
    ),
    _named(
        "lengths-not-squared",
        _(
            "The numerator is the length |W_i|, not its square. The denominator is made of "
            "squares, so D_i would change with the unit in which W is measured: a feature alone in "
            "its dimension would have 1 / |W_i|, not 1."
        ),
        with_numerator(lambda W, directions: W.norm(dim=0)),
    ),
    _named(
        "root-of-the-fraction",
        _(
            "This is the square root of D_i: lengths above, the root of the sum below. The two of "
            "an antipodal pair then have .71 each, and together more than the one dimension they "
            "share. Keep the squares in both places."
        ),
        lambda W, directions: right(W, directions).sqrt(),
    ),
    _named(
        "rows-made-unit",
        _(
            "The rows of W are made unit vectors, not its columns. `torch.nn.functional.normalize` "
            "works along dim=1 unless told otherwise, and that axis counts features here. The "
            "direction of feature i is its column divided by the column's length: dim=0."
        ),
        with_directions(lambda W: normalize(W, dim=1)),
    ),
    _named(
        "one-length-for-all",
        _(
            "All columns are divided by one number, the norm of the whole matrix. The columns then "
            "keep their lengths relative to each other and are no directions. Norms of columns "
            "need an axis: `W.norm(dim=0)`."
        ),
        with_directions(lambda W: W / W.norm()),
    ),
    _named(
        "upside-down",
        _(
            "The fraction is upside down. What you return says how many features share the place "
            "of feature i: 2 for an antipodal pair. D_i is the feature's part of the dimension, at "
            "most 1."
        ),
        lambda W, directions: shared(W, directions) / squares(W),
    ),
    _named(
        "dimensions-per-feature",
        _(
            "This is the number of dimensions per feature, m / ||W||_F^2, one number for the whole "
            "model. It counts features by their squared lengths and does not look at angles. D_i "
            "asks, for each feature, who else lies in its direction."
        ),
        per_feature,
        lambda W, unused: per_feature(W, unused).expand(W.shape[1]),
    ),
    _named(
        "mean-for-sum",
        _(
            "The denominator is a mean over features, where it is a sum. D_i then grows with the "
            "number of features in the model: a feature alone in its dimension would have as many "
            "dimensions as there are features."
        ),
        over(lambda W, directions: products(W, directions).square().mean(1)),
    ),
    _named(
        "positive-products-only",
        _(
            "Only positive products are counted. A negative one is interference too: the two of an "
            "antipodal pair lie in one dimension, and each would have it to itself. The square "
            "makes the sign irrelevant, so leave nothing out."
        ),
        over(lambda W, directions: products(W, directions).relu().square().sum(1)),
        case=PAIR,
    ),
    Misconception(
        "zero-feature-is-nan",
        lambda W: right(W, divided(W)),
        _(
            "A feature that the model does not write has a column of zeros, and 0/0 is NaN. One "
            "NaN spoils every mean and every sum over the D_i. Such a feature has no part of any "
            "dimension: return 0."
        ),
        SHARE,
        case=ZERO,
    ),
    Misconception(
        "zero-feature-gets-one",
        lambda W: right(W, divided(W)).nan_to_num(1.0),
        _(
            "A column of zeros gets 1, as if it had a dimension to itself. The model does not "
            "write such a feature at all, so it needs no dimension, and the sum of all D_i comes "
            "out too large by 1 for each such column. Return 0 for it."
        ),
        SHARE,
        case=ZERO,
    ),
    Misconception(
        "epsilon-added",
        lengthened(1e-5)[0],
        _(
            "A small number is added to avoid 0/0, and it changes every other D_i too: a feature "
            "of length 0.02 that has a dimension to itself gets another value than 1. Treat a "
            "column of zeros apart, with `torch.where` or `clamp(min=...)`, and leave the rest "
            "exact."
        ),
        SHARE,
        (*lengthened(1e-5)[1:], *lengthened(1e-6)),
        WEAK,
    ),
)
