"""Probes: can a property be read off a model's vectors by a linear map?"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int64
from numpy.typing import NDArray
from torch import Tensor

from bottomup.analysis.samples import (
    check_finite,
    check_numbers,
    check_vectors,
)
from bottomup.checks import check_integer, check_number

Examples = tuple[NDArray[np.float64], NDArray[np.int64]]  # vectors and labels


@dataclass(frozen=True)
class ProbeResult:
    """Shares of the test examples that are labelled rightly, from 0 to 1.

    Attributes:
        accuracy: by the probe.
        chance: by the best constant answer, the commonest test label.
        control: by the same probe fitted to shuffled training labels, mean over
            the shuffles.
    """

    accuracy: float
    chance: float
    control: float


def linear_probe(
    features: Float[Tensor, "example d_features"],
    labels: Int64[Tensor, " example"],
    *,
    test_features: Float[Tensor, "test_example d_features"],
    test_labels: Int64[Tensor, " test_example"],
    classes: int,
    penalty: int | float = 1.0,
    shuffles: int = 10,
    seed: int = 0,
) -> ProbeResult:
    """Fit a multinomial logistic regression and score it on other vectors.

    ``minimise over W, b:
    sum_n -log softmax(W z_n + b)[label_n] + penalty / 2 ||W||^2``

    z_n is the feature vector n, standardised by mean and standard deviation of
    the training examples, so that the penalty treats every feature alike.

    The control is the same fit to training labels that are permuted, scored on
    the true test labels. It keeps the features, the frequencies of the labels
    and the capacity of the probe, so it lies near chance; above it, the scoring
    is at fault. One shuffle is noisy where the features form a few clusters,
    since a whole cluster then hits or misses; hence the mean over several.

    It suits labels that do not follow from the token. Where they do, as a part
    of speech follows from the word, a probe can learn the list of words by
    heart, and the control task of Hewitt and Liang is the right one: pass a
    label drawn at random for each word type, ``random_label[types]``, here and
    for the test, and read `accuracy`. Put each sequence in training or test as
    a whole: its vectors resemble each other.

    Args:
        features: training vectors; each tensor may be on any device.
        labels: their classes, 0 to classes - 1, at least two of each.
        test_features: vectors the fit has not seen.
        test_labels: their classes.
        classes: number of classes.
        penalty: weight of the squared norm of W; 1 is the usual choice.
        shuffles: number of permutations for the control.
        seed: seed of the permutations.

    Source: Alain and Bengio (2017), section 3, for linear probes; Hewitt and
    Liang (2019), section 2, for controls. Chapter 02 probes for position.

    Example:
        >>> x = torch.tensor([[-2.0], [-1.0], [1.0], [2.0]])
        >>> y = torch.tensor([0, 0, 1, 1])
        >>> test = {"test_features": x, "test_labels": y}
        >>> found = linear_probe(x, y, **test, classes=2)
        >>> found.accuracy, found.chance
        (1.0, 0.5)
    """
    check_integer("classes", classes, at_least=2)
    check_number("penalty", penalty, above=0, below=torch.inf)
    check_integer("shuffles", shuffles, at_least=1)
    check_integer("seed", seed, at_least=0, below=2**63)
    axes = "example d_features"
    check_vectors("features", features, axes)
    width = features.shape[1]
    check_vectors("test_features", test_features, axes, d_features=width)
    x, y = _arrays("", features, labels, classes)
    test = _arrays("test_", test_features, test_labels, classes)
    counts = np.bincount(y, minlength=classes)
    if counts.min() < 2:
        raise ValueError(
            f"labels: expected at least 2 examples of each of the {classes} "
            f"classes, got {counts.min()} of class {counts.argmin()}"
        )
    order = np.random.default_rng(seed)
    controls = [
        _accuracy(x, order.permutation(y), test, penalty)
        for _shuffle in range(shuffles)
    ]
    return ProbeResult(
        accuracy=_accuracy(x, y, test, penalty),
        chance=float(np.bincount(test[1]).max() / len(test[1])),
        control=float(np.mean(controls)),
    )


def _accuracy(
    x: NDArray[np.float64],
    y: NDArray[np.int64],
    test: Examples,
    penalty: int | float,
) -> float:
    # It takes a second to import, and the other instruments do without.
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    regression = LogisticRegression(C=1 / penalty, max_iter=1000)
    probe = make_pipeline(StandardScaler(), regression)
    return float(probe.fit(x, y).score(*test))


def _arrays(
    which: str, features: Tensor, labels: Tensor, classes: int
) -> Examples:
    """Check features and labels, which may lie on any device."""
    name = f"{which}labels"
    check_finite(f"{which}features", features)
    check_numbers(name, labels, "example", example=len(features))
    x, y = features.detach().cpu().double().numpy(), labels.cpu().numpy()
    if y.max() >= classes:
        wanted = f"classes in [0, {classes})"
        raise ValueError(f"{name}: expected {wanted}, got {y.max()}")
    return x, y
