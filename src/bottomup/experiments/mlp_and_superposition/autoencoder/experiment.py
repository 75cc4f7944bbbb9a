"""Chapter 04: sparse autoencoders that look for the features of a toy model of superposition.

A variant is a toy model, ``40_to_20`` or ``80_to_20``: so many features in so many dimensions. Its
hidden vectors train one autoencoder for each coefficient lambda (L1), each k (TopK) and each size
of dictionary. The truth is known, so what they find can be compared with it. Numbers for toy model
and autoencoders come from streams that share no seed (`seed_of`).
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor
from torch.nn.functional import normalize

from bottomup.analysis import mean_max_cosine, random_mean_max_cosine, represented
from bottomup.checks import check_integer, check_number
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.training import seeded
from bottomup.models import SparseAutoencoder, dead_units, sample_features
from bottomup.training import fit_autoencoder, solve_superposition

# Streams of random numbers, apart from those of the toy model. If an autoencoder started from the
# toy model's seed, its first directions could be those that the toy model itself started from, and
# features would seem to be found that no training had looked for.
START, FEATURES, EVALUATION, BASELINE = range(1, 5)
STREAM, SEED = 500_000_000, 1_000_000

FOUND = 0.9  # cosine above which a direction counts as the feature's


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        features: numbers of features, one toy model each.
        dimensions: of every toy model.
        sparsity: probability with which a feature is absent.
        penalties: the coefficients lambda of the sweep, each with one digit that is not zero.
        ks: the numbers k of the sweep.
        sizes: units of the dictionaries, divided by the number of features; at least two sizes.
        toy_steps: training steps of the toy models.
        steps, learning_rate, warmup: of the autoencoders.
        batch_size: of both.
        evaluated: vectors on which the autoencoders are measured; the window of dead units.
    """

    features: tuple[int, ...] = (40, 80)
    dimensions: int = 20
    sparsity: float = 0.97
    penalties: tuple[float, ...] = (0.03, 0.1, 0.2, 0.3, 0.5, 0.8)
    ks: tuple[int, ...] = (1, 2, 3, 4, 6, 12)
    sizes: tuple[int, ...] = (1, 2)
    toy_steps: int = 3_000
    steps: int = 3_000
    learning_rate: float = 3e-3
    batch_size: int = 512
    warmup: int = 50
    evaluated: int = 8_192


PRESETS = {
    "tiny": Config(
        features=(40, 80),
        penalties=(0.1, 0.5),
        ks=(1, 2),
        toy_steps=5,
        steps=3,
        batch_size=7,
        warmup=2,
        evaluated=101,
    ),
    "laptop": Config(features=(40,), penalties=(0.2,), ks=(2,), steps=1_500),
    "recorded": Config(),
    "full": Config(sizes=(1, 2, 4), toy_steps=10_000, steps=20_000),
}


