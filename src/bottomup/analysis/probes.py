"""Probes: can a property be read off a model's vectors by a linear map?"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int64
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from bottomup.checks import (
    check_axes,
    check_integer,
    check_number,
    check_tensor,
)

Numbers = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class ProbeResult:
    """Shares of the test examples that are labelled rightly, from 0 to 1.

    Attributes:
        accuracy: by the probe.
        chance: by the best constant answer, which is the commonest test label.
        control: by the same probe fitted to shuffled training labels, mean over the shuffles.
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
    """Fit a multinomial logistic regression to vectors and score it on other vectors.

    ``minimise over W, b: sum_n -log softmax(W z_n + b)[label_n] + penalty / 2 * ||W||^2``

    z_n is the feature vector n, standardised: each feature loses its mean and is divided by its
    standard deviation, both taken from the training examples. So the penalty treats every feature
    alike, and scaling or shifting a feature of the model changes nothing.

    The control is the same fit to labels that are permuted across the training examples, scored on
    the true test labels. It keeps the features, the frequencies of the labels and the capacity of
    the probe, and breaks only the tie between the two, so it lies near chance. A control above
    chance says that the scoring is at fault. One shuffle is noisy where the features form a few
    clusters, since a whole cluster then hits or misses; hence the mean over several.

    This control suits labels that do not follow from the token, such as the position of i.i.d.
    tokens. Where they do follow, as a part of speech follows from the word, a probe can learn the
    list of words by heart, and the control task of Hewitt and Liang is the right one: a label
    drawn at random for each word type. For that, pass ``random_label[types]`` as labels, here and
    for the test, and read `accuracy`.

    Vectors from one sequence resemble each other: put each sequence in training or test as a whole.

    Args:
        features: training vectors, on any device.
        labels: their classes, 0 to classes - 1.
        test_features: vectors the fit has not seen.
        test_labels: their classes.
        classes: number of classes.
        penalty: weight of the squared norm of W; 1 is the usual choice.
        shuffles: number of permutations for the control.
        seed: seed of the permutations.

    Source: Alain and Bengio (2017), section 3, for linear probes; Hewitt and Liang (2019), section
    2, for controls. Chapter 02 probes for position.
    """
    check_integer("classes", classes, at_least=2)
    check_number("penalty", penalty, above=0, below=torch.inf)
    check_integer("shuffles", shuffles, at_least=1)
    check_integer("seed", seed, at_least=0)
    width = check_axes("features", features, "example d_features")["d_features"]
    check_axes(
        "test_features", test_features, "example d_features", d_features=width
    )
    x, y = _arrays("features", features, "labels", labels, classes)
    test = _arrays(
        "test_features", test_features, "test_labels", test_labels, classes
    )
    _check_examples(y, classes)
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
    x: Numbers, y: Labels, test: tuple[Numbers, Labels], penalty: int | float
) -> float:
    probe = make_pipeline(
        StandardScaler(), LogisticRegression(C=1 / penalty, max_iter=1000)
    )
    return float(probe.fit(x, y).score(*test))


def _arrays(
    name: str, features: Tensor, labels_name: str, labels: Tensor, classes: int
) -> tuple[Numbers, Labels]:
    check_tensor(labels_name, labels)
    if labels.dtype != torch.int64:
        raise TypeError(
            f"{labels_name}: expected dtype torch.int64, got {labels.dtype}"
        )
    if tuple(labels.shape) != (len(features),):
        raise ValueError(
            f"{labels_name}: expected one label for each of the {len(features)} {name}, "
            f"got shape {tuple(labels.shape)}"
        )
    x, y = features.detach().double().cpu().numpy(), labels.cpu().numpy()
    outside = y[(y < 0) | (y >= classes)]
    if len(outside):
        raise ValueError(
            f"{labels_name}: expected classes in [0, {classes}), got {outside[0]}"
        )
    if not np.isfinite(x).all():
        raise ValueError(
            f"{name}: expected finite numbers, got {x[~np.isfinite(x)][0]}"
        )
    return x, y


def _check_examples(y: Labels, classes: int) -> None:
    counts = np.bincount(y, minlength=classes)
    if counts.min() < 2:
        raise ValueError(
            f"labels: expected at least 2 examples of each of the {classes} classes, "
            f"got {counts.min()} of class {counts.argmin()}"
        )
