"""Mistakes in the penalty of Lin et al. (2017)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

HOPS = _("Hops: several readings at once")
ONE_HOT = _("three hops that read one position alone")
CUBE = _("as many sentences as hops and positions")

Answer = Callable[[Tensor], Tensor]
BOTH = (-2, -1)


def _difference(weights: Tensor) -> Tensor:
    return weights @ weights.mT - _identity(weights)


def _identity(weights: Tensor) -> Tensor:
    return torch.eye(weights.shape[1])


def _all_axes_turned(weights: Tensor) -> Tensor:
    return weights.permute(2, 1, 0)  # as weights.T


def _reduced(reduce: Callable[[Tensor], Tensor]) -> Answer:
    """Right up to A A^T - I, which is turned into a number in another way."""
    return lambda weights: reduce(_difference(weights))


def _compared(compare: Callable[[Tensor], Tensor]) -> Answer:
    """A wrong matrix, whose squares are summed as they should be."""
    return lambda weights: compare(weights).square().sum(BOTH)


def _of_positions(weights: Tensor) -> Tensor:
    return weights.mT @ weights - torch.eye(weights.shape[2])


def _off_diagonal(weights: Tensor) -> Tensor:
    products = weights @ weights.mT
    return products - torch.diag_embed(products.diagonal(dim1=-2, dim2=-1))


def _cosines(weights: Tensor) -> Tensor:
    return _difference(torch.nn.functional.normalize(weights, dim=-1))


MISCONCEPTIONS = (
    Misconception(
        "identity-missing",
        _compared(lambda weights: weights @ weights.mT),
        _(
            "The identity is not subtracted. The diagonal of A A^T holds each hop's product with "
            "itself, which is largest where a hop reads one position: you punish sharp hops, and "
            "the cheapest hop reads everything evenly. With the identity it is the other way round."
        ),
        HOPS,
    ),
    Misconception(
        "ones-for-identity",
        _compared(lambda weights: weights @ weights.mT - 1),
        _(
            "You subtract 1 from every entry of A A^T, and I is 1 on the diagonal alone. Off the "
            "diagonal the best product is then 1 too: hops that read the same word cost nothing. "
            "Subtract `torch.eye(hops)`."
        ),
        HOPS,
        case=ONE_HOT,
    ),
    Misconception(
        "diagonal-left-out",
        _compared(_off_diagonal),
        _(
            "Only products of two different hops are counted. Hops that share the positions evenly "
            "in two halves then cost nothing. The diagonal is part of the penalty: a_i · a_i - 1 "
            "is zero only for a hop that reads one position alone."
        ),
        HOPS,
        (_compared(lambda weights: _off_diagonal(weights).triu()),),
    ),
    Misconception(
        "diagonal-alone",
        _compared(lambda weights: _difference(weights).diagonal(dim1=-2, dim2=-1)[..., None]),
        _(
            "Only the diagonal is counted: each hop with itself. Sharp hops are then all that is "
            "asked for, and hops that all read the same word cost nothing. The products of "
            "different hops stand beside the diagonal; sum over the whole matrix."
        ),
        HOPS,
        case=ONE_HOT,
    ),
    Misconception(
        "axes-counted-from-the-front",
        _compared(lambda weights: weights @ _all_axes_turned(weights) - _identity(weights)),
        _(
            "Your transpose moves the batch: `.T` reverses all axes, and `transpose(0, 1)` counts "
            "from the front. As a rule the product then fails. With as many sentences as hops and "
            "positions it passes, and compares hops of different sentences. Turn the last two axes "
            "only: `.mT`."
        ),
        HOPS,
        (_compared(lambda weights: weights @ weights.transpose(0, 1) - _identity(weights)),),
        case=CUBE,
    ),
    Misconception(
        "each-pair-once",
        _compared(lambda weights: _difference(weights).triu()),
        _(
            "Each pair of hops is counted once. The norm runs over all entries of the matrix, and "
            "A A^T holds each pair twice, at (i, j) and at (j, i). Against the diagonal your "
            "penalty weighs overlap half as much."
        ),
        HOPS,
    ),
    Misconception(
        "positions-compared",
        _compared(_of_positions),
        _(
            "This is A^T A, [position, position]: it compares positions, by which hops read them. "
            "Its best is one hop for every position, so a sentence with more words than hops is "
            "punished for its length. Hops are the rows of A, and A A^T is [hop, hop]."
        ),
        HOPS,
    ),
    Misconception(
        "norm-not-squared",
        _reduced(lambda difference: difference.square().sum(BOTH).sqrt()),
        _(
            "This is the norm, and the penalty is its square. The root makes a large overlap weigh "
            "less and a small one more, and where the penalty is zero its gradient is 0/0: NaN in "
            "training. The squares alone, summed, are what is asked."
        ),
        HOPS,
    ),
    Misconception(
        "entries-not-squared",
        _reduced(lambda difference: difference.sum(BOTH)),
        _(
            "The entries are summed without being squared. The diagonal of A A^T - I is negative "
            "and the rest positive, so they cancel, and the sum is least where all hops together "
            "read every position evenly. Squares make every departure from I cost something."
        ),
        HOPS,
    ),
    Misconception(
        "square-of-the-sum",
        _reduced(lambda difference: difference.sum(BOTH).square()),
        _(
            "The entries are summed first, and the sum is squared. The diagonal of A A^T - I is "
            "negative and the rest positive, so they cancel before the square can see them: hops "
            "that overlap can cost nothing. Square every entry, then sum."
        ),
        HOPS,
    ),
    Misconception(
        "row-sums-squared",
        _reduced(lambda difference: difference.sum(-1).square().sum(-1)),
        _(
            "Each row is summed before it is squared, and what is negative on the diagonal cancels "
            "what is positive beside it. `G @ G`, the matrix times itself, gives the same number. "
            "`**2` or `.square()` squares entry by entry; sum after that."
        ),
        HOPS,
        (_reduced(lambda difference: (difference @ difference).sum(BOTH)),),
    ),
    Misconception(
        "absolute-values",
        _reduced(lambda difference: difference.abs().sum(BOTH)),
        _(
            "The entries are summed by their absolute values, without being squared. A little "
            "overlap of many pairs then costs as much as full overlap of one pair. The Frobenius "
            "norm sums squares, so large entries weigh most."
        ),
        HOPS,
    ),
    Misconception(
        "another-norm",
        _reduced(lambda difference: torch.linalg.matrix_norm(difference, ord=2) ** 2),
        _(
            "This is the spectral norm, the largest singular value: of all departures from I it "
            "sees the worst direction alone. `ord=2` means that for a matrix. The Frobenius norm "
            "sums over all entries."
        ),
        HOPS,
    ),
    Misconception(
        "mean-over-hops",
        _reduced(lambda difference: difference.square().mean(BOTH)),
        _(
            "You take a mean over hops, where the norm is a sum. With more hops the same overlap "
            "of two of them then costs less, and a coefficient that was found for ten hops is "
            "wrong for thirty. Sum over both axes of the matrix."
        ),
        HOPS,
        (_reduced(lambda difference: difference.square().sum(-1).mean(-1)),),
    ),
    Misconception(
        "one-number-for-each-hop",
        _reduced(lambda difference: difference.square().sum(-1)),
        _(
            "The axis of the hops is still there: one number for each hop, [batch, hop]. The norm "
            "is of the whole matrix, so the sum runs over its rows and its columns. Sum over the "
            "last two axes: one number for each sentence, [batch]."
        ),
        HOPS,
        (
            _reduced(lambda difference: difference.square().mean(-1)),
            _reduced(lambda difference: difference.norm(dim=-1)),
            _reduced(lambda difference: difference.sum(-1).square()),
        ),
    ),
    Misconception(
        "one-number-for-all",
        _reduced(lambda difference: difference.square().sum()),
        _(
            "All sentences are put into one number. With a sum the penalty grows with the batch, "
            "and its coefficient would depend on the batch size. Here one number for each sentence "
            "is asked, [batch]; the loss takes the mean of them."
        ),
        HOPS,
        (
            _reduced(lambda difference: difference.square().sum(BOTH).mean()),
            _reduced(lambda difference: difference.square().mean()),
            _reduced(lambda difference: difference.norm()),
        ),
    ),
    Misconception(
        "rows-made-unit",
        _compared(_cosines),
        _(
            "The rows are scaled to length one before they are multiplied. The diagonal is then 1 "
            "whatever a hop reads, and the penalty no longer asks for sharp hops. A row of weights "
            "sums to one; its length is one only if it reads one position alone."
        ),
        HOPS,
    ),
)