def variants(config: Config) -> Sequence[str]:
    """Return the toy models."""
    return [f"{features}_to_{config.dimensions}" for features in config.features]


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train a toy model under one seed, and every autoencoder of the sweep on its vectors.

    ``represented``: number of features that the toy model represents; their vectors are the truth.
    ``raw``: what `recovery` calls ``cosine`` and ``found``, of as many hidden vectors taken as they
    are, the dictionary of somebody who trains nothing; ``alone``: share of the hidden vectors that
    are not zero in which a single feature is present.
    ``active``: features present in a sample, on average. ``l1`` and ``topk``: for each setting what
    `sweep_setting` gives.
    """
    folder = trial.checkpoint.with_suffix("")
    features = int(variant.split("_")[0])
    W = train_toy(config, features, trial.seed, trial.device, folder / "toy.pt")
    found: dict[str, Any] = {
        "represented": len(truth(W)),
        "active": features * (1 - config.sparsity),
        "alone": single_share(features, config.sparsity),
        "raw": raw_recovery(config, W, trial.seed),
        "l1": {
            name_of(penalty): sweep_setting(config, W, trial.seed, folder, penalty=penalty)
            for penalty in config.penalties
        },
        "topk": {name_of(k): sweep_setting(config, W, trial.seed, folder, k=k) for k in config.ks},
    }
    shutil.rmtree(folder, ignore_errors=True)
    return Outcome(found)


def name_of(setting: float) -> str:
    """Return a setting as a record names it, without a full stop: ``2`` for k, ``1e-01``."""
    return str(setting) if isinstance(setting, int) else f"{setting:.0e}"


def seed_of(stream: int, seed: int, step: int = 0) -> int:
    """Return a seed that no other stream, seed or step has."""
    check_integer("seed", seed, at_least=0, below=2**63)
    check_number("seed", seed, below=STREAM // SEED)
    check_integer("step", step, at_least=0, below=2**63)
    check_number("step", step, below=SEED)
    return STREAM * stream + SEED * seed + step


def train_toy(
    config: Config,
    features: int,
    seed: int,
    device: torch.device | str = "cpu",
    checkpoint: Path | None = None,
) -> Tensor:
    """Train a toy model in which all features matter alike; return W [dimensions, features]."""
    return (
        solve_superposition(
            torch.tensor([config.sparsity]),
            torch.ones(features),
            dimensions=config.dimensions,
            steps=config.toy_steps,
            samples=config.batch_size,
            seed=seed,
            device=device,
            checkpoint=checkpoint,
        )
        .W[0]
        .to(device)
    )


def truth(W: Tensor) -> Tensor:
    """Return the vectors of the features that a toy model represents, one a row."""
    return W.T[represented(W)]


def hidden_vectors(config: Config, W: Tensor, count: int, number: int) -> Tensor:
    """Return hidden vectors ``W x`` [count, dimensions]; `number` seeds the features x."""
    generator = torch.Generator().manual_seed(number)
    x = sample_features(count, W.shape[1], config.sparsity, generator)
    return x.to(W.device) @ W.T


def build_autoencoder(
    W: Tensor, seed: int, *, size: int = 1, k: int | None = None
) -> SparseAutoencoder:
    """Return an untrained autoencoder with `size` units for each feature: TopK with `k`, else L1.

    Each size starts from other numbers.
    """
    dimensions, features = W.shape
    kind = "l1" if k is None else "topk"
    with seeded(seed_of(START, seed, size)):
        return SparseAutoencoder(dimensions, size * features, kind=kind, k=k).to(W.device)


def train_autoencoder(
    config: Config,
    W: Tensor,
    seed: int,
    *,
    size: int = 1,
    penalty: float = 0.0,
    k: int | None = None,
    checkpoint: Path | None = None,
) -> SparseAutoencoder:
    """Train one autoencoder on hidden vectors of a toy model, the same ones for each setting."""
    model = build_autoencoder(W, seed, size=size, k=k)
    fit_autoencoder(
        model,
        lambda step: hidden_vectors(config, W, config.batch_size, seed_of(FEATURES, seed, step)),
        steps=config.steps,
        penalty=penalty,
        learning_rate=config.learning_rate,
        warmup=config.warmup,
        checkpoint=checkpoint,
    )
    return model


def sweep_setting(
    config: Config,
    W: Tensor,
    seed: int,
    folder: Path,
    *,
    penalty: float = 0.0,
    k: int | None = None,
) -> dict[str, Any]:
    """Train one autoencoder of each size and measure it.

    ``x1``, ``x2``, ... by size: what `recovery` gives. ``agreement``: `mean_max_cosine` of the
    second size's directions with those of the first; it needs no truth.
    """
    models = {
        size: train_autoencoder(
            config, W, seed, size=size, penalty=penalty, k=k,
            checkpoint=folder / f"{name_of(k or penalty)}_x{size}.pt",
        )
        for size in config.sizes
    }  # fmt: skip
    found: dict[str, Any] = {
        f"x{size}": recovery(config, model, W, seed) for size, model in models.items()
    }
    first, second = (models[size].directions for size in config.sizes[:2])
    found["agreement"] = mean_max_cosine(second, first)
    return found


def recovery(config: Config, model: SparseAutoencoder, W: Tensor, seed: int) -> dict[str, float]:
    """Measure an autoencoder against the features, and on fresh hidden vectors.

    ``cosine``: `mean_max_cosine` of its directions with the features; ``baseline``: that of random
    dictionaries of its size; ``gain``: the difference. ``found``: what `found_share` gives.
    ``error``: squared error of the vectors rebuilt, divided by their variance. ``active``: units
    active in a vector, on average. ``dead``: share of units active in none of the vectors; their
    directions count in the cosines like the others.
    """
    features = truth(W)
    cosine = mean_max_cosine(model.directions, features)
    baseline = random_mean_max_cosine(model.d_dictionary, features, seed=seed_of(BASELINE, seed))
    x = hidden_vectors(config, W, config.evaluated, seed_of(EVALUATION, seed))
    with torch.no_grad():
        x_hat, activations = model(x)
    variance = (x - x.mean(dim=0)).square().sum(dim=1).mean()
    return {
        "cosine": cosine,
        "baseline": baseline,
        "gain": cosine - baseline,
        "found": found_share(model.directions, features),
        "error": ((x - x_hat).square().sum(dim=1).mean() / variance).item(),
        "active": (activations > 0).cpu().double().sum(dim=1).mean().item(),
        "dead": dead_units(activations).cpu().double().mean().item(),
    }


def raw_recovery(config: Config, W: Tensor, seed: int) -> dict[str, float]:
    """Compare hidden vectors themselves, as many as there are features, with the features."""
    x = hidden_vectors(config, W, config.evaluated, seed_of(EVALUATION, seed))
    x = x[x.norm(dim=1) > 0][: W.shape[1]]
    features = truth(W)
    return {"cosine": mean_max_cosine(x, features), "found": found_share(x, features)}


def single_share(features: int, sparsity: float) -> float:
    """Return the probability that one feature alone is present, if any is.

    ``n (1 - S) S^(n - 1) / (1 - S^n)``
    """
    return features * (1 - sparsity) * sparsity ** (features - 1) / (1 - sparsity**features)


def found_share(learned: Tensor, true: Tensor) -> float:
    """Return the share of true directions with a learned one of their own at a cosine above 0.9.

    As many as can be paired at once, each learned direction with one true one.
    """
    close = (normalize(true, dim=1) @ normalize(learned, dim=1).T > FOUND).cpu().numpy()
    rows, columns = linear_sum_assignment(close, maximize=True)
    return float(close[rows, columns].sum() / len(true))
